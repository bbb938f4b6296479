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
    """Whether there is a letter, a digit or a picture such as an emoji in it, and not punctuation and blanks alone.

    Signs that stand between words or mark text up (``+ = | ~ ^ $ <``) are punctuation here, as they are to people.
    """
    categories = map(unicodedata.category, text)
    return any(category[0] in "LN" or category == "So" for category in categories)
