"""The public judgement: as JSON, as Markdown, in a notebook."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from markdown_it import MarkdownIt
from tests.builders import HOSTILE_TEXT, SEED

from iamhumans.text import for_terminal
from iamhumans.verdicts import Asked, Flag, Judgement, Reason, Unjudged, Verdict, score_verdict

HOSTILE = "<b>&\x1b[31m\u202e|`@all\n# x"


def judgement(quote: str = "poor thing", notes: str = "Talks down.", **flags: bool | None) -> Judgement:
    answers = dict.fromkeys(SEED.hard_fail_ids, False) | {"pity": True} | flags
    verdict = Verdict(
        axes=dict.fromkeys(SEED.axis_ids, 9) | {"repair_quality": None},
        flags={name: Flag(answer, (quote,) if answer else ()) for name, answer in answers.items()},
        case_id="GRF-003",
        notes=notes,
    )
    return score_verdict(verdict, SEED, Asked(reply="oh you poor thing"), row=2, subject="bot", judge="openai/m")


def test_json_has_the_fields_of_the_line() -> None:
    line = json.loads(judgement().to_json())

    assert line == judgement().to_dict()
    assert (line["row"], line["case_id"], line["subject"], line["judge"]) == (2, "GRF-003", "bot", "openai/m")
    assert line["hard_fails"]["pity"] == {"present": True, "quotes": ["poor thing"], "confirmed": True}
    assert (line["total"], line["axis_total"], line["defaulted"]) == (0, 92, ["repair_quality"])
    assert line["stated"] == {"total": None, "verdict": None}
    assert "title" not in line


def test_json_of_what_is_not_seen_is_null() -> None:
    line = judgement(pity=None).to_dict()

    assert line["hard_fails"]["pity"] == {"present": None, "quotes": [], "confirmed": None}
    assert (line["total"], line["verdict"]) == (None, None)


def test_unjudged_is_null_but_for_its_reason() -> None:
    line = score_verdict(Unjudged(Reason.EMPTY, "nothing"), SEED).to_dict()

    assert (line["status"], line["reason"], line["detail"]) == ("unjudged", "empty", "nothing")
    assert {line[name] for name in ("axes", "hard_fails", "total", "stated", "repairs", "notes")} == {None}


def test_repr_says_the_outcome() -> None:
    assert repr(judgement()) == "<Judgement FAIL for GRF-003: total 0, applicable total 90, hard fails: pity>"
    assert repr(judgement(pity=None)) == "<Judgement no fault found for GRF-003, by the criteria that this judge sees>"
    assert repr(score_verdict(Unjudged(Reason.TIMEOUT, "120 s"), SEED)) == "<Judgement unjudged: timeout (120 s)>"


def test_markdown_shows_every_answer() -> None:
    text = judgement(lecturing=None).to_markdown()

    assert text.startswith("**FAIL for GRF-003: total 0")
    for row in (
        "| naturalness | 9 |",
        "10 (default)",
        "YES: “poor thing” |",
        "| manipulation | NO |",
        "not seen",
    ):
        assert row in text.replace("\\_", "_")


def test_unconfirmed_quote_is_marked() -> None:
    assert "(not confirmed)" in judgement("somebody else")._repr_html_()
    assert "(not confirmed)" not in judgement()._repr_html_()


@pytest.mark.parametrize("text", [HOSTILE, "\ud83d", "</table><script>"])
def test_foreign_text_does_no_harm(text: str) -> None:
    harmless(judgement(text, text))


@given(HOSTILE_TEXT, HOSTILE_TEXT)
def test_no_foreign_text_does_harm(quote: str, notes: str) -> None:
    harmless(judgement(quote, notes))


def harmless(found: Judgement) -> None:
    html, markdown, line = found._repr_html_(), found.to_markdown(), found.to_json()
    for text in (html, markdown, line, repr(found)):
        assert for_terminal(text) == text
        text.encode()
    assert html.count("<") == html.replace("<b>", "").count("<")
    assert html.count("<tr>") == len(SEED.axis_ids) + len(SEED.hard_fail_ids) + bool(found.notes)
    tokens = MarkdownIt("commonmark", {"html": True}).enable("table").parse(markdown)
    kinds = {token.type for one in tokens for token in (one, *(one.children or ()))}
    assert not kinds & {"html_block", "html_inline", "link_open", "image", "heading_open", "fence"}
    # JSON cannot tell two halves of a surrogate pair from the character that they make.
    assert json.loads(line) == json.loads(json.dumps(found.to_dict()))
