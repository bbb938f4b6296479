"""Answers that come as a stream are the same answers."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.models.asking import ask, failure, habits_of, table
from tests.servers import Behaviour, ChatServer, Received, raw, refuse, say

from iamhumans.models import FailureKind, Usage
from iamhumans.models.sse import AnthropicAssembly, EventReader, OpenAIAssembly

USAGE = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}


def chunk(delta: dict[str, Any] | None = None, reason: str | None = None, **more: Any) -> dict[str, Any]:
    choices = [] if delta is None else [{"index": 0, "delta": delta, "finish_reason": reason}]
    return {"object": "chat.completion.chunk", "model": "streamer-1", "choices": choices, **more}


HELLO = [chunk({"role": "assistant", "content": ""}), chunk({"content": "hel"}), chunk({"content": "lo"})]
WHOLE = [*HELLO, chunk({}, "stop"), chunk(usage=USAGE), "[DONE]"]


def written(events: Iterable[Any], line: str = "\n") -> bytes:
    lines = (event if isinstance(event, str) else json.dumps(event) for event in events)
    return "".join(f"data: {one}{line}{line}" for one in lines).encode()


def streaming(events: Iterable[Any], **options: Any) -> Behaviour:
    return raw(written(events), content_type="text/event-stream", **options)


def test_a_stream_is_put_together(tmp_path: Path) -> None:
    with ChatServer([streaming(WHOLE)]) as server:
        reception = ask(table(tmp_path, server.openai_url, "stream = true"))
    assert (reception.answer.text, reception.answer.finish_reason) == ("hello", "stop")
    assert (reception.model, reception.usage) == ("streamer-1", Usage(100, None, 20))
    assert (server.bodies[0]["stream"], server.bodies[0]["stream_options"]) == (True, {"include_usage": True})


def test_a_stream_that_was_not_asked_for_is_read_too(tmp_path: Path) -> None:
    with ChatServer([streaming(WHOLE)]) as server:
        assert ask(table(tmp_path, server.openai_url)).answer.text == "hello"
    assert "stream" not in server.bodies[0]


def test_a_whole_answer_is_read_where_a_stream_was_asked_for(tmp_path: Path) -> None:
    with ChatServer([say("hello")]) as server:
        assert ask(table(tmp_path, server.openai_url, "stream = true")).answer.text == "hello"


def test_a_server_that_only_streams_is_asked_for_a_stream_from_then_on(tmp_path: Path) -> None:
    def script(received: Received) -> Behaviour:
        if received.body.get("stream"):
            return streaming(WHOLE)
        return refuse(400, "This model only supports streaming; set the stream parameter.")

    with ChatServer(script) as server:
        model = table(tmp_path, server.openai_url)
        assert ask(model).answer.text == "hello"
    assert habits_of(model) == {"streams": True}


def test_a_server_that_does_not_know_stream_options_is_asked_without(tmp_path: Path) -> None:
    def script(received: Received) -> Behaviour:
        if "stream_options" in received.body:
            return refuse(400, "Unrecognized request argument supplied: stream_options")
        return streaming(WHOLE)

    with ChatServer(script) as server:
        model = table(tmp_path, server.openai_url, "stream = true")
        assert ask(model).answer.text == "hello"
    assert habits_of(model) == {"left_out": ("stream_options",)}


def test_a_model_that_does_not_stream_is_asked_for_whole_answers(tmp_path: Path) -> None:
    def script(received: Received) -> Behaviour:
        if "stream" in received.body:
            said = "Unsupported value: 'stream' does not support true with this model. Only the default (false) is."
            return refuse(400, said, param="stream", code="unsupported_value")
        return say("hello")

    with ChatServer(script) as server:
        assert ask(table(tmp_path, server.openai_url, "stream = true")).answer.text == "hello"
    assert "stream_options" not in server.bodies[-1]


def test_a_stream_that_breaks_off_is_no_answer_and_its_usage_counts(tmp_path: Path) -> None:
    with ChatServer([streaming([*HELLO[:2], chunk(usage=USAGE)])]) as server:
        failed = failure(table(tmp_path, server.openai_url))
    assert (failed.kind, failed.usage) == (FailureKind.CONNECTION, Usage(100, None, 20))
    assert failed.may_pass


def test_a_stream_that_breaks_off_without_a_count_may_be_billed(tmp_path: Path) -> None:
    with ChatServer([streaming(HELLO[:2])]) as server:
        failed = failure(table(tmp_path, server.openai_url))
    assert (failed.usage, failed.may_be_billed) == (None, True)


@pytest.mark.parametrize(
    "event",
    [
        'data: {"error": {"message": "the server is overloaded", "code": 503}}\n\n',
        'event: error\ndata: {"message": "the server is overloaded", "code": 503}\n\n',
        'error: {"message": "the server is overloaded", "code": 503}\n\n',
    ],
)
def test_an_error_in_a_stream_is_an_error(tmp_path: Path, event: str) -> None:
    body = written(HELLO) + event.encode()
    with ChatServer([raw(body, content_type="text/event-stream")]) as server:
        failed = failure(table(tmp_path, server.openai_url))
    assert failed.kind is FailureKind.OVERLOADED
    assert failed.may_be_billed


def test_an_error_in_a_first_chunk_teaches_as_a_refusal_does(tmp_path: Path) -> None:
    def script(received: Received) -> Behaviour:
        if "temperature" in received.body:
            return streaming([{"error": {"message": "temperature is not supported", "code": 400}}])
        return streaming(WHOLE)

    with ChatServer(script) as server:
        assert ask(table(tmp_path, server.openai_url, "temperature = 0")).answer.text == "hello"
    assert server.count == 2


def test_calls_of_tools_are_put_together_by_their_index() -> None:
    first = {"index": 0, "id": "a", "type": "function", "function": {"name": "find", "arguments": '{"a"'}}
    assembly = OpenAIAssembly()
    for delta in ({"tool_calls": [first]}, {"tool_calls": [{"index": 0, "function": {"arguments": ": 1}"}}]}):
        for event in EventReader().feed(written([chunk(delta)])):
            assembly.add(event)
    call = assembly.body()["choices"][0]["message"]["tool_calls"][0]
    assert call["function"] == {"name": "find", "arguments": '{"a": 1}'}


def test_reasoning_in_a_stream_stays_apart_from_the_text() -> None:
    assembly = OpenAIAssembly()
    for event in EventReader().feed(
        written([chunk({"reasoning_content": "h"}), chunk({"reasoning_content": "m"}), *WHOLE])
    ):
        assembly.add(event)
    message = assembly.body()["choices"][0]["message"]
    assert (message["reasoning_content"], message["content"]) == ("hm", "hello")


ANTHROPIC = [
    {"type": "message_start", "message": {"model": "c-1", "content": [], "usage": {"input_tokens": 9}}},
    {"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": ""}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "hm"}},
    {"type": "content_block_start", "index": 1, "content_block": {"type": "text", "text": ""}},
    {"type": "ping"},
    {"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": "hel"}},
    {"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": "lo"}},
    {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 4}},
    {"type": "message_stop"},
]


def test_a_stream_in_anthropic_s_format_is_put_together(tmp_path: Path) -> None:
    with ChatServer([streaming(ANTHROPIC)]) as server:
        reception = ask(table(tmp_path, server.anthropic_url, 'wire = "anthropic"', "stream = true"))
    assert (reception.answer.text, reception.usage) == ("hello", Usage(9, None, 4))


def test_a_broken_stream_in_anthropic_s_format_counts_what_its_start_counted(tmp_path: Path) -> None:
    with ChatServer([streaming(ANTHROPIC[:6])]) as server:
        failed = failure(table(tmp_path, server.anthropic_url, 'wire = "anthropic"'))
    assert failed.usage is not None
    assert failed.usage.prompt == 9


def test_the_input_of_a_tool_is_put_together() -> None:
    assembly = AnthropicAssembly()
    events = [
        {
            "type": "content_block_start",
            "index": 0,
            "content_block": {"type": "tool_use", "name": "answer", "input": {}},
        },
        {"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": '{"a":'}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": " 1}"}},
    ]
    for event in EventReader().feed(written(events)):
        assembly.add(event)
    assert assembly.body()["content"][0]["input"] == {"a": 1}


@given(st.lists(st.integers(1, 40), min_size=1, max_size=30), st.sampled_from(["\n", "\r\n"]))
def test_it_makes_no_difference_where_a_stream_is_cut_into_pieces(sizes: list[int], line: str) -> None:
    body = b": a comment\n\n" + written(WHOLE, line)
    reader, assembly, at = EventReader(), OpenAIAssembly(), 0
    for size in [*sizes, len(body)]:
        for event in reader.feed(body[at : at + size]):
            assembly.add(event)
        at += size
    for event in reader.end():
        assembly.add(event)
    assert assembly.ended
    assert assembly.body()["choices"][0]["message"]["content"] == "hello"


@given(st.binary())
def test_any_bytes_can_be_read_as_a_stream(data: bytes) -> None:
    reader = EventReader()
    for assembly in (OpenAIAssembly(), AnthropicAssembly()):
        for event in (*reader.feed(data), *reader.end()):
            assembly.add(event)
        assembly.body()


@given(
    st.lists(
        st.recursive(
            st.none() | st.text() | st.integers(),
            lambda x: (
                st.lists(x)
                | st.dictionaries(
                    st.sampled_from(["choices", "delta", "content", "index", "error", "type", "message", "usage"]), x
                )
            ),
        )
    )
)
def test_events_of_any_content_can_be_put_together(events: list[Any]) -> None:
    for assembly in (OpenAIAssembly(), AnthropicAssembly()):
        for event in EventReader().feed(written(events)):
            assembly.add(event)
        assembly.body()
