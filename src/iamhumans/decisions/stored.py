"""What decisions need of a run, read from the journal without what they do not: no reply, no note, no conversation.

Runs may have a hundred thousand rows, and most of the time to read them goes into what nobody looks at here.
"""

from __future__ import annotations

import contextlib
import json
import sqlite3
from collections.abc import Iterator, Mapping
from functools import lru_cache
from sys import intern
from types import MappingProxyType
from typing import Any, NamedTuple

from iamhumans.decisions.panel import Combined, Vote
from iamhumans.rubrics import Rubric
from iamhumans.runs import Journal, Run
from iamhumans.runs.journal.database import connect
from iamhumans.runs.journal.errors import explaining
from iamhumans.runs.journal.figures import Said, read_said
from iamhumans.verdicts import Reason, Unjudged

_PATIENCE = 30.0
_ROWS_AT_ONCE = 2_000
_NONE: frozenset[str] = frozenset()
_MOST_VOTES = 20_000
_votes: dict[tuple[int, tuple[str, ...]], tuple[Said, Vote]] = {}
_ROWS = """
SELECT row, replies.key, case_id, subject, number, judge, judgements.reason, judgements.detail,
       total, total_confirmed, outcome, verdict
FROM run_rows JOIN judgements ON judgements.id = judgement JOIN replies ON replies.id = reply
WHERE run = ? ORDER BY row
"""
_CASES_OF_RUN = """
(SELECT DISTINCT case_id, case_text
 FROM run_rows JOIN judgements ON judgements.id = judgement JOIN replies ON replies.id = reply WHERE run = ?)
JOIN texts ON texts.id = case_text
"""
_FACTS = """
hash, json_extract(text, '$.title'), json_extract(text, '$.dimensions'), json_extract(text, '$.holdout'),
instr(text, '"text": ""') > 0
"""
_HASHES = f"SELECT case_id, hash FROM {_CASES_OF_RUN}"  # noqa: S608 - constants
_ALL_FACTS = f"SELECT case_id, {_FACTS} FROM {_CASES_OF_RUN}"  # noqa: S608 - constants
_FACTS_OF_ONE = f"SELECT {_FACTS} FROM texts WHERE kind = 'case' AND hash = ?"  # noqa: S608 - constants


class CaseFacts(NamedTuple):
    """What a decision must know of a case."""

    hash: str
    title: str = ""
    dimensions: tuple[str, ...] = ()
    held_out: bool = False
    live: bool = False
    """Whether the subject answers some of its earlier turns, so that it may have been kept as it went."""


class StoredRow(NamedTuple):
    """One judgement of one reply."""

    row: int
    reply_key: str
    case_id: str
    subject: str
    number: int
    judge: str
    outcome: Combined | Unjudged
    """What it comes to by itself."""


def stored_rows(journal: Journal, run: Run, rubric: Rubric) -> Iterator[StoredRow]:
    """The rows of a run in the order of the input."""
    names = rubric.axis_ids
    for row, key, case_id, subject, number, judge, *outcome in _read(journal, _ROWS, run):
        # Names come anew with every row; one of each is enough.
        yield StoredRow(row, key, intern(case_id), intern(subject), number, intern(judge), _outcome(outcome, names))


def stored_cases(
    journal: Journal, run: Run, known: Mapping[str, CaseFacts] = MappingProxyType({})
) -> dict[str, CaseFacts]:
    """The cases of a run, as they were when it was judged.

    Args:
        journal: Where they are.
        run: The run.
        known: The cases of another run. Most are the same, and are not read again.
    """
    with _connection(journal) as connection:
        if not known:
            return {intern(case_id): _facts(*row) for case_id, *row in connection.execute(_ALL_FACTS, (run.id,))}
        found = {}
        for case_id, case_hash in connection.execute(_HASHES, (run.id,)):
            facts = known.get(case_id)
            if facts is None or facts.hash != case_hash:
                facts = _facts(*connection.execute(_FACTS_OF_ONE, (case_hash,)).fetchone())
            found[intern(case_id)] = facts
    return found


def _facts(case_hash: str, title: str | None, dimensions: str | None, held_out: object, live: object) -> CaseFacts:
    return CaseFacts(case_hash, title or "", _names(dimensions or "[]"), bool(held_out), bool(live))


@contextlib.contextmanager
def _connection(journal: Journal) -> Iterator[sqlite3.Connection]:
    """A connection of its own, so that nobody waits who writes."""
    with explaining(journal.path), contextlib.closing(connect(journal.path, patience=_PATIENCE)) as connection:
        yield connection


def _read(journal: Journal, sql: str, run: Run) -> Iterator[tuple[Any, ...]]:
    with _connection(journal) as connection:
        cursor = connection.execute(sql, (run.id,))
        while rows := cursor.fetchmany(_ROWS_AT_ONCE):
            yield from rows


@lru_cache(maxsize=1_000)
def _names(text: str) -> tuple[str, ...]:
    return tuple(map(str, json.loads(text)))


def _outcome(columns: list[Any], names: tuple[str, ...]) -> Combined | Unjudged:
    reason, detail, total, confirmed, passed, verdict = columns
    if verdict is None:
        return Unjudged(Reason(reason), detail or "")
    return Combined(_vote(read_said(verdict), names), total, total, confirmed, passed, passed, 1, 1)


def _vote(said: Said, names: tuple[str, ...]) -> Vote:
    if said.hard_fails:
        return _made(said, names)
    # Verdicts that say the same are one object; it is held as well, or another one could come to have its id.
    key = (id(said), names)
    known = _votes.get(key)
    if known is None:
        if len(_votes) >= _MOST_VOTES:
            _votes.clear()
        known = _votes[key] = (said, _made(said, names))
    return known[1]


def _made(said: Said, names: tuple[str, ...]) -> Vote:
    axes = tuple([said.axes[name] for name in names])
    return Vote(axes, said.defaulted, frozenset(said.hard_fails), _NONE, frozenset(said.unconfirmed))
