"""The headline: how many cases are zeroed, and how good the rest is.

A plain mean mixes the two, and with few zeroed cases its usual interval is worthless: whoever happens to see none is
sure of a mean that is far too high. So the two are read apart, and the interval of the plain mean is put together from
theirs (MOVER: Zou and Donner 2008; for a product, Donner and Zou 2012).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import hypot

import numpy as np
from numpy.typing import ArrayLike

from iamhumans.stats.cases import Cases, CaseValues
from iamhumans.stats.estimate import LEAST_CASES_FOR_A_SPREAD, LEAST_ZEROED_CASES, LEVEL, Estimate
from iamhumans.stats.intervals import mean_of, rate_of, shown_bounds


@dataclass(frozen=True, slots=True)
class TwoPartValues:
    """The totals of a run by case, taken apart."""

    zeroed: CaseValues
    """Share of the replies of a case that are zeroed."""
    rest: CaseValues
    """Mean total of its replies that are not; without the cases of which all are zeroed."""
    plain: CaseValues
    """Mean total of all its replies, zeroed ones with 0."""

    def only(self, ids: frozenset[str]) -> TwoPartValues:
        """The same for some of the cases, such as those of a dimension."""
        return TwoPartValues(self.zeroed.only(ids), self.rest.only(ids), self.plain.only(ids))

    @property
    def zeroed_cases(self) -> int:
        """Cases with a zeroed reply at least."""
        return int(np.count_nonzero(self.zeroed.values > 0))


@dataclass(frozen=True, slots=True)
class TwoPart:
    """The headline of one run."""

    zero_rate: Estimate
    rest: Estimate
    """Mean total of the replies that are not zeroed."""
    mean: Estimate
    """The plain mean."""
    zeroed_cases: int


def split_totals(cases: Cases, zeroed: ArrayLike, totals: ArrayLike) -> TwoPartValues:
    """Take the totals of a run apart.

    Args:
        cases: Which case each reply belongs to.
        zeroed: Whether each reply is zeroed.
        totals: The total of each reply; that of a zeroed one counts as 0, whatever it is.
    """
    flags = np.asarray(zeroed, dtype=bool)
    numbers = np.asarray(totals, dtype=np.float64)
    return TwoPartValues(
        zeroed=cases.means(flags),
        rest=cases.means(numbers, where=~flags),
        plain=cases.means(np.where(flags, 0.0, numbers)),
    )


def two_part(values: TwoPartValues, *, top: float = 100.0, level: float = LEVEL, one_sided: bool = False) -> TwoPart:
    """The headline: rate of zeroed cases, mean of the rest, and the plain mean.

    The interval of the plain mean allows for zeroed cases that happened not to come up. It is withheld while there are
    one to four zeroed cases, which are too few to say how often that happens; the one-sided bounds are given even then,
    since they hold their level (see ``docs/statistics.md``) and a decision has nothing else.

    Args:
        values: The totals by case.
        top: The best total there is.
        level: Of the intervals.
        one_sided: Bounds for a decision in place of intervals.
    """
    zero_rate = rate_of(values.zeroed, level=level, one_sided=one_sided)
    rest = mean_of(values.rest, (0.0, top), level=level, one_sided=one_sided)
    mean = _plain_mean(values, zero_rate, rest, top)
    few = 0 < values.zeroed_cases < LEAST_ZEROED_CASES
    if few and not one_sided:
        mean = replace(mean, low=None, high=None, withheld=few_zeroed(values.zeroed_cases))
    return TwoPart(zero_rate, rest, mean, values.zeroed_cases)


def few_zeroed(count: int) -> str:
    """Why the plain mean has no interval with so few zeroed cases."""
    cases = "One zeroed case is" if count == 1 else f"{count} zeroed cases are"
    return (
        f"{cases} too few to say how far the plain mean would move with other cases; "
        "read the zero rate and the mean of the rest."
    )


def _plain_mean(values: TwoPartValues, zero_rate: Estimate, rest: Estimate, top: float) -> Estimate:
    count = len(values.plain)
    method = "MOVER of zero rate and rest"
    level, one_sided = zero_rate.level, zero_rate.one_sided
    if zero_rate.value is None or zero_rate.low is None or zero_rate.high is None:
        return Estimate(None, None, None, 0, method, level, one_sided, zero_rate.withheld)
    mean = float(values.plain.values.mean())
    if count < LEAST_CASES_FOR_A_SPREAD:
        reason = f"{count} {'case is' if count == 1 else 'cases are'} too few for an interval of the mean."
        return Estimate(mean, None, None, count, method, level, one_sided, reason)
    # Where the rest shows no spread (all alike, or next to none of it), what is not known about zeroed cases remains.
    level_of_rest = top if rest.value is None else rest.value
    down, up = spread_of(rest)
    kept = 1 - zero_rate.value
    fewest, most = (zero_rate.low, zero_rate.high) if one_sided else _where_shown(values, zero_rate)
    low = mean - hypot(level_of_rest * (most - zero_rate.value), kept * down)
    high = mean + hypot(level_of_rest * (zero_rate.value - fewest), kept * up)
    return Estimate(mean, max(0.0, low), min(top, high), count, method, level, one_sided)


def _where_shown(values: TwoPartValues, zero_rate: Estimate) -> tuple[float, float]:
    """The bounds of the zero rate that hold among the runs in which the plain mean has an interval at all.

    They are those of the share of cases with a zeroed reply, taken to the rate by what such a case has of them.
    """
    if zero_rate.value is None or zero_rate.low is None or zero_rate.high is None:
        raise ValueError("A rate that is withheld has no bounds.")
    count, tries = values.zeroed_cases, len(values.zeroed)
    if 0 < count < LEAST_ZEROED_CASES:
        return zero_rate.low, zero_rate.high
    low, high = shown_bounds(count, tries, LEAST_ZEROED_CASES, (1 - zero_rate.level) / 2)
    share = zero_rate.value / (count / tries) if count else 1.0
    return min(zero_rate.low, share * low), max(zero_rate.high, share * high)


def spread_of(estimate: Estimate) -> tuple[float, float]:
    """How far the interval reaches down and up from its value; nothing where it is withheld."""
    if estimate.value is None or estimate.low is None or estimate.high is None:
        return 0.0, 0.0
    return estimate.value - estimate.low, estimate.high - estimate.value
