"""Calls as the journal keeps them: every one, with its answer or its error."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from typing import NamedTuple, TypeAlias

from iamhumans.models.model import Usage
from iamhumans.prompts import Answer
from iamhumans.runs.journal.entries import storable

Answered: TypeAlias = Mapping[tuple[int, str], Answer]
"""What was paid for already, by step and request hash."""


class Attempt(NamedTuple):
    """One call. Either ``answer`` is set, or ``error``."""

    job: str
    run: int | None
    step: int
    number: int
    """Which try of this step it was in its invocation, from 1."""
    request: str
    provider: str
    model: str
    started: str
    milliseconds: int
    prompt_tokens: int | None = None
    cached_tokens: int | None = None
    completion_tokens: int | None = None
    cost: float | None = None
    error: str | None = None
    error_text: str | None = None
    finish_reason: str | None = None
    answer: str | None = None

    @property
    def usage(self) -> Usage:
        """The tokens that the provider counted."""
        return Usage(self.prompt_tokens, self.cached_tokens, self.completion_tokens)


_COLUMNS = Attempt._fields
_KEEP = f"INSERT INTO attempts ({', '.join(_COLUMNS)}) VALUES ({', '.join('?' * len(_COLUMNS))})"  # noqa: S608 - constants
_LIST = f"SELECT {', '.join(_COLUMNS)} FROM attempts WHERE job = ? ORDER BY id"  # noqa: S608 - constants
# An answer that a filter stopped is no answer to serve again: the next invocation asks anew.
_ANSWERED = """
SELECT step, request, answer, finish_reason FROM attempts
WHERE job = ? AND error IS NULL AND finish_reason <> 'content_filter' ORDER BY id
"""


def keep_attempt(connection: sqlite3.Connection, attempt: Attempt) -> None:
    """Write an attempt."""
    connection.execute(_KEEP, attempt)


def answered(connection: sqlite3.Connection, job: str) -> Answered:
    """The answers that were paid for already, for a job."""
    rows = connection.execute(_ANSWERED, (job,))
    return {(step, request): Answer(text, finish_reason) for step, request, text, finish_reason in rows}


def attempts_of(connection: sqlite3.Connection, job: str) -> Iterator[Attempt]:
    """Every attempt of a job, in order."""
    for row in connection.execute(_LIST, (job,)):
        yield Attempt(*row)


def storable_answer(answer: Answer) -> Answer:
    """The answer as the journal will give it back; it is used in no other form, so that a resumed run goes alike."""
    text, finish_reason = storable(answer.text), storable(answer.finish_reason)
    if text is answer.text and finish_reason is answer.finish_reason:
        return answer
    return Answer(text, finish_reason)
