"""Comparing texts whose words are the same to a reader."""

from __future__ import annotations

import unicodedata

_QUOTE_MARKS = str.maketrans(
    {
        **dict.fromkeys("“”„‟«»″〝〞〟＂", '"'),
        **dict.fromkeys("‘’‚‛‹›′´`＇", "'"),
    }
)


def fold(text: str) -> str:
    """The text in Unicode NFC, with runs of whitespace as one space and typographic quote marks as plain ones."""
    return " ".join(unicodedata.normalize("NFC", text).translate(_QUOTE_MARKS).split())


def has_substance(text: str) -> bool:
    """Whether the text has a letter, a digit or an emoji. Symbols such as ``+ = | ~ ^ $ <`` count as punctuation."""
    categories = map(unicodedata.category, text)
    return any(category[0] in "LN" or category == "So" for category in categories)
