"""Variance by case, reply and repeat."""

from __future__ import annotations

import numpy as np
import pytest

from iamhumans.stats.components import variance_components


def made_up(
    cases: int, replies: int, repeats: int, spread: tuple[float, float, float], seed: int = 1
) -> tuple[list[float], list[int], list[int]]:
    chance = np.random.default_rng(seed)
    values, case_of, reply_of = [], [], []
    for case in range(cases):
        of_case = chance.normal(0, spread[0])
        for reply in range(replies):
            of_reply = of_case + chance.normal(0, spread[1])
            for _ in range(repeats):
                values.append(of_reply + chance.normal(0, spread[2]))
                case_of.append(case)
                reply_of.append(reply)
    return values, case_of, reply_of


def test_balanced_data_give_the_textbook_estimates() -> None:
    values, case_of, reply_of = made_up(20, 3, 2, (8, 5, 3))
    grid = np.array(values).reshape(20, 3, 2)
    of_reply, of_case = grid.mean(axis=2), grid.mean(axis=(1, 2))
    squares_repeat = ((grid - of_reply[..., None]) ** 2).sum() / (20 * 3)
    squares_reply = 2 * ((of_reply - of_case[:, None]) ** 2).sum() / (20 * 2)
    squares_case = 6 * ((of_case - grid.mean()) ** 2).sum() / 19
    found = variance_components(values, case_of, reply_of)
    assert found.repeat == pytest.approx(squares_repeat)
    assert found.reply == pytest.approx((squares_reply - squares_repeat) / 2)
    assert found.case == pytest.approx((squares_case - squares_reply) / 6)


def test_unequal_sizes_are_unbiased() -> None:
    chance, found = np.random.default_rng(3), []
    for seed in range(200):
        values, case_of, reply_of = made_up(12, 3, 3, (4, 3, 2), seed)
        kept = np.flatnonzero(chance.random(len(values)) < 0.6)
        one = variance_components(*([column[place] for place in kept] for column in (values, case_of, reply_of)))
        found.append([part for part in (one.case, one.reply, one.repeat) if part is not None])
    assert np.mean(found, axis=0) == pytest.approx([16, 9, 4], rel=0.15)


def test_one_repeat_is_counted_with_the_replies() -> None:
    found = variance_components(*made_up(500, 4, 1, (8, 3, 4)))
    assert found.repeat is None
    assert found.reply == pytest.approx(25, rel=0.1)


def test_more_replies_buy_less_than_more_cases_where_cases_differ() -> None:
    found = variance_components(*made_up(30, 2, 2, (10, 2, 1)))
    now = found.variance_of_mean()
    assert now is not None
    more_cases, more_replies = found.variance_of_mean(cases=30), found.variance_of_mean(replies=2)
    assert more_cases == pytest.approx(now / 2)
    assert more_replies is not None
    assert 0.9 * now < more_replies < now


def test_nothing_gives_nothing() -> None:
    assert variance_components([], [], []).case is None
    assert variance_components([3.0], ["a"], [1]).variance_of_mean() is None
