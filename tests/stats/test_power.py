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
from tests.stats.figures import one_a_case, outcomes

from iamhumans.stats import (
    Estimate,
    cases_to_settle_difference,
    cases_to_settle_rate,
    mcnemar,
    mcnemar_power,
    mean_difference,
    mean_power,
    pair,
    proportion_of,
    rate_of,
    settle,
    smallest_mean_difference,
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


def exact_power(rate: float, threshold: float, cases: int) -> float:
    """The chance that so many cases show that the rate is below the threshold, by counting."""
    counts = np.arange(cases + 1)
    met = [
        settle(rate_of(outcomes(int(yes), cases - int(yes)), one_sided=True), threshold, at_least=False)
        for yes in counts
    ]
    return float(np.sum(scipy_stats.binom.pmf(counts, cases, rate) * [one == "met" for one in met]))


def test_the_fewest_cases_named_for_a_clean_run_settle_it_if_none_is_ever_zeroed() -> None:
    needed = cases_to_settle_rate(outcomes(0, 40), 0.05)

    assert needed is not None
    assert needed.low == 59
    assert settle(rate_of(outcomes(0, 59), one_sided=True), 0.05, at_least=False) == "met"
    assert settle(rate_of(outcomes(0, 58), one_sided=True), 0.05, at_least=False) == "open"


def test_the_most_cases_named_for_a_rate_settle_it_in_four_of_five_tries() -> None:
    needed = cases_to_settle_rate(outcomes(4, 36), 0.3)

    assert needed is not None
    assert needed.low is not None
    assert needed.high is not None
    low, high = proportion_of(outcomes(4, 36)).bounds(0.8, one_sided=False)
    assert exact_power(low, 0.3, needed.low) >= 0.8
    assert exact_power(high, 0.3, needed.high) >= 0.8
    assert exact_power(high, 0.3, needed.high - 1) < 0.8
    assert exact_power(0.1, 0.3, needed.high) >= 0.8


def test_from_the_number_on_more_cases_never_settle_less() -> None:
    needed = cases_to_settle_rate(outcomes(0, 28), 0.1)

    assert needed is not None
    assert needed.high is not None
    rate = proportion_of(outcomes(0, 28)).bounds(0.8, one_sided=False)[1]
    assert min(exact_power(rate, 0.1, needed.high + more) for more in range(25)) >= 0.8


def test_a_run_with_one_zeroed_case_of_28_cannot_tell_how_many_decide_a_limit_of_10_percent() -> None:
    needed = cases_to_settle_rate(outcomes(1, 27), 0.1)

    assert needed is not None
    assert needed.low is not None
    assert needed.high is None


def test_28_clean_cases_name_a_range_that_holds_the_number_for_a_rate_of_5_percent() -> None:
    needed = cases_to_settle_rate(outcomes(0, 28), 0.1)

    assert needed is not None
    assert needed.low == 29
    assert needed.high is not None
    assert 195 <= needed.high <= 300


def test_at_the_threshold_it_cannot_be_told_how_many_cases_settle_a_rate() -> None:
    needed = cases_to_settle_rate(outcomes(4, 36), 0.1)

    assert needed is not None
    assert needed.high is None
    assert cases_to_settle_rate(one_a_case([]), 0.1) is None


def test_a_stricter_level_for_misses_takes_more_cases() -> None:
    usual = cases_to_settle_rate(outcomes(20, 20), 0.2)
    strict = cases_to_settle_rate(outcomes(20, 20), 0.2, levels=(0.95, 0.99))

    assert usual is not None
    assert usual.high is not None
    assert strict is not None
    assert strict.high is not None
    assert strict.high > usual.high


def test_a_figure_further_away_takes_fewer_cases() -> None:
    bounds = Estimate(-1.0, -4.0, 2.0, 40, "test", one_sided=True)

    near, far = cases_to_settle_difference(bounds, -5.0), cases_to_settle_difference(bounds, -9.0)

    assert near is not None
    assert far is not None
    assert near.low is not None
    assert near.high is not None
    assert far.high is not None
    assert near.high > far.high
    assert near.high > near.low


def test_a_difference_that_may_be_on_either_side_cannot_be_told() -> None:
    needed = cases_to_settle_difference(Estimate(-1.0, -4.0, 2.0, 40, "test", one_sided=True), -2.0)

    assert needed is not None
    assert needed.high is None


@pytest.mark.parametrize("bounds", [Estimate(None, None, None, 0, "test"), Estimate(-1.0, None, None, 3, "test")])
def test_without_bounds_no_number_of_cases_is_named(bounds: Estimate) -> None:
    assert cases_to_settle_difference(bounds, -2.0) is None


def test_the_cases_named_for_a_difference_of_means_settle_it_in_about_four_of_five_tries() -> None:
    source = np.random.default_rng(8)
    b = source.normal(0.5, 4, 40)
    found = mean_difference(pair(one_a_case([0.0] * 40), one_a_case(b.tolist())), one_sided=True)
    assert found.difference.value is not None
    assert found.difference.low is not None
    assert found.deviation is not None

    needed = cases_to_settle_difference(found.difference, -2.0)

    assert needed is not None
    assert needed.high is not None
    low = found.difference.value - 0.779 * (found.difference.value - found.difference.low)
    distance = (low + 2) / found.deviation
    assert float(TTestPower().power(distance, needed.high, 0.05, alternative="larger")) == pytest.approx(0.8, abs=0.03)
