"""Tests of whether anything changed between two runs of the same cases.

If nothing changed, each case might as well have had its two values the other way round. So the sign of each
difference is a coin, and the p-value is the share of all ways the coins can fall that give a sum as far from 0 as the
one that was seen (Fisher 1935, section 21). With one outcome a case that is the exact test of McNemar (1947).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isclose, sqrt

import numpy as np
from numpy.typing import ArrayLike

from iamhumans.stats.cases import Pairs, refuse_missing
from iamhumans.stats.quantiles import FloatArray, binomial_at_most, normal_probability

DRAWS = 9_999
SEED = 20_240_229

_MOST_ENUMERATED = 16
_LARGEST_DENOMINATOR = 60
_MOST_CELLS = 20_000_000
_CHUNK = 2_000_000
_HALVED_TOGETHER = 500
_TINY = 2.0**-1000
"""What is smaller is given as this, since no p-value is 0."""
_SHARE_OF_ONE = 1e-3
"""The sum is taken for normal where no fewer than a thousand equal cases would weigh like these: an error of 0.0001."""


@dataclass(frozen=True, slots=True)
class ChangeTest:
    """What a test of "nothing changed" gives."""

    p_value: float
    method: str
    n_changed: int
    """Cases that differ at all; the others say nothing either way."""


def mcnemar(rose: int, fell: int) -> ChangeTest:
    """The exact two-sided test of McNemar: of the cases that changed, did as many rise as fell.

    Args:
        rose: Cases with the outcome in B only.
        fell: Cases with it in A only.

    Raises:
        ValueError: A negative count.
    """
    if rose < 0 or fell < 0:
        raise ValueError("Counts are not negative.")
    changed = rose + fell
    tail = binomial_at_most(np.array([float(min(rose, fell))]), np.array([float(changed)]), 0.5)[0]
    return ChangeTest(min(1.0, max(2 * float(tail), _TINY)), "exact McNemar", changed)


def sign_flip(differences: ArrayLike, *, draws: int = DRAWS, seed: int = SEED) -> ChangeTest:
    """The two-sided sign-flip permutation test of a sum of differences, one a case.

    Exact wherever that can be counted: for differences that are multiples of a common fraction (means over a few
    replies are), by convolution; else up to 16 cases that changed. Where a thousand cases and more carry the sum, by
    its normal limit, whose error is less than that of draws. Otherwise by seeded draws, with the one that was seen
    counted as one of them: (b + 1) / (m + 1) (Phipson and Smyth 2010).

    Args:
        differences: B minus A of each case.
        draws: How many draws, where it cannot be counted.
        seed: For the same p-value on every machine.

    Raises:
        ValueError: NaN or infinity.
    """
    numbers = np.asarray(differences, dtype=np.float64)
    refuse_missing(numbers)
    changed = numbers[np.abs(numbers) > 1e-12]
    if not len(changed):
        return ChangeTest(1.0, "exact sign flip", 0)
    steps = _as_steps(changed)
    if steps is not None:
        return ChangeTest(_by_convolution(steps), "exact sign flip", len(changed))
    if len(changed) <= _MOST_ENUMERATED:
        return ChangeTest(_by_enumeration(changed), "exact sign flip", len(changed))
    squares = changed**2
    if float(squares @ squares) <= _SHARE_OF_ONE * float(squares.sum()) ** 2:
        return ChangeTest(_by_limit(changed), "sign flip, normal limit", len(changed))
    return ChangeTest(_by_draws(changed, draws, seed), f"sign flip, {draws} draws", len(changed))


def changed_test(pairs: Pairs, *, draws: int = DRAWS, seed: int = SEED) -> ChangeTest:
    """Whether a figure changed: exact McNemar where there is one outcome a case, else sign flips."""
    differences = pairs.differences
    if pairs.one_outcome:
        return mcnemar(int(np.count_nonzero(differences > 0)), int(np.count_nonzero(differences < 0)))
    return sign_flip(differences, draws=draws, seed=seed)


def _as_steps(numbers: FloatArray) -> np.ndarray[tuple[int], np.dtype[np.int64]] | None:
    """The numbers as whole multiples of a common fraction, or None where there is none or counting takes too long."""
    if len(numbers) ** 2 > _MOST_CELLS:
        return None
    for denominator in range(1, _LARGEST_DENOMINATOR + 1):
        scaled = numbers * denominator
        whole = np.rint(scaled)
        if np.all(np.abs(scaled - whole) < 1e-6):
            steps = whole.astype(np.int64)
            steps //= np.gcd.reduce(steps)
            return steps if len(steps) * int(np.abs(steps).sum()) <= _MOST_CELLS else None
    return None


def _by_convolution(steps: np.ndarray[tuple[int], np.dtype[np.int64]]) -> float:
    """Count all ways the signs can fall by adding one case after the other to the distribution of the sum."""
    sizes = np.abs(steps)
    seen, whole = int(abs(steps.sum())), int(sizes.sum())
    if seen == 0:
        return 1.0
    # The sum with flipped signs is twice the sum of those that point up, less the sum of all sizes. Its lower tail is
    # the same as the upper one.
    reach = (whole - seen) // 2
    ways = np.zeros(reach + 1)
    ways[0] = 1.0
    top = 0
    for place, size in enumerate(np.sort(sizes).tolist(), start=1):
        top = min(reach, top + size)
        if size <= top:
            ways[size : top + 1] += ways[: top + 1 - size]
        if place % _HALVED_TOGETHER == 0:
            ways[: top + 1] *= 0.5**_HALVED_TOGETHER
    share = float(ways.sum()) * 0.5 ** (len(sizes) % _HALVED_TOGETHER)
    return min(1.0, max(2 * share, _TINY))


def _by_enumeration(numbers: FloatArray) -> float:
    signs = 1.0 - 2.0 * ((np.arange(2 ** len(numbers))[:, None] >> np.arange(len(numbers))) & 1)
    return float(np.mean(_as_far(signs @ numbers, numbers)))


def _by_limit(numbers: FloatArray) -> float:
    distance = abs(float(numbers.sum())) / sqrt(float(numbers @ numbers))
    return min(1.0, max(2 * normal_probability(-distance), _TINY))


def _by_draws(numbers: FloatArray, draws: int, seed: int) -> float:
    """Draw the signs of all cases with a difference of the same size at once: how many of them point up is binomial."""
    source = np.random.default_rng(seed)
    sizes, counts = np.unique(np.abs(numbers), return_counts=True)
    rows = max(1, _CHUNK // len(sizes))
    as_far = 0
    for start in range(0, draws, rows):
        up = source.binomial(counts, 0.5, size=(min(rows, draws - start), len(sizes)))
        as_far += int(np.count_nonzero(_as_far((2.0 * up - counts) @ sizes, numbers)))
    return (as_far + 1) / (draws + 1)


def _as_far(sums: FloatArray, numbers: FloatArray) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    """Which sums are as far from 0 as the one seen; what differs by rounding only counts as equal."""
    seen = abs(float(numbers.sum()))
    slack = 1e-9 * float(np.abs(numbers).sum())
    return np.asarray(np.abs(sums) >= (0.0 if isclose(seen, 0.0, abs_tol=slack) else seen - slack))
