"""Calibrations in the journal: kept once, found by judge, the newest first."""

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
from iamhumans.runs.journal.schema import migrate

ENTRY = CalibrationEntry("some/model", {"repeats": 1}, "rubric", "prompt", "labels", "abc", "{}")


def opened() -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    migrate(connection)
    return connection


@pytest.fixture
def journal() -> Iterator[sqlite3.Connection]:
    connection = opened()
    yield connection
    connection.close()


def documents(journal: sqlite3.Connection, judge: str = "some/model") -> list[str]:
    return [calibration_document_of(journal, one.id) for one in calibrations_of_judge(journal, judge)]


def test_what_is_kept_is_found_by_its_judge(journal: sqlite3.Connection) -> None:
    store_calibration_entry(journal, ENTRY)
    (found,) = calibrations_of_judge(journal, "some/model")
    assert (found.rubric_hash, found.prompt_hash, json.loads(found.settings)) == ("rubric", "prompt", {"repeats": 1})
    assert documents(journal, "another/model") == []


def test_the_same_labels_again_take_the_place_of_what_they_gave_before(journal: sqlite3.Connection) -> None:
    store_calibration_entry(journal, ENTRY)
    store_calibration_entry(journal, replace(ENTRY, labels_hash="others", document='"second"'))
    store_calibration_entry(journal, replace(ENTRY, document='"third"'))
    assert documents(journal) == ['"third"', '"second"']


def test_a_judge_without_a_prompt_is_bound_to_none(journal: sqlite3.Connection) -> None:
    store_calibration_entry(journal, replace(ENTRY, prompt_hash=None))
    assert [one.prompt_hash for one in calibrations_of_judge(journal, "some/model")] == [None]


@FEW
@given(HOSTILE_TEXT)
def test_any_name_of_a_judge_can_be_kept(name: str) -> None:
    journal = opened()
    store_calibration_entry(journal, replace(ENTRY, judge=name))
    assert documents(journal, name) == ["{}"]
    journal.close()
