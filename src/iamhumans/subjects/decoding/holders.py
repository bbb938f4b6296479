"""Lists of rows inside of objects: ``{"data": [...]}``, a promptfoo result, an Inspect log, spans of a trace."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

HOLDERS = frozenset(
    [
        "data",
        "rows",
        "results",
        "samples",
        "items",
        "records",
        "examples",
        "entries",
        "traces",
        "runs",
        "logs",
        "conversations",
        "sessions",
        "threads",
        "chats",
        "dialogs",
        "dialogues",
        "instances",
        "evaluations",
        "documents",
        "train",
        "test",
        "spans",
        "observations",
        "resourceSpans",
        "scopeSpans",
        "resource_spans",
        "scope_spans",
        "batches",
    ]
)
"""Keys under which objects keep their rows."""
_OF_ROWS = frozenset(
    [
        "messages",
        "input",
        "inputs",
        "output",
        "outputs",
        "prompt",
        "response",
        "reply",
        "completion",
        "question",
        "answer",
        "instruction",
        "chosen",
        "rejected",
        "mapping",
        "chat_messages",
        "conversation",
        "request",
        "contents",
        "attributes",
        "choices",
        "role",
    ]
)
_OF_MESSAGES = frozenset(
    [
        "role",
        "content",
        "parts",
        "name",
        "id",
        "tool_calls",
        "tool_call_id",
        "refusal",
        "reasoning_content",
        "reasoning",
        "createdAt",
        "created_at",
        "timestamp",
        "metadata",
        "type",
        "status",
        "model",
        "function_call",
        "audio",
        "annotations",
        "phase",
    ]
)
_MOST_LEVELS = 6


def is_row(value: Mapping[str, Any]) -> bool:
    """Whether an object has what a row has, so that a list in it is a part of the row."""
    return not _OF_ROWS.isdisjoint(value)


def is_message(value: object) -> bool:
    """Whether an element of a list can only be a message, so that the list is one conversation and not rows."""
    if not isinstance(value, Mapping):
        return False
    if isinstance(value.get("role"), str) and ("content" in value or "parts" in value):
        return _OF_MESSAGES.issuperset(value)
    names = set(value)
    return names >= {"from", "value"} or names == {"type", "data"} or names >= {"lc", "kwargs"}


def holds_rows(name: object, value: object) -> bool:
    """Whether a member of an object is a list of rows."""
    return (
        name in HOLDERS
        and isinstance(value, list)
        and bool(value)
        and isinstance(value[0], Mapping)
        and not is_message(value[0])
    )


def inner_rows(value: Any, model: str = "", depth: int = 0) -> Iterator[tuple[Any, str]]:
    """The rows that an object holds, each with the model that is named beside them; or the object itself."""
    if (unfolded := _unfolded(value)) is not None:
        for one in unfolded:
            yield one, model
        return
    names = holders_of(value) if depth <= _MOST_LEVELS else ()
    if names:
        model = model_beside(value) or model
    found = False
    for name in names:
        member = value[name]
        if isinstance(member, list):
            found = True
            for one in member:
                yield from inner_rows(one, model, depth + 1)
        else:
            inner = list(inner_rows(member, model, depth + 1))
            if len(inner) != 1 or inner[0][0] is not member:
                found = True
                yield from inner
    if not found:
        yield value, model


def is_holder(value: Any) -> bool:
    """Whether :func:`inner_rows` may find rows in a value."""
    return bool(holders_of(value)) or _unfolded(value) is not None


def _unfolded(value: Any) -> list[Any] | None:
    """The rows of a whole table in one object, as data frames are written, or the row that a dataset's server wraps."""
    if type(value) is not dict or not value:
        return None
    if "row_idx" in value and isinstance(value.get("row"), dict):
        return [value["row"]]
    first = next(iter(value.values()))
    if type(first) not in (dict, list) or not first:
        return None
    names = value.get("columns")
    if isinstance(names, list) and _SPLIT.issuperset(value) and isinstance(value.get("data"), list):
        return [dict(zip(names, one, strict=False)) if isinstance(one, list) else one for one in value["data"]]
    columns = list(value.values())
    if isinstance(first, dict) and all(name.isdigit() for name in value):  # rows by index
        return columns if all(isinstance(one, dict) for one in columns) else None
    if len(columns) < 2 or any(type(one) is not type(first) or len(one) != len(first) for one in columns):
        return None
    if isinstance(first, dict):  # columns by index
        index = list(first)
        if not all(name.isdigit() for name in index) or any(list(one) != index for one in columns):
            return None
        return [{name: column[place] for name, column in value.items()} for place in index]
    if any(isinstance(cell, dict) for column in columns for cell in column):
        return None
    return [dict(zip(value, cells, strict=True)) for cells in zip(*columns, strict=True)]


_SPLIT = frozenset(("columns", "index", "data"))


def holders_of(value: Any) -> Sequence[str]:
    """The members of an object that are lists of rows, or may hold some."""
    if not isinstance(value, dict) or HOLDERS.isdisjoint(value) or is_row(value):
        return ()
    return [
        name for name in value if holds_rows(name, value[name]) or (name in HOLDERS and isinstance(value[name], dict))
    ]


def model_beside(found: Mapping[str, Any]) -> str:
    """The model that an object names once for all its rows."""
    for holder in (found, found.get("eval"), found.get("config"), found.get("metadata")):
        if isinstance(holder, Mapping):
            named = holder.get("model") or holder.get("model_name")
            if isinstance(named, str):
                return named
    return ""
