"""What figures need of a run's rows, read without what they do not: no reply, no note, no conversation.

Runs may have a hundred thousand rows, and most of the time to read them would go into what nobody looks at. Verdicts
are stored as this program writes them, and most begin alike: what the judge said of axes and flags stands first, so
the beginning of a verdict is decoded once and its meaning used again.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from functools import lru_cache
from sys import intern
from types import MappingProxyType
from typing import Any, NamedTuple

from pydantic_core import from_json

from iamhumans.runs.journal.records import Run
from iamhumans.verdicts import Number

_ROWS_AT_ONCE = 2_000
_ROWS = """
SELECT row, case_id, subject, number, judge, judgements.reason, total, total_confirmed, applicable_total,
       outcome, verdict
FROM run_rows JOIN judgements ON judgements.id = judgement JOIN replies ON replies.id = reply
WHERE run = ? ORDER BY row
"""
# Keys that may follow what is said of axes and flags, in the order in which they are written. With its comma and the
# quote of its value none of them can stand within a string, where every quote has a backslash before it.
_END = ',"case_id":"'
_OTHER_ENDS = (',"notes":"', ',"stated_total":', ',"repairs":[')
_DEFAULTS = ',"defaults":{'
_REPAIRS = ',"repairs":['
_DIFFERENCES = ',"differences":['


class Said(NamedTuple):
    """What a verdict says of axes and flags. Shared between verdicts that say the same: not to be changed."""

    axes: Mapping[str, Number]
    """As they count, defaults filled in."""
    at_stake: Mapping[str, Number]
    """Those that were not defaulted."""
    defaulted: frozenset[str]
    hard_fails: tuple[str, ...]
    """Those that it answers with YES."""
    unconfirmed: tuple[str, ...]
    """Those of them without words that stand in the reply."""


class FigureRow(NamedTuple):
    """One judgement of one reply, as far as figures go. ``total`` is ``None`` where there is no verdict."""

    row: int
    judge: str
    case_id: str
    reply: tuple[str, int]
    """Subject and number."""
    reason: str | None
    total: int | None = None
    passed: bool = False
    total_confirmed: int | None = None
    applicable_total: int | None = None
    axes: Mapping[str, Number] = MappingProxyType({})
    """Those at stake."""
    hard_fails: tuple[str, ...] = ()
    unconfirmed: tuple[str, ...] = ()
    differences: tuple[str, ...] = ()
    repaired: bool = False


def figure_rows_of(connection: sqlite3.Connection, run: Run) -> Iterator[FigureRow]:
    """The rows of a run in the order of the input, some at a time."""
    cursor = connection.execute(_ROWS, (run.id,))
    while rows := cursor.fetchmany(_ROWS_AT_ONCE):
        for row, case_id, subject, number, judge, reason, total, confirmed, applicable, outcome, verdict in rows:
            # Names come anew with every row; one of each is enough.
            place = (row, intern(judge), intern(case_id), (intern(subject), number), reason)
            if verdict is None:
                yield FigureRow(*place)
                continue
            _, at_stake, _, hard_fails, unconfirmed = read_said(verdict)
            differences = _differences(verdict) if _DIFFERENCES in verdict else ()
            totals = (total, outcome == "PASS", confirmed, applicable)
            yield FigureRow(*place, *totals, at_stake, hard_fails, unconfirmed, differences, _REPAIRS in verdict)


def read_said(verdict: str) -> Said:
    """What the stored text of a verdict says of axes and flags."""
    end = verdict.find(_END)
    if end < 0:
        end = next((place for end in _OTHER_ENDS if (place := verdict.find(end)) >= 0), len(verdict) - 1)
    start = verdict.find(_DEFAULTS, end)
    defaults = "" if start < 0 else verdict[start : verdict.index("}", start) + 1]
    return _decoded(f"{verdict[:end]}{defaults}}}")


def _differences(verdict: str) -> tuple[str, ...]:
    """The differences that a stored verdict has."""
    listed = verdict[verdict.index(_DIFFERENCES) + len(_DIFFERENCES) - 1 :]
    return tuple(from_json(listed[: listed.index("]") + 1]))


@lru_cache(maxsize=20_000)
def _decoded(text: str) -> Said:
    said: dict[str, Any] = from_json(text)
    axes, defaults = said["axes"], said.get("defaults", {})
    yes = [(name, flag) for name, flag in said["hard_fails"].items() if flag and flag["present"]]
    return Said(
        axes={**axes, **defaults},
        at_stake={name: value for name, value in axes.items() if name not in defaults},
        defaulted=frozenset(defaults),
        hard_fails=tuple(intern(name) for name, _ in yes),
        unconfirmed=tuple(intern(name) for name, flag in yes if flag["confirmed"] is False),
    )
