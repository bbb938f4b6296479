"""What evaluation tools write: Inspect, promptfoo, and others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from iamhumans.errors import InputError
from iamhumans.subjects.shapes.facts import conversation_of, first_name, name_of
from iamhumans.subjects.shapes.messages import is_messages, read_messages
from iamhumans.subjects.shapes.pairs import exchange
from iamhumans.subjects.shapes.said import Conversation
from iamhumans.subjects.shapes.shape import Row, Shape
from iamhumans.subjects.shapes.traces import loaded
from iamhumans.subjects.shapes.values import answers_in, said_in

_VARIABLES = (
    "messages",
    "input",
    "message",
    "question",
    "query",
    "prompt",
    "user",
    "user_message",
    "user_input",
    "text",
    "msg",
)


def _is_inspect(row: Row) -> bool:
    output = row.get("output")
    is_sample = any(key in row for key in ("epoch", "scores", "target"))
    return is_sample and isinstance(output, Mapping) and ("choices" in output or "completion" in output)


def _inspect(row: Row) -> Sequence[Conversation]:
    output = row["output"]
    if row.get("error") and not output.get("choices"):
        raise InputError("The sample failed, so there is no reply in it.")
    known: dict[str, Any] = {"subject": first_name(row, ("subject",)) or name_of(output.get("model"))}
    epoch = row.get("epoch")
    if isinstance(epoch, int) and not isinstance(epoch, bool) and epoch > 0 and "number" not in row:
        known["number"] = epoch
    messages = read_messages(row["messages"]) if is_messages(row.get("messages")) else ()
    answer = next(iter(answers_in(output)), ())
    if not messages:
        return exchange(row, row.get("input"), output, **known)
    if answer and (messages[-1].voice != "assistant" or not messages[-1].text):
        messages = (*messages, *answer)
    elif answer:
        messages = (*messages[:-1], messages[-1]._replace(ending=answer[-1].ending))
    return [conversation_of(row, messages, **known)]


def _is_promptfoo(row: Row) -> bool:
    return isinstance(row.get("vars"), Mapping) and any(key in row for key in ("response", "output", "provider"))


def _promptfoo(row: Row) -> Sequence[Conversation]:
    response = row.get("response") if row.get("response") is not None else row.get("output")
    answered = response.get("output") if isinstance(response, Mapping) else response
    if answered is None:
        raise InputError(
            "The call failed, so there is no reply in the row." if row.get("error") else "There is no reply in the row."
        )
    provider = row.get("provider")
    subject = first_name(row, ("subject",)) or (
        first_name(provider, ("label", "id")) if isinstance(provider, Mapping) else name_of(provider)
    )
    return exchange(row, _asked(row), answered, subject=subject, id=first_name(row, ("id", "testIdx")) or "")


def _asked(row: Row) -> Any:
    """The messages of the prompt if it has any; else the variable that the user said; else the prompt."""
    prompt = row.get("prompt")
    raw = loaded(prompt.get("raw") if isinstance(prompt, Mapping) else prompt)
    if isinstance(raw, list | Mapping) and said_in(raw, "user"):
        return raw
    texts = {key: value for key, value in row["vars"].items() if value not in (None, "", [])}
    known = next((texts[key] for key in _VARIABLES if key in texts), None)
    if known is not None:
        return loaded(known)
    return loaded(next(iter(texts.values()))) if len(texts) == 1 else raw


SHAPES = (
    Shape("inspect", "samples of an Inspect log", _is_inspect, _inspect),
    Shape("promptfoo", "promptfoo results", _is_promptfoo, _promptfoo),
)
