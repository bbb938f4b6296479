"""Words for comparing short texts: which carry content, and which are the same but for their ending."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

# Kana, Han, Thai: scripts without blanks between words. Two of their characters count as a word.
_UNSPACED = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uff66-\uff9d\u0e00-\u0e7f"
# Marks that are part of a letter in Hindi and Arabic, which `\w` leaves out.
_MARKS = "\u0300-\u036f\u064b-\u065f\u0900-\u0903\u093a-\u094f\u0962\u0963"
_WORD = re.compile(rf"(?P<unspaced>[{_UNSPACED}]+)|(?:(?![{_UNSPACED}])[^\W_]|[{_MARKS}])+(?:'[^\W_]+)*")

_FUNCTION_WORDS = (
    "a an the and or but nor so if then than as at by for from in into of off on onto out over to under up with "
    "without about after before between during through while until till because though although since i me my mine "
    "myself we us our ours you your yours he him his she her hers it its they them their theirs this that these those "
    "who whom whose which what when where why how am is are was were be been being do does did doing done have has had "
    "having can could may might must shall should will would not no don't doesn't didn't isn't aren't wasn't won't "
    "can't couldn't wouldn't it's that's there's he's she's they're you're we're i'm i've there here all any both each "
    "every some such only own same too very just also even still yet again once more most much many few less least "
    "other another one two first last"
)

_COMMON_WORDS = "the a an of and is to it in that not with its for on as or at by no what one"
_WITHOUT_CONTENT = frozenset(_FUNCTION_WORDS.split())
_COMMON = frozenset(_COMMON_WORDS.split())
_ENDINGS = ("ingly", "edly", "ings", "ing", "est", "ers", "ed", "es", "er", "ly", "s")
_SHORTEST_STEM = 3


def words(text: str) -> list[str]:
    """The words of a text, folded; in scripts without blanks, each pair of neighbouring characters."""
    found: list[str] = []
    for match in _WORD.finditer(text.casefold().replace("’", "'")):
        word = match.group()
        if match.group("unspaced") and len(word) > 1:
            found += (word[start : start + 2] for start in range(len(word) - 1))
        else:
            found.append(word)
    return found


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """A word without its ending, so that "stays" and "staying" are the same. Coarse, and only for comparing."""
    word = word.removesuffix("'s")
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST_STEM:
            word = word.removesuffix(ending)
            break
    # "carries" and "carry", "moves" and "move".
    return word[:-1] if word[-1:] in ("e", "i", "y") and len(word) > _SHORTEST_STEM else word


def content(all_words: Iterable[str]) -> frozenset[str]:
    """The stems of the words that carry content."""
    return frozenset(stem(word) for word in all_words if word not in _WITHOUT_CONTENT and not word.isdigit())


def reads_english(text: str, *, unsure: bool) -> bool:
    """Whether a text has its share of the commonest English words; ``unsure`` if it is too short to say."""
    all_words = words(text)
    if len(all_words) < 12:
        return unsure
    return sum(word in _COMMON for word in all_words) >= 0.08 * len(all_words)
