"""Whether the words that a judge quotes stand in the reply.

A quote is compared after Unicode NFC with whitespace and quote marks folded, and nothing looser: no case folding, no
ellipsis, no fuzzy match. Marks around a quote are its dress. A single word must stand there as a word: evidence that
says `no` is not confirmed by a reply that says `know`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache

from iamhumans.text import fold, has_substance
from iamhumans.verdicts.model import Verdict


def confirm_flags(verdict: Verdict, reply: str | None) -> Mapping[str, bool | None]:
    """For each flag whether one of its quotes stands in the reply; ``None`` where it says NO or no reply is known."""
    if reply is None or not any(flag.present for flag in verdict.flags.values()):
        return dict.fromkeys(verdict.flags)
    folded = _folded(reply)
    return {
        name: any(_stands_in(quote, folded) for quote in flag.quotes) if flag.present else None
        for name, flag in verdict.flags.items()
    }


def standing_quotes(quotes: Iterable[str], reply: str) -> tuple[str, ...]:
    """Those of the quotes that stand in the reply."""
    folded = _folded(reply)
    return tuple(quote for quote in quotes if _stands_in(quote, folded))


@lru_cache(maxsize=64)
def _folded(reply: str) -> str:
    """A reply is asked about several times in a row: by the judge, by the score, for each of its repeats."""
    return fold(reply)


@lru_cache(maxsize=64)
def _stands_in(quote: str, folded_reply: str) -> bool:
    words = fold(quote)
    if not has_substance(words):
        return False
    return any(_found(dressed, folded_reply) for dressed in (words, words.strip("\"'「」『』 ")))


def _found(words: str, folded_reply: str) -> bool:
    if " " in words:
        return words in folded_reply
    start = folded_reply.find(words)
    while start >= 0:
        end = start + len(words)
        before, after = folded_reply[max(start - 1, 0) : start], folded_reply[end : end + 1]
        if not _joined(before + words[0]) and not _joined(words[-1] + after):
            return True
        start = folded_reply.find(words, start + 1)
    return False


def _joined(pair: str) -> bool:
    """Whether two characters belong to one word. Scripts without capitals are left out: many set no blanks."""
    return len(pair) == 2 and all(character.isdigit() or character.lower() != character.upper() for character in pair)
