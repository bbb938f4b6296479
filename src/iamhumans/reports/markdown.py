"""Blocks as Markdown, ready for a pull-request comment. Foreign text cannot act as markup."""

import re
from collections.abc import Iterable, Iterator

from iamhumans.reports.blocks import Block, Heading, Items, Line, Paragraph, Passage, Table, plain_text
from iamhumans.text import for_markdown

MOST_CHARACTERS = 60_000
"""The size of a pull-request comment, with some room: GitHub takes 65,536."""
_HARMLESS = re.compile(r"[+-]?\d[\d,.]*(?: (?:%,?|of|to|pp|[+-]?\d[\d,.]*))*")
"""Figures, which need no escapes."""
_CUT = "\nThe rest did not fit; use --json to see all."


def blocks_markdown(blocks: Iterable[Block], *, limit: int | None = None) -> str:
    """The blocks as Markdown, cut between lines where it would be longer than ``limit`` characters."""
    lines: list[str] = []
    size, room = 0, None if limit is None else limit - len(_CUT)
    for line in (line for place, block in enumerate(blocks) for line in _lines(block, first=place == 0)):
        size += len(line) + 1
        if room is not None and size > room:
            lines.append(_CUT)
            break
        lines.append(line)
    return "\n".join(lines) + "\n"


def _lines(block: Block, *, first: bool) -> Iterator[str]:
    """The lines of a block, after an empty one where it needs that."""
    if not first and not (isinstance(block, Paragraph) and block.indent):
        yield ""
    match block:
        case Heading(text, level):
            yield f"{'#' * (level + 1)} {_text(text)}"
        case Paragraph(text, indent):
            yield f"{'  ' * (indent - 1)}- {_text(text)}" if indent else _text(text)
        case Passage(text):
            # A backslash at the end of a line keeps the line end.
            lines = plain_text(text).rstrip().split("\n")
            yield from ("> " + for_markdown(line) + ("" if last else "\\") for line, last in _with_last(lines))
        case Items(items):
            yield from (f"- {_text(item)}" for item in items)
        case Table(heads, rows, title):
            yield from (_text(title), "") if title else ()
            yield f"| {' | '.join(map(_text, heads))} |"
            yield f"|{' --- |' * len(heads)}"
            yield from (f"| {' | '.join(map(_text, row))} |" for row in rows)


def _with_last(lines: list[str]) -> Iterator[tuple[str, bool]]:
    """The lines, and whether each is followed by an empty one or by none."""
    for place, line in enumerate(lines):
        yield line, not line.strip() or place + 1 == len(lines) or not lines[place + 1].strip()


def _text(line: Line) -> str:
    text = plain_text(line)
    return text if _HARMLESS.fullmatch(text) else for_markdown(text)
