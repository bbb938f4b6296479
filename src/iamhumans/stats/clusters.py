"""Intervals where units come in clusters: replies to the same case, labelled by the same people.

Errors cluster by case, so cases are drawn anew and not replies. Two ways, chosen by simulation
(``docs/calibration.md``):

1. shares (sensitivity, raw agreement ...): the score interval with the number of independent tries that the clusters
   are worth, as for the rates of a run. A bootstrap of 12 out of 12 says 100 % to 100 %; this does not.
2. everything else: the cluster bootstrap by percentiles (Davison and Hinkley 1997, section 3.8), which with few
   clusters is too short, so its percentiles are moved out by Student's t (Hesterberg 2015, "expanded percentile").
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import sqrt
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from iamhumans.stats.cases import Cases
from iamhumans.stats.estimate import LEAST_CASES_FOR_A_SPREAD, LEVEL, Estimate
from iamhumans.stats.intervals import PRIOR_WEIGHT, Worth, rate_of
from iamhumans.stats.measure import Measure, Values, numbers, unit_weights
from iamhumans.stats.quantiles import FloatArray, IntArray, normal_probability, t_quantile

Method = Literal["expanded", "percentile"]

DRAWS = 2_000
SEED = 20_140_310
_MOST_UNDEFINED = 0.05
_HELD_AT_ONCE = 4_000_000
MOST_DRAWN = 2_000
"""More clusters than this are put together before they are drawn."""


def cluster_interval(
    measure: Measure,
    clusters: Sequence[str],
    *,
    level: float = LEVEL,
    method: Method = "expanded",
    draws: int = DRAWS,
    seed: int = SEED,
) -> Estimate:
    """A figure with its cluster bootstrap interval.

    As many clusters as there are, are drawn with replacement, each with all its units and their weights; the figure is
    formed anew, and so on. More than 2,000 clusters are first put together into 2,000 groups by chance. Withheld
    below five clusters, where all draws come out alike, and where the figure is undefined in more than one draw of
    twenty (the few positives are gone from it).

    Args:
        measure: The figure.
        clusters: The cluster of each unit, such as its case.
        level: Of the interval.
        method: ``expanded`` allows for few clusters; ``percentile`` is what studies print, to hold beside theirs.
        draws: How often.
        seed: For the same interval on every machine.

    Raises:
        ValueError: Another number of clusters than of units.
    """
    codes, count = _codes(clusters, measure.weights)
    name = "cluster bootstrap, expanded percentiles" if method == "expanded" else "cluster bootstrap, percentiles"

    def without(reason: str) -> Estimate:
        return Estimate(measure.value, None, None, count, name, level, withheld=reason)

    if measure.value is None:
        return without(measure.undefined)
    if count < LEAST_CASES_FOR_A_SPREAD:
        return without(too_few_clusters(count))
    found = _drawn(measure, *_put_together(codes, count, seed), draws, seed)
    defined = found[np.isfinite(found)]
    if len(defined) < (1 - _MOST_UNDEFINED) * draws:
        return without(
            "In more than one of twenty draws of other cases like these the figure cannot be formed at all: too few"
            " cases carry it."
        )
    if float(np.ptp(defined)) <= 1e-12:
        return without("Every draw of cases gives the same figure: they do not show how far it would move with others.")
    miss = (1 - level) / 2
    if method == "expanded":
        miss = normal_probability(t_quantile(miss, count - 1) * sqrt(count / (count - 1)))
    low, high = (float(one) for one in np.quantile(defined, [miss, 1 - miss]))
    return Estimate(measure.value, min(low, measure.value), max(high, measure.value), count, name, level)


def _put_together(codes: IntArray, count: int, seed: int) -> tuple[IntArray, int]:
    """No more than :data:`MOST_DRAWN` groups of clusters, formed by chance.

    The spread between so many groups of independent clusters tells that of the figure as well as the clusters do (the
    method of random groups: Wolter 2007, chapter 2), and drawing thousands of clusters takes minutes.
    """
    if count <= MOST_DRAWN:
        return codes, count
    groups = np.random.default_rng(seed).permutation(count) % MOST_DRAWN
    return groups[codes], MOST_DRAWN


def _drawn(measure: Measure, codes: IntArray, count: int, draws: int, seed: int) -> FloatArray:
    figure = measure.of_clusters(codes, count)
    at_once = max(1, _HELD_AT_ONCE // count)
    if draws <= at_once:
        return figure(_same_rows(count, draws, seed))
    source = np.random.default_rng(seed)
    return np.concatenate(
        [figure(_rows(source, count, min(at_once, draws - start))) for start in range(0, draws, at_once)]
    )


@lru_cache(maxsize=4)
def _same_rows(count: int, draws: int, seed: int) -> FloatArray:
    """Drawn once for all figures over as many clusters."""
    return _rows(np.random.default_rng(seed), count, draws)


def _rows(source: np.random.Generator, count: int, draws: int) -> FloatArray:
    """How often each cluster is drawn, a row for each draw."""
    drawn = source.integers(count, size=(draws, count)) + count * np.arange(draws)[:, np.newaxis]
    return np.bincount(drawn.ravel(), minlength=draws * count).reshape(draws, count).astype(np.float64)


def _codes(clusters: Sequence[str], weights: FloatArray) -> tuple[IntArray, int]:
    """For each unit the number of its cluster, counting only clusters with a unit that takes part."""
    if len(clusters) != len(weights):
        raise ValueError(f"There are {len(weights)} units, and {len(clusters)} clusters for them.")
    of_all = Cases.of(clusters).codes
    used, places = np.unique(of_all[weights > 0], return_inverse=True)
    codes = np.zeros(len(weights), dtype=np.intp)
    codes[weights > 0] = places
    return codes, len(used)


def too_few_clusters(count: int) -> str:
    """Why there is no interval with so few clusters."""
    cases = "One case is" if count == 1 else f"{count} cases are"
    return f"{cases} too few to say how far the figure would move with other cases; it takes 5 at least."


def clustered_worth(outcomes: Values, clusters: Sequence[str], *, weights: ArrayLike | None = None) -> Worth | None:
    """A share of clustered, weighted units, with how many independent tries they are worth.

    The share is that of the weights. Its variance is the one between clusters (a ratio of two sums, linearised: Kish
    1965, section 6.5); the design effect is that over the variance of independent units of the same unequal weights,
    drawn towards its worst as in :func:`iamhumans.stats.rate_of`, since a few telling clusters show it too low too
    often. With one unit a cluster and equal weights the tries are the units, and intervals are Wilson's own.

    Args:
        outcomes: 1 or 0 for each unit, NaN or ``None`` where missing.
        clusters: The cluster of each unit.
        weights: How much each unit counts.

    Returns:
        ``None`` where no unit has an outcome.
    """
    values = numbers(outcomes)
    kept = unit_weights(weights, ~np.isnan(values))
    codes, count = _codes(clusters, kept)
    if not count:
        return None
    part = kept > 0
    values, kept, codes = values[part], kept[part], codes[part]
    total = float(kept.sum())
    rate = float(kept @ values) / total
    units = total**2 / float(np.sum(kept**2))
    sizes = np.bincount(codes, weights=kept, minlength=count)
    if len(values) == count and float(np.ptp(kept)) < 1e-12:
        return Worth(rate, count, None, count)
    found = np.bincount(codes, weights=kept * values, minlength=count)
    worst = units * float(np.sum(sizes**2)) / total**2
    telling = min(int(np.count_nonzero(found > 1e-12)), int(np.count_nonzero(sizes - found > 1e-12)))
    if telling == 0 or count == 1:
        return Worth(min(1.0, max(0.0, round(rate, 12))), min(count, units / worst), None, count)
    between = float(np.sum((found - rate * sizes) ** 2)) / total**2 * count / (count - 1)
    effect = max(1.0, between * units / (rate * (1 - rate)))
    effect = (telling * effect + PRIOR_WEIGHT * worst) / (telling + PRIOR_WEIGHT)
    return Worth(rate, units / max(1.0, effect), count - 1, count)


def clustered_rate(
    outcomes: Values,
    clusters: Sequence[str],
    *,
    weights: ArrayLike | None = None,
    level: float = LEVEL,
    undefined: str = "There is no answer.",
) -> Estimate:
    """A share of clustered, weighted units with a score interval: Wilson's own where each cluster has one unit.

    Args:
        outcomes: 1 or 0 for each unit, NaN or ``None`` where missing.
        clusters: The cluster of each unit.
        weights: How much each unit counts.
        level: Of the interval.
        undefined: What to say where no unit has an outcome.
    """
    worth = clustered_worth(outcomes, clusters, weights=weights)
    if worth is None:
        return Estimate(None, None, None, 0, "none", level, withheld=undefined)
    values = numbers(outcomes)
    there = unit_weights(weights, ~np.isnan(values)) > 0
    if np.count_nonzero(there) == worth.cases == worth.tries:
        # One outcome a cluster, all of the same weight: the rate of a run, by the same interval.
        return rate_of(Cases.of(clusters).means(np.where(there, values, 0.0), where=there), level=level)
    low, high = worth.bounds(level, one_sided=False)
    return Estimate(worth.rate, low, high, worth.cases, "Wilson, effective number of cases", level)
