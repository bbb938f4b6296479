"""Made-up ratings for tests, with values missing."""

from __future__ import annotations

from math import nan

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

Numbers = NDArray[np.float64]

WEIGHTS = st.integers(1, 5)


def ratings(
    *, levels: int = 5, raters: tuple[int, int] = (2, 4), units: tuple[int, int] = (2, 25), missing: bool = True
) -> st.SearchStrategy[Numbers]:
    """Tables of ratings, a row for each unit."""
    value: st.SearchStrategy[float] = st.integers(0, levels - 1).map(float)
    if missing:
        value = st.one_of(value, value, value, st.just(nan))
    return st.tuples(st.integers(*units), st.integers(*raters)).flatmap(
        lambda shape: st.lists(
            st.lists(value, min_size=shape[1], max_size=shape[1]), min_size=shape[0], max_size=shape[0]
        ).map(np.array)
    )


def pairs(*, levels: int = 5, missing: bool = True) -> st.SearchStrategy[tuple[Numbers, Numbers]]:
    """Two raters."""
    return ratings(levels=levels, raters=(2, 2), missing=missing).map(lambda table: (table[:, 0], table[:, 1]))


def answers(*, missing: bool = True) -> st.SearchStrategy[tuple[Numbers, Numbers]]:
    """YES and NO of two."""
    return pairs(levels=2, missing=missing)


def both(first: Numbers, second: Numbers) -> tuple[Numbers, Numbers]:
    """Where both have a value."""
    there = ~(np.isnan(first) | np.isnan(second))
    return first[there], second[there]


def four_raters_eight_scenarios(seed: int = 5) -> tuple[Numbers, list[str]]:
    """48 units in 8 clusters, rated by up to four on four steps, some ratings missing."""
    source = np.random.default_rng(seed)
    clusters = np.repeat(np.arange(8), 6)
    latent = 0.5 * source.standard_normal(8)[clusters] + source.standard_normal(48)
    noisy = latent[:, np.newaxis] + 0.5 * source.standard_normal((48, 4))
    steps = np.array([-1.0, -0.5, 0.5, 1.0])[np.digitize(noisy, [-0.7, 0.0, 0.7])]
    steps[source.random((48, 4)) < 0.1] = nan
    return steps, [f"scenario-{one}" for one in clusters]
