"""Whether the words that a judge quotes are in the reply, and confirm anything."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.builders import HOSTILE_TEXT

from iamhumans.verdicts import Flag, confirm_flags
from iamhumans.verdicts.quotes import STRUCTURE


def confirmed(reply: str | None, *quotes: str, present: bool = True) -> bool | None:
    return confirm_flags({"pity": Flag(present, quotes)}, reply)["pity"].confirmed


@pytest.mark.parametrize(
    ("reply", "quote"),
    [
        pytest.param("I want to acknowledge it", "I want to acknowledge", id="verbatim"),
        pytest.param("in the cafe\u0301 again", "caf\u00e9", id="composed quote, decomposed reply"),
        pytest.param("in the caf\u00e9 again", "the cafe\u0301", id="decomposed quote, composed reply"),
        pytest.param("I’m “so” sorry", 'I\'m "so" sorry', id="curly marks in the reply"),
        pytest.param('I\'m "so" sorry', "I’m “so” sorry", id="curly marks in the quote"),
        pytest.param("I'm so\n\n  sorry", "so sorry", id="line ends in the reply"),
        pytest.param("I'm so sorry", "I'm\nso\t sorry\n", id="line ends in the quote"),
        pytest.param("so\u00a0sorry", "so sorry", id="a blank that does not break"),
        pytest.param("Certainly! Here", "Certainly!", id="one word"),
        pytest.param("ok so sorry", "so sorry", id="two short words"),
        pytest.param("oh, poor you", "poor", id="one word of four letters"),
        pytest.param("don't go", "don't", id="one word with an apostrophe"),
        pytest.param("it is 3 a.m.", "3 a.m.", id="a number and a word"),
        pytest.param("oh you poor thing", "“oh you poor thing”", id="marks around the quote"),
        pytest.param("oh you poor thing", "'\"oh you poor thing\"'", id="two marks around the quote"),
        pytest.param('she said "never" twice', '"never"', id="marks that are in the reply"),
        pytest.param("**Great** question", "**Great** question", id="markup as it is"),
        pytest.param("そのお気持ちはよくわかります。", "お気持ち", id="a language without blanks"),
        pytest.param("気持ち、わかる", "気持", id="two characters"),
        pytest.param("ฉันไม่รู้", "ไม่", id="a Thai word"),
        pytest.param("그래 힘내 정말", "힘내", id="a Korean word"),
        pytest.param("वह नहीं आया", "नहीं", id="a Hindi word of letters and marks"),
        pytest.param("so proud 🎉🎉", "🎉🎉", id="two emoji"),
        pytest.param("so proud 🎉", "proud 🎉", id="an emoji with a word"),
        pytest.param("go 🇩🇪🇫🇷", "🇩🇪🇫🇷", id="two flags"),
        pytest.param("knows the snow", "snow", id="a word after a part of another"),
        pytest.param("world's end", "world", id="a word before an apostrophe"),
    ],
)
def test_quote_in_the_reply_is_confirmed(reply: str, quote: str) -> None:
    assert confirmed(reply, quote) is True


@pytest.mark.parametrize(
    ("reply", "quote"),
    [
        pytest.param("I want to acknowledge it", "i want to acknowledge", id="case"),
        pytest.param("I want to really acknowledge it", "I want to … acknowledge", id="ellipsis"),
        pytest.param("I want to really acknowledge it", "I want to ... acknowledge", id="three dots"),
        pytest.param("I want to acknowledge it", "I want to acknowledge…", id="ellipsis at the end"),
        pytest.param("well… yes", "well... yes", id="dots for an ellipsis"),
        pytest.param("cafe", "café", id="accent"),
        pytest.param("it is so - yes", "it is so – yes", id="dash"),
        pytest.param("**Great** question", "Great question", id="markup left out"),
        pytest.param("Great question", "Great  questions", id="one letter more"),
        pytest.param("I know that", "no", id="a part of a word"),
        pytest.param("I know that", "kno", id="the beginning of a word"),
        pytest.param("I know that", "now", id="the end of a word"),
        pytest.param("in 2019", "201", id="a part of a number"),
        pytest.param("Straße", "Stra", id="a part of a German word"),
        pytest.param("same", "", id="empty"),
        pytest.param("a b", " \n", id="blank"),
        pytest.param("so... yes?!", "...", id="dots"),
        pytest.param("so… yes", "…", id="ellipsis alone"),
        pytest.param('"no"', '""', id="quote marks"),
        pytest.param("a | b", "|", id="a bar"),
        pytest.param("1 + 1", "+", id="a sign"),
        pytest.param("```x```", "```", id="a fence"),
        pytest.param("a\u200bb", "\u200b", id="an invisible character"),
        pytest.param("", "word", id="an empty reply"),
        pytest.param("well, I know", "I", id="one letter"),
        pytest.param("well, I know", '"I"', id="one letter in marks"),
        pytest.param("oh, I see", "see", id="one word of three letters"),
        pytest.param("in 2019", "2019", id="a number alone"),
        pytest.param("what a thing", "a t", id="a letter and a part of a word"),
        pytest.param("うん", "う", id="one character"),
        pytest.param("ฉันไม่รู้", "ไ", id="one Thai character"),
        pytest.param("so proud 🎉", "🎉", id="one emoji"),
        pytest.param("so proud ❤️", "❤️", id="one emoji with a selector"),
        pytest.param("so proud 👨‍👩‍👧", "👨‍👩‍👧", id="one emoji of several people"),
        pytest.param("go 🇩🇪", "🇩🇪", id="one flag"),
        pytest.param("- a\n- b", "a", id="a line of a list, for another hard fail"),
    ],
)
def test_quote_that_confirms_nothing(reply: str, quote: str) -> None:
    assert confirmed(reply, quote) is False


def test_one_quote_of_several_is_enough() -> None:
    assert confirmed("so sorry", "nowhere", "so sorry") is True


def test_yes_without_a_quote_is_not_confirmed() -> None:
    assert confirmed("so sorry") is False


def test_nothing_is_to_be_confirmed_of_a_no() -> None:
    assert confirmed("so sorry", "so sorry", present=False) is None


def test_nothing_can_be_confirmed_without_a_reply() -> None:
    assert confirmed(None, "so sorry") is None


@pytest.mark.parametrize(
    ("quote", "expected"),
    [
        ("- a", True),
        ("a", True),
        ("2) b", True),
        ("b", True),
        ("- 🎉", True),
        ("c", False),
        ("- c", False),
        ("-", False),
    ],
)
def test_a_copied_line_of_a_list_confirms_structure_however_short(quote: str, expected: bool) -> None:
    flags = confirm_flags({STRUCTURE: Flag(True, (quote,))}, "Try c:\n- a\n  2) b\n- 🎉\n-")
    assert flags[STRUCTURE].confirmed is expected


def test_every_flag_is_reported() -> None:
    flags = {"a": Flag(True, ("word",)), "b": Flag(False), "c": Flag(True)}
    found = {name: flag.confirmed for name, flag in confirm_flags(flags, "word").items()}
    assert found == {"a": True, "b": None, "c": False}
    assert confirm_flags(flags, None) == flags


@given(st.lists(st.text("aBé ’“\n🙂。0", min_size=1, max_size=6), min_size=3, max_size=6), st.data())
def test_two_whole_words_of_a_reply_are_always_found(words: list[str], data: st.DataObject) -> None:
    words = [f"word{word}" for word in words]
    start = data.draw(st.integers(0, len(words) - 2))
    end = data.draw(st.integers(start + 2, len(words)))
    quote = "\n".join(words[start:end])

    assert confirmed("  ".join(words), unicodedata.normalize("NFD", quote)) is True


@given(HOSTILE_TEXT, HOSTILE_TEXT)
def test_no_texts_raise(reply: str, quote: str) -> None:
    assert confirmed(reply, quote) in (True, False)
