"""The smallest difference that a comparison can show, and how many cases settle a threshold: 80 % power, 5 % alarms."""

from collections.abc import Callable
from math import ceil, hypot, sqrt

import numpy as np
from scipy import special

from iamhumans.stats.cases import CaseValues, Pairs
from iamhumans.stats.differences import Difference
from iamhumans.stats.estimate import LEVEL, MIN_CASES, Estimate
from iamhumans.stats.intervals import Proportion, proportion_of
from iamhumans.stats.quantiles import FloatArray, binomial_at_most, normal_probability, normal_quantile, t_quantile
from iamhumans.stats.totals import TwoPart, reach

POWER = 0.8
MAX_CASES = 1_000_000
_NORMAL_FROM = 2_000


def mean_power(difference: float, deviation: float, cases: int, level: float = LEVEL) -> float:
    """The power of the paired t test (noncentral t; Cohen 1988, section 2.3), from the deviation of the differences."""
    shift = abs(difference) / deviation * sqrt(cases)
    if cases > _NORMAL_FROM:
        critical = normal_quantile((1 + level) / 2)
        return normal_probability(shift - critical) + normal_probability(-shift - critical)
    critical = t_quantile((1 + level) / 2, cases - 1)
    # For a large shift the far tail is negligible, and scipy's series for it fails.
    lower = float(special.nctdtr(cases - 1, shift, -critical)) if shift < 5 else 0.0
    return 1 - float(special.nctdtr(cases - 1, shift, critical)) + lower


def smallest_mean_difference(deviation: float | None, cases: int, *, tests: int = 1) -> float | None:
    """The smallest difference of means that the paired test shows, where ``tests`` tests share the 5 % (Holm)."""
    level = 1 - (1 - LEVEL) / tests
    # None where so few cases differ that sign flips show nothing even if all moved the same way.
    if deviation is None or not deviation > 0 or 2 * 0.5**cases > 1 - level:
        return None
    return _smallest_size(lambda size: mean_power(size, deviation, cases, level) >= POWER, 20 * deviation / sqrt(cases))


def mcnemar_power(rose: float, fell: float, cases: int, level: float = LEVEL) -> float:
    """The power of exact McNemar where these shares of the cases rise and fall (limit: Miettinen 1968; Connor 1987)."""
    changing = rose + fell
    if changing <= 0:
        return 0.0
    if cases * changing > _NORMAL_FROM:
        shift = abs(rose - fell) * sqrt(cases)
        critical = normal_quantile((1 + level) / 2) * sqrt(changing)
        spread = sqrt(max(1e-12, changing - (rose - fell) ** 2))
        return normal_probability((shift - critical) / spread) + normal_probability((-shift - critical) / spread)
    # All counts of changed cases within eight standard deviations.
    middle, width = cases * changing, 8 * sqrt(cases * changing * max(0.0, 1 - changing)) + 20
    changed = np.arange(max(0, int(middle - width)), min(cases, int(middle + width) + 1) + 1, dtype=np.float64)
    largest = _largest_in_tail(changed, (1 - level) / 2)
    upwards = rose / changing
    shown = binomial_at_most(largest, changed, upwards) + binomial_at_most(largest, changed, 1 - upwards)
    ways = special.gammaln(float(cases) + 1) - special.gammaln(changed + 1) - special.gammaln(cases - changed + 1)
    rate = min(1.0, changing)
    mass = np.exp(ways + special.xlogy(changed, rate) + special.xlog1py(cases - changed, -rate))
    return float(np.sum(mass * np.where(largest >= 0, shown, 0.0)))


def smallest_rate_difference(cases: int, churn: float = 0.0, *, tests: int = 1) -> float | None:
    """The smallest difference of rates that exact McNemar shows, if a share of cases (``churn``) changes anyway."""
    level = 1 - (1 - LEVEL) / tests

    def enough(size: float) -> bool:
        return mcnemar_power(size + churn / 2, churn / 2, cases, level) >= POWER

    return _smallest_size(enough, 1.0 - churn) if enough(1.0 - churn) else None


def smallest_difference(pairs: Pairs, found: Difference, *, tests: int = 1) -> float | None:
    """The smallest difference of a figure that these cases could show, if ``tests`` tests share the 5 % (Holm)."""
    if pairs.one_outcome:
        churn = 2 * min(found.rose, found.fell) / len(pairs) if len(pairs) else 0.0
        return smallest_rate_difference(len(pairs), churn, tests=tests)
    return smallest_mean_difference(found.deviation, len(pairs), tests=tests)


def cases_to_settle_rate(values: CaseValues, threshold: float) -> int | None:
    """How many cases would settle a rate in 80 % of runs, at the rate of this run; ``None`` if no number would."""
    if not len(values):
        return None
    found = proportion_of(values)
    factor = _power_factor(found.rate)
    down = found.rate > threshold
    return _fewest_cases(lambda cases: factor * _reach(found, cases, down=down) <= abs(threshold - found.rate), 2)


def cases_to_settle_mean(found: TwoPart, values: CaseValues, threshold: float) -> int | None:
    """The same for the plain mean, from the headline with one-sided bounds and the share of zeroed replies by case."""
    mean = found.mean.value
    if mean is None or not len(values):
        return None
    zeroed = proportion_of(values)
    above = mean > threshold
    factor = _power_factor(zeroed.rate) * (found.rest.value or 0.0)
    rest = reach(found.rest)[0 if above else 1] * (1 - zeroed.rate) * _power_factor()

    def enough(cases: int) -> bool:
        part = factor * _reach(zeroed, cases, down=not above)
        return hypot(part, rest * sqrt(found.mean.n_cases / cases)) <= abs(threshold - mean)

    return _fewest_cases(enough, MIN_CASES)


def cases_to_settle_difference(bounds: Estimate, threshold: float) -> int | None:
    """The same for a difference, if its bounds shrink with the root of the number of cases."""
    if bounds.value is None or bounds.low is None or bounds.high is None:
        return None
    distance = abs(bounds.value - threshold)
    half = _power_factor() * reach(bounds)[0 if bounds.value > threshold else 1]
    if distance == 0 or half <= 0:
        return None
    needed = ceil(bounds.n_cases * (half / distance) ** 2)
    return needed if needed <= MAX_CASES else None


def _power_factor(rate: float = 0.5) -> float:
    """How far a figure must be from a threshold, in units of its bound. A rate of 0 or 1 never varies."""
    return 1.0 if rate in (0.0, 1.0) else 1 + normal_quantile(POWER) / normal_quantile(LEVEL)


def _reach(found: Proportion, cases: int, *, down: bool) -> float:
    """How far the one-sided bound of this rate is from it, with another number of cases."""
    freedom = None if found.freedom is None else cases - 1
    low, high = Proportion(found.rate, found.tries * cases / found.cases, freedom, cases).bounds(LEVEL, one_sided=True)
    return found.rate - low if down else high - found.rate


def _largest_in_tail(tries: FloatArray, miss: float) -> FloatArray:
    """For each number of fair coins the largest count whose lower tail is at most ``miss``; -1 where there is none."""
    found = np.clip(np.floor(tries / 2 + normal_quantile(miss) * np.sqrt(tries) / 2) + 2, -1, tries)
    for _ in range(8):
        found = np.where((found >= 0) & (binomial_at_most(found, tries, 0.5) > miss), found - 1, found)
    return np.asarray(found)


def _smallest_size(enough: Callable[[float], bool], high: float) -> float:
    low = 0.0
    for _ in range(24):
        middle = (low + high) / 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def _fewest_cases(enough: Callable[[int], bool], least: int) -> int | None:
    high = least
    while not enough(high):
        if high >= MAX_CASES:
            return None
        high = min(MAX_CASES, high * 2)
    low = max(least - 1, high // 2)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
