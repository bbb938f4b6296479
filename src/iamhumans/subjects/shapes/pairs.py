"""Rows with a prompt and an answer, or with two answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from iamhumans.errors import InputError
from iamhumans.subjects.shapes.facts import conversation_of, first_name
from iamhumans.subjects.shapes.messages import as_plain, is_messages, said
from iamhumans.subjects.shapes.said import Conversation, Said
from iamhumans.subjects.shapes.shape import Row, Shape
from iamhumans.subjects.shapes.transcript import read_transcript
from iamhumans.subjects.shapes.values import answers_in, decoded, said_in

_PROMPTS = (
    "prompt",
    "question",
    "input",
    "instruction",
    "query",
    "user",
    "context",
    "messages",
    "user_input",
    "problem",
)


def exchange(
    row: Row, asked: Any, answered: Any, *, first: tuple[Said, ...] = (), alone: bool = False, **known: Any
) -> list[Conversation]:
    """What was asked and what was answered, in whatever form, as a conversation for each answer."""
    before = (*first, *_system_beside(row, first), *said_in(asked, "user"))
    several = answers_in(answered)
    if not several and isinstance(as_plain(answered), str):
        several = ((said("assistant", ""),),)
    if not several:
        raise InputError("There is no reply in the row: the answer holds no text.")
    return [
        conversation_of(
            row, _joined(before, answer), alone=alone, **{**known, **({"number": at} if len(several) > 1 else {})}
        )
        for at, answer in enumerate(several, start=1)
    ]


def _system_beside(row: Row, first: tuple[Said, ...]) -> tuple[Said, ...]:
    for key in ("system", "system_prompt", "systemPrompt", "system_message"):
        if not first and isinstance(row.get(key), str) and row[key]:
            return (Said("system", row[key]),)
    return ()


def _joined(before: tuple[Said, ...], answer: tuple[Said, ...]) -> tuple[Said, ...]:
    turns = [one for one in before if one.voice in ("user", "assistant")]
    if turns and [one for one in answer if one.voice in ("user", "assistant")][: len(turns)] == turns:
        return answer
    if all(one.voice == "tool" for one in answer):
        return (*before, *answer, Said("assistant", "", other=("a call of a tool",)))
    return (*before, *answer)


def _pair(asked: str, answered: str) -> tuple[Callable[[Row], bool], Callable[[Row], Sequence[Conversation]]]:
    def fits(row: Row) -> bool:
        return asked in row and answered in row and isinstance(as_plain(row[answered]), str | list | Mapping)

    def read(row: Row) -> Sequence[Conversation]:
        return exchange(row, row[asked], row[answered])

    return fits, read


def _is_alpaca(row: Row) -> bool:
    return "instruction" in row and any(key in row for key in ("output", "response", "completion", "answer"))


def _alpaca(row: Row) -> Sequence[Conversation]:
    """An instruction with an input that it is about, and in some data with the turns before."""
    answered = next(row[key] for key in ("output", "response", "completion", "answer") if key in row)
    about = next((row[key] for key in ("input", "context") if isinstance(row.get(key), str) and row[key].strip()), "")
    asked = row["instruction"]
    if isinstance(asked, str) and about:
        asked = f"{asked}\n\n{about}"
    return exchange(row, asked, answered, first=_history(row))


def _history(row: Row) -> tuple[Said, ...]:
    history = as_plain(row.get("history"))
    if not isinstance(history, list):
        return ()
    if all(
        isinstance(pair, list) and len(pair) == 2 and all(isinstance(text, str) for text in pair) for pair in history
    ):
        return tuple(one for user, reply in history for one in (said("user", user), said("assistant", reply)))
    return said_in(history, "user") if is_messages(history) else ()


_CHOSEN = (
    ("chosen", "rejected"),
    ("chosen_response", "rejected_response"),
    ("preferred", "dispreferred"),
    ("chosen_messages", "rejected_messages"),
    ("preferred_output", "non_preferred_output"),
    ("response_chosen", "response_rejected"),
    ("chosen_completion", "rejected_completion"),
)
_SIDES = tuple(
    (f"{name}{one}", f"{name}{two}")
    for name in ("conversation", "response", "answer", "completion", "output", "reply", "messages", "assistant")
    for one, two in (("_a", "_b"), ("_1", "_2"), ("_A", "_B"), ("1", "2"), ("_0", "_1"))
)


def _sides(row: Row, known: Sequence[tuple[str, str]]) -> tuple[str, str] | None:
    return next((pair for pair in known if pair[0] in row and pair[1] in row), None)


def _both(row: Row, *, known: Sequence[tuple[str, str]]) -> Sequence[Conversation]:
    pair = _sides(row, known)
    if pair is None:
        raise InputError("The row does not hold two answers.")
    prompt = next((row[key] for key in _PROMPTS if row.get(key) not in (None, "", [])), None)
    found = []
    for side in pair:
        name = _name_of_side(row, side, pair)
        found += [replace(one, subject=name) for one in _side(row, prompt, row[side])]
    return found


def _name_of_side(row: Row, side: str, pair: tuple[str, str]) -> str:
    if known := {"chosen": "chosen", "rejected": "rejected", "preferred": "chosen"}.get(side.split("_")[0]):
        return known
    if pair in _CHOSEN:
        return "chosen" if side == pair[0] else "rejected"
    suffix = side.rpartition("_")[2] if "_" in side else side[-1:]
    named = first_name(row, [f"model_{suffix}", f"model{suffix}", f"model_name_{suffix}", f"generator_{suffix}"])
    return named or suffix


def _side(row: Row, prompt: Any, value: Any) -> list[Conversation]:
    value = as_plain(value)
    if isinstance(value, str):
        inner = decoded(value)
        value = (
            inner
            if inner is not None and (is_messages(inner) or all(isinstance(one, str | None) for one in inner))
            else value
        )
    if isinstance(value, list) and value and all(isinstance(one, str) or one is None for one in value):
        return [conversation_of(row, _in_turn(prompt, value))]
    if isinstance(value, str) and (whole := read_transcript(value)) is not None:
        return [conversation_of(row, whole)]
    if is_messages(value) and any(one.voice == "user" for one in said_in(value, "assistant")):
        return [conversation_of(row, said_in(value, "assistant"))]
    return exchange(row, prompt, value, alone=prompt is None)


def _in_turn(prompt: Any, replies: list[str | None]) -> tuple[Said, ...]:
    """Prompts and replies in two lists, turn by turn."""
    asked = as_plain(prompt)
    asked = (decoded(asked) or [asked]) if isinstance(asked, str) else asked
    if not isinstance(asked, list):
        raise InputError("The row has a list of replies and no list of prompts.")
    found: list[Said] = []
    for user, reply in zip(asked, replies, strict=False):
        found += [*said_in(user, "user"), said("assistant", reply or "")]
    return tuple(found)


def _several(row: Row, *, key: str) -> Sequence[Conversation]:
    """A prompt with a list of answers, of several models or of one."""
    prompt = next((row[name] for name in _PROMPTS if row.get(name) not in (None, "", [])), None)
    found: list[Conversation] = []
    for at, answer in enumerate(as_plain(row[key]), start=1):
        for one in exchange(row, prompt, answer):
            named = (
                first_name(answer, ("model", "model_name", "generator", "source"))
                if isinstance(answer, Mapping)
                else ""
            )
            found.append(replace(one, subject=named) if named else replace(one, number=at))
    return found


def _has_several(row: Row, *, key: str) -> bool:
    value = as_plain(row.get(key))
    if not isinstance(value, list) or not value or is_messages(value):
        return False
    return any(name in row for name in _PROMPTS) and all(isinstance(one, str | Mapping) for one in value)


def _two(known: Sequence[tuple[str, str]]) -> Callable[[Row], bool]:
    return lambda row: _sides(row, known) is not None


TWO_ANSWERS = (
    Shape("chosen-rejected", "two answers, one preferred: two subjects", _two(_CHOSEN), partial(_both, known=_CHOSEN)),
    Shape("arena", "two answers side by side: two subjects", _two(_SIDES), partial(_both, known=_SIDES)),
    *(
        Shape(
            f"several-{key}", f"a prompt with several {key}", partial(_has_several, key=key), partial(_several, key=key)
        )
        for key in ("responses", "completions", "answers", "outputs")
    ),
)
PAIRS = (
    Shape("alpaca", "instruction, input, output", _is_alpaca, _alpaca),
    *(
        Shape(f"{asked}-{answered}".replace("_", "-"), f"{asked} and {answered}", *_pair(asked, answered))
        for asked in (
            "prompt",
            "input",
            "question",
            "query",
            "instruction",
            "user_input",
            "user_message",
            "user",
            "human",
            "request",
            "message",
            "context",
            "inputs",
            "problem",
            "text",
            "user_query",
            "user_prompt",
            "utterance",
        )
        for answered in (
            "reply",
            "response",
            "completion",
            "output",
            "answer",
            "assistant",
            "bot",
            "gpt",
            "ai",
            "outputs",
            "reply_text",
            "generated_text",
            "generation",
            "model_output",
            "llm_output",
            "bot_response",
            "assistant_response",
            "model_response",
            "ai_response",
            "assistant_message",
            "chosen",
            "solution",
            "target",
            "result",
            "prediction",
            "choices",
            "candidates",
            "generations",
            "responses",
        )
    ),
)
