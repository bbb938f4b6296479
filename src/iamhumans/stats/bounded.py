"""Bounds of a mean that hold for any distribution on a bounded scale, for a number of cases that is fixed beforehand.

Student's t is wrong where a rare bad reply was not drawn: twenty equal differences say nothing about the twenty-first.
The bound of Gaffke (2005; Learned-Miller and Thomas 2019, arXiv 1905.06208) adds one case at the worst end of the scale
and weighs all cases at random, uniformly over all weights that add up to 1: the lower bound is the quantile of that
weighted mean. For values of 0 and 1 it is the bound of Clopper and Pearson, and if all n values are x it is x times
the n-th root of the level. That it holds is proven for two values and conjectured for all distributions;
``python -m benchmarks.decisions`` looks for one where it fails.
"""

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq

from iamhumans.stats.cases import refuse_missing
from iamhumans.stats.quantiles import FloatArray

_FAR = 16.0  # standard deviations from which the probability is 0 or 1 to six digits
_FIRST = -12.0  # the logarithm of the first t
_EXACT = 1e-12
_CELLS_AT_ONCE = 2_000_000


def bounded_low(values: ArrayLike, miss: float) -> float:
    """The lower bound of the mean of independent values from 0 to 1, wrong with the probability ``miss`` at most.

    Raises ValueError for a value outside of 0 to 1.
    """
    numbers = np.asarray(values, dtype=np.float64)
    refuse_missing(numbers)
    if not len(numbers) or numbers.min() < 0 or numbers.max() > 1:
        raise ValueError("A bounded mean needs values from 0 to 1.")
    top = float(numbers.max())
    if top <= 0:
        return 0.0
    sizes, times = np.unique(numbers, return_counts=True)
    if len(sizes) == 1:
        return float(top * miss ** (1 / len(numbers)))

    def excess(bound: float) -> float:
        return weighted_at_most(np.append(sizes, 0.0), np.append(times, 1), bound) - miss

    low, high = top * _EXACT, top * (1 - _EXACT)
    if excess(low) >= 0:
        return 0.0
    return float(brentq(excess, low, high, xtol=1e-10)) if excess(high) > 0 else high


def bounded_high(values: ArrayLike, miss: float) -> float:
    """The upper bound of the mean; see :func:`bounded_low`."""
    return 1.0 - bounded_low(1.0 - np.asarray(values, dtype=np.float64), miss)


def weighted_at_most(sizes: FloatArray, times: ArrayLike, bound: float) -> float:
    """The probability that the mean of ``sizes`` with random weights is at most ``bound``.

    The weights are uniform over the simplex (Dirichlet), one for each of the ``times`` that a size occurs. They are
    independent exponentials over their sum, so this is the sign of a sum of exponentials, from its characteristic
    function (Gil-Pelaez 1951; Imhof 1961).
    """
    away = np.asarray(sizes, dtype=np.float64) - bound
    counts = np.asarray(times, dtype=np.float64)
    scale = float(np.sqrt(counts @ away**2))
    if scale == 0:
        return 1.0
    away = away / scale
    middle = float(counts @ away)
    if abs(middle) > _FAR:
        return float(middle < 0)
    # The integral is over the logarithm of t, where the trapezoid rule is as good as exact.
    step = 0.1 / max(1.0, abs(middle))
    nodes = np.exp(np.arange(_FIRST, 40.0, step))
    # Beyond some t the integrand is below 1e-16.
    some = nodes[:: max(1, len(nodes) // 100)]
    enough = int(np.searchsorted([0.5 * float(counts @ np.log1p((away * node) ** 2)) for node in some], 37.0))
    nodes = nodes[nodes <= some[min(enough, len(some) - 1)]]
    # Before the first node the integrand is as good as linear in t.
    above = 0.5 + middle * np.exp(_FIRST) * step / np.expm1(step) / np.pi
    for part in np.array_split(nodes, len(nodes) * len(away) // _CELLS_AT_ONCE + 1):
        product = np.multiply.outer(part, away)
        size = 0.5 * (np.log1p(product**2) @ counts)
        above += float(np.sin(np.arctan(product) @ counts) @ np.exp(-size)) * step / np.pi
    return float(min(1.0, max(0.0, 1.0 - above)))
