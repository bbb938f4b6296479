"""Near duplicates across a suite.

Objective:
    Two cases that are nearly the same count one thing twice: intervals come out too narrow, and a subject that is good
    at that one thing looks good at all.
Violates:
    Two conversations that have about half of their runs of three words in common, or most of their words of content, in
    whatever order. A copy with the name changed is one.
Does not violate:
    Two cases about the same matter in other words; a stock phrase in common; very short conversations that share a word
    or two.

The comparison is exact and near to linear: of what a case consists of, its rarest parts are looked up among those of
the others, and only where one is shared are two cases compared (prefix filtering: Bayardo, Ma and Srikant 2007). A case
is compared with a bounded number of others, and said to be like one of them, so a suite of copies costs no more.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Sequence, Set
from dataclasses import dataclass
from itertools import count
from math import ceil

from iamhumans.cases.style.model import Draft, Said
from iamhumans.cases.style.words import content_of, words

_MOST_COMPARED = 40


@dataclass(frozen=True, slots=True)
class _Likeness:
    """What cases are compared by: how much must be shared (Jaccard), and how many parts a case must have for that."""

    threshold: float
    fewest: int


_BY_RUNS = _Likeness(0.4, 5)
_BY_CONTENT = _Likeness(0.6, 8)


@dataclass(frozen=True, slots=True)
class _Parts:
    """The parts of a text: how many, and those that another text has too, by number: the rarer, the lower."""

    size: int
    common: frozenset[int]


def near_duplicates(drafts: Sequence[Draft]) -> Iterator[tuple[Draft, Said]]:
    """Each case that is nearly one before it, with what to say of it. Quotes neither, since either may be held out."""
    texts = [words("\n".join(turn.text for turn in draft.case.conversation)) for draft in drafts]
    like = _like_before([content_of(text) for text in texts], _BY_CONTENT)
    like |= _like_before(_runs(texts), _BY_RUNS)
    for number, (other, share) in sorted(like.items()):
        first, draft = drafts[other], drafts[number]
        place = f"{first.reading.path}:{first.reading.line_of('id')}"
        problem = f"The case is nearly `{first.case.id}` ({place}): {share:.0%} of what is said is the same."
        fix = "Give one of the two another person, another matter and another way to fail; or delete it."
        yield draft, Said(draft.reading.line_of("id"), problem, fix)


def _runs(texts: Sequence[Sequence[str]]) -> Sequence[Set[int]]:
    """The runs of three words of each text, each run as one number: a million tuples would take seconds to compare."""
    numbers: defaultdict[str, int] = defaultdict(count().__next__)
    as_numbers = [[numbers[word] for word in text] for text in texts]
    base = len(numbers)
    return [
        {(one * base + two) * base + three for one, two, three in zip(text, text[1:], text[2:], strict=False)}
        for text in as_numbers
    ]


def _like_before(texts: Sequence[Set[Hashable]], likeness: _Likeness) -> dict[int, tuple[int, float]]:
    """For each set that is like one before it: which, and the share. Sets with too few parts are like nothing."""
    places: dict[int, list[int]] = {}
    like: dict[int, tuple[int, float]] = {}
    parts = _numbered(texts)
    for number, own in enumerate(parts):
        if own.size < likeness.fewest:
            continue
        # Two sets that share enough must share one of so many of their rarest parts; what a set has alone is no help.
        alone = own.size - len(own.common)
        prefix = sorted(own.common)[: max(0, own.size - ceil(likeness.threshold * own.size) + 1 - alone)]
        found = _first_like(own, prefix, parts, places, likeness.threshold)
        if found is not None:
            like[number] = found
        for part in prefix:
            places.setdefault(part, []).append(number)
    return like


def _numbered(texts: Sequence[Set[Hashable]]) -> list[_Parts]:
    often = Counter(part for text in texts for part in text)
    by_rarity = sorted((part for part, times in often.items() if times > 1), key=often.__getitem__)
    numbers = {part: number for number, part in enumerate(by_rarity)}
    return [_Parts(len(text), frozenset(numbers[part] for part in text if part in numbers)) for text in texts]


def _first_like(
    own: _Parts, prefix: Sequence[int], parts: Sequence[_Parts], places: dict[int, list[int]], threshold: float
) -> tuple[int, float] | None:
    """The first set found before this one that is like it."""
    compared: set[int] = set()
    least, most = threshold * own.size, own.size / threshold
    for part in prefix:
        for number in places.get(part, ())[:_MOST_COMPARED]:
            other = parts[number]
            if number in compared or not least <= other.size <= most:
                continue
            if len(compared) == _MOST_COMPARED:
                return None
            compared.add(number)
            shared = len(own.common & other.common)
            share = shared / (own.size + other.size - shared)
            if share >= threshold:
                return number, share
    return None
