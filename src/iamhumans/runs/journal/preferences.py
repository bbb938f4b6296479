"""What the journal keeps of a choice between two replies.

A choice is kept by the places in which the replies were shown, not by what they are called in a comparison: comparing B
with A asks no question that comparing A with B has asked.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from iamhumans.runs.journal.entries import Replied, ReplyEntry, Statement, Text, now, storable
from iamhumans.runs.keys import canonical_json
from iamhumans.verdicts import Choice, Preference, PreferenceOutcome, Reason, Unjudged

_PREFERENCE = "iamhumans preference 1"
"""The number goes up when the key's ingredients change, so that old results are never taken for new ones."""

PREFERENCES_TABLE = """
CREATE TABLE preferences (
  id INTEGER PRIMARY KEY,
  key TEXT NOT NULL UNIQUE,
  first_reply INTEGER NOT NULL REFERENCES replies (id) ON DELETE CASCADE,
  second_reply INTEGER NOT NULL REFERENCES replies (id) ON DELETE CASCADE,
  judge TEXT NOT NULL,
  repeat INTEGER NOT NULL,
  prompt_text INTEGER REFERENCES texts (id),
  persona_text INTEGER REFERENCES texts (id),
  status TEXT NOT NULL CHECK (status IN ('chosen', 'unjudged')),
  reason TEXT,
  detail TEXT,
  choice TEXT CHECK (choice IN ('first', 'second', 'neither')),
  confirmed INTEGER CHECK (confirmed IN (0, 1)),
  final INTEGER NOT NULL,
  ended TEXT NOT NULL,
  said TEXT,
  CHECK ((status = 'chosen') = (choice IS NOT NULL)),
  CHECK ((status = 'chosen') = (said IS NOT NULL)),
  CHECK ((status = 'unjudged') = (reason IS NOT NULL))
) STRICT;
CREATE INDEX preferences_by_first_reply ON preferences (first_reply);
CREATE INDEX preferences_by_second_reply ON preferences (second_reply);
"""
"""The migration that adds the table. ``said`` is JSON: the quotes of each reply, the reason, what was forgiven."""

_KEEP = """
INSERT INTO preferences (key, first_reply, second_reply, judge, repeat, prompt_text, persona_text, status, reason,
                         detail, choice, confirmed, final, ended, said)
VALUES (?, (SELECT id FROM replies WHERE key = ?), (SELECT id FROM replies WHERE key = ?), ?, ?,
        (SELECT id FROM texts WHERE kind = 'prompt' AND hash = ?),
        (SELECT id FROM texts WHERE kind = 'persona' AND hash = ?), ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (key) DO UPDATE SET status = excluded.status, reason = excluded.reason, detail = excluded.detail,
  choice = excluded.choice, confirmed = excluded.confirmed, final = excluded.final, ended = excluded.ended,
  said = excluded.said
WHERE preferences.final = 0
"""
PREFERENCE_COLUMNS = "reason, detail, choice, confirmed, said"
"""What :func:`read_kept_preference` takes, in its order."""
_FIND = f"SELECT {PREFERENCE_COLUMNS} FROM preferences WHERE key = ? AND final = 1"  # noqa: S608 - a constant


def preference_key(
    *,
    prompt_hash: str | None,
    persona_hash: str | None,
    case_hash: str,
    first_hash: str,
    second_hash: str,
    judge: str,
    settings: Mapping[str, Any],
    repeat: int,
    salt: str = "",
) -> str:
    """The key of one choice between two replies in one order. What is shown first is in it, so the order is.

    Args:
        prompt_hash: The hash of what is the same for every case; ``None`` for a judge that is sent no prompt.
        persona_hash: The content hash of the persona; ``None`` without one.
        case_hash: ``Case.hash``.
        first_hash: What the reply that is shown first is known by: the content hash of its text, with its key where
            two like replies are to be independent draws.
        second_hash: The same of the reply that is shown second.
        judge: How the user named the judge.
        settings: What else can change its choices; of a model, ``model_settings``; else its version.
        repeat: Counts the independent choices between the same replies in the same order from 1.
        salt: The salt of a comparison that must not share results with earlier ones.
    """
    shown = [first_hash, second_hash]
    ingredients = [_PREFERENCE, prompt_hash, persona_hash, case_hash, shown, judge, settings, repeat, salt]
    return hashlib.sha256(canonical_json(ingredients).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class PreferenceEntry:
    """Where a choice is kept.

    Attributes:
        key: What :func:`preference_key` gives.
        first_reply_key: The key of the reply that is shown first, which must be in the journal or come with ``given``.
        second_reply_key: The same of the reply that is shown second.
        judge: How the user named the judge.
        repeat: Which of several independent choices this is.
        given: Entries and texts of replies that came in files; kept together with the choice.
        texts: Texts that are not in the journal yet.
    """

    key: str
    first_reply_key: str
    second_reply_key: str
    judge: str
    repeat: int = 1
    prompt_hash: str | None = None
    persona_hash: str | None = None
    given: tuple[tuple[ReplyEntry, Replied], ...] = ()
    texts: tuple[Text, ...] = ()

    def find(self, connection: sqlite3.Connection) -> PreferenceOutcome | None:
        """The choice, if there is one that stands, or the reason why there will be none."""
        row = connection.execute(_FIND, (self.key,)).fetchone()
        return None if row is None else read_kept_preference(row)

    def kept(self, outcome: PreferenceOutcome, *, final: bool) -> list[Statement]:
        """The choice's row; before it, the replies and the texts that came with it."""
        statements = [text.kept() for text in self.texts]
        for entry, reply in self.given:
            statements += entry.kept(reply, final=True)
        facts = (self.key, self.first_reply_key, self.second_reply_key, storable(self.judge), self.repeat)
        values = (*facts, self.prompt_hash, self.persona_hash, *_values(outcome, final=final))
        return [*statements, (_KEEP, values)]

    def placed(self) -> list[Statement]:
        """Nothing: a choice belongs to its two replies and to no run."""
        return []


def _values(outcome: PreferenceOutcome, *, final: bool) -> tuple[Any, ...]:
    if isinstance(outcome, Unjudged):
        return ("unjudged", outcome.reason.value, storable(outcome.detail), None, None, int(final), now(), None)
    confirmed = None if outcome.confirmed is None else int(outcome.confirmed)
    return ("chosen", None, None, outcome.choice.value, confirmed, int(final), now(), _said(outcome))


def _said(preference: Preference) -> str:
    """What the judge said, as JSON. Halves of a character side by side, which no reader gives, come back as one."""
    said: dict[str, Any] = {
        "first_quotes": preference.first_quotes,
        "second_quotes": preference.second_quotes,
        "reason": preference.reason,
        "repairs": preference.repairs,
    }
    said = {name: value for name, value in said.items() if value}
    return json.dumps(said, ensure_ascii=True, separators=(",", ":"))


def read_kept_preference(row: Sequence[Any]) -> PreferenceOutcome:
    """The outcome that the columns ``PREFERENCE_COLUMNS`` of a row hold."""
    reason, detail, choice, confirmed, said = row
    if choice is None:
        return Unjudged(Reason(reason), detail or "")
    parts = json.loads(said)
    return Preference(
        choice=Choice(choice),
        first_quotes=tuple(parts.get("first_quotes", ())),
        second_quotes=tuple(parts.get("second_quotes", ())),
        reason=parts.get("reason", ""),
        confirmed=None if confirmed is None else bool(confirmed),
        repairs=tuple(parts.get("repairs", ())),
    )
