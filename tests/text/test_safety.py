"""Foreign text on its way out does no harm."""

from __future__ import annotations

import csv
import io
import re
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from tests.builders import HOSTILE_TEXT

from iamhumans.text import for_csv, for_markdown, for_terminal, one_line

# The bidirectional controls of Unicode, and what hides words without being one.
BIDI = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
HIDDEN = "\xad\u180e\u200b\u2060\u2061\u2062\u2063\u2064\u206a\u206b\u206c\u206d\u206e\u206f\ufeff\ufff9\ufffa\ufffb"
TAGS = "\U000e0001\U000e0020\U000e0041\U000e007f"

ESCAPES = st.lists(
    st.one_of(
        st.sampled_from(
            ["\x1b[2J", "\x1b]8;;http://x\x07", "\x9b31m", "\x08", "\x7f", "\r", "\r\n", *BIDI, *HIDDEN, *TAGS]
        ),
        st.text(max_size=5),
    ),
    max_size=10,
).map("".join)


def is_harmful(character: str) -> bool:
    if character in "\n\t":
        return False
    return unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp") or character in BIDI + HIDDEN + TAGS


@given(st.one_of(ESCAPES, HOSTILE_TEXT))
def test_nothing_harmful_reaches_a_terminal(text: str) -> None:
    shown = for_terminal(text)
    assert not [hex(ord(character)) for character in shown if is_harmful(character)]
    shown.encode()


def test_every_harmful_character_is_shown_by_its_number() -> None:
    harmful = [chr(code) for code in (*range(0x10000), *map(ord, TAGS)) if is_harmful(chr(code))]
    assert [character for character in harmful if not for_terminal(character).startswith("\\")] == []


def test_numbers_have_the_usual_form() -> None:
    assert for_terminal("\x1b\u202e\U000e0041") == "\\x1b\\u202e\\U000e0041"


@pytest.mark.parametrize("text", ["a\nb\tc", "Zoë 日本語 🙂", "👩\u200d👩\u200d👧", "می\u200cخواهم", "❤\ufe0f"])
def test_ordinary_text_is_left_alone(text: str) -> None:
    assert for_terminal(text) == text


def test_windows_line_ends_are_no_control_characters() -> None:
    assert for_terminal("a\r\nb") == "a\nb"


@given(st.one_of(ESCAPES, HOSTILE_TEXT))
def test_one_line_is_one_line(text: str) -> None:
    assert len(one_line(text).splitlines()) <= 1
    assert "\t" not in one_line(text)


@given(HOSTILE_TEXT, st.integers(1, 30))
def test_one_line_keeps_its_limit(text: str, limit: int) -> None:
    assert len(one_line(text, limit)) <= limit


def test_cut_line_ends_with_an_ellipsis() -> None:
    assert one_line("one two three", 8) == "one two…"
    assert one_line("one two", 7) == "one two"


# --- csv

FORMULA = re.compile(r"\s*[=+\-@＝＋－＠]")


@given(st.one_of(HOSTILE_TEXT, st.text("=+-@＝＠ \t\n\r'\u00a0\u3000a1", max_size=8)))
@example("=1+1")
@example("  =1+1")
@example("\u00a0=1+1")
@example("\t=1")
@example("\r=1")
@example("\n@SUM(A1)")
@example("＝1+1")
def test_no_cell_is_a_formula(text: str) -> None:
    cell = for_csv(text)
    assert not FORMULA.match(cell)
    assert cell[:1] not in ("\t", "\r", "\n")


@given(HOSTILE_TEXT)
def test_cell_comes_back_from_a_csv_file(text: str) -> None:
    file = io.StringIO()
    csv.writer(file).writerow([for_csv(text), "next"])
    assert list(csv.reader(io.StringIO(file.getvalue(), newline=""))) == [[for_csv(text), "next"]]


@pytest.mark.parametrize("text", ["a=b", "1+1", "it's -1", "", "a\nb"])
def test_ordinary_cells_are_left_alone(text: str) -> None:
    assert for_csv(text) == text


# --- markdown

MARKDOWN = MarkdownIt("commonmark").enable(["table", "strikethrough"])
_MARKUP = (
    "[a](http://x)¦![i](http://x/y.png)¦<b>¦</td>¦<!--¦-->¦<script>¦javascript:x¦http://x.example¦"
    "https://x.example/a?b¦www.x.example¦a@b.example¦<http://x>¦mailto:a@b.c¦@somebody¦@org/team¦#12¦org/repo#12¦"
    "GH-12¦gh-7¦\\@x¦\\\\@x¦\\¦`¦``¦```¦|¦| a | b |¦---¦===¦# ¦> ¦- ¦1. ¦+ ¦* ¦**b**¦__b__¦~~s~~¦_i_¦&lt;¦&#60;¦"
    "&amp;¦&copy;¦$x$¦:tada:¦[^1]¦[x]¦[ref]: http://x¦    ¦\t¦\n¦\n\n"
)
MARKUP = st.lists(st.one_of(st.sampled_from(_MARKUP.split("¦")), st.text(max_size=4)), max_size=8).map("".join)


def tokens(markdown: str) -> list[tuple[str, str]]:
    """Type and content of all that a renderer makes of a text."""
    found = []
    for token in MARKDOWN.parse(markdown):
        found.append((token.type, ""))
        found += [(child.type, child.content) for child in token.children or ()]
    return found


@given(MARKUP)
@example("===")
@example("GH-12")
def test_markdown_holds_nothing_but_text(text: str) -> None:
    kinds = {kind for kind, _ in tokens(for_markdown(text))}
    assert kinds <= {"paragraph_open", "inline", "text", "text_special", "paragraph_close"}


@given(MARKUP)
@example("\\@somebody")
@example("a \\#12")
@example("Gh-12")
def test_rendered_text_mentions_and_refers_to_nobody(text: str) -> None:
    rendered = "".join(content for kind, content in tokens(for_markdown(text)) if kind in ("text", "text_special"))
    assert not re.search(r"@[\w-]|#\d|\bgh-\d", rendered, re.IGNORECASE)


@pytest.mark.parametrize(
    "text",
    [
        "bot+v1",
        "0 -> 90",
        "gpt-5.1 (mini)",
        "snake_case and a__b",
        "2 * 3 ~ 6",
        "a < b > c <3",
        "AT&T & co; 50%",
        "C# is not #hash",
        "why? [sic] {yes} 12:30!",
        "$5, - 3 + 4 = 1",
        "-5 points",
        "openai/gpt-5.1",
        "“So sorry.”",
        "C:\\Users",
        "meet @ 5",
    ],
)
def test_what_nothing_would_act_on_is_not_escaped(text: str) -> None:
    assert for_markdown(text) == text


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("- a - b", "\\- a - b"),
        ("# a # b", "\\# a # b"),
        ("> a > b", "\\> a > b"),
        ("1. a 2. b", "1\\. a 2. b"),
        ("---", "\\---"),
        ("*a*", "\\*a\\*"),
        ("a|b `c`", "a\\|b \\`c\\`"),
        ("[a](b)", "[a\\](b)"),
        ("[a]", "[a\\]"),
        ("<b> &lt;", "&lt;b> &amp;lt;"),
        ("http://x.y", "http\\://x.y"),
        ("www.x.y", "www\\.x.y"),
        ("mailto:a", "mailto\\:a"),
        ("@ann #12 GH-3", "@&#8203;ann #&#8203;12 GH-&#8203;3"),
        (":tada: :+1:", ":&#8203;tada: :&#8203;+1:"),
        ("$a$", "\\$a\\$"),
    ],
)
def test_what_would_be_acted_on_is_escaped_where_it_would(text: str, escaped: str) -> None:
    assert for_markdown(text) == escaped


@given(MARKUP)
def test_reader_of_the_markdown_sees_the_words(text: str) -> None:
    rendered = "".join(content for kind, content in tokens(for_markdown(text)) if kind in ("text", "text_special"))
    # The trailing whitespace of a paragraph is not rendered; there is none.
    assert rendered.replace("\u200b", "") == one_line(text)


@given(MARKUP)
def test_addresses_are_broken_in_the_source(text: str) -> None:
    # What links bare addresses looks at the source, before escapes are undone.
    assert not re.search(r"\w://|www\.\w|\w@\w", for_markdown(text))


@given(MARKUP)
def test_a_table_keeps_its_cells(text: str) -> None:
    table = f"| a | b |\n| --- | --- |\n| {for_markdown(text)} | end |\n"
    kinds = [kind for kind, _ in tokens(table)]
    assert kinds.count("td_open") == 2
    assert ("text", "end") in tokens(table)


@given(MARKUP)
def test_a_list_item_and_a_paragraph_stay_what_they_are(text: str) -> None:
    around = f"before\n\n- item: {for_markdown(text)}\n\nafter\n{for_markdown(text)}\n"
    kinds = [kind for kind, _ in tokens(around)]
    assert kinds.count("list_item_open") == 1
    assert kinds.count("paragraph_open") == 3
    assert "heading_open" not in kinds
