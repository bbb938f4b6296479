"""Words in a row that two texts share, where they should share none.

A rule that was written looking at its own test proves nothing, and neither does a judge whose prompt holds the very
words that it is tested on. So the cases, the proving set, the sample replies, the examples of rubrics and docs, and the
rules may not share as many as six words in a row.

Texts are compared by runs of words, without regard to case, punctuation and the kind of apostrophe. Where a script
writes no blanks between words each character counts as half a word, so six words are twelve characters of Japanese.
Time and memory grow with the length of the texts, not with the number of pairs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from iamhumans.errors import Place
from iamhumans.text import one_line

WORDS = 6
"""So many words in a row are too many."""

_MOST_PLACES = 12
"""So many places of the same words are remembered; a text that shares them with more is found by those."""
_WORD_WEIGHT, _CHARACTER_WEIGHT = 2, 1

# Kana, Han with its extensions, Thai, Lao, Khmer, Burmese: scripts that put no blanks between words.
_UNSPACED = (
    "\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9d\U00020000-\U0003ffff"
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
)
# Combining marks are word characters here, which `\w` leaves out: without them Hindi falls apart.
_MARKS = "\u0300-\u036f\u0610-\u061a\u064b-\u065f\u0670\u0900-\u0903\u093a-\u094f\u0951-\u0957\u0962\u0963"
_TOKEN = re.compile(rf"(?P<character>[{_UNSPACED}])|(?:(?![{_UNSPACED}])[^\W_]|[{_MARKS}])+(?:'[^\W_]+)*")
_Gram: TypeAlias = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Passage:
    """A text that is compared with others.

    Attributes:
        text: The text.
        place: Its file, and the line at which it begins.
        kind: What kind of text it is, such as a case or a rule.
        owner: Passages of the same owner may share what they like.
    """

    text: str
    place: Place
    kind: str
    owner: str


@dataclass(frozen=True, slots=True)
class Overlap:
    """Words that two passages share, and where they begin in each."""

    words: str
    first: Place
    second: Place

    def __str__(self) -> str:
        """Both places and the words, on one line."""
        return f"{self.second}: as in {self.first}: {one_line(self.words, 200)}"


@dataclass(frozen=True, slots=True)
class _Token:
    folded: str
    weight: int
    start: int
    end: int


def may_not_share(first: str, second: str) -> bool:
    """Whether passages of two kinds are compared; without another rule, all are."""
    del first, second
    return True


def find_overlaps(
    passages: Iterable[Passage],
    *,
    words: int = WORDS,
    compared: Callable[[str, str], bool] = may_not_share,
) -> list[Overlap]:
    """The runs of words that passages of different owners share, each as long as it is, in the order of the passages.

    Of several runs that begin in the same two lines the longest is given.

    Args:
        passages: The texts.
        words: How many words in a row are too many.
        compared: Whether passages of two kinds are compared.
    """
    if words < 1:
        raise ValueError("It takes one word at least.")
    search = _Search(words * _WORD_WEIGHT, compared)
    longest: dict[tuple[Place, Place], Overlap] = {}
    for overlap in (overlap for passage in passages for overlap in search.add(passage)):
        known = longest.setdefault((overlap.first, overlap.second), overlap)
        if len(overlap.words) > len(known.words):
            longest[overlap.first, overlap.second] = overlap
    return list(longest.values())


def share_words(text: str, other: str, *, words: int = WORDS) -> tuple[str, ...]:
    """The runs of words that two texts share, as the first of them has them."""
    pair = (Passage(other, Place(), "", "other"), Passage(text, Place(), "", "text"))
    return tuple(overlap.words for overlap in find_overlaps(pair, words=words))


@dataclass(slots=True)
class _Known:
    """A passage that was added, with its tokens."""

    passage: Passage
    tokens: Sequence[_Token]


@dataclass(frozen=True, slots=True)
class _Run:
    """Tokens ``start`` to ``end`` of the new passage that stand in a known one, where they begin ``ahead`` further."""

    known: int
    ahead: int
    start: int
    end: int


class _Search:
    def __init__(self, weight: int, compared: Callable[[str, str], bool]) -> None:
        self._weight = weight
        self._compared = compared
        self._known: list[_Known] = []
        self._places: dict[_Gram, list[tuple[int, int]]] = {}

    def add(self, passage: Passage) -> Iterator[Overlap]:
        """What a passage shares with those before it."""
        tokens = _tokens(passage.text)
        grams = list(_grams(tokens, self._weight))
        for run in self._runs(passage, grams):
            known = self._known[run.known]
            start = run.start + run.ahead
            yield Overlap(
                words=passage.text[tokens[run.start].start : tokens[run.end - 1].end],
                first=_place(known.passage, known.tokens[start]),
                second=_place(passage, tokens[run.start]),
            )
        number = len(self._known)
        self._known.append(_Known(passage, tokens))
        for start, _, gram in grams:
            places = self._places.setdefault(gram, [])
            if len(places) < _MOST_PLACES:
                places.append((number, start))

    def _runs(self, passage: Passage, grams: Iterable[tuple[int, int, _Gram]]) -> list[_Run]:
        """The longest runs; one passage may have several with another."""
        done: list[_Run] = []
        going: dict[tuple[int, int], _Run] = {}
        for start, end, gram in grams:
            for number, at in self._places.get(gram, ()):
                known = self._known[number].passage
                if known.owner == passage.owner or not self._compared(known.kind, passage.kind):
                    continue
                key = number, at - start
                run = going.get(key)
                if run is not None and start <= run.end:
                    going[key] = replace(run, end=end)
                    continue
                if run is not None:
                    done.append(run)
                going[key] = _Run(number, at - start, start, end)
        return sorted([*done, *going.values()], key=lambda run: (run.start, run.known))


def _tokens(text: str) -> list[_Token]:
    folded = text.replace("’", "'").replace("ʼ", "'")  # one character for one, so that places stay
    return [
        _Token(
            match.group().casefold(),
            _CHARACTER_WEIGHT if match.group("character") else _WORD_WEIGHT,
            match.start(),
            match.end(),
        )
        for match in _TOKEN.finditer(folded)
    ]


def _grams(tokens: Sequence[_Token], weight: int) -> Iterator[tuple[int, int, _Gram]]:
    """From each token on, as many as weigh enough: start, end, and what they say."""
    end = total = 0
    for start, token in enumerate(tokens):
        while total < weight and end < len(tokens):
            total += tokens[end].weight
            end += 1
        if total < weight:
            return
        yield start, end, tuple(one.folded for one in tokens[start:end])
        total -= token.weight


def _place(passage: Passage, token: _Token) -> Place:
    line = passage.place.line
    return replace(passage.place, line=None if line is None else line + passage.text.count("\n", 0, token.start))
