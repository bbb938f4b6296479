"""OpenAI's format: what is sent, what is read, what is left out after a refusal."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from tests.models.asking import (
    KEY,
    REQUEST,
    SCHEMA,
    STRUCTURED,
    ask,
    ask_at_once,
    ask_times,
    failure,
    habits_of,
    openai,
    table,
)
from tests.servers import Behaviour, ChatServer, Received, raw, refuse, say

from iamhumans.models import FailureKind, Usage, server_model
from iamhumans.prompts import Message, Request


def without_schema(received: Received) -> Behaviour:
    if "response_format" in received.body:
        return refuse(400, "This response_format type is unavailable now", type="invalid_request_error")
    return say("plain")


def test_the_messages_go_out_as_they_are() -> None:
    with ChatServer() as server:
        ask(openai(server.openai_url))
    assert server.bodies[0] == {
        "model": "gpt-test",
        "messages": [{"role": "system", "content": "You judge."}, {"role": "user", "content": "hello"}],
    }


def test_the_key_goes_out_as_a_bearer_token() -> None:
    with ChatServer() as server:
        ask(openai(server.openai_url))
    assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"


def test_the_call_goes_to_chat_completions_below_the_base_url() -> None:
    with ChatServer() as server:
        ask(openai(server.openai_url + "/"))
    assert server.requests[0].path == "/v1/chat/completions"


def test_the_text_and_the_model_are_read() -> None:
    with ChatServer([say("hello there", model="gpt-test-2025")]) as server:
        reception = ask(openai(server.openai_url))
    assert (reception.answer.text, reception.answer.finish_reason, reception.model) == (
        "hello there",
        "stop",
        "gpt-test-2025",
    )


def test_cached_tokens_are_counted_within_the_prompt() -> None:
    usage = {"prompt_tokens": 90, "prompt_tokens_details": {"cached_tokens": 64}, "completion_tokens": 7}
    with ChatServer([say(usage=usage)]) as server:
        assert ask(openai(server.openai_url)).usage == Usage(prompt=90, cached=64, completion=7)


@pytest.mark.parametrize("tokens", [-5, True, "12", 1.5, None, 10**12])
def test_a_count_that_cannot_be_one_is_unknown(tokens: Any) -> None:
    with ChatServer([say(usage={"prompt_tokens": tokens, "completion_tokens": 1})]) as server:
        assert ask(openai(server.openai_url)).usage == Usage(prompt=None, completion=1)


@pytest.mark.parametrize("usage", [None, [], "many"])
def test_usage_that_is_no_object_is_unknown(usage: Any) -> None:
    with ChatServer([say(usage=usage)]) as server:
        assert ask(openai(server.openai_url)).usage == Usage()


@pytest.mark.parametrize("reason", ["length", "content_filter"])
def test_a_reason_for_an_end_without_text_is_an_empty_answer_with_its_reason(reason: str) -> None:
    with ChatServer([say(content=None, finish_reason=reason)]) as server:
        answer = ask(openai(server.openai_url)).answer
    assert (answer.text, answer.finish_reason) == ("", reason)


@pytest.mark.parametrize(
    ("reason", "normal"),
    [
        *((reason, "stop") for reason in ("stop", "STOP", "eos", "end_turn", "tool_calls", {"type": "stop"})),
        *((reason, "length") for reason in ("length", "MAX_TOKENS", "model_length")),
        *((reason, "content_filter") for reason in ("content_filter", "SAFETY", "content_filter: PROHIBITED_CONTENT")),
        *((reason, "") for reason in (None, "", {"a": 1})),
        ("a_new_word", "a_new_word"),
    ],
)
def test_each_ending_has_one_name_and_an_unknown_one_keeps_its_own(reason: Any, normal: str) -> None:
    with ChatServer([say(finish_reason=reason)]) as server:
        assert ask(openai(server.openai_url)).answer.finish_reason == normal


def test_the_ending_of_the_server_behind_the_provider_counts() -> None:
    choice = {"message": {"content": "Oh no"}, "finish_reason": "stop", "native_finish_reason": "MAX_TOKENS"}
    with ChatServer([raw(json.dumps({"choices": [choice]}))]) as server:
        assert ask(openai(server.openai_url)).answer.finish_reason == "length"


@pytest.mark.parametrize("reason", ["error", "abort", "insufficient_system_resource"])
def test_an_answer_that_the_provider_broke_off_is_a_failure_that_was_paid_for(reason: str) -> None:
    with ChatServer([say("Oh no, not the", finish_reason=reason)]) as server:
        failed = failure(openai(server.openai_url))
    assert failed.kind is FailureKind.SERVER_ERROR
    assert f"`{reason}`" in failed.message
    assert failed.usage is not None
    assert failed.usage.completion


@pytest.mark.parametrize(
    "body",
    [
        {"choices": [{"error": {"code": 502, "message": "upstream"}, "message": {"content": "Oh"}}]},
        {"choices": [{"message": {"content": "Oh", "error": {"code": 502, "message": "upstream"}}}]},
        {"choices": [{"message": {"content": "Oh"}, "finish_reason": "stop"}], "error": {"message": "upstream"}},
    ],
)
def test_an_error_beside_half_an_answer_is_an_error(body: dict[str, Any]) -> None:
    with ChatServer([raw(json.dumps(body))]) as server:
        assert "upstream" in failure(openai(server.openai_url)).message


@pytest.mark.parametrize("content", [None, ""])
@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
def test_an_answer_whose_text_is_all_in_the_reasoning_is_empty_and_says_so(content: Any, field: str) -> None:
    choice = {"message": {"content": content, field: "Oh no."}, "finish_reason": "stop"}
    body = {"choices": [choice], "usage": {"prompt_tokens": 9, "completion_tokens": 5}}
    with ChatServer([raw(json.dumps(body))]) as server:
        reception = ask(openai(server.openai_url))
    assert (reception.answer.text, reception.answer.reasoning) == ("", "Oh no.")
    assert f"`{field}`" in reception.answer.note
    assert reception.usage == Usage(9, None, 5)


def test_a_turn_that_is_only_a_call_of_a_tool_is_empty_and_names_the_tool() -> None:
    call = {"id": "t", "type": "function", "function": {"name": "search", "arguments": "{}"}}
    choice = {"message": {"content": None, "tool_calls": [call]}, "finish_reason": "tool_calls"}
    with ChatServer([raw(json.dumps({"choices": [choice]}))]) as server:
        answer = ask(openai(server.openai_url)).answer
    assert (answer.text, answer.beside) == ("", "a call of the tool `search`")
    assert "only a call of the tool `search`" in answer.note


@pytest.mark.parametrize(
    ("usage", "said"),
    [
        (
            {"completion_tokens": 1500, "completion_tokens_details": {"reasoning_tokens": 1500}},
            "1,500 of 1,500 tokens were reasoning",
        ),
        ({"completion_tokens": 20, "reasoning_tokens": 1480}, "1,480 of 1,500 tokens were reasoning"),
        ({"completion_tokens": 1500}, "it ends after 1,500 tokens, in the reasoning, before the text"),
        ({}, "it ends, in the reasoning, before the text"),
    ],
)
def test_an_answer_that_was_cut_says_how_much_was_reasoning_and_which_setting_to_raise(
    tmp_path: Path, usage: dict[str, Any], said: str
) -> None:
    with ChatServer([say("<think>They lost", finish_reason="length", usage=usage)]) as server:
        model = table(tmp_path, server.openai_url, "max_tokens = 1500")
        note = ask(model).answer.note
    assert note == f"{said}; raise max_tokens in [models.{model.identity.name}]"


def test_a_limit_that_is_not_set_is_to_be_set_in_the_table_of_the_model() -> None:
    with ChatServer([say("Oh no, not", finish_reason="length", usage={"completion_tokens": 3})]) as server:
        note = ask(openai(server.openai_url)).answer.note
    assert note == 'it ends after 3 tokens; set max_tokens in [models."openai/gpt-test"]'


def test_an_answer_that_repeats_itself_until_the_limit_names_the_repetition(tmp_path: Path) -> None:
    with ChatServer([say("Oh no. " + "I hear you. " * 200, finish_reason="length", usage={})]) as server:
        note = ask(table(tmp_path, server.openai_url, "max_tokens = 500")).answer.note
    assert "it repeats `" in note
    assert "I hear" in note
    assert "200 times until it ends; raising max_tokens does not help" in note


def test_a_refusal_is_the_text() -> None:
    with ChatServer([say(content=None, refusal="I will not.")]) as server:
        answer = ask(openai(server.openai_url)).answer
    assert (answer.text, answer.finish_reason) == ("I will not.", "stop")


def test_text_in_parts_is_joined() -> None:
    parts = [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "a"}, {"type": "text", "text": "b"}]
    with ChatServer([say(content=parts)]) as server:
        assert ask(openai(server.openai_url)).answer.text == "ab"


def test_half_of_a_surrogate_pair_becomes_a_character_that_can_be_stored() -> None:
    with ChatServer([raw(b'{"choices": [{"message": {"content": "a\\ud83d"}, "finish_reason": "stop"}]}')]) as server:
        assert ask(openai(server.openai_url)).answer.text == "a\ufffd"


def test_settings_of_a_table_go_out(tmp_path: Path) -> None:
    with ChatServer() as server:
        ask(table(tmp_path, server.openai_url, "temperature = 0", "top_p = 0.9", "max_tokens = 50", "seed = 7"))
    settings = {name: value for name, value in server.bodies[0].items() if name not in ("model", "messages")}
    assert settings == {"temperature": 0, "top_p": 0.9, "max_tokens": 50, "seed": 7}


def test_settings_are_part_of_the_identity(tmp_path: Path) -> None:
    model = table(tmp_path, "http://127.0.0.1:9/v1", "temperature = 0", "max_tokens = 50")
    assert model.identity.settings == {"max_tokens": 50, "structured": "auto", "temperature": 0}


# Structured output


def test_a_schema_is_sent_as_a_response_format() -> None:
    with ChatServer() as server:
        ask(openai(server.openai_url), STRUCTURED)
    assert server.bodies[0]["response_format"] == {
        "type": "json_schema",
        "json_schema": {"name": "answer", "strict": True, "schema": SCHEMA},
    }


def test_a_refused_schema_is_not_sent_again() -> None:
    with ChatServer(without_schema) as server:
        model = openai(server.openai_url)
        ask_times(model, 3, STRUCTURED)
    sent = [body.get("response_format", {}).get("type") for body in server.bodies]
    assert sent == ["json_schema", "json_object", None, None, None]
    assert habits_of(model) == {"format": "none"}


def test_fifty_calls_at_once_find_out_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server_model, "_TRIAL_SECONDS", 10.0)  # a busy machine may take longer than the usual wait
    with ChatServer(without_schema, delay=0.02) as server:
        receptions = ask_at_once(openai(server.openai_url), 50, STRUCTURED)
    assert sum("response_format" in body for body in server.bodies) == 2
    assert [reception.answer.text for reception in receptions] == ["plain"] * 50


def test_the_others_do_not_queue_behind_a_first_call_that_fails() -> None:
    def script(received: Received) -> Behaviour:
        return refuse(500) if server.count == 0 else say()

    with ChatServer(script, delay=0.02) as server:
        model = openai(server.openai_url)

        async def calls() -> list[Any]:
            try:
                return await asyncio.gather(*(model.send(STRUCTURED) for _ in range(10)), return_exceptions=True)
            finally:
                await model.close()

        results = asyncio.run(calls())
    assert sum(isinstance(result, Exception) for result in results) == 1
    assert server.most_at_once > 1


def test_calls_of_which_nothing_can_be_refused_do_not_wait_for_a_first_one() -> None:
    with ChatServer(delay=0.02) as server:
        ask_at_once(openai(server.openai_url), 10, Request((Message("user", "hello"),)))
    assert server.most_at_once > 1


def test_a_schema_that_was_set_is_not_given_up(tmp_path: Path) -> None:
    with ChatServer(without_schema) as server:
        failed = failure(table(tmp_path, server.openai_url, 'structured = "json_schema"'), STRUCTURED)
    assert failed.kind is FailureKind.BAD_REQUEST
    assert server.count == 1


def test_none_sends_no_schema(tmp_path: Path) -> None:
    with ChatServer() as server:
        ask(table(tmp_path, server.openai_url, 'structured = "none"'), STRUCTURED)
    assert set(server.bodies[0]) == {"model", "messages"}


def test_json_object_tells_the_schema_at_the_end_of_the_system_message(tmp_path: Path) -> None:
    with ChatServer() as server:
        ask(table(tmp_path, server.openai_url, 'structured = "json_object"'), STRUCTURED)
    system = server.bodies[0]["messages"][0]
    assert server.bodies[0]["response_format"] == {"type": "json_object"}
    assert system["role"] == "system"
    assert system["content"].startswith("You judge.\n\n")
    assert '"required": ["a"]' in system["content"]


def test_grammar_sends_the_field_that_llama_cpp_compiles(tmp_path: Path) -> None:
    with ChatServer() as server:
        ask(table(tmp_path, server.openai_url, 'structured = "grammar"'), STRUCTURED)
    assert server.bodies[0]["json_schema"] == SCHEMA
    assert "response_format" not in server.bodies[0]


# Settings that a server does not take


def unlike_max_tokens(received: Received) -> Behaviour:
    if "max_tokens" in received.body:
        message = "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens'."
        return refuse(400, message, param="max_tokens", code="unsupported_parameter")
    return say()


def test_max_tokens_gets_its_newer_name(tmp_path: Path) -> None:
    with ChatServer(unlike_max_tokens) as server:
        ask_times(table(tmp_path, server.openai_url, "max_tokens = 50"), 2)
    limits = [{name: body[name] for name in body if name.startswith("max")} for body in server.bodies]
    assert limits == [{"max_tokens": 50}, {"max_completion_tokens": 50}, {"max_completion_tokens": 50}]


def test_a_temperature_that_is_not_taken_is_left_out_and_said(tmp_path: Path) -> None:
    def script(received: Received) -> Behaviour:
        if "temperature" in received.body:
            message = "Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) is."
            return refuse(400, message, param="temperature", code="unsupported_value")
        return say()

    with ChatServer(script) as server:
        model = table(tmp_path, server.openai_url, "temperature = 0")
        ask(model)
    assert server.count == 2
    assert habits_of(model) == {"left_out": ("temperature",)}


def test_a_value_that_is_out_of_range_is_an_error_and_not_left_out(tmp_path: Path) -> None:
    with ChatServer([refuse(400, "max_tokens is too large: 9000. This model takes at most 4096.")]) as server:
        failed = failure(table(tmp_path, server.openai_url, "max_tokens = 9000"))
    assert failed.kind is FailureKind.BAD_REQUEST
    assert server.count == 1


def test_a_server_that_refuses_everything_is_asked_a_few_times_only(tmp_path: Path) -> None:
    message = "unsupported: max_tokens, max_completion_tokens, seed, top_p, temperature, response_format"
    lines = ("temperature = 0", "top_p = 0.9", "max_tokens = 50", "seed = 7")
    with ChatServer([refuse(400, message)]) as server:
        failed = failure(table(tmp_path, server.openai_url, *lines), STRUCTURED)
    assert failed.kind is FailureKind.BAD_REQUEST
    assert server.count == 8


def test_fifty_calls_share_few_connections_and_all_are_answered() -> None:
    with ChatServer([say(lambda received: received.messages[-1]["content"])], delay=0.01) as server:
        assert [one.answer.text for one in ask_at_once(openai(server.openai_url), 50)] == [
            REQUEST.messages[-1].content
        ] * 50


def test_a_stream_is_read_like_a_whole_answer() -> None:
    deltas: list[dict[str, Any]] = [{"reasoning_content": "They "}, {"reasoning_content": "lost a bike."}]
    deltas += [{"content": "<think>br"}, {"content": "ief</think>Oh "}, {"content": "no."}]
    chunks: list[dict[str, Any]] = [{"choices": [{"index": 0, "delta": delta}]} for delta in deltas]
    chunks.append({"choices": [{"delta": {}, "finish_reason": "stop", "native_finish_reason": "MAX_TOKENS"}]})
    body = "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks) + "data: [DONE]\n\n"
    with ChatServer([raw(body, content_type="text/event-stream")]) as server:
        answer = ask(openai(server.openai_url)).answer
    assert (answer.text, answer.reasoning) == ("<think>brief</think>Oh no.", "They lost a bike.")
    assert answer.finish_reason == "length"
