"""What the journal gives back."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.builders import FEW, HOSTILE_TEXT, SEED, verdict_of

from iamhumans.cases import Speaker, Turn
from iamhumans.errors import CommandError, JournalError
from iamhumans.runs.journal.entries import Entry, JudgementEntry, Replied, ReplyEntry, Text, storable
from iamhumans.runs.journal.journal import Journal
from iamhumans.runs.journal.queries import RunRecord, RunStatus
from iamhumans.runs.keys import content_hash
from iamhumans.verdicts import (
    Asked,
    Choice,
    Judgement,
    Preference,
    Reason,
    Unjudged,
    Verdict,
    read_verdict,
    score_verdict,
)

REPLY = "Oh no. The one with the poppy rolls?"


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    with Journal.open(tmp_path / "journal.db") as opened:
        yield opened


def judged(text: str | None = None, reply: str = REPLY) -> Judgement:
    asked = Asked("BAK-001", reply=reply, single_turn=True, repair=False)
    verdict = read_verdict(text or verdict_of(), SEED, asked)
    assert isinstance(verdict, Verdict)
    return score_verdict(verdict, SEED, asked, case_id="BAK-001")


def entry(
    run: RunRecord | None = None, row: int = 1, *, judge: str = "j", subject: str = "s", salt: str = ""
) -> JudgementEntry:
    reply, base = content_hash(f"{subject} {row}"), content_hash(f"{judge} {subject} {row}")
    given = ((ReplyEntry(reply, reply, "BAK-001", subject, 1), Replied(REPLY)),)
    number = None if run is None else run.id
    return JudgementEntry(base + salt, base, reply, subject, judge, 1, SEED.hash, run=number, row=row, given=given)


def store(journal: Journal, *outcomes: tuple[Entry[Any], Any], final: bool = True) -> None:
    with journal.transaction() as connection:
        for place, outcome in outcomes:
            place.store(connection, outcome, final=final)
            place.place(connection)


def found(journal: Journal, place: Entry[Any]) -> Any:
    there = journal.find(place)
    return None if there is None else there.outcome


@pytest.mark.parametrize(
    "outcome",
    [
        judged(),
        judged(verdict_of(yes={"pity": ["poppy rolls"], "lecturing": ["not there"]}, total=50, outcome="PASS")),
        judged(verdict_of(axes={"repair_quality": "N/A", "naturalness": 8.5, "memory_coherence": "N/A"}, notes="")),
        judged(f"Here it is:\n\n{verdict_of(notes='Ünïcode: ✓ and ')}"),
        Unjudged(Reason.NO_VERDICT, "there is none"),
        Unjudged(Reason.EMPTY),
        Preference(Choice.SECOND, ("one",), ("two", "three"), "It asks.", True, ("code_fence",)),
        Preference(Choice.FIRST, confirmed=False),
        Preference(Choice.NEITHER, ("a",), (), "", None),
    ],
)
def test_an_outcome_is_read_as_it_was_stored(journal: Journal, outcome: Judgement | Preference | Unjudged) -> None:
    store(journal, (ReplyEntry("other", "other", "BAK-001", "t", 1), Replied("x")))
    second = "other" if isinstance(outcome, Preference) else None
    place = replace(entry(), second_reply_key=second)
    store(journal, (place, outcome))
    assert found(journal, place) == outcome


@FEW
@given(st.lists(HOSTILE_TEXT, min_size=3, max_size=3))
def test_any_words_of_a_preference_can_be_stored(texts: list[str]) -> None:
    whole = [storable(text) for text in texts]
    with Journal.open(None) as journal:
        store(journal, (entry(), Preference(Choice.FIRST, (texts[0],), (texts[1],), "r")))
        assert found(journal, entry()) == Preference(Choice.FIRST, (whole[0],), (whole[1],), "r")


@given(st.text(), st.lists(st.tuples(st.sampled_from(["user", "assistant"]), st.text()), max_size=3))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])  # the journal only grows
def test_a_reply_is_read_as_it_was_stored(journal: Journal, text: str, turns: list[tuple[Speaker, str]]) -> None:
    outcome = Replied(text, tuple(Turn(speaker, said) for speaker, said in turns))
    key = content_hash(repr(outcome))
    place = ReplyEntry(key, key, "BAK-001", "s", 1)
    store(journal, (place, outcome))
    assert found(journal, place) == replace(outcome, key=key)


def test_a_failure_is_recorded_and_never_found(journal: Journal) -> None:
    run = journal.begin_run({})
    store(journal, (entry(run), Unjudged(Reason.TIMEOUT)), final=False)
    assert journal.find(entry(run)) is None
    assert [one.reason for one in journal.judgements(run)] == [Reason.TIMEOUT]
    assert journal.end_run(run, asked=1).status is RunStatus.INCOMPLETE


def test_an_answer_replaces_a_failure_and_no_failure_an_answer(journal: Journal) -> None:
    run = journal.begin_run({})
    store(journal, (entry(run), Unjudged(Reason.TIMEOUT)), final=False)
    store(journal, (entry(run), judged()))
    store(journal, (entry(run), Unjudged(Reason.BUDGET)), final=False)
    assert found(journal, entry(run)) == judged()
    assert journal.end_run(run, asked=1).status is RunStatus.FINISHED


def test_the_newest_final_outcome_of_a_base_is_found(journal: Journal) -> None:
    store(journal, (entry(), judged()))
    newer = judged(verdict_of(axes={"naturalness": 1}))
    store(journal, (entry(salt="fresh"), newer))
    assert found(journal, entry()) == newer
    assert found(journal, entry(salt="another")) is None
    store(journal, (entry(salt="third"), Unjudged(Reason.TIMEOUT)), final=False)
    assert found(journal, entry()) == newer


def test_a_choice_between_replies_that_are_not_stored_is_refused(journal: Journal) -> None:
    with pytest.raises(sqlite3.IntegrityError):
        store(journal, (replace(entry(), given=()), Preference(Choice.FIRST)))


class TestRuns:
    def test_the_same_plan_finds_its_run(self, journal: Journal) -> None:
        first = journal.begin_run({"suite": "core", "judge": "a"})
        assert journal.begin_run({"judge": "a", "suite": "core"}).id == first.id
        assert journal.begin_run({"suite": "core", "judge": "b"}).id != first.id

    def test_a_finished_run_comes_back_finished(self, journal: Journal) -> None:
        run = journal.begin_run({})
        store(journal, (entry(run), judged()))
        journal.end_run(run, asked=1)
        assert journal.begin_run({}).status is RunStatus.FINISHED

    def test_a_fresh_run_shares_no_keys_and_is_the_one_that_is_resumed(self, journal: Journal) -> None:
        first = journal.begin_run({})
        fresh = journal.begin_run({}, fresh=True)
        assert first.salt == ""
        assert fresh.salt != ""
        assert journal.begin_run({}).id == fresh.id

    def test_a_run_is_named_by_the_beginning_of_its_name(self, journal: Journal) -> None:
        run = journal.begin_run({})
        assert journal.run(run.name[:3]).id == run.id

    @pytest.mark.parametrize("name", ["nothing", ""])
    def test_an_unknown_name_is_an_error(self, journal: Journal, name: str) -> None:
        journal.begin_run({})
        with pytest.raises(CommandError, match="no run"):
            journal.run(name)

    def test_figures_are_by_subject_and_judge(self, journal: Journal) -> None:
        run = journal.begin_run({})
        zeroed = judged(verdict_of(yes={"pity": ["poppy rolls"]}))
        low = judged(verdict_of(axes=dict.fromkeys(SEED.axis_ids, 3)))
        outcomes = [judged(), zeroed, low, Unjudged(Reason.EMPTY)]
        store(journal, *((entry(run, row, judge="a"), outcome) for row, outcome in enumerate(outcomes)))
        store(journal, (entry(run, 9, judge="b"), Unjudged(Reason.REFUSED)))
        a, b = journal.summary(run).groups
        assert (a.judge, a.asked, a.judged, a.passed, a.zeroed) == ("a", 4, 3, 1, 1)
        assert a.mean_total == pytest.approx(sum(one.total or 0 for one in (judged(), zeroed, low)) / 3)
        assert dict(a.unjudged) == {Reason.EMPTY: 1}
        assert (b.asked, b.judged, b.mean_total) == (1, 0, None)

    def test_judgements_come_in_the_order_of_the_input(self, journal: Journal) -> None:
        run = journal.begin_run({})
        store(journal, *((entry(run, row), judged()) for row in (3, 1, 2)))
        rows = [(one.row, one.subject, one.judge, one.total) for one in journal.judgements(run)]
        assert rows == [(row, "s", "j", judged().total) for row in (1, 2, 3)]

    def test_deleting_a_run_leaves_what_others_use(self, journal: Journal) -> None:
        first, second = journal.begin_run({"a": 1}), journal.begin_run({"a": 2})
        store(journal, *((entry(run, row), judged()) for run, row in ((first, 1), (first, 2), (second, 2))))
        alone = ReplyEntry("drawn", "drawn", "BAK-001", "s", 1)
        store(journal, (alone, Replied("x")))
        journal.delete_run(first)
        assert [run.id for run in journal.runs()] == [second.id]
        assert journal.find(entry(first, 1)) is None
        assert found(journal, entry(second, 2)) == judged()
        assert found(journal, alone) == Replied("x", key="drawn")

    def test_deleting_a_run_deletes_the_choices_between_its_replies(self, journal: Journal) -> None:
        run, other = journal.begin_run({"a": 1}), journal.begin_run({"a": 2})
        store(journal, (entry(run, 1), judged()), (entry(other, 2), judged()))
        choice = replace(entry(judge="c"), reply_key=entry(row=1).reply_key, second_reply_key=entry(row=2).reply_key)
        store(journal, (replace(choice, given=()), Preference(Choice.FIRST)))
        journal.delete_run(run)
        assert journal.find(choice) is None
        assert found(journal, entry(other, 2)) == judged()


def test_texts_are_stored_once_and_found_from_what_refers_to_them(journal: Journal, tmp_path: Path) -> None:
    rubric = Text("rubric", SEED.hash, "the rubric")
    journal.store_texts([rubric, rubric])
    store(journal, *((entry(row=row), judged()) for row in range(2)))
    connection = sqlite3.connect(tmp_path / "journal.db")
    joined = "SELECT text FROM judgements JOIN texts ON texts.id = rubric_text"
    assert connection.execute(joined).fetchall() == [("the rubric",)] * 2
    assert connection.execute("SELECT count(*) FROM texts").fetchone() == (1,)
    connection.close()


@pytest.mark.parametrize("broken", ['{"axes": ', "[]", '{"axes": {}}', '{"choice"', "\x00"])
def test_a_broken_verdict_names_its_row_and_what_to_do(journal: Journal, broken: str) -> None:
    run = journal.begin_run({})
    store(journal, (entry(run, 1), judged()), (entry(run, 2), judged()))
    with journal.transaction() as connection:
        connection.execute("UPDATE judgements SET verdict = ? WHERE key = ?", (broken, entry(run, 2).key))
    with pytest.raises(
        JournalError, match=r"damaged: row 2 of run \w+ in the table `judgements` .*recover.*runs delete"
    ):
        list(journal.judgements(run))
    with pytest.raises(JournalError, match=r"damaged: row .* of the table `judgements`"):
        journal.find(entry(run, 2))


def test_a_broken_conversation_names_its_row(journal: Journal) -> None:
    run = journal.begin_run({})
    store(journal, (entry(run, 1), judged()))
    with journal.transaction() as connection:
        connection.execute("UPDATE replies SET conversation = '[['")
    for read in (lambda: journal.replies(run), lambda: journal.reply(entry(run, 1).reply_key)):
        with pytest.raises(JournalError, match=r"damaged: row .* of the table `replies`"):
            read()


def test_a_run_whose_plan_names_no_rubric_is_a_damaged_row(tmp_path: Path) -> None:
    with Journal.open(tmp_path / "journal.db") as journal:
        run = journal.begin_run({})
        with pytest.raises(JournalError, match=r"damaged: row .* of the table `runs`"):
            journal.rubric(run)
