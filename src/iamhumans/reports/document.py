"""A report as one JSON document: the same inputs give the same bytes."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from iamhumans.reports.lines import judged_line
from iamhumans.reports.report import Report
from iamhumans.stats import Summary


def report_document(report: Report) -> dict[str, Any]:
    """``run``, ``rubric``, ``summary``, a summary for each group, and every judgement in the order of the input."""
    return {
        "run": report.run,
        "rubric": {"name": report.rubric.name, "hash": report.rubric.hash},
        "summary": summary_document(report.summary),
        "groups": [
            {"subject": group.subject, "judge": group.judge, "summary": summary_document(group.summary)}
            for group in report.groups
        ],
        "judgements": [judged_line(row) for row in report.rows],
    }


def summary_document(summary: Summary) -> dict[str, Any]:
    """The figures of a summary under their own names."""
    return asdict(summary)
