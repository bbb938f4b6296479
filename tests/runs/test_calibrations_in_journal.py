"""Calibrations in the journal: stored once, found by judge, the newest first."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import given
from tests.builders import FEW, HOSTILE_TEXT

from iamhumans.runs.journal.calibrations import StoredCalibration, calibrations_of, store_calibration
from iamhumans.runs.journal.journal import Journal

ONE = StoredCalibration("some/model", {"repeats": 1}, "rubric", "prompt", "labels", "abc", "{}")


@pytest.fixture
def journal() -> Iterator[Journal]:
    with Journal.open(None) as journal:
        yield journal


@pytest.mark.parametrize("one", [ONE, replace(ONE, prompt_hash=None)])
def test_a_calibration_is_found_by_its_judge(journal: Journal, one: StoredCalibration) -> None:
    store_calibration(journal, one)
    assert calibrations_of(journal, "some/model") == [one]
    assert calibrations_of(journal, "another/model") == []


def test_a_calibration_by_the_same_labels_replaces_the_earlier_one(journal: Journal) -> None:
    store_calibration(journal, ONE)
    store_calibration(journal, replace(ONE, labels_hash="others", document='"second"'))
    store_calibration(journal, replace(ONE, document='"third"'))
    assert [one.document for one in calibrations_of(journal, "some/model")] == ['"third"', '"second"']


@FEW
@given(HOSTILE_TEXT)
def test_any_name_of_a_judge_can_be_stored(name: str) -> None:
    with Journal.open(None) as journal:
        store_calibration(journal, replace(ONE, judge=name))
        assert len(calibrations_of(journal, name)) == 1
