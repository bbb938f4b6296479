"""Where differences come from, against published data and counting by hand."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iamhumans.stats import Spread, flip_rate, spread_of_judgements

# Davies and Goldsmith (1972), Statistical Methods in Research and Production. Yield of dyestuff, five preparations of
# each of six batches (section 6.4): variances 1764 between batches and 2451 within.
DYESTUFF = [
    [1545, 1440, 1440, 1520, 1580],
    [1540, 1555, 1490, 1560, 1495],
    [1595, 1550, 1605, 1510, 1560],
    [1445, 1440, 1595, 1465, 1545],
    [1595, 1630, 1515, 1635, 1625],
    [1520, 1455, 1450, 1480, 1445],
]
# Strength of a paste: ten deliveries, three casks of each, two tests of each cask (table 6.5). Standard deviations
# 1.287 between deliveries, 2.904 between casks and 0.823 between tests.
PASTE: list[list[tuple[float, ...]]] = [
    [(62.8, 62.6), (60.1, 62.3), (62.7, 63.1)],
    [(60.0, 61.4), (57.5, 56.9), (61.1, 58.9)],
    [(58.7, 57.5), (63.9, 63.1), (65.4, 63.7)],
    [(57.1, 56.4), (56.9, 58.6), (64.7, 64.5)],
    [(55.1, 55.1), (54.7, 54.2), (58.8, 57.5)],
    [(63.4, 64.9), (59.3, 58.1), (60.5, 60.0)],
    [(62.5, 62.6), (61.0, 58.7), (56.9, 57.7)],
    [(59.2, 59.4), (65.2, 66.0), (64.8, 64.1)],
    [(54.8, 54.8), (64.0, 64.0), (57.7, 56.8)],
    [(58.3, 59.3), (59.2, 59.2), (58.9, 56.6)],
]


def flat(data: list[list[tuple[float, ...]]]) -> tuple[list[str], list[int], list[float]]:
    rows = [
        (f"case-{case}", reply, value)
        for case, replies in enumerate(data)
        for reply, repeats in enumerate(replies)
        for value in repeats
    ]
    return [row[0] for row in rows], [row[1] for row in rows], [row[2] for row in rows]


def spread(data: list[list[tuple[float, ...]]]) -> Spread:
    return spread_of_judgements(*flat(data))


def test_two_levels_have_the_published_variances() -> None:
    found = spread([[(value,) for value in batch] for batch in DYESTUFF])

    assert found.between_cases == pytest.approx(math.sqrt(1764.05), abs=0.01)
    assert found.between_replies == pytest.approx(math.sqrt(2451.25), abs=0.01)
    assert found.between_repeats is None


def test_three_levels_have_the_published_deviations() -> None:
    found = spread(PASTE)

    assert (found.between_cases, found.between_replies, found.between_repeats) == pytest.approx(
        (1.287, 2.904, 0.823), abs=5e-4
    )
    assert (found.cases, found.replies, found.judgements) == (10, 30, 60)


def test_unequal_numbers_of_replies_and_repeats_follow_searle() -> None:
    # Two levels, unequal: by hand from the expected mean squares.
    data: list[list[tuple[float, ...]]] = [[(1.0,), (3.0,)], [(5.0,), (7.0,), (9.0,)], [(2.0,), (4.0,)]]
    grand = 31 / 7
    within = (2 + 8 + 2) / 4
    between = (2 * (2 - grand) ** 2 + 3 * (7 - grand) ** 2 + 2 * (3 - grand) ** 2) / 2
    often = (7 - (4 + 9 + 4) / 7) / 2

    found = spread(data)

    assert found.between_replies == pytest.approx(math.sqrt(within))
    assert found.between_cases == pytest.approx(math.sqrt((between - within) / often))


def test_only_repeats_are_a_level_of_their_own() -> None:
    found = spread([[(1.0, 3.0)], [(5.0, 7.0)]])

    assert found.between_replies is None
    assert found.between_repeats == pytest.approx(math.sqrt(2))
    assert found.between_cases == pytest.approx(math.sqrt((16 - 2) / 2))


def test_one_case_with_a_thousand_replies_says_nothing_on_cases() -> None:
    found = spread([[(float(number % 2),) for number in range(1000)]])

    assert found.between_cases is None
    assert found.between_replies == pytest.approx(0.5, abs=1e-3)


def test_nothing_judged_is_said() -> None:
    assert spread_of_judgements([], [], []) == Spread(None, None, None, 0, 0, 0)


def test_no_difference_at_all_has_no_spread() -> None:
    found = spread([[(5.0, 5.0), (5.0, 5.0)], [(5.0, 5.0), (5.0, 5.0)]])

    assert found.between_cases == 0


def test_a_missing_value_is_refused() -> None:
    with pytest.raises(ValueError, match="NaN"):
        spread_of_judgements(["a"], [1], [math.nan])


def test_columns_of_different_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match="differ in length"):
        spread_of_judgements(["a"], [1, 2], [1.0])


REPEATS = st.lists(st.integers(0, 100), min_size=1, max_size=3)


@given(st.lists(st.lists(REPEATS, min_size=1, max_size=3), min_size=2), st.integers(-50, 50))
def test_a_shift_of_everything_changes_no_spread(data: list[list[list[int]]], shift: int) -> None:
    here = spread([[tuple(map(float, repeats)) for repeats in case] for case in data])
    there = spread([[tuple(float(one + shift) for one in repeats) for repeats in case] for case in data])

    for name in ("between_cases", "between_replies", "between_repeats"):
        first, second = getattr(here, name), getattr(there, name)
        assert (first is None) == (second is None)
        assert first is None or (first >= 0 and first == pytest.approx(second, abs=1e-6))


def test_a_flip_rate_is_the_chance_that_two_judgements_disagree() -> None:
    cases = ["a"] * 3 + ["b"] * 2 + ["c"]
    found = flip_rate(cases, [1, 1, 1, 1, 1, 1], [True, True, False, False, False, True])

    assert found.value == pytest.approx((2 / 3 + 0) / 2)
    assert found.n_cases == 2


def test_replies_of_one_case_weigh_together_as_much_as_one_of_another() -> None:
    found = flip_rate(["a"] * 4 + ["b"] * 2, [1, 1, 2, 2, 1, 1], [True, False, True, False, True, True])

    assert found.value == pytest.approx(0.5)


def test_without_repeats_a_flip_rate_is_not_known() -> None:
    found = flip_rate(["a", "b"], [1, 1], [True, False])

    assert (found.value, found.n_cases) == (None, 0)
    assert "--repeats" in (found.withheld or "")
