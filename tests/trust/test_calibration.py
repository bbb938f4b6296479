"""A calibration as a whole: what it is bound to, and what it keeps for corrections."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.trust.compared import IDENTITY, a_calibration, judged, learned, said

from iamhumans.errors import CannotRunError
from iamhumans.trust.calibration import labels_hash


def test_it_is_bound_to_the_judge_and_says_where_the_labels_came_from() -> None:
    found = a_calibration()
    assert found.identity == IDENTITY
    assert (found.labels.labels, found.labels.replies, found.labels.raters, found.labels.cases) == (120, 60, 2, 60)


def test_a_pair_holds_both_sides() -> None:
    (pair,) = learned([said("r", pity=True)], [judged("r")]).pairs
    assert (pair.people.flags["pity"], pair.judge.flags["pity"]) == (True, False)
    assert (pair.people.zeroed, pair.people.total) == (True, 0.0)
    assert (pair.judge.zeroed, pair.judge.total) == (False, 80.0)


def test_an_axis_that_is_not_at_stake_counts_in_peoples_total_as_in_the_judges() -> None:
    label = replace(said("r"), axes={"empathy_fit": 6.0})
    (pair,) = learned([label], [judged("r", axes={"naturalness": 10.0}, defaulted=["naturalness"])]).pairs
    assert pair.people.total == 80.0


@pytest.mark.parametrize("zeroed", [False, True])
def test_an_axis_that_nobody_scored_leaves_peoples_total_open_also_where_they_zero_it(zeroed: bool) -> None:
    (pair,) = learned([replace(said("r", pity=zeroed), axes={"empathy_fit": 6.0})], [judged("r")]).pairs
    assert (pair.people.zeroed, pair.people.total) == (zeroed, None)


def test_the_hash_of_labels_is_the_same_in_any_order_and_another_for_other_answers() -> None:
    labels = [said("r"), said("q")]
    assert labels_hash(labels) == labels_hash(labels[::-1])
    assert labels_hash(labels) != labels_hash([said("r", pity=True), said("q")])


@pytest.mark.parametrize("label", [said("other"), replace(said("r"), flags={"unknown": True}, axes={})])
def test_labels_of_nothing_that_was_judged_are_refused(label: object) -> None:
    from iamhumans.runs.labels import Label

    assert isinstance(label, Label)
    with pytest.raises(CannotRunError, match="No label is about a reply"):
        learned([label], [judged("r")])
