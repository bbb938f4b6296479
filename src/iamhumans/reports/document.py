"""A report as one JSON document: the same inputs give the same bytes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

from iamhumans.reports.json_text import json_text
from iamhumans.reports.lines import judged_line
from iamhumans.reports.report import Report
from iamhumans.stats import Summary


def report_json(report: Report, more: Mapping[str, Any] | None = None) -> Iterator[str]:
    """The document, piece by piece: ``run``, ``rubric``, ``summary``, one for each group, then every judgement.

    Each judgement stands on a line of its own, in the order of the input.
    """
    head = json_text({**_head(report), **(more or {})}, indent=2)
    yield head.removesuffix("\n}") + ',\n  "judgements": ['
    separator = "\n    "
    for row in report.rows:
        yield separator + json_text(judged_line(row))
        separator = ",\n    "
    yield "\n  ]\n}\n"


def _head(report: Report) -> dict[str, Any]:
    return {
        "run": report.run,
        "rubric": {"name": report.rubric.name, "hash": report.rubric.hash},
        "summary": summary_document(report.summary),
        "groups": [
            {"subject": group.subject, "judge": group.judge, "summary": summary_document(group.summary)}
            for group in report.groups
        ],
    }


def summary_document(summary: Summary) -> dict[str, Any]:
    """The figures of a summary under their own names."""
    return asdict(summary)
