"""The two-part headline."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.stats.figures import totals

from iamhumans.stats import Cases, Tally, mean_of, rate_of, split_totals, two_part
from iamhumans.verdicts import Flag, Judgement


def test_the_two_parts_stand_beside_the_plain_mean() -> None:
    found = two_part(totals([90], [0], [80], [100], [0], [70]))

    assert found.zero_rate.value == pytest.approx(2 / 6)
    assert found.rest.value == pytest.approx(85)
    assert found.mean.value == pytest.approx(340 / 6)


@given(st.lists(st.lists(st.integers(0, 100), min_size=1, max_size=4), min_size=1, max_size=12))
def test_the_figures_are_those_of_the_summary(replies: list[list[int]]) -> None:
    tally = Tally([], ["pity"])
    for place, of_case in enumerate(replies):
        for number, total in enumerate(of_case):
            flags = {"pity": Flag(total == 0)}
            tally.add(Judgement(case_id=f"case-{place}", number=number, total=total, hard_fails=flags))
    summary = tally.summary()

    found = two_part(totals(*replies))

    assert found.zero_rate.value == pytest.approx(summary.zero_rate)
    assert found.rest.value == (None if summary.mean_of_rest is None else pytest.approx(summary.mean_of_rest))
    assert found.mean.value == pytest.approx(summary.mean_total)


def test_a_zeroed_reply_counts_as_zero_whatever_its_total() -> None:
    values = split_totals(Cases.of(["a", "a"]), [True, False], [96, 90])

    assert values.plain.values.tolist() == [45]
    assert values.rest.values.tolist() == [90]


@pytest.mark.parametrize("zeroed", [1, 4])
def test_a_few_zeroed_cases_leave_the_plain_mean_without_an_interval(zeroed: int) -> None:
    found = two_part(totals(*[[0]] * zeroed, *[[90 + number % 9] for number in range(30)]))

    assert found.mean.value is not None
    assert (found.mean.low, found.mean.high) == (None, None)
    assert "Read the zero rate" in (found.mean.withheld or "")
    assert found.zero_rate.withheld is None
    assert found.rest.withheld is None


@pytest.mark.parametrize("zeroed", [0, 5, 12])
def test_no_zeroed_case_or_enough_of_them_give_the_plain_mean_an_interval(zeroed: int) -> None:
    found = two_part(totals(*[[0]] * zeroed, *[[90 + number % 9] for number in range(30)]))

    assert found.mean.withheld is None


def test_decisions_get_bounds_of_the_plain_mean_even_with_few_zeroed_cases() -> None:
    found = two_part(totals([0], *[[90 + number % 9] for number in range(30)]), one_sided=True)

    assert found.mean.low is not None
    assert found.mean.value is not None
    assert found.mean.low < found.mean.value


def test_without_a_zeroed_case_the_plain_mean_still_allows_for_some() -> None:
    found = two_part(totals(*[[94 + number % 6] for number in range(16)]))

    assert found.rest.low is not None
    assert found.mean.low is not None
    assert found.zero_rate.high is not None
    assert found.rest.low > 94
    # Runs without one zeroed case are shown more often than the level allows for: none of 16 says "at most 25 %" here.
    assert found.mean.low == pytest.approx(96.2 * (1 - 0.252), abs=0.5)
    assert found.mean.low < 96.2 * (1 - found.zero_rate.high)


def test_the_parts_use_the_intervals_of_rates_and_means() -> None:
    values = totals(*[[0]] * 6, *[[80 + number] for number in range(20)])

    found = two_part(values)

    assert found.zero_rate == rate_of(values.zeroed)
    assert found.rest == mean_of(values.rest)


def test_all_zeroed_leaves_no_rest() -> None:
    found = two_part(totals(*[[0]] * 8))

    assert (found.zero_rate.value, found.rest.value, found.mean.value) == (1, None, 0)
    assert found.mean.low == 0
    assert found.mean.high is not None
    assert found.mean.high > 20


def test_nothing_judged_is_said() -> None:
    found = two_part(totals())

    assert (found.mean.value, found.mean.withheld) == (None, "No case was judged.")


def test_perfect_totals_leave_room_for_what_did_not_come_up() -> None:
    found = two_part(totals(*[[100]] * 16), one_sided=True)

    assert found.mean.value == 100
    assert found.mean.low == pytest.approx(100 * 0.05 ** (1 / 16))


@given(st.lists(st.lists(st.integers(0, 100), min_size=1, max_size=3), min_size=5, max_size=30))
def test_the_plain_mean_lies_in_its_bounds_on_the_scale(replies: list[list[int]]) -> None:
    mean = two_part(totals(*replies), one_sided=True).mean

    assert mean.value is not None
    assert mean.low is not None
    assert mean.high is not None
    assert 0 <= mean.low <= mean.value + 1e-9
    assert mean.value - 1e-9 <= mean.high <= 100


def test_a_dimension_is_read_the_same_way() -> None:
    values = totals([90], [0], [80]).only(frozenset({"case-0", "case-1"}))

    assert two_part(values).zero_rate.value == 0.5
    assert two_part(values).rest.value == 90
