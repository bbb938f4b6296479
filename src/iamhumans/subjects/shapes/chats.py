"""Rows that hold a conversation as a list of messages."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from iamhumans.errors import InputError
from iamhumans.subjects.shapes.facts import conversation_of
from iamhumans.subjects.shapes.messages import as_plain, is_messages, is_object, read_messages, text_of, voice_of
from iamhumans.subjects.shapes.said import Conversation, Said
from iamhumans.subjects.shapes.shape import Row, Shape
from iamhumans.subjects.shapes.transcript import read_transcript
from iamhumans.subjects.shapes.values import answers_in, decoded

_ANSWERS = (
    *("response", "choices", "candidates", "completion", "output", "reply", "answer", "responses", "assistant"),
    *("response_message", "assistant_response", "outputs", "generated_text", "generation"),
)
_ANSWER_SET = frozenset(_ANSWERS)
_SYSTEMS = (
    "system",
    "system_prompt",
    "systemPrompt",
    "instructions",
    "system_instruction",
    "systemInstruction",
    "system_message",
)
_SYSTEM_SET = frozenset(_SYSTEMS)
_LISTS = (
    *(
        "messages",
        "conversation",
        "conversations",
        "chat",
        "dialog",
        "dialogue",
        "dialogs",
        "turns",
        "history",
        "thread",
    ),
    *(
        "contents",
        "items",
        "transcript",
        "chat_history",
        "message_log",
        "log",
        "msgs",
        "chat_messages",
        "input_messages",
    ),
    *("all_messages", "message_list", "exchanges", "content", "prompt", "input", "trajectory"),
)
_TEXTS = (
    "text",
    "transcript",
    "conversation",
    "dialogue",
    "dialog",
    "chat",
    "content",
    "messages",
    "prompt",
    "history",
)


def messages_in(row: Row, key: str) -> tuple[Said, ...]:
    """The messages under a key, which may be encoded as JSON, after the system message that stands beside them."""
    value = as_plain(row[key])
    value = decoded(value) if isinstance(value, str) else value
    if _SYSTEM_SET.isdisjoint(row):
        return read_messages(value)
    system = next((row[name] for name in _SYSTEMS if row.get(name)), None)
    try:
        first = (Said("system", text_of(system)),) if system is not None and not is_messages(system) else ()
    except InputError:
        first = ()
    return (*first, *read_messages(value))


def chat(row: Row, key: str) -> Sequence[Conversation]:
    """A list of messages, with the answer at its end or beside it."""
    if isinstance(row[key], str) and decoded(row[key]) is None and (read := read_transcript(row[key])):
        return [conversation_of(row, read)]
    messages = messages_in(row, key)
    answer = None
    if not _ANSWER_SET.isdisjoint(row):
        answer = next((row[name] for name in _ANSWERS if name != key and row.get(name) not in (None, "", [], {})), None)
    if answer is None or (messages and messages[-1].voice == "assistant" and messages[-1].text):
        return [conversation_of(row, messages)]
    several = answers_in(answer)
    if not several:
        return [conversation_of(row, messages)]
    return [
        conversation_of(row, _joined(messages, one), **({"number": number} if len(several) > 1 else {}))
        for number, one in enumerate(several, start=1)
    ]


def _joined(messages: tuple[Said, ...], answer: tuple[Said, ...]) -> tuple[Said, ...]:
    """The conversation with its answer; an answer that repeats the conversation is the whole of it."""
    if len(answer) > len(messages) and answer[: len(messages)] == messages:
        return answer
    if all(one.voice == "tool" for one in answer):
        return (*messages, *answer, Said("assistant", "", other=("a call of a tool",)))
    return (*messages, *answer)


def has_list(row: Row, key: str) -> bool:
    """Whether there are messages under a key, as a list or encoded as JSON."""
    value = as_plain(row.get(key))
    if isinstance(value, str):
        value = decoded(value)
    return is_messages(value)


def _first(row: Row, key: str) -> Mapping[str, Any]:
    value = as_plain(row.get(key))
    value = decoded(value) if isinstance(value, str) else value
    first = value[0] if isinstance(value, list) and value else None
    first = first[0] if isinstance(first, list) and first else first
    return first if is_object(first) else {}


def _is_sharegpt(row: Row, key: str) -> bool:
    first = _first(row, key)
    return "from" in first and "value" in first


def _is_gemini(row: Row) -> bool:
    return "contents" in row and "parts" in _first(row, "contents")


def _is_vercel(row: Row) -> bool:
    first = _first(row, "messages")
    return isinstance(first.get("parts"), list) and "role" in first


def _is_langchain(row: Row) -> bool:
    first = _first(row, "messages")
    kind = first.get("type")
    typed = isinstance(kind, str) and "role" not in first and voice_of({"type": kind, "text": ""}) is not None
    return ("lc" in first or typed) and has_list(row, "messages")


def _is_anthropic(row: Row) -> bool:
    if not has_list(row, "messages"):
        return False
    value = row["messages"]
    parts = [one.get("content") for one in value if isinstance(one, Mapping)] if isinstance(value, list) else []
    kinds = {part.get("type") for one in parts if isinstance(one, list) for part in one if isinstance(part, Mapping)}
    return "system" in row or bool(kinds & {"tool_use", "tool_result", "thinking", "redacted_thinking"})


def is_item(value: object) -> bool:
    """Whether a value is an item of the Responses API."""
    if not isinstance(value, Mapping) or not isinstance(value.get("type"), str):
        return False
    return value["type"] in ("message", "reasoning", "function_call", "function_call_output") or value["type"].endswith(
        "_call"
    )


def _is_responses(row: Row) -> bool:
    output = as_plain(row.get("output"))
    return isinstance(output, list) and bool(output) and all(map(is_item, output[:3]))


def _responses(row: Row) -> Sequence[Conversation]:
    from iamhumans.subjects.shapes.pairs import exchange

    instructions = row.get("instructions")
    first = (Said("system", instructions),) if isinstance(instructions, str) else ()
    asked = row.get("input", row.get("messages"))
    return exchange(
        row, asked, {key: row[key] for key in ("output", "incomplete_details", "model") if key in row}, first=first
    )


def _items(row: Row) -> Sequence[Conversation]:
    return [conversation_of(row, read_messages(row["items"]))]


def _has_items(row: Row) -> bool:
    items = as_plain(row.get("items"))
    return isinstance(items, list) and bool(items) and is_item(items[0])


def _key_with_list(row: Row) -> str | None:
    for key in (*(name for name in _LISTS if name in row), *row):
        if has_list(row, key) and not str(key).startswith("_"):
            return str(key)
    return None


def _any_list(row: Row) -> Sequence[Conversation]:
    key = _key_with_list(row)
    if key is None:
        raise InputError("The row holds no list of messages.")
    return chat(row, key)


def _key_with_transcript(row: Row) -> str | None:
    for key in (*(name for name in _TEXTS if name in row), *row):
        if isinstance(row[key], str) and read_transcript(row[key]) is not None:
            return str(key)
    return None


def _transcript(row: Row) -> Sequence[Conversation]:
    key = _key_with_transcript(row)
    if key is None:
        raise InputError("The row holds no text with the marks of two speakers.")
    return [conversation_of(row, read_transcript(row[key]) or ())]


def _under(key: str) -> Callable[[Row], Sequence[Conversation]]:
    return partial(chat, key=key)


def _messages(row: Row) -> bool:
    return "messages" in row


def _dataset(mark: str) -> Callable[[Row], bool]:
    return lambda row: mark in row and has_list(row, "conversation")


def _plain_list(row: Row) -> bool:
    return _key_with_list(row) is not None


SHAPES = (
    Shape("responses", "the Responses API: input and output items", _is_responses, _responses),
    Shape("responses-items", "items of the Responses API in one list", _has_items, _items),
    Shape(
        "sharegpt",
        "ShareGPT: conversations of from and value",
        partial(_is_sharegpt, key="conversations"),
        _under("conversations"),
    ),
    Shape("sharegpt-items", "ShareGPT: items of from and value", partial(_is_sharegpt, key="items"), _under("items")),
    Shape("gemini", "Gemini contents with parts", _is_gemini, _under("contents")),
    Shape("vercel", "Vercel AI SDK messages with parts", _is_vercel, _under("messages")),
    Shape("langchain", "LangChain messages", _is_langchain, _under("messages")),
    Shape("anthropic", "Anthropic messages", _is_anthropic, _under("messages")),
    Shape("messages", "messages with a role and a content, as OpenAI has them", _messages, _under("messages")),
    Shape("wildchat", "WildChat conversations", _dataset("conversation_hash"), _under("conversation")),
    Shape("lmsys", "LMSYS conversations", _dataset("conversation_id"), _under("conversation")),
)
LAST = (
    Shape("message-list", "a column of messages, as a list or encoded as JSON", _plain_list, _any_list),
    Shape(
        "transcript",
        "a text with marks such as `User:` and `Assistant:`",
        lambda row: _key_with_transcript(row) is not None,
        _transcript,
    ),
)
