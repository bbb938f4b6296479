"""What the journal gives back."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.builders import SEED, verdict_of

from iamhumans.cases import Speaker, Turn
from iamhumans.errors import CommandError
from iamhumans.runs import Journal, Judged, JudgementEntry, Replied, ReplyEntry, Run, RunStatus, Text, content_hash
from iamhumans.runs.journal.entries import Entry as AnyEntry
from iamhumans.runs.journal.entries import read_judgement
from iamhumans.verdicts import Asked, Reason, Unjudged, Verdict, read_verdict, score_verdict

REPLY = "Oh no. The one with the poppy rolls?"


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    with Journal.open(tmp_path / "journal.db") as opened:
        yield opened


def judged(text: str | None = None, reply: str = REPLY) -> Judged:
    asked = Asked("BAK-001", reply=reply, single_turn=True, repair=False)
    verdict = read_verdict(text or verdict_of(), SEED, asked)
    assert isinstance(verdict, Verdict)
    return Judged(verdict, score_verdict(verdict, SEED, asked))


def entry(run: Run | None = None, row: int = 0, *, judge: str = "j", subject: str = "s") -> JudgementEntry:
    reply = content_hash(f"{subject} {row}")
    given = ReplyEntry(reply, "BAK-001", subject, 1, "c"), Replied(REPLY)
    key = content_hash(f"{judge} {subject} {row}")
    return JudgementEntry(key, reply, judge, 1, SEED.hash, run=None if run is None else run.id, row=row, given=given)


@pytest.mark.parametrize(
    "outcome",
    [
        judged(),
        judged(verdict_of(yes={"pity": ["poppy rolls"], "lecturing": ["not there"]}, total=50, outcome="PASS")),
        judged(verdict_of(axes={"repair_quality": "N/A", "naturalness": 8.5, "memory_coherence": "N/A"}, notes="")),
        judged(f"Here it is:\n\n{verdict_of(notes='Ünïcode: ✓ and ')}"),
        Unjudged(Reason.NO_VERDICT, "there is none"),
        Unjudged(Reason.EMPTY),
    ],
)
def test_a_judgement_comes_back_as_it_was(journal: Journal, outcome: Judged | Unjudged) -> None:
    journal.keep([(entry(), outcome)])
    assert journal.find(entry()) == outcome


@given(st.text(), st.lists(st.tuples(st.sampled_from(["user", "assistant"]), st.text()), max_size=3))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])  # the journal only grows
def test_a_reply_comes_back_as_it_was(journal: Journal, text: str, turns: list[tuple[Speaker, str]]) -> None:
    outcome = Replied(text, tuple(Turn(speaker, said) for speaker, said in turns))
    place = ReplyEntry(content_hash(repr(outcome)), "BAK-001", "s", 1, "c")
    journal.keep([(place, outcome)])
    assert journal.find(place) == outcome


def keep_failed(journal: Journal, place: AnyEntry[Judged], outcome: Unjudged) -> None:
    with journal.transaction() as connection:
        for sql, values in (*place.kept(outcome, final=False), *place.placed()):
            connection.execute(sql, values)


def test_a_failure_is_recorded_and_never_found(journal: Journal) -> None:
    run = journal.begin_run({})
    keep_failed(journal, entry(run), Unjudged(Reason.TIMEOUT))
    assert journal.find(entry(run)) is None
    assert [record.outcome for record in journal.rows(run)] == [Unjudged(Reason.TIMEOUT)]
    assert journal.end_run(run, asked=1).status is RunStatus.INCOMPLETE


def test_an_answer_replaces_a_failure_and_no_failure_an_answer(journal: Journal) -> None:
    run = journal.begin_run({})
    keep_failed(journal, entry(run), Unjudged(Reason.TIMEOUT))
    journal.keep([(entry(run), judged())])
    keep_failed(journal, entry(run), Unjudged(Reason.BUDGET))
    assert journal.find(entry(run)) == judged()
    assert journal.end_run(run, asked=1).status is RunStatus.FINISHED


class TestRuns:
    def test_the_same_plan_finds_its_run(self, journal: Journal) -> None:
        first = journal.begin_run({"suite": "core", "judge": "a"})
        assert journal.begin_run({"judge": "a", "suite": "core"}).id == first.id
        assert journal.begin_run({"suite": "core", "judge": "b"}).id != first.id

    def test_a_finished_run_comes_back_finished(self, journal: Journal) -> None:
        run = journal.begin_run({})
        journal.keep([(entry(run), judged())])
        journal.end_run(run, asked=1)
        assert journal.begin_run({}).status is RunStatus.FINISHED

    def test_a_fresh_run_shares_no_keys_and_is_the_one_gone_on_with(self, journal: Journal) -> None:
        first = journal.begin_run({})
        fresh = journal.begin_run({}, fresh=True)
        assert first.salt == ""
        assert fresh.salt != ""
        assert journal.begin_run({}).id == fresh.id

    def test_a_run_is_named_by_the_beginning_of_its_name(self, journal: Journal) -> None:
        run = journal.begin_run({})
        assert journal.run(run.name[:3]).id == run.id

    def test_a_name_that_is_none_is_an_error(self, journal: Journal) -> None:
        journal.begin_run({})
        with pytest.raises(CommandError, match="no run"):
            journal.run("nothing")
        with pytest.raises(CommandError, match="no run"):
            journal.run("")

    def test_figures_are_by_subject_and_judge(self, journal: Journal) -> None:
        run = journal.begin_run({})
        zeroed = judged(verdict_of(yes={"pity": ["poppy rolls"]}))
        low = judged(verdict_of(axes=dict.fromkeys(SEED.axis_ids, 3)))
        outcomes = [judged(), zeroed, low, Unjudged(Reason.EMPTY)]
        journal.keep((entry(run, row, judge="a"), outcome) for row, outcome in enumerate(outcomes))
        journal.keep([(entry(run, 9, judge="b"), Unjudged(Reason.REFUSED))])
        a, b = journal.summary(run).groups
        assert (a.judge, a.asked, a.judged, a.passed, a.zeroed) == ("a", 4, 3, 1, 1)
        assert a.mean_total == pytest.approx(sum(one.score.total for one in (judged(), zeroed, low)) / 3)
        assert dict(a.unjudged) == {Reason.EMPTY: 1}
        assert (b.asked, b.judged, b.mean_total) == (1, 0, None)

    def test_rows_come_in_the_order_of_the_input(self, journal: Journal) -> None:
        run = journal.begin_run({})
        journal.keep((entry(run, row), judged()) for row in (2, 0, 1))
        assert [record.row for record in journal.rows(run)] == [0, 1, 2]
        assert {record.reply for record in journal.rows(run)} == {Replied(REPLY)}

    def test_deleting_a_run_leaves_what_others_use(self, journal: Journal) -> None:
        first, second = journal.begin_run({"a": 1}), journal.begin_run({"a": 2})
        journal.keep([(entry(first, 0), judged()), (entry(first, 1), judged()), (entry(second, 1), judged())])
        alone = ReplyEntry(content_hash("drawn, and not judged"), "BAK-001", "s", 1, "c")
        journal.keep([(alone, Replied("x"))])
        journal.delete_run(first)
        assert [run.id for run in journal.runs()] == [second.id]
        assert journal.find(entry(first, 0)) is None
        assert journal.find(entry(second, 1)) == judged()
        assert journal.find(alone) == Replied("x")


def test_texts_are_kept_once_and_found_from_what_refers_to_them(journal: Journal, tmp_path: Path) -> None:
    rubric = Text("rubric", SEED.hash, "the rubric")
    journal.keep_texts([rubric, rubric])
    journal.keep([(entry(row=row), judged()) for row in range(2)])
    connection = sqlite3.connect(tmp_path / "journal.db")
    joined = "SELECT text FROM judgements JOIN texts ON texts.id = rubric_text"
    assert connection.execute(joined).fetchall() == [("the rubric",)] * 2
    assert connection.execute("SELECT count(*) FROM texts").fetchone() == (1,)
    connection.close()


def test_figures_alone_are_no_verdict() -> None:
    assert read_judgement(("timeout", "late", *(None,) * 6)) == Unjudged(Reason.TIMEOUT, "late")
