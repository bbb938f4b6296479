"""Judgements as CSV, one in a row. No cell can act as a formula."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

from iamhumans.reports.report import Report
from iamhumans.text import for_csv
from iamhumans.verdicts import Judgement

_PLACE = ("row", "case_id", "subject", "number", "judge", "repeat", "status", "reason")
_FIGURES = ("total", "total_confirmed", "axis_total", "applicable_total", "verdict")


def csv_report(report: Report) -> Iterator[str]:
    """The lines, with a head: a column for each axis, and one for all hard fails that are present."""
    axes = report.rubric.axis_ids
    yield _line([*_PLACE, *_FIGURES, "hard_fails", "unconfirmed", *axes, "notes"])
    for one in report.rows():
        cells = [getattr(one, name) for name in (*_PLACE, *_FIGURES)]
        scores = [(one.axes or {}).get(name) for name in axes]
        yield _line([*cells, " ".join(one.present), " ".join(one.unconfirmed), *scores, _notes(one)])


def _notes(one: Judgement) -> str | None:
    return one.notes if one.judged else one.detail


def _line(cells: list[object]) -> str:
    line = io.StringIO()
    csv.writer(line, lineterminator="\n").writerow(for_csv(cell) if isinstance(cell, str) else cell for cell in cells)
    return line.getvalue()
