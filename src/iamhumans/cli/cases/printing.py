"""What the commands about cases print alike: tables, findings, JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

import click

from iamhumans.cli.options import is_quiet
from iamhumans.text import for_terminal, one_line

if TYPE_CHECKING:
    from iamhumans.cases import Finding


DEFAULT_SUITE = "core"


_NARROWEST = 12


def table(rows: Sequence[Sequence[str]], room: int | None, *, cut_first: Sequence[int] = ()) -> Iterable[str]:
    """Rows as lines of aligned columns; a character of double width counts as two.

    Args:
        rows: The cells.
        room: The width of the terminal, to which columns are cut; None where there is none.
        cut_first: The columns that matter least, in order; after them the widest are cut.
    """
    from rich.cells import cell_len, set_cell_size

    cells = [[one_line(cell) for cell in row] for row in rows]
    widths = [max(cell_len(cell) for cell in column) for column in zip(*cells, strict=True)]
    if room is not None:
        widths = _fitted(widths, room - 2 * (len(widths) - 1), cut_first)
    for row in cells:
        fitted = (
            set_cell_size(cell, width) if cell_len(cell) <= width else f"{set_cell_size(cell, width - 1)}…"
            for cell, width in zip(row, widths, strict=True)
        )
        yield "  ".join(fitted).rstrip()


def _fitted(widths: Sequence[int], room: int, cut_first: Sequence[int]) -> list[int]:
    fitted = list(widths)
    for column in cut_first:
        too_much = max(0, sum(fitted) - room)
        fitted[column] = max(fitted[column] - too_much, min(fitted[column], _NARROWEST))
    while sum(fitted) > room and max(fitted) > _NARROWEST:
        fitted[fitted.index(max(fitted))] -= 1
    return fitted


def finding_as_data(finding: Finding) -> dict[str, Any]:
    """A finding as `--json` has it."""
    return {
        "code": finding.code,
        "error": finding.error,
        "fix": finding.fix,
        "line": finding.line,
        "path": str(finding.path),
        "problem": finding.problem,
    }


def finding_as_line(finding: Finding) -> str:
    """A finding on one line, with nothing that a terminal would obey."""
    return for_terminal(str(finding)).replace("\n", "\\n")


def without_texts(findings: Iterable[Finding]) -> list[Finding]:
    """The findings, with no word of a held-out case in them: what is said of its file may quote it."""
    findings = list(findings)
    if not findings:
        return []
    from iamhumans.cases import says_held_out

    hidden = cache(says_held_out)
    return [
        replace(finding, problem="Something in this held-out case.", fix="`iamhumans cases lint --holdout` tells what.")
        if hidden(finding.path)
        else finding
        for finding in findings
    ]


def print_findings(findings: Iterable[Finding]) -> None:
    """Print findings to standard error; with `--quiet` errors only."""
    for finding in findings:
        if finding.error or not is_quiet():
            click.echo(finding_as_line(finding), err=True)


def print_json(data: Any) -> None:
    """Print one JSON document."""
    click.echo(json.dumps(data, sort_keys=True, indent=2))


def counted(number: int, noun: str) -> str:
    """A number with its noun."""
    return f"{number} {noun}" + ("" if number == 1 else "s")
