"""Labels in the journal: one a rater and a reply, shared by all runs with the reply."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.builders import FEW, HOSTILE_TEXT

from iamhumans.errors import CannotRunError
from iamhumans.runs.journal.entries import JudgementEntry, Replied, ReplyEntry, storable
from iamhumans.runs.journal.journal import Journal
from iamhumans.runs.journal.labels import labels_of, store_labels
from iamhumans.runs.journal.queries import RunRecord
from iamhumans.runs.labels import Label
from iamhumans.trust.labels import merge_labels
from iamhumans.verdicts import Reason, Unjudged

WORDS = {"pity": ("poor thing",)}
LABEL = Label("a", "BAK-001", "friend", 1, "ann", {"pity": True, "lecturing": None}, {"naturalness": 3.5}, WORDS, "hm")
OTHER = replace(LABEL, rater="bob", flags={"pity": False}, words={})


def entry(key: str, row: int, run: int) -> JudgementEntry:
    given = ((ReplyEntry(key, key, "BAK-001", "friend", 1), Replied(f"text of {key}")),)
    name = f"{key}{run}"
    return JudgementEntry(name, name, key, "friend", "rules", 1, None, run=run, row=row, given=given)


def fill(connection: sqlite3.Connection, run: int, *keys: str) -> None:
    for row, key in enumerate(keys, start=1):
        one = entry(key, row, run)
        one.store(connection, Unjudged(Reason.TIMEOUT), final=True)
        one.place(connection)


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[tuple[Journal, RunRecord]]:
    """A journal with one run of two replies."""
    with Journal.open(tmp_path / "journal.db") as journal:
        yield journal, a_run(journal, "a", "b")


def a_run(journal: Journal, *keys: str) -> RunRecord:
    run = journal.begin_run({"judges": [{"name": "rules"}]}, asked=len(keys))
    with journal.transaction() as connection:
        fill(connection, run.id, *keys)
    return run


def test_a_label_is_found_as_it_was_stored(opened: tuple[Journal, RunRecord]) -> None:
    journal, run = opened
    theirs = replace(LABEL, case_id="scenario 7", part="targeted", weight=4 / 3)
    store_labels(journal, [theirs])
    assert labels_of(journal, run) == [theirs]


@FEW
@given(st.lists(HOSTILE_TEXT, min_size=3, max_size=3))
def test_any_words_can_be_stored(texts: list[str]) -> None:
    with Journal.open(None) as journal:
        run = a_run(journal, "a")
        label = replace(LABEL, rater=texts[0], notes=texts[1], words={"pity": (texts[2],)})
        store_labels(journal, [label])
        assert labels_of(journal, run) == [
            replace(label, rater=storable(texts[0]), notes=storable(texts[1]), words={"pity": (storable(texts[2]),)})
        ]


def test_other_label_of_the_same_rater_takes_its_place(opened: tuple[Journal, RunRecord]) -> None:
    journal, run = opened
    store_labels(journal, [LABEL])
    store_labels(journal, [replace(LABEL, flags={})])
    assert labels_of(journal, run) == [replace(LABEL, flags={})]


def test_several_raters_have_a_label_each_in_the_order_of_the_run(opened: tuple[Journal, RunRecord]) -> None:
    journal, run = opened
    second = replace(LABEL, reply_key="b")
    store_labels(journal, [second, OTHER, LABEL])
    assert labels_of(journal, run) == [LABEL, OTHER, second]


def test_runs_with_the_same_reply_share_its_labels(opened: tuple[Journal, RunRecord]) -> None:
    journal, _ = opened
    second = replace(LABEL, reply_key="b")
    store_labels(journal, [second, LABEL])
    assert labels_of(journal, a_run(journal, "b")) == [second]


def test_an_empty_label_only_deletes_the_one_before(opened: tuple[Journal, RunRecord]) -> None:
    journal, run = opened
    store_labels(journal, [LABEL, OTHER])
    store_labels(journal, [replace(LABEL, flags={}, axes={}, words={}, notes="")])
    assert labels_of(journal, run) == [OTHER]


def test_labels_are_stored_all_or_none(opened: tuple[Journal, RunRecord]) -> None:
    journal, run = opened
    with pytest.raises(CannotRunError, match="not in the journal"):
        store_labels(journal, [LABEL, replace(LABEL, reply_key="z")])
    assert labels_of(journal, run) == []


def test_labels_stay_when_their_run_is_deleted(opened: tuple[Journal, RunRecord]) -> None:
    journal, run = opened
    store_labels(journal, [LABEL])
    journal.delete_run(run)
    assert labels_of(journal, a_run(journal, "a")) == [LABEL]


def test_an_imported_label_joins_what_its_rater_said_before() -> None:
    axes = replace(LABEL, flags={}, words={}, notes="", axes={"empathy_fit": 5.0})
    found = merge_labels(replace(LABEL, part="random", weight=2.0), axes)
    assert found.axes == {"naturalness": 3.5, "empathy_fit": 5.0}
    assert (found.flags, found.words, found.notes) == (LABEL.flags, WORDS, "hm")
    assert (found.part, found.weight) == ("random", 2.0)


def test_words_go_with_a_yes_that_is_taken_back() -> None:
    assert merge_labels(LABEL, replace(LABEL, flags={"pity": False}, words={})).words == {}


@pytest.mark.parametrize("values", ["'x', 1.0", "'random', 0.0"])
def test_part_and_weight_are_what_they_can_be(opened: tuple[Journal, RunRecord], values: str) -> None:
    columns = "reply, rater, answers, notes, part, weight, labelled"
    with opened[0].transaction() as connection, pytest.raises(sqlite3.IntegrityError):
        connection.execute(f"INSERT INTO labels ({columns}) VALUES (1, 'a', '', '', {values}, '')")
