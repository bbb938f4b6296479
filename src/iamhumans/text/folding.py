"""Comparing texts that people would call the same words."""

from __future__ import annotations

import unicodedata

_QUOTE_MARKS = str.maketrans(
    {
        **dict.fromkeys("“”„‟«»″〝〞〟＂", '"'),
        **dict.fromkeys("‘’‚‛‹›′´`＇", "'"),
    }
)


def fold(text: str) -> str:
    """Unicode NFC, runs of whitespace as one space, typographic quote marks as plain ones. Nothing looser than that."""
    return " ".join(unicodedata.normalize("NFC", text).translate(_QUOTE_MARKS).split())


def has_substance(text: str) -> bool:
    """Whether there is a letter, a digit or a symbol (an emoji, say) in it, and not punctuation and blanks alone."""
    return any(unicodedata.category(character)[0] in "LNS" for character in text)
