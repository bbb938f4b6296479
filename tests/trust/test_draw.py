"""Drawing replies: known chances, unbiased weights, the same on every machine."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iamhumans.errors import CommandError
from iamhumans.trust.drawing import Candidate, chance, draw

# Half of the replies are worth a look, and those are the ones that people rate lowest: a plain mean would be biased.
INTERESTS = [0] * 15 + [10] * 8 + [20] * 5 + [60] * 2
VALUES = [9 - index % 3 if interest == 0 else 5 - interest / 20 for index, interest in enumerate(INTERESTS)]
CANDIDATES = [
    Candidate(f"k{index}", f"C-{index}", "friend", 1, interest, ("judges disagree",) if interest else ())
    for index, interest in enumerate(INTERESTS)
]
VALUE_OF = {one.reply_key: value for one, value in zip(CANDIDATES, VALUES, strict=True)}
MEAN = sum(VALUES) / len(VALUES)
DRAWS = [draw(CANDIDATES, 10, seed=str(seed)) for seed in range(1_500)]


def test_weighted_mean_of_many_draws_is_the_mean_of_the_run() -> None:
    weighted = [sum(one.weight * VALUE_OF[one.reply_key] for one in found.drawn) / len(VALUES) for found in DRAWS]
    plain = [sum(VALUE_OF[one.reply_key] for one in found.drawn) / len(found.drawn) for found in DRAWS]
    assert sum(weighted) / len(weighted) == pytest.approx(MEAN, abs=0.08)
    assert sum(plain) / len(plain) < MEAN - 0.8


def test_mean_of_the_random_part_alone_is_unbiased_without_weights() -> None:
    means = []
    for found in DRAWS:
        values = [VALUE_OF[one.reply_key] for one in found.drawn if one.part == "random"]
        means.append(sum(values) / len(values))
    assert sum(means) / len(means) == pytest.approx(MEAN, abs=0.08)


def test_replies_are_drawn_as_often_as_their_weights_say() -> None:
    often = dict.fromkeys(VALUE_OF, 0)
    weights: dict[str, list[float]] = {key: [] for key in VALUE_OF}
    for found in DRAWS:
        for one in found.drawn:
            often[one.reply_key] += 1
            weights[one.reply_key].append(one.weight)
    # Equal ones are ranked anew by each seed, so only those of one rank have one chance: the two at the top.
    assert [often[key] for key in ("k28", "k29")] == [len(DRAWS)] * 2
    assert set(weights["k28"] + weights["k29"]) == {1.0}
    for key, count in often.items():
        assert sum(weights[key]) / len(DRAWS) == pytest.approx(1, abs=0.2), (key, count)


@given(st.integers(2, 40), st.data())
def test_chances_add_up_to_the_number_that_is_drawn(size: int, data: st.DataObject) -> None:
    by_chance = data.draw(st.integers(1, size))
    aimed = data.draw(st.integers(0, size - by_chance))
    chances = [chance(rank, size, by_chance, aimed) for rank in range(1, size + 1)]
    assert sum(chances) == by_chance + aimed
    assert chances == sorted(chances, reverse=True)
    assert all(0 < one <= 1 for one in chances)


def test_chance_is_that_of_counting_all_draws() -> None:
    # Two of four by chance, one aimed: rank 3 is targeted only where both in front of it were drawn by chance.
    assert [chance(rank, 4, 2, 1) for rank in (1, 2, 3, 4)] == [1, Fraction(5, 6), Fraction(2, 3), Fraction(1, 2)]


@given(st.integers(1, 40), st.floats(0, 1), st.text(max_size=3))
def test_so_many_are_drawn_as_were_asked_for_and_none_twice(count: int, targeted: float, seed: str) -> None:
    found = draw(CANDIDATES, count, seed=seed, targeted=targeted)
    keys = [one.reply_key for one in found.drawn]
    assert len(keys) == len(set(keys)) == min(count, len(CANDIDATES))


def test_half_is_random_unless_said_otherwise() -> None:
    found = draw(CANDIDATES, 11)
    assert (found.part("random"), found.part("targeted"), found.replies) == (6, 5, 30)


def test_targeted_part_is_smaller_where_little_is_worth_a_look() -> None:
    few = [*CANDIDATES[:10], CANDIDATES[29]]
    found = draw(few, 6)
    assert (found.part("random"), found.part("targeted")) == (5, 1)


def test_all_are_drawn_where_there_are_no_more() -> None:
    found = draw(CANDIDATES, 50)
    assert {one.weight for one in found.drawn} == {1.0}


def test_without_a_targeted_part_all_weights_are_alike() -> None:
    assert {one.weight for one in draw(CANDIDATES, 6, targeted=0).drawn} == {5.0}


def test_same_seed_gives_the_same_draw_whatever_the_order() -> None:
    shuffled = random.Random(1).sample(CANDIDATES, len(CANDIDATES))
    assert draw(CANDIDATES, 10, seed="a") == draw(shuffled, 10, seed="a")
    assert draw(CANDIDATES, 10, seed="a") != draw(CANDIDATES, 10, seed="b")


def test_draw_is_the_same_on_every_machine() -> None:
    assert [one.reply_key for one in draw(CANDIDATES, 4).drawn] == ["k28", "k29", "k25", "k22"]


def test_targeted_ones_say_why_and_random_ones_do_not() -> None:
    found = draw(CANDIDATES, 10)
    assert all(bool(one.reasons) == (one.part == "targeted") for one in found.drawn)


def test_nothing_to_draw_from_is_an_error() -> None:
    with pytest.raises(CommandError, match="no judged reply"):
        draw([], 3)
