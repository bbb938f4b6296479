"""JSON that is safe to show in a terminal."""

import json

from iamhumans.text.safety import for_terminal


def json_text(value: object, *, indent: int | None = None) -> str:
    """A value as JSON. Control characters, bidi marks, invisible characters and lone surrogates are escaped."""
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    if (text.isascii() and "\x7f" not in text) or for_terminal(text) == text:
        return text
    # Such characters occur only inside strings, where an escape means the same. Json leaves DEL as it is.
    escapes = {ord(sign): json.dumps(sign)[1:-1] for sign in set(text) if for_terminal(sign) != sign}
    return text.translate({**escapes, 0x7F: "\\u007f"})
