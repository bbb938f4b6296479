"""The report as Markdown: foreign text is text in it, whatever renders it."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token
from tests.builders import HOSTILE_TEXT
from tests.reports.test_terminal_report import everything, report, row, unjudged

from iamhumans.reports.markdown import blocks_markdown
from iamhumans.reports.report import Report
from iamhumans.reports.report_blocks import report_blocks

HOSTILE = (
    *("a | b", "a \\| b", "a\n| b | c |", "![image](http://x.y/i.png)", "[link](javascript:alert(1))"),
    *("<img src=x onerror=alert(1)>", "<script>alert(1)</script>", "&lt;b&gt;", "`code`", "**bold** _thin_ ~~gone~~"),
    *("# Heading", "- item", "http://x.y", "www.x.y", "mail@x.y", "$math$", "<!-- comment", "[^1]", "\\", "```"),
)
PLAIN = {"inline", "text", "text_special", "code_inline", "softbreak"} | {
    f"{name}_{end}"
    for name in ("table", "thead", "tbody", "tr", "th", "td", "heading", "paragraph", "bullet_list", "list_item")
    for end in ("open", "close")
}


def markdown_report(shown: Report, *, limit: int | None = None) -> str:
    return blocks_markdown(report_blocks(shown), limit=limit)


def with_text(text: str) -> Report:
    """A report with a text wherever foreign text can stand."""
    return report(
        row(
            case_id=text or "x",
            title=text,
            subject=text,
            judge=text,
            notes=text,
            yes={"pity": [text]},
            reply=text or "x",
        ),
        row(2, subject=text, judge=f"{text}2", total=12, axes={"naturalness": 1}),
        unjudged(3, detail=text, subject=f"{text}2", judge=text),
        title=text,
    )


def tokens(shown: Report) -> list[Token]:
    """The report as a renderer with tables and links of bare addresses sees it."""
    parsed = MarkdownIt("gfm-like", {"linkify": False, "html": True}).parse(markdown_report(shown))
    return [part for token in parsed for part in (token, *(token.children or ()))]


@pytest.mark.parametrize("text", HOSTILE)
def test_no_foreign_text_is_markup(text: str) -> None:
    assert {token.type for token in tokens(with_text(text))} <= PLAIN


@pytest.mark.parametrize("text", HOSTILE)
def test_no_foreign_text_adds_a_cell(text: str) -> None:
    shown = markdown_report(with_text(text)).splitlines()
    cells = [len(re.findall(r"(?<!\\)\|", line)) for line in shown if line.startswith("|")]
    plain = [
        len(re.findall(r"\|", line)) for line in markdown_report(with_text("x")).splitlines() if line.startswith("|")
    ]
    assert cells == plain


@pytest.mark.parametrize("text", ["@somebody", "#12", "GH-12", "owner/name#12"])
def test_nobody_is_mentioned_and_no_issue_linked(text: str) -> None:
    shown = markdown_report(with_text(text)).replace("\\", "")
    assert text not in shown


@settings(max_examples=25)
@given(st.one_of(HOSTILE_TEXT, st.sampled_from(HOSTILE)))
def test_any_text_leaves_the_tables_whole(text: str) -> None:
    found = [token.type for token in tokens(with_text(text))]
    assert found.count("table_open") == 4
    assert set(found) <= PLAIN


def test_it_has_the_figures_the_rows_and_the_axes() -> None:
    text = markdown_report(report(row(yes={"pity": ["So sorry."]}, judge="m"), row(2, case_id="BAK-002", judge="m")))
    assert "2 of 2 judged (2 cases): zero rate 50 %" in text
    assert "| zero rate | 50 % | 3 to 97 % | 2 |" in text
    assert "| BAK-001 | 80 | 0 | FAIL | pity |" in text
    assert "| naturalness | 8.0 | – | 2 |" in text


def test_very_many_rows_are_shown_by_what_failed() -> None:
    rows = [row(number, case_id=f"BAK-{number}") for number in range(1, 250)]
    text = markdown_report(report(*rows, row(250, case_id="BAD-1", yes={"pity": []})))
    assert len(text.splitlines()) < 150
    assert text.index("BAD-1") < text.index("BAK-1")
    assert "249 more judgements are not shown" in text


def test_a_comment_is_cut_between_lines_and_says_so() -> None:
    text = markdown_report(everything(), limit=2_000)
    assert len(text) <= 2_000
    assert text.endswith("The rest did not fit; use --json to see all.\n")
    assert text.startswith(markdown_report(everything())[:500])
