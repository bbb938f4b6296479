"""Comparing words of texts as a reader would: one phrase in another text, and whether a phrase says anything."""

import re
import unicodedata
from collections.abc import Iterable

_QUOTE_MARKS = str.maketrans({**dict.fromkeys("“”„‟«»″〝〞〟＂", '"'), **dict.fromkeys("‘’‚‛‹›′´`＇", "'")})
_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
# Scripts that are written without spaces, and Hangul, whose words are as short.
_UNSPACED = re.compile(
    "[\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff\u1950-\u19df\u1a20-\u1aad\u3005-\u3007\u3040-\u318f\u31a0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7af\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff]"
)
_NOT_IN_WORDS = re.compile("[\ufe0e\ufe0f\u20e3]")
# What belongs to the emoji before it: all that a joiner joins, and the second half of a flag.
_REST_OF_EMOJI = re.compile("\u200d.|([\U0001f1e6-\U0001f1ff])[\U0001f1e6-\U0001f1ff]")


def fold(text: str) -> str:
    """The text in Unicode NFC, with runs of whitespace as one space and typographic quote marks as plain ones."""
    return " ".join(unicodedata.normalize("NFC", text).translate(_QUOTE_MARKS).split())


def has_substance(text: str) -> bool:
    """Whether the text has a letter, a digit or an emoji. Symbols such as ``+ = | ~ ^ $ <`` count as punctuation."""
    categories = map(unicodedata.category, text)
    return any(category[0] in "LN" or category == "So" for category in categories)


def is_quoted(phrase: str, text: str) -> bool:
    """Whether a folded phrase is in a folded text, begins and ends where words do, and is long enough to be a quote."""
    if not _is_enough(phrase):
        return False
    for words in dict.fromkeys((phrase, phrase.strip("\"'「」『』 "))):
        start = text.find(words)
        while start >= 0:
            end = start + len(words)
            if not _joined(text[max(start - 1, 0) : start] + words[0]) and not _joined(words[-1] + text[end : end + 1]):
                return True
            start = text.find(words, start + 1)
    return False


def _is_enough(phrase: str) -> bool:
    """Two words or emoji, one word of at least four letters, or two characters of a script without spaces."""
    emoji = 0
    if not phrase.isascii():
        if len(_UNSPACED.findall(phrase)) >= 2:
            return True
        phrase = _NOT_IN_WORDS.sub("", phrase)
        emoji = [unicodedata.category(sign) for sign in _REST_OF_EMOJI.sub(r"\1", phrase)].count("So")
        # A combining mark is part of its word.
        phrase = "".join("x" if unicodedata.category(sign)[0] == "M" else sign for sign in phrase)
    found: list[str] = _WORD.findall(phrase)
    return len(found) + emoji >= 2 or any(sum(map(str.isalpha, word)) >= 4 for word in found)


def _joined(pair: str) -> bool:
    """Whether two characters belong to one word. Scripts without capitals do not count: many use no spaces."""
    return len(pair) == 2 and all(character.isdigit() or character.lower() != character.upper() for character in pair)


def did_you_mean(word: str, known: Iterable[str], otherwise: str) -> str:
    """The advice for an unknown word: the nearest known one, or ``otherwise`` if none is near."""
    from difflib import get_close_matches

    near = get_close_matches(word.casefold(), list(known), n=1, cutoff=0.7)
    return f"Did you mean `{near[0]}`?" if near else otherwise
