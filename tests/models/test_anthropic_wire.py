"""Anthropic's format: what is sent, what is read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.models.asking import KEY, SCHEMA, STRUCTURED, anthropic, ask, failure, habits_of, table
from tests.servers import Behaviour, ChatServer, Received, raw, refuse, say

from iamhumans.models import FailureKind, Usage
from iamhumans.prompts import Message, Request


def test_the_system_message_goes_out_apart_and_can_be_cached() -> None:
    with ChatServer() as server:
        ask(anthropic(server.anthropic_url))
    assert server.bodies[0] == {
        "model": "claude-test",
        "max_tokens": 4096,
        "system": [{"type": "text", "text": "You judge.", "cache_control": {"type": "ephemeral"}}],
        "messages": [{"role": "user", "content": "hello"}],
    }


def test_without_a_system_message_none_is_sent() -> None:
    with ChatServer() as server:
        ask(anthropic(server.anthropic_url), Request((Message("user", "hello"),)))
    assert "system" not in server.bodies[0]


def test_the_key_and_the_version_go_out_as_headers() -> None:
    with ChatServer() as server:
        ask(anthropic(server.anthropic_url))
    headers = server.requests[0].headers
    assert (headers["x-api-key"], headers["anthropic-version"], "authorization" in headers) == (
        KEY,
        "2023-06-01",
        False,
    )


@pytest.mark.parametrize("ending", ["", "/", "/v1", "/v1/messages"])
def test_the_call_goes_to_messages(ending: str) -> None:
    with ChatServer() as server:
        ask(anthropic(server.anthropic_url + ending))
    assert server.requests[0].path == "/v1/messages"


def test_prompt_tokens_are_fresh_and_cached_ones_together() -> None:
    usage = {
        "input_tokens": 10,
        "cache_read_input_tokens": 900,
        "cache_creation_input_tokens": 90,
        "output_tokens": 5,
    }
    with ChatServer([say(usage=usage)]) as server:
        assert ask(anthropic(server.anthropic_url)).usage == Usage(1000, 900, 5, written=90)


@pytest.mark.parametrize(
    ("reason", "normal"),
    [
        ("end_turn", "stop"),
        ("stop_sequence", "stop"),
        ("max_tokens", "length"),
        ("model_context_window_exceeded", "length"),
        ("refusal", "content_filter"),
        ("pause_turn", "length"),
        ("tool_use", "stop"),
        ("a_new_word", "a_new_word"),
        (None, ""),
    ],
)
def test_reasons_for_an_end_have_one_name(reason: str, normal: str) -> None:
    with ChatServer([say(stop_reason=reason)]) as server:
        assert ask(anthropic(server.anthropic_url)).answer.finish_reason == normal


def test_only_text_blocks_are_the_text() -> None:
    blocks = [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "a"}, {"type": "text", "text": "b"}]
    with ChatServer([say(content=blocks)]) as server:
        assert ask(anthropic(server.anthropic_url)).answer.text == "ab"


def test_an_end_without_a_word_is_an_empty_answer() -> None:
    with ChatServer([say(content=[])]) as server:
        assert ask(anthropic(server.anthropic_url)).answer.text == ""


@pytest.mark.parametrize("content", [None, "text", {}])
def test_content_that_is_no_list_is_a_bad_answer(content: Any) -> None:
    with ChatServer([say(content=content)]) as server:
        assert failure(anthropic(server.anthropic_url)).kind is FailureKind.BAD_ANSWER


def test_a_schema_is_plain_text_unless_it_is_set() -> None:
    with ChatServer() as server:
        ask(anthropic(server.anthropic_url), STRUCTURED)
    assert "tools" not in server.bodies[0]


def test_a_schema_that_is_set_forces_a_tool_and_its_input_is_the_text(tmp_path: Path) -> None:
    block = {"type": "tool_use", "id": "1", "name": "answer", "input": {"a": "é"}}
    with ChatServer([say(content=[block], stop_reason="tool_use")]) as server:
        model = table(tmp_path, server.anthropic_url, 'wire = "anthropic"', 'structured = "json_schema"')
        answer = ask(model, STRUCTURED).answer
    assert server.bodies[0]["tools"][0]["input_schema"] == SCHEMA
    assert server.bodies[0]["tool_choice"] == {"type": "tool", "name": "answer"}
    assert (answer.text, answer.finish_reason) == ('{"a": "é"}', "stop")


def test_of_temperature_and_top_p_one_is_left_out_where_both_are_too_much(tmp_path: Path) -> None:
    def script(received: Received) -> Behaviour:
        if "top_p" in received.body:
            return refuse(400, "`temperature` and `top_p` cannot both be specified for this model.")
        return say()

    with ChatServer(script) as server:
        model = table(tmp_path, server.anthropic_url, 'wire = "anthropic"', "temperature = 0", "top_p = 0.9")
        ask(model)
    assert habits_of(model) == {"left_out": ("top_p",)}
    assert server.bodies[1]["temperature"] == 0


def test_an_error_with_status_200_is_an_error() -> None:
    body = '{"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}'
    with ChatServer([raw(body)]) as server:
        assert failure(anthropic(server.anthropic_url)).kind is FailureKind.OVERLOADED


def test_the_limit_that_is_sent_by_default_is_part_of_the_identity() -> None:
    assert anthropic("http://127.0.0.1:9").identity.settings["max_tokens"] == 4096
