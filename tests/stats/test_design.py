"""The power of a comparison of zero rates and of quality."""

from __future__ import annotations

import numpy as np
import pytest
from statsmodels.stats.power import TTestPower
from tests.stats.figures import one_a_case

from iamhumans.stats.cases import Cases, CaseValues, pair
from iamhumans.stats.design import (
    Design,
    QualityModel,
    ZeroedModel,
    detectable_mean,
    detectable_rate,
    detectable_zero_rate,
    fewest_cases,
    flip_of,
    quality_power,
    zero_rate_power,
    zeroed_model,
)
from iamhumans.stats.power import mcnemar_power
from iamhumans.stats.quantiles import FloatArray, IntArray
from iamhumans.stats.significance import sign_flip


def shares_of(counts: list[int], replies: int) -> CaseValues:
    ids = [f"C-{case}" for case in range(len(counts)) for _ in range(replies)]
    return Cases.of(ids).means([float(one < count) for count in counts for one in range(replies)])


@pytest.mark.parametrize(("rate", "difference", "cases"), [(0.1, 0.25, 60), (0.05, 0.1, 200), (0.3, 0.3, 50)])
def test_with_one_reply_a_case_the_power_is_that_of_the_exact_mcnemar_test(
    rate: float, difference: float, cases: int
) -> None:
    # With hardly any correlation, the outcomes of A and B are independent.
    found = zero_rate_power(ZeroedModel(rate, 0.001), Design(cases), difference)
    after = rate + difference
    expected = mcnemar_power((1 - rate) * after, rate * (1 - after), cases, 0.975)
    assert found == pytest.approx(expected, abs=0.002)


def test_no_difference_is_seen_seldom() -> None:
    assert zero_rate_power(ZeroedModel(0.1, 0.3), Design(60, 3), 0.0) <= 0.025


def test_a_fall_from_a_high_rate_is_seen_like_a_rise_from_a_low_one() -> None:
    high, low = (zero_rate_power(ZeroedModel(rate, 0.3), Design(40, 2), 0.2) for rate in (0.9, 0.1))
    assert high == pytest.approx(low, abs=1e-9)


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


@pytest.mark.parametrize(
    ("model", "design", "difference"),
    [
        (ZeroedModel(0.03, 0.3), Design(28, 5), 0.12),
        (ZeroedModel(0.1, 0.5, flip=0.07), Design(60, 2, 3), 0.15),
        (ZeroedModel(0.05, 0.3, flip=0.07), Design(80, 1, 2), 0.2),
    ],
)
def test_the_power_is_that_of_made_up_comparisons(model: ZeroedModel, design: Design, difference: float) -> None:
    chance, size = np.random.default_rng(11), (1 - model.correlation) / model.correlation
    shape, added = (1000, design.cases), difference / (1 - model.rate)
    base = chance.beta(model.rate * size, (1 - model.rate) * size, shape)
    worse = base + (1 - base) * chance.beta(added * size, (1 - added) * size, shape)

    def counts(own: FloatArray) -> IntArray:
        zeroed = chance.random((*shape, design.replies, 1)) < own[..., None, None]
        votes = zeroed ^ (chance.random((*shape, design.replies, design.repeats)) < model.flip)
        return np.asarray((2 * votes.sum(axis=-1) >= design.repeats).sum(axis=-1))

    seen = [sign_flip(row).p_value <= 0.025 for row in counts(worse) - counts(base)]
    assert zero_rate_power(model, design, difference) == pytest.approx(np.mean(seen), abs=0.04)


def test_flips_are_taken_out_of_the_rate() -> None:
    chance = np.random.default_rng(6)
    own = chance.beta(0.1 * 1.5, 0.9 * 1.5, size=4000)
    zeroed = chance.random((4000, 4, 1)) < own[:, None, None]
    votes = (zeroed ^ (chance.random((4000, 4, 3)) < 0.1)).sum(axis=-1) >= 2
    found = zeroed_model(shares_of(votes.sum(axis=-1).tolist(), 4), flip=0.1, repeats=3)
    assert found.rate == pytest.approx(0.1, abs=0.015)
    assert found.correlation == pytest.approx(0.4, abs=0.06)


def test_a_flip_is_half_of_what_two_repeats_disagree_in() -> None:
    assert flip_of(0.136) == pytest.approx(0.0734, abs=1e-4)
    assert flip_of(0.9) == 0.5


def test_the_fewest_cases_have_80_percent_power_and_one_fewer_has_less() -> None:
    model = ZeroedModel(0.05, 0.3)
    cases = fewest_cases(lambda count: zero_rate_power(model, Design(count), 0.2))
    assert cases is not None
    assert zero_rate_power(model, Design(cases), 0.2) >= 0.8 > zero_rate_power(model, Design(cases - 1), 0.2)


def test_a_tiny_difference_takes_more_cases_than_may_be() -> None:
    assert fewest_cases(lambda count: zero_rate_power(ZeroedModel(0.05), Design(count), 0.0001), most=1000) is None


def test_a_smallest_difference_of_means_has_a_range_for_the_spread() -> None:
    differences = np.random.default_rng(2).normal(0, 5, 28)
    found = detectable_mean(pair(one_a_case([0.0] * 28), one_a_case(differences.tolist())))
    assert found.low is not None
    assert found.value is not None
    assert found.high is not None
    # Quantiles of chi-square with 27 degrees of freedom.
    assert found.value / found.low == pytest.approx((36.741 / 27) ** 0.5, rel=1e-3)
    assert found.high / found.value == pytest.approx((27 / 18.114) ** 0.5, rel=1e-3)


def test_cases_that_do_not_change_show_no_smallest_difference_of_means() -> None:
    values = one_a_case([90.0] * 10)
    assert detectable_mean(pair(values, values)).value is None


def test_what_two_runs_could_have_shown_comes_from_both() -> None:
    clean, worse = (shares_of([count] * 2 + [0] * 26, 5) for count in (0, 4))
    both = shares_of([4] * 2 + [0] * 26, 10)
    assert detectable_rate(pair(clean, worse)) == detectable_zero_rate(both, Design(28, 5))


def test_sixteen_clean_cases_show_only_a_huge_difference_of_rates() -> None:
    found = detectable_zero_rate(shares_of([0] * 16, 2), Design(16))
    assert found.value is not None
    assert 0.4 < found.value < 0.7


def test_quality_of_few_cases_has_no_power() -> None:
    assert quality_power(QualityModel(0.1, 0.1), Design(6), 50.0) == 0


def test_quality_has_the_power_of_the_paired_t_test() -> None:
    expected = TTestPower().power(effect_size=0.6, nobs=28, alpha=0.025)
    assert quality_power(QualityModel(10.0, 0.0), Design(28), 6.0) == pytest.approx(expected, abs=1e-9)


def test_replies_and_repeats_lower_only_their_share_of_the_noise() -> None:
    model = QualityModel(effect=3.0, reply=8.0, repeat=4.0)
    one = quality_power(model, Design(40), 4.0)
    assert quality_power(model, Design(40, 3), 4.0) > quality_power(model, Design(40, 1, 3), 4.0) > one
