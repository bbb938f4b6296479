"""Means, and differences of means, held to a threshold: bounds for any distribution on the scale.

They are those of :mod:`iamhumans.stats.bounded` (Gaffke 2005; Learned-Miller and Thomas 2019). A difference of two
means from 0 to 100 goes from -100 to 100 and is mapped to 0 to 1. Runs are paired, so each case is a difference.

A collapse that no case showed is not ruled out by few cases. If no case changed at all, n cases show at 5 % that the
mean fell by less than 100 * (1 - 0.05 ** (1 / n)) points: 99 cases are needed for a margin of 3 points.
"""

from collections.abc import Callable
from math import ceil, log, sqrt

import numpy as np
from scipy.optimize import brentq

from iamhumans.stats.bounded import bounded_low, weighted_at_most
from iamhumans.stats.cases import CaseValues, Pairs
from iamhumans.stats.estimate import LEVEL, Estimate
from iamhumans.stats.quantiles import FloatArray, normal_quantile

TOP = 100.0
_METHOD = "Gaffke's bounds"
_MOST_SIZES = 2_000  # of more different values each is rounded away from the bound's favour, by this part of the scale
_POWER = 0.8
_MOST_CASES = 1_000_000


def bounded_mean(values: CaseValues, *, level: float = LEVEL, one_sided: bool = False) -> Estimate:
    """The mean of totals from 0 to 100, with bounds that hold for any distribution.

    A mean over replies is a ratio of two sums over clusters, of totals and of replies. Its lower bound is the largest
    mean m that is rejected: the sum of (total - m) of a cluster, over the replies of the largest one, is a bounded
    value with a mean of 0. This takes the largest cluster for the largest that there can be.
    """
    if not len(values):
        return Estimate(None, None, None, 0, _METHOD, level, one_sided, "No case has a value.")
    shares = values.values / TOP
    weights = values.replies / values.replies.max() if values.by_reply else np.ones(len(shares))
    miss = _miss(level, one_sided=one_sided)
    low, high = TOP * _low(shares, weights, miss), TOP * (1 - _low(1 - shares, weights, miss))
    return Estimate(values.mean, low, high, len(values), _METHOD, level, one_sided)


def bounded_difference(pairs: Pairs, *, level: float = LEVEL, one_sided: bool = False) -> Estimate:
    """B minus A of means from 0 to 100 over the same cases, with bounds that hold for any distribution."""
    if not len(pairs):
        return Estimate(None, None, None, 0, _METHOD, level, one_sided, "No case has a value in both runs.")
    differences = pairs.differences
    shares, ones, miss = _as_shares(differences), np.ones(len(pairs)), _miss(level, one_sided=one_sided)
    low, high = _low(shares, ones, miss), 1 - _low(1 - shares, ones, miss)
    ends = 2 * TOP * low - TOP, 2 * TOP * high - TOP
    return Estimate(float(differences.mean()), *ends, len(pairs), _METHOD, level, one_sided)


def least_margin(cases: int, *, level: float = LEVEL) -> float:
    """The smallest margin, in points of a mean from 0 to 100, that this many cases can show if none of them changes."""
    return TOP * (1 - (1 - level) ** (1 / cases)) if cases > 0 else TOP


def cases_for_margin(margin: float, *, level: float = LEVEL) -> int | None:
    """How many cases can show a margin, in points, if none of them changes; ``None`` where no number can."""
    if margin <= 0:
        return None
    return 1 if margin >= TOP else ceil(log(1 - level) / log(1 - margin / TOP) - 1e-9)


def cases_to_settle_bounded(values: FloatArray, threshold: float, *, level: float = LEVEL) -> int | None:
    """How many cases like these settle a threshold on a mean from 0 to 100 in four of five runs; ``None`` if none."""
    return _cases_to_settle(np.asarray(values, dtype=np.float64) / TOP, threshold / TOP, level)


def cases_to_settle_margin(pairs: Pairs, threshold: float, *, level: float = LEVEL) -> int | None:
    """The same for a threshold on B minus A, which is below 0 for a drop."""
    return _cases_to_settle(_as_shares(pairs.differences), (threshold + TOP) / (2 * TOP), level)


def _as_shares(differences: FloatArray) -> FloatArray:
    return np.clip((differences + TOP) / (2 * TOP), 0.0, 1.0)


def _miss(level: float, *, one_sided: bool) -> float:
    return 1 - level if one_sided else (1 - level) / 2


def _low(shares: FloatArray, weights: FloatArray, miss: float) -> float:
    """The lower bound of a mean from 0 to 1, each value weighed by a share of the largest weight."""
    if len(np.unique(shares)) > _MOST_SIZES:
        shares = np.floor(shares * _MOST_SIZES) / _MOST_SIZES
    if np.all(weights == 1):
        return bounded_low(shares, miss)
    rows, times = np.unique(np.stack([shares, weights], axis=1), axis=0, return_counts=True)
    counts, top = np.append(times, 1), float(shares.max())

    def excess(mean: float) -> float:
        return weighted_at_most(np.append(rows[:, 1] * (rows[:, 0] - mean), -mean), counts, 0.0) - miss

    if top <= 0 or excess(1e-12) >= 0:
        return 0.0
    return float(brentq(excess, 1e-12, top, xtol=1e-10)) if excess(top) > 0 else top


def _cases_to_settle(shares: FloatArray, threshold: float, level: float) -> int | None:
    if not len(shares):
        return None
    if float(shares.mean()) < threshold:
        shares, threshold = 1 - shares, 1 - threshold
    mean, deviation = float(shares.mean()), float(shares.std(ddof=1)) if len(shares) > 1 else 0.0
    if threshold <= 0:
        return 1
    sizes, times = np.unique(shares, return_counts=True)
    per_case, ends = times / len(shares), np.append(sizes, 0.0)

    def enough(cases: int) -> bool:
        # One run in five has a mean that is lower than expected by this much or more.
        bound = threshold + normal_quantile(_POWER) * deviation / sqrt(cases)
        return bound < mean and weighted_at_most(ends, np.append(per_case * cases, 1.0), bound) <= 1 - level

    return _fewest(enough)


def _fewest(enough: Callable[[int], bool]) -> int | None:
    high = 1
    while not enough(high):
        high *= 2
        if high > _MOST_CASES:
            return None
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
