"""Values from foreign JSON, which may be anything."""

from typing import Any


def mapping(value: Any) -> dict[str, Any]:
    """The value if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def count(value: Any) -> int | None:
    """A number of tokens; ``None`` for what cannot be one, so that no server can lower a bill with -1."""
    return value if type(value) is int and 0 <= value <= 1_000_000_000 else None


def word(value: Any) -> str:
    """A short string; empty for anything else."""
    return storable(value[:200]) if isinstance(value, str) else ""


def storable(text: str) -> str:
    """The text with lone surrogates replaced: JSON can carry them, UTF-8 cannot."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
