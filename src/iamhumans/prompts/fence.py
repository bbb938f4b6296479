"""Fences around foreign text.

Every line of a fenced text begins with a mark, the empty ones too. What the text cannot do is begin a line, so it can
neither close its fence nor forge what stands outside of it. All that a reader may take for a line end is one here.
"""

from __future__ import annotations

import re

MARK = "> "

_LONE_SURROGATES = re.compile("[\ud800-\udfff]")


def fenced(text: str, mark: str = MARK) -> str:
    """The text with ``mark`` before each of its lines."""
    lines = encodable(text).splitlines() or [""]
    return "\n".join(f"{mark}{line}" for line in lines)


def on_one_line(text: str) -> str:
    """The text without line ends, for a title or a bullet."""
    return " ".join(encodable(text).split())


def encodable(text: str) -> str:
    """The text with each lone surrogate replaced, so that it can be sent as UTF-8."""
    return _LONE_SURROGATES.sub("\ufffd", text)
