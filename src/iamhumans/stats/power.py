"""What a comparison could have shown, and how many cases it would take.

All for a chance of 80 % to see a difference that is there, at 5 % of false alarms where there is none.
"""

from __future__ import annotations

from collections.abc import Callable
from math import ceil, hypot, sqrt

import numpy as np

from iamhumans.stats.cases import CaseValues, Pairs
from iamhumans.stats.estimate import LEAST_CASES_FOR_A_SPREAD, LEVEL, Estimate
from iamhumans.stats.intervals import Worth, worth_of
from iamhumans.stats.paired import Difference
from iamhumans.stats.parts import TwoPart
from iamhumans.stats.quantiles import (
    FloatArray,
    binomial_at_most,
    binomial_mass,
    noncentral_t_probability,
    normal_probability,
    normal_quantile,
    t_quantile,
)

POWER = 0.8
MOST_CASES = 1_000_000
"""Beyond this, more cases are no answer."""

_NORMAL_FROM = 2_000


def mean_power(difference: float, deviation: float, cases: int, level: float = LEVEL) -> float:
    """The chance that the paired t test shows a difference of means (noncentral t; Cohen 1988, section 2.3).

    Args:
        difference: That is truly there.
        deviation: Standard deviation of the differences over cases.
        cases: How many pairs; two at least.
        level: 1 less the share of false alarms.
    """
    shift = abs(difference) / deviation * sqrt(cases)
    if cases > _NORMAL_FROM:
        critical = normal_quantile((1 + level) / 2)
        return normal_probability(shift - critical) + normal_probability(-shift - critical)
    critical = t_quantile((1 + level) / 2, cases - 1)
    upper = 1 - noncentral_t_probability(critical, cases - 1, shift)
    # The far tail is nothing where the near one is anything, and there the series behind it fails.
    lower = noncentral_t_probability(-critical, cases - 1, shift) if shift < 5 else 0.0
    return upper + lower


def smallest_mean_difference(
    deviation: float | None, cases: int, *, tests: int = 1, power: float = POWER
) -> float | None:
    """The smallest difference of means that this many cases would have shown with this chance.

    Args:
        deviation: Standard deviation of the differences over cases.
        cases: How many pairs.
        tests: How many tests share the 5 % (Holm): the first of them has to be clear of that share.
        power: The chance.

    Returns:
        Points, or ``None`` where it cannot be said: cases that do not differ, or so few that sign flips would not show
        it even if all moved the same way (five and fewer for a single test).
    """
    level = 1 - (1 - LEVEL) / tests
    if deviation is None or not deviation > 0 or 2 * 0.5**cases > 1 - level:
        return None
    high = 20 * deviation / sqrt(cases)
    return _crossing(lambda size: mean_power(size, deviation, cases, level) >= power, 0.0, high)


def cases_for_mean_difference(difference: float, deviation: float, power: float = POWER) -> int | None:
    """How many cases it takes to show a difference of means with this chance; ``None`` above a million."""
    if difference == 0 or not deviation > 0:
        return None
    return _fewest(lambda cases: mean_power(difference, deviation, cases) >= power, 2)


def mcnemar_power(rose: float, fell: float, cases: int, level: float = LEVEL) -> float:
    """The chance that the exact test of McNemar shows a difference of rates.

    Args:
        rose: The true share of cases that have the outcome in B only.
        fell: The true share that have it in A only.
        cases: How many pairs.
        level: 1 less the share of false alarms.
    """
    changing = rose + fell
    if changing <= 0:
        return 0.0
    if cases * changing > _NORMAL_FROM:
        return _limit_power(rose - fell, changing, cases, level)
    changed = _likely(cases, changing)
    critical = _largest_tail(changed, (1 - level) / 2)
    upwards = rose / changing
    shown = binomial_at_most(critical, changed, upwards) + binomial_at_most(critical, changed, 1 - upwards)
    return float(np.sum(binomial_mass(changed, cases, min(1.0, changing)) * np.where(critical >= 0, shown, 0.0)))


def smallest_rate_difference(cases: int, churn: float = 0.0, *, tests: int = 1, power: float = POWER) -> float | None:
    """The smallest difference of rates that exact McNemar would have shown with this chance.

    Args:
        cases: How many pairs, with one outcome each.
        churn: The share of cases that change either way without any difference, half of them up.
        tests: How many tests share the 5 % (Holm).
        power: The chance.

    Returns:
        A share of the cases, or ``None`` where even the largest difference would not show.
    """
    level = 1 - (1 - LEVEL) / tests

    def enough(size: float) -> bool:
        return mcnemar_power(size + churn / 2, churn / 2, cases, level) >= power

    largest = 1.0 - churn
    return _crossing(enough, 0.0, largest) if enough(largest) else None


def cases_for_rate_difference(difference: float, churn: float = 0.0, power: float = POWER) -> int | None:
    """How many cases it takes exact McNemar to show a difference of rates; ``None`` above a million."""
    size = abs(difference)
    if size == 0 or size + churn > 1:
        return None
    return _fewest(lambda cases: mcnemar_power(size + churn / 2, churn / 2, cases) >= power, 2)


def smallest_difference(pairs: Pairs, found: Difference, *, tests: int = 1, power: float = POWER) -> float | None:
    """The smallest difference of this figure that these cases could have shown.

    With one outcome a case by the power of exact McNemar, with as many cases changing for no reason as balanced each
    other here. Else by the spread of the differences.

    Args:
        pairs: The cases that both runs have.
        found: What came of them.
        tests: How many tests share the 5 % (Holm): 2 for a figure of the headline, as many as there are hard fails for
            one of those.
        power: The chance to see it.
    """
    if pairs.one_outcome:
        churn = 2 * min(found.rose, found.fell) / len(pairs) if len(pairs) else 0.0
        return smallest_rate_difference(len(pairs), churn, tests=tests, power=power)
    return smallest_mean_difference(found.deviation, len(pairs), tests=tests, power=power)


def cases_to_settle_rate(values: CaseValues, threshold: float) -> int | None:
    """How many cases would settle a rate against a threshold in four of five tries, if the rate stays as it is.

    ``None`` where no number would: the rate is at the threshold, or nothing is known.
    """
    if not len(values):
        return None
    worth = worth_of(values)
    above = worth.rate > threshold
    factor = _power_factor(0.0 if worth.rate in (0.0, 1.0) else 1.0)
    return _fewest(lambda cases: factor * _reach(_scaled(worth, cases), down=above) <= abs(threshold - worth.rate), 2)


def cases_to_settle_mean(found: TwoPart, values: CaseValues, threshold: float) -> int | None:
    """How many cases would settle the plain mean against a threshold in four of five tries, if all stays as it is.

    Args:
        found: The headline, with one-sided bounds.
        values: The zeroed share of each case.
        threshold: What the mean is held against.
    """
    if found.mean.value is None or not len(values):
        return None
    worth = worth_of(values)
    above = found.mean.value > threshold
    height = found.rest.value or 0.0
    zeroed_factor = _power_factor(0.0 if worth.rate in (0.0, 1.0) else 1.0) * height
    rest = _reach_of(found.rest, down=above) * (1 - worth.rate) * _power_factor(1.0)

    def enough(cases: int) -> bool:
        part = zeroed_factor * _reach(_scaled(worth, cases), down=not above)
        return hypot(part, rest * sqrt(found.mean.n_cases / cases)) <= abs(threshold - (found.mean.value or 0.0))

    return _fewest(enough, LEAST_CASES_FOR_A_SPREAD)


def cases_to_settle_difference(bounds: Estimate, threshold: float) -> int | None:
    """How many cases would settle a difference against a threshold in four of five tries, if all stays as it is.

    A reach that shrinks with the root of the cases is taken for granted, so it is "about" that many; for rates with
    next to no outcome it is on the safe side.
    """
    if bounds.value is None or bounds.low is None or bounds.high is None:
        return None
    distance = abs(bounds.value - threshold)
    reach = _power_factor(1.0) * _reach_of(bounds, down=bounds.value > threshold)
    if distance == 0 or reach <= 0:
        return None
    needed = ceil(bounds.n_cases * (reach / distance) ** 2)
    return needed if needed <= MOST_CASES else None


def _power_factor(weight: float) -> float:
    """How much further than its bound a figure must lie to be clear of a threshold in four of five tries."""
    return 1 + weight * normal_quantile(POWER) / normal_quantile(LEVEL)


def _scaled(worth: Worth, cases: int) -> Worth:
    freedom = None if worth.freedom is None else cases - 1
    return Worth(worth.rate, worth.tries * cases / worth.cases, freedom, cases)


def _reach(worth: Worth, *, down: bool) -> float:
    low, high = worth.bounds(LEVEL, one_sided=True)
    return worth.rate - low if down else high - worth.rate


def _reach_of(estimate: Estimate, *, down: bool) -> float:
    if estimate.value is None or estimate.low is None or estimate.high is None:
        return 0.0
    return estimate.value - estimate.low if down else estimate.high - estimate.value


def _limit_power(difference: float, changing: float, cases: int, level: float) -> float:
    """The power of McNemar's test where many cases change (Miettinen 1968; Connor 1987)."""
    shift = abs(difference) * sqrt(cases)
    critical = normal_quantile((1 + level) / 2) * sqrt(changing)
    spread = sqrt(max(1e-12, changing - difference**2))
    return normal_probability((shift - critical) / spread) + normal_probability((-shift - critical) / spread)


def _likely(tries: int, rate: float) -> FloatArray:
    """The counts that come up at all, within eight standard deviations."""
    middle, reach = tries * rate, 8 * sqrt(tries * rate * max(0.0, 1 - rate)) + 20
    return np.arange(max(0, int(middle - reach)), min(tries, int(middle + reach) + 1) + 1, dtype=np.float64)


def _largest_tail(tries: FloatArray, miss: float) -> FloatArray:
    """For each number of fair coins the largest count whose lower tail is at most ``miss``; -1 where there is none."""
    found = np.floor(tries / 2 + normal_quantile(miss) * np.sqrt(tries) / 2)
    found = np.clip(found + 2, -1, tries)
    for _ in range(8):
        found = np.where((found >= 0) & (binomial_at_most(found, tries, 0.5) > miss), found - 1, found)
    return np.asarray(found)


def _crossing(enough: Callable[[float], bool], low: float, high: float) -> float:
    for _ in range(24):
        middle = (low + high) / 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def _fewest(enough: Callable[[int], bool], least: int) -> int | None:
    high = least
    while not enough(high):
        if high >= MOST_CASES:
            return None
        high = min(MOST_CASES, high * 2)
    low = max(least - 1, high // 2)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
