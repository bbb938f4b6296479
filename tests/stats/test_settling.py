"""Thresholds and margins."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iamhumans.stats import Estimate, no_worse, settle


def bounds(low: float | None, high: float | None, *, one_sided: bool = True) -> Estimate:
    return Estimate(90, low, high, 40, "test", one_sided=one_sided)


@pytest.mark.parametrize(
    ("threshold", "at_least", "wanted"),
    [
        (80, True, "met"),
        (85, True, "met"),
        (90, True, "open"),
        (96, True, "missed"),
        (80, False, "missed"),
        (90, False, "open"),
        (95, False, "met"),
        (96, False, "met"),
    ],
)
def test_a_threshold_is_settled_where_the_bound_is_clear_of_it(threshold: float, at_least: bool, wanted: str) -> None:
    assert settle(bounds(85, 95), threshold, at_least=at_least) == wanted


def test_without_bounds_nothing_is_settled() -> None:
    assert settle(bounds(None, None), 1, at_least=True) == "open"


def test_a_two_sided_interval_settles_nothing() -> None:
    with pytest.raises(ValueError, match="one_sided"):
        settle(bounds(85, 95, one_sided=False), 80, at_least=True)


@pytest.mark.parametrize(
    ("low", "high", "margin", "wanted"),
    [(-1, 3, 2, "met"), (-3, 3, 2, "open"), (-9, -3, 2, "missed"), (0.5, 3, 0, "met"), (-0.5, 3, 0, "open")],
)
def test_b_is_no_worse_where_its_worst_lies_within_it(low: float, high: float, margin: float, wanted: str) -> None:
    assert no_worse(bounds(low, high), margin, higher_is_better=True) == wanted


@given(st.floats(-9, 9), st.floats(0, 9), st.floats(0, 9))
def test_a_rate_of_failures_is_the_mirror_image(low: float, width: float, margin: float) -> None:
    up = no_worse(bounds(low, low + width), margin, higher_is_better=True)

    assert no_worse(bounds(-low - width, -low), margin, higher_is_better=False) == up


@pytest.mark.parametrize("margin", [-1, float("nan")])
def test_a_margin_below_zero_is_refused(margin: float) -> None:
    with pytest.raises(ValueError, match="0 or more"):
        no_worse(bounds(0, 1), margin, higher_is_better=True)
