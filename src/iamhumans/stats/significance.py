"""Tests of whether anything changed between two runs of the same cases: McNemar, sign flips; and Holm's correction."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import isclose, sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

from iamhumans.stats.cases import Pairs, refuse_missing
from iamhumans.stats.quantiles import BoolArray, FloatArray, binomial_at_most, normal_probability

DRAWS = 9_999
SEED = 20_240_229

_MAX_ENUMERATED = 16
_MAX_DENOMINATOR = 60
_MAX_STEPS = 20_000_000
_CELLS_AT_ONCE = 2_000_000
_HALVED_TOGETHER = 500
_SMALLEST = 2.0**-1000  # No p-value is 0.
_SHARE_OF_ONE = 1e-3  # The normal limit with 1,000 equal cases has an error of about 0.0001.


@dataclass(frozen=True, slots=True)
class ChangeTest:
    """The result of a test of "nothing changed"."""

    p_value: float
    method: str
    n_changed: int  # how many cases differ at all


def holm(p_values: Mapping[str, float]) -> dict[str, float]:
    """P-values corrected for the number of tests: a false alarm in at most 5 % of runs (Holm 1979)."""
    corrected, largest = dict[str, float](), 0.0
    for place, name in enumerate(sorted(p_values, key=p_values.__getitem__)):
        largest = max(largest, min(1.0, (len(p_values) - place) * p_values[name]))
        corrected[name] = largest
    return {name: corrected[name] for name in p_values}


def tarone_holm(
    p_values: Mapping[str, float], changed: Mapping[str, int], *, level: float = 0.05
) -> dict[str, float | None]:
    """Holm's correction over those tests that could be significant at all (Tarone 1990); ``None`` for the others.

    With ``changed`` cases the exact tests of :func:`mcnemar` and :func:`sign_flip` give no p-value below 2 to the power
    of 1 - changed. A test whose smallest p-value is too large for its share of the level costs the others nothing. Only
    the numbers of changed cases decide that, never which way they changed, so the level holds.
    """
    smallest = {name: min(1.0, 2.0 ** (1 - changed[name])) for name in p_values}
    for tests in range(1, len(p_values) + 1):
        able = [name for name, least in smallest.items() if least <= level / tests]
        if len(able) <= tests:
            break
    else:
        able = []
    corrected = holm({name: p_values[name] for name in able})
    return {name: corrected.get(name) for name in p_values}


def mcnemar(rose: int, fell: int) -> ChangeTest:
    """The exact two-sided test of McNemar (1947), from how many cases have the outcome in B only and in A only."""
    changed = rose + fell
    tail = binomial_at_most(np.array([float(min(rose, fell))]), np.array([float(changed)]), 0.5)[0]
    return ChangeTest(min(1.0, max(2 * float(tail), _SMALLEST)), "exact McNemar", changed)


def sign_flip(differences: ArrayLike) -> ChangeTest:
    """The two-sided sign-flip permutation test of a sum of differences (Fisher 1935, section 21).

    The p-value is the share of all ways to flip the signs that give a sum at least as far from 0. It is exact where
    that can be counted: by convolution for multiples of a common fraction (means over a few replies are), else up to 16
    cases that changed. Where the sum has the weight of 1,000 equal cases or more it is the normal limit. Otherwise it
    comes from random draws, as (b + 1) / (m + 1) (Phipson and Smyth 2010). Raises ValueError for NaN and infinity.
    """
    numbers = np.asarray(differences, dtype=np.float64)
    refuse_missing(numbers)
    changed = numbers[np.abs(numbers) > 1e-12]
    if not (count := len(changed)):
        return ChangeTest(1.0, "exact sign flip", 0)
    if (steps := _as_steps(changed)) is not None:
        return ChangeTest(_by_convolution(steps), "exact sign flip", count)
    if count <= _MAX_ENUMERATED:
        return ChangeTest(_by_enumeration(changed), "exact sign flip", count)
    squares = changed**2
    if float(squares @ squares) <= _SHARE_OF_ONE * float(squares.sum()) ** 2:
        tail = normal_probability(-abs(float(changed.sum())) / sqrt(float(changed @ changed)))
        return ChangeTest(min(1.0, max(2 * tail, _SMALLEST)), "sign flip, normal limit", count)
    return ChangeTest(_by_draws(changed), f"sign flip, {DRAWS} draws", count)


def changed_test(pairs: Pairs) -> ChangeTest:
    """Whether a figure changed: exact McNemar where there is one outcome for each case, else sign flips."""
    differences = pairs.differences
    if pairs.one_outcome:
        return mcnemar(int(np.count_nonzero(differences > 0)), int(np.count_nonzero(differences < 0)))
    return sign_flip(differences)


def _as_steps(numbers: FloatArray) -> NDArray[np.int64] | None:
    """The numbers as multiples of a common fraction; ``None`` where there is none or counting takes too long."""
    if len(numbers) ** 2 > _MAX_STEPS:
        return None
    for denominator in range(1, _MAX_DENOMINATOR + 1):
        scaled = numbers * denominator
        whole = np.rint(scaled)
        if np.all(np.abs(scaled - whole) < 1e-6):
            steps: NDArray[np.int64] = whole.astype(np.int64)
            steps //= np.gcd.reduce(steps)
            return steps if len(steps) * int(np.abs(steps).sum()) <= _MAX_STEPS else None
    return None


def _by_convolution(steps: NDArray[np.int64]) -> float:
    sizes, seen = np.abs(steps), int(abs(steps.sum()))
    if seen == 0:
        return 1.0
    # The sum is twice that of the sizes with a plus sign, less that of all sizes. Its two tails are equal.
    reach, top = (int(sizes.sum()) - seen) // 2, 0
    ways = np.zeros(reach + 1)
    ways[0] = 1.0
    for place, size in enumerate(np.sort(sizes).tolist(), start=1):
        top = min(reach, top + size)
        if size <= top:
            ways[size : top + 1] += ways[: top + 1 - size]
        if place % _HALVED_TOGETHER == 0:
            ways[: top + 1] *= 0.5**_HALVED_TOGETHER
    share = float(ways.sum()) * 0.5 ** (len(sizes) % _HALVED_TOGETHER)
    return min(1.0, max(2 * share, _SMALLEST))


def _by_enumeration(numbers: FloatArray) -> float:
    signs = 1.0 - 2.0 * ((np.arange(2 ** len(numbers))[:, None] >> np.arange(len(numbers))) & 1)
    return float(np.mean(_as_far(signs @ numbers, numbers)))


def _by_draws(numbers: FloatArray) -> float:
    """The number of plus signs among differences of the same size is binomial, so it is drawn at once."""
    source = np.random.default_rng(SEED)
    sizes, counts = np.unique(np.abs(numbers), return_counts=True)
    rows = max(1, _CELLS_AT_ONCE // len(sizes))
    as_far = 0
    for start in range(0, DRAWS, rows):
        up = source.binomial(counts, 0.5, size=(min(rows, DRAWS - start), len(sizes)))
        as_far += int(np.count_nonzero(_as_far((2.0 * up - counts) @ sizes, numbers)))
    return (as_far + 1) / (DRAWS + 1)


def _as_far(sums: FloatArray, numbers: FloatArray) -> BoolArray:
    """Which sums are at least as far from 0 as the observed one, up to rounding."""
    seen, slack = abs(float(numbers.sum())), 1e-9 * float(np.abs(numbers).sum())
    return np.asarray(np.abs(sums) >= (0.0 if isclose(seen, 0.0, abs_tol=slack) else seen - slack))
