"""How many cases, replies and repeats a comparison takes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats as scipy_stats

from iamhumans.decisions.planning import (
    ASSUMED,
    Figure,
    JudgedVote,
    Planned,
    Price,
    UnitPrice,
    Variation,
    plan_designs,
    variation_of,
)
from iamhumans.stats import Design, QualityModel, ZeroedModel, mcnemar

UNIT = UnitPrice(10, Price(10, 10, 1_000, 4_000, 1.0), Price(10, 10, 10_000, 4_000, 3.0))
QUIET = Variation(ZeroedModel(0.05, 0.3), QualityModel(3.0, 4.0))


def planned(
    *,
    of: Figure = "zero-rate",
    detect: float = 30,
    replies: int = 1,
    repeats: int = 1,
    cases: int = 20,
    variation: Variation = QUIET,
    unit: UnitPrice = UNIT,
) -> Planned:
    return plan_designs("small", cases, of, detect, replies, repeats, variation, unit, (True, True))


def counted_power(rose: float, fell: float, cases: int) -> float:
    """The power of exact McNemar at half of the 5 %, by every outcome."""
    power = 0.0
    for up in range(cases + 1):
        for down in range(cases + 1 - up):
            if mcnemar(up, down).p_value <= 0.025:
                chances = [rose, fell, 1 - rose - fell]
                power += float(scipy_stats.multinomial.pmf([up, down, cases - up - down], cases, chances))
    return power


def test_with_one_reply_a_case_the_design_is_the_smallest_that_counting_allows() -> None:
    found = planned(variation=Variation(ZeroedModel(0.05, 0.001), None)).asked
    assert found.cases is not None
    rose, fell = 0.95 * 0.35, 0.05 * 0.65  # hardly correlated: A and B are independent
    assert found.power == pytest.approx(counted_power(rose, fell, found.cases), abs=0.002)
    assert found.power_below == pytest.approx(counted_power(rose, fell, found.cases - 1), abs=0.002)
    assert found.power is not None
    assert found.power_below is not None
    assert found.power >= 0.8 > found.power_below


@pytest.mark.parametrize("of", ["zero-rate", "quality"])
def test_every_design_reaches_80_percent_and_one_case_fewer_does_not(of: Figure) -> None:
    for one in planned(of=of, detect=25 if of == "zero-rate" else 3).options:
        assert one.power is not None
        assert one.power_below is not None
        assert one.power >= 0.8 > one.power_below


def test_more_replies_take_fewer_cases() -> None:
    needed = [one.cases or 0 for one in planned().options]
    assert needed == sorted(needed, reverse=True)
    assert needed[-1] < needed[0] / 2


def test_repeats_are_weighed_only_where_it_is_known_what_they_change() -> None:
    assert {one.repeats for one in planned().options} == {1}
    assert {one.repeats for one in planned(repeats=2).options} == {1, 2}
    assert {one.repeats for one in planned(variation=ASSUMED).options} == {1, 3, 5}


def test_repeats_of_a_judge_that_flips_take_fewer_cases() -> None:
    found = {one.repeats: one.cases or 0 for one in planned(variation=ASSUMED).options if one.replies == 1}
    assert found[5] <= found[3] < found[1]


def test_the_price_is_that_of_both_runs_scaled_by_case() -> None:
    found = UNIT.of(Design(50, replies=2, repeats=3))
    replies = 2 * 50 * 2
    assert (found.answers, found.calls) == (4 * replies, 4 * replies)
    assert (found.prompt_tokens, found.completion_tokens) == (replies * (100 + 3 * 1_000), replies * 4 * 400)
    assert found.cost == pytest.approx(replies * (0.1 + 3 * 0.3))
    assert not found.at_least


def test_where_one_price_is_missing_the_cost_is_at_least_the_other() -> None:
    found = replace(UNIT, reply=replace(UNIT.reply, cost=None)).of(Design(10))
    assert found.cost == pytest.approx(6.0)
    assert found.at_least


def test_where_both_prices_are_missing_the_cost_is_unknown() -> None:
    nothing = UnitPrice(10, replace(UNIT.reply, cost=None), replace(UNIT.judgement, cost=None))
    assert (nothing.of(Design(10)).cost, nothing.of(Design(10)).at_least) == (None, False)


def test_where_nothing_is_called_it_costs_nothing() -> None:
    free = Price(10, 0, 0, 0, 0.0)
    assert UnitPrice(10, free, free).of(Design(10)).cost == 0


def test_the_cheapest_design_costs_no_more_than_any_other() -> None:
    found = planned()
    assert found.cheapest is not None
    assert found.cheapest.price is not None
    costs = [one.price.cost for one in found.options if one.price is not None]
    assert found.cheapest.price.cost == min(cost for cost in costs if cost is not None)


def test_dear_repeats_lose_and_dear_replies_win_them() -> None:
    dear_judge = replace(UNIT, judgement=replace(UNIT.judgement, cost=300.0))
    dear_reply = replace(UNIT, reply=replace(UNIT.reply, cost=300.0))
    cheapest = [planned(variation=ASSUMED, unit=unit).cheapest for unit in (dear_judge, dear_reply)]
    assert [one and one.repeats for one in cheapest] == [1, 5]


def test_with_the_cases_of_the_suite_more_replies_are_drawn() -> None:
    found = planned(cases=25)
    assert found.asked.cases is not None
    assert found.asked.cases > 25
    assert found.within is not None
    assert found.within.cases == 25
    assert found.within.replies > 1
    assert found.within.power is not None
    assert found.within.power >= 0.8


def test_a_suite_that_is_too_small_for_any_design_says_so() -> None:
    assert planned(cases=5).within is None


def test_a_difference_that_no_suite_can_see_has_no_design() -> None:
    found = planned(detect=0.01, of="quality")
    assert found.asked.cases is None
    assert found.asked.price is None
    assert found.cheapest is None


def test_what_the_suite_sees_has_80_percent_power() -> None:
    seen = planned(cases=60).visible.value
    assert seen is not None
    assert planned(cases=60, detect=seen).suite_power == pytest.approx(0.8, abs=0.03)


def test_the_curve_rises_and_has_the_suite_and_the_design() -> None:
    found = planned(cases=33)
    powers = [one.power for one in found.curve]
    assert powers == sorted(powers)
    assert {33, found.asked.cases} <= {one.cases for one in found.curve}


def votes_of(rate: float, flip: float, *, cases: int, replies: int, repeats: int) -> list[JudgedVote]:
    chance = np.random.default_rng(4)
    found = []
    for case in range(cases):
        own = chance.beta(rate * 1.5, (1 - rate) * 1.5)
        level = chance.normal(0, 6)
        for number in range(replies):
            zeroed, height = chance.random() < own, level + chance.normal(0, 4)
            for repeat in range(repeats):
                flipped = bool(zeroed) ^ bool(chance.random() < flip)
                found.append(JudgedVote(f"C-{case}", number, repeat, flipped, 80 + height + chance.normal(0, 2)))
    return found


def test_a_run_shows_how_replies_vary() -> None:
    found = variation_of("abc", votes_of(0.15, 0.1, cases=600, replies=4, repeats=3))
    assert found.quality is not None
    assert found.zeroed.rate == pytest.approx(0.15, abs=0.03)
    assert found.zeroed.flip == pytest.approx(0.1, abs=0.01)
    assert found.zeroed.correlation == pytest.approx(0.4, abs=0.08)
    assert found.case == pytest.approx(6, abs=0.5)
    assert found.quality.reply == pytest.approx(4, abs=0.3)
    assert found.quality.repeat == pytest.approx(2, abs=0.1)
    assert found.repeats == 3


def test_a_run_without_repeats_does_not_say_what_they_buy() -> None:
    found = variation_of("abc", votes_of(0.2, 0, cases=20, replies=2, repeats=1))
    assert not found.knows_repeats
    assert "no repeats" in found.notes["zero-rate"][0]


def test_with_one_reply_a_case_half_of_the_variance_is_that_of_replies() -> None:
    found = variation_of("abc", votes_of(0.2, 0, cases=300, replies=1, repeats=1))
    assert found.quality is not None
    assert found.case == pytest.approx(found.quality.reply)
    assert any("one reply to each case" in note for note in found.notes["quality"])


def test_a_run_without_qualities_has_no_model_of_them() -> None:
    votes = [replace(one, quality=None) for one in votes_of(0.2, 0, cases=20, replies=2, repeats=1)]
    assert variation_of("abc", votes).quality is None


def test_several_judges_are_one_vote() -> None:
    votes = [JudgedVote(f"C-{case}", 1, 1, judge > 0, 50.0 + 10 * judge) for case in range(8) for judge in range(3)]
    found = variation_of("abc", votes)
    assert found.shares is not None
    assert found.shares.values.tolist() == [1.0] * 8
    assert found.zeroed.flip == 0
