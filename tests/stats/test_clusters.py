"""Shares of replies in clusters: a ratio of two sums, against hand-computed values and a second formula."""

from __future__ import annotations

from fractions import Fraction
from math import sqrt

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from iamhumans.stats import Cases, clustered_rate, mean_of, rate_of, split_totals, two_part

# Three clusters: 4 replies with 3 YES, 2 with 1, 2 with 0. The share is 4 of 8. The residuals y - n/2 are 1, 0, -1, so
# the variance of the share is 3 / 2 * (1 + 0 + 1) / 8 ** 2 = 3 / 64.
IDS = ["a"] * 4 + ["b"] * 2 + ["c"] * 2
YES = [1, 1, 1, 0, 1, 0, 0, 0]


def test_the_share_and_its_error_are_those_computed_by_hand() -> None:
    found = Cases.of(IDS, by_reply=True).means(YES)

    assert found.mean == 0.5
    assert found.standard_error == pytest.approx(sqrt(Fraction(3, 64)))


def test_a_long_conversation_weighs_as_many_replies_as_it_has() -> None:
    ids, values = ["hi"] * 50 + [f"c{number}" for number in range(50)], [1] * 50 + [0] * 50

    assert rate_of(Cases.of(ids, by_reply=True).means(values)).value == 0.5
    assert rate_of(Cases.of(ids).means(values)).value == pytest.approx(1 / 51)


def test_replies_that_repeat_each_other_do_not_narrow_the_interval() -> None:
    outcomes = [1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0]
    once = rate_of(Cases.of([str(one) for one in range(12)], by_reply=True).means(outcomes))
    ten_times = rate_of(
        Cases.of([str(one) for one in range(12) for _ in range(10)], by_reply=True).means(
            [one for one in outcomes for _ in range(10)]
        )
    )

    assert ten_times.value == once.value
    widths = [(one.high or 0.0) - (one.low or 0.0) for one in (once, ten_times)]
    assert widths[1] >= 0.9 * widths[0] > 0


CLUSTERED = st.lists(
    st.tuples(st.integers(1, 6), st.integers(0, 6)).map(lambda one: (one[0], min(one))), min_size=6, max_size=30
)


@given(CLUSTERED)
def test_the_rate_is_that_of_the_clustered_rate_of_labels(clusters: list[tuple[int, int]]) -> None:
    assume(any(size > 1 for size, _ in clusters))
    ids = [str(place) for place, (size, _) in enumerate(clusters) for _ in range(size)]
    yes = [float(number < count) for size, count in clusters for number in range(size)]
    one, other = rate_of(Cases.of(ids, by_reply=True).means(yes)), clustered_rate(yes, ids)

    assert (one.value, one.low, one.high) == pytest.approx((other.value, other.low, other.high))


@given(CLUSTERED)
def test_the_error_is_near_that_of_leaving_out_one_cluster_at_a_time(clusters: list[tuple[int, int]]) -> None:
    """The jackknife is another way to the same variance; both agree to first order (Wolter 2007, section 4.5)."""
    sizes, yes = (np.array([start + one[place] for one in clusters], dtype=float) for place, start in enumerate((4, 1)))
    ids = [str(place) for place, size in enumerate(sizes) for _ in range(int(size))]
    values = [float(number < count) for size, count in zip(sizes, yes, strict=True) for number in range(int(size))]
    without = (yes.sum() - yes) / (sizes.sum() - sizes)
    jackknife = sqrt((len(sizes) - 1) * float(np.mean((without - yes.sum() / sizes.sum()) ** 2)))

    assert Cases.of(ids, by_reply=True).means(values).standard_error == pytest.approx(jackknife, rel=0.2, abs=1e-9)


def test_means_and_totals_go_over_replies() -> None:
    cases = Cases.of(["a"] * 6 + ["b", "c", "d", "e"], by_reply=True)
    totals = [60] * 6 + [90, 100, 80, 100]
    parts = two_part(split_totals(cases, [False] * 10, totals))

    assert mean_of(cases.means(totals)).value == parts.mean.value == pytest.approx(73)


def test_one_reply_in_each_cluster_is_the_same_as_cases() -> None:
    ids, values = [str(one) for one in range(20)], [70.0 + one for one in range(20)]

    clustered, plain = mean_of(Cases.of(ids, by_reply=True).means(values)), mean_of(Cases.of(ids).means(values))
    assert (clustered.value, clustered.low, clustered.high) == pytest.approx((plain.value, plain.low, plain.high))
