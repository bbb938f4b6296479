"""What is read back from a journal: runs, their figures, their rows."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from iamhumans.runs.journal.entries import VERDICT_COLUMNS, Judged, Replied, read_judgement, read_reply
from iamhumans.verdicts import Reason, Unjudged

_ROWS_AT_ONCE = 500


class RunStatus(StrEnum):
    """How far a run is."""

    RUNNING = "running"
    """Some process works on it, or was ended by force."""
    STOPPED = "stopped"
    """The user or the budget ended it early."""
    INCOMPLETE = "incomplete"
    """Everything was tried, and some of it failed in a way that may pass."""
    FINISHED = "finished"
    """Every row stands."""


@dataclass(frozen=True, slots=True)
class Run:
    """A run. ``id`` is the journal's own number for it, ``name`` what people call it."""

    id: int
    name: str
    plan: Mapping[str, Any]
    salt: str
    """Part of the keys of a run that shares nothing with earlier ones; empty for all others."""
    status: RunStatus
    asked: int | None
    """How many rows it is to have; ``None`` while that is not known."""
    created: str
    ended: str | None


@dataclass(frozen=True, slots=True)
class GroupSummary:
    """The figures of one subject under one judge."""

    subject: str
    judge: str
    judged: int
    passed: int
    zeroed: int
    """With at least one YES."""
    mean_total: float | None
    unjudged: Mapping[Reason, int] = field(default_factory=dict)

    @property
    def asked(self) -> int:
        """Judged and unjudged."""
        return self.judged + sum(self.unjudged.values())


@dataclass(frozen=True, slots=True)
class Paid:
    """What the calls of a run came to. Calls that an earlier run paid for are not among them."""

    calls: int = 0
    failed: int = 0
    prompt_tokens: int = 0
    cached_tokens: int = 0
    completion_tokens: int = 0
    cost: float | None = 0.0
    """``None`` where the price of some call is not known."""


@dataclass(frozen=True, slots=True)
class RunSummary:
    """What ``runs show`` shows. ``recorded`` counts the rows that ended so far, ``final`` those that stand."""

    run: Run
    recorded: int
    final: int
    groups: tuple[GroupSummary, ...]
    paid: Paid


@dataclass(frozen=True, slots=True)
class JudgementRecord:
    """One row of a run."""

    row: int
    key: str
    reply_key: str
    case_id: str
    subject: str
    number: int
    judge: str
    repeat: int
    final: bool
    reply: Replied | Unjudged
    outcome: Judged | Unjudged


_RUN_COLUMNS = "id, name, plan, salt, status, asked, created, ended"
_GROUPS = """
SELECT subject, judge, judgements.reason, count(*), coalesce(sum(outcome = 'PASS'), 0), coalesce(sum(zeroed), 0),
       sum(total), sum(judgements.final)
FROM run_rows JOIN judgements ON judgements.id = judgement JOIN replies ON replies.id = reply
WHERE run = ? GROUP BY subject, judge, judgements.reason ORDER BY subject, judge
"""
_PAID = """
SELECT count(*), count(error), coalesce(sum(prompt_tokens), 0), coalesce(sum(cached_tokens), 0),
       coalesce(sum(completion_tokens), 0), sum(error IS NULL AND cost IS NULL), coalesce(sum(cost), 0.0)
FROM attempts WHERE run = ?
"""
_JUDGEMENT_COLUMNS = ", ".join(f"judgements.{name.strip()}" for name in VERDICT_COLUMNS.split(","))
_ROWS_OF_RUN = f"""
SELECT row, judgements.key, replies.key, case_id, subject, number, judge, repeat, judgements.final,
       text, conversation, replies.reason, replies.detail, {_JUDGEMENT_COLUMNS}
FROM run_rows JOIN judgements ON judgements.id = judgement JOIN replies ON replies.id = reply
WHERE run = ?
"""  # noqa: S608 - constants
_ROWS = f"{_ROWS_OF_RUN} ORDER BY row"
_ONE_ROW = f"{_ROWS_OF_RUN} AND row = ?"


def runs_in(connection: sqlite3.Connection) -> Iterator[Run]:
    """All runs, the newest first."""
    sql = f"SELECT {_RUN_COLUMNS} FROM runs ORDER BY id DESC"  # noqa: S608 - a constant
    return map(_run, connection.execute(sql).fetchall())


def run_where(connection: sqlite3.Connection, column: str, value: object) -> Run | None:
    """The newest run with a value in a column of ``runs``."""
    sql = f"SELECT {_RUN_COLUMNS} FROM runs WHERE {column} = ? ORDER BY id DESC LIMIT 1"  # noqa: S608 - never foreign
    row = connection.execute(sql, (value,)).fetchone()
    return None if row is None else _run(row)


def _run(row: tuple[Any, ...]) -> Run:
    number, name, plan, salt, status, asked, created, ended = row
    return Run(number, name, json.loads(plan), salt, RunStatus(status), asked, created, ended)


def summary_of(connection: sqlite3.Connection, run: Run) -> RunSummary:
    """The figures of a run, by two aggregates."""
    recorded = final = 0
    judged: dict[tuple[str, str], GroupSummary] = {}
    unjudged: dict[tuple[str, str], Counter[Reason]] = {}
    for subject, judge, reason, count, passed, zeroed, total, standing in connection.execute(_GROUPS, (run.id,)):
        recorded, final = recorded + count, final + standing
        group = (subject, judge)
        if reason is None:
            judged[group] = GroupSummary(subject, judge, count, passed, zeroed, total / count)
            unjudged.setdefault(group, Counter())
        else:
            unjudged.setdefault(group, Counter())[Reason(reason)] += count
    groups = [_group(judged.get(group), group, dict(reasons)) for group, reasons in unjudged.items()]
    return RunSummary(run, recorded, final, tuple(groups), _paid(connection, run))


def _group(judged: GroupSummary | None, group: tuple[str, str], reasons: Mapping[Reason, int]) -> GroupSummary:
    if judged is None:
        return GroupSummary(*group, judged=0, passed=0, zeroed=0, mean_total=None, unjudged=reasons)
    return GroupSummary(*group, judged.judged, judged.passed, judged.zeroed, judged.mean_total, reasons)


def _paid(connection: sqlite3.Connection, run: Run) -> Paid:
    row = connection.execute(_PAID, (run.id,)).fetchone()
    calls, failed, prompt, cached, completion, unpriced, cost = row
    return Paid(calls, failed, prompt, cached, completion, None if unpriced else cost)


def rows_of(connection: sqlite3.Connection, run: Run) -> Iterator[JudgementRecord]:
    """The rows of a run in the order of the input, a few at a time."""
    cursor = connection.execute(_ROWS, (run.id,))
    while rows := cursor.fetchmany(_ROWS_AT_ONCE):
        for row in rows:
            yield _record(row)


def row_of(connection: sqlite3.Connection, run: Run, number: int) -> JudgementRecord:
    """One row of a run, which must be there."""
    return _record(connection.execute(_ONE_ROW, (run.id, number)).fetchone())


def _record(row: tuple[Any, ...]) -> JudgementRecord:
    number, key, reply_key, case_id, subject, drawn, judge, repeat, final, *rest = row
    reply, outcome = read_reply(*rest[:4]), read_judgement(rest[4:])
    return JudgementRecord(number, key, reply_key, case_id, subject, drawn, judge, repeat, bool(final), reply, outcome)
