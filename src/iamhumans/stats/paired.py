"""Two runs of the same cases, paired by case: how far B is from A, and what of that may be chance.

Every figure of B is compared with A's on the same case, so that hard cases do not drown the difference (Miller 2024).
Cases that only one run has take no part; how many they are is said by :class:`iamhumans.stats.Pairs`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import hypot, sqrt

import numpy as np

from iamhumans.stats.cases import CaseValues, Pairs, pair
from iamhumans.stats.estimate import LEAST_CASES_FOR_A_SPREAD, LEAST_ZEROED_CASES, LEVEL, Estimate
from iamhumans.stats.flips import ChangeTest, changed_test, sign_flip
from iamhumans.stats.intervals import shown_bounds, why_no_spread, worth_of
from iamhumans.stats.parts import TwoPartValues, few_zeroed, spread_of
from iamhumans.stats.quantiles import t_quantile

_TOP = 100.0


@dataclass(frozen=True, slots=True)
class Difference:
    """One figure in A and in B, over the cases that both have."""

    a: float | None
    b: float | None
    difference: Estimate
    """B minus A."""
    test: ChangeTest | None
    """Of "nothing changed"; ``None`` where there is no shared case."""
    rose: int
    """Cases that are higher in B."""
    fell: int
    same: int
    deviation: float | None
    """Standard deviation of the differences over cases; ``None`` below two."""


def mean_difference(pairs: Pairs, *, level: float = LEVEL, one_sided: bool = False) -> Difference:
    """The difference of two means over the same cases: of the totals that are not zeroed, or of an axis.

    Student's t on the differences (Student 1908); the test is by sign flips, which needs no assumption on their shape.
    The interval is withheld below five cases and where all differ by the same.
    """
    method = "Student's t on the differences"
    count = len(pairs)
    if not count:
        return _nothing(method, level, one_sided=one_sided)
    differences = pairs.differences
    value = float(differences.mean())
    reason = why_no_spread(differences)
    if reason:
        if not differences.any() and count >= LEAST_CASES_FOR_A_SPREAD:
            reason = f"None of the {count} cases changed, so they do not show how far other cases might."
        estimate = Estimate(value, None, None, count, method, level, one_sided, reason)
    else:
        quantile = t_quantile(level if one_sided else (1 + level) / 2, count - 1)
        half = quantile * float(differences.std(ddof=1)) / sqrt(count)
        estimate = Estimate(value, value - half, value + half, count, method, level, one_sided)
    return _difference(pairs, estimate, sign_flip(differences))


def rate_difference(pairs: Pairs, *, level: float = LEVEL, one_sided: bool = False) -> Difference:
    """The difference of two rates over the same cases: zero rate, pass rate, a hard fail.

    With one outcome a case the interval is method 10 of Newcombe (1998) and the test is exact McNemar. Otherwise it is
    the same construction (MOVER with a correlation, Zou and Donner 2008) from the intervals of
    :func:`iamhumans.stats.rate_of`, and the test is by sign flips. Never of zero width.
    """
    method = "Newcombe, method 10" if pairs.one_outcome else "MOVER of two score intervals"
    count = len(pairs)
    if not count:
        return _nothing(method, level, one_sided=one_sided)
    rate_a, rate_b = float(pairs.a.values.mean()), float(pairs.b.values.mean())
    low_a, high_a = worth_of(pairs.a).bounds(level, one_sided=one_sided)
    low_b, high_b = worth_of(pairs.b).bounds(level, one_sided=one_sided)
    likeness = _counted_correlation(pairs) if pairs.one_outcome else _correlation(pairs)
    value = rate_b - rate_a
    low = value - _joined(rate_b - low_b, high_a - rate_a, likeness)
    high = value + _joined(high_b - rate_b, rate_a - low_a, likeness)
    estimate = Estimate(value, max(-1.0, low), min(1.0, high), count, method, level, one_sided)
    return _difference(pairs, estimate, changed_test(pairs))


@dataclass(frozen=True, slots=True)
class TwoPartDifference:
    """The headline of a comparison."""

    zero_rate: Difference
    rest: Difference
    """Of the totals that are not zeroed, over the cases that have some in both runs."""
    mean: Difference
    """Of the plain means."""
    zeroed_cases: int
    """Cases with a zeroed reply in either run."""


def two_part_difference(
    a: TwoPartValues, b: TwoPartValues, *, level: float = LEVEL, one_sided: bool = False
) -> TwoPartDifference:
    """Compare the headlines of two runs.

    The interval of the difference of plain means is put together from those of its two parts, so it allows for zeroed
    cases that happened not to come up. It is withheld while one to four cases are zeroed in either run; one-sided
    bounds are given even then.
    """
    zeroed = pair(a.zeroed, b.zeroed)
    zero_rate = rate_difference(zeroed, level=level, one_sided=one_sided)
    rest = mean_difference(pair(a.rest, b.rest), level=level, one_sided=one_sided)
    count = int(np.count_nonzero((zeroed.a.values > 0) | (zeroed.b.values > 0)))
    rates = zero_rate.difference if one_sided else _where_shown(zero_rate.difference, count, len(zeroed))
    mean = _plain_difference(pair(a.plain, b.plain), replace(zero_rate, difference=rates), rest, _height(a, b))
    if 0 < count < LEAST_ZEROED_CASES and not one_sided and mean.difference.value is not None:
        withheld = replace(mean.difference, low=None, high=None, withheld=few_zeroed(count))
        mean = replace(mean, difference=withheld)
    return TwoPartDifference(zero_rate, rest, mean, count)


def _where_shown(rates: Estimate, count: int, cases: int) -> Estimate:
    """The difference of zero rates with bounds that hold among the runs in which that of plain means has an interval.

    The bounds of the share of cases with a zeroed reply in either run, given that it is shown, taken to the difference.
    """
    if rates.value is None or rates.low is None or rates.high is None or 0 < count < LEAST_ZEROED_CASES:
        return rates
    fewest, most = shown_bounds(count, cases, LEAST_ZEROED_CASES, (1 - rates.level) / 2)
    ends = [rates.value * cases / count * share for share in (fewest, most)] if count else [-most, most]
    return replace(rates, low=max(-1.0, min(rates.low, *ends)), high=min(1.0, max(rates.high, *ends)))


def _height(a: TwoPartValues, b: TwoPartValues) -> float:
    """What a zeroed reply would have had otherwise: the mean of the rest, in both runs where both have one."""
    means = [float(run.rest.values.mean()) for run in (a, b) if len(run.rest)]
    return sum(means) / len(means) if means else _TOP


def _plain_difference(pairs: Pairs, zero_rate: Difference, rest: Difference, height: float) -> Difference:
    method = "MOVER of zero rate and rest"
    rates, count = zero_rate.difference, len(pairs)
    if rates.value is None or rates.low is None or rates.high is None:
        return _nothing(method, rates.level, one_sided=rates.one_sided)
    value = float(pairs.differences.mean())
    estimate = Estimate(value, None, None, count, method, rates.level, rates.one_sided)
    if count < LEAST_CASES_FOR_A_SPREAD:
        reason = f"{count} {'case is' if count == 1 else 'cases are'} too few for an interval of the difference."
        estimate = replace(estimate, withheld=reason)
    else:
        kept = 1 - ((zero_rate.a or 0.0) + (zero_rate.b or 0.0)) / 2
        down, up = spread_of(rest.difference)
        low = value - hypot(height * (rates.high - rates.value), kept * down)
        high = value + hypot(height * (rates.value - rates.low), kept * up)
        estimate = replace(estimate, low=low, high=high)
    return _difference(pairs, estimate, sign_flip(pairs.differences))


def _difference(pairs: Pairs, estimate: Estimate, test: ChangeTest) -> Difference:
    differences = pairs.differences
    rose = int(np.count_nonzero(differences > 1e-12))
    fell = int(np.count_nonzero(differences < -1e-12))
    return Difference(
        a=float(pairs.a.values.mean()),
        b=float(pairs.b.values.mean()),
        difference=estimate,
        test=test,
        rose=rose,
        fell=fell,
        same=len(pairs) - rose - fell,
        deviation=float(differences.std(ddof=1)) if len(pairs) > 1 else None,
    )


def _nothing(method: str, level: float, *, one_sided: bool) -> Difference:
    reason = "The two runs share no judged case."
    estimate = Estimate(None, None, None, 0, method, level, one_sided, reason)
    return Difference(None, None, estimate, None, 0, 0, 0, None)


def _joined(first: float, second: float, likeness: float) -> float:
    return sqrt(max(0.0, first * first - 2 * likeness * first * second + second * second))


def _correlation(pairs: Pairs) -> float:
    spread = float(pairs.a.values.std() * pairs.b.values.std())
    if spread < 1e-12:
        return 0.0
    shared = float(np.mean((pairs.a.values - pairs.a.values.mean()) * (pairs.b.values - pairs.b.values.mean())))
    return min(1.0, max(-1.0, shared / spread))


def _counted_correlation(pairs: Pairs) -> float:
    """Phi with Newcombe's continuity correction, which method 10 asks for."""
    count = len(pairs)
    both, in_a, in_b = (int(one) for one in _counts(pairs.a, pairs.b))
    only_a, only_b = in_a - both, in_b - both
    neither = count - both - only_a - only_b
    size = float(in_a) * (count - in_a) * in_b * (count - in_b)
    if size == 0:
        return 0.0
    product = float(both * neither - only_a * only_b)
    if product > 0:
        product = max(product - count / 2, 0.0)
    return product / sqrt(size)


def _counts(a: CaseValues, b: CaseValues) -> tuple[float, float, float]:
    return float(a.values @ b.values), float(a.values.sum()), float(b.values.sum())
