"""What decisions read of real runs, and which earlier runs are independent tries."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.builders import verdict_of
from tests.decisions.runs import Bench, outcomes

import iamhumans as ih
from iamhumans.decisions.consecutive import independent_runs
from iamhumans.decisions.panel import Combined
from iamhumans.errors import CommandError
from iamhumans.verdicts import Unjudged


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path, 3)


def recorded(bench: Bench, **texts: str) -> str:
    folder = bench.folder / "verdicts"
    folder.mkdir()
    for name, text in texts.items():
        (folder / f"{name.replace('_', '-')}.yaml").write_text(text)
    return f"recorded/{folder}"


def test_judgements_become_votes_with_the_same_totals(bench: Bench) -> None:
    judge = recorded(
        bench,
        C_001=verdict_of(case_id="C-001", yes={"pity": ["Oh no"], "lecturing": ["not there"]}),
        C_002=verdict_of(case_id="C-002", axes={"repair_quality": "N/A", "naturalness": 8.5, "memory_coherence": 10}),
        C_003="nothing",
    )
    run = bench.judged("Oh no.", judge=judge)
    first, second, third = (reply.combined for reply in outcomes(run).replies)
    assert isinstance(first, Combined)
    assert isinstance(second, Combined)
    assert (set(first.vote.flags), set(first.vote.unconfirmed)) == ({"pity", "lecturing"}, {"lecturing"})
    assert "repair_quality" in second.vote.defaulted
    for one, judgement in zip((first, second), run.judgements, strict=False):
        figures = (judgement.total, judgement.total_confirmed, judgement.verdict)
        assert (one.total, one.total_confirmed, one.outcome) == figures
    assert isinstance(third, Unjudged)
    assert third.reason == run.judgements[2].reason


def test_votes_of_several_judges_are_combined_and_counted(bench: Bench) -> None:
    judge = recorded(bench, C_001=verdict_of(case_id="C-001"))
    found = outcomes(bench.judged("Oh no.", judge=["rules", judge]))
    assert (found.asked, len(found.judged), found.judgements, found.judgements_asked) == (3, 1, 4, 6)
    assert set(found.replies[0].judges) == {"rules", judge}


def test_one_of_several_subjects_is_picked(bench: Bench) -> None:
    run = bench.judged("Oh no.", "s", "t")
    picked = outcomes(bench.journal.run(f"{run.name}:t"))
    assert (picked.name.partition(":")[2], picked.asked, picked.subjects) == ("t", 3, ("t",))
    with pytest.raises(CommandError, match="several subjects"):
        outcomes(run).of_one_subject()
    with pytest.raises(CommandError) as refused:
        outcomes(bench.journal.run(f"{run.name}:u"))
    assert "s, t" in refused.value.fix


def test_cases_are_known_with_their_dimensions(bench: Bench) -> None:
    bench.case("C-001", "hello", dimensions="[feeling]")
    found = outcomes(bench.judged("Oh no."))
    assert found.cases["C-001"].title == "The bakery"
    assert dict(found.dimensions) == {"feeling": {"C-001"}}


# --- further tries ----------------------------------------------------------------------------------------------------


def counted(newest: ih.Run, demanded: int = 3, *, without: ih.Run | None = None) -> tuple[int, int]:
    core = newest.journal.core
    found = independent_runs(core, newest.record, demanded, without=None if without is None else without.record)
    return len(found.runs), found.sharing


def test_runs_that_share_nothing_are_further_tries(bench: Bench) -> None:
    first, *_, newest = [bench.judged(text) for text in ("One.", "Two.", "Three.")]
    assert counted(newest) == (3, 0)
    assert counted(newest, 2) == (2, 0)
    assert counted(newest, without=first) == (2, 0)


def test_a_run_that_shares_a_reply_is_left_out_and_counted(bench: Bench) -> None:
    bench.judged("One.", cases=3)
    rows = [
        {"case_id": f"C-00{n}", "reply": f"{'One.' if n == 1 else 'Two.'} {n}.1", "subject": "s"} for n in (1, 2, 3)
    ]
    assert counted(ih.judge_all(rows, suite=bench.folder / "suite", journal=bench.journal, judge="rules")) == (1, 1)


def test_runs_of_other_subjects_cases_or_repeats_are_no_further_tries(bench: Bench) -> None:
    bench.judged("One.", "t")
    bench.judged("Two.", cases=2)
    bench.judged("Three.", repeats=2)
    assert counted(bench.judged("Four.")) == (1, 0)
