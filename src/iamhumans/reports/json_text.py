"""JSON that any terminal can show and any program can read."""

from __future__ import annotations

import json

from iamhumans.text import for_terminal


def json_text(value: object, *, indent: int | None = None) -> str:
    """A value as JSON. What could steer a terminal or hide words, and lone surrogates, stand in it as escapes."""
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    if text.isascii() and "\x7f" not in text:
        return text
    if for_terminal(text) == text:
        return text
    # Such characters stand nowhere but inside of strings, where an escape means the same.
    return "".join(sign if for_terminal(sign) == sign else _escaped(sign) for sign in text)


def _escaped(sign: str) -> str:
    # DEL is ASCII, which json leaves as it is.
    return "\\u007f" if sign == "\x7f" else json.dumps(sign)[1:-1]
