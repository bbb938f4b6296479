"""A figure as a function of how much each unit counts.

Sampling weights, cluster bootstrap and jackknife all ask one thing of a figure: what would it be if the units counted
otherwise. So each figure of agreement is a :class:`Measure` that answers for many weightings at once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from iamhumans.stats.quantiles import FloatArray, IntArray

BoolArray = NDArray[np.bool_]
At = Callable[[FloatArray], FloatArray]
"""From weights, a row for each weighting, to the figure of each row; NaN where it is undefined."""
Values = ArrayLike | Sequence[float | None]
"""Numbers, with NaN or ``None`` where one is missing."""
Table = ArrayLike | Sequence[Sequence[float | None]]
"""A row of :data:`Values` for each unit."""

_MOST_NUMBERS = 4_000_000
"""So many numbers are held at once while very many weightings are gone through."""
_NOTHING = 1e-12


@dataclass(frozen=True, eq=False)
class Measure:
    """A figure over units, most often replies.

    Attributes:
        at: The figure, from weights with a column for each unit.
        weights: How much each unit counts: 0 for one that takes no part, 1 on average for the others.
        undefined: Why there is no figure, where there is none, as a sentence.
        numbers_a_unit: How many numbers ``at`` holds for each unit of a row, to keep memory within bounds.
        by_cluster: A shorter way where whole clusters count otherwise: from the cluster of each unit and their number
            to a figure of how often each cluster counts. ``None`` where there is none.
    """

    at: At
    weights: FloatArray
    undefined: str
    numbers_a_unit: int = 1
    by_cluster: Callable[[IntArray, int], At] | None = None

    @property
    def units(self) -> int:
        """How many units take part."""
        return int(np.count_nonzero(self.weights))

    @cached_property
    def value(self) -> float | None:
        """The figure; ``None`` where :attr:`reason` says why there is none."""
        if not self.units:
            return None
        found = float(self.at(self.weights[np.newaxis, :])[0])
        return found if np.isfinite(found) else None

    @property
    def reason(self) -> str | None:
        """Why there is no figure; ``None`` where there is one."""
        return self.undefined if self.value is None else None

    def of_clusters(self, clusters: IntArray, count: int) -> At:
        """From how often each cluster counts, a row for each draw and a column for each cluster, to the figure.

        Args:
            clusters: The number of the cluster of each unit; of one that takes no part it does not matter.
            count: How many clusters there are.
        """
        return self.by_cluster(clusters, count) if self.by_cluster else lambda rows: self._under(rows, clusters)

    def _under(self, rows: FloatArray, clusters: IntArray) -> FloatArray:
        at_once = max(1, _MOST_NUMBERS // max(1, len(self.weights) * self.numbers_a_unit))
        pieces = [
            self.at(rows[start : start + at_once][:, clusters] * self.weights) for start in range(0, len(rows), at_once)
        ]
        return np.concatenate(pieces) if pieces else np.empty(0)


def unit_weights(weights: ArrayLike | None, takes_part: BoolArray) -> FloatArray:
    """The weights of units, 1 on average over those that take part and 0 for the others.

    Only their proportions say anything: a weight is the inverse of the chance with which a unit was drawn.

    Raises:
        ValueError: Another number of weights than of units, or one that is negative, NaN or infinite.
    """
    given = np.ones(len(takes_part)) if weights is None else np.asarray(weights, dtype=np.float64)
    if given.shape != takes_part.shape:
        raise ValueError(f"There are {len(takes_part)} units, and {given.size} weights for them.")
    if not np.all(np.isfinite(given)) or np.any(given < 0):
        raise ValueError("A weight is a number of 0 or more.")
    kept = np.where(takes_part, given, 0.0)
    counted = np.count_nonzero(kept)
    return kept * (counted / kept.sum()) if counted else kept


def additive(parts: FloatArray, weights: FloatArray, finish: At, undefined: str) -> Measure:
    """A measure that follows from weighted sums over the units.

    Args:
        parts: What each unit adds, a row for each; rows of units that take no part may hold anything finite.
        weights: Those of :func:`unit_weights`.
        finish: From sums, a row for each weighting, to the figure of each row.
        undefined: Why there is no figure, where there is none.
    """

    def by_cluster(clusters: IntArray, count: int) -> At:
        # Sums add up, so each cluster is summed once, however often it is drawn.
        sums = np.zeros((count, parts.shape[1]))
        np.add.at(sums, clusters, weights[:, np.newaxis] * parts)
        return lambda rows: finish(rows @ sums)

    return Measure(lambda rows: finish(rows @ parts), weights, undefined, by_cluster=by_cluster)


def numbers(values: Values | Table) -> FloatArray:
    """Numbers with NaN for what is missing; ``None`` counts as missing too.

    Raises:
        ValueError: An infinite number.
    """
    anything: Any = values
    found = np.asarray(anything, dtype=np.float64)
    if np.any(np.isinf(found)):
        raise ValueError("Infinity is no value.")
    return found


def paired(first: Values, second: Values) -> tuple[FloatArray, FloatArray, BoolArray]:
    """Two series side by side, and where both have a value; what is missing comes back as 0.

    Raises:
        ValueError: They are not equally long.
    """
    a, b = numbers(first), numbers(second)
    if a.shape != b.shape or a.ndim != 1:
        raise ValueError(f"There are {a.size} values on one side and {b.size} on the other.")
    both = ~(np.isnan(a) | np.isnan(b))
    return np.where(both, a, 0.0), np.where(both, b, 0.0), both


def coded(values: FloatArray, where: BoolArray) -> tuple[FloatArray, IntArray]:
    """The distinct values, ascending, and for each value its place among them; 0 where it does not count."""
    levels, places = np.unique(values[where], return_inverse=True)
    codes = np.zeros(values.shape, dtype=np.intp)
    codes[where] = places.reshape(-1)
    return levels, codes


def indicator(codes: IntArray, levels: int, where: BoolArray) -> FloatArray:
    """A row for each unit with a 1 in the column of its level; all 0 where it does not count."""
    found = np.zeros((len(codes), levels))
    found[np.flatnonzero(where), codes[where]] = 1.0
    return found


def ratio(above: FloatArray, below: FloatArray) -> FloatArray:
    """One over the other; NaN where nothing but rounding stands below."""
    with np.errstate(divide="ignore", invalid="ignore"):
        found: FloatArray = np.where(np.abs(below) > _NOTHING, above / below, np.nan)
    return found


def middles(shares: FloatArray) -> FloatArray:
    """For each level how much lies below it, with half of its own: the middle rank, for each row of weighted counts."""
    found: FloatArray = np.cumsum(shares, axis=1) - shares / 2
    return found
