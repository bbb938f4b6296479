"""Whether the words that a judge quotes are in the reply, and are enough to confirm anything.

Quote and reply are compared after Unicode NFC, with whitespace and quote marks folded, and nothing looser: no case
folding, no ellipsis, no fuzzy match. A quote must begin and end where words do: `no` is not a quote from `know`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from functools import lru_cache

from iamhumans.text import fold, has_substance
from iamhumans.verdicts.verdict import Verdict

STRUCTURE = "structured_output_in_emotional_moment"
"""The hard fail that a line of a list confirms, however short the line is."""

_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
# Scripts that are written without spaces, and Hangul, whose words are as short.
_UNSPACED = re.compile(
    "[\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff\u1950-\u19df\u1a20-\u1aad\u3005-\u3007\u3040-\u318f\u31a0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7af\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff]"
)
_NOT_IN_WORDS = re.compile("[\ufe0e\ufe0f\u20e3]")
# What belongs to the emoji before it: all that a joiner joins, and the second half of a flag.
_REST_OF_EMOJI = re.compile("\u200d.|([\U0001f1e6-\U0001f1ff])[\U0001f1e6-\U0001f1ff]")
_LIST_MARK = re.compile(r"[ \t>]*(?:[^\w\s\"'(]{1,6}|\d{1,3}[.):]|[A-Za-z][.)])[ \t]+(?=\S)")


def confirm_flags(verdict: Verdict, reply: str | None) -> Mapping[str, bool | None]:
    """For each flag whether a quote confirms it; ``None`` where it is not YES or the reply is unknown."""
    if reply is None or not any(flag.present for flag in verdict.flags.values()):
        return dict.fromkeys(verdict.flags)
    return {
        name: any(_is_confirmed(name, quote, reply) for quote in flag.quotes) if flag.present else None
        for name, flag in verdict.flags.items()
    }


def confirming_quotes(quotes: Iterable[str], reply: str) -> tuple[str, ...]:
    """Those of the quotes that are in the reply and long enough to confirm something."""
    return tuple(quote for quote in quotes if _is_confirmed("", quote, reply))


@lru_cache(maxsize=64)
def _is_confirmed(hard_fail: str, quote: str, reply: str) -> bool:
    words = fold(quote)
    if hard_fail == STRUCTURE and words in _list_lines(reply):
        return True
    if not _is_enough(words):
        return False
    return any(_is_in(form, _folded(reply)) for form in (words, words.strip("\"'「」『』 ")))


@lru_cache(maxsize=64)
def _folded(reply: str) -> str:
    return fold(reply)


@lru_cache(maxsize=64)
def _list_lines(reply: str) -> frozenset[str]:
    """The lines of lists, with and without their marks."""
    items = [line for line in reply.splitlines() if _LIST_MARK.match(line) and has_substance(line)]
    return frozenset(fold(line) for item in items for line in (item, _LIST_MARK.sub("", item, count=1)))


def _is_enough(words: str) -> bool:
    """Two words or emoji, one word of at least four letters, or two characters of a script without spaces."""
    emoji = 0
    if not words.isascii():
        if len(_UNSPACED.findall(words)) >= 2:
            return True
        words = _NOT_IN_WORDS.sub("", words)
        emoji = [unicodedata.category(sign) for sign in _REST_OF_EMOJI.sub(r"\1", words)].count("So")
        # A combining mark is part of its word.
        words = "".join("x" if unicodedata.category(sign)[0] == "M" else sign for sign in words)
    found: list[str] = _WORD.findall(words)
    return len(found) + emoji >= 2 or any(sum(map(str.isalpha, word)) >= 4 for word in found)


def _is_in(words: str, reply: str) -> bool:
    start = reply.find(words)
    while start >= 0:
        end = start + len(words)
        if not _joined(reply[max(start - 1, 0) : start] + words[0]) and not _joined(words[-1] + reply[end : end + 1]):
            return True
        start = reply.find(words, start + 1)
    return False


def _joined(pair: str) -> bool:
    """Whether two characters belong to one word. Scripts without capitals do not count: many use no spaces."""
    return len(pair) == 2 and all(character.isdigit() or character.lower() != character.upper() for character in pair)
