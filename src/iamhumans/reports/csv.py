"""Judgements as CSV, a row each. No cell can be taken for a formula."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

from iamhumans.reports.report import Report, hard_fails_of
from iamhumans.runs.records import JudgedRow
from iamhumans.text import for_csv
from iamhumans.verdicts import Unjudged, Verdict

_FIXED = ("row", "case_id", "subject", "number", "judge", "repeat", "status", "reason", "total", "total_confirmed")
_MORE = ("axis_total", "applicable_total", "verdict", "hard_fails", "unconfirmed")


def csv_report(report: Report) -> Iterator[str]:
    """The lines, with a heading; an axis each has a column, and the flags that say YES stand in one."""
    yield _line([*_FIXED, *_MORE, *report.rubric.axis_ids, "notes"])
    for row in report.rows:
        yield _line([*_cells(row), *_axes(row, report), _notes(row)])


def _cells(row: JudgedRow) -> list[object]:
    reason = row.judgement.reason.value if isinstance(row.judgement, Unjudged) else ""
    who = [row.row, row.case_id, row.subject, row.number, row.judge, row.repeat]
    if row.score is None or not isinstance(row.judgement, Verdict):
        return [*who, "unjudged", reason, *[""] * 7]
    score = row.score
    totals = [score.total, score.total_confirmed, score.axis_total, score.applicable_total, score.outcome]
    return [*who, "judged", "", *totals, " ".join(hard_fails_of(row.judgement)), " ".join(score.unconfirmed)]


def _axes(row: JudgedRow, report: Report) -> list[object]:
    return ["" if row.score is None else row.score.axes[name] for name in report.rubric.axis_ids]


def _notes(row: JudgedRow) -> str:
    return row.judgement.notes if isinstance(row.judgement, Verdict) else row.judgement.detail


def _line(cells: list[object]) -> str:
    line = io.StringIO()
    csv.writer(line, lineterminator="\n").writerow(for_csv(cell) if isinstance(cell, str) else cell for cell in cells)
    return line.getvalue()
