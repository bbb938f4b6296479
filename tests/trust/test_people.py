"""Several people as one, and side by side."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.trust.compared import FLAGS, judged, said

from iamhumans.trust.people import people_of


def test_more_than_half_make_a_yes() -> None:
    (reply,) = people_of([said("r", rater=name, pity=name != "cid") for name in ("ann", "bob", "cid")]).replies
    assert reply.flag("pity") is True


def test_a_tie_is_a_split_and_no_answer() -> None:
    people = people_of([said("r", rater="ann", pity=True), said("r", rater="bob", pity=False)])
    assert people.replies[0].flag("pity") == "split"
    assert np.isnan(people.combined("hard_fail", "pity")).all()
    assert people.split("pity") == 1


def test_cannot_tell_is_counted_and_leaves_the_answer_to_others() -> None:
    people = people_of([said("r", rater="ann", pity=None), said("r", rater="bob", pity=True)])
    assert people.replies[0].flag("pity") is True
    assert people.cannot_tell("hard_fail", "pity") == 1


def test_what_was_not_asked_is_not_cannot_tell() -> None:
    people = people_of([replace(said("r"), flags={}, axes={"naturalness": 3.0})])
    assert people.replies[0].flag("pity") is None
    assert people.cannot_tell("hard_fail", "pity") == 0


def test_an_axis_is_the_median() -> None:
    people = people_of([said("r", rater=name, naturalness=value) for name, value in (("a", 2), ("b", 7), ("c", 8))])
    assert people.replies[0].axis("naturalness") == 7


@pytest.mark.parametrize(
    ("pity", "lecturing", "zeroed"),
    [(True, None, True), (False, False, False), (False, None, None), (None, None, None)],
)
def test_a_reply_is_zeroed_where_that_is_settled(
    pity: bool | None, lecturing: bool | None, zeroed: bool | None
) -> None:
    (reply,) = people_of([said("r", pity=pity, lecturing=lecturing)]).replies
    assert reply.zeroed(FLAGS) is zeroed


def test_a_yes_settles_nothing_where_a_no_would_not_have() -> None:
    (reply,) = people_of([replace(said("r"), flags={"pity": True})]).replies
    assert reply.zeroed(FLAGS) is None


def test_the_table_has_a_column_for_each_rater_the_busiest_first() -> None:
    people = people_of([said("r", rater="zoe"), said("r", rater="ann", naturalness=3.0), said("q", rater="zoe")])
    assert people.raters == ("zoe", "ann")
    assert np.nan_to_num(people.table("axis", "naturalness"), nan=-1).tolist() == [[8, 3], [8, -1]]


def test_weight_and_part_come_from_the_draw() -> None:
    people = people_of([said("r", weight=4.0, part="random"), said("q")])
    assert people.weights.tolist() == [4.0, 1.0]
    assert (people.of_part("random"), people.of_part(None)) == (1, 1)


def test_of_one_raters_labels_of_a_reply_the_last_stands() -> None:
    people = people_of([said("r", pity=True), said("r", pity=False)])
    assert len(people.replies[0].labels) == 1
    assert people.replies[0].flag("pity") is False


def test_labels_of_no_known_reply_and_empty_ones_are_passed_over() -> None:
    assert people_of([replace(said("r"), reply_key=None), replace(said("q"), flags={}, axes={})]).replies == ()


def test_a_defaulted_axis_is_not_at_stake() -> None:
    assert judged("r", defaulted=["naturalness"]).at_stake("naturalness") is None
