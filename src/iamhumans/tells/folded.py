r"""A copy of a text to match on: lower case, ASCII, and of exactly the same length.

The same length makes every position found in the copy a position in the original, so a quote is a plain slice. ASCII
bytes make RE2's ``\\b`` and ``\\w`` mean what they say, and spare it any decoding.
"""

from __future__ import annotations

import codecs
import unicodedata

EM_DASH = "\x01"
"""What stands for an em dash in the copy."""
SYMBOL = "\x02"
"""What stands for an emoji or another symbol."""

# The commonest replacements come first and one by one: str.replace on a text without the character costs almost
# nothing, a call of the error handler below costs a microsecond.
_COMMON = (("’", "'"), ("“", '"'), ("”", '"'), ("—", EM_DASH), ("‘", "'"), ("–", "-"), ("\xa0", " "))
_OTHERS = {
    **dict.fromkeys("„‟«»″〝〞〟＂", '"'),
    **dict.fromkeys("‚‛‹›′´＇", "'"),
    **dict.fromkeys("•‣◦▪●·∙", "*"),
    **dict.fromkeys("‐‑‒−", "-"),
    **dict.fromkeys("\u2002\u2003\u2009\u202f\u3000", " "),
    "―": EM_DASH,
    "…": ".",
    "！": "!",
    "？": "?",
    "。": ".",
    "，": ",",
}


def fold_in_place(text: str) -> bytes:
    """The copy of ``text`` to match on, one byte a character."""
    if text.isascii():
        return text.lower().encode("ascii")
    lowered = text.lower()
    if len(lowered) != len(text):
        lowered = "".join(_lower_one(character) for character in text)
    for character, plain in _COMMON:
        lowered = lowered.replace(character, plain)
    return lowered.encode("ascii", "iamhumans.fold_in_place")


def _lower_one(character: str) -> str:
    # One letter (a capital I with a dot) has a lower case of two characters.
    lowered = character.lower()
    return lowered if len(lowered) == 1 else lowered[0]


def _plain(character: str) -> str:
    known = _OTHERS.get(character)
    if known is not None:
        return known
    if character.isalpha():
        base = unicodedata.normalize("NFD", character)[0]
        return base if base.isascii() else "_"
    return SYMBOL


def _replace(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "".join(_plain(character) for character in error.object[error.start : error.end]), error.end


codecs.register_error("iamhumans.fold_in_place", _replace)
