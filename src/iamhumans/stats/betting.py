"""Evidence about a mean that may be looked at after every case: betting martingales.

Somebody bets, case by case, against the hypothesis that the mean is on one side of a threshold, and never more than
there is. If the hypothesis is true the capital is a supermartingale, so it multiplies by twenty with a probability of
at most 5 %, however often one looks (Ville 1939; Waudby-Smith and Ramdas 2024, "Estimating means of bounded random
variables by betting"). A stake k multiplies the capital by (1 + k x) / (1 + k m) at a value x, which is 1 on average if
m is the mean; for values of 0 and 1 it is the likelihood ratio of odds that are 1 + k times those of m (Wald 1945). The
capital is spread over several fixed stakes (Robbins 1970), so it does not depend on the order of the cases.
"""

from dataclasses import dataclass
from math import log
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from iamhumans.stats.cases import refuse_missing
from iamhumans.stats.quantiles import FloatArray

_STAKES = np.expm1(0.8 * np.exp(0.6 * special.ndtri((np.arange(32) + 0.5) / 32)))
"""Odds ratios minus 1. The logarithm of an odds ratio is at the quantiles of a log-normal distribution with the median
0.8: of those tried it needs the fewest cases for rates (``benchmarks/simulations/sequential.py``)."""

Side = Literal["above", "below"]


@dataclass(frozen=True, slots=True)
class Decided:
    """What has been shown about a mean and a threshold, and after how many cases."""

    side: Side | None  # None: nothing yet
    cases: int | None


def log_capital(values: ArrayLike, threshold: float, side: Side) -> FloatArray:
    """The logarithm of the capital after each case, in a bet that the mean is on this side of the threshold.

    Values and threshold are from 0 to 1, with the threshold strictly between. Raises ValueError otherwise.
    """
    numbers = np.asarray(values, dtype=np.float64)
    refuse_missing(numbers)
    if not 0 < threshold < 1 or (len(numbers) and (numbers.min() < 0 or numbers.max() > 1)):
        raise ValueError("Betting needs values from 0 to 1 and a threshold between.")
    if side == "below":
        numbers, threshold = 1 - numbers, 1 - threshold
    growth = np.log1p(np.multiply.outer(_STAKES, numbers)) - np.log1p(_STAKES * threshold)[:, None]
    found: FloatArray = special.logsumexp(np.cumsum(growth, axis=1), axis=0) - log(len(_STAKES))
    return found


def decide(values: ArrayLike, threshold: float, *, miss: float = 0.05) -> Decided:
    """On which side of the threshold the mean is, as soon as that is shown. Each side is wrong with ``miss`` at most.

    A threshold at the end of the scale can be shown to be missed only, by the first value that is not there.
    """
    numbers = np.asarray(values, dtype=np.float64)
    if threshold <= 0 or threshold >= 1:
        beyond = np.flatnonzero((numbers > threshold) if threshold <= 0 else (numbers < threshold))
        if not len(beyond):
            return Decided(None, None)
        return Decided("above" if threshold <= 0 else "below", int(beyond[0]) + 1)
    first: dict[Side, int] = {}
    for side in ("above", "below"):
        reached = np.flatnonzero(log_capital(numbers, threshold, side) >= -log(miss))
        if len(reached):
            first[side] = int(reached[0]) + 1
    if not first:
        return Decided(None, None)
    earliest = min(first, key=first.__getitem__)
    return Decided(earliest, first[earliest])


def betting_low(values: ArrayLike, miss: float, *, at_the_end: bool = False) -> float:
    """The lower bound of the mean of values from 0 to 1 that holds after every case at once: 0 while there is none.

    With ``at_the_end`` only the capital after the last case counts, so the order of the cases changes nothing.
    """
    numbers = np.asarray(values, dtype=np.float64)
    refuse_missing(numbers)
    if not len(numbers) or numbers.max() <= 0:
        return 0.0
    low, high, first = 0.0, float(numbers.mean()), len(numbers) - 1 if at_the_end else 0
    if not high > 0:
        return 0.0
    for _ in range(40):
        middle = (low + high) / 2
        shown = 0 < middle < 1 and bool(log_capital(numbers, middle, "above")[first:].max() >= -log(miss))
        low, high = (middle, high) if shown else (low, middle)
    return low


def betting_high(values: ArrayLike, miss: float, *, at_the_end: bool = False) -> float:
    """The upper bound; see :func:`betting_low`."""
    return 1.0 - betting_low(1.0 - np.asarray(values, dtype=np.float64), miss, at_the_end=at_the_end)
