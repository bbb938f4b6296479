"""How the cases of a suite are written: the rules for one case, and near duplicates. All findings are warnings."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence, Set
from itertools import count
from pathlib import Path

from iamhumans.cases.case_file import CaseReading
from iamhumans.cases.findings import Code, Finding
from iamhumans.cases.style.rules import RULES, Draft
from iamhumans.cases.style.words import content, words

_MOST_COMPARED = 40
"""A part that so many cases share says nothing, and a suite of copies must not take long."""


def style_findings(readings: Iterable[CaseReading]) -> dict[Path, list[Finding]]:
    """Warnings about the style of the case files of one suite, by file; a file without a case has none."""
    drafts = [Draft(reading, reading.case) for reading in readings if reading.case is not None]
    found: dict[Path, list[Finding]] = {draft.reading.path: [] for draft in drafts}
    for draft in drafts:
        path = draft.reading.path
        for code, rule in RULES.items():
            found[path] += (Finding(path, line, code.value, problem, fix) for line, problem, fix in rule(draft))
    for finding in _near_duplicates(drafts):
        found[finding.path].append(finding)
    return found


def _near_duplicates(drafts: Sequence[Draft]) -> Iterator[Finding]:
    """Cases that are nearly one before them: their interval would be too narrow. Quotes neither case.

    They share 60 % of their content words (of at least 8), or 40 % of their runs of three words (of at least 5).
    """
    texts = [words("\n".join(draft.case.texts)) for draft in drafts]
    like = _like_before([content(text) for text in texts], 0.6, fewest=8)
    like |= _like_before(_runs(texts), 0.4, fewest=5)
    for number, (other, share) in sorted(like.items()):
        first, draft = drafts[other], drafts[number]
        place = f"{first.reading.path}:{first.reading.line_of('id')}"
        problem = f"The case is nearly `{first.case.id}` ({place}): {share:.0%} of the text is the same."
        fix = "Give one of the two another person, another matter and another way to fail; or delete it."
        yield Finding(draft.reading.path, draft.reading.line_of("id"), Code.NEAR_DUPLICATE.value, problem, fix)


def _runs(texts: Sequence[Sequence[str]]) -> list[set[int]]:
    """The runs of three words of each text, each as one number, since tuples take seconds to compare."""
    numbers: defaultdict[str, int] = defaultdict(count().__next__)
    numbered = [[numbers[word] for word in text] for text in texts]
    base = len(numbers)
    return [{(a * base + b) * base + c for a, b, c in zip(text, text[1:], text[2:], strict=False)} for text in numbered]


def _like_before(texts: Sequence[Set[Hashable]], threshold: float, *, fewest: int) -> dict[int, tuple[int, float]]:
    """For each set that shares enough with one before it (Jaccard): which, and how much."""
    places: defaultdict[Hashable, list[int]] = defaultdict(list)
    like: dict[int, tuple[int, float]] = {}
    for number, parts in enumerate(texts):
        if len(parts) < fewest:
            continue
        shared = Counter(other for part in parts for other in places[part])
        for other, common in shared.items():
            share = common / (len(parts) + len(texts[other]) - common)
            if share >= threshold:
                like[number] = (other, share)
                break
        for part in parts:
            if len(places[part]) < _MOST_COMPARED:
                places[part].append(number)
    return like
