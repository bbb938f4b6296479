"""A shape that the user describes: which column holds what."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from iamhumans.errors import CommandError, InputError
from iamhumans.subjects.shapes.facts import name_of, number_of
from iamhumans.subjects.shapes.messages import as_plain
from iamhumans.subjects.shapes.pairs import exchange
from iamhumans.subjects.shapes.said import Conversation
from iamhumans.subjects.shapes.shape import Row, Shape
from iamhumans.subjects.shapes.values import decoded, said_in
from iamhumans.text import did_you_mean, one_line

NAMES = ("input", "reply", "messages", "id", "case_id", "subject", "number", "lang", "thread", "system")


def parse_columns(text: str) -> dict[str, str]:
    """``input=a.b,reply=c`` as an object. Raises CommandError."""
    found: dict[str, str] = {}
    for part in text.split(","):
        name, equals, path = (piece.strip() for piece in part.partition("="))
        if not equals or not path:
            raise CommandError(f"`{one_line(part, 60)}` names no column.", fix="Write input=NAME,reply=NAME.")
        found[name] = path
    return found


def shape_of_columns(columns: Mapping[str, str]) -> Shape:
    """The shape that columns describe. Raises CommandError."""
    for name in columns:
        if name not in NAMES:
            fix = did_you_mean(name, NAMES, f"Known parts: {', '.join(NAMES)}.")
            raise CommandError(f"`{one_line(name, 60)}` is not a part of a row.", fix=fix)
    if "reply" not in columns and "messages" not in columns:
        fix = "Write input=NAME,reply=NAME, or messages=NAME for whole conversations."
        raise CommandError("The columns do not say where the reply is.", fix=fix)
    named = ", ".join(f"{name}={path}" for name, path in columns.items())
    return Shape("columns", f"the columns {named}", partial(_fits, columns=columns), partial(_read, columns=columns))


def value_at(row: Any, path: str) -> Any:
    """A value by its name or its path: dots lead into objects, numbers into lists, and into JSON in a text."""
    if isinstance(row, Mapping) and path in row:
        return row[path]
    value = row
    parts = path.split(".")
    for place, part in enumerate(parts):
        value = as_plain(value)
        if isinstance(value, str):
            value = decoded(value)
        if isinstance(value, Mapping):
            rest = ".".join(parts[place:])
            if rest in value:
                return value[rest]
            value = value.get(part)
        elif (
            isinstance(value, list | tuple) and part.lstrip("-").isdigit() and -len(value) <= int(part[:9]) < len(value)
        ):
            value = value[int(part[:9])]
        else:
            return None
    return value


def _fits(row: Row, *, columns: Mapping[str, str]) -> bool:
    return value_at(row, columns.get("reply", columns.get("messages", ""))) is not None


def _read(row: Row, *, columns: Mapping[str, str]) -> Sequence[Conversation]:
    values = {name: value_at(row, path) for name, path in columns.items()}
    for name in ("reply", "messages", "input"):
        if name in columns and values[name] is None:
            raise InputError(
                f"The row has nothing at `{one_line(columns[name], 80)}`.", fix="Check the columns that you named."
            )
    known: dict[str, Any] = {name: name_of(values.get(name)) for name in ("id", "case_id", "subject", "lang", "thread")}
    known = {name: value for name, value in known.items() if value}
    if values.get("number") is not None:
        known["number"] = number_of({"number": values["number"]})
    first = tuple(one._replace(voice="system") for one in said_in(values.get("system"), "user"))
    if "messages" not in columns:
        return exchange(row, values.get("input"), values["reply"], first=first, alone="input" not in columns, **known)
    messages = said_in(values["messages"], "user")
    if "reply" in columns:
        return exchange(row, values["messages"], values["reply"], first=first, **known)
    if not messages:
        raise InputError(f"There are no messages at `{one_line(columns['messages'], 80)}`.")
    from iamhumans.subjects.shapes.facts import conversation_of

    return [conversation_of(row, (*first, *messages), **known)]
