"""Judgements as CSV, one in a row. No cell can act as a formula."""

import csv
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from operator import attrgetter

from iamhumans.cases import Turn
from iamhumans.reports.report import Report
from iamhumans.text import for_csv

_FIELDS = (
    *("row", "case_id", "subject", "number", "judge", "repeat", "id", "lang", "status", "reason"),
    *("total", "total_confirmed", "axis_total", "applicable_total", "verdict"),
)
_SPEAKERS = {"user": "User", "assistant": "Assistant"}
_fields_of = attrgetter(*_FIELDS)
_safe = lru_cache(maxsize=1_000)(for_csv)


class _Lines:
    """A file that hands each line back."""

    def write(self, line: str) -> str:
        return line


def csv_report(report: Report) -> Iterator[str]:
    """The lines, with a head: a column for each axis, and one for all hard fails that are present."""
    axes = report.rubric.axis_ids
    write: Callable[[Iterable[object]], str] = csv.writer(_Lines(), lineterminator="\n").writerow
    checks = [] if report.checks is None else ["failed_checks"]
    yield write([*_FIELDS, "hard_fails", "unconfirmed", *checks, *axes, "notes", "input", "reply"])
    for one in report.rows():
        scores = one.axes or {}
        cells = [*_fields_of(one), " ".join(one.present), " ".join(one.unconfirmed)]
        if checks:
            failed = [result["check"] for result in report.checked(one).get("checks", ()) if result["passed"] is False]
            cells.append(" ".join(failed))
        cells += map(scores.get, axes)
        cells += [one.notes if one.judged else one.detail, _transcript(one.conversation or ()), one.reply]
        yield write([_safe(cell) if isinstance(cell, str) else cell for cell in cells])


def _transcript(turns: Sequence[Turn]) -> str:
    """The user's message; of a longer conversation, every turn with its speaker."""
    if len(turns) == 1:
        return turns[0].text
    return "\n\n".join(f"{_SPEAKERS[turn.speaker]}: {turn.text}" for turn in turns)
