"""The headline of a run: the zero rate, the mean of the rest, and the plain mean.

The usual interval of the plain mean is useless with few zeroed cases: a run that happens to have none gives a mean that
is too high, and a narrow interval. So its interval is combined from those of the two parts (MOVER: Zou and Donner 2008;
for a product, Donner and Zou 2012).
"""

from dataclasses import dataclass, replace
from math import hypot

import numpy as np
from numpy.typing import ArrayLike

from iamhumans.stats.cases import Cases, CaseValues
from iamhumans.stats.estimate import LEVEL, MIN_CASES, MIN_ZEROED_CASES, Estimate, too_few_cases
from iamhumans.stats.intervals import conditional_clopper_pearson, mean_of, rate_of

_TOP = 100.0


@dataclass(frozen=True, slots=True)
class TwoPartValues:
    """The totals by case: share of zeroed replies, mean of the rest (if there is one), mean with zeroed ones as 0."""

    zeroed: CaseValues
    rest: CaseValues
    plain: CaseValues

    def only(self, ids: frozenset[str]) -> "TwoPartValues":
        """The same for some of the cases, such as those of a dimension."""
        return TwoPartValues(self.zeroed.only(ids), self.rest.only(ids), self.plain.only(ids))

    @property
    def zeroed_cases(self) -> int:
        """The number of cases with at least one zeroed reply."""
        return int(np.count_nonzero(self.zeroed.values > 0))


@dataclass(frozen=True, slots=True)
class TwoPart:
    """The zero rate, the mean total of the rest, and the plain mean."""

    zero_rate: Estimate
    rest: Estimate
    mean: Estimate


def split_totals(cases: Cases, zeroed: ArrayLike, totals: ArrayLike) -> TwoPartValues:
    """The totals by case, from whether each reply is zeroed and from its total (0 to 100; ignored for a zeroed one)."""
    flags, numbers = np.asarray(zeroed, dtype=bool), np.asarray(totals, dtype=np.float64)
    plain = cases.means(np.where(flags, 0.0, numbers))
    return TwoPartValues(cases.means(flags), cases.means(numbers, where=~flags), plain)


def two_part(values: TwoPartValues, *, level: float = LEVEL, one_sided: bool = False) -> TwoPart:
    """The zero rate, the mean of the rest, and the plain mean, with intervals.

    The interval of the plain mean allows for zeroed cases that were not drawn. It is withheld with one to four zeroed
    cases; one-sided bounds are given even then, since they hold their level.
    """
    zero_rate = rate_of(values.zeroed, level=level, one_sided=one_sided)
    rest = mean_of(values.rest, (0.0, _TOP), level=level, one_sided=one_sided)
    mean = plain_mean(values, zero_rate, rest)
    if 0 < values.zeroed_cases < MIN_ZEROED_CASES and not one_sided:
        mean = replace(mean, low=None, high=None, withheld=few_zeroed(values.zeroed_cases))
    return TwoPart(zero_rate, rest, mean)


def few_zeroed(count: int) -> str:
    """Why the plain mean has no interval with so few zeroed cases."""
    cases = "One zeroed case is" if count == 1 else f"{count} zeroed cases are"
    return f"{cases} too few for an interval of the plain mean. Read the zero rate and the mean of the rest instead."


def plain_mean(values: TwoPartValues, zero_rate: Estimate, rest: Estimate) -> Estimate:
    """The plain mean with its interval, also where one to four cases are zeroed."""
    count = len(values.plain)
    blank = Estimate(None, None, None, 0, "MOVER of zero rate and rest", zero_rate.level, zero_rate.one_sided)
    if zero_rate.value is None or zero_rate.low is None or zero_rate.high is None:
        return replace(blank, withheld=zero_rate.withheld)
    mean = values.plain.mean
    if count < MIN_CASES:
        return replace(blank, value=mean, n_cases=count, withheld=too_few_cases(count))
    # Where the rest has no interval, the uncertainty about zeroed cases remains.
    height = _TOP if rest.value is None else rest.value
    down, up = reach(rest)
    low, high = zero_rate.low, zero_rate.high
    if not zero_rate.one_sided and not 0 < values.zeroed_cases < MIN_ZEROED_CASES:
        # The interval is shown only with no zeroed case or with five: bounds that hold among the runs that show it.
        tries = len(values.zeroed)
        bounds = conditional_clopper_pearson(values.zeroed_cases, tries, MIN_ZEROED_CASES, (1 - zero_rate.level) / 2)
        share = zero_rate.value / (values.zeroed_cases / tries) if values.zeroed_cases else 1.0
        low, high = min(low, share * bounds[0]), max(high, share * bounds[1])
    clean = 1 - zero_rate.value
    lower = mean - hypot(height * (high - zero_rate.value), clean * down)
    upper = mean + hypot(height * (zero_rate.value - low), clean * up)
    return replace(blank, value=mean, low=max(0.0, lower), high=min(_TOP, upper), n_cases=count)


def reach(estimate: Estimate) -> tuple[float, float]:
    """How far the interval extends below and above the value; 0 where it is withheld."""
    if estimate.value is None or estimate.low is None or estimate.high is None:
        return 0.0, 0.0
    return estimate.value - estimate.low, estimate.high - estimate.value
