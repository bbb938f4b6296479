"""Several subjects on the same cases, each against the first."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.decisions.made_up import FLAG, many, run_of, vote

from iamhumans.decisions.outcomes import RunOutcomes
from iamhumans.decisions.panel import Vote
from iamhumans.decisions.subjects import subject_changes
from iamhumans.reports.subjects import subjects_blocks, subjects_document
from iamhumans.reports.terminal import blocks_text


def grid(**subjects: Vote) -> RunOutcomes:
    """Twenty cases answered by each subject, all replies of one being alike."""
    runs = {name: run_of("g", many(20, one)) for name, one in subjects.items()}
    replies = [reply._replace(subject=name) for name, run in runs.items() for reply in run.replies]
    return replace(next(iter(runs.values())), replies=tuple(replies), asked=len(replies))


def test_each_is_compared_with_the_first_case_by_case() -> None:
    found = subject_changes(grid(one=vote(9), two=vote(9, FLAG), three=vote(7)))
    assert found is not None
    assert found.first == "one"
    assert {name: one.difference.difference.value for name, one in found.zero_rate.items()} == {
        "two": 1.0,
        "three": 0.0,
    }
    assert {name: one.difference.difference.value for name, one in found.quality.items()} == {
        "two": 0.0,
        "three": -20.0,
    }


def test_subjects_are_a_family() -> None:
    found = subject_changes(grid(one=vote(9), two=vote(9, FLAG), three=vote(9, FLAG), four=vote(9, FLAG)))
    assert found is not None
    assert found.zero_rate["two"].p_value == pytest.approx(3 * 2 * 0.5**20)
    assert "corrected for its number of subjects" in " ".join(
        blocks_text(list(subjects_blocks(found)), width=100, color=False).split()
    )
    assert subjects_document(found)["zero_rate"]["two"]["corrected_p_value"] == found.zero_rate["two"].p_value


def test_one_subject_is_compared_with_nothing() -> None:
    assert subject_changes(grid(one=vote(9))) is None


def test_what_the_judge_cannot_see_is_not_compared() -> None:
    blind = vote([9, 9, 9, None, 9, 9], unseen=["pity"])
    found = subject_changes(grid(one=blind, two=blind))
    assert found is not None
    assert (found.zero_rate, found.quality) == ({}, {})
