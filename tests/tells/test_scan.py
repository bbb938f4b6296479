"""What always holds of a scan."""

from __future__ import annotations

import doctest
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.tells.cases import RAISE, SMALL_TALK, VOICEMAIL, found

from iamhumans.cases import Case
from iamhumans.errors import InputError
from iamhumans.rubrics import load_rubric
from iamhumans.tells import MAX_QUOTE, RULES, Rule, find_tells, quote_of
from iamhumans.tells.folded import fold_in_place

SAMPLES = (
    "Great question! ",
    "I hear you. ",
    "\n- one\n- two\n",
    "When I was small, ",
    "“my mother” ",
    "İ",
    "ß",
    "🌟 ",
    " — ",
    "Your feelings are valid. ",
    "Just remember that it may be hard. ",
    "I can smell the rain ",
    "as an AI, I can't ",
)
PIECES = st.lists(st.one_of(st.text(max_size=30), st.sampled_from(SAMPLES)), max_size=12).map("".join)


@given(PIECES, st.sampled_from([VOICEMAIL, RAISE, SMALL_TALK]))
def test_a_tell_is_a_verbatim_slice_of_the_reply(reply: str, case: Case) -> None:
    for tell in find_tells(reply, case=case):
        assert 0 <= tell.start < tell.end <= len(reply)
        assert reply[tell.start : tell.end] == tell.text


@given(PIECES)
def test_a_quote_stands_in_the_reply_and_is_short(reply: str) -> None:
    for tell in find_tells(reply, case=VOICEMAIL):
        quote = quote_of(reply, tell)
        assert quote
        assert quote in reply
        assert len(quote) <= MAX_QUOTE


@given(PIECES)
def test_tells_are_sorted_and_the_same_each_time(reply: str) -> None:
    tells = find_tells(reply, case=VOICEMAIL)
    assert tells == find_tells(reply, case=VOICEMAIL)
    assert [(tell.start, tell.end, tell.rule) for tell in tells] == sorted((t.start, t.end, t.rule) for t in tells)


@given(st.text())
def test_folding_keeps_every_position(text: str) -> None:
    assert len(fold_in_place(text)) == len(text)


def test_curly_quotes_and_capitals_make_no_difference() -> None:
    assert found("I’M HERE FOR YOU.") == found("I'm here for you.")


def test_positions_are_right_after_an_emoji() -> None:
    tell = next(
        tell
        for tell in find_tells("🎉é İ I hear you.", case=VOICEMAIL)
        if tell.axis_or_hard_fail == "performed_empathy"
    )
    assert tell.text == "I hear you"


def test_a_reply_in_quotation_marks_as_a_whole_is_no_quotation() -> None:
    assert "performed_empathy" in found("“I hear you. That is a long time to wait.”")


def test_a_quote_is_the_sentence_around_a_tell() -> None:
    reply = "It rained. Still, when I was ten we had no car. So."
    tell = find_tells(reply, case=VOICEMAIL)[0]
    assert quote_of(reply, tell) == "Still, when I was ten we had no car."


def test_no_case_is_needed() -> None:
    assert find_tells("Great question! - yes")


def test_a_message_is_a_case_of_one_turn() -> None:
    reply = "- one\n- two"
    message = VOICEMAIL.conversation[0].text
    assert find_tells(reply, input=message) == find_tells(reply, case=VOICEMAIL) != find_tells(reply)


def test_a_message_beside_a_case_is_an_error() -> None:
    with pytest.raises(InputError, match="Both"):
        find_tells("- one", input="hi", case=VOICEMAIL)


def test_a_tell_is_plain_data_for_json() -> None:
    (tell,) = find_tells("Great question! Yes.")
    assert json.loads(json.dumps(tell.to_dict())) == {
        "rule": "sycophancy.question",
        "axis_or_hard_fail": "sycophancy",
        "start": 0,
        "end": 15,
        "text": "Great question!",
        "meaning": "The reply praises the question or the remark.",
    }


def test_the_documented_example_holds() -> None:
    (example,) = doctest.DocTestFinder().find(find_tells, globs={"find_tells": find_tells})
    assert example.examples
    assert doctest.DocTestRunner().run(example).failed == 0


def test_an_empty_reply_has_no_tells() -> None:
    assert find_tells("", case=VOICEMAIL) == ()


def test_a_case_without_turns_is_read_as_no_moment() -> None:
    assert find_tells("- one\n- two", case=Case("row-1", ())) == ()


def test_rule_ids_are_unique() -> None:
    assert len({rule.id for rule in RULES}) == len(RULES)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_a_rule_says_what_a_finding_means(rule: Rule) -> None:
    assert rule.meaning.endswith(".")


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_a_rule_takes_points_of_axes(rule: Rule) -> None:
    assert rule.points
    assert set(rule.points) <= set(load_rubric("iamhumans").axis_ids)


@pytest.mark.parametrize("piece", ["my mother ", "“a” my mother ", "I hear you — ", "- a\n", "'a ", '"'])
def test_a_huge_text_without_full_stops_is_read(piece: str) -> None:
    # In quadratic time this would take minutes for a text of the size that a file may have.
    reply = piece * (60_000 // len(piece))
    assert all(len(quote_of(reply, tell)) <= MAX_QUOTE for tell in find_tells(reply, case=VOICEMAIL))
