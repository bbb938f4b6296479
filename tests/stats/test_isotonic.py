"""Monotone maps, against scikit-learn, and what they gain."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.isotonic import IsotonicRegression
from tests.stats.ratings import Numbers, both, pairs

from iamhumans.stats import map_gain, monotone_map


@given(pairs(levels=8), st.data())
def test_the_map_is_that_of_scikit_learn(pair: tuple[Numbers, Numbers], data: st.DataObject) -> None:
    weights = np.array(data.draw(st.lists(st.integers(1, 5), min_size=len(pair[0]), max_size=len(pair[0]))), float)
    judge, people = both(*pair)
    if not len(judge):
        return
    there = ~(np.isnan(pair[0]) | np.isnan(pair[1]))
    found = monotone_map(*pair, weights=weights)
    reference = IsotonicRegression(out_of_bounds="nan").fit(judge, people, sample_weight=weights[there])
    at = np.linspace(judge.min(), judge.max(), 9)
    assert found.of_all(at) == pytest.approx(reference.predict(at), abs=1e-9)


@given(pairs(levels=8, missing=False))
def test_the_map_never_falls(pair: tuple[Numbers, Numbers]) -> None:
    assert list(monotone_map(*pair).people) == sorted(monotone_map(*pair).people)


@pytest.mark.parametrize("value", [3.9, 8.1])
def test_the_map_says_nothing_outside_the_range_seen(value: float) -> None:
    found = monotone_map([4, 6, 8], [2, 5, 9])
    assert found(value) is None
    assert np.isnan(found.of_all(np.array([value]))).all()


def test_between_two_values_the_map_is_straight() -> None:
    assert monotone_map([4, 8], [2, 6])(5) == 3


def test_a_map_of_nothing_says_nothing() -> None:
    assert monotone_map([], [])(5) is None
    assert np.isnan(monotone_map([], []).of_all(np.array([5.0]))).all()


def test_a_judge_that_is_two_points_too_kind_gains_two_points() -> None:
    source = np.random.default_rng(1)
    people = source.integers(2, 8, 80).astype(float)
    found = map_gain(people + 2, people, [str(one) for one in range(80)])
    assert found.raw_error == pytest.approx(2)
    assert found.gain.value == pytest.approx(2, abs=0.1)


def test_a_judge_that_is_right_but_for_noise_gains_nothing() -> None:
    source = np.random.default_rng(2)
    meant = source.normal(6, 2, 100)
    judge, people = meant + source.normal(0, 0.5, 100), meant + source.normal(0, 0.5, 100)
    gain = map_gain(judge, people, [str(one) for one in range(100)]).gain
    assert gain.low is not None
    assert gain.low < 0


def test_nine_cases_are_too_few_for_a_map_to_be_tried() -> None:
    found = map_gain([1.0] * 18, [2.0] * 18, [str(one % 9) for one in range(18)])
    assert found.gain.value is None
    assert "A map needs at least 10 cases with labels; there are 9" in (found.gain.withheld or "")
