"""A monotone map from a judge's values to people's: the judge's order is kept, its scale is not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from iamhumans.stats.cases import Cases
from iamhumans.stats.clusters import SEED, cluster_interval
from iamhumans.stats.estimate import LEVEL, Estimate
from iamhumans.stats.measure import Values, additive, paired, ratio, unit_weights
from iamhumans.stats.quantiles import FloatArray

FOLDS = 10
_LEAST_CASES = 10
"""Below this many cases a map follows single cases."""


@dataclass(frozen=True, slots=True)
class MonotoneMap:
    """A map that never falls. Between two values that were seen it is straight; beyond those seen it says nothing."""

    judge: tuple[float, ...]
    """Values of the judge, ascending."""
    people: tuple[float, ...]
    """What people give on average where the judge gives these, never falling."""

    def __call__(self, value: float) -> float | None:
        """The value that people would give; ``None`` outside the range that labels were seen for."""
        if not self.judge or not self.judge[0] <= value <= self.judge[-1]:
            return None
        return float(np.interp(value, self.judge, self.people))

    def of_all(self, values: FloatArray) -> FloatArray:
        """The same for many values, NaN outside the range."""
        if not self.judge:
            return np.full(len(values), np.nan)
        return np.asarray(np.interp(values, self.judge, self.people, left=np.nan, right=np.nan), dtype=np.float64)


def monotone_map(judge: Values, people: Values, *, weights: ArrayLike | None = None) -> MonotoneMap:
    """The never-falling map with the least weighted squared error: isotonic regression, by pooling adjacent violators.

    Ayer et al. (1955); Barlow, Bartholomew, Bremner and Brunk (1972), section 1.2. Units with the same value of the
    judge are one point, at their weighted mean.

    Args:
        judge: The judge's values, NaN or ``None`` where missing.
        people: People's values of the same units.
        weights: How much each unit counts.
    """
    x, y, both = paired(judge, people)
    kept = unit_weights(weights, both)
    part = kept > 0
    levels, codes = np.unique(x[part], return_inverse=True)
    sizes = np.bincount(codes, weights=kept[part], minlength=len(levels))
    means = np.bincount(codes, weights=(kept * y)[part], minlength=len(levels)) / np.where(sizes > 0, sizes, 1.0)
    blocks: list[tuple[float, float, int]] = []
    for mean, size in zip(means.tolist(), sizes.tolist(), strict=True):
        blocks.append((mean, size, 1))
        while len(blocks) > 1 and blocks[-2][0] >= blocks[-1][0]:
            (first, of_first, n), (second, of_second, m) = blocks[-2:]
            whole = of_first + of_second
            blocks[-2:] = [((first * of_first + second * of_second) / whole, whole, n + m)]
    fitted = [mean for mean, _, length in blocks for _ in range(length)]
    return MonotoneMap(tuple(levels.tolist()), tuple(fitted))


@dataclass(frozen=True, slots=True)
class MapGain:
    """What a map is worth on cases that it has not seen."""

    raw_error: float | None
    """How far the judge's own values are from people's, on average."""
    mapped_error: float | None
    gain: Estimate
    """Raw less mapped: above 0 the map helps."""


def map_gain(
    judge: Values,
    people: Values,
    clusters: Sequence[str],
    *,
    weights: ArrayLike | None = None,
    level: float = LEVEL,
    seed: int = SEED,
) -> MapGain:
    """How much nearer to people a map brings the judge, by cross-validation over cases.

    Cases are dealt into ten parts; each part is mapped by what was fitted on the others (Stone 1974), and the mean
    absolute error is compared with that of the raw value. Where the map says nothing the raw value stands. The interval
    is the cluster bootstrap of the mean gain; it takes the maps as they are. Withheld below ten cases, which a map
    would follow one by one.

    Args:
        judge: The judge's values, NaN or ``None`` where missing.
        people: People's values of the same units.
        clusters: The case of each unit.
        weights: How much each unit counts.
        level: Of the interval.
        seed: Deals the cases out.
    """
    x, y, both = paired(judge, people)
    kept = unit_weights(weights, both)
    part = np.flatnonzero(kept > 0)
    codes = Cases.of([clusters[place] for place in part.tolist()]).codes
    count = int(codes.max()) + 1 if len(codes) else 0
    if count < _LEAST_CASES:
        reason = (
            f"A map needs {_LEAST_CASES} cases with labels at least; there {'is' if count == 1 else 'are'} {count}."
        )
        return MapGain(None, None, Estimate(None, None, None, count, "cross-validation", level, withheld=reason))
    fold_of_case = np.random.default_rng(seed).permutation(count) % min(FOLDS, count)
    fold = fold_of_case[codes]
    mapped = x.copy()
    for one in range(int(fold.max()) + 1):
        held, rest = part[fold == one], part[fold != one]
        fitted = monotone_map(x[rest], y[rest], weights=kept[rest]).of_all(x[held])
        mapped[held] = np.where(np.isnan(fitted), x[held], fitted)
    raw, after = np.abs(x - y), np.abs(mapped - y)
    parts = np.column_stack([raw - after, np.ones(len(x))])
    mean = additive(parts, kept, lambda sums: ratio(sums[:, 0], sums[:, 1]), "There is nothing to map.")
    total = kept.sum()
    return MapGain(
        float(kept @ raw / total), float(kept @ after / total), cluster_interval(mean, clusters, level=level, seed=seed)
    )
