"""Fields of foreign JSON, taken for what they are and not for what they should be."""

from __future__ import annotations

from typing import Any

_MOST_TOKENS = 1_000_000_000
_LONGEST_NAME = 200


def mapping(value: Any) -> dict[str, Any]:
    """The value if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def count(value: Any) -> int | None:
    """A number of tokens; ``None`` for what cannot be one, so that no server can lower a bill with -1."""
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= _MOST_TOKENS:
        return None
    return value


def word(value: Any) -> str:
    """A short string; empty for anything else."""
    return storable(value[:_LONGEST_NAME]) if isinstance(value, str) else ""


def storable(text: str) -> str:
    """The text without lone surrogates, which JSON can carry and UTF-8 cannot."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text
