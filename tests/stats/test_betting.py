"""Betting on a mean, case by case."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from iamhumans.stats.betting import betting_high, betting_low, decide, log_capital

shares = st.lists(st.floats(0, 1), min_size=1, max_size=60)


def test_the_capital_of_fair_bets_is_a_martingale() -> None:
    # All ways that four tries at the threshold can go: the expected capital is 1 after each of them.
    threshold = 0.3
    ways = [[(number >> place) & 1 for place in range(4)] for number in range(16)]
    chances = [threshold ** sum(way) * (1 - threshold) ** (4 - sum(way)) for way in ways]
    for side in ("above", "below"):
        expected = sum(c * np.exp(log_capital(way, threshold, side)) for way, c in zip(ways, chances, strict=True))
        assert expected == pytest.approx(np.ones(4))


@given(shares, st.randoms(use_true_random=False))
def test_the_order_of_the_cases_does_not_change_the_capital(values: list[float], chance: object) -> None:
    mixed = list(values)
    chance.shuffle(mixed)  # type: ignore[attr-defined]
    assert log_capital(mixed, 0.4, "above")[-1] == pytest.approx(log_capital(values, 0.4, "above")[-1], abs=1e-9)


def test_a_mean_is_settled_on_its_side() -> None:
    assert decide([1.0] * 50, 0.5).side == "above"
    assert decide([0.0] * 50, 0.5).side == "below"
    assert decide([0.0, 1.0] * 25, 0.5).side is None


def test_what_was_decided_is_not_undone_by_later_cases() -> None:
    values = [0.0] * 60
    first = decide(values, 0.1)
    assert first.side == "below"
    assert decide(values + [1.0] * 10, 0.1) == first


def test_a_threshold_at_the_end_of_the_scale_can_only_be_missed() -> None:
    assert decide([0.0] * 500, 0.0).side is None
    assert decide([0.0, 0.0, 1.0], 0.0).side == "above"
    assert decide([1.0, 0.5], 1.0).side == "below"


@given(shares)
def test_bounds_contain_the_mean_and_agree_with_decisions(values: list[float]) -> None:
    low, high = betting_low(values, 0.05), betting_high(values, 0.05)
    assert low <= np.mean(values) + 1e-9
    assert high >= np.mean(values) - 1e-9


def test_wrong_decisions_are_few_however_often_one_looks() -> None:
    chance = np.random.default_rng(7)
    wrong = [decide((chance.random(300) < 0.1).astype(float), 0.1).side is not None for _ in range(400)]
    assert np.mean(wrong) <= 0.10 + 3 * 0.015  # 5 % on each side, and three standard errors


@pytest.mark.parametrize(("values", "threshold"), [([1.5], 0.5), ([float("nan")], 0.5), ([0.5], 0.0)])
def test_what_cannot_be_bet_on_is_refused(values: list[float], threshold: float) -> None:
    with pytest.raises(ValueError, match=r"from 0 to 1|infinite"):
        log_capital(values, threshold, "above")
