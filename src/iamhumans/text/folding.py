"""Comparing texts whose words are the same to a reader, and finding the word that was meant."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

_QUOTE_MARKS = str.maketrans({**dict.fromkeys("“”„‟«»″〝〞〟＂", '"'), **dict.fromkeys("‘’‚‛‹›′´`＇", "'")})


def fold(text: str) -> str:
    """The text in Unicode NFC, with runs of whitespace as one space and typographic quote marks as plain ones."""
    return " ".join(unicodedata.normalize("NFC", text).translate(_QUOTE_MARKS).split())


def has_substance(text: str) -> bool:
    """Whether the text has a letter, a digit or an emoji. Symbols such as ``+ = | ~ ^ $ <`` count as punctuation."""
    categories = map(unicodedata.category, text)
    return any(category[0] in "LN" or category == "So" for category in categories)


def did_you_mean(word: str, known: Iterable[str], otherwise: str) -> str:
    """The advice for an unknown word: the nearest known one, or ``otherwise`` if none is near."""
    from difflib import get_close_matches

    near = get_close_matches(word.casefold(), list(known), n=1, cutoff=0.7)
    return f"Did you mean `{near[0]}`?" if near else otherwise
