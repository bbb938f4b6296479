"""How an answer of a model ended, in the words of all providers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum
from typing import Any


class Ending(StrEnum):
    """How an answer ended. The values are what the journal holds."""

    WHOLE = "stop"
    CALL = "tool_calls"  # it ends with a call of a tool; a text before the call is whole
    LENGTH = "length"
    FILTER = "content_filter"
    ERROR = "error"  # the provider broke it off, or failed
    UNKNOWN = "unknown"
    ABSENT = ""  # the provider does not say


# The words of OpenAI, Azure, Anthropic, Gemini, vLLM, SGLang, llama.cpp, LM Studio, text-generation-inference, Ollama,
# DeepSeek, OpenRouter, Groq, Mistral, Together, Cohere, Bedrock, watsonx, Zhipu, Inspect and the Vercel AI SDK.
_WORDS: dict[Ending, str] = {
    Ending.WHOLE: """
        stop stopped eos eos_token eos_found end_of_text endoftext end end_turn turn_end end_of_turn stop_sequence
        stop_token stop_word stop_str stop_string stop_string_found stop_eos word complete completed finish finished
        done normal success succeeded reason_stop
        """,
    Ending.CALL: """
        tool_call tool_calls tool_use function_call function_calls requires_action reason_tool_calls tools
        """,
    Ending.LENGTH: """
        length max_tokens max_token max_length max_output max_output_tokens max_completion_tokens max_new_tokens
        max_predicted_tokens_reached model_length model_max_length context_length context_length_reached
        context_length_exceeded context_window_exceeded model_context_window_exceeded token_limit limit stop_limit
        truncated incomplete max_context reason_max_len reason_max_context pause_turn
        """,
    Ending.FILTER: """
        content_filter content_filtered content_filter_error contentfilter filter filtered safety image_safety blocklist
        blocked prohibited_content image_prohibited_content recitation image_recitation spii model_armor refusal
        guardrail guardrails guardrail_intervened sensitive error_toxic moderation flagged language
        """,
    Ending.ERROR: """
        error failed failure internal_error server_error network_error provider_error engine_error abort aborted
        cancel cancelled canceled user_cancel user_stopped interrupted timeout time_limit insufficient_system_resource
        insufficient_system_resources engine_overloaded overloaded load unload model_unloaded not_finished in_progress
        queued expired malformed_function_call malformed_tool_call malformed_response unexpected_tool_call
        too_many_tool_calls missing_thought_signature error_limit
        """,
}
_KNOWN = {word: ending for ending, words in _WORDS.items() for word in words.split()}
_ABSENT = {"", "none", "null", "unspecified"}
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_PREFIX = re.compile(r"^(?:finish_?reason|stop_?reason)[._]")
_LARGEST = 200


def ending_of(said: object, native: object = None) -> tuple[Ending, str]:
    """How an answer ended, and the provider's word for it.

    ``native`` is what a server behind the provider said (OpenRouter's ``native_finish_reason``). It counts where the
    provider itself says nothing, or says that the answer is whole.
    """
    first, word = _read(said)
    if first not in (Ending.WHOLE, Ending.ABSENT) or native is None:
        return first, word
    second, own = _read(native)
    return (first, word) if second in (Ending.ABSENT, Ending.UNKNOWN, Ending.WHOLE) and word else (second, own)


def _read(said: object) -> tuple[Ending, str]:
    if isinstance(said, Mapping):  # SGLang has {"type": "stop", "matched": ...}
        said = said.get("type") or said.get("reason")
    if not isinstance(said, str):
        return (Ending.ABSENT, "") if said is None else (Ending.UNKNOWN, str(said)[:_LARGEST])
    word = said.strip()[:_LARGEST]
    plain = _plain(word)
    if plain in _ABSENT:
        return Ending.ABSENT, ""
    # A suffix says more, as in `content_filter: PROHIBITED_CONTENT`.
    for part in (plain, _plain(re.split(r"[:;,(/|]", word)[0]), _plain(re.split(r"\s", word)[0])):
        if part in _KNOWN:
            return _KNOWN[part], word
    return Ending.UNKNOWN, word


def _plain(word: str) -> str:
    """Small letters, one underscore between words, without the name of an enumeration."""
    spaced = re.sub(r"[\s.-]+", "_", _CAMEL.sub("_", word.strip())).lower().strip("_")
    return _PREFIX.sub("", re.sub(r"_+", "_", spaced))


def word_of(fields: Mapping[str, Any]) -> tuple[Ending, str]:
    """How a message, a choice or a whole response says that it ended."""
    if fields.get("finish_reason") is not None or "native_finish_reason" in fields:
        return ending_of(fields.get("finish_reason"), fields.get("native_finish_reason"))
    names = ("finishReason", "stop_reason", "stopReason", "done_reason", "stop_type", "completion_reason")
    return ending_of(next((fields[name] for name in names if fields.get(name) is not None), None))
