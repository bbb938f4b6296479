"""Isotonic regression: a monotone map from a judge's values to people's."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from iamhumans.stats.bootstrap import SEED, cluster_bootstrap
from iamhumans.stats.cases import Cases
from iamhumans.stats.estimate import Estimate
from iamhumans.stats.measure import Values, additive, paired, ratio, unit_weights
from iamhumans.stats.quantiles import FloatArray

FOLDS = 10
_MIN_CASES = 10


@dataclass(frozen=True, slots=True)
class MonotoneMap:
    """A map that never falls: from the judge's values, ascending, to people's. It is linear between observed values."""

    judge: tuple[float, ...]
    people: tuple[float, ...]

    def __call__(self, value: float) -> float | None:
        """The value that people would give; ``None`` outside the range with labels."""
        found = float(self.of_all(np.array([value]))[0])
        return None if np.isnan(found) else found

    def of_all(self, values: FloatArray) -> FloatArray:
        """The same for many values, with NaN outside the range."""
        if not self.judge:
            return np.full(len(values), np.nan)
        return np.asarray(np.interp(values, self.judge, self.people, left=np.nan, right=np.nan), dtype=np.float64)


def monotone_map(judge: Values, people: Values, *, weights: ArrayLike | None = None) -> MonotoneMap:
    """The never-falling map with the least weighted squared error, by pooling adjacent violators.

    Ayer et al. (1955); Barlow, Bartholomew, Bremner and Brunk (1972), section 1.2. Units with the same value of the
    judge count as one point, at their weighted mean. Units that lack a value are left out.
    """
    x, y, both = paired(judge, people)
    weight = unit_weights(weights, both)
    part = weight > 0
    levels, codes = np.unique(x[part], return_inverse=True)
    sizes = np.bincount(codes, weights=weight[part], minlength=len(levels))
    means = np.bincount(codes, weights=(weight * y)[part], minlength=len(levels)) / np.where(sizes > 0, sizes, 1.0)
    blocks: list[tuple[float, float, int]] = []
    for mean, size in zip(means.tolist(), sizes.tolist(), strict=True):
        blocks.append((mean, size, 1))
        while len(blocks) > 1 and blocks[-2][0] >= blocks[-1][0]:
            (first, of_first, n), (second, of_second, m) = blocks[-2:]
            whole = of_first + of_second
            blocks[-2:] = [((first * of_first + second * of_second) / whole, whole, n + m)]
    return MonotoneMap(tuple(levels.tolist()), tuple([mean for mean, _, length in blocks for _ in range(length)]))


@dataclass(frozen=True, slots=True)
class MapGain:
    """The mean absolute error of a judge on cases that the map was not fitted on: raw, mapped, and raw minus mapped."""

    raw_error: float | None
    mapped_error: float | None
    gain: Estimate


def map_gain(judge: Values, people: Values, clusters: Sequence[str], *, weights: ArrayLike | None = None) -> MapGain:
    """How much closer to people a map brings the judge, by ten-fold cross-validation over cases (Stone 1974)."""
    x, y, both = paired(judge, people)
    weight = unit_weights(weights, both)
    part = np.flatnonzero(weight > 0)
    codes = Cases.of([clusters[place] for place in part.tolist()]).codes
    count = int(codes.max()) + 1 if len(codes) else 0
    if count < _MIN_CASES:
        are = "is 1" if count == 1 else f"are {count}"
        reason = f"A map needs at least {_MIN_CASES} cases with labels; there {are}."
        return MapGain(None, None, Estimate(None, None, None, count, "cross-validation", withheld=reason))
    fold = (np.random.default_rng(SEED).permutation(count) % min(FOLDS, count))[codes]
    mapped = x.copy()
    for one in range(int(fold.max()) + 1):
        test, train = part[fold == one], part[fold != one]
        fitted = monotone_map(x[train], y[train], weights=weight[train]).of_all(x[test])
        mapped[test] = np.where(np.isnan(fitted), x[test], fitted)
    raw, after = np.abs(x - y), np.abs(mapped - y)
    parts = np.column_stack([raw - after, np.ones(len(x))])
    mean = additive(parts, weight, lambda sums: ratio(sums[:, 0], sums[:, 1]), "There is nothing to map.")
    gain = cluster_bootstrap(mean, clusters)
    return MapGain(float(weight @ raw / weight.sum()), float(weight @ after / weight.sum()), gain)
