"""The power of a comparison of zero rates and of quality."""

from __future__ import annotations

import numpy as np
import pytest
from statsmodels.stats.power import TTestPower

from iamhumans.stats.cases import Cases, CaseValues
from iamhumans.stats.design import (
    Design,
    QualityModel,
    ZeroedModel,
    detectable_zero_rate,
    quality_power,
    zero_rate_power,
    zeroed_model,
)
from iamhumans.stats.power import mcnemar_power


def shares_of(counts: list[int], replies: int) -> CaseValues:
    ids = [f"C-{case}" for case in range(len(counts)) for _ in range(replies)]
    return Cases.of(ids).means([float(one < count) for count in counts for one in range(replies)])


@pytest.mark.parametrize(("rate", "difference", "cases"), [(0.1, 0.25, 60), (0.05, 0.1, 200), (0.3, 0.3, 50)])
def test_with_one_reply_a_case_the_power_is_that_of_the_exact_mcnemar_test(
    rate: float, difference: float, cases: int
) -> None:
    # With hardly any correlation, the outcomes of A and B are independent.
    found = zero_rate_power(ZeroedModel(rate, 0.001), Design(cases), difference, draws=2000)
    after = rate + difference
    expected = mcnemar_power((1 - rate) * after, rate * (1 - after), cases, 0.975)
    assert found == pytest.approx(expected, abs=0.035)


def test_no_difference_is_seen_seldom() -> None:
    assert zero_rate_power(ZeroedModel(0.1, 0.3), Design(60, 3), 0.0, draws=2000) <= 0.025 + 0.011


def test_more_replies_and_more_cases_see_more() -> None:
    model = ZeroedModel(0.05, 0.3)
    one, three = (zero_rate_power(model, Design(40, replies), 0.15) for replies in (1, 3))
    assert three > one + 0.1
    assert zero_rate_power(model, Design(120), 0.15) > one + 0.1


def test_votes_that_flip_hide_a_difference_and_repeats_bring_it_back() -> None:
    model = ZeroedModel(0.05, 0.3, flip=0.15)
    once, thrice = (zero_rate_power(model, Design(80, 1, repeats), 0.2) for repeats in (1, 3))
    assert zero_rate_power(ZeroedModel(0.05, 0.3), Design(80), 0.2) > thrice > once


def test_rate_and_correlation_are_those_of_the_replies() -> None:
    chance = np.random.default_rng(5)
    own = chance.beta(0.1 * 1.5, 0.9 * 1.5, size=3000)  # correlation 1 / (1 + 1.5) = 0.4
    found = zeroed_model(shares_of(chance.binomial(6, own).tolist(), 6))
    assert found.rate == pytest.approx(0.1, abs=0.02)
    assert found.correlation == pytest.approx(0.4, abs=0.06)


def test_few_cases_are_smoothed() -> None:
    found = zeroed_model(shares_of([0] * 20, 1))
    assert found.rate == pytest.approx(0.5 / 21)
    assert found.correlation == pytest.approx(0.3)


def test_what_can_be_seen_has_a_range_that_holds_it() -> None:
    found = detectable_zero_rate(shares_of([5, 3] + [0] * 26, 10), Design(28, 5))
    assert found.low is not None
    assert found.value is not None
    assert found.high is not None
    assert 0.05 < found.low < found.value < found.high < 0.3


def test_too_few_cases_can_see_nothing() -> None:
    # Five cases that all become worse give a p-value of 0.0625.
    assert detectable_zero_rate(shares_of([0] * 5, 1), Design(5)).value is None


def test_quality_has_the_power_of_the_paired_t_test() -> None:
    expected = TTestPower().power(effect_size=0.6, nobs=28, alpha=0.025)
    assert quality_power(QualityModel(10.0, 0.0), Design(28), 6.0) == pytest.approx(expected, abs=1e-9)


def test_replies_and_repeats_lower_only_their_share_of_the_noise() -> None:
    model = QualityModel(effect=3.0, reply=8.0, repeat=4.0)
    one = quality_power(model, Design(40), 4.0)
    assert quality_power(model, Design(40, 3), 4.0) > quality_power(model, Design(40, 1, 3), 4.0) > one
