"""Nothing that is or looks like a key gets through."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iamhumans.models.redaction import Redactor
from iamhumans.models.http_client import Server

KEYS = st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=8, max_size=60).filter(
    lambda key: key not in "[key]"
)


@given(KEYS, st.text(max_size=50), st.text(max_size=50))
def test_a_known_key_is_never_shown(key: str, before: str, after: str) -> None:
    shown = Redactor([key]).shown(f"{before} {key} {after}")
    assert key not in shown.replace("[key]", "")


@pytest.mark.parametrize(
    "text",
    [
        "Incorrect API key provided: sk-proj-abcdef123456.",
        "sk-ant-api03-abcdef",
        "Authorization: Bearer abcdef123456",
        "authorization='abcdef123456'",
        '{"x-api-key": "abcdef123456"}',
        "https://example.org/v1?key=abcdef123456",
        "Basic YWJjZGVmMTIzNDU2Nzg5MA== abcdef123456"[:35],
    ],
)
def test_what_looks_like_a_key_is_masked(text: str) -> None:
    shown = Redactor().shown(text)
    assert "abcdef" not in shown
    assert "YWJj" not in shown
    assert "[key]" in shown


@pytest.mark.parametrize("form", ["ab%2Fcd%2Bef01", "ab\\/cd+ef01", "AB/CD+EF01"])
def test_a_known_key_is_masked_in_its_usual_spellings(form: str) -> None:
    assert Redactor(["ab/cd+ef01"]).shown(f"it was {form}") == "it was [key]"


@pytest.mark.parametrize("text", ["Missing bearer token", "basic auth is off", "the task-list is long", "no key given"])
def test_ordinary_words_stay(text: str) -> None:
    assert Redactor(["", "a"]).shown(text) == text


def test_a_key_at_the_place_where_the_text_is_cut_is_masked() -> None:
    key = "k" * 20
    assert "kkkk" not in Redactor([key]).shown("x" * 295 + key)


def test_an_answer_loses_nothing_but_known_keys() -> None:
    text = "say Bearer abc\x00 sk-abcdefghijk and secret-1234"
    assert Redactor(["secret-1234"]).answer(text) == "say Bearer abc\x00 sk-abcdefghijk and [key]"


def test_the_key_of_a_server_is_not_in_its_repr() -> None:
    server = Server("https://h/v1", "h", {"Authorization": "Bearer secret-1234"}, Redactor())
    assert "secret-1234" not in repr(server)
