"""The report for a terminal: it fits any width, says what happened, and shows foreign text as text."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len
from tests.builders import HOSTILE_TEXT, SEED, case, task, verdict_of

from iamhumans.reports.report import Report
from iamhumans.reports.report_blocks import report_blocks
from iamhumans.reports.terminal import blocks_text
from iamhumans.text import for_terminal
from iamhumans.verdicts import Judgement, Reason, Unjudged, read_verdict, score_verdict

WIDTHS = (40, 60, 80, 110, 200)
LONG = "recorded/some/very/deep/folder/of/verdicts/three-judges/*/"


def row(
    number: int = 1,
    *,
    case_id: str = "BAK-001",
    title: str = "",
    subject: str = "",
    judge: str = "rules",
    reply: str = "Oh no. So sorry.",
    notes: str = "Warm and short.",
    yes: Mapping[str, Sequence[str]] | None = None,
    total: float | None = None,
    axes: dict[str, float | str] | None = None,
) -> Judgement:
    """A judged row with a verdict."""
    asked = task(reply, of=case(case_id=case_id, title=title), subject=subject)
    text = verdict_of(case_id=None, notes="Warm and short.", yes=yes, total=total, axes=axes)
    place: dict[str, Any] = {"row": number, "case_id": case_id, "subject": subject, "judge": judge, "title": title}
    found = read_verdict(text, SEED, asked.asked())
    return replace(score_verdict(found, SEED, asked.asked(), **place), notes=notes)


def unjudged(number: int = 1, *, detail: str = "It broke off.", subject: str = "", judge: str = "rules") -> Judgement:
    place: dict[str, Any] = {"row": number, "case_id": "BAK-001", "subject": subject, "judge": judge}
    return score_verdict(Unjudged(Reason.TRUNCATED, detail), SEED, **place)


def report(*rows: Judgement, title: str = "Replies") -> Report:
    return Report(title, SEED, rows, "abc")


def printed(shown: Report, width: int = 110, *, color: bool = False) -> str:
    return blocks_text(report_blocks(shown), width=width, color=color)


def everything() -> Report:
    """Several long-named subjects under several long-named judges, with every kind of row."""
    rows = []
    for number in range(1, 9):
        for judge in (
            f"{LONG}opus-4-7.yaml",
            f"{LONG}opus-4-7-fresh.yaml",
            "openrouter/meta-llama/llama-3.1-8b",
            "rules",
        ):
            subject = f"anthropic/claude-sonnet-4-5+my-skill-{number % 3}"
            if number == 4:
                rows.append(unjudged(number, subject=subject, judge=judge, detail="It broke off after a while. " * 4))
            else:
                yes = {"pity": ["So sorry."], "lecturing": ["nowhere to be found"]} if number % 2 else None
                rows.append(
                    row(
                        number,
                        case_id=f"BAK-{number:03}",
                        title="角のパン屋 " * 5,
                        subject=subject,
                        judge=judge,
                        yes=yes,
                        total=12,
                    )
                )
    return report(*rows)


@pytest.mark.parametrize("width", WIDTHS)
def test_every_width_shows_everything_and_no_line_is_wider_or_ends_with_blanks(width: int) -> None:
    text = printed(everything(), width)
    assert [line for line in text.splitlines() if cell_len(line) > width or line != line.rstrip()] == []
    # Three subjects under four judges: how many were judged is there for each.
    assert len(re.findall(r"\b[23]/[23]\b", " ".join(text.split()))) >= 12
    assert all(word.lower() in text for axis in SEED.axes for word in axis.title.split())
    words = set(re.findall(r"[a-z_/.]{12,}", " ".join(printed(everything(), 500).split())))
    assert {word for word in words if len(word) < width and word not in text} == set()
    assert re.search(r"pity 4 of 4,\s+lecturing\s+4 of\s+4\s+\(unconfirmed\)", text)


def test_a_long_name_is_on_a_line_above_its_figures() -> None:
    text = printed(report(row(judge=f"{LONG}a.yaml"), row(judge="rules")), 80)
    assert re.search(rf"^{re.escape(LONG)}a\.yaml\n  +1/1 +1 ", text, re.M)


def test_one_judge_and_one_subject_stand_under_the_title_and_take_no_column() -> None:
    text = printed(report(row(judge="some/model", subject="friend")))
    assert "judge some/model, subject friend" in text.splitlines()[1]
    assert text.count("friend") == text.count("some/model") == 1


def test_what_failed_is_quoted_with_its_hard_fail() -> None:
    text = printed(report(row(yes={"pity": ["So sorry."]}, judge="m")))
    assert "  pity: “So sorry.”\n" in text


def test_a_quote_that_is_not_in_the_reply_is_marked() -> None:
    text = printed(report(row(yes={"pity": ["poor thing"]}, judge="m")))
    assert "pity (unconfirmed)" in text
    assert "“poor thing” (not in the reply)" in text
    assert "1 YES has no quote that is in the reply." in text


def test_a_judge_s_notes_on_a_failure_are_shown_but_not_those_of_the_rules() -> None:
    assert "Too much pity." in printed(report(row(yes={"pity": []}, notes="Too much pity.", judge="m")))
    text = printed(report(row(yes={"pity": []}, notes="Too much pity.", judge="rules")))
    assert "Too much pity." not in text
    assert "If it finds no fault, the reply may still be bad" in " ".join(text.split())


def test_an_unjudged_row_says_why_and_has_no_number() -> None:
    text = printed(report(row(), unjudged(2, detail="It broke off.")))
    assert "–  unjudged  truncated: It broke off." in text
    assert "1 of 2" in text
    assert "1 unjudged: truncated." in text


def test_what_a_judge_miscounted_is_listed() -> None:
    text = printed(report(row(total=12)))
    assert "Totals that do not follow from the judge's own answers: 1" in text
    assert "BAK-001: the judge said 12; its own answers give 80 PASS" in text


def test_a_run_of_very_many_rows_shows_what_failed_and_counts_the_rest() -> None:
    rows = [row(number, case_id=f"BAK-{number}") for number in range(1, 300)]
    text = printed(report(*rows, row(300, case_id="BAD-1", yes={"pity": []})))
    assert len(text.splitlines()) < 100
    assert text.index("BAD-1") < text.index("BAK-1")
    assert "299 more judgements are not shown" in text


def test_very_many_failures_are_not_all_explained() -> None:
    text = printed(report(*(row(number, case_id=f"BAD-{number}", yes={"pity": []}) for number in range(1, 101))))
    assert len(text.splitlines()) < 200
    assert "The worst 10 cases" in text
    assert "80 more judgements are not shown" in text


def test_unjudged_rows_or_none_are_a_report_too() -> None:
    text = printed(report(unjudged()))
    assert "0 of 1" in text
    assert "The worst" not in text
    assert printed(report()).startswith("Replies\n")


MARKUP = "[red]a[/] [link=http://x.y]b[/link] :smile: [bold"


@pytest.mark.parametrize("color", [True, False])
def test_markup_is_text(color: bool) -> None:
    shown = report(
        row(title=MARKUP, subject=MARKUP, judge="m", notes=MARKUP, reply=MARKUP, yes={"pity": [MARKUP]}),
        unjudged(2, detail=MARKUP, subject="x"),
        title=MARKUP,
    )
    text = printed(shown, 200, color=color)
    assert "\x1b]8" not in text
    assert text.count(":smile:") >= 5
    assert text.count("[red]a[/]") >= 4


@settings(max_examples=30)
@given(HOSTILE_TEXT, st.sampled_from(WIDTHS))
def test_no_foreign_text_steers_the_terminal_or_breaks_a_line(text: str, width: int) -> None:
    shown = report(
        row(title=text, subject=text, judge=text, notes=text, yes={"pity": [text]}, reply=text or "x"),
        unjudged(2, detail=text, subject=f"{text}2", judge=f"{text}3"),
        title=text,
    )
    out = printed(shown, width)
    assert for_terminal(out) == out
    assert [line for line in out.splitlines() if cell_len(line) > width] == []


@pytest.mark.parametrize("sign", ["\x1b[31m", "\x9b31m", "a\rb", "\x08", "\u202e", "\u2066", "\x00"])
def test_colours_are_the_only_escapes(sign: str) -> None:
    out = printed(report(row(title=sign, subject=sign, judge=sign, yes={"pity": [sign]}, notes=sign)), color=True)
    bare = re.sub(r"\x1b\[[0-9;]*m", "", out)
    assert for_terminal(bare) == bare
