"""Looks of gates in the journal."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import given
from tests.builders import FEW, HOSTILE_TEXT

from iamhumans.runs.journal.journal import Journal
from iamhumans.runs.journal.looks import (
    Look,
    Question,
    SeenCase,
    look_from_dict,
    look_to_dict,
    looks_at,
    looks_at_matter,
    looks_of_run,
    store_look,
)

ASKED = Question({"suite": "s", "subject": ["x"]}, {"max_zero_rate": 0.1})
ONE = Look(
    *(ASKED, "sequential", True, "abc", "suite", "data", "pass"),
    seen=(SeenCase("A", 2, "abc"),),
    evidence={"zero rate": {"met": 3.5}},
    at="t",
)


@pytest.fixture
def journal() -> Iterator[Journal]:
    with Journal.open(None) as journal:
        yield journal


def test_a_look_comes_back_as_it_was(journal: Journal) -> None:
    store_look(journal, ONE)
    assert looks_at(journal, ASKED) == looks_at_matter(journal, ASKED) == looks_of_run(journal, "abc") == [ONE]


def test_a_second_look_at_the_same_results_is_the_same_look(journal: Journal) -> None:
    for look in (ONE, ONE, replace(ONE, data="more"), ONE):
        store_look(journal, look)
    assert [one.data for one in looks_at(journal, ASKED)] == ["data", "more", "data"]


def test_other_thresholds_are_another_question_about_the_same(journal: Journal) -> None:
    other = Question(ASKED.matter, {"max_zero_rate": 0.2})
    store_look(journal, ONE)
    assert looks_at(journal, other) == []
    assert looks_at_matter(journal, other) == [ONE]


def test_an_exported_look_comes_back_as_imported() -> None:
    assert look_from_dict(look_to_dict(ONE)) == replace(ONE, imported=True)


@FEW
@given(HOSTILE_TEXT)
def test_any_name_of_a_case_can_be_stored(name: str) -> None:
    with Journal.open(None) as journal:
        store_look(journal, replace(ONE, seen=(SeenCase(name, 1, "abc"),)))
        assert len(looks_at(journal, ASKED)) == 1
