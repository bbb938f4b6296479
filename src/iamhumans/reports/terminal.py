"""Blocks for a terminal or a pipe. No line is wider than the width, and only words that are wider are broken."""

from collections.abc import Iterable, Iterator, Sequence
from io import StringIO

from rich.console import Console
from rich.text import Text

from iamhumans.reports.blocks import Block, Heading, Items, Line, Paragraph, Span, Table, Tone
from iamhumans.text import one_line

_STYLES: dict[Tone, str] = {"strong": "bold", "faint": "dim", "good": "green", "bad": "red", "caution": "yellow"}
_GAP = 2
_LEAST_NOTE = 28
"""With less room than this a note is set below its row."""


def blocks_text(blocks: Iterable[Block], *, width: int, color: bool = False) -> str:
    """The blocks as text. Without ``color`` there are no escape codes at all."""
    out = StringIO()
    console = Console(
        file=out, width=max(width, 1), color_system="standard" if color else None, force_terminal=color, _environ={}
    )
    before: Block | None = None
    for block in blocks:
        if before is not None and _apart(before, block):
            out.write("\n")
        for line in _lines(block, console.width):
            line.rstrip()
            console.print(line, soft_wrap=True, highlight=False)
        before = block
    return out.getvalue()


def _apart(before: Block, block: Block) -> bool:
    """Whether there is an empty line between two blocks."""
    if isinstance(before, Heading):
        return before.level == 1 and not isinstance(block, Paragraph)
    return isinstance(block, Heading | Table) or isinstance(before, Table)


def _lines(block: Block, width: int) -> Iterator[Text]:
    match block:
        case Heading(text):
            yield from _wrapped(_text(Span(text, "strong") if isinstance(text, str) else text), width)
        case Paragraph(text, indent):
            yield from _wrapped(_text(text), width, 2 * indent, 2 * indent)
        case Items(items):
            for item in items:
                yield from _wrapped(Text("- ") + _text(item), width, 0, 2)
        case Table():
            yield from _table(block, width)


def _text(line: Line) -> Text:
    """A line with its tones. Blanks are single ones, also between spans."""
    found = Text()
    for span in line if isinstance(line, tuple) else (line,):
        span = Span(span) if isinstance(span, str) else span
        before, after = (" " if end.isspace() else "" for end in (span.text[:1], span.text[-1:]))
        words = one_line(span.text)
        text = f"{before}{words}{after}" if words else before
        found.append(text.lstrip() if found.plain[-1:] in ("", " ") else text, _STYLES.get(span.tone, ""))
    found.rstrip()
    return found


def _wrapped(text: Text, width: int, first: int = 0, later: int = 0) -> Iterator[Text]:
    """The lines of a text; ``first`` and ``later`` are the indents."""
    first, later = min(first, width - 1), min(later, width - 1)
    for place, line in enumerate(text.wrap(_PLAIN, width - max(first, later), overflow="fold")):
        yield Text(" " * (later if place else first)) + line


_PLAIN = Console(file=StringIO(), width=80, _environ={})
"""Wraps; it prints nothing."""


def _table(table: Table, width: int) -> Iterator[Text]:
    if table.title:
        yield from _wrapped(_text(Span(table.title, "strong")), width)
    note = table.note_column
    heads = tuple(Span(head, "faint") for head in table.heads)
    rows = [[_text(cell) for cell in row] for row in (heads, *table.rows)]
    sizes = [max(cell.cell_len for cell in column) for column in zip(*rows, strict=True)]
    columns = [column for column in range(len(sizes)) if column != note]
    if sum(sizes[column] + _GAP for column in columns) - _GAP > width:
        yield from _as_paragraphs(rows, width)
        return
    if len(rows) == 1:
        return
    start = sum(sizes[column] + _GAP for column in columns)
    beside = note is not None and width - start >= min(_LEAST_NOTE, sizes[note])
    for place, row in enumerate(rows):
        cells = [row[column].copy() for column in columns]
        for column, cell in zip(columns, cells, strict=True):
            pad = cell.pad_left if column in table.right else cell.pad_right
            pad(sizes[column] - cell.cell_len)
        line = Text(" " * _GAP).join(cells)
        if note is not None and beside:
            first, *others = [*row[note].wrap(_PLAIN, width - start, overflow="fold")] or [Text()]
            yield line + Text(" " * _GAP) + first
            yield from (Text(" " * start) + other for other in others)
        else:
            yield line
            yield from _wrapped(row[note], width, 4, 4) if note is not None and place and row[note] else ()


def _as_paragraphs(rows: Sequence[Sequence[Text]], width: int) -> Iterator[Text]:
    """A row each: its first cell, and below it the others with their heads."""
    heads, *others = rows
    for row in others:
        yield from _wrapped(row[0], width)
        cells = [Text(f"{head} " if head else "") + cell for head, cell in zip(heads[1:], row[1:], strict=True) if cell]
        yield from _wrapped(Text(", ").join(cells), width, 2, 2)
