"""Blocks for a terminal or a pipe. No line is wider than the width, and only words that are wider are broken."""

from collections.abc import Iterable, Iterator, Sequence
from io import StringIO

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from iamhumans.reports.blocks import MARKS, Block, Heading, Items, Line, Paragraph, Passage, Span, Table, Tone
from iamhumans.text import for_terminal, one_line

_STYLES: dict[Tone, str] = {"strong": "bold", "faint": "dim", "good": "green", "bad": "red", "caution": "yellow"}
_STYLES["marked"] = "red"
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
        case Passage(text):
            for line in _passage(text).split("\n", allow_blank=True):
                yield from _wrapped(line, width, 4, 4) if line.plain.strip() else (Text(),)
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
        if span.tone == "marked":
            span = Span(f"{MARKS[0]}{span.text}{MARKS[1]}", "marked")
        before, after = (" " if end.isspace() else "" for end in (span.text[:1], span.text[-1:]))
        words = one_line(span.text)
        text = f"{before}{words}{after}" if words else before
        found.append(text.lstrip() if found.plain[-1:] in ("", " ") else text, _STYLES.get(span.tone, ""))
    found.rstrip()
    return found


def _passage(line: Line) -> Text:
    """A text with its tones and its line ends."""
    found = Text()
    for span in line if isinstance(line, tuple) else (line,):
        span = Span(span) if isinstance(span, str) else span
        text = for_terminal(span.text)
        if span.tone == "marked":
            text = f"{MARKS[0]}{text}{MARKS[1]}"
        found.append(text.replace("\t", "    "), _STYLES.get(span.tone, ""))
    found.rstrip()
    return found


def _wrapped(text: Text, width: int, first: int = 0, later: int = 0) -> Iterator[Text]:
    """The lines of a text; ``first`` and ``later`` are the indents."""
    first, later = min(first, width - 1), min(later, width - 1)
    for place, line in enumerate(text.wrap(_PLAIN, width - max(first, later), overflow="fold")):
        yield Text(" " * (later if place else first)) + line


def wrapped(line: str, width: int) -> Iterator[str]:
    """One line as lines that fit, broken between words; later ones are set in like the first."""
    words = line.lstrip()
    indent = len(line) - len(words)
    if not words or cell_len(line) <= width:
        yield line
        return
    yield from (part.plain.rstrip() for part in _wrapped(Text(words), width, indent, indent))


_PLAIN = Console(file=StringIO(), width=80, _environ={})
"""Wraps; it prints nothing."""


def _table(table: Table, width: int) -> Iterator[Text]:
    if table.title:
        yield from _wrapped(_text(Span(table.title, "strong")), width)
    if not table.rows:
        return
    heads = tuple(Span(head, "faint") for head in table.heads)
    rows = [[_text(cell) for cell in row] for row in (heads, *table.rows)]
    for names in dict.fromkeys((0, table.names)):
        for laid in (rows, _with_low_heads(rows)):
            if _room(laid, table.note_column, names) <= width:
                yield from _laid_out(laid, table, names, width)
                return
    yield from _as_paragraphs(rows, width)


def _sizes(rows: Sequence[Sequence[Text]]) -> list[int]:
    """How wide each column is. A head may have several lines."""
    return [
        max(cell_len(line) for cell in column for line in cell.plain.split("\n")) for column in zip(*rows, strict=True)
    ]


def _room(rows: Sequence[Sequence[Text]], note: int | None, names: int) -> int:
    """How wide the table is, without its running text and without the names above its rows."""
    sizes = [size for column, size in enumerate(_sizes(rows)) if column != note and column >= names]
    return sum(size + _GAP for size in sizes) - _GAP + (_GAP if names else 0)


def _with_low_heads(rows: Sequence[Sequence[Text]]) -> Sequence[Sequence[Text]]:
    """The same with heads on several lines, where their cells are narrower."""
    heads, *others = rows
    sizes = _sizes(others)
    low = [Text("\n".join(_head_lines(head.plain, size)), "dim") for head, size in zip(heads, sizes, strict=True)]
    return [low, *others]


def _head_lines(head: str, size: int) -> list[str]:
    lines: list[str] = []
    for word in head.split():
        if lines and cell_len(f"{lines[-1]} {word}") <= size:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines


def _laid_out(rows: Sequence[Sequence[Text]], table: Table, names: int, width: int) -> Iterator[Text]:
    """The lines of a table that fits."""
    note, sizes = table.note_column, _sizes(rows)
    columns = [column for column in range(names, len(sizes)) if column != note]
    indent = _GAP if names else 0
    start = indent + sum(sizes[column] + _GAP for column in columns)
    room = width - start
    for place, row in enumerate(rows):
        if not place and not any(table.heads):
            continue
        if names and place:
            yield from _wrapped(Text("  ").join(cell for cell in row[:names] if cell), width)
        lines = _row_lines(row, columns, sizes, table.right, indent)
        if note is None or not row[note]:
            yield from lines
        elif _fits(row[note], room, sizes[note]):
            first, *others = [*row[note].wrap(_PLAIN, room, overflow="fold")]
            *above, last = lines
            yield from above
            yield last + Text(" " * _GAP) + first
            yield from (Text(" " * start) + other for other in others)
        else:
            yield from lines
            yield from _wrapped(row[note], width, 4, 4)


def _fits(note: Text, room: int, size: int) -> bool:
    """Whether running text is set beside its row: there is room enough, and no word would be broken."""
    return room >= max(min(_LEAST_NOTE, size), *(cell_len(word) for word in note.plain.split()))


def _row_lines(
    row: Sequence[Text], columns: Sequence[int], sizes: Sequence[int], right: frozenset[int], indent: int
) -> list[Text]:
    """The lines of a row; cells of fewer lines than others begin lower."""
    cells = [row[column].split("\n") for column in columns]
    height = max((len(cell) for cell in cells), default=1)
    found = []
    for level in range(height):
        parts = []
        for column, cell in zip(columns, cells, strict=True):
            missing = height - len(cell)
            part = cell[level - missing].copy() if level >= missing else Text()
            pad = part.pad_left if column in right else part.pad_right
            pad(sizes[column] - part.cell_len)
            parts.append(part)
        found.append(Text(" " * indent) + Text(" " * _GAP).join(parts))
    return found


def _as_paragraphs(rows: Sequence[Sequence[Text]], width: int) -> Iterator[Text]:
    """A row each: its first cell, and below it the others with their heads."""
    heads, *others = rows
    for row in others:
        yield from _wrapped(row[0], width)
        cells = [Text(f"{head} " if head else "") + cell for head, cell in zip(heads[1:], row[1:], strict=True) if cell]
        yield from _wrapped(Text(", ").join(cells), width, 2, 2)
