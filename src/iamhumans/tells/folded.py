r"""A copy of a text to match on: lower case, ASCII, and of exactly the same length.

The same length makes every position in the copy a position in the text, so a quote is a plain slice. With ASCII bytes
RE2's ``\b`` and ``\w`` mean what they say, and RE2 need not decode.
"""

import codecs
import unicodedata

_EM_DASH = "\x01"
_SYMBOL = "\x02"  # an emoji or another symbol
# The most common replacements come first, one by one: str.replace costs almost nothing on a text without the character,
# and a call of the error handler below costs a microsecond.
_COMMON = (("’", "'"), ("“", '"'), ("”", '"'), ("—", _EM_DASH), ("‘", "'"), ("–", "-"), ("\xa0", " "))
_OTHERS = {
    **dict.fromkeys("„‟«»″〝〞〟＂", '"'),
    **dict.fromkeys("‚‛‹›′´＇", "'"),
    **dict.fromkeys("•‣◦▪●·∙", "*"),
    **dict.fromkeys("‐‑‒−", "-"),
    **dict.fromkeys("\u2002\u2003\u2009\u202f\u3000", " "),
    "―": _EM_DASH,
    **dict(zip("…！？。，", ".!?.,", strict=True)),
}


def fold_in_place(text: str) -> bytes:
    """The copy of ``text`` to match on, one byte for each character."""
    if text.isascii():
        return text.lower().encode("ascii")
    lowered = text.lower()
    if len(lowered) != len(text):
        # One letter (a capital I with a dot) has a lower case of two characters.
        lowered = "".join([character.lower()[0] for character in text])
    for character, plain in _COMMON:
        lowered = lowered.replace(character, plain)
    return lowered.encode("ascii", "iamhumans.fold_in_place")


def _replace(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    plain = []
    for character in error.object[error.start : error.end]:
        if character.isalpha():
            base = unicodedata.normalize("NFD", character)[0]
            plain.append(base if base.isascii() else "_")
        else:
            plain.append(_OTHERS.get(character, _SYMBOL))
    return "".join(plain), error.end


codecs.register_error("iamhumans.fold_in_place", _replace)
