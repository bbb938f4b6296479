"""The smallest difference that a comparison can show, and how many cases settle a threshold: 80 % power, 5 % alarms."""

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil, log, log1p, sqrt

import numpy as np
from scipy import special

from iamhumans.stats.cases import CaseValues
from iamhumans.stats.estimate import LEVEL, Estimate
from iamhumans.stats.intervals import proportion_of
from iamhumans.stats.quantiles import FloatArray, binomial_at_most, normal_probability, normal_quantile, t_quantile
from iamhumans.stats.totals import reach

POWER = 0.8
MAX_CASES = 1_000_000
_NORMAL_FROM = 2_000
_COUNTED_TO = 400
RANGE = 0.8  # the level of the interval of a figure, from whose ends the number of cases that are needed follows


@dataclass(frozen=True, slots=True)
class CasesNeeded:
    """How many cases would settle a threshold with a probability of 80 %, over an 80 % interval of a figure.

    Attributes:
        low: The fewest that it may take: at the end that is easier to settle.
        high: The most that it may take. ``None`` if it cannot be told yet, since the interval holds the threshold, or
            where it is above a million; so is ``low``.
    """

    low: int | None
    high: int | None


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


def cases_to_settle_rate(
    values: CaseValues, threshold: float, *, at_least: bool = False, levels: tuple[float, float] = (LEVEL, LEVEL)
) -> CasesNeeded | None:
    """How many cases would settle a rate in 80 % of runs; ``None`` where there is no case.

    The number is that of the exact one-sided test, from which on its power stays at 80 %, with the design effect of
    these cases.

    Args:
        values: The share of each case.
        threshold: What the rate is compared with.
        at_least: Whether the rate must not be below it, or else not above it.
        levels: Of the bound that meets the threshold, and of the one that misses it.
    """
    if not len(values):
        return None
    found = proportion_of(values)
    tries_a_case = found.tries / found.cases

    def needed(rate: float) -> int | None:
        level = levels[0] if (rate > threshold) == at_least else levels[1]
        tries = _tries_to_settle(rate, threshold, 1 - level)
        if tries is None:
            return None
        cases = ceil(tries / tries_a_case)
        if found.freedom is not None:
            # The bounds use Student's t, since the design effect is estimated.
            cases = ceil(cases * (t_quantile(level, max(1, cases - 1)) / normal_quantile(level)) ** 2)
        # One zeroed reply among many must not settle more than none at all.
        closest = threshold if rate < threshold else 1 - threshold
        return max(cases, ceil(log(1 - level) / log1p(-closest))) if 0 < closest < 1 else cases

    return needed_within(found.bounds(RANGE, one_sided=False), threshold, needed)


def cases_to_settle_difference(bounds: Estimate, threshold: float) -> CasesNeeded | None:
    """The same for a difference with one-sided bounds, if these shrink with the root of the number of cases."""
    if bounds.value is None or bounds.low is None or bounds.high is None:
        return None

    def needed(at: float) -> int | None:
        half = _power_factor() * reach(bounds)[0 if at > threshold else 1]
        cases = max(1, ceil(bounds.n_cases * (half / (at - threshold)) ** 2))
        return cases if cases <= MAX_CASES else None

    return needed_within(_narrowed(bounds), threshold, needed)


def needed_within(ends: tuple[float, float], threshold: float, needed: Callable[[float], int | None]) -> CasesNeeded:
    """What the two ends of an interval of a figure need to settle a threshold."""
    low, high = ends
    counts = [needed(end) if end != threshold else None for end in ends]
    known = [one for one in counts if one is not None]
    fewest = min(known, default=None)
    if low <= threshold <= high or len(known) < len(counts):
        return CasesNeeded(fewest, None)
    return CasesNeeded(fewest, max(known))


def _narrowed(found: Estimate) -> tuple[float, float]:
    """The 80 % interval of a figure with one-sided bounds."""
    value, share = found.value or 0.0, normal_quantile((1 + RANGE) / 2) / normal_quantile(found.level)
    down, up = reach(found)
    return value - share * down, value + share * up


def _tries_to_settle(rate: float, threshold: float, miss: float) -> int | None:
    """From how many independent tries on the exact test shows the side of the rate in 80 % of runs."""
    if rate > threshold:
        rate, threshold = 1 - rate, 1 - threshold
    if threshold <= rate:
        return None
    spread = normal_quantile(1 - miss) * sqrt(threshold * (1 - threshold))
    about = ((spread + normal_quantile(POWER) * sqrt(max(0.0, rate * (1 - rate)))) / (threshold - rate)) ** 2
    if about > _COUNTED_TO:
        # With the correction for continuity (Fleiss, Levin and Paik 2003, section 2.3).
        about = about / 4 * (1 + sqrt(1 + 2 / (about * (threshold - rate)))) ** 2
        return ceil(about) if about <= MAX_CASES else None
    most = 3 * ceil(about) + ceil(log(miss) / log1p(-min(threshold, 1 - 1e-9))) + 50
    tries = np.arange(1, most, dtype=np.float64)
    power = binomial_at_most(_largest_in_tail(tries, miss, threshold), tries, rate)
    short = np.flatnonzero(power < POWER)
    return int(tries[short[-1]]) + 1 if len(short) else 1


def _power_factor(rate: float = 0.5) -> float:
    """How far a figure must be from a threshold, in units of its bound. A rate of 0 or 1 never varies."""
    return 1.0 if rate in (0.0, 1.0) else 1 + normal_quantile(POWER) / normal_quantile(LEVEL)


def _largest_in_tail(tries: FloatArray, miss: float, rate: float = 0.5) -> FloatArray:
    """For each number of tries the largest count whose lower tail is at most ``miss``; -1 where there is none."""
    middle, spread = tries * rate, np.sqrt(tries * rate * (1 - rate))
    found = np.clip(np.floor(middle + normal_quantile(miss) * spread) + 3, -1, tries)
    while np.any(over := (found >= 0) & (binomial_at_most(found, tries, rate) > miss)):
        found = np.where(over, found - 1, found)
    return np.asarray(found)


def _smallest_size(enough: Callable[[float], bool], high: float) -> float:
    low = 0.0
    for _ in range(24):
        middle = (low + high) / 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def fewest(enough: Callable[[int], bool], least: int = 1) -> int | None:
    """The fewest cases that are enough; ``None`` where more than a million are needed."""
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
