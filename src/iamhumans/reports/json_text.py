"""A report as JSON: the same bytes for the same content."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from tempfile import SpooledTemporaryFile
from typing import Any

from iamhumans.reports.panel import panel_document
from iamhumans.reports.report import Report
from iamhumans.text.json_text import json_text

__all__ = ["json_text", "report_json"]

_MOST_IN_MEMORY = 32_000_000


def report_json(report: Report, more: Mapping[str, Any] | None = None) -> Iterator[str]:
    """A report as one document, in pieces, with the judgements last, a line each.

    The figures need all judgements, so their lines wait in a temporary file where they are very many.

    Args:
        report: The report; of several judges it has a ``panel``.
        more: Other parts of the document.
    """
    with SpooledTemporaryFile(_MOST_IN_MEMORY, "w+", encoding="utf-8") as lines:
        separator = "\n    "
        for one in report.rows():
            lines.write(separator + json_text(one.to_dict()))
            separator = ",\n    "
        panel = {"panel": panel_document(report.panel)} if report.panel else {}
        yield json_text({**report.head(), **panel, **(more or {})}, indent=2).removesuffix("\n}")
        yield ',\n  "judgements": ['
        lines.seek(0)
        yield from lines
    yield "\n  ]\n}\n"
