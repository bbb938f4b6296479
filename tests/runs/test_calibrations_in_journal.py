"""Calibrations in the journal: stored once, found by judge, the newest first."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import given
from tests.builders import FEW, HOSTILE_TEXT

from iamhumans.runs.journal.calibrations import (
    CalibrationEntry,
    calibration_document_of,
    calibrations_of_judge,
    store_calibration_entry,
)
from iamhumans.runs.journal.database import in_memory

ENTRY = CalibrationEntry("some/model", {"repeats": 1}, "rubric", "prompt", "labels", "abc", "{}")


@pytest.fixture
def journal() -> Iterator[sqlite3.Connection]:
    connection = in_memory()
    yield connection
    connection.close()


def documents(journal: sqlite3.Connection, judge: str = "some/model") -> list[str]:
    return [calibration_document_of(journal, one.id) for one in calibrations_of_judge(journal, judge)]


def test_a_calibration_is_found_by_its_judge(journal: sqlite3.Connection) -> None:
    store_calibration_entry(journal, ENTRY)
    (found,) = calibrations_of_judge(journal, "some/model")
    assert (found.rubric_hash, found.prompt_hash, json.loads(found.settings)) == ("rubric", "prompt", {"repeats": 1})
    assert documents(journal, "another/model") == []


def test_a_calibration_by_the_same_labels_replaces_the_earlier_one(journal: sqlite3.Connection) -> None:
    store_calibration_entry(journal, ENTRY)
    store_calibration_entry(journal, replace(ENTRY, labels_hash="others", document='"second"'))
    store_calibration_entry(journal, replace(ENTRY, document='"third"'))
    assert documents(journal) == ['"third"', '"second"']


def test_a_judge_without_a_prompt_is_bound_to_none(journal: sqlite3.Connection) -> None:
    store_calibration_entry(journal, replace(ENTRY, prompt_hash=None))
    assert [one.prompt_hash for one in calibrations_of_judge(journal, "some/model")] == [None]


@FEW
@given(HOSTILE_TEXT)
def test_any_name_of_a_judge_can_be_stored(name: str) -> None:
    journal = in_memory()
    store_calibration_entry(journal, replace(ENTRY, judge=name))
    assert documents(journal, name) == ["{}"]
    journal.close()
