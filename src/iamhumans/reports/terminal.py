"""Blocks for a terminal or a pipe. No line is wider than the width, and only words that are wider are broken."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from rich.cells import cell_len, chop_cells

from iamhumans.reports.blocks import Block, Heading, Items, Line, Paragraph, Span, Table, Tone
from iamhumans.text import one_line

_CODES: dict[Tone, str] = {"strong": "1", "faint": "2", "good": "32", "bad": "31", "caution": "33"}
_GAP = 2
_LEAST_NOTE = 28
"""With less room than this a note is set below its row."""

_Words = list[tuple[str, Tone]]
"""Pieces of one line of output. A piece that begins with a blank begins a word."""


def blocks_text(blocks: Iterable[Block], *, width: int, color: bool) -> str:
    """The blocks as text. Without ``color`` there are no escape codes at all."""
    lines: list[str] = []
    before: Block | None = None
    for block in blocks:
        if before is not None and _apart(before, block):
            lines.append("")
        lines += [_painted(line, color=color) for line in _lines(block, max(width, 1))]
        before = block
    return "".join(f"{line}\n" for line in lines)


def _apart(before: Block, block: Block) -> bool:
    """Whether there is an empty line between two blocks."""
    if isinstance(before, Heading):
        return before.level == 1 and not isinstance(block, Paragraph)
    return isinstance(block, Heading | Table) or isinstance(before, Table)


def _lines(block: Block, width: int) -> Iterator[_Words]:
    match block:
        case Heading(text):
            yield from _wrapped(Span(text, "strong") if isinstance(text, str) else text, width)
        case Paragraph(text, indent):
            yield from _wrapped(text, width, first=2 * indent)
        case Items(items):
            for item in items:
                yield from _wrapped(_joined(("- ", item)), width, later=2)
        case Table():
            yield from _table(block, width)


def _joined(parts: Iterable[Line]) -> tuple[Span, ...]:
    return tuple(span for part in parts for span in _spans(part))


def _spans(line: Line) -> tuple[Span, ...]:
    return (Span(line),) if isinstance(line, str) else (line,) if isinstance(line, Span) else line


def _words(line: Line) -> _Words:
    """The words of a line with the blanks before them. Blanks between spans count."""
    found: _Words = []
    blank = False
    for span in _spans(line):
        for place, word in enumerate(one_line(span.text).split(" ")):
            starts = blank or place > 0 or span.text[:1].isspace()
            if word:
                found.append((" " + word if starts and found else word, span.tone))
                blank = False
        blank = blank or span.text[-1:].isspace()
    return found


def _size(words: _Words) -> int:
    return sum(cell_len(text) for text, _ in words)


def _wrapped(line: Line, width: int, *, first: int = 0, later: int | None = None) -> Iterator[_Words]:
    """The lines of a text; ``first`` and ``later`` are the indents."""
    indents = [min(indent, width - 1) for indent in (first, first if later is None else later)]
    current: _Words = []
    room = width - max(indents)
    for word in _grouped(_words(line)):
        pieces = word if _size(word) - word[0][0].startswith(" ") <= room else _broken(word, room)
        for piece in [pieces] if pieces is word else [[one] for one in pieces]:
            if current and _size(current) + _size(piece) > room:
                yield [(" " * indents[0], "plain"), *current]
                indents, current = indents[-1:], []
            (text, tone), *others = piece
            current += [(text if current else text.lstrip(), tone), *others]
    if current:
        yield [(" " * indents[0], "plain"), *current]


def _grouped(words: _Words) -> Iterator[_Words]:
    """The pieces of each word, which may be of several spans."""
    word: _Words = []
    for piece in words:
        if word and piece[0].startswith(" "):
            yield word
            word = []
        word.append(piece)
    if word:
        yield word


def _broken(word: _Words, room: int) -> _Words:
    """A word that is wider than a line, in pieces."""
    first, *others = ((part, tone) for text, tone in word for part in chop_cells(text.lstrip(), room))
    return [(" " + first[0], first[1]), *others]


def _painted(words: _Words, *, color: bool) -> str:
    text = "".join(
        f"\x1b[{_CODES[tone]}m{piece}\x1b[0m" if color and tone in _CODES and piece.strip() else piece
        for piece, tone in words
    )
    return text.rstrip()


# --- tables -----------------------------------------------------------------------------------------------------------


def _table(table: Table, width: int) -> Iterator[_Words]:
    if table.title:
        yield from _wrapped(Span(table.title, "strong"), width)
    note = table.note_column
    rows = [
        [_words(Span(head, "faint")) for head in table.heads],
        *([_words(cell) for cell in row] for row in table.rows),
    ]
    sizes = [max(map(_size, column)) for column in zip(*rows, strict=True)]
    columns = [column for column in range(len(sizes)) if column != note]
    if sum(sizes[column] + _GAP for column in columns) - _GAP > width:
        yield from _as_paragraphs(table, width)
        return
    lines = [_row(row, columns, sizes, table.right) for row in rows] if table.rows else []
    if note is None:
        yield from lines
    elif lines:
        notes = [Span(table.heads[note], "faint"), *(row[note] for row in table.rows)]
        yield from _with_notes(lines, notes, sizes[note], width)


def _row(row: Sequence[_Words], columns: Sequence[int], sizes: Sequence[int], right: Iterable[int]) -> _Words:
    line: _Words = []
    for place, column in enumerate(columns):
        padding = " " * (sizes[column] - _size(row[column]))
        before, after = (padding, "") if column in right else ("", padding)
        gap = " " * _GAP if place else ""
        line += [(gap + before, "plain"), *row[column], (after, "plain")]
    return line


def _with_notes(lines: Sequence[_Words], notes: Sequence[Line], longest: int, width: int) -> Iterator[_Words]:
    start = max(map(_size, lines)) + _GAP
    beside = width - start >= min(_LEAST_NOTE, longest)
    for place, (line, note) in enumerate(zip(lines, notes, strict=True)):
        if not beside:
            yield line
            yield from _wrapped(note, width, first=min(4, width - 1)) if place else ()
            continue
        wrapped = list(_wrapped(note, width, first=start))
        yield [*line, (" " * (start - _size(line)), "plain"), *wrapped[0][1:]] if wrapped else line
        yield from wrapped[1:]


def _as_paragraphs(table: Table, width: int) -> Iterator[_Words]:
    """A row each: its first cell, and below it the others with their heads."""
    for row in table.rows:
        yield from _wrapped(row[0], width)
        cells: list[Line] = []
        for head, cell in zip(table.heads[1:], row[1:], strict=True):
            if _words(cell):
                cells += [", " if cells else "", f"{head} " if head else "", cell]
        yield from _wrapped(_joined(cells), width, first=2)
