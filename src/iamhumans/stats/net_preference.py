"""The net preference between two replies to the same cases: the share that prefers B, less the share that prefers A."""

from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import ArrayLike

from iamhumans.stats.bounded import bounded_high, bounded_low
from iamhumans.stats.cases import refuse_missing
from iamhumans.stats.estimate import LEVEL, Estimate
from iamhumans.stats.quantiles import normal_quantile
from iamhumans.stats.significance import ChangeTest, sign_flip


@dataclass(frozen=True, slots=True)
class NetPreference:
    """The net preference for B, from -1 to 1, and a test of whether there is one at all."""

    estimate: Estimate
    test: ChangeTest


def net_preference(preferences: ArrayLike, *, level: float = LEVEL) -> NetPreference:
    """The net preference for B over cases.

    The test flips the signs of the cases. With one pair a case (values -1, 0 and 1) the interval is the score interval
    of Tango (1998), reaching to 0 where the exact test does not reject 0, so that the two never disagree. For means
    over several pairs it is that of a bounded mean. Neither has zero width where nearly all cases tie.

    Args:
        preferences: For each case the mean over its pairs of 1 (B is preferred), -1 (A) and 0 (a tie).
        level: Of the interval.

    Raises:
        ValueError: A value is NaN or outside of -1 to 1.
    """
    values = np.asarray(preferences, dtype=np.float64)
    refuse_missing(values)
    if not (count := len(values)):
        return NetPreference(
            Estimate(None, None, None, 0, "none", level, withheld="No case was judged."), sign_flip(values)
        )
    if np.abs(values).max() > 1:
        raise ValueError("A preference is from -1 to 1.")
    mean, test = float(values.mean()), sign_flip(values)
    if np.all(np.isin(values, (-1.0, 0.0, 1.0))):
        low, high = tango(int(np.sum(values > 0)), int(np.sum(values < 0)), count, level=level)
        method = "Tango's score interval"
        if test.p_value > 1 - level:
            low, high = min(low, 0.0), max(high, 0.0)
    else:
        miss, shares = (1 - level) / 2, (values + 1) / 2
        low, high = 2 * bounded_low(shares, miss) - 1, 2 * bounded_high(shares, miss) - 1
        method = "Gaffke's bounds"
    return NetPreference(Estimate(mean, low, high, count, method, level), test)


def tango(first: int, second: int, count: int, *, level: float = LEVEL) -> tuple[float, float]:
    """The score interval of (first - second) / count (Tango 1998, Statistics in Medicine 17, equations 5 and 6).

    Of ``count`` pairs, ``first`` prefer one side, ``second`` the other, and the rest ties.
    """
    critical = normal_quantile((1 + level) / 2)

    def end(upper: bool) -> float:
        """Where the score statistic equals the critical value; it falls as the assumed difference rises."""
        near, far = (first - second) / count, 1.0 if upper else -1.0
        aim = -critical if upper else critical
        for _ in range(60):
            middle = (near + far) / 2
            beyond = (_score(first, second, count, middle) < aim) == upper
            near, far = (near, middle) if beyond else (middle, far)
        return (near + far) / 2

    return (
        -1.0 if second == count else end(upper=False),
        1.0 if first == count else end(upper=True),
    )


def _score(first: int, second: int, count: int, difference: float) -> float:
    """The score statistic under an assumed difference, with its restricted maximum likelihood estimate."""
    linear = -first - second + (2 * count - first + second) * difference
    constant = -second * difference * (1 - difference)
    rest = (sqrt(max(0.0, linear**2 - 8 * count * constant)) - linear) / (4 * count)
    variance = count * (2 * rest + difference * (1 - difference))
    away = first - second - count * difference
    if variance <= 0:
        return 0.0 if away == 0 else (1.0 if away > 0 else -1.0) * float("inf")
    return away / sqrt(variance)
