"""The replies of a run, each once, with the conversation that they answer and nothing that a judge said of them."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from iamhumans.cases import Speaker, Turn
from iamhumans.runs import Journal, Run, content_hash
from iamhumans.runs.journal.database import connect
from iamhumans.runs.journal.errors import explaining

_PATIENCE = 30.0
_ROWS_AT_ONCE = 200
_REPLIES = """
SELECT replies.key, case_id, subject, number, replies.text, replies.conversation, texts.text
FROM (SELECT reply, min(row) AS place FROM run_rows JOIN judgements ON judgements.id = judgement
      WHERE run = ? GROUP BY reply) AS shown
JOIN replies ON replies.id = shown.reply LEFT JOIN texts ON texts.id = replies.case_text
WHERE replies.text IS NOT NULL ORDER BY place
"""


@dataclass(frozen=True, slots=True)
class RunReply:
    """A reply of a run. ``conversation`` is how it went before the reply."""

    key: str
    case_id: str
    subject: str | None
    number: int
    text: str
    conversation: tuple[Turn, ...] = ()
    repair: bool = False
    """Whether something was to be put right in the case."""
    held_out: bool = False

    @property
    def single_turn(self) -> bool:
        """Whether there is no earlier turn that the reply could remember."""
        return len(self.conversation) == 1

    @property
    def hash(self) -> str:
        """SHA-256 of its text."""
        return content_hash(self.text)


def replies_of(journal: Journal, run: Run) -> list[RunReply]:
    """The replies of a run in the order of the input, without those that failed.

    Held-out cases are left out, unless the run has no others: then it was a use of held-out cases.
    """
    found = list(_read(journal, run))
    everyday = [reply for reply in found if not reply.held_out]
    return everyday or found


def _read(journal: Journal, run: Run) -> Iterator[RunReply]:
    # A connection of its own, so that nobody waits who writes.
    with explaining(journal.path), contextlib.closing(connect(journal.path, patience=_PATIENCE)) as connection:
        cursor = connection.execute(_REPLIES, (run.id,))
        while rows := cursor.fetchmany(_ROWS_AT_ONCE):
            yield from map(_reply, rows)


def _reply(row: Sequence[Any]) -> RunReply:
    key, case_id, subject, number, text, live, case_text = row
    case: dict[str, Any] = json.loads(case_text) if case_text else {}
    return RunReply(
        key=key,
        case_id=case_id,
        subject=subject or None,
        number=number,
        text=text,
        conversation=_turns(live, case),
        repair=bool(case.get("repair")),
        held_out=bool(case.get("holdout")),
    )


def _turns(live: str | None, case: dict[str, Any]) -> tuple[Turn, ...]:
    """How it went, where the subject answered earlier turns itself; else as the case has it."""
    if live:
        return tuple(Turn(_speaker(speaker), text) for speaker, text in json.loads(live))
    return tuple(Turn(_speaker(turn["speaker"]), turn["text"]) for turn in case.get("conversation", ()))


def _speaker(name: str) -> Speaker:
    return "user" if name == "user" else "assistant"
