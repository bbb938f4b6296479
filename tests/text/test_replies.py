"""What a user would see of a message, in the formats of providers and logs."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iamhumans.text import Ending, seen_message, seen_response
from iamhumans.text.endings import ending_of

SAID = "Oh no, the one your grandad painted."
THOUGHT = "I want to acknowledge how hard this is."

_TEXT = {"type": "text", "text": SAID}


@pytest.mark.parametrize(
    "message",
    [
        {"content": SAID, "reasoning_content": THOUGHT},
        {"content": SAID, "reasoning": THOUGHT},
        {"content": SAID, "reasoning": THOUGHT, "reasoning_details": [{"type": "reasoning.text", "text": THOUGHT}]},
        {"content": SAID, "reasoning_details": [{"type": "reasoning.summary", "summary": THOUGHT}]},
        {"content": SAID, "thinking": THOUGHT},
        {"content": SAID, "thinking_blocks": [{"type": "thinking", "thinking": THOUGHT, "signature": "s"}]},
        {"content": SAID, "additional_kwargs": {"reasoning_content": THOUGHT}},
        {"content": [{"type": "reasoning", "text": THOUGHT}, _TEXT]},
        {"content": [{"type": "thinking", "thinking": THOUGHT}, {"type": "redacted_thinking", "data": "x"}, _TEXT]},
        {"content": [{"type": "thinking", "thinking": [{"type": "text", "text": THOUGHT}]}, _TEXT]},
        {"content": [{"type": "reasoning", "summary": [{"type": "summary_text", "text": THOUGHT}]}, _TEXT]},
        {"content": [{"reasoningContent": {"reasoningText": {"text": THOUGHT}}}, {"text": SAID}]},
        {"parts": [{"text": THOUGHT, "thought": True}, {"text": SAID}]},
        {"content": f"<think>{THOUGHT}</think>\n\n{SAID}"},
        {"content": [{"type": "text", "text": f"<think>{THOUGHT}</think>\n\n{SAID}"}]},
        f"<think>{THOUGHT}</think>\n\n{SAID}",
    ],
)
def test_reasoning_is_kept_beside_the_reply(message: Any) -> None:
    seen = seen_message(message)
    assert (seen.text, seen.reasoning, seen.problem) == (SAID, THOUGHT, None)


@pytest.mark.parametrize(
    "message",
    [
        SAID,
        {"content": SAID},
        {"text": SAID},
        {"content": [_TEXT]},
        {"content": [{"type": "output_text", "text": SAID, "annotations": []}]},
        {"content": [{"type": "text", "text": {"value": SAID, "annotations": []}}]},
        {"content": [SAID]},
        {"content": [{"text": SAID}]},
        {"content": None, "refusal": SAID},
        {"content": [{"type": "refusal", "refusal": SAID}]},
        {"content": [{"type": "text", "text": "Oh no, the one your "}, {"type": "text", "text": "grandad painted."}]},
    ],
)
def test_the_text_that_a_user_reads_is_the_reply(message: Any) -> None:
    assert (seen_message(message).text, seen_message(message).problem) == (SAID, None)


@pytest.mark.parametrize(
    ("part", "name"),
    [
        ({"type": "tool_result", "text": "1. police"}, "a result of a tool"),
        ({"type": "function_call_output", "output": "1"}, "a result of a tool"),
        ({"type": "tool_use", "name": "search", "input": {}}, "a call of the tool `search`"),
        ({"type": "server_tool_use", "name": "web", "input": {}}, "a call of the tool `web`"),
        ({"type": "web_search_call", "id": "w"}, "a call of a tool"),
        ({"functionCall": {"name": "search", "args": {}}}, "a call of the tool `search`"),
        ({"toolUse": {"name": "search"}}, "a call of the tool `search`"),
        ({"type": "image_url", "image_url": {"url": "x"}}, "an image"),
        ({"inlineData": {"mimeType": "image/png", "data": "x"}}, "an image"),
        ({"type": "output_audio", "transcript": "hm"}, "audio"),
        ({"type": "file", "file_id": "f"}, "a file"),
        ({"type": "citation", "text": "a source"}, "a part of type citation"),
    ],
)
def test_all_other_parts_are_named_and_not_judged(part: dict[str, Any], name: str) -> None:
    seen = seen_message({"content": [part, _TEXT]})
    assert (seen.text, seen.beside, seen.problem) == (SAID, (name,), None)


def test_reasoning_that_is_sent_twice_is_kept_once() -> None:
    seen = seen_message({"content": f"<think>{THOUGHT}</think>{SAID}", "reasoning": THOUGHT})
    assert (seen.text, seen.reasoning) == (SAID, THOUGHT)


def test_texts_of_a_log_that_follow_each_other_do_not_become_one_word() -> None:
    assert seen_message({"content": ["Oh no", "Which one?"]}).text == "Oh no\nWhich one?"
    assert seen_message({"content": ["Oh no.", " Which one", "?"]}).text == "Oh no. Which one?"
    assert seen_message({"content": ["今日", "は"]}).text == "今日は"


def test_texts_around_a_call_are_two_paragraphs() -> None:
    message = {"content": [{"type": "text", "text": "Let me look."}, {"type": "tool_use", "name": "find"}, _TEXT]}
    assert seen_message(message).text == f"Let me look.\n\n{SAID}"


@pytest.mark.parametrize(
    ("message", "why"),
    [
        (
            {"content": None, "tool_calls": [{"function": {"name": "find", "arguments": "{}"}}]},
            "call of the tool `find`",
        ),
        ({"content": "", "function_call": {"name": "find"}}, "call of the tool `find`"),
        ({"content": [{"type": "image", "source": {}}]}, "only an image"),
        ({"content": None, "reasoning_content": THOUGHT}, "all the text is in `reasoning_content`"),
        ({"content": "", "reasoning": THOUGHT}, "all the text is in `reasoning`"),
        ({"content": f"<think>{THOUGHT}"}, "the reasoning never ends"),
        ({"content": f"<think>{THOUGHT}</think>"}, "nothing follows the reasoning"),
        ({"content": None}, "there is no text"),
        ({}, "there is no text"),
    ],
)
def test_a_message_without_text_is_no_reply_and_says_where_the_text_is(message: Any, why: str) -> None:
    problem = seen_message(message).problem
    assert problem is not None
    assert problem[0] == "no_reply"
    assert why in problem[1]


@pytest.mark.parametrize(
    ("word", "reason"),
    [
        *(
            (word, None)
            for word in ("stop", "STOP", "end_turn", "eos", "eos_token", "stop_sequence", "COMPLETE", "eosFound")
        ),
        *(
            (word, None)
            for word in ("tool_calls", "tool-calls", "FinishReason.STOP", "FINISH_REASON_STOP", None, "null")
        ),
        *((word, None) for word in ({"type": "stop", "matched": 2}, "completed", "FINISH")),
        *((word, "truncated") for word in ("length", "MAX_TOKENS", "model_length", "max_output_tokens", "limit")),
        *((word, "truncated") for word in ("model_context_window_exceeded", "maxPredictedTokensReached", "pause_turn")),
        *(
            (word, "content_filter")
            for word in ("SAFETY", "content_filter: PROHIBITED_CONTENT", "content-filter", "refusal")
        ),
        *(
            (word, "content_filter")
            for word in ("RECITATION", "guardrail_intervened", "sensitive", "Content_Filter (SPII)")
        ),
        *(
            (word, "provider_error")
            for word in ("error", "abort", "insufficient_system_resource", "network_error", "ERROR")
        ),
        *((word, "provider_error") for word in ("MALFORMED_FUNCTION_CALL", "cancelled", "unload")),
        *((word, "unknown_ending") for word in ("OTHER", "whatever", "5", 5, "stop_because", "")),
    ],
)
def test_each_known_ending_has_its_reason_and_an_unknown_one_is_not_whole(word: Any, reason: str | None) -> None:
    problem = seen_message({"content": SAID}, word).problem
    if word == "":
        assert problem is None
    else:
        assert (problem and problem[0]) == reason
    if reason == "unknown_ending" and problem and word:
        assert f"`{word}`" in problem[1]


def test_the_server_behind_a_provider_can_say_that_an_answer_is_not_whole() -> None:
    assert ending_of("stop", "SAFETY") == (Ending.FILTER, "SAFETY")
    assert ending_of("stop", "some_word") == (Ending.WHOLE, "stop")
    assert ending_of(None, "MAX_TOKENS") == (Ending.LENGTH, "MAX_TOKENS")
    assert ending_of(None, "some_word") == (Ending.UNKNOWN, "some_word")
    assert ending_of("length", "stop") == (Ending.LENGTH, "length")


@pytest.mark.parametrize(
    "response",
    [
        {"choices": [{"message": {"content": SAID}, "finish_reason": "stop", "stop_reason": 151643}]},
        {"choices": [{"text": SAID, "finish_reason": "stop"}]},
        {"type": "message", "content": [_TEXT], "stop_reason": "end_turn"},
        {
            "status": "completed",
            "output": [{"type": "reasoning"}, {"type": "message", "content": [{"type": "output_text", "text": SAID}]}],
        },
        {"candidates": [{"content": {"parts": [{"text": SAID}]}, "finishReason": "STOP"}]},
        {"message": {"role": "assistant", "content": SAID}, "done": True, "done_reason": "stop"},
        {"response": SAID, "done": True, "done_reason": "stop"},
        {"message": {"content": [_TEXT]}, "finish_reason": "COMPLETE"},
        {"output": {"message": {"content": [{"text": SAID}]}}, "stopReason": "end_turn"},
    ],
)
def test_whole_responses_of_all_formats_are_read(response: dict[str, Any]) -> None:
    seen = seen_response(response)
    assert seen is not None
    assert (seen.text, seen.ending, seen.problem) == (SAID, Ending.WHOLE, None)


@pytest.mark.parametrize(
    ("response", "reason"),
    [
        ({"choices": [{"message": {"content": SAID}, "finish_reason": "length"}]}, "truncated"),
        (
            {"status": "incomplete", "incomplete_details": {"reason": "content_filter"}, "output": [_TEXT]},
            "content_filter",
        ),
        (
            {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}, "output": [_TEXT]},
            "truncated",
        ),
        ({"candidates": [{"content": {}, "finishReason": "SAFETY"}]}, "content_filter"),
        ({"promptFeedback": {"blockReason": "SAFETY"}}, "content_filter"),
        ({"message": {"content": SAID}, "done_reason": "length"}, "truncated"),
        ({"content": [_TEXT], "stop_reason": "refusal"}, "content_filter"),
        ({"choices": [{"message": {"content": "", "thinking": THOUGHT}, "finish_reason": "length"}]}, "truncated"),
    ],
)
def test_responses_that_are_not_whole_say_why(response: dict[str, Any], reason: str) -> None:
    seen = seen_response(response)
    assert seen is not None
    assert seen.problem is not None
    assert seen.problem[0] == reason


def test_a_body_of_no_known_shape_is_none() -> None:
    assert seen_response({"choices": []}) is None
    assert seen_response({"hello": 1}) is None


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["type", "text", "content", "message", "choices", "reasoning", "output", "parts", "tool_calls"]
            )
            | st.sampled_from(
                ["finish_reason", "thought", "refusal", "name", "function", "native_finish_reason", "thinking"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(_JSON)
def test_reading_never_fails_whatever_the_message_is(value: Any) -> None:
    assert isinstance(seen_message(value).text, str)
    if isinstance(value, dict):
        seen_response(value)
