"""Keys cover all that can change a result, and nothing else."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.builders import case

from iamhumans.cases import Case
from iamhumans.prompts import Message, Request
from iamhumans.runs.keys import (
    check_token,
    content_hash,
    judgement_key,
    preference_key,
    reply_key,
    request_hash,
    salted,
)

REPLY: dict[str, Any] = {"settings": {"temperature": 0.7}, "skill_hash": "s", "case": case("hello"), "number": 1}
JUDGEMENT: dict[str, Any] = {
    "rubric_hash": "r",
    "prompt_hash": "p",
    "persona_hash": "q",
    "case_hash": "c",
    "reply_hash": "t",
    "settings": {"temperature": 0},
    "repeat": 1,
}
PREFERENCE: dict[str, Any] = {
    "prompt_hash": "p",
    "persona_hash": "q",
    "case_hash": "c",
    "first_hash": "a",
    "second_hash": "b",
    "settings": {"model": "tiny"},
}


def changed(value: object) -> object:
    if isinstance(value, dict):
        return {**value, "seed": 1}
    if isinstance(value, Case):
        return case("another")
    return value + 1 if isinstance(value, int) else f"{value}x"


@pytest.mark.parametrize(
    ("key", "ingredients", "name"),
    [
        (key, ingredients, name)
        for key, ingredients in ((reply_key, REPLY), (judgement_key, JUDGEMENT), (preference_key, PREFERENCE))
        for name in ingredients
    ],
)
def test_each_ingredient_changes_the_key(key: Any, ingredients: dict[str, Any], name: str) -> None:
    assert key(**{**ingredients, name: changed(ingredients[name])}) != key(**ingredients)


def test_the_order_of_two_replies_changes_the_key() -> None:
    swapped = {**PREFERENCE, "first_hash": "b", "second_hash": "a"}
    assert preference_key(**swapped) != preference_key(**PREFERENCE)


def test_a_salt_changes_every_key() -> None:
    assert salted("key", "") == "key"
    assert len({salted("key", ""), salted("key", "a"), salted("key", "b"), salted("other", "a")}) == 4


def test_the_order_of_settings_changes_nothing() -> None:
    one, other = {"temperature": 1, "seed": 2}, {"seed": 2, "temperature": 1}
    assert reply_key(**{**REPLY, "settings": one}) == reply_key(**{**REPLY, "settings": other})


def test_no_text_can_be_shifted_from_one_ingredient_to_the_next() -> None:
    one = judgement_key(**{**JUDGEMENT, "rubric_hash": "ab", "prompt_hash": "c"})
    assert one != judgement_key(**{**JUDGEMENT, "rubric_hash": "a", "prompt_hash": "bc"})


@given(st.text(st.characters()))
def test_every_text_has_a_hash(text: str) -> None:
    assert len(content_hash(text)) == 64
    assert len(request_hash(Request((Message("user", text),)))) == 32


@given(st.lists(st.text(max_size=5), max_size=4), st.lists(st.text(max_size=5), max_size=4))
def test_requests_with_other_messages_have_other_hashes(one: list[str], other: list[str]) -> None:
    first, second = (Request(tuple(Message("user", text) for text in texts)) for texts in (one, other))
    assert (request_hash(first) == request_hash(second)) == (one == other)


def test_a_schema_is_part_of_a_request() -> None:
    messages = (Message("user", "x"),)
    hashes = {
        request_hash(Request(messages, schema)) for schema in (None, {"type": "object"}, {"type": "string"}, {"a": 1})
    }
    assert len(hashes) == 4
    assert request_hash(Request(messages, {"a": 1})) in hashes


def test_a_token_is_the_same_each_time_and_needs_the_secret() -> None:
    token = check_token(b"secret", "key")
    assert token == check_token(b"secret", "key")
    assert token != check_token(b"another", "key")
    assert token != check_token(b"secret", "other key")
    assert len(token) == 10
    assert set(token) <= set("abcdefghijklmnopqrstuvwxyz234567")
