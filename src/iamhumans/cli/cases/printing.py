"""What the commands about cases have in common."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from shutil import get_terminal_size
from typing import TYPE_CHECKING

import click

from iamhumans.errors import Exit
from iamhumans.text import for_terminal, one_line

if TYPE_CHECKING:
    from iamhumans.cases import Finding, Suite

_NARROWEST = 12


def table(rows: Sequence[Sequence[str]], room: int | None, cut_first: Sequence[int] = ()) -> Iterable[str]:
    """Rows as lines of aligned columns, cut to the width ``room``: first the columns ``cut_first``, then the widest."""
    from rich.cells import cell_len, set_cell_size

    cells = [[one_line(cell) for cell in row] for row in rows]
    widths = [max(cell_len(cell) for cell in column) for column in zip(*cells, strict=True)]
    room = sum(widths) if room is None else room - 2 * (len(widths) - 1)
    for column in cut_first:
        too_wide = max(0, sum(widths) - room)
        widths[column] = max(widths[column] - too_wide, min(widths[column], _NARROWEST))
    while sum(widths) > room and max(widths) > _NARROWEST:
        widths[widths.index(max(widths))] -= 1
    for row in cells:
        fitted = (
            set_cell_size(cell, width) if cell_len(cell) <= width else f"{set_cell_size(cell, width - 1)}…"
            for cell, width in zip(row, widths, strict=True)
        )
        yield "  ".join(fitted).rstrip()


def print_table(rows: Sequence[Sequence[str]], cut_first: Sequence[int] = ()) -> None:
    """Print a table, cut to the width of the terminal if there is one."""
    room = get_terminal_size().columns if sys.stdout.isatty() else None
    click.echo("\n".join(table(rows, room, cut_first)))


def print_findings(findings: Iterable[Finding], *, err: bool = False) -> None:
    """Print findings, each on one line and safe for a terminal."""
    for finding in findings:
        click.echo(for_terminal(str(finding)).replace("\n", "\\n"), err=err)


def end(suite: Suite) -> None:
    """Exit with the code for wrong input if a file of the suite could not be used."""
    if suite.errors:
        click.get_current_context().exit(Exit.WRONG_INPUT)


def counted(number: int, noun: str) -> str:
    """A number with its noun."""
    return f"{number} {noun}" + ("" if number == 1 else "s")
