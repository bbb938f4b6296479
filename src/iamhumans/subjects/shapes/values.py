"""Whatever a log holds where a prompt or an answer should be, as messages."""

from __future__ import annotations

import ast
import json
from collections.abc import Mapping
from typing import Any, TypeGuard

from iamhumans.subjects.shapes.messages import (
    as_plain,
    is_message,
    is_messages,
    read_content,
    read_message,
    read_messages,
    said,
)
from iamhumans.subjects.shapes.said import Said, Voice
from iamhumans.subjects.shapes.transcript import read_transcript

_MOST_LEVELS = 8
_MOST_LITERAL = 1_000_000
# In an object that is no message, what may lead to the text: the most telling names first.
_ASKED = (
    *("messages", "input_messages", "chat_history", "contents", "conversation", "message", "chat", "history"),
    *("question", "query", "prompt", "user_input", "user_message", "user_query", "user_prompt", "human_input", "input"),
    *(
        "user",
        "text",
        "content",
        "request",
        "inputs",
        "prompts",
        "body",
        "inputBodyJson",
        "data",
        "value",
        "args",
        "kwargs",
    ),
)
_ANSWERED = (
    *(
        "choices",
        "candidates",
        "generations",
        "output",
        "message",
        "messages",
        "answer",
        "response",
        "reply",
        "completion",
    ),
    *("output_text", "generated_text", "generation", "result", "text", "content", "outputs", "outputBodyJson", "body"),
    *("results", "assistant", "ai", "return_values", "data", "value", "output_messages", "llm_output"),
)


def said_in(value: Any, by: Voice, depth: int = 0) -> tuple[Said, ...]:
    """The messages in a value; a bare text is said by ``by``. Nothing that can be read is an empty tuple."""
    value = as_plain(value)
    if value is None or depth > _MOST_LEVELS or isinstance(value, bool):
        return ()
    if isinstance(value, str):
        return _said_in_text(value, by, depth)
    if isinstance(value, list | tuple):
        return _said_in_list(value, by, depth)
    if isinstance(value, Mapping):
        return _said_in_object(value, by, depth)
    return (said(by, str(value)),) if isinstance(value, int) else ()


def decoded(text: str) -> Any:
    """The list or object that a text is, in JSON or as Python prints it; ``None`` for any other text."""
    text = text.strip()
    if not (text[:1] in "[{" and text[-1:] in "]}" and text):
        return None
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        if len(text) > _MOST_LITERAL or text[1:2] not in "{'\"[ \n":
            return None
        try:
            found = ast.literal_eval(text)
        except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
            return None
    return found if isinstance(found, list | dict) else None


def _said_in_text(text: str, by: Voice, depth: int) -> tuple[Said, ...]:
    if text[:1] in ("[", "{") or text[:1].isspace():
        inner = decoded(text)
        if inner and (is_messages(inner) or is_message(inner) or _is_known(inner)):
            return said_in(inner, by, depth + 1)
    if (found := read_transcript(text)) is not None and by == "user":
        return found
    return (said(by, text),)


def _is_known(inner: Any) -> bool:
    if isinstance(inner, list):
        return all(isinstance(part, Mapping) and isinstance(part.get("text"), str) for part in inner)
    return any(
        isinstance(inner.get(key), list) and inner[key]
        for key in ("messages", "choices", "candidates", "contents", "generations", "output", "content", "input")
    )


def _said_in_list(value: list[Any] | tuple[Any, ...], by: Voice, depth: int) -> tuple[Said, ...]:
    if is_messages(value):
        return read_messages(value)
    if all(isinstance(part, str | Mapping) for part in value):
        if value and _is_choice(value[0]):
            return said_in(value[0], by, depth + 1)
        text, reasoning, other = read_content(list(value))
        if text or reasoning or other:
            found = said(by, text)
            return (found._replace(reasoning=reasoning or found.reasoning, other=other),)
    return said_in(value[0], by, depth + 1) if value else ()


def _is_choice(value: object) -> bool:
    """Whether a value is one of the answers that a model was asked for."""
    if not isinstance(value, Mapping) or is_message(value):
        return False
    return "message" in value or isinstance(value.get("content"), Mapping) or not _CHOICE.isdisjoint(value)


_CHOICE = frozenset(("finish_reason", "finishReason", "generation_info"))


def _said_in_object(value: Mapping[str, Any], by: Voice, depth: int) -> tuple[Said, ...]:
    if is_message(value) and not (value.get("type") == "message" and "role" not in value):
        return (read_message(value),)
    if by == "user":
        system = [
            value[key]
            for key in ("system", "instructions", "systemInstruction", "system_instruction")
            if value.get(key)
        ]
        first = tuple(one._replace(voice="system") for one in said_in(system[0], "user", depth + 1)) if system else ()
    else:
        first = ()
    for key in _ASKED if by == "user" else _ANSWERED:
        if value.get(key) in (None, "", [], {}):
            continue
        found = said_in(value[key], by, depth + 1)
        if found:
            return (*first, *_marked(found, value))
    only = [member for member in value.values() if isinstance(member, str | list | Mapping) and member]
    if len(value) == 1 and only:
        return (*first, *said_in(only[0], by, depth + 1))
    if len(parts := [member for member in only if not isinstance(member, str)]) == 1 and depth < 3:
        return (*first, *said_in(parts[0], by, depth + 1))
    return ()


def _marked(found: tuple[Said, ...], value: Mapping[str, Any]) -> tuple[Said, ...]:
    """The messages, the last with the model and the ending that the object around it names."""
    last = found[-1]
    ending = next((value[key] for key in _ENDINGS if isinstance(value.get(key), str)), "")
    details = value.get("incomplete_details")
    if isinstance(details, Mapping) and isinstance(details.get("reason"), str):
        ending = details["reason"]
    model = next((value[key] for key in ("model", "modelVersion", "model_id") if isinstance(value.get(key), str)), "")
    if last.voice != "assistant" or not (ending or model):
        return found
    return (*found[:-1], last._replace(ending=last.ending or ending, model=last.model or model))


_ENDINGS = ("finish_reason", "finishReason", "stop_reason", "stopReason", "done_reason")


def answers_in(value: Any) -> tuple[tuple[Said, ...], ...]:
    """The messages of each answer in a value: several where the model was asked for several."""
    value = as_plain(value)
    if isinstance(value, str) and (inner := decoded(value)) is not None and not is_messages(inner):
        value = inner if _is_known(inner) else value
    if isinstance(value, Mapping):
        for key in ("body", "data"):
            if isinstance(value.get(key), Mapping) and any(
                name in value[key] for name in ("choices", "output", "content")
            ):
                return answers_in(value[key])
        several = value.get("choices") or value.get("candidates")
        if _are_choices(several):
            model = {"model": value.get("model")}
            return tuple(
                one for choice in several if (one := _marked(said_in(choice, "assistant"), {**choice, **model}))
            )
    if _are_choices(value):
        return tuple(one for choice in value if (one := _marked(said_in(choice, "assistant"), choice)))
    found_one = said_in(value, "assistant")
    return (found_one,) if found_one else ()


def _are_choices(value: Any) -> TypeGuard[list[Mapping[str, Any]]]:
    """Whether a value is several answers to one request."""
    if not isinstance(value, list) or len(value) < 2 or not all(isinstance(one, Mapping) for one in value):
        return False
    return all("message" in one or not _CHOICE.isdisjoint(one) for one in value)
