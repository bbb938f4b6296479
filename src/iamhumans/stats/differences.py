"""Differences between two runs of the same cases, paired by case (Miller 2024): Newcombe, MOVER, Student's t."""

from dataclasses import dataclass, replace
from math import hypot, sqrt

import numpy as np

from iamhumans.stats.cases import Pairs, pair
from iamhumans.stats.estimate import LEVEL, MIN_CASES, MIN_ZEROED_CASES, Estimate, too_few_cases
from iamhumans.stats.intervals import conditional_clopper_pearson, no_spread, proportion_of
from iamhumans.stats.quantiles import t_quantile
from iamhumans.stats.significance import ChangeTest, changed_test, sign_flip
from iamhumans.stats.totals import TwoPartValues, few_zeroed, reach

_TOP = 100.0
_LEAST = 1e-9  # a difference that is not 0


@dataclass(frozen=True, slots=True)
class Difference:
    """One figure in A and in B over the cases that both runs have, and B minus A."""

    a: float | None
    b: float | None
    difference: Estimate
    test: ChangeTest | None  # None where the runs share no case
    rose: int  # number of cases
    fell: int
    deviation: float | None  # the standard deviation of B minus A over cases; None below two cases


@dataclass(frozen=True, slots=True)
class TwoPartDifference:
    """Differences of the zero rates, the means of the rest (of cases with some in both runs), and the plain means."""

    zero_rate: Difference
    rest: Difference
    mean: Difference


def agreeing(found: Difference, *, shown: bool) -> Difference:
    """The difference with an interval that leaves out 0 exactly where a change is ``shown`` by a test.

    The tests are exact, and the intervals are approximate. So where the two do not agree, the end of the interval that
    is nearest to 0 is moved to it: the set of all differences that a test of this kind does not reject.
    """
    value, low, high = found.difference.value, found.difference.low, found.difference.high
    if value is None or low is None or high is None:
        return found
    if not shown:
        low, high = min(low, 0.0), max(high, 0.0)
    elif value > 0:
        low = max(low, _LEAST)
    elif value < 0:
        high = min(high, -_LEAST)
    return replace(found, difference=replace(found.difference, low=low, high=high))


def mean_difference(pairs: Pairs, *, level: float = LEVEL, one_sided: bool = False) -> Difference:
    """The difference of two means over the same cases, with Student's t (Student 1908) and a sign-flip test."""
    method, count = "Student's t on the differences", len(pairs)
    if not count:
        return _nothing_shared(method, level, one_sided=one_sided)
    differences = pairs.differences
    value = float(differences.mean())
    if reason := no_spread(differences):
        if not differences.any() and count >= MIN_CASES:
            reason = f"None of the {count} cases changed, so they do not show how much other cases would."
        return _difference(pairs, Estimate(value, None, None, count, method, level, one_sided, reason))
    critical = t_quantile(level if one_sided else (1 + level) / 2, count - 1)
    half = critical * float(differences.std(ddof=1)) / sqrt(count)
    return _difference(pairs, Estimate(value, value - half, value + half, count, method, level, one_sided))


def rate_difference(pairs: Pairs, *, level: float = LEVEL, one_sided: bool = False) -> Difference:
    """The difference of two rates over the same cases: the zero rate, the pass rate, a hard fail.

    With one outcome for each case the interval is method 10 of Newcombe (1998) and the test is exact McNemar. Otherwise
    the interval is combined in the same way (MOVER with a correlation, Zou and Donner 2008) from those of
    :func:`iamhumans.stats.rate_of`, and the test uses sign flips.
    """
    method = "Newcombe, method 10" if pairs.one_outcome else "MOVER of two score intervals"
    if not (count := len(pairs)):
        return _nothing_shared(method, level, one_sided=one_sided)
    rate_a, rate_b = float(pairs.a.values.mean()), float(pairs.b.values.mean())
    low_a, high_a = proportion_of(pairs.a).bounds(level, one_sided=one_sided)
    low_b, high_b = proportion_of(pairs.b).bounds(level, one_sided=one_sided)
    correlation = _phi(pairs) if pairs.one_outcome else _correlation(pairs)
    value = rate_b - rate_a
    low = max(-1.0, value - _combined(rate_b - low_b, high_a - rate_a, correlation))
    high = min(1.0, value + _combined(high_b - rate_b, rate_a - low_a, correlation))
    estimate = Estimate(value, low, high, count, method, level, one_sided)
    return _difference(pairs, estimate, changed_test(pairs))


def two_part_difference(
    a: TwoPartValues, b: TwoPartValues, *, level: float = LEVEL, one_sided: bool = False
) -> TwoPartDifference:
    """The differences of zero rate, mean of the rest, and plain mean (by MOVER, withheld as in `two_part`)."""
    zeroed = pair(a.zeroed, b.zeroed)
    zero_rate = rate_difference(zeroed, level=level, one_sided=one_sided)
    rest = mean_difference(pair(a.rest, b.rest), level=level, one_sided=one_sided)
    count = int(np.count_nonzero((zeroed.a.values > 0) | (zeroed.b.values > 0)))
    few = 0 < count < MIN_ZEROED_CASES
    rates = zero_rate.difference if one_sided or few else _where_shown(zero_rate.difference, count, len(zeroed))
    mean = _plain_difference(pair(a.plain, b.plain), replace(zero_rate, difference=rates), rest, _height(a, b))
    if few and not one_sided and mean.difference.value is not None:
        mean = replace(mean, difference=replace(mean.difference, low=None, high=None, withheld=few_zeroed(count)))
    return TwoPartDifference(zero_rate, rest, mean)


def _where_shown(rates: Estimate, count: int, cases: int) -> Estimate:
    """The difference of zero rates with bounds that hold among the runs that show an interval of the plain means."""
    if rates.value is None or rates.low is None or rates.high is None:
        return rates
    fewest, most = conditional_clopper_pearson(count, cases, MIN_ZEROED_CASES, (1 - rates.level) / 2)
    ends = [rates.value * cases / count * share for share in (fewest, most)] if count else [-most, most]
    return replace(rates, low=max(-1.0, min(rates.low, *ends)), high=min(1.0, max(rates.high, *ends)))


def _height(a: TwoPartValues, b: TwoPartValues) -> float:
    means = [float(run.rest.values.mean()) for run in (a, b) if len(run.rest)]
    return sum(means) / len(means) if means else _TOP


def _plain_difference(pairs: Pairs, zero_rate: Difference, rest: Difference, height: float) -> Difference:
    method = "MOVER of zero rate and rest"
    rates, count = zero_rate.difference, len(pairs)
    if rates.value is None or rates.low is None or rates.high is None:
        return _nothing_shared(method, rates.level, one_sided=rates.one_sided)
    value = float(pairs.differences.mean())
    estimate = Estimate(value, None, None, count, method, rates.level, rates.one_sided)
    if count < MIN_CASES:
        return _difference(pairs, replace(estimate, withheld=too_few_cases(count)))
    clean = 1 - ((zero_rate.a or 0.0) + (zero_rate.b or 0.0)) / 2
    down, up = reach(rest.difference)
    low = value - hypot(height * (rates.high - rates.value), clean * down)
    high = value + hypot(height * (rates.value - rates.low), clean * up)
    return _difference(pairs, replace(estimate, low=low, high=high))


def _difference(pairs: Pairs, estimate: Estimate, test: ChangeTest | None = None) -> Difference:
    differences = pairs.differences
    rose, fell = int(np.count_nonzero(differences > 1e-12)), int(np.count_nonzero(differences < -1e-12))
    deviation = float(differences.std(ddof=1)) if len(pairs) > 1 else None
    a, b = float(pairs.a.values.mean()), float(pairs.b.values.mean())
    return Difference(a, b, estimate, test or sign_flip(differences), rose, fell, deviation)


def _nothing_shared(method: str, level: float, *, one_sided: bool) -> Difference:
    estimate = Estimate(None, None, None, 0, method, level, one_sided, "No case has a value in both runs.")
    return Difference(None, None, estimate, None, 0, 0, None)


def _combined(first: float, second: float, correlation: float) -> float:
    return sqrt(max(0.0, first * first - 2 * correlation * first * second + second * second))


def _correlation(pairs: Pairs) -> float:
    a, b = pairs.a.values, pairs.b.values
    if (spread := float(a.std() * b.std())) < 1e-12:
        return 0.0
    return min(1.0, max(-1.0, float(np.mean((a - a.mean()) * (b - b.mean()))) / spread))


def _phi(pairs: Pairs) -> float:
    count = len(pairs)
    both, in_a, in_b = int(pairs.a.values @ pairs.b.values), int(pairs.a.values.sum()), int(pairs.b.values.sum())
    only_a, only_b = in_a - both, in_b - both
    product = float(both * (count - both - only_a - only_b) - only_a * only_b)
    if product > 0:
        product = max(product - count / 2, 0.0)
    size = float(in_a) * (count - in_a) * in_b * (count - in_b)
    return product / sqrt(size) if size else 0.0
