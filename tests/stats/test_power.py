"""What could have been shown, against statsmodels and against counting every outcome."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as scipy_stats
from statsmodels.stats.power import TTestPower
from tests.builders import FEW
from tests.stats.figures import many_a_case, one_a_case, outcomes, paired_outcomes, totals

from iamhumans.stats import (
    Estimate,
    cases_to_settle_difference,
    cases_to_settle_mean,
    cases_to_settle_rate,
    mcnemar,
    mcnemar_power,
    mean_difference,
    mean_power,
    pair,
    rate_difference,
    rate_of,
    settle,
    smallest_difference,
    smallest_mean_difference,
    smallest_rate_difference,
    two_part,
)


@given(st.floats(0.05, 2), st.integers(5, 300))
def test_power_for_means_agrees_with_statsmodels(size: float, cases: int) -> None:
    if size * math.sqrt(cases) > 7:  # power 1, where the reference gives NaN
        return
    wanted = TTestPower().power(size, cases, 0.05)

    assert mean_power(size, 1, cases) == pytest.approx(float(wanted), abs=1e-6)


def test_power_for_means_goes_on_beyond_the_noncentral_t() -> None:
    assert mean_power(0.06, 1, 2001) == pytest.approx(mean_power(0.06, 1, 2000), abs=1e-3)


@pytest.mark.parametrize("cases", [6, 16, 40, 100, 5000])
def test_the_smallest_difference_of_means_has_80_percent_power(cases: int) -> None:
    smallest = smallest_mean_difference(3.0, cases)

    assert smallest is not None
    assert mean_power(smallest, 3.0, cases) == pytest.approx(0.8, abs=1e-4)


def counted_power(rose: float, fell: float, cases: int) -> float:
    """Every outcome of a small trial."""
    power = 0.0
    for up in range(cases + 1):
        for down in range(cases + 1 - up):
            if mcnemar(up, down).p_value <= 0.05:
                power += float(
                    scipy_stats.multinomial.pmf([up, down, cases - up - down], cases, [rose, fell, 1 - rose - fell])
                )
    return power


@FEW
@given(st.floats(0.01, 0.5), st.floats(0, 0.45), st.integers(2, 20))
def test_power_for_rates_agrees_with_counting(rose: float, fell: float, cases: int) -> None:
    assert mcnemar_power(rose, fell, cases) == pytest.approx(counted_power(rose, fell, cases), abs=1e-9)


def test_power_for_rates_goes_on_beyond_counting() -> None:
    assert mcnemar_power(0.12, 0.08, 10_001) == pytest.approx(mcnemar_power(0.12, 0.08, 9_999), abs=0.01)


def test_nothing_that_changes_has_no_power() -> None:
    assert mcnemar_power(0, 0, 100) == 0


def test_sixteen_cases_show_only_a_huge_difference_of_rates() -> None:
    smallest = smallest_rate_difference(16)

    assert smallest is not None
    assert 0.4 < smallest < 0.5
    assert mcnemar_power(smallest, 0, 16) == pytest.approx(0.8, abs=1e-3)


def test_five_cases_show_no_difference_of_rates() -> None:
    assert smallest_rate_difference(5) is None


def test_churn_hides_differences() -> None:
    quiet, noisy = smallest_rate_difference(100), smallest_rate_difference(100, churn=0.3)

    assert quiet is not None
    assert noisy is not None
    assert noisy > quiet


@pytest.mark.parametrize(("deviation", "cases"), [(None, 40), (0.0, 40), (3.0, 5)])
def test_without_a_spread_no_smallest_difference_is_named(deviation: float | None, cases: int) -> None:
    assert smallest_mean_difference(deviation, cases) is None


def test_a_shared_error_takes_larger_differences() -> None:
    alone, shared = smallest_mean_difference(3.0, 40), smallest_mean_difference(3.0, 40, tests=2)

    assert alone is not None
    assert shared is not None
    assert shared > alone
    assert mean_power(shared, 3.0, 40, 0.975) == pytest.approx(0.8, abs=1e-4)


def test_six_cases_show_nothing_where_two_tests_share_the_error() -> None:
    assert smallest_mean_difference(3.0, 6, tests=2) is None
    assert smallest_mean_difference(3.0, 7, tests=2) is not None


def test_ten_flags_take_larger_differences_of_rates() -> None:
    alone, shared = smallest_rate_difference(100), smallest_rate_difference(100, tests=10)

    assert alone is not None
    assert shared is not None
    assert shared > alone


def test_single_outcomes_are_asked_for_mcnemars_power() -> None:
    pairs = paired_outcomes(5, 2, 4, 29)

    assert smallest_difference(pairs, rate_difference(pairs)) == smallest_rate_difference(40, churn=0.1)


def test_several_outcomes_are_asked_for_the_power_of_means() -> None:
    pairs = pair(many_a_case([[0, 1], [0, 0], [1, 1]] * 6), many_a_case([[1, 1], [0, 1], [0, 1]] * 6))
    found = rate_difference(pairs)

    assert smallest_difference(pairs, found) == smallest_mean_difference(found.deviation, 18)


def test_the_cases_named_for_a_clean_run_settle_it() -> None:
    needed = cases_to_settle_rate(outcomes(0, 16), 0.05)

    assert needed == 59
    assert settle(rate_of(outcomes(0, 59), one_sided=True), 0.05, at_least=False) == "met"
    assert settle(rate_of(outcomes(0, 58), one_sided=True), 0.05, at_least=False) == "open"


def test_the_cases_named_for_a_rate_settle_it_in_about_four_of_five_tries() -> None:
    needed = cases_to_settle_rate(outcomes(4, 36), 0.2)

    assert needed is not None
    counts = np.arange(needed + 1)
    bounds = [rate_of(outcomes(int(yes), needed - int(yes)), one_sided=True) for yes in counts]
    met = [settle(one, 0.2, at_least=False) == "met" for one in bounds]
    share = float(np.sum(scipy_stats.binom.pmf(counts, needed, 0.1) * met))
    assert share == pytest.approx(0.8, abs=0.08)


def test_at_the_threshold_no_number_of_cases_settles_a_rate() -> None:
    assert cases_to_settle_rate(outcomes(4, 36), 0.1) is None
    assert cases_to_settle_rate(one_a_case([]), 0.1) is None


def test_the_cases_named_for_a_mean_settle_it() -> None:
    replies = [[92 + number % 8] for number in range(16)]
    values = totals(*replies)

    needed = cases_to_settle_mean(two_part(values, one_sided=True), values.zeroed, 90)

    assert needed is not None
    assert needed > 16
    whole = -(-needed // 8) * 8
    more = totals(*[[92 + number % 8] for number in range(whole)])
    assert settle(two_part(more, one_sided=True).mean, 90, at_least=True) == "met"


def test_at_the_threshold_no_number_of_cases_settles_a_mean() -> None:
    values = totals([90], [90], [80], [100], [90])

    assert cases_to_settle_mean(two_part(values, one_sided=True), values.zeroed, 90) is None


def test_twice_as_close_takes_four_times_as_many_cases() -> None:
    bounds = Estimate(-1.0, -4.0, 2.0, 40, "test", one_sided=True)

    near, far = cases_to_settle_difference(bounds, -2.0), cases_to_settle_difference(bounds, -3.0)

    assert near is not None
    assert far is not None
    assert near == pytest.approx(4 * far, abs=4)


@pytest.mark.parametrize("bounds", [Estimate(None, None, None, 0, "test"), Estimate(-1.0, None, None, 3, "test")])
def test_without_bounds_no_number_of_cases_is_named(bounds: Estimate) -> None:
    assert cases_to_settle_difference(bounds, -2.0) is None


def test_the_cases_named_for_a_difference_of_means_settle_it_in_about_four_of_five_tries() -> None:
    source = np.random.default_rng(8)
    b = source.normal(0.5, 4, 40)
    found = mean_difference(pair(one_a_case([0.0] * 40), one_a_case(b.tolist())), one_sided=True)
    assert found.difference.value is not None
    assert found.deviation is not None

    needed = cases_to_settle_difference(found.difference, -1.0)

    assert needed is not None
    distance = (found.difference.value + 1) / found.deviation
    assert float(TTestPower().power(distance, needed, 0.05, alternative="larger")) == pytest.approx(0.8, abs=0.03)
