"""Choices between two replies in the journal: what they are known by, kept once, found again."""

from __future__ import annotations

import contextlib
import json
import re
import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.builders import FEW, HOSTILE_TEXT, case
from tests.runs.working import local_model, work
from tests.servers import Behaviour, ChatServer, Received, say

from iamhumans.cases import Reply
from iamhumans.judges import LlmPreference, Order, PreferenceTask, Settled, Settlement, settled
from iamhumans.models import ChatModel
from iamhumans.prompts import side_by_side_hash
from iamhumans.runs import Job, Journal, Replied, ReplyEntry, Text, check_token, content_hash
from iamhumans.runs.journal.entries import execute_all
from iamhumans.runs.journal.preferences import PREFERENCES_TABLE, PreferenceEntry, preference_key
from iamhumans.runs.journal.schema import MIGRATIONS, migrate, version_of
from iamhumans.verdicts import Choice, Preference, PreferenceOutcome, Reason, Unjudged

WITH_TABLE = MIGRATIONS if PREFERENCES_TABLE in MIGRATIONS else (*MIGRATIONS, PREFERENCES_TABLE)
GIVEN = tuple((ReplyEntry(name, "BAK-001", f"skill {name}", 1, "c"), Replied(f"text of {name}")) for name in "ab")
ENTRY = PreferenceEntry("k", "a", "b", "some/model", prompt_hash="p", persona_hash="q", given=GIVEN)
CHOSEN = Preference(Choice.SECOND, ("one",), ("two", "three"), "It asks.", True, ("code_fence",))
LATE = Unjudged(Reason.TIMEOUT, "late")


def opened() -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    connection.execute("PRAGMA foreign_keys = ON")
    migrate(connection, WITH_TABLE)
    return connection


@pytest.fixture
def journal() -> Iterator[sqlite3.Connection]:
    connection = opened()
    yield connection
    connection.close()


def keep(
    journal: sqlite3.Connection, outcome: PreferenceOutcome, *, entry: PreferenceEntry = ENTRY, final: bool = True
) -> None:
    execute_all(journal, [*entry.kept(outcome, final=final), *entry.placed()])


ALL = [
    CHOSEN,
    Preference(Choice.FIRST),
    Preference(Choice.FIRST, confirmed=False),
    Preference(Choice.NEITHER, ("a",), (), "", None),
    Unjudged(Reason.BAD_CHOICE, "choice is `MAYBE`"),
    Unjudged(Reason.NO_REPLY),
]


@pytest.mark.parametrize("outcome", ALL)
def test_outcome_is_found_as_it_was_kept(journal: sqlite3.Connection, outcome: PreferenceOutcome) -> None:
    keep(journal, outcome)

    assert ENTRY.find(journal) == outcome


@FEW
@given(st.lists(HOSTILE_TEXT, min_size=3, max_size=3))
def test_any_words_are_kept(texts: list[str]) -> None:
    journal = opened()
    keep(journal, preference_of(texts))

    # Two halves of a character that stand side by side are that character; a half by itself stays one.
    joined = [text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass") for text in texts]
    assert ENTRY.find(journal) == preference_of(joined)
    journal.close()


def preference_of(texts: list[str]) -> Preference:
    return Preference(Choice.FIRST, (texts[0],), (texts[1],), texts[2])


def test_halves_of_a_character_side_by_side_come_back_as_the_character(journal: sqlite3.Connection) -> None:
    keep(journal, preference_of(["a", "b", "\ud83d\ude00"]))

    assert ENTRY.find(journal) == preference_of(["a", "b", "\U0001f600"])


def test_what_is_not_final_is_not_found_and_replaced(journal: sqlite3.Connection) -> None:
    keep(journal, LATE, final=False)
    assert ENTRY.find(journal) is None

    keep(journal, CHOSEN)
    assert ENTRY.find(journal) == CHOSEN


def test_what_stands_is_never_replaced(journal: sqlite3.Connection) -> None:
    keep(journal, CHOSEN)
    keep(journal, LATE, final=False)

    assert ENTRY.find(journal) == CHOSEN


def test_another_key_finds_nothing(journal: sqlite3.Connection) -> None:
    keep(journal, CHOSEN)

    assert PreferenceEntry("other", "a", "b", "some/model").find(journal) is None


def test_row_refers_to_both_replies_and_the_texts(journal: sqlite3.Connection) -> None:
    texts = (Text("prompt", "p", "the prompt"), Text("persona", "q", "A baker."))
    keep(journal, CHOSEN, entry=PreferenceEntry("k", "a", "b", "j", 1, "p", "q", GIVEN, texts))
    row = journal.execute(
        "SELECT one.subject, other.subject, p.text, q.text, choice, confirmed FROM preferences"
        " JOIN replies AS one ON one.id = first_reply JOIN replies AS other ON other.id = second_reply"
        " JOIN texts AS p ON p.id = prompt_text JOIN texts AS q ON q.id = persona_text"
    ).fetchone()

    assert row == ("skill a", "skill b", "the prompt", "A baker.", "second", 1)


def test_choice_between_replies_that_nobody_kept_is_refused(journal: sqlite3.Connection) -> None:
    with pytest.raises(sqlite3.IntegrityError):
        keep(journal, CHOSEN, entry=PreferenceEntry("k", "a", "b", "j"))


def test_choice_goes_with_a_reply_that_is_deleted(journal: sqlite3.Connection) -> None:
    keep(journal, CHOSEN)
    journal.execute("DELETE FROM replies WHERE key = 'b'")

    assert ENTRY.find(journal) is None


def test_journal_without_the_table_gets_it() -> None:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    migrate(connection, MIGRATIONS[:1])
    migrate(connection, WITH_TABLE)

    assert version_of(connection) == len(WITH_TABLE)
    assert connection.execute("SELECT count(*) FROM preferences").fetchone() == (0,)
    connection.close()


# --- with the engine


def choosing(received: Received) -> Behaviour:
    """Behave as a judge that prefers the reply about rolls, wherever it stands."""
    shown = received.messages[1]["content"]
    choice = "first" if shown.index("rolls") < shown.index("acknowledge") else "second"
    quotes = {"first": "poppy rolls", "second": "I want to acknowledge"}
    if choice == "second":
        quotes = {"first": quotes["second"], "second": quotes["first"]}
    token = re.search(r"Check token: `([a-z2-7]+)`", shown)
    assert token is not None
    values = {"case_id": "BAK-001", "check": token[1], "first_quote": quotes["first"]}
    return say(json.dumps({**values, "second_quote": quotes["second"], "choice": choice, "reason": "It asks."}))


def choosing_jobs(journal: Journal, model: ChatModel, a: Reply, b: Reply) -> Iterator[Job[Preference]]:
    """A question in each order about two replies that came in a file."""
    judge, of = LlmPreference("local"), case()
    for order in Order:
        task = PreferenceTask(of, a, b, order)
        replies = [
            (ReplyEntry(reply.subject, of.id, reply.subject, 1, of.hash), Replied(reply.text)) for reply in task.shown
        ]
        key = preference_key(
            prompt_hash=side_by_side_hash(),
            persona_hash=None,
            case_hash=of.hash,
            first_hash=content_hash(task.shown[0].text),
            second_hash=content_hash(task.shown[1].text),
            judge=judge.name,
            settings={},
            repeat=1,
        )
        entry = PreferenceEntry(key, task.shown[0].subject, task.shown[1].subject, judge.name, given=tuple(replies))
        asking = replace(task, token=check_token(journal.secret, key))
        yield Job(entry, f"{of.id} by {judge.name}", partial(judge.next, asking), model)


def test_engine_asks_both_orders_once_and_never_again_whichever_is_named_first(tmp_path: Path) -> None:
    a = Reply("BAK-001", "Oh no. The one with the poppy rolls?", "one")
    b = Reply("BAK-001", "I want to acknowledge how hard this must be.", "two")
    with ChatServer(choosing) as server, Journal.open(tmp_path / "journal.db") as journal:
        if PREFERENCES_TABLE not in MIGRATIONS:
            with contextlib.closing(sqlite3.connect(tmp_path / "journal.db")) as connection:
                connection.executescript(PREFERENCES_TABLE)
        settlements = []
        for one, other in ((a, b), (b, a)):
            model = local_model(tmp_path, server.openai_url)
            ended = work(journal, choosing_jobs(journal, model, one, other), model=model)
            by_key = {end.job.entry.key: end.outcome for end in ended}
            in_order = [by_key[job.entry.key] for job in choosing_jobs(journal, model, one, other)]
            settlements.append(settled(*in_order))
        assert server.count == 2
    assert settlements == [Settled(Settlement.A), Settled(Settlement.B)]


# --- keys

PARTS: Mapping[str, Any] = {
    "prompt_hash": "p",
    "persona_hash": None,
    "case_hash": "c",
    "first_hash": "a",
    "second_hash": "b",
    "judge": "some/model",
    "settings": {"model": "tiny"},
    "repeat": 1,
    "salt": "",
}
OTHERS: Mapping[str, Any] = {
    "prompt_hash": None,
    "persona_hash": "q",
    "case_hash": "d",
    "first_hash": "x",
    "second_hash": "y",
    "judge": "other/model",
    "settings": {"model": "large"},
    "repeat": 2,
    "salt": "s",
}


@pytest.mark.parametrize("part", list(PARTS))
def test_key_covers_every_part(part: str) -> None:
    assert preference_key(**{**PARTS, part: OTHERS[part]}) != preference_key(**PARTS)


def test_key_covers_the_order() -> None:
    swapped = {**PARTS, "first_hash": PARTS["second_hash"], "second_hash": PARTS["first_hash"]}

    assert preference_key(**swapped) != preference_key(**PARTS)


def test_key_is_the_same_each_time() -> None:
    assert preference_key(**PARTS) == preference_key(**{name: PARTS[name] for name in reversed(list(PARTS))})
