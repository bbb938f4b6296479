"""Differences between two runs of the same cases, against SciPy and a published example."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as scipy_stats
from tests.stats.figures import many_a_case, one_a_case, paired_outcomes, same_number_of_replies, totals

from iamhumans.stats import (
    Cases,
    Estimate,
    mean_difference,
    mean_of,
    pair,
    rate_difference,
    two_part_difference,
)

VALUES = st.lists(st.tuples(st.integers(0, 100), st.integers(0, 100)), min_size=5, max_size=30)
TABLES = st.tuples(st.integers(0, 20), st.integers(0, 20), st.integers(0, 20), st.integers(1, 20))


def limits(estimate: Estimate) -> tuple[float, float]:
    assert estimate.low is not None
    assert estimate.high is not None
    return estimate.low, estimate.high


def test_newcombes_interval_is_the_published_one() -> None:
    # Fagerland, Lydersen and Laake (2017), Statistical Analysis of Contingency Tables, chapter 8: complete response
    # before and after consolidation therapy; A minus B is -0.0621 (-0.1186 to -0.0046).
    found = rate_difference(paired_outcomes(59, 6, 16, 80))

    assert found.difference.value == pytest.approx(0.0621, abs=5e-5)
    assert limits(found.difference) == pytest.approx((0.0046, 0.1186), abs=5e-5)
    assert found.difference.method == "Newcombe, method 10"


def test_the_test_of_a_rate_counts_the_cases_that_changed() -> None:
    found = rate_difference(paired_outcomes(59, 6, 16, 80))

    assert found.test is not None
    assert found.test.p_value == pytest.approx(float(scipy_stats.binomtest(6, 22).pvalue))
    assert (found.rose, found.fell) == (16, 6)


@given(VALUES)
def test_a_difference_of_means_agrees_with_scipy(values: list[tuple[int, int]]) -> None:
    a, b = [one for one, _ in values], [one for _, one in values]
    found = mean_difference(pair(one_a_case(a), one_a_case(b)))
    if found.difference.withheld:
        return
    reference = scipy_stats.ttest_rel(b, a).confidence_interval(0.95)

    assert limits(found.difference) == pytest.approx((reference.low, reference.high))


@given(VALUES)
def test_a_one_sided_bound_agrees_with_scipy(values: list[tuple[int, int]]) -> None:
    a, b = [one for one, _ in values], [one for _, one in values]
    found = mean_difference(pair(one_a_case(a), one_a_case(b)), one_sided=True)
    if found.difference.withheld:
        return

    low = scipy_stats.ttest_rel(b, a, alternative="greater").confidence_interval(0.95).low
    assert found.difference.low == pytest.approx(low)


@given(TABLES, st.booleans())
def test_a_over_b_mirrors_b_over_a(table: tuple[int, int, int, int], one_sided: bool) -> None:
    both, only_a, only_b, neither = table
    low, high = limits(rate_difference(paired_outcomes(*table), one_sided=one_sided).difference)
    mirrored = rate_difference(paired_outcomes(both, only_b, only_a, neither), one_sided=one_sided)

    assert limits(mirrored.difference) == pytest.approx((-high, -low), abs=1e-9)


@given(TABLES)
def test_yes_over_no_mirrors_no_over_yes(table: tuple[int, int, int, int]) -> None:
    both, only_a, only_b, neither = table
    low, high = limits(rate_difference(paired_outcomes(*table)).difference)
    mirrored = rate_difference(paired_outcomes(neither, only_b, only_a, both))

    assert limits(mirrored.difference) == pytest.approx((-high, -low), abs=1e-9)


@given(same_number_of_replies(), st.booleans())
def test_a_difference_of_rates_is_never_of_zero_width(replies: list[list[float]], one_sided: bool) -> None:
    values = many_a_case(replies)
    found = rate_difference(pair(values, many_a_case([[0.0] * len(one) for one in replies])), one_sided=one_sided)

    low, high = limits(found.difference)
    assert found.difference.value is not None
    assert -1 <= low <= found.difference.value <= high <= 1
    assert high - low > 0.01


def test_the_same_run_twice_differs_by_nothing_and_says_how_little_that_proves() -> None:
    a = one_a_case([0.0] * 16)

    found = rate_difference(pair(a, a))

    assert found.difference.value == 0
    assert limits(found.difference) == pytest.approx((-0.1936, 0.1936), abs=1e-4)
    assert found.test is not None
    assert found.test.p_value == 1


def test_replies_that_always_agree_narrow_the_difference() -> None:
    noisy = many_a_case([[0, 1, 0, 1, 0], [1, 0, 1, 0, 0]] * 10)
    apart = many_a_case([[1, 0, 1, 0, 0], [0, 1, 0, 1, 0]] * 10)
    hard_and_easy = many_a_case([[1] * 5, [0] * 5] * 10)

    together = limits(rate_difference(pair(hard_and_easy, hard_and_easy)).difference)
    unrelated = limits(rate_difference(pair(hard_and_easy, many_a_case([[1] * 5] * 10 + [[0] * 5] * 10))).difference)

    assert together[1] < 0.5 * unrelated[1]
    assert limits(rate_difference(pair(noisy, apart)).difference)[1] < unrelated[1]


def test_no_shared_case_is_said() -> None:
    pairs = pair(Cases.of(["x"]).means([1]), Cases.of(["y"]).means([1]))

    for found in (mean_difference(pairs), rate_difference(pairs)):
        assert found.difference.value is None
        assert found.difference.withheld == "No case has a value in both runs."
        assert found.test is None


@pytest.mark.parametrize("cases", [1, 2, 4])
def test_few_cases_give_a_difference_without_an_interval(cases: int) -> None:
    pairs = pair(one_a_case(range(cases)), one_a_case([3 * one + 1 for one in range(cases)]))

    found = mean_difference(pairs)

    assert found.difference.value is not None
    assert found.difference.low is None
    assert "too few" in (found.difference.withheld or "")
    assert found.test is not None
    assert found.test.p_value > 0.05


def test_cases_that_did_not_change_give_no_interval() -> None:
    values = one_a_case([90, 91, 92, 93, 94, 95])

    assert "None of the 6 cases changed" in (mean_difference(pair(values, values)).difference.withheld or "")


def test_cases_that_all_moved_alike_give_no_interval() -> None:
    pairs = pair(one_a_case([90, 91, 92, 93, 94, 95]), one_a_case([91, 92, 93, 94, 95, 96]))

    assert "same value" in (mean_difference(pairs).difference.withheld or "")


SPREAD = [[88 + number % 12] for number in range(30)]
BETTER = [[min(100, 90 + (number * 7) % 11)] for number in range(30)]


def test_the_headline_of_a_comparison_has_three_figures() -> None:
    found = two_part_difference(totals(*SPREAD[:24], *[[0]] * 6), totals(*BETTER[:28], *[[0]] * 2))

    assert found.zero_rate.difference.value == pytest.approx(-4 / 30)
    assert found.rest.difference.n_cases == 24
    assert found.mean.difference.n_cases == 30
    assert found.mean.difference.withheld is None


def test_a_few_zeroed_cases_leave_the_difference_of_plain_means_without_an_interval() -> None:
    a, b = totals(*SPREAD), totals(*BETTER[:28], *[[0]] * 2)

    found = two_part_difference(a, b)

    assert found.mean.difference.value is not None
    assert found.mean.difference.low is None
    assert "Read the zero rate" in (found.mean.difference.withheld or "")
    assert found.rest.difference.withheld is None


def test_decisions_get_bounds_of_that_difference_all_the_same() -> None:
    found = two_part_difference(totals(*SPREAD), totals(*BETTER[:28], *[[0]] * 2), one_sided=True)

    assert found.mean.difference.low is not None


def test_without_a_zeroed_case_the_difference_of_plain_means_still_allows_for_some() -> None:
    found = two_part_difference(totals(*SPREAD), totals(*BETTER))

    assert found.mean.difference.value == found.rest.difference.value
    low, high = limits(found.mean.difference)
    rest_low, rest_high = limits(found.rest.difference)
    assert low < rest_low - 5
    assert high > rest_high + 5


def test_all_zeroed_in_one_run_only_does_not_make_the_difference_certain() -> None:
    found = two_part_difference(totals(*SPREAD), totals(*[[0]] * 30))

    low, high = limits(found.mean.difference)
    assert found.mean.difference.value == pytest.approx(-sum(one for (one,) in SPREAD) / 30)
    assert high - low > 5


def test_all_zeroed_in_both_runs_is_no_change() -> None:
    found = two_part_difference(totals(*[[0]] * 8), totals(*[[0]] * 8))

    assert found.rest.difference.value is None
    assert found.mean.difference.value == 0
    assert found.zero_rate.difference.value == 0


def test_runs_that_share_no_case_have_no_headline() -> None:
    a, b = totals([90]), totals([90], [80]).only(frozenset({"case-1"}))

    found = two_part_difference(a, b)

    assert found.mean.difference.withheld == "No case has a value in both runs."


def test_a_run_against_nothing_like_itself_agrees_with_its_own_mean() -> None:
    values = one_a_case([90, 92, 94, 80, 99, 97])
    against_zero = mean_difference(pair(one_a_case([0] * 6), values))

    assert against_zero.difference.value == mean_of(values).value
