"""The headline of a set of judgements.

The two-part reading comes first: how many cases are zeroed, and how good the rest is. A plain mean mixes the two.
Every figure is a mean over cases: judgements of one reply are averaged, then the replies of one case, then the cases,
so that a case with many replies weighs no more than one with few.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import fsum, nan
from types import MappingProxyType
from typing import NamedTuple, Protocol


class Observed(Protocol):
    """One judgement, as far as figures go."""

    @property
    def case_id(self) -> str:
        """The case."""

    @property
    def reply(self) -> tuple[str, int]:
        """Subject and number: what tells the replies of a case apart."""

    @property
    def total(self) -> int | None:
        """The total; ``None`` where there is no verdict."""

    @property
    def passed(self) -> bool:
        """Whether it is a PASS."""

    @property
    def total_confirmed(self) -> int | None:
        """The total without flags that no words confirm."""

    @property
    def applicable_total(self) -> int | None:
        """The mean of the axes at stake."""

    @property
    def axes(self) -> Mapping[str, float]:
        """The axes at stake; defaulted ones are left out."""

    @property
    def hard_fails(self) -> tuple[str, ...]:
        """The flags that say YES."""

    @property
    def unconfirmed(self) -> tuple[str, ...]:
        """Those of them that no words confirm."""

    @property
    def differences(self) -> tuple[str, ...]:
        """What the judge claimed otherwise than it follows."""

    @property
    def repaired(self) -> bool:
        """Whether something was forgiven in the dress of the answer."""

    @property
    def reason(self) -> str | None:
        """Why there is no verdict."""


class Observation(NamedTuple):
    """What was seen of one judgement."""

    case_id: str
    reply: tuple[str, int]
    """Subject and number: what tells the replies of a case apart."""
    total: int | None = None
    passed: bool = False
    total_confirmed: int | None = None
    applicable_total: int | None = None
    axes: Mapping[str, float] = MappingProxyType({})
    """The axes at stake; defaulted ones are left out."""
    hard_fails: tuple[str, ...] = ()
    unconfirmed: tuple[str, ...] = ()
    differences: tuple[str, ...] = ()
    repaired: bool = False
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class AxisMean:
    """The mean of an axis over the cases in which it was at stake."""

    mean: float | None
    cases: int


@dataclass(frozen=True, slots=True)
class Summary:
    """Figures of one subject under one judge. Rates go from 0 to 1; ``None`` is a figure that nothing gives."""

    asked: int
    judged: int
    unjudged: int
    coverage: float | None
    cases: int
    zeroed: int
    """Judgements with a hard fail."""
    zero_rate: float | None
    mean_of_rest: float | None
    """Mean total of the replies without a hard fail."""
    pass_rate: float | None
    mean_total: float | None
    mean_total_confirmed: float | None
    mean_applicable_total: float | None
    axes: Mapping[str, AxisMean]
    hard_fails: Mapping[str, int]
    unconfirmed: int
    differences: Mapping[str, int]
    repaired: int
    reasons: Mapping[str, int]


class Tally:
    """Takes observations one by one and gives their summary.

    Args:
        axes: Ids of the rubric's axes, in order.
        hard_fails: Ids of its hard fails, in order.
        grouped: False where every observation is known to be a case of its own, such as the rows of a chat log; the
            memory is then the same for ten and for ten million.
    """

    def __init__(self, axes: Sequence[str], hard_fails: Sequence[str], *, grouped: bool = True) -> None:
        self.asked = 0
        self.judged = 0
        self.zeroed = 0
        self.unconfirmed = 0
        self.repaired = 0
        self.axes = tuple(axes)
        self.hard_fails = dict.fromkeys(hard_fails, 0)
        self.differences = {"total": 0, "verdict": 0}
        self.reasons: Counter[str] = Counter()
        self._known_axes: dict[int, tuple[Mapping[str, float], Sequence[float]]] = {}
        width = len(_FIGURES) + len(self.axes)
        self.means: _GroupedMeans | _PlainMeans = _GroupedMeans(width) if grouped else _PlainMeans(width)

    def add(self, one: Observed) -> None:
        """Count one judgement."""
        self.asked += 1
        if one.total is None:
            self.reasons.update([one.reason] if one.reason else [])
            return
        self.judged += 1
        zeroed = bool(one.hard_fails)
        if zeroed:
            self.zeroed += 1
            self.unconfirmed += len(one.unconfirmed)
            for name in one.hard_fails:
                self.hard_fails[name] += 1
        self.repaired += one.repaired
        for name in one.differences:
            self.differences[name] += 1
        rest = nan if zeroed else one.total
        confirmed = nan if one.total_confirmed is None else one.total_confirmed
        applicable = nan if one.applicable_total is None else one.applicable_total
        axes = self._axes_of(one.axes)
        self.means.add(one.case_id, one.reply, (zeroed, rest, one.passed, one.total, confirmed, applicable, *axes))

    def _axes_of(self, axes: Mapping[str, float]) -> Sequence[float]:
        """The axes in the order of the rubric. Observations that share a mapping share this too."""
        known = self._known_axes.get(id(axes))
        if known is None:
            if len(self._known_axes) >= _MOST_AXES:
                self._known_axes.clear()
            # The mapping is held as well, or another one could come to have its id.
            known = self._known_axes[id(axes)] = (axes, tuple([axes.get(name, nan) for name in self.axes]))
        return known[1]

    def take(self, other: Tally) -> None:
        """Count all that another tally has counted, which must be of the same kind."""
        self.asked += other.asked
        self.judged += other.judged
        self.zeroed += other.zeroed
        self.unconfirmed += other.unconfirmed
        self.repaired += other.repaired
        for mine, theirs in ((self.hard_fails, other.hard_fails), (self.differences, other.differences)):
            mine |= {name: mine.get(name, 0) + count for name, count in theirs.items()}
        self.reasons.update(other.reasons)
        self.means.take(other.means)

    def summary(self) -> Summary:
        """The figures so far."""
        means = self.means.means()
        figures = dict(zip(_FIGURES, means, strict=False))
        return Summary(
            asked=self.asked,
            judged=self.judged,
            unjudged=self.asked - self.judged,
            coverage=self.judged / self.asked if self.asked else None,
            cases=figures["mean_total"].cases,
            zeroed=self.zeroed,
            axes=dict(zip(self.axes, means[len(_FIGURES) :], strict=True)),
            hard_fails=dict(self.hard_fails),
            unconfirmed=self.unconfirmed,
            differences=dict(self.differences),
            repaired=self.repaired,
            reasons=dict(sorted(self.reasons.items())),
            **{name: figure.mean for name, figure in figures.items()},
        )


def summarise(observations: Iterable[Observed], axes: Sequence[str], hard_fails: Sequence[str]) -> Summary:
    """The summary of the judgements of one subject by one judge.

    Args:
        observations: One for each judgement that was asked for, with or without a verdict.
        axes: Ids of the rubric's axes, in order.
        hard_fails: Ids of its hard fails, in order.
    """
    tally = Tally(axes, hard_fails)
    for one in observations:
        tally.add(one)
    return tally.summary()


_FIGURES = ("zero_rate", "mean_of_rest", "pass_rate", "mean_total", "mean_total_confirmed", "mean_applicable_total")
"""The figures of a summary that are means over cases, in the order in which observations give them."""

_MOST_AXES = 1_000
_Values = Sequence[float]
"""Of the figures in their order, then of the axes; NaN where there is none."""
_Reply = tuple[str, int]


class _PlainMeans:
    """Means of figures where every observation is a case of its own."""

    def __init__(self, width: int) -> None:
        self.sums = [0.0] * width
        self.counts = [0] * width

    def add(self, case_id: str, reply: _Reply, values: _Values) -> None:
        del case_id, reply
        for place, value in enumerate(values):
            if value == value:
                self.sums[place] += value
                self.counts[place] += 1

    def take(self, other: _PlainMeans | _GroupedMeans) -> None:
        if not isinstance(other, _PlainMeans):
            raise TypeError("grouped observations cannot be counted as cases of their own")
        self.sums = [mine + theirs for mine, theirs in zip(self.sums, other.sums, strict=True)]
        self.counts = [mine + theirs for mine, theirs in zip(self.counts, other.counts, strict=True)]

    def means(self) -> list[AxisMean]:
        pairs = zip(self.sums, self.counts, strict=True)
        return [AxisMean(total / count if count else None, count) for total, count in pairs]


class _GroupedMeans:
    """Means over cases of means over replies of means over judgements, one for each figure.

    What is observed is kept as bare numbers: a hundred thousand judgements of a dozen figures take ten megabytes.
    """

    def __init__(self, width: int) -> None:
        self._cases: dict[str, int] = {}
        self.replies: dict[tuple[str, _Reply], int] = {}
        self.reply_of = array("l")
        """Which reply each observation is of."""
        self.case_of = array("l")
        """Which case each reply is of."""
        self._width = width
        self.values = array("d")
        """Of the first observation all figures, then of the second, and so on."""

    def add(self, case_id: str, reply: _Reply, values: _Values) -> None:
        self.reply_of.append(self._place(case_id, reply))
        self.values.extend(values)

    def take(self, other: _PlainMeans | _GroupedMeans) -> None:
        if not isinstance(other, _GroupedMeans):
            raise TypeError("observations that are cases of their own cannot be grouped")
        places = [self._place(case_id, reply) for case_id, reply in other.replies]
        self.reply_of.extend(map(places.__getitem__, other.reply_of))
        self.values.extend(other.values)

    def means(self) -> list[AxisMean]:
        return [self._mean(self.values[place :: self._width]) for place in range(self._width)]

    def _place(self, case_id: str, reply: _Reply) -> int:
        place = self.replies.setdefault((case_id, reply), len(self.replies))
        if place == len(self.case_of):
            self.case_of.append(self._cases.setdefault(case_id, len(self._cases)))
        return place

    def _mean(self, column: array[float]) -> AxisMean:
        replies = _means_by(column, self.reply_of, len(self.replies))
        cases = _means_by(replies, self.case_of, len(self._cases))
        there = [value for value in cases if value == value]
        return AxisMean(fsum(there) / len(there) if there else None, len(there))


def _means_by(values: Sequence[float], groups: Sequence[int], count: int) -> Sequence[float]:
    """The mean of the values of each group; NaN is no value, and the mean of none."""
    if count == len(values):
        return values  # as many groups as values, each of which has at least one
    sums, counts = [0.0] * count, [0] * count
    for value, group in zip(values, groups, strict=True):
        if value == value:
            sums[group] += value
            counts[group] += 1
    return [total / number if number else nan for total, number in zip(sums, counts, strict=True)]
