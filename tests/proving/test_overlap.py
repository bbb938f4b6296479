"""Finding words in a row that two texts share."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.proving.overlap import Overlap, Passage, find_overlaps, share_words
from tests.proving.pattern_words import pattern_words

from iamhumans.errors import Place

ONE = "The ferry left at ten past six and nobody waved."


def passage(text: str, owner: str, kind: str = "case", line: int = 1) -> Passage:
    return Passage(text, Place(Path(f"{owner}.md"), line), kind, owner)


def test_six_words_in_a_row_are_found_with_both_places() -> None:
    second = passage("A wet day.\nStill, it left at ten\npast six and sank.", "b", line=10)
    assert find_overlaps([passage(ONE, "a", line=3), second]) == [
        Overlap("left at ten\npast six and", Place(Path("a.md"), 3), Place(Path("b.md"), 11))
    ]


def test_five_words_in_a_row_are_none() -> None:
    assert share_words("it left at ten past seven", ONE) == ()


def test_a_run_is_found_as_long_as_it_is() -> None:
    assert share_words(f"So: {ONE}", ONE) == (ONE[:-1],)


@pytest.mark.parametrize(
    "text",
    ["LEFT AT TEN PAST SIX AND", "left -- at ten, past six; and", "left\n\nat ten past six *and*"],
    ids=["capitals", "punctuation", "line ends"],
)
def test_dress_does_not_hide_them(text: str) -> None:
    assert len(share_words(text, ONE)) == 1


def test_the_kind_of_apostrophe_does_not_hide_them() -> None:
    assert share_words("I don’t think it’s far from here", "i don't think it's far from") == (
        "I don’t think it’s far from",
    )


def test_an_apostrophe_joins_a_word_and_a_quote_does_not() -> None:
    assert share_words("one two three four five's end", "one two three four five six") == ()
    assert share_words("'one' two three four five six", "one two three 'four five' six") != ()


def test_passages_of_one_owner_share_what_they_like() -> None:
    assert find_overlaps([passage(ONE, "a"), passage(ONE, "a")]) == []


def test_kinds_that_are_not_compared_share_what_they_like() -> None:
    two = [passage(ONE, "a", "rule"), passage(ONE, "b", "rubric")]
    assert find_overlaps(two, compared=lambda first, second: first == second) == []


def test_words_that_two_others_have_are_found_in_both() -> None:
    found = find_overlaps([passage(ONE, "a"), passage(ONE, "b"), passage(ONE, "c")])
    assert [(str(one.first), str(one.second)) for one in found] == [
        ("a.md:1", "b.md:1"),
        ("a.md:1", "c.md:1"),
        ("b.md:1", "c.md:1"),
    ]


def test_two_runs_of_one_pair_that_begin_in_other_lines_are_both_found() -> None:
    other = "Nine gulls sat on the harbour wall"
    found = find_overlaps([passage(f"{ONE}\n{other}", "a"), passage(f"{other}\nand\n{ONE}", "b")])
    assert [(one.first.line, one.second.line) for one in found] == [(2, 1), (1, 3)]


def test_another_length_may_be_asked_for() -> None:
    assert share_words("it left at ten past seven", ONE, words=4) == ("left at ten past",)
    with pytest.raises(ValueError, match="one word"):
        find_overlaps([], words=0)


JAPANESE = "港の食堂でおばさんが名前を呼んでくれた"


def test_twelve_characters_of_japanese_in_a_row_are_found() -> None:
    assert share_words(f"昨日、{JAPANESE[:12]}らしい", JAPANESE) == (JAPANESE[:12],)


def test_eleven_characters_of_japanese_are_none() -> None:
    assert share_words(f"昨日、{JAPANESE[:11]}らしい", JAPANESE) == ()


@pytest.mark.parametrize(
    "text",
    [
        "कल रात बिजली चली गई और हम छत पर बैठे रहे",
        "انقطعت الكهرباء البارحة وجلسنا على السطح حتى الفجر",
        "mất điện cả đêm nên cả nhà lên sân thượng ngồi",
    ],
    ids=["Hindi", "Arabic", "Vietnamese"],
)
def test_words_of_other_scripts_are_words(text: str) -> None:
    six = " ".join(text.split()[:6])
    five = " ".join(text.split()[:5])
    assert share_words(six, text) == (six,)
    assert share_words(five, text) == ()


WORDS = st.lists(st.sampled_from(["ab", "cd", "ef", "gh"]), max_size=30).map(" ".join)


@given(WORDS, WORDS)
def test_something_is_found_exactly_where_six_words_are_shared(one: str, other: str) -> None:
    def grams(text: str) -> set[tuple[str, ...]]:
        words = re.findall(r"\w+", text)
        return {tuple(words[start : start + 6]) for start in range(len(words) - 5)}

    assert bool(share_words(one, other)) == bool(grams(one) & grams(other))


@given(st.text(), st.text())
def test_any_text_can_be_compared(one: str, other: str) -> None:
    for words in share_words(one, other):
        assert words in one


def readings(pattern: str) -> set[str]:
    return {" ".join(words.split()) for words in pattern_words(pattern)}


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        (r"\btake (?:all )?the time\b", {"take all the time", "take the time"}),
        (r"(?:one|two) by (?:three|four)", {"one by three", "one by four", "two by three", "two by four"}),
        (r"you(?:'re| are) here|gone", {"you're here", "you are here", "gone"}),
        (r"once[- ]in a lifetime", {"once in a lifetime"}),
        (r"far [a-z]+ away", {"far", "away"}),
        (r"far .*? away", {"far", "away", "far away"}),
        (r"(?:very )*late", {"very", "late"}),
        (r"a\.b\d", {"a.b"}),
        (r"sure(?! thing)\b", {"sure"}),
        ("No pattern (it has brackets), but prose. Is it?", {"No pattern (it has brackets), but prose. Is it?"}),
        ("Odd ) brackets (?:", {"Odd ) brackets (?:"}),
    ],
)
def test_a_pattern_is_read_in_all_its_ways(pattern: str, expected: set[str]) -> None:
    assert readings(pattern) == expected


@given(st.text(st.sampled_from("ab ()|?*+[]{}\\.^$:-"), max_size=40))
def test_any_text_can_be_read_as_a_pattern(text: str) -> None:
    list(pattern_words(text))
