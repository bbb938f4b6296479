"""Judgements as CSV, one in a row. No cell can act as a formula."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator

from iamhumans.reports.report import Report
from iamhumans.text import for_csv

_PLACE = ("row", "case_id", "subject", "number", "judge", "repeat", "status", "reason")
_FIGURES = ("total", "total_confirmed", "axis_total", "applicable_total", "verdict")


class _Lines:
    """A file that hands each line back."""

    def write(self, line: str) -> str:
        return line


def csv_report(report: Report) -> Iterator[str]:
    """The lines, with a head: a column for each axis, and one for all hard fails that are present."""
    axes = report.rubric.axis_ids
    write: Callable[[Iterable[object]], str] = csv.writer(_Lines(), lineterminator="\n").writerow
    yield write([*_PLACE, *_FIGURES, "hard_fails", "unconfirmed", *axes, "notes"])
    for one in report.rows():
        scores = one.axes or {}
        cells = [*(getattr(one, name) for name in (*_PLACE, *_FIGURES)), " ".join(one.present)]
        cells += [" ".join(one.unconfirmed), *map(scores.get, axes), one.notes if one.judged else one.detail]
        yield write([for_csv(cell) if isinstance(cell, str) else cell for cell in cells])
