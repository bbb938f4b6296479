"""A report as JSON: the same bytes for the same content."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from iamhumans.reports.panel import panel_document
from iamhumans.reports.report import Report
from iamhumans.text.json_text import json_text

__all__ = ["json_text", "report_json"]


def report_json(report: Report, more: Mapping[str, Any] | None = None) -> Iterator[str]:
    """A report as one document, in pieces. The judgements come first, a line each, so that one pass is enough.

    Args:
        report: The report; of several judges it has a ``panel``.
        more: Other parts of the document.
    """
    yield '{\n  "judgements": ['
    separator = "\n    "
    for one in report.rows():
        yield separator + json_text(one.to_dict())
        separator = ",\n    "
    panel = {"panel": panel_document(report.panel)} if report.panel else {}
    rest = json_text({**report.head(), **panel, **(more or {})}, indent=2)
    yield "\n  ],\n" + rest.removeprefix("{\n") + "\n"
