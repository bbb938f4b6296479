"""A statistic as a function of the weights of its units, for sampling weights and the cluster bootstrap."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from iamhumans.stats.cases import Cases
from iamhumans.stats.quantiles import BoolArray, FloatArray, IntArray

# From weights, one row for each set, to the statistic of each row; NaN where it is undefined.
At = Callable[[FloatArray], FloatArray]
# Numbers, with NaN or None where one is missing; and a row of them for each unit.
Values = ArrayLike | Sequence[float | None]
Table = ArrayLike | Sequence[Sequence[float | None]]

_CELLS_AT_ONCE = 4_000_000
_ZERO = 1e-12


@dataclass(frozen=True, eq=False)
class Measure:
    """A statistic over units, usually replies."""

    at: At  # from weights with a column for each unit
    weights: FloatArray  # those of :func:`unit_weights`
    undefined: str  # why the statistic is undefined, if it is
    numbers_a_unit: int = 1  # how many numbers ``at`` holds for each unit of a row, to bound memory
    by_cluster: Callable[[IntArray, int], At] | None = None  # a faster :meth:`of_clusters`

    @property
    def units(self) -> int:
        """The number of units that are not left out."""
        return int(np.count_nonzero(self.weights))

    @cached_property
    def value(self) -> float | None:
        """The statistic; ``None`` where it is undefined."""
        found = float(self.at(self.weights[np.newaxis, :])[0]) if self.units else np.nan
        return found if np.isfinite(found) else None

    @property
    def reason(self) -> str | None:
        """Why the statistic is undefined; ``None`` where it has a value."""
        return self.undefined if self.value is None else None

    def of_clusters(self, clusters: IntArray, count: int) -> At:
        """The statistic from how often each of ``count`` clusters counts, one row for each draw."""
        if self.by_cluster:
            return self.by_cluster(clusters, count)
        at_once = max(1, _CELLS_AT_ONCE // max(1, len(self.weights) * self.numbers_a_unit))

        def at(rows: FloatArray) -> FloatArray:
            starts = range(0, len(rows), at_once)
            parts = [self.at(rows[start : start + at_once][:, clusters] * self.weights) for start in starts]
            return np.concatenate(parts) if parts else np.empty(0)

        return at


def unit_weights(weights: ArrayLike | None, takes_part: BoolArray) -> FloatArray:
    """Inverse probabilities of a draw, scaled to 1 on average over the units that take part, and 0 for the others."""
    given = np.ones(len(takes_part)) if weights is None else np.asarray(weights, dtype=np.float64)
    if given.shape != takes_part.shape:
        raise ValueError(f"There are {len(takes_part)} units and {given.size} weights.")
    if not np.all(np.isfinite(given)) or np.any(given < 0):
        raise ValueError("A weight is a number of 0 or more.")
    used = np.where(takes_part, given, 0.0)
    counted = np.count_nonzero(used)
    return used * (counted / used.sum()) if counted else used


def additive(parts: FloatArray, weights: FloatArray, finish: At, undefined: str) -> Measure:
    """A measure that is a function (``finish``) of weighted sums of what each unit adds (a row of ``parts``)."""

    def by_cluster(clusters: IntArray, count: int) -> At:
        # Each cluster is summed once, however often it is drawn.
        sums = np.zeros((count, parts.shape[1]))
        np.add.at(sums, clusters, weights[:, np.newaxis] * parts)
        return lambda rows: finish(rows @ sums)

    return Measure(lambda rows: finish(rows @ parts), weights, undefined, by_cluster=by_cluster)


def cluster_codes(clusters: Sequence[str], weights: FloatArray) -> tuple[IntArray, int]:
    """The number of the cluster of each unit, and how many clusters have a unit that takes part."""
    if len(clusters) != len(weights):
        raise ValueError(f"There are {len(weights)} units and {len(clusters)} clusters.")
    part = weights > 0
    used, places = np.unique(Cases.of(clusters).codes[part], return_inverse=True)
    codes = np.zeros(len(weights), dtype=np.intp)
    codes[part] = places
    return codes, len(used)


def numbers(values: Values | Table) -> FloatArray:
    """Numbers as an array, with NaN for what is missing; ValueError where one is infinite."""
    anything: Any = values
    found = np.asarray(anything, dtype=np.float64)
    if np.any(np.isinf(found)):
        raise ValueError("A value is infinite.")
    return found


def paired(first: Values, second: Values) -> tuple[FloatArray, FloatArray, BoolArray]:
    """Two series of one length, with 0 where either is missing, and where both have a value."""
    a, b = numbers(first), numbers(second)
    if a.shape != b.shape or a.ndim != 1:
        raise ValueError(f"There are {a.size} values on one side and {b.size} on the other.")
    both = ~(np.isnan(a) | np.isnan(b))
    return np.where(both, a, 0.0), np.where(both, b, 0.0), both


def coded(values: FloatArray, where: BoolArray) -> tuple[FloatArray, IntArray]:
    """The distinct values in ascending order, and the place of each value among them; 0 where it is left out."""
    levels, places = np.unique(values[where], return_inverse=True)
    codes = np.zeros(values.shape, dtype=np.intp)
    codes[where] = places.reshape(-1)
    return levels, codes


def one_hot(codes: IntArray, levels: int, where: BoolArray) -> FloatArray:
    """A row for each unit with a 1 in the column of its level; all 0 where it is left out."""
    found = np.zeros((len(codes), levels))
    found[np.flatnonzero(where), codes[where]] = 1.0
    return found


def ratio(above: FloatArray, below: FloatArray) -> FloatArray:
    """One over the other; NaN where the denominator is 0 up to rounding."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(np.abs(below) > _ZERO, above / below, np.nan))


def midranks(counts: FloatArray) -> FloatArray:
    """The middle rank of each level: how much is below it, plus half of its own. One row for each set of counts."""
    return np.asarray(np.cumsum(counts, axis=1) - counts / 2)
