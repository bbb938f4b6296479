"""The headline of a set of judgements.

The two-part reading comes first: how many cases are zeroed, and how good the rest is. A plain mean mixes the two.
Every figure is a mean over cases: judgements of one reply are averaged, then the replies of one case, then the cases,
so that a case with many replies weighs no more than one with few.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import fsum


@dataclass(frozen=True, slots=True)
class Observation:
    """One judgement, as far as figures go. ``total`` is ``None`` where there is no verdict."""

    case_id: str
    reply: tuple[str, int]
    """Subject and number: what tells the replies of a case apart."""
    total: int | None = None
    passed: bool = False
    total_confirmed: int | None = None
    applicable_total: int | None = None
    axes: Mapping[str, float] = field(default_factory=dict)
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
        self.hard_fails = dict.fromkeys(hard_fails, 0)
        self.differences = {"total": 0, "verdict": 0}
        self.reasons: Counter[str] = Counter()
        self.means = {name: _CaseMean(grouped=grouped) for name in _FIGURES}
        self.axes = {name: _CaseMean(grouped=grouped) for name in axes}

    def add(self, one: Observation) -> None:
        """Count one judgement."""
        self.asked += 1
        if one.total is None:
            self.reasons.update([one.reason] if one.reason else [])
            return
        self.judged += 1
        self.zeroed += bool(one.hard_fails)
        self.unconfirmed += len(one.unconfirmed)
        self.repaired += one.repaired
        for name in one.hard_fails:
            self.hard_fails[name] += 1
        for name in one.differences:
            self.differences[name] += 1
        for name, figure in _FIGURES.items():
            self.means[name].add(one, figure(one))
        for name, value in one.axes.items():
            self.axes[name].add(one, value)

    def summary(self) -> Summary:
        """The figures so far."""
        return Summary(
            asked=self.asked,
            judged=self.judged,
            unjudged=self.asked - self.judged,
            coverage=self.judged / self.asked if self.asked else None,
            cases=self.means["mean_total"].cases,
            zeroed=self.zeroed,
            axes={name: AxisMean(mean.value, mean.cases) for name, mean in self.axes.items()},
            hard_fails=dict(self.hard_fails),
            unconfirmed=self.unconfirmed,
            differences=dict(self.differences),
            repaired=self.repaired,
            reasons=dict(sorted(self.reasons.items())),
            **{name: mean.value for name, mean in self.means.items()},
        )


def summarise(observations: Iterable[Observation], axes: Sequence[str], hard_fails: Sequence[str]) -> Summary:
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


_FIGURES: Mapping[str, Callable[[Observation], float | None]] = {
    "zero_rate": lambda one: float(bool(one.hard_fails)),
    "mean_of_rest": lambda one: None if one.hard_fails else one.total,
    "pass_rate": lambda one: float(one.passed),
    "mean_total": lambda one: one.total,
    "mean_total_confirmed": lambda one: one.total_confirmed,
    "mean_applicable_total": lambda one: one.applicable_total,
}


class _CaseMean:
    """The mean over cases of the mean over replies of the mean over judgements of one figure."""

    def __init__(self, *, grouped: bool) -> None:
        self._replies: dict[str, dict[tuple[str, int], tuple[float, int]]] | None = {} if grouped else None
        self._sum = 0.0
        self._cases = 0

    def add(self, one: Observation, value: float | None) -> None:
        if value is None:
            return
        if self._replies is None:
            self._sum += value
            self._cases += 1
            return
        replies = self._replies.setdefault(one.case_id, {})
        total, count = replies.get(one.reply, (0.0, 0))
        replies[one.reply] = (total + value, count + 1)

    @property
    def cases(self) -> int:
        return self._cases if self._replies is None else len(self._replies)

    @property
    def value(self) -> float | None:
        if not self.cases:
            return None
        if self._replies is None:
            return self._sum / self._cases
        means = (
            fsum(total / count for total, count in replies.values()) / len(replies)
            for replies in self._replies.values()
        )
        return fsum(means) / self.cases
