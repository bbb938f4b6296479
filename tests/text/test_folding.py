"""Which texts count as the same words."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.builders import HOSTILE_TEXT

from iamhumans.text import fold, has_substance


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("caf\u00e9", "cafe\u0301"),
        ("“so it goes”", '"so it goes"'),
        ("I’m", "I'm"),
        ("«oui»", '"oui"'),
        ("a  b\t\nc", "a b c"),
        ("a\u00a0b\u2003c\u3000d", "a b c d"),
        ("  a ", "a"),
    ],
)
def test_same_words_fold_to_the_same(one: str, other: str) -> None:
    assert fold(one) == fold(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Sorry", "sorry"),
        ("well…", "well..."),
        ("well", "well."),
        ("café", "cafe"),
        ("ﬁne", "fine"),
        ("①", "1"),
        ("a-b", "a–b"),
        ("ａ", "a"),
        ("ab", "a\u200bb"),
    ],
)
def test_nothing_looser_than_that(one: str, other: str) -> None:
    assert fold(one) != fold(other)


@given(HOSTILE_TEXT)
def test_folding_twice_changes_nothing(text: str) -> None:
    assert fold(fold(text)) == fold(text)


@given(st.text())
def test_unicode_forms_do_not_matter(text: str) -> None:
    assert fold(unicodedata.normalize("NFD", text)) == fold(unicodedata.normalize("NFC", text))


@pytest.mark.parametrize("text", ["a", "7", "。は", "🥲", "…a", "½", "한"])
def test_words_digits_and_pictures_are_substance(text: str) -> None:
    assert has_substance(text)


@pytest.mark.parametrize(
    "text", ["", " \n\t", "...", "…", "?!", "—", "“”", "|", "+", "= ~ ^ ` $ < >", "\u200b", "\u0301", "\x1b"]
)
def test_punctuation_and_blanks_are_none(text: str) -> None:
    assert not has_substance(text)
