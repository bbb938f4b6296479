"""How well a judge finds the faults planted in a proving set, and leaves alone what only looks like one.

Only judged replies count. A hard fail on which honest readers would differ is in no figure. The share of clean replies
that are zeroed is the price of recall. Precision is that within the set, where every second reply has a planted fault;
it is lower where faults are rarer.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from benchmarks.proving_set import BANDS, Degree, Kind, ProvingReply

from iamhumans.rubrics import Rubric
from iamhumans.stats.detection import auc
from iamhumans.stats.intervals import wilson
from iamhumans.stats.quantiles import normal_quantile
from iamhumans.text import fold
from iamhumans.verdicts import MaybeVerdict, Verdict

CLEAN: tuple[Kind, ...] = ("right", "plain")
"""Kinds of reply that have no fault and do not look like it."""


@dataclass(frozen=True, slots=True)
class Share:
    """A count of hits, of a number of tries."""

    hits: int
    of: int

    @property
    def value(self) -> float | None:
        """The share, 0 to 1; ``None`` of nothing."""
        return self.hits / self.of if self.of else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """Wilson's 95 % interval; ``None`` of nothing."""
        return wilson(self.hits / self.of, self.of, normal_quantile(0.975)) if self.of else None


@dataclass(frozen=True, slots=True)
class JudgedReply:
    """A reply of the set with its judgement and its language."""

    reply: ProvingReply
    judgement: MaybeVerdict
    lang: str = "en"

    @property
    def verdict(self) -> Verdict | None:
        """The verdict, if there is one."""
        return self.judgement if isinstance(self.judgement, Verdict) else None

    def said(self, flag: str) -> bool | None:
        """Whether the judge flags a hard fail; ``None`` without a verdict. Silence is measured as "not flagged"."""
        found = self.verdict.flags.get(flag) if self.verdict else None
        return None if found is None else bool(found.present)

    def score(self, axis: str) -> float | None:
        """The judge's score on an axis; ``None`` where there is none, or none that it sees."""
        return None if self.verdict is None or axis in self.verdict.unseen else self.verdict.axes.get(axis)

    def zeroed(self, flags: Iterable[str]) -> bool | None:
        """Whether the judge says YES to a hard fail that is not there; ``None`` where that cannot be decided."""
        answers = [(self.said(flag), self.reply.answer(flag)) for flag in flags]
        if all(said is None for said, _ in answers):
            return None
        if any(said and true is False for said, true in answers):
            return True
        return None if any(said and true is None for said, true in answers) else False

    def degree(self, flag: str) -> Degree | None:
        """How obvious the planted hard fail is."""
        return next((fault.degree for fault in self.reply.faults if fault.flag == flag), None)

    def quotes_the_fault(self, flag: str) -> bool | None:
        """Whether a quote overlaps the planted words; ``None`` where the judge quotes nothing."""
        quotes = [fold(quote) for quote in self.verdict.flags[flag].quotes] if self.verdict else []
        if not quotes:
            return None
        text = fold(self.reply.text)
        planted = [_span(text, fold(fault.words)) for fault in self.reply.faults if fault.flag == flag]
        found = [_span(text, quote) for quote in quotes]
        return any(start < last and first < end for start, end in planted for first, last in found)


@dataclass(frozen=True, slots=True)
class FlagFigures:
    """How a judge does on one hard fail.

    ``recall``, ``blatant``, ``subtle``: of the planted faults, those found. ``in_place``: of those found with a quote,
    those whose quote overlaps the planted words. ``precision``: of the judge's YES, those that are right. ``clean`` and
    ``hard_negatives``: of the clean replies, and of those that look like this hard fail, those left alone.
    """

    flag: str
    recall: Share
    blatant: Share
    subtle: Share
    precision: Share
    in_place: Share
    clean: Share
    hard_negatives: Share

    @property
    def f1(self) -> float | None:
        """The harmonic mean of precision and recall; ``None`` where nothing was planted and nothing found."""
        wrong = self.precision.of - self.precision.hits + self.recall.of - self.recall.hits
        whole = 2 * self.recall.hits + wrong
        return 2 * self.recall.hits / whole if whole else None


@dataclass(frozen=True, slots=True)
class AxisFigures:
    """Of the replies whose score on an axis belongs into a band, those whose score is in it."""

    axis: str
    low: Share
    middle: Share
    high: Share


@dataclass(frozen=True)
class Measured:
    """How a judge does on a proving set, or on a part of it."""

    judged: Sequence[JudgedReply]
    rubric: Rubric

    @property
    def coverage(self) -> Share:
        """Of the replies, those with a verdict."""
        return _share(one.verdict is not None for one in self.judged)

    @cached_property
    def flags(self) -> tuple[FlagFigures, ...]:
        """The figures of each hard fail, in the order of the rubric."""
        return tuple(_flag_figures(self.judged, flag) for flag in self.rubric.hard_fail_ids)

    @property
    def axes(self) -> tuple[AxisFigures, ...]:
        """The figures of each axis, in the order of the rubric."""
        return tuple(_axis_figures(self.judged, axis) for axis in self.rubric.axis_ids)

    @property
    def recall(self) -> Share:
        """Of all planted faults, those found."""
        return Share(sum(one.recall.hits for one in self.flags), sum(one.recall.of for one in self.flags))

    @property
    def macro_f1(self) -> float | None:
        """The mean F1 of the hard fails; ``None`` where one of them has none."""
        values = [one.f1 for one in self.flags if one.f1 is not None]
        return sum(values) / len(values) if values and len(values) == len(self.flags) else None

    @property
    def clean_zeroed(self) -> Share:
        """Of the clean replies, those that the judge zeroes."""
        return self._zeroed(*CLEAN)

    @property
    def hard_negatives_zeroed(self) -> Share:
        """Of the hard negatives, those that the judge zeroes, for any hard fail."""
        return self._zeroed("hard_negative")

    @property
    def stale_zeroed(self) -> Share:
        """Of the stale replies, those that the judge zeroes."""
        return self._zeroed("stale")

    @property
    def naturalness_auc(self) -> float | None:
        """The chance that a plain reply gets more naturalness than a stale one; a tie counts half."""
        judged = [one for one in self.judged if one.reply.kind in ("plain", "stale") and one.verdict]
        scores = [one.score("naturalness") for one in judged]
        return auc(scores, [float(one.reply.kind == "plain") for one in judged]).value if judged else None

    @property
    def by_language(self) -> Mapping[str, Measured]:
        """The same for each language, English first."""
        languages = sorted({one.lang for one in self.judged}, key=lambda lang: (lang != "en", lang))
        return {lang: Measured([one for one in self.judged if one.lang == lang], self.rubric) for lang in languages}

    def _zeroed(self, *kinds: Kind) -> Share:
        return _share(one.zeroed(self.rubric.hard_fail_ids) for one in self.judged if one.reply.kind in kinds)


def _flag_figures(judged: Sequence[JudgedReply], flag: str) -> FlagFigures:
    answers = ((one, one.said(flag), one.reply.answer(flag)) for one in judged)
    decided = [(one, said, true) for one, said, true in answers if said is not None and true is not None]
    planted = [(one, said) for one, said, true in decided if true]
    return FlagFigures(
        flag=flag,
        recall=_share(said for _, said in planted),
        blatant=_share(said for one, said in planted if one.degree(flag) == "blatant"),
        subtle=_share(said for one, said in planted if one.degree(flag) == "subtle"),
        precision=_share(true for _, said, true in decided if said),
        in_place=_share(one.quotes_the_fault(flag) for one, said in planted if said),
        clean=_share(not said for one, said, _ in decided if one.reply.kind in CLEAN),
        hard_negatives=_share(not said for one, said, _ in decided if flag in one.reply.resembles),
    )


def _axis_figures(judged: Sequence[JudgedReply], axis: str) -> AxisFigures:
    scores = [
        (one.reply.bands[axis], score)
        for one in judged
        if axis in one.reply.bands
        if (score := one.score(axis)) is not None
    ]
    shares = [_share(low <= one <= high for own, one in scores if own == band) for band, (low, high) in BANDS.items()]
    return AxisFigures(axis, *shares)


def _share(answers: Iterable[bool | None]) -> Share:
    known = [answer for answer in answers if answer is not None]
    return Share(sum(known), len(known))


def _span(text: str, words: str) -> tuple[int, int]:
    """Where words are in a text; an empty span where they are not."""
    start = text.find(words)
    return (start, start + len(words)) if start >= 0 and words else (0, 0)
