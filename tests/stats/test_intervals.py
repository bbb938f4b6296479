"""Rates and means with intervals, against SciPy, statsmodels and published tables."""

from __future__ import annotations

import math
from collections.abc import Callable
from random import Random
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as scipy_stats
from statsmodels.stats.proportion import proportion_confint
from tests.stats.figures import many_a_case, one_a_case, outcomes, same_number_of_replies

from iamhumans.stats import CaseValues, Estimate, mean_of, rate_of
from iamhumans.stats.intervals import conditional_clopper_pearson, wilson


def limits(estimate: Estimate) -> tuple[float, float]:
    assert estimate.low is not None
    assert estimate.high is not None
    return estimate.low, estimate.high


# Newcombe (1998), "Two-sided confidence intervals for the single proportion", Statistics in Medicine 17, table I.
PUBLISHED = [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)]


@pytest.mark.parametrize(("yes", "cases", "low", "high"), PUBLISHED)
def test_one_outcome_a_case_has_the_published_wilson_interval(yes: int, cases: int, low: float, high: float) -> None:
    assert wilson(yes / cases, cases, NormalDist().inv_cdf(0.975)) == pytest.approx((low, high), abs=5e-5)


@given(st.integers(0, 60), st.integers(0, 60))
def test_one_outcome_a_case_agrees_with_statsmodels(yes: int, no: int) -> None:
    if yes + no == 0:
        return
    estimate = rate_of(outcomes(yes, no))

    low, high = proportion_confint(yes, yes + no, method="wilson")
    # Where three or fewer are of one kind: half a chi-squared quantile with twice as many degrees of freedom.
    if 1 <= yes <= 3:
        low = min(low, scipy_stats.chi2.ppf(0.05, 2 * yes) / 2 / (yes + no))
    if 1 <= no <= 3:
        high = max(high, 1 - scipy_stats.chi2.ppf(0.05, 2 * no) / 2 / (yes + no))
    assert estimate.method == "Wilson"
    assert limits(estimate) == pytest.approx((low, high), abs=1e-9)


def coverage(intervals: list[tuple[float, float]], rate: float) -> float:
    """How often one of these intervals, one for each number of YES, holds the rate."""
    held = [low <= rate <= high for low, high in intervals]
    return float(scipy_stats.binom.pmf(np.flatnonzero(held), len(intervals) - 1, rate).sum())


@pytest.mark.parametrize("cases", [16, 40, 100])
def test_one_outcome_a_case_holds_92_percent_at_every_rate(cases: int) -> None:
    intervals = [limits(rate_of(outcomes(yes, cases - yes))) for yes in range(cases + 1)]
    assert min(coverage(intervals, rate) for rate in np.linspace(0.0005, 0.5, 400)) >= 0.922


@pytest.mark.parametrize("cases", [16, 40, 100])
def test_wilsons_own_interval_falls_short_at_a_sixth_of_one_case(cases: int) -> None:
    own = [wilson(yes / cases, cases, NormalDist().inv_cdf(0.975)) for yes in range(cases + 1)]
    assert coverage(own, 0.175 / cases) < 0.85


@given(st.integers(0, 60), st.integers(0, 60))
def test_bounds_for_decisions_are_exact_ones(yes: int, no: int) -> None:
    if yes + no == 0:
        return
    cases = yes + no
    low = scipy_stats.binomtest(yes, cases, alternative="greater").proportion_ci(0.95, "exact").low
    high = scipy_stats.binomtest(yes, cases, alternative="less").proportion_ci(0.95, "exact").high

    assert limits(rate_of(outcomes(yes, no), one_sided=True)) == pytest.approx((low, high), abs=1e-8)


def test_none_of_many_replies_leaves_as_much_open_as_none_of_the_cases() -> None:
    once, often = rate_of(outcomes(0, 16)), rate_of(many_a_case([[0] * 5] * 16))

    assert limits(often) == limits(once) == pytest.approx((0, 0.1936), abs=1e-4)


def test_replies_that_all_end_alike_are_worth_one_outcome_a_case() -> None:
    alike = rate_of(many_a_case([[1] * 5] * 8 + [[0] * 5] * 32))
    single = rate_of(outcomes(8, 32))

    # Student's t in place of the normal, since that number is estimated.
    assert limits(alike) == pytest.approx(limits(single), abs=0.006)
    assert alike.low is not None
    assert single.low is not None
    assert alike.low <= single.low


def test_replies_that_end_independently_narrow_the_interval() -> None:
    source = np.random.default_rng(3)
    replies = (source.random((40, 5)) < 0.3).astype(float).tolist()

    low, high = limits(rate_of(many_a_case(replies)))
    single_low, single_high = limits(rate_of(outcomes(12, 28)))

    assert high - low < 0.65 * (single_high - single_low)


def test_one_case_with_a_thousand_replies_is_one_case() -> None:
    estimate = rate_of(many_a_case([[1.0] * 300 + [0.0] * 700]))

    low, high = limits(estimate)
    assert estimate.value == pytest.approx(0.3)
    assert estimate.n_cases == 1
    assert low < 0.05
    assert high > 0.8


def test_no_case_gives_no_figure() -> None:
    for estimate in (rate_of(one_a_case([])), mean_of(one_a_case([]))):
        assert (estimate.value, estimate.low, estimate.n_cases) == (None, None, 0)
        assert estimate.withheld == "No case was judged."


def test_a_rate_beyond_one_is_refused() -> None:
    with pytest.raises(ValueError, match="0 to 1"):
        rate_of(one_a_case([0, 2]))


@given(same_number_of_replies(), st.booleans())
def test_a_rate_lies_in_its_interval_within_0_and_1(replies: list[list[float]], one_sided: bool) -> None:
    estimate = rate_of(many_a_case(replies), one_sided=one_sided)

    low, high = limits(estimate)
    assert estimate.value is not None
    assert 0 <= low <= estimate.value <= high <= 1
    assert high - low > 0.01


@given(same_number_of_replies(), st.booleans())
def test_yes_and_no_are_mirror_images(replies: list[list[float]], one_sided: bool) -> None:
    low, high = limits(rate_of(many_a_case(replies), one_sided=one_sided))
    mirrored = limits(rate_of(many_a_case([[1 - one for one in case] for case in replies]), one_sided=one_sided))

    assert mirrored == pytest.approx((1 - high, 1 - low), abs=1e-7)


@given(same_number_of_replies(), st.booleans())
def test_one_zeroed_reply_never_allows_a_lower_bound_than_none(replies: list[list[float]], one_sided: bool) -> None:
    none = rate_of(many_a_case([[0.0] * len(case) for case in replies]), one_sided=one_sided)
    some = rate_of(many_a_case(replies), one_sided=one_sided)

    assert limits(some)[1] >= limits(none)[1] - 1e-12


@given(same_number_of_replies(), st.randoms())
def test_the_order_of_the_cases_does_not_matter(replies: list[list[float]], random: Random) -> None:
    shuffled = list(replies)
    random.shuffle(shuffled)

    assert limits(rate_of(many_a_case(shuffled))) == pytest.approx(limits(rate_of(many_a_case(replies))), abs=1e-9)


@given(st.lists(st.integers(1, 60), min_size=5, max_size=60))
def test_a_mean_reaches_at_least_as_far_as_students_t(values: list[int]) -> None:
    estimate = mean_of(one_a_case(values))
    if estimate.withheld:
        return
    reference = scipy_stats.ttest_1samp(values, 0).confidence_interval(0.95)

    low, high = limits(estimate)
    assert low <= max(0, reference.low) + 1e-7
    assert high >= min(100, reference.high) - 1e-7


def test_in_the_middle_of_the_scale_a_mean_has_students_interval() -> None:
    values = [40, 45, 48, 50, 50, 52, 55, 60] * 20

    reference = scipy_stats.ttest_1samp(values, 0).confidence_interval(0.95)
    assert limits(mean_of(one_a_case(values))) == pytest.approx((reference.low, reference.high), abs=1e-3)


def test_near_the_ceiling_a_mean_reaches_further_down_than_up() -> None:
    estimate = mean_of(one_a_case([100] * 13 + [97, 90, 72]))

    low, high = limits(estimate)
    assert estimate.value is not None
    assert estimate.value - low > 1.5 * (high - estimate.value)
    assert high <= 100


def test_a_one_sided_bound_is_closer_than_the_two_sided_limit() -> None:
    values = one_a_case([90, 92, 95, 97, 99, 100, 85])

    assert limits(mean_of(values))[0] < limits(mean_of(values, one_sided=True))[0]


def test_an_axis_has_its_own_scale() -> None:
    values = [7, 8, 9, 10, 6, 8]

    tenth = limits(mean_of(one_a_case(values), (0, 10)))
    assert [10 * one for one in tenth] == pytest.approx(limits(mean_of(one_a_case([10 * one for one in values]))))


@pytest.mark.parametrize("cases", [1, 2, 4])
def test_a_few_cases_give_a_mean_without_an_interval(cases: int) -> None:
    estimate = mean_of(one_a_case([80 + number for number in range(cases)]))

    assert estimate.value is not None
    assert (estimate.low, estimate.high) == (None, None)
    assert "too few" in (estimate.withheld or "")


def test_cases_that_are_all_equal_give_no_interval_of_zero_width() -> None:
    estimate = mean_of(one_a_case([97] * 16))

    assert (estimate.value, estimate.low) == (97, None)
    assert "same value" in (estimate.withheld or "")


def test_a_value_beyond_the_scale_is_refused() -> None:
    with pytest.raises(ValueError, match="0 to 10"):
        mean_of(one_a_case([5, 11, 6, 7, 8]), (0, 10))


@pytest.mark.parametrize("figure", [rate_of, mean_of])
def test_nan_is_refused(figure: Callable[[CaseValues], Estimate]) -> None:
    values = CaseValues(("a", "b"), np.array([1.0, math.nan]), np.array([1, 1]))

    with pytest.raises(ValueError, match="NaN"):
        figure(values)


@pytest.mark.parametrize("cases", [16, 40, 100])
def test_bounds_of_what_is_seldom_shown_hold_their_level_where_it_is(cases: int) -> None:
    bounds = {count: conditional_clopper_pearson(count, cases, 5, 0.025) for count in (0, *range(5, cases + 1))}
    for rate in np.linspace(0.001, 0.999, 200):
        chances = {count: scipy_stats.binom.pmf(count, cases, rate) for count in bounds}
        held = sum(chances[count] for count, (low, high) in bounds.items() if low <= rate <= high)
        assert held / sum(chances.values()) >= 0.95 - 1e-6


def test_bounds_of_what_is_always_shown_are_the_exact_ones() -> None:
    for count in (0, 3, 16):
        found = scipy_stats.binomtest(count, 16).proportion_ci(0.95, "exact")
        assert conditional_clopper_pearson(count, 16, 1, 0.025) == pytest.approx((found.low, found.high), abs=1e-9)
