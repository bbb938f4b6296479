"""Tables before there were blocks, for ``calibration`` and ``label``. Delete this file when they use blocks."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from rich.cells import cell_len, set_cell_size

from iamhumans.reports import figures
from iamhumans.reports.figures import interval, listed, number, rate_with_interval, said_once, with_interval
from iamhumans.stats import Estimate
from iamhumans.text import for_markdown, one_line

__all__ = [
    "Table",
    "interval",
    "item",
    "listed",
    "name_cell",
    "number",
    "rate",
    "rate_with_interval",
    "said_once",
    "table_lines",
    "table_markdown",
    "with_interval",
    "wrapped",
]

WIDTH = 80
NAME_WIDTH = 38
GAP = 2
_NARROWEST = 40
_MOST_CHARACTERS = 600


def rate(estimate: Estimate) -> str:
    """A rate without its interval."""
    return figures.rate(estimate.value)


@dataclass(frozen=True, slots=True)
class Table:
    """A table, before it is known how it will look. Each row begins with its name."""

    title: str
    heads: Sequence[str]
    rows: Sequence[Sequence[str]]


def table_lines(table: Table, width: int = WIDTH) -> Iterator[str]:
    """The lines of a table; what does not fit beside the names stands below, under the names once more."""
    names = [row[0] for row in table.rows]
    room_for_names = max((cell_len(name) for name in names), default=0)
    sizes = [
        max(cell_len(cell) for cell in column)
        for column in zip(table.heads, *(row[1:] for row in table.rows), strict=True)
    ]
    start = 0
    while start < len(sizes):
        end = _fitting(sizes, start, max(width, _NARROWEST) - room_for_names)
        yield from _block(table, range(start, end), sizes, room_for_names, width)
        start = end
        if start < len(sizes):
            yield ""


def _fitting(sizes: Sequence[int], start: int, room: int) -> int:
    """Where the columns end that fit; one at least."""
    end, used = start, 0
    while end < len(sizes) and (end == start or used + sizes[end] + GAP <= room):
        used += sizes[end] + GAP
        end += 1
    return end


def _block(table: Table, columns: range, sizes: Sequence[int], room_for_names: int, width: int) -> Iterator[str]:
    cells = [_right(table.heads[column], sizes[column]) for column in columns]
    heads = "".join(cells)
    # The title stands over the names, where they or the line leave it room.
    spare = min(width, NAME_WIDTH + len(heads)) - len(heads)
    names = max(room_for_names, spare) if len(table.title) + GAP <= max(room_for_names, spare) else room_for_names
    if len(table.title) + GAP <= names:
        yield f"{table.title:<{names}}{heads}"
    else:
        yield from textwrap.wrap(table.title, max(width, _NARROWEST))
        yield f"{'':<{names}}{heads}"
    for name, *row in table.rows:
        cells = [_right(row[column], sizes[column]) for column in columns]
        yield f"{set_cell_size(name, names)}{''.join(cells)}".rstrip()


def _right(cell: str, size: int) -> str:
    return " " * (GAP + size - cell_len(cell)) + cell


def table_markdown(table: Table) -> Iterable[str]:
    """The lines of a table in Markdown."""
    yield f"| {for_markdown(table.title)} | {' | '.join(table.heads)} |"
    yield f"| --- |{' --- |' * len(table.heads)}"
    for name, *row in table.rows:
        yield f"| {for_markdown(name)} | {' | '.join(row)} |"


def wrapped(sentence: str, width: int = WIDTH, *, indent: str = "") -> Iterator[str]:
    """A sentence in lines that end between words; the lines after the first are set in further."""
    yield from textwrap.wrap(
        one_line(sentence),
        max(width, _NARROWEST),
        initial_indent=indent,
        subsequent_indent=f"{indent}  " if indent else "",
        break_long_words=False,
        break_on_hyphens=False,
    )


def item(sentence: str) -> str:
    """A sentence as an item of a list in Markdown."""
    return f"- {for_markdown(one_line(sentence, _MOST_CHARACTERS))}"


def name_cell(name: str) -> str:
    """A name that fits beside figures."""
    return one_line(name, NAME_WIDTH - 1)
