"""Keys cover all that can change a result, and nothing else."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iamhumans.prompts import Message, Request
from iamhumans.runs import check_token, content_hash, given_reply_key, judgement_key, reply_key
from iamhumans.runs.keys import request_hash

REPLY: dict[str, Any] = {
    "subject": "openai/gpt-5.1",
    "settings": {"temperature": 0.7},
    "skill_hash": "s",
    "case_hash": "c",
    "number": 1,
    "salt": "",
}
JUDGEMENT: dict[str, Any] = {
    "rubric_hash": "r",
    "prompt_hash": "p",
    "persona_hash": "q",
    "case_hash": "c",
    "reply_hash": "t",
    "judge": "openai/gpt-5.1",
    "settings": {"temperature": 0},
    "repeat": 1,
    "salt": "",
}


def changed(value: object) -> object:
    if isinstance(value, dict):
        return {**value, "seed": 1}
    return value + 1 if isinstance(value, int) else f"{value}x"


@pytest.mark.parametrize("name", REPLY)
def test_each_ingredient_of_a_reply_changes_its_key(name: str) -> None:
    assert reply_key(**{**REPLY, name: changed(REPLY[name])}) != reply_key(**REPLY)


@pytest.mark.parametrize("name", JUDGEMENT)
def test_each_ingredient_of_a_judgement_changes_its_key(name: str) -> None:
    assert judgement_key(**{**JUDGEMENT, name: changed(JUDGEMENT[name])}) != judgement_key(**JUDGEMENT)


def test_the_order_of_settings_changes_nothing() -> None:
    one, other = {"temperature": 1, "seed": 2}, {"seed": 2, "temperature": 1}
    assert reply_key(**{**REPLY, "settings": one}) == reply_key(**{**REPLY, "settings": other})


def test_no_text_can_be_shifted_from_one_ingredient_to_the_next() -> None:
    one = given_reply_key(subject="ab", case_hash="c", number=1, text="x")
    assert one != given_reply_key(subject="a", case_hash="bc", number=1, text="x")


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
