"""The cluster bootstrap: intervals of any statistic over units in clusters, such as replies of the same case.

Errors cluster by case, so cases are drawn and not replies. The interval takes percentiles (Davison and Hinkley 1997,
section 3.8). With few clusters that is too short, so the percentiles are moved outwards by Student's t (Hesterberg
2015, "expanded percentile"). Rates use :func:`iamhumans.stats.clustered_rate`: every draw of 12 out of 12 is 100 %.
"""

from collections.abc import Sequence
from functools import lru_cache
from math import sqrt
from typing import Literal

import numpy as np

from iamhumans.stats.estimate import LEVEL, MIN_CASES, Estimate, too_few_cases
from iamhumans.stats.measure import Measure, cluster_codes
from iamhumans.stats.quantiles import FloatArray, IntArray, normal_probability, t_quantile

Method = Literal["expanded", "percentile"]

DRAWS = 2_000
SEED = 20_140_310
MAX_CLUSTERS = 2_000
_MAX_UNDEFINED = 0.05
_CELLS_AT_ONCE = 4_000_000


def cluster_bootstrap(
    measure: Measure, clusters: Sequence[str], *, method: Method = "expanded", draws: int = DRAWS
) -> Estimate:
    """A statistic with its cluster bootstrap interval; ``clusters`` is the cluster of each unit, such as its case.

    Each draw takes as many clusters as there are, with replacement. The method ``expanded`` allows for few clusters;
    ``percentile`` is what most studies print. There is no interval below five clusters, where all draws give the same
    value, or where the statistic is undefined in more than 5 % of draws.
    """
    codes, count = cluster_codes(clusters, measure.weights)
    name = "cluster bootstrap, expanded percentiles" if method == "expanded" else "cluster bootstrap, percentiles"

    def without(reason: str) -> Estimate:
        return Estimate(measure.value, None, None, count, name, withheld=reason)

    if measure.value is None:
        return without(measure.undefined)
    if count < MIN_CASES:
        return without(too_few_cases(count))
    groups = min(count, MAX_CLUSTERS)
    if groups < count:  # in random groups of clusters, since more take minutes (Wolter 2007, chapter 2)
        codes = (np.random.default_rng(SEED).permutation(count) % groups)[codes]
    found = _bootstrap(measure, codes, groups, draws)
    defined = found[np.isfinite(found)]
    if len(defined) < (1 - _MAX_UNDEFINED) * draws:
        return without("The figure is undefined in more than 5 % of draws of these cases: too few contribute to it.")
    if float(np.ptp(defined)) <= 1e-12:
        return without("Every draw of these cases gives the same figure, so they do not show how others would differ.")
    miss = (1 - LEVEL) / 2
    if method == "expanded":
        miss = normal_probability(t_quantile(miss, count - 1) * sqrt(count / (count - 1)))
    low, high = (float(one) for one in np.quantile(defined, [miss, 1 - miss]))
    return Estimate(measure.value, min(low, measure.value), max(high, measure.value), count, name)


def _bootstrap(measure: Measure, codes: IntArray, count: int, draws: int) -> FloatArray:
    statistic = measure.of_clusters(codes, count)
    at_once = max(1, _CELLS_AT_ONCE // count)
    if draws <= at_once:
        return statistic(_first_draws(count, draws))
    source = np.random.default_rng(SEED)
    sizes = [min(at_once, draws - start) for start in range(0, draws, at_once)]
    return np.concatenate([statistic(_draws(source, count, size)) for size in sizes])


@lru_cache(maxsize=4)
def _first_draws(count: int, draws: int) -> FloatArray:
    """The draws, shared by all figures over the same number of clusters."""
    return _draws(np.random.default_rng(SEED), count, draws)


def _draws(source: np.random.Generator, count: int, draws: int) -> FloatArray:
    drawn = source.integers(count, size=(draws, count)) + count * np.arange(draws)[:, np.newaxis]
    return np.bincount(drawn.ravel(), minlength=draws * count).reshape(draws, count).astype(np.float64)
