"""What the journal keeps of a job's outcome: how it is written, and how it is read back.

The engine knows only :class:`Entry`. What a reply or a judgement is, only this file and the tables know.
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Protocol, TypeAlias, TypeVar

from pydantic_core import from_json

from iamhumans.cases import Turn
from iamhumans.verdicts import Flag, Reason, Score, Unjudged, Verdict

Statement: TypeAlias = tuple[str, Sequence[Any]]
O = TypeVar("O")  # noqa: E741 - the outcome


def now() -> str:
    """The time as all columns hold it: UTC, ISO 8601, for people. Nothing is decided by it."""
    second, fraction = divmod(time.time_ns(), 1_000_000_000)
    return f"{_second(second)}.{fraction // 1_000_000:03d}Z"


@lru_cache(maxsize=4)
def _second(seconds: int) -> str:
    """A second of UTC. It is asked for thousands of times while it lasts."""
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds))


class Entry(Protocol[O]):
    """The place of one job's outcome in the journal."""

    @property
    def key(self) -> str:
        """What the job is known by."""

    def find(self, connection: sqlite3.Connection) -> O | Unjudged | None:
        """The outcome that stands, if there is one."""

    def kept(self, outcome: O | Unjudged, *, final: bool) -> list[Statement]:
        """The statements that keep an outcome. One that stands is never replaced."""

    def placed(self) -> list[Statement]:
        """The statements that note where in a run it belongs; run for an outcome that was there already, too."""


@dataclass(frozen=True, slots=True)
class Text:
    """A text that results refer to. ``kind`` is ``rubric``, ``case``, ``prompt``, ``persona`` or ``skill``."""

    kind: str
    hash: str
    text: str

    def kept(self) -> Statement:
        """The statement that keeps it, once."""
        return ("INSERT INTO texts (kind, hash, text) VALUES (?, ?, ?) ON CONFLICT DO NOTHING", self._values)

    @property
    def _values(self) -> tuple[str, str, str]:
        return self.kind, self.hash, storable(self.text)


@dataclass(frozen=True, slots=True)
class Replied:
    """A subject replied. ``conversation`` is how it went, where the subject answered earlier turns as well."""

    text: str
    conversation: tuple[Turn, ...] = ()


@dataclass(frozen=True, slots=True)
class Judged:
    """A judge gave a verdict, and this is its score."""

    verdict: Verdict
    score: Score


_KEEP_REPLY = """
INSERT INTO replies (key, case_id, case_text, subject, skill_text, number, status, reason, detail, final, ended,
                     conversation, text)
VALUES (?, ?, (SELECT id FROM texts WHERE kind = 'case' AND hash = ?), ?,
        (SELECT id FROM texts WHERE kind = 'skill' AND hash = ?), ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (key) DO UPDATE SET status = excluded.status, reason = excluded.reason, detail = excluded.detail,
  final = excluded.final, ended = excluded.ended, conversation = excluded.conversation, text = excluded.text
WHERE replies.final = 0
"""


@dataclass(frozen=True, slots=True)
class ReplyEntry:
    """Where a reply is kept. The texts that the hashes stand for are kept with it where they are given."""

    key: str
    case_id: str
    subject: str
    number: int
    case_hash: str
    skill_hash: str | None = None
    texts: tuple[Text, ...] = ()

    def find(self, connection: sqlite3.Connection) -> Replied | Unjudged | None:
        """The reply, if there is one, or the reason why there will be none."""
        row = connection.execute(
            "SELECT text, conversation, reason, detail FROM replies WHERE key = ? AND final = 1", (self.key,)
        ).fetchone()
        return None if row is None else read_reply(*row)

    def kept(self, outcome: Replied | Unjudged, *, final: bool) -> list[Statement]:
        """The reply's row, and its texts."""
        text = conversation = reason = detail = None
        if isinstance(outcome, Unjudged):
            status, reason, detail = "failed", outcome.reason.value, storable(outcome.detail)
        else:
            status, text = "replied", storable(outcome.text)
            if outcome.conversation:
                conversation = json.dumps([[turn.speaker, turn.text] for turn in outcome.conversation])
        facts = (self.key, storable(self.case_id), self.case_hash, storable(self.subject), self.skill_hash, self.number)
        row = (*facts, status, reason, detail, int(final), now(), conversation, text)
        return [*(text_.kept() for text_ in self.texts), (_KEEP_REPLY, row)]

    def placed(self) -> list[Statement]:
        """Nothing: replies have no place of their own in a run, their judgements have."""
        return []


def read_reply(
    text: str | None, conversation: str | None, reason: str | None, detail: str | None
) -> Replied | Unjudged:
    """The outcome that a row of ``replies`` holds."""
    if text is None or reason is not None:
        return Unjudged(Reason(reason or ""), detail or "")
    turns = tuple(Turn(speaker, said) for speaker, said in _parsed(conversation)) if conversation else ()
    return Replied(text, turns)


_KEEP_JUDGEMENT = """
INSERT INTO judgements (key, reply, judge, repeat, rubric_text, prompt_text, persona_text, status, reason, detail,
                        total, total_confirmed, axis_total, applicable_total, outcome, zeroed, final, ended, verdict)
VALUES (?, (SELECT id FROM replies WHERE key = ?), ?, ?,
        (SELECT id FROM texts WHERE kind = 'rubric' AND hash = ?),
        (SELECT id FROM texts WHERE kind = 'prompt' AND hash = ?),
        (SELECT id FROM texts WHERE kind = 'persona' AND hash = ?), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (key) DO UPDATE SET status = excluded.status, reason = excluded.reason, detail = excluded.detail,
  total = excluded.total, total_confirmed = excluded.total_confirmed, axis_total = excluded.axis_total,
  applicable_total = excluded.applicable_total, outcome = excluded.outcome, zeroed = excluded.zeroed,
  final = excluded.final, ended = excluded.ended, verdict = excluded.verdict
WHERE judgements.final = 0
"""
_PLACE = """
INSERT INTO run_rows (run, row, judgement) VALUES (?, ?, (SELECT id FROM judgements WHERE key = ?))
ON CONFLICT (run, row) DO UPDATE SET judgement = excluded.judgement WHERE judgement <> excluded.judgement
"""
VERDICT_COLUMNS = "reason, detail, total, total_confirmed, axis_total, applicable_total, outcome, verdict"
"""What :func:`read_judgement` takes, in its order."""


@dataclass(frozen=True, slots=True)
class JudgementEntry:
    """Where a judgement is kept.

    Attributes:
        key: The judgement's key.
        reply_key: The key of the reply that is judged, which must be in the journal or come with ``given``.
        judge: How the user named the judge.
        repeat: Which of several independent judgements this is.
        run: ``Run.id``; ``None`` for a judgement that belongs to no run.
        row: Its place in the run.
        given: The entry and the text of a reply that came in a file; kept together with the judgement.
        texts: Texts that are not in the journal yet.
    """

    key: str
    reply_key: str
    judge: str
    repeat: int
    rubric_hash: str
    prompt_hash: str | None = None
    persona_hash: str | None = None
    run: int | None = None
    row: int = 0
    given: tuple[ReplyEntry, Replied] | None = None
    texts: tuple[Text, ...] = ()

    def find(self, connection: sqlite3.Connection) -> Judged | Unjudged | None:
        """The judgement, if there is one that stands."""
        row = connection.execute(
            f"SELECT {VERDICT_COLUMNS} FROM judgements WHERE key = ? AND final = 1",  # noqa: S608 - a constant
            (self.key,),
        ).fetchone()
        return None if row is None else read_judgement(row)

    def kept(self, outcome: Judged | Unjudged, *, final: bool) -> list[Statement]:
        """The judgement's row; before it, the reply's and the texts that came with it."""
        statements = [text.kept() for text in self.texts]
        if self.given is not None:
            entry, reply = self.given
            statements += entry.kept(reply, final=True)
        facts = (self.key, self.reply_key, storable(self.judge), self.repeat, self.rubric_hash)
        hashes = (self.prompt_hash, self.persona_hash)
        statements.append((_KEEP_JUDGEMENT, (*facts, *hashes, *_judgement_values(outcome, final=final))))
        return statements

    def placed(self) -> list[Statement]:
        """Its row in the run."""
        return [] if self.run is None else [(_PLACE, (self.run, self.row, self.key))]


def _judgement_values(outcome: Judged | Unjudged, *, final: bool) -> tuple[Any, ...]:
    if isinstance(outcome, Unjudged):
        nothing = (None,) * 6
        return ("unjudged", outcome.reason.value, storable(outcome.detail), *nothing, int(final), now(), None)
    score = outcome.score
    totals = (score.total, score.total_confirmed, score.axis_total, score.applicable_total, score.outcome)
    zeroed = int(any(flag.present for flag in outcome.verdict.flags.values()))
    return ("judged", None, None, *totals, zeroed, int(final), now(), _verdict_json(outcome))


# Made once: json.dumps would make one for each call.
_encode = json.JSONEncoder(ensure_ascii=True, separators=(",", ":")).encode


def _verdict_json(judged: Judged) -> str:
    verdict, score = judged.verdict, judged.score
    # Numbers and names of a rubric's parts need no encoder, and flags are mostly NO.
    axes = ",".join([f'"{name}":{"null" if value is None else value}' for name, value in verdict.axes.items()])
    parts = [f'"axes":{{{axes}}}', f'"hard_fails":{_flags_json(judged)}']
    optional: dict[str, Any] = {
        "case_id": verdict.case_id,
        "notes": verdict.notes,
        "stated_total": verdict.stated_total,
        "stated_verdict": verdict.stated_verdict,
        "repairs": verdict.repairs,
        "defaults": {name: score.axes[name] for name in score.defaulted} if score.defaulted else None,
        "differences": score.differences,
    }
    # An encoder is quick with a lone string only, and is made for all else.
    parts += [
        f'"{name}":{value if type(value) is int else _encode(value)}'
        for name, value in optional.items()
        if value not in (None, "", ())
    ]
    return f"{{{','.join(parts)}}}"


def _flags_json(judged: Judged) -> str:
    """A NO is ``false``; a YES is an object, and so is a NO with quotes."""
    flags, confirmed = judged.verdict.flags, judged.score.confirmed
    told = {
        name: {"present": flag.present, "quotes": flag.quotes, "confirmed": confirmed.get(name)}
        for name, flag in flags.items()
        if flag.present or flag.quotes
    }
    return _encode({name: told.get(name, False) for name in flags}) if told else _all_no(tuple(flags))


@lru_cache(maxsize=64)
def _all_no(names: tuple[str, ...]) -> str:
    return _encode(dict.fromkeys(names, False))


def read_judgement(row: Sequence[Any]) -> Judged | Unjudged:
    """The outcome that the columns ``VERDICT_COLUMNS`` of a row hold."""
    reason, detail, total, total_confirmed, axis_total, applicable_total, outcome, verdict = row
    if verdict is None:
        return Unjudged(Reason(reason), detail or "")
    said = _parsed(verdict)
    flags, confirmed = _read_flags(said["hard_fails"])
    defaults: Mapping[str, Any] = said.get("defaults", {})
    axes = said["axes"]
    return Judged(
        Verdict(
            axes=axes,
            flags=flags,
            case_id=said.get("case_id"),
            notes=said.get("notes", ""),
            stated_total=said.get("stated_total"),
            stated_verdict=said.get("stated_verdict"),
            repairs=tuple(said.get("repairs", ())),
        ),
        Score(
            total=total,
            outcome=outcome,
            total_confirmed=total_confirmed,
            axis_total=axis_total,
            applicable_total=applicable_total,
            axes={**axes, **defaults} if defaults else axes,
            defaulted=tuple(defaults),
            confirmed=confirmed,
            differences=tuple(said.get("differences", ())),
        ),
    )


_NO = Flag(False)


def _read_flags(said: Mapping[str, Any]) -> tuple[Mapping[str, Flag], Mapping[str, bool | None]]:
    flags, confirmed = _none_present(tuple(said))
    spoken = [(name, value) for name, value in said.items() if value is not False]
    if not spoken:
        return flags, confirmed
    flags, confirmed = dict(flags), dict(confirmed)
    for name, value in spoken:
        flags[name] = Flag(value["present"], tuple(value["quotes"]))
        confirmed[name] = value["confirmed"]
    return flags, confirmed


@lru_cache(maxsize=64)
def _none_present(names: tuple[str, ...]) -> tuple[Mapping[str, Flag], Mapping[str, None]]:
    """The flags of a verdict that says NO to all of them. Most are alike, and so may share them."""
    return dict.fromkeys(names, _NO), dict.fromkeys(names)


def _parsed(text: str) -> Any:
    """The value of a JSON text that this file wrote; a report reads 100,000 of them."""
    return from_json(text)


def storable(text: str) -> str:
    """The text without lone surrogates, which no UTF-8 and so no journal can hold."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace").decode()
    return text


def execute_all(connection: sqlite3.Connection, statements: Iterable[Statement]) -> None:
    """Run statements, in order."""
    for sql, values in statements:
        connection.execute(sql, values)
