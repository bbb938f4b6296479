"""Labels in the journal: one a rater and a reply, shared by all runs with the reply."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from iamhumans.trust.store import change_label, import_labels, labels_of, merge_labels, store_labels
from tests.builders import FEW, HOSTILE_TEXT

from iamhumans.errors import CannotRunError
from iamhumans.runs.journal.database import in_memory
from iamhumans.runs.journal.entries import JudgementEntry, Replied, ReplyEntry, storable
from iamhumans.runs.journal.journal import Journal
from iamhumans.runs.journal.labels import delete_label, find_label, labels_of_run, store_label
from iamhumans.runs.journal.queries import RunRecord
from iamhumans.runs.labels import Label
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
def connection() -> Iterator[sqlite3.Connection]:
    connection = in_memory()
    connection.execute("PRAGMA foreign_keys = OFF")
    fill(connection, 1, "a", "b")
    fill(connection, 2, "b")
    yield connection
    connection.close()


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[tuple[Journal, RunRecord]]:
    """A journal with one run of two replies."""
    with Journal.open(tmp_path / "journal.db") as journal:
        run = journal.begin_run({"judges": [{"name": "rules"}]}, asked=2)
        with journal.transaction() as connection:
            fill(connection, run.id, "a", "b")
        yield journal, run


def test_a_label_is_found_as_it_was_stored(connection: sqlite3.Connection) -> None:
    drawn = replace(LABEL, part="targeted", weight=4 / 3)
    store_label(connection, drawn)
    assert find_label(connection, "a", "ann") == drawn


@FEW
@given(st.lists(HOSTILE_TEXT, min_size=3, max_size=3))
def test_any_words_can_be_stored(texts: list[str]) -> None:
    connection = in_memory()
    connection.execute("PRAGMA foreign_keys = OFF")
    fill(connection, 1, "a")
    label = replace(LABEL, rater=texts[0], notes=texts[1], words={"pity": (texts[2],)})
    store_label(connection, label)
    found = find_label(connection, "a", texts[0])
    assert found == replace(label, rater=storable(texts[0]), notes=storable(texts[1]))
    connection.close()


def test_other_label_of_the_same_rater_takes_its_place(connection: sqlite3.Connection) -> None:
    store_label(connection, LABEL)
    store_label(connection, replace(LABEL, flags={}))
    assert list(labels_of_run(connection, 1)) == [replace(LABEL, flags={})]


def test_several_raters_have_a_label_each_in_the_order_of_the_run(connection: sqlite3.Connection) -> None:
    second = replace(LABEL, reply_key="b")
    for label in (second, OTHER, LABEL):
        store_label(connection, label)
    assert list(labels_of_run(connection, 1)) == [LABEL, OTHER, second]


def test_runs_with_the_same_reply_share_its_labels(connection: sqlite3.Connection) -> None:
    second = replace(LABEL, reply_key="b")
    store_label(connection, second)
    store_label(connection, LABEL)
    assert list(labels_of_run(connection, 2)) == [second]


def test_a_label_can_be_deleted(connection: sqlite3.Connection) -> None:
    store_label(connection, LABEL)
    store_label(connection, OTHER)
    delete_label(connection, "a", "ann")
    assert list(labels_of_run(connection, 1)) == [OTHER]


def test_case_as_a_file_called_it_stays(connection: sqlite3.Connection) -> None:
    theirs = replace(LABEL, case_id="scenario 7")
    store_label(connection, theirs)
    assert find_label(connection, "a", "ann") == theirs


def test_label_of_a_reply_that_is_gone_is_refused(connection: sqlite3.Connection) -> None:
    with pytest.raises(CannotRunError, match="not in the journal"):
        store_label(connection, replace(LABEL, reply_key="z"))


def test_labels_are_stored_all_or_none(opened: tuple[Journal, RunRecord]) -> None:
    journal, run = opened
    with pytest.raises(CannotRunError):
        store_labels(journal, [LABEL, replace(LABEL, reply_key="z")])
    assert labels_of(journal, run) == []


def test_labels_can_be_stored_and_deleted(opened: tuple[Journal, RunRecord]) -> None:
    journal, run = opened
    store_labels(journal, [LABEL, OTHER])
    change_label(journal, "a", "bob", lambda _: None)
    assert labels_of(journal, run) == [LABEL]


def test_labels_stay_when_their_run_is_deleted(opened: tuple[Journal, RunRecord]) -> None:
    journal, run = opened
    store_labels(journal, [LABEL])

    journal.delete_run(run)

    with journal.transaction() as connection:
        assert find_label(connection, "a", "ann") == LABEL
        assert connection.execute("SELECT key FROM replies").fetchall() == [("a",)]


def test_labels_from_elsewhere_join_what_their_rater_said_before(opened: tuple[Journal, RunRecord]) -> None:
    journal, run = opened
    store_labels(journal, [replace(LABEL, part="random", weight=2.0)])
    axes = replace(LABEL, flags={}, words={}, notes="", axes={"empathy_fit": 5.0})
    import_labels(journal, run, [axes])
    (found,) = labels_of(journal, run)
    assert found.axes == {"naturalness": 3.5, "empathy_fit": 5.0}
    assert (found.flags, found.words, found.notes) == (LABEL.flags, WORDS, "hm")
    assert (found.part, found.weight) == ("random", 2.0)


def test_words_go_with_a_yes_that_is_taken_back() -> None:
    assert merge_labels(LABEL, replace(LABEL, flags={"pity": False}, words={})).words == {}


@pytest.mark.parametrize("values", ["'x', 1.0", "'random', 0.0"])
def test_part_and_weight_are_what_they_can_be(connection: sqlite3.Connection, values: str) -> None:
    with pytest.raises(sqlite3.IntegrityError):
        connection.execute(
            "INSERT INTO labels (reply, rater, answers, notes, part, weight, labelled)"
            f" VALUES (1, 'a', '', '', {values}, '')"
        )
