"""Thresholds."""

from __future__ import annotations

import pytest

from iamhumans.stats import Estimate, settle


def bounds(low: float | None, high: float | None, *, one_sided: bool = True) -> Estimate:
    return Estimate(90, low, high, 40, "test", one_sided=one_sided)


@pytest.mark.parametrize(
    ("threshold", "at_least", "expected"),
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
def test_a_threshold_is_settled_where_the_bound_is_clear_of_it(threshold: float, at_least: bool, expected: str) -> None:
    assert settle(bounds(85, 95), threshold, at_least=at_least) == expected


def test_without_bounds_nothing_is_settled() -> None:
    assert settle(bounds(None, None), 1, at_least=True) == "open"


def test_a_two_sided_interval_settles_nothing() -> None:
    with pytest.raises(ValueError, match="one_sided"):
        settle(bounds(85, 95, one_sided=False), 80, at_least=True)
