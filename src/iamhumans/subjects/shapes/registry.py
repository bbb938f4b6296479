"""All shapes of logs, and which of them a row has."""

from __future__ import annotations

from collections.abc import Sequence

from iamhumans.errors import CommandError
from iamhumans.subjects.shapes import chats, evaluations, exports, pairs, traces
from iamhumans.subjects.shapes.message_rows import MESSAGE_ROWS
from iamhumans.subjects.shapes.ours import ROWS
from iamhumans.subjects.shapes.shape import Row, Shape
from iamhumans.text import did_you_mean

SHAPES: tuple[Shape, ...] = (
    ROWS,
    *exports.SHAPES,
    traces.BATCH,
    *evaluations.SHAPES,
    traces.SPANS,
    *pairs.TWO_ANSWERS,
    *traces.SHAPES,
    *chats.SHAPES,
    *pairs.PAIRS,
    *chats.LAST,
)
"""The most telling first: a row has the first shape that fits."""
_BY_NAME = {MESSAGE_ROWS.name: MESSAGE_ROWS} | {shape.name: shape for shape in SHAPES}
_OTHER_NAMES = {
    "ours": "rows",
    "openai": "messages",
    "openai-messages": "messages",
    "openai-batch": "batch",
    "otlp": "otel",
    "chosen_rejected": "chosen-rejected",
    "opentelemetry": "otel",
    "instruction-input-output": "alpaca",
    "request-response": "requests",
    "openai-responses": "responses",
    "json": "message-list",
    "json-column": "message-list",
    "ai-sdk": "vercel",
}


def shape_named(name: str) -> Shape:
    """The shape with a name. Raises CommandError."""
    plain = name.strip().lower().replace("_", "-").replace("/", "-")
    found = _BY_NAME.get(_OTHER_NAMES.get(plain, plain))
    if found is None:
        fix = did_you_mean(plain, (*_BY_NAME, *_OTHER_NAMES), f"Known shapes: {', '.join(_BY_NAME)}.")
        raise CommandError(f"There is no shape `{plain}`.", fix=fix)
    return found


def recognise(rows: Sequence[Row]) -> Shape | None:
    """The shape that most of the first rows have; ``None`` if none has a known one."""
    votes: dict[str, int] = {}
    for row in rows:
        if (found := shape_of(row)) is not None:
            votes[found.name] = votes.get(found.name, 0) + 1
    return _BY_NAME[max(votes, key=lambda name: votes[name])] if votes else None


def shape_of(row: Row) -> Shape | None:
    """The shape of one row."""
    return next((shape for shape in SHAPES if shape.fits(row)), None)
