"""Words for comparing short texts: which of them carry content, and which are the same but for their ending."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

# Kana, Han, Thai: scripts that put no blanks between words. Two of their characters count as a word.
_UNSPACED = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uff66-\uff9d\u0e00-\u0e7f"
# Marks that are part of a letter in Hindi and Arabic, which `\w` leaves out.
_MARKS = "\u0300-\u036f\u064b-\u065f\u0900-\u0903\u093a-\u094f\u0962\u0963"
_WORD = re.compile(rf"(?P<unspaced>[{_UNSPACED}]+)|(?:(?![{_UNSPACED}])[^\W_]|[{_MARKS}])+(?:'[^\W_]+)*")
_PLAIN_WORD = re.compile(r"[a-z0-9]+(?:'[a-z0-9]+)*")

FUNCTION_WORDS = frozenset(
    [
        "a",
        "an",
        "the",
        "and",
        "or",
        "but",
        "nor",
        "so",
        "if",
        "then",
        "than",
        "as",
        "at",
        "by",
        "for",
        "from",
        "in",
        "into",
        "of",
        "off",
        "on",
        "onto",
        "out",
        "over",
        "to",
        "under",
        "up",
        "with",
        "without",
        "about",
        "after",
        "before",
        "between",
        "during",
        "through",
        "while",
        "until",
        "till",
        "because",
        "though",
        "although",
        "since",
        "i",
        "me",
        "my",
        "mine",
        "myself",
        "we",
        "us",
        "our",
        "ours",
        "you",
        "your",
        "yours",
        "he",
        "him",
        "his",
        "she",
        "her",
        "hers",
        "it",
        "its",
        "they",
        "them",
        "their",
        "theirs",
        "this",
        "that",
        "these",
        "those",
        "who",
        "whom",
        "whose",
        "which",
        "what",
        "when",
        "where",
        "why",
        "how",
        "am",
        "is",
        "are",
        "was",
        "were",
        "be",
        "been",
        "being",
        "do",
        "does",
        "did",
        "doing",
        "done",
        "have",
        "has",
        "had",
        "having",
        "can",
        "could",
        "may",
        "might",
        "must",
        "shall",
        "should",
        "will",
        "would",
        "not",
        "no",
        "don't",
        "doesn't",
        "didn't",
        "isn't",
        "aren't",
        "wasn't",
        "won't",
        "can't",
        "couldn't",
        "wouldn't",
        "it's",
        "that's",
        "there's",
        "he's",
        "she's",
        "they're",
        "you're",
        "we're",
        "i'm",
        "i've",
        "there",
        "here",
        "all",
        "any",
        "both",
        "each",
        "every",
        "some",
        "such",
        "only",
        "own",
        "same",
        "too",
        "very",
        "just",
        "also",
        "even",
        "still",
        "yet",
        "again",
        "once",
        "more",
        "most",
        "much",
        "many",
        "few",
        "less",
        "least",
        "other",
        "another",
        "one",
        "two",
        "first",
        "last",
    ]
)
"""English words that carry no content."""

_COMMON = frozenset(
    [
        "the",
        "a",
        "an",
        "of",
        "and",
        "is",
        "to",
        "it",
        "in",
        "that",
        "not",
        "with",
        "its",
        "for",
        "on",
        "as",
        "or",
        "at",
        "by",
        "no",
        "what",
        "one",
    ]
)
_ENDINGS = ("ingly", "edly", "ings", "ing", "est", "ers", "ed", "es", "er", "ly", "s")
_LEAST_STEM = 3


def lowered(text: str) -> str:
    """A text in lower case, each letter in its place: a pattern for it is twice as fast as one for any case."""
    lower = text.lower()
    if len(lower) == len(text):
        return lower
    return "".join(letter.lower() if len(letter.lower()) == 1 else letter for letter in text)


def words(text: str) -> list[str]:
    """The words of a text, folded; of scripts without blanks, each two characters that follow one another."""
    folded = text.casefold().replace("’", "'")
    if folded.isascii():
        return _PLAIN_WORD.findall(folded)
    found: list[str] = []
    for match in _WORD.finditer(folded):
        word = match.group()
        if match.group("unspaced") and len(word) > 1:
            found += (word[start : start + 2] for start in range(len(word) - 1))
        else:
            found.append(word)
    return found


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """A word without its ending, so that "stays" and "staying" are the same. Coarse, and meant for comparing only."""
    word = word.removesuffix("'s")
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _LEAST_STEM:
            word = word.removesuffix(ending)
            break
    # "carries" and "carry", "moves" and "move".
    return word[:-1] if word[-1:] in ("e", "i", "y") and len(word) > _LEAST_STEM else word


def content(text: str, *, besides: frozenset[str] = frozenset()) -> frozenset[str]:
    """The stems of the words of a text that carry content.

    Args:
        text: The text.
        besides: More words that are to count for nothing.
    """
    return content_of(word for word in words(text) if word not in besides)


def content_of(all_words: Iterable[str]) -> frozenset[str]:
    """As :func:`content`, of words that were split before."""
    return frozenset(stem(word) for word in all_words if word not in FUNCTION_WORDS and not word.isdigit())


def reads_english(text: str, *, unsure: bool) -> bool:
    """Whether a text has its share of the commonest English words.

    Args:
        text: The text.
        unsure: The answer where the text is too short to tell.
    """
    all_words = words(text)
    if len(all_words) < 12:
        return unsure
    return sum(word in _COMMON for word in all_words) >= 0.08 * len(all_words)
