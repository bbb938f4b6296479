"""How well a judge finds what was planted in a proving set, and how well it leaves alone what only looks like it.

1. Only what was judged counts; how much that is stands beside every figure.
2. Where honest readers would differ, a hard fail of a reply is in no figure, neither above the line nor below it.
3. A judge that says YES to a clean reply zeroes it, so the share of clean replies zeroed is the price of its recall.
4. Precision is that in the set, where every second reply has a planted hard fail. Where faults are rarer it is lower.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from iamhumans.rubrics import Rubric
from iamhumans.stats.detection import auc
from iamhumans.stats.intervals import wilson
from iamhumans.stats.quantiles import normal_quantile
from iamhumans.text import fold
from iamhumans.trust.proving import Band, Degree, Kind, ProvingReply
from iamhumans.verdicts import MaybeVerdict, Verdict

CLEAN = frozenset({Kind.RIGHT, Kind.PLAIN})
"""Kinds of reply to which every YES is wrong, and which do not even look as if it were right."""

_LEVEL = 0.95


@dataclass(frozen=True, slots=True)
class Share:
    """So many of so many."""

    hits: int
    of: int

    @property
    def value(self) -> float | None:
        """The share; ``None`` of nothing."""
        return self.hits / self.of if self.of else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """Wilson's interval at 95 %; ``None`` of nothing."""
        if not self.of:
            return None
        return wilson(self.hits / self.of, self.of, normal_quantile((1 + _LEVEL) / 2))


@dataclass(frozen=True, slots=True)
class JudgedReply:
    """A reply of the set with what a judge made of it."""

    reply: ProvingReply
    judgement: MaybeVerdict
    lang: str = "en"

    @property
    def verdict(self) -> Verdict | None:
        """The verdict, where there is one."""
        return self.judgement if isinstance(self.judgement, Verdict) else None

    def said(self, flag: str) -> bool | None:
        """The judge's answer on a hard fail; ``None`` where there is none."""
        verdict = self.verdict
        return verdict.flags[flag].present if verdict and flag in verdict.flags else None

    def zeroed(self, flags: Iterable[str]) -> bool | None:
        """Whether the judge says YES to a hard fail that the reply has not.

        ``None`` where it said nothing, or YES only where honest readers would differ.
        """
        answers = [(self.said(flag), self.reply.answer(flag)) for flag in flags]
        if all(said is None for said, _ in answers):
            return None
        if any(said and true is False for said, true in answers):
            return True
        return None if any(said and true is None for said, true in answers) else False


@dataclass(frozen=True, slots=True)
class FlagFigures:
    """How a judge does on one hard fail.

    Attributes:
        flag: The hard fail.
        recall: Of the replies with it planted, those found.
        blatant: The same of the blatant ones alone.
        subtle: The same of the subtle ones alone.
        precision: Of the judge's YES, those that are right.
        in_place: Of those found, those for which a quote touches the words that were planted.
        clean: Of the clean replies, those left alone: specificity.
        hard_negatives: Of the replies that look like this hard fail and have it not, those left alone.
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
    """How a judge does on a proving set, or on part of it."""

    judged: Sequence[JudgedReply]
    rubric: Rubric

    @cached_property
    def coverage(self) -> Share:
        """Of the replies, those with a verdict."""
        return _share(one.verdict is not None for one in self.judged)

    @cached_property
    def flags(self) -> tuple[FlagFigures, ...]:
        """The figures of each hard fail, in the order of the rubric."""
        return tuple(_flag_figures(self.judged, flag) for flag in self.rubric.hard_fail_ids)

    @cached_property
    def axes(self) -> tuple[AxisFigures, ...]:
        """The figures of each axis, in the order of the rubric."""
        return tuple(_axis_figures(self.judged, axis) for axis in self.rubric.axis_ids)

    @cached_property
    def recall(self) -> Share:
        """Of all planted hard fails, those found."""
        return Share(sum(one.recall.hits for one in self.flags), sum(one.recall.of for one in self.flags))

    @cached_property
    def macro_f1(self) -> float | None:
        """The mean of the hard fails' F1; ``None`` where one of them has none."""
        values = [one.f1 for one in self.flags]
        known = [value for value in values if value is not None]
        return sum(known) / len(known) if known and len(known) == len(values) else None

    @cached_property
    def clean_zeroed(self) -> Share:
        """Of the clean replies, those that the judge zeroes."""
        return self._zeroed(one for one in self.judged if one.reply.kind in CLEAN)

    @cached_property
    def hard_negatives_zeroed(self) -> Share:
        """Of the hard negatives, those that the judge zeroes, for whatever hard fail."""
        return self._zeroed(one for one in self.judged if one.reply.kind is Kind.HARD_NEGATIVE)

    @cached_property
    def stale_zeroed(self) -> Share:
        """Of the stale replies, which have tells and no hard fail, those that the judge zeroes."""
        return self._zeroed(one for one in self.judged if one.reply.kind is Kind.STALE)

    @cached_property
    def naturalness_auc(self) -> float | None:
        """The chance that a plain reply scores above a stale one in naturalness, a tie counting half."""
        told = [one for one in self.judged if one.reply.kind in (Kind.PLAIN, Kind.STALE) and one.verdict]
        scores = [_score(one, "naturalness") for one in told]
        return auc(scores, [float(one.reply.kind is Kind.PLAIN) for one in told]).value if told else None

    @cached_property
    def by_language(self) -> Mapping[str, Measured]:
        """The same for the replies of each language, English first."""
        languages = sorted({one.lang for one in self.judged}, key=lambda lang: (lang != "en", lang))
        return {lang: Measured([one for one in self.judged if one.lang == lang], self.rubric) for lang in languages}

    def _zeroed(self, judged: Iterable[JudgedReply]) -> Share:
        return _share(one.zeroed(self.rubric.hard_fail_ids) for one in judged)


def _flag_figures(judged: Sequence[JudgedReply], flag: str) -> FlagFigures:
    told = [
        (one, said, true)
        for one in judged
        for said, true in [(one.said(flag), one.reply.answer(flag))]
        if said is not None and true is not None
    ]
    planted = [(one, said) for one, said, true in told if true]
    return FlagFigures(
        flag=flag,
        recall=_share(said for _, said in planted),
        blatant=_share(said for one, said in planted if _degree(one, flag) is Degree.BLATANT),
        subtle=_share(said for one, said in planted if _degree(one, flag) is Degree.SUBTLE),
        precision=_share(true for _, said, true in told if said),
        in_place=_share(_in_place(one, flag) for one, said in planted if said),
        clean=_share(not said for one, said, _ in told if one.reply.kind in CLEAN),
        hard_negatives=_share(not said for one, said, _ in told if flag in one.reply.resembles),
    )


def _axis_figures(judged: Sequence[JudgedReply], axis: str) -> AxisFigures:
    scores = [(one.reply.bands[axis], _score(one, axis)) for one in judged if axis in one.reply.bands]

    def share(wanted: Band) -> Share:
        return _share(wanted.holds(score) for band, score in scores if band is wanted and score is not None)

    return AxisFigures(axis, low=share(Band.LOW), middle=share(Band.MIDDLE), high=share(Band.HIGH))


def _share(answers: Iterable[bool | None]) -> Share:
    known = [answer for answer in answers if answer is not None]
    return Share(sum(known), len(known))


def _degree(judged: JudgedReply, flag: str) -> Degree | None:
    return next((fault.degree for fault in judged.reply.faults if fault.flag == flag), None)


def _score(judged: JudgedReply, axis: str) -> float | None:
    return judged.verdict.axes.get(axis) if judged.verdict else None


def _in_place(judged: JudgedReply, flag: str) -> bool | None:
    """Whether a quote and the planted words have something in common; ``None`` where the judge quotes nothing."""
    verdict = judged.verdict
    quotes = [fold(quote) for quote in verdict.flags[flag].quotes] if verdict else []
    if not quotes:
        return None
    text = fold(judged.reply.text)
    planted = [_span(text, fold(fault.words)) for fault in judged.reply.faults if fault.flag == flag]
    found = [_span(text, quote) for quote in quotes]
    return any(start < other_end and other_start < end for start, end in planted for other_start, other_end in found)


def _span(text: str, words: str) -> tuple[int, int]:
    """Where words stand in a text; nowhere is an empty place."""
    start = text.find(words)
    return (start, start + len(words)) if start >= 0 and words else (0, 0)
