"""What decisions read of runs in a real journal."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from tests.builders import verdict_of
from tests.judging_server import Bench

from iamhumans.decisions.consecutive import independent_runs
from iamhumans.decisions.outcomes import RunOutcomes, outcomes_of
from iamhumans.decisions.panel import Combined
from iamhumans.errors import CommandError
from iamhumans.runs import Journal, Run
from iamhumans.runs.named import find_run
from iamhumans.verdicts import Unjudged


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """Three cases."""
    bench = Bench(tmp_path)
    bench.suite(3)
    return bench


def judge(bench: Bench, name: str, rows: Sequence[Mapping[str, object]], *options: str) -> None:
    bench.write(f"{name}.jsonl", "\n".join(map(json.dumps, rows)) + "\n")
    printed = bench.run("judge", f"{name}.jsonl", "--suite", "suite", *options)
    assert printed.code in (0, 3), printed.err


def replies(*subjects: str, text: str = "Oh no.", cases: int = 3) -> list[dict[str, object]]:
    return [
        {"case_id": f"C-00{number}", "reply": f"{text} Corner {number}?", "subject": subject}
        for subject in subjects
        for number in range(1, cases + 1)
    ]


def newest(bench: Bench, text: str = "last") -> RunOutcomes:
    with Journal.open(bench.db) as journal:
        run, subject = find_run(journal, text)
        return outcomes_of(journal, run, subject=subject)


def test_judgements_are_read_as_the_journal_has_them(bench: Bench) -> None:
    said = {
        "C-001": verdict_of(case_id="C-001", yes={"pity": ["Corner"], "lecturing": ["not there"]}),
        "C-002": verdict_of(
            case_id="C-002", axes={"repair_quality": "N/A", "naturalness": 8.5, "memory_coherence": 10}
        ),
        "C-003": "nothing",
    }
    for case_id, text in said.items():
        bench.write(f"verdicts/{case_id}.yaml", text)
    judge(bench, "replies", replies("s"), "--judge", "recorded/verdicts")
    with Journal.open(bench.db) as journal:
        (run,) = journal.runs()
        judgements = list(journal.judgements(run))
        found = outcomes_of(journal, run)
    first, second, third = (reply.combined for reply in found.replies)
    assert isinstance(first, Combined)
    assert isinstance(second, Combined)
    assert (set(first.vote.flags), set(first.vote.unconfirmed)) == ({"pity", "lecturing"}, {"lecturing"})
    assert "repair_quality" in second.vote.defaulted
    for one, judgement in ((first, judgements[0]), (second, judgements[1])):
        assert (one.total, one.total_confirmed, one.outcome) == (
            judgement.total,
            judgement.total_confirmed,
            judgement.verdict,
        )
    assert isinstance(third, Unjudged)
    assert third.reason == judgements[2].reason


def test_votes_of_several_judges_are_combined_and_counted(bench: Bench) -> None:
    bench.write("verdicts/C-001.yaml", verdict_of(case_id="C-001"))
    judge(bench, "replies", replies("s"), "--judge", "rules", "--judge", "recorded/verdicts")
    found = newest(bench)
    assert (found.asked, len(found.judged), found.judgements, found.judgements_asked) == (3, 1, 4, 6)
    assert set(found.replies[0].judges) == {"rules", "recorded/verdicts"}


def test_subject_of_several_is_picked(bench: Bench) -> None:
    judge(bench, "replies", replies("s", "t"))
    picked = newest(bench, "last:t")
    assert (picked.name.partition(":")[2], picked.asked, picked.subjects) == ("t", 3, ("t",))


def test_several_subjects_are_no_one(bench: Bench) -> None:
    judge(bench, "replies", replies("s", "t"))
    with pytest.raises(CommandError, match="several subjects"):
        newest(bench).of_one_subject()


def test_unknown_subject_is_refused_with_those_there_are(bench: Bench) -> None:
    judge(bench, "replies", replies("s", "t"))
    with pytest.raises(CommandError) as refused:
        newest(bench, "last:u")
    assert "s, t" in refused.value.fix


def test_last_is_the_newest_run(bench: Bench) -> None:
    judge(bench, "one", replies("s"))
    judge(bench, "two", replies("s", text="Well."))
    with Journal.open(bench.db) as journal:
        assert find_run(journal, "last")[0] == journal.runs()[0]


@pytest.mark.parametrize("text", ["last", "nothing", "last:", ":s"])
def test_run_that_is_not_there_is_refused(bench: Bench, text: str) -> None:
    with Journal.open(bench.db) as journal, pytest.raises(CommandError):
        find_run(journal, text)


def test_cases_are_known_with_their_dimensions(bench: Bench) -> None:
    bench.case("C-001", "hello", dimensions="[feeling]")
    judge(bench, "replies", replies("s"))
    found = newest(bench)
    assert found.cases["C-001"].title == "The bakery"
    assert dict(found.dimensions) == {"feeling": {"C-001"}}


# --- further tries ----------------------------------------------------------------------------------------------------


def counted(bench: Bench, wanted: int, *, without: int | None = None) -> tuple[list[Run], int]:
    with Journal.open(bench.db) as journal:
        runs = journal.runs()
        found = independent_runs(journal, runs[0], wanted, without=None if without is None else runs[without])
    return list(found.runs), found.sharing


def test_run_that_shares_nothing_is_another_try(bench: Bench) -> None:
    judge(bench, "one", replies("s"))
    judge(bench, "two", replies("s", text="Well."))
    assert len(counted(bench, 3)[0]) == 2


def test_run_that_shares_a_reply_is_none(bench: Bench) -> None:
    judge(bench, "one", replies("s"))
    judge(bench, "two", [*replies("s", cases=1), *replies("s", text="Well.")[1:]])
    runs, sharing = counted(bench, 3)
    assert (len(runs), sharing) == (1, 1)


def test_run_of_another_subject_is_none(bench: Bench) -> None:
    judge(bench, "one", replies("t"))
    judge(bench, "two", replies("s", text="Well."))
    assert counted(bench, 3) == (counted(bench, 1)[0], 0)


def test_run_of_other_cases_is_none(bench: Bench) -> None:
    judge(bench, "one", replies("s", cases=2))
    judge(bench, "two", replies("s", text="Well."))
    assert len(counted(bench, 3)[0]) == 1


def test_run_that_was_judged_otherwise_is_none(bench: Bench) -> None:
    judge(bench, "one", replies("s"), "--repeats", "2")
    judge(bench, "two", replies("s", text="Well."))
    assert len(counted(bench, 3)[0]) == 1


def test_baseline_is_no_further_try(bench: Bench) -> None:
    judge(bench, "one", replies("s"))
    judge(bench, "two", replies("s", text="Well."))
    assert len(counted(bench, 3, without=1)[0]) == 1


def test_no_more_are_looked_for_than_are_wanted(bench: Bench) -> None:
    for text in ("One.", "Two.", "Three."):
        judge(bench, text, replies("s", text=text))
    runs, _ = counted(bench, 2)
    assert [run.id for run in runs] == [3, 2]
