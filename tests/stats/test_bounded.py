"""Bounds of a bounded mean."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from iamhumans.stats.bounded import bounded_high, bounded_low, weighted_at_most

shares = st.lists(st.floats(0, 1), min_size=1, max_size=40)


@pytest.mark.parametrize(("count", "of"), [(1, 5), (3, 20), (27, 28), (40, 1000), (300, 10_000), (0, 30), (30, 30)])
@pytest.mark.parametrize("miss", [0.05, 0.0125, 0.001])
def test_for_yes_and_no_they_are_those_of_clopper_and_pearson(count: int, of: int, miss: float) -> None:
    values = np.repeat([1.0, 0.0], [count, of - count])
    expected = binomtest(count, of).proportion_ci(1 - 2 * miss, "exact")
    assert bounded_low(values, miss) == pytest.approx(expected.low, abs=1e-9)
    assert bounded_high(values, miss) == pytest.approx(expected.high, abs=1e-9)


def test_equal_values_leave_room_for_what_was_not_drawn() -> None:
    assert bounded_low(np.full(28, 0.5), 0.05) == pytest.approx(0.5 * 0.05 ** (1 / 28))


def test_the_probability_is_that_of_random_weights() -> None:
    sizes = np.array([0.1, 0.4, 0.9, 1.0])
    weights = np.random.default_rng(1).dirichlet([3, 1, 2, 1], size=400_000)
    for bound in (0.2, 0.45, 0.7):
        expected = float(np.mean(weights @ sizes <= bound))
        assert weighted_at_most(sizes, [3, 1, 2, 1], bound) == pytest.approx(expected, abs=0.004)


@given(shares)
def test_a_lower_bound_is_below_the_mean_and_an_upper_one_above(values: list[float]) -> None:
    assert -1e-9 <= bounded_low(values, 0.05) <= np.mean(values) + 1e-9
    assert np.mean(values) - 1e-9 <= bounded_high(values, 0.05) <= 1 + 1e-9


@given(shares, st.integers(0, 39), st.floats(0, 1))
def test_a_larger_value_never_lowers_the_bound(values: list[float], place: int, more: float) -> None:
    larger = list(values)
    place %= len(values)
    larger[place] = max(larger[place], more)
    assert bounded_low(larger, 0.05) >= bounded_low(values, 0.05) - 1e-7


@pytest.mark.parametrize("values", [[], [1.2], [-0.1], [float("nan")]])
def test_what_is_not_from_0_to_1_is_refused(values: list[float]) -> None:
    with pytest.raises(ValueError, match=r"from 0 to 1|infinite"):
        bounded_low(values, 0.05)
