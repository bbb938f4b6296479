"""Tables of figures with intervals, as wide as a terminal is, and the sentences below them."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from rich.cells import cell_len, set_cell_size

from iamhumans.reports import words
from iamhumans.stats import Estimate
from iamhumans.text import for_markdown, one_line

WIDTH = 80
"""Of a terminal of which nothing is known."""
NAME_WIDTH = 38
GAP = 2
_NARROWEST = 40
_MOST_CHARACTERS = 600
_MOST_NAMES = 4


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


def said_once(notes: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Notes on named figures; one that holds for several is said once.

    Args:
        notes: Pairs of a name and a note.
    """
    by_note: dict[str, list[str]] = {}
    for name, note in notes:
        by_note.setdefault(note, []).append(name)
    yield from (f"{listed(names)}: {note}" for note, names in by_note.items())


def listed(names: Sequence[str]) -> str:
    """Names in a sentence; of many the first ones and how many more there are."""
    if len(names) > _MOST_NAMES + 1:
        return f"{', '.join(names[:_MOST_NAMES])} and {len(names) - _MOST_NAMES} more"
    return ", ".join(names)


# --- figures ----------------------------------------------------------------------------------------------------------


def number(value: float | None, digits: int = 2, *, sign: bool = False) -> str:
    """A number; a dash where there is none."""
    if value is None:
        return words.NOTHING
    # Plus zero, so that no minus stands before nothing.
    shown = round(value, digits) + 0.0
    return f"{shown:{'+' if sign and shown else ''}.{digits}f}"


def rate(estimate: Estimate) -> str:
    """A rate without its interval."""
    return words.rate(estimate.value)


def with_interval(estimate: Estimate, *, sign: bool = False) -> str:
    """A number with its interval, if it has one."""
    if estimate.value is None or estimate.low is None or estimate.high is None:
        return number(estimate.value, sign=sign)
    low, high = number(estimate.low, sign=sign), number(estimate.high, sign=sign)
    return f"{number(estimate.value, sign=sign)} ({low} to {high})"


def rate_with_interval(estimate: Estimate) -> str:
    """A rate with its interval, if it has one."""
    between = interval(estimate, as_rate=True)
    return rate(estimate) if words.NOTHING in (between, rate(estimate)) else f"{rate(estimate)} ({between})"


def interval(estimate: Estimate, *, as_rate: bool = False) -> str:
    """The interval alone."""
    if estimate.low is None or estimate.high is None:
        return words.NOTHING
    if as_rate:
        return f"{_percent(estimate.low)} to {_percent(estimate.high)} %"
    return f"{number(estimate.low, 1)} to {number(estimate.high, 1)}"


def _percent(value: float) -> str:
    shown = words.rate(value).removesuffix(" %")
    return {"0.0": "0", "100.0": "100"}.get(shown, shown)
