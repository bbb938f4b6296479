"""Blocks as HTML, for notebooks and as a page. It needs no other file, and all text is escaped."""

from collections.abc import Iterable, Iterator
from html import escape

from iamhumans.reports.blocks import Block, Heading, Items, Line, Paragraph, Passage, Span, Table, Tone
from iamhumans.text import for_terminal

_STYLES: dict[Tone, str] = {
    "strong": "font-weight:bold",
    "faint": "opacity:.7",
    "good": "color:#1a7f37",
    "bad": "color:#cf222e",
    "caution": "color:#9a6700",
    "marked": "background:#ffd8d3;color:#82071e",
}


def blocks_html(blocks: Iterable[Block]) -> str:
    """The blocks in one ``div``."""
    return f'<div class="iamhumans">{"".join(part for block in blocks for part in _parts(block))}</div>'


def page_html(blocks: Iterable[Block]) -> str:
    """The blocks as a page."""
    head = '<!doctype html><html lang="en"><meta charset="utf-8"><title>iamhumans</title>'
    style = "<style>body{font:15px system-ui;max-width:70em;margin:2em auto;padding:0 1em}td,th{padding:0 .6em}</style>"
    return f"{head}{style}<body>{blocks_html(blocks)}</body></html>\n"


def _parts(block: Block) -> Iterator[str]:
    match block:
        case Heading(text, level):
            yield f"<h{level + 2}>{_text(text)}</h{level + 2}>"
        case Paragraph(text, indent):
            yield f'<p style="margin:0 0 .3em {1.5 * indent}em">{_text(text)}</p>'
        case Passage(text):
            style = "margin:.2em 0 .8em 1.5em;padding-left:.8em;border-left:3px solid #d0d7de;white-space:pre-wrap"
            yield f'<blockquote style="{style}">{_text(text)}</blockquote>'
        case Items(items):
            yield f"<ul>{''.join(f'<li>{_text(item)}</li>' for item in items)}</ul>"
        case Table(heads, rows, title, right):
            yield f"<table><caption>{_text(title)}</caption><thead>{_row('th', heads, right)}</thead>"
            yield f"<tbody>{''.join(_row('td', row, right) for row in rows)}</tbody></table>"


def _row(tag: str, cells: Iterable[Line], right: frozenset[int]) -> str:
    found = [
        f'<{tag} style="text-align:{"right" if place in right else "left"}">{_text(cell)}</{tag}>'
        for place, cell in enumerate(cells)
    ]
    return f"<tr>{''.join(found)}</tr>"


def _text(line: Line) -> str:
    if isinstance(line, tuple):
        return "".join(map(_text, line))
    span = line if isinstance(line, Span) else Span(line)
    text = escape(for_terminal(span.text))
    tag = "mark" if span.tone == "marked" else "span"
    return f'<{tag} style="{_STYLES[span.tone]}">{text}</{tag}>' if span.tone in _STYLES else text
