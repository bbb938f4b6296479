"""Columns of text, without trailing blanks, that say when they do not fit."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from rich.console import Console
from rich.text import Text

GAP = 2
"""Blanks between two columns."""
_LEAST_ROOM_BESIDE = 28
"""With less room than this a remark stands below its line and not beside it."""
_INDENT = 4


def columns(
    heads: Sequence[str], rows: Sequence[Sequence[Text]], *, right: Collection[int], room: int
) -> list[Text] | None:
    """The lines of a table with its heads, or ``None`` where it is wider than ``room``.

    Args:
        heads: One for each column.
        rows: As many cells each.
        right: The columns whose cells end at the same place.
        room: How wide a line may be.
    """
    table = [[Text(head, style="dim") for head in heads], *rows]
    widths = [max(row[index].cell_len for row in table) for index in range(len(heads))]
    if sum(widths) + GAP * (len(widths) - 1) > room:
        return None
    return [_line(row, widths, right) for row in table]


def _line(row: Sequence[Text], widths: Sequence[int], right: Collection[int]) -> Text:
    line = Text()
    for index, (cell, width) in enumerate(zip(row, widths, strict=True)):
        padding = " " * (width - cell.cell_len)
        line.append(" " * GAP if index else "")
        if index in right:
            line.append(padding).append_text(cell)
        else:
            line.append_text(cell).append(padding)
    line.rstrip()
    return line


def with_remarks(lines: Sequence[Text], remarks: Sequence[str], console: Console) -> Iterator[Text]:
    """Lines with a remark each: beside them where there is room, and else below."""
    start = max(line.cell_len for line in lines) + GAP
    room = console.width - start
    beside = room >= min(_LEAST_ROOM_BESIDE, max(len(remark) for remark in remarks))
    for line, remark in zip(lines, remarks, strict=True):
        if not remark:
            yield line
        elif beside:
            first, *others = Text(remark).wrap(console, room)
            yield line.copy().append(" " * (start - line.cell_len)).append_text(first)
            yield from _indented(others, start)
        else:
            yield line
            yield from _indented(Text(remark).wrap(console, max(console.width - _INDENT, 1)), _INDENT)


def _indented(lines: Iterable[Text], by: int) -> Iterator[Text]:
    for line in lines:
        yield Text(" " * by).append_text(line)
