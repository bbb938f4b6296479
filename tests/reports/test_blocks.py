"""Blocks in a terminal, in a pipe and in a notebook: nothing is too wide, cut inside a word, or markup."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from tests.builders import FEW, HOSTILE_TEXT

from iamhumans.reports.blocks import Block, Heading, Items, Paragraph, Span, Table
from iamhumans.reports.html import blocks_html
from iamhumans.reports.markdown import blocks_markdown
from iamhumans.reports.terminal import blocks_text

WORDS = "The quick brown fox jumps over a lazy dog, and nobody at all is surprised by that. " * 3
FIGURES = Table(
    ("criterion", *(f"figure {n}" for n in range(6))),
    (("structured_output_in_emotional_moment", *("85 % (73 to 92 %)" for _ in range(6))), ("pity", *"123456")),
    "Judge against people",
    right=frozenset(range(1, 7)),
)
NOTES = Table(("case", "total", "why"), (("GRF-001", "0", WORDS), ("GRF-002", "100", "")), note_column=2)
ALL: tuple[Block, ...] = (Heading("A title", 1), Paragraph(WORDS, 1), Items((WORDS, "short")), FIGURES, NOTES)


def text(*blocks: Block, width: int = 80, color: bool = False) -> str:
    return blocks_text(blocks, width=width, color=color)


@pytest.mark.parametrize("width", [40, 60, 80, 120, 300])
def test_no_line_is_wider_than_the_width_and_no_word_is_broken(width: int) -> None:
    out = text(*ALL, width=width)
    assert max(map(cell_len, out.splitlines())) <= width
    assert {word for word in WORDS.split() if word not in out.split()} == set()


@FEW
@given(st.lists(HOSTILE_TEXT, min_size=3, max_size=3), st.integers(1, 90))
def test_any_text_in_any_width_stays_within_it(texts: list[str], width: int) -> None:
    first, second, third = texts
    row = (first, Span(second, "bad"), (Span(third), Span(first, "good")))
    blocks = (
        Heading(first),
        Paragraph(row[2], 2),
        Items((second,)),
        Table(("a", "b", "c"), (row,), third, note_column=2),
    )
    wide = [line for line in text(*blocks, width=width).splitlines() if cell_len(line) > max(width, 2)]
    assert wide == []


def test_a_word_of_several_spans_is_not_broken() -> None:
    line = (Span("aaaa bb"), Span("cc", "bad"), Span("dd"))
    assert text(Paragraph(line), width=8) == "aaaa\nbbccdd\n"


def test_a_table_that_does_not_fit_is_set_as_paragraphs() -> None:
    assert re.search(r"^pity +1 +2 +3 +4 +5 +6$", text(FIGURES, width=300), re.M)
    assert "pity\n  figure 0 1, figure 1 2" in text(FIGURES, width=80)


def test_a_note_is_set_beside_its_row_or_below_it() -> None:
    assert "GRF-001      0  The quick" in text(Table(NOTES.heads, NOTES.rows, right=frozenset((1,)), note_column=2))
    assert re.search(r"^    The quick", text(NOTES, width=40), re.M)


def test_without_colour_there_is_no_escape_code_at_all() -> None:
    tones = Paragraph(tuple(Span(f"{tone} ", tone) for tone in ("strong", "faint", "good", "bad", "caution")))
    assert "\x1b" not in text(Heading("a"), tones, FIGURES)
    assert text(tones, color=True).count("\x1b[0m") == 5


def test_colour_changes_no_letter() -> None:
    assert re.sub(r"\x1b\[\d*m", "", text(*ALL, color=True)) == text(*ALL)


def test_markdown_has_every_text() -> None:
    out = blocks_markdown(ALL).replace("\\", "")
    assert out.startswith("## A title\n")
    assert "| pity | 1 | 2 |" in out
    assert f"- {WORDS.strip()}" in out


class Tags(HTMLParser):
    """The tags of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.found: set[str] = set()
        self.data = ""

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.found.add(tag)

    def handle_data(self, data: str) -> None:
        self.data += data


@FEW
@given(HOSTILE_TEXT)
def test_no_text_is_markup_in_a_notebook(foreign: str) -> None:
    hostile = f"{foreign}<script>alert(1)</script>&amp;"
    page = Tags()
    page.feed(
        blocks_html(
            (Heading(hostile), Paragraph(Span(hostile, "bad")), Items((hostile,)), Table((hostile,), ((hostile,),)))
        )
    )
    assert "script" not in page.found
    assert page.data.count("<script>alert(1)</script>&amp;") == 5
