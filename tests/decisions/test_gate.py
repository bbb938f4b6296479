"""May it ship: every threshold, what settles it, and what the decision is."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from tests.decisions.made_up import FLAG, TIMEOUT, Made, many, plan, run_of, vote

from iamhumans.decisions.gate import Criterion, Decision, GateResult, Thresholds, gate, in_a_row
from iamhumans.decisions.outcomes import RunOutcomes
from iamhumans.errors import CommandError, Exit, IamhumansError
from iamhumans.reports.gate import criterion_sentence, gate_reasons
from iamhumans.runs.journal.queries import CaseFacts, RunStatus

ZEROED = vote(9, FLAG)
TIED = vote(9, contested=[FLAG])


def settled(result: GateResult, name: str) -> Criterion:
    return next(one for one in result.criteria if one.name == name)


def said(result: GateResult, name: str) -> str:
    return criterion_sentence(settled(result, name), result)


def test_exit_codes() -> None:
    assert [one.exit_code for one in Decision] == [
        Exit.DONE,
        Exit.GATE_FAILED,
        Exit.INCONCLUSIVE,
        Exit.COULD_NOT_RUN,
    ]


def test_gate_that_demands_nothing_is_refused() -> None:
    with pytest.raises(CommandError, match="demands nothing"):
        gate(run_of("r", many(3)), Thresholds())


@pytest.mark.parametrize(
    ("thresholds", "count", "some", "decision"),
    [
        (Thresholds(max_zero_rate=0.1), 40, 0, "pass"),
        (Thresholds(max_zero_rate=0.1), 10, 0, "inconclusive"),
        (Thresholds(max_zero_rate=0.1), 40, 20, "fail"),
        (Thresholds(min_pass_rate=0.9), 40, 0, "pass"),
        (Thresholds(min_pass_rate=0.9), 40, 3, "inconclusive"),
        (Thresholds(min_pass_rate=0.9), 40, 20, "fail"),
        (Thresholds(min_mean=75), 40, 0, "pass"),
        (Thresholds(min_mean=90), 40, 1, "inconclusive"),
        (Thresholds(min_mean=80), 40, 20, "fail"),
        (Thresholds(max_hard_fails=0), 3, 0, "pass"),
        (Thresholds(max_hard_fails=1), 3, 1, "pass"),
        (Thresholds(max_hard_fails=0), 3, 1, "fail"),
        (Thresholds(min_dimensions={"feeling": 75}), 40, 0, "pass"),
        (Thresholds(min_dimensions={"each": 75}), 40, 20, "fail"),
    ],
)
def test_every_threshold_can_be_met_missed_and_left_open(
    thresholds: Thresholds, count: int, some: int, decision: str
) -> None:
    cases = {f"C{n}": ZEROED if n < some else vote(9 + n % 2 / 2) for n in range(count)}
    assert gate(run_of("r", cases, dimensions=["feeling"]), thresholds).decision == decision


def test_wilson_would_pass_where_the_exact_bound_does_not() -> None:
    # None of 28 zeroed says at most 10.1 % with 95 %; none of 29 says 9.8 %.
    limit = Thresholds(max_zero_rate=0.1)
    assert gate(run_of("r", many(28)), limit).decision == "inconclusive"
    assert gate(run_of("r", many(29)), limit).decision == "pass"


@pytest.mark.parametrize(
    ("count", "thresholds", "said"),
    [
        (10, Thresholds(max_zero_rate=0.1), "at least 29 cases to decide it. How many more cannot be told yet"),
        (20, Thresholds(max_zero_rate=0.1), "About 29 to 940 cases would decide it"),
        (3, Thresholds(min_mean=80), "3 cases are too few for an interval"),
    ],
)
def test_an_open_criterion_says_how_many_cases_would_decide(count: int, thresholds: Thresholds, said: str) -> None:
    result = gate(run_of("r", many(count)), thresholds)
    assert result.decision == "inconclusive"
    assert said in gate_reasons(result)[0]


@pytest.mark.parametrize(
    "demanded", [{"max_zero_rate": 0.1}, {"min_pass_rate": 0.5}, {"min_mean": 50}, {"max_hard_fails": 0}, {}]
)
def test_a_tie_counts_as_the_worse(demanded: dict[str, Any]) -> None:
    baseline = None if demanded else run_of("b", many(40))
    assert gate(run_of("r", many(40, TIED)), Thresholds(**demanded), baseline).decision == "fail"


def test_one_missed_outweighs_many_met_and_open() -> None:
    result = gate(run_of("r", many(10, C0=ZEROED)), Thresholds(max_hard_fails=0, max_zero_rate=0.2, min_mean=10))
    assert result.decision == "fail"
    assert gate_reasons(result)[0].startswith("1 of 10 judged replies has a hard fail")


def test_missing_judgements_leave_all_open_even_what_is_missed() -> None:
    result = gate(run_of("r", many(40, ZEROED, C0=TIMEOUT)), Thresholds(max_zero_rate=0.1))
    assert result.decision == "inconclusive"
    missed, missing = gate_reasons(result)
    assert missed.startswith("The rate of zeroed cases is 100 %")
    assert missing.startswith("39 of 40 replies are judged; 100 % are demanded.")


def test_replies_that_were_not_reached_count_as_missing_and_fewer_may_be_demanded() -> None:
    run, limit = run_of("r", many(60), asked=63), Thresholds(max_zero_rate=0.1)
    assert gate(run, limit).decision == "inconclusive"
    assert gate(run, replace(limit, min_judged=0.95)).decision == "pass"


@pytest.mark.parametrize("status", [RunStatus.RUNNING, RunStatus.STOPPED])
def test_run_that_did_not_come_to_its_end_decides_nothing(status: RunStatus) -> None:
    run = run_of("r", many(60), asked=100, status=status)
    result = gate(run, Thresholds(max_zero_rate=0.1, min_judged=0.5))
    assert result.decision == "inconclusive"
    assert "is not finished" in gate_reasons(result)[0]


def test_nothing_judged_is_broken() -> None:
    result = gate(run_of("r", many(5, TIMEOUT)), Thresholds(max_zero_rate=0.1, min_judged=0))
    assert result.decision == "broken"
    assert gate_reasons(result) == ["No reply of run r is judged, so there is nothing to decide on."]


@pytest.mark.parametrize(("dimensions", "demanded"), [(["feeling"], "felling"), ([], "each")])
def test_dimensions_that_do_not_exist_are_refused(dimensions: list[str], demanded: str) -> None:
    with pytest.raises(CommandError) as refused:
        gate(run_of("r", many(5), dimensions=dimensions), Thresholds(min_dimensions={demanded: 80}))
    assert all(name in refused.value.fix for name in dimensions)


def test_named_dimension_outweighs_each() -> None:
    run = run_of("r", many(40, vote(9)), dimensions=["feeling", "memory"])
    result = gate(run, Thresholds(min_dimensions={"each": 95, "memory": 50}))
    assert settled(result, "dimension memory").settled == "met"
    assert settled(result, "dimension feeling").settled != "met"


# --- against a baseline -----------------------------------------------------------------------------------------------


def varied(shift: float, count: int = 100) -> dict[str, Any]:
    return {f"C{n}": vote(7 + n % 3 + shift * (1 + n % 2)) for n in range(count)}


WORSE = {**varied(0), **{f"C{n}": ZEROED for n in range(20)}}


@pytest.mark.parametrize(
    ("cases", "baseline", "missed"),
    [
        (varied(0.01), varied(0), []),
        (many(100), many(100), []),
        (varied(-0.8), varied(0), ["rest against b"]),
        (WORSE, varied(0), ["zero rate against b"]),
    ],
)
def test_a_run_must_not_be_worse_than_its_baseline(
    cases: dict[str, Any], baseline: dict[str, Any], missed: list[str]
) -> None:
    result = gate(run_of("r", cases), Thresholds(), run_of("b", baseline))
    assert [one.name for one in result.criteria if one.settled == "missed"] == missed
    assert result.decision == ("fail" if missed else "pass")


def test_run_that_changed_nothing_in_few_cases_says_how_many_would_decide() -> None:
    result = gate(run_of("r", many(18)), Thresholds(), run_of("b", many(18)))
    assert "About 99 cases would decide it" in said(result, "rest against b")


@pytest.mark.parametrize(
    ("baseline", "problem"),
    [
        (replace(run_of("b", many(6)), plan=plan(rubric={"name": "x", "hash": "y"})), "the rubric"),
        (run_of("r", many(6)), "with itself"),
        (run_of("b", many(6, TIMEOUT)), "No reply of run b is judged"),
    ],
)
def test_a_baseline_that_does_not_fit_is_refused(baseline: RunOutcomes, problem: str) -> None:
    with pytest.raises(IamhumansError, match=problem):
        gate(run_of("r", many(6)), Thresholds(), baseline)


def test_baseline_with_missing_judgements_decides_nothing() -> None:
    result = gate(run_of("r", varied(0.01)), Thresholds(), run_of("b", {**varied(0), "C0": TIMEOUT}))
    assert result.decision == "inconclusive"
    assert "run b" in gate_reasons(result)[0]


def test_cases_that_changed_take_no_part_and_are_counted() -> None:
    changed = {**varied(0.01), "C0": Made([vote(0)], CaseFacts("another"))}
    result = gate(run_of("r", changed), Thresholds(), run_of("b", varied(0)))
    assert result.decision == "pass"
    assert "over 99 cases (1 case has no match" in said(result, "rest against b")


# --- several in a row -------------------------------------------------------------------------------------------------


def results(*decisions: str) -> list[GateResult]:
    return [
        GateResult(
            run_of(f"r{place}", many(3)),
            Decision(decision),
            (Criterion("hard fails", "met", "calibration", note="Fine."),),
        )
        for place, decision in enumerate(decisions)
    ]


@pytest.mark.parametrize(
    ("decisions", "demanded", "expected"),
    [
        (["pass", "pass", "pass"], 3, "pass"),
        (["pass", "fail", "pass"], 3, "fail"),
        (["pass", "inconclusive", "pass"], 3, "inconclusive"),
        (["pass", "broken"], 2, "inconclusive"),
        (["inconclusive", "fail"], 2, "fail"),
        (["broken", "fail"], 2, "broken"),
        (["pass", "pass"], 3, "inconclusive"),
        (["fail"], 3, "fail"),
    ],
)
def test_all_in_a_row_must_pass(decisions: list[str], demanded: int, expected: str) -> None:
    found = results(*decisions)
    found = [
        replace(one, criteria=(Criterion("x", "open", "calibration", note="Why."),)) if one.decision != "pass" else one
        for one in found
    ]
    assert in_a_row(found, demanded).decision == expected


def test_too_few_in_a_row_says_how_many_there_are_and_what_was_passed_over() -> None:
    sentence = gate_reasons(in_a_row(results("pass"), 3, sharing=2))[0]
    assert "1 independent run of this suite" in sentence
    assert "2 more runs share replies or judgements" in sentence


def test_each_of_several_runs_is_held_to_less_risk_of_failing_by_chance() -> None:
    run = run_of("r", {f"C{n}": ZEROED if n < 8 else vote() for n in range(40)})
    limit = Thresholds(max_zero_rate=0.1)
    assert gate(run, limit).decision == "fail"
    assert gate(run, limit, runs=20).decision == "inconclusive"


# --- what is refused --------------------------------------------------------------------------------------------------


def test_a_figure_that_the_judge_cannot_see_cannot_be_demanded() -> None:
    run = run_of("r", many(40, vote([9, 9, 9, None, 9, 9])))
    assert gate(run, Thresholds(max_zero_rate=0.1)).decision == "pass"
    for demands in (Thresholds(min_mean=50), Thresholds(min_pass_rate=0.5)):
        with pytest.raises(CommandError, match="memory_coherence"):
            gate(run, demands)
    with pytest.raises(CommandError, match="pity"):
        gate(run_of("r", many(40, vote(9, unseen=["pity"]))), Thresholds(max_zero_rate=0.1))


def test_the_flagged_rate_can_be_demanded_of_a_judge_that_sees_little() -> None:
    silent = vote([None] * 6, unseen=["pity", "lecturing"])
    flagged = vote([None] * 6, "pity", unseen=["lecturing"])
    run = run_of("r", many(97, silent, **{f"BAD{number}": flagged for number in range(3)}))

    assert gate(run, Thresholds(max_flagged_rate=0.1)).decision == "pass"
    assert gate(run, Thresholds(max_flagged_rate=0.005)).decision == "fail"
    assert gate(run, Thresholds(max_flagged_rate=0.04)).decision == "inconclusive"
    sentence = said(gate(run, Thresholds(max_flagged_rate=0.1)), "flagged rate")
    assert "by the criteria that the judge sees, is 3 %" in sentence


def test_the_flagged_rate_is_the_zero_rate_of_a_judge_that_sees_everything() -> None:
    run = run_of("r", many(100, BAD=vote(9, "pity")))
    by_both = gate(run, Thresholds(max_flagged_rate=0.1, max_zero_rate=0.1)).criteria[1:]
    assert len({one.estimate for one in by_both}) == 1


def test_a_margin_needs_every_criterion_of_both_runs() -> None:
    whole, blind = run_of("a", many(40)), run_of("b", many(40, vote([None] * 6, unseen=["pity"])))
    for run, baseline in ((whole, blind), (blind, whole)):
        with pytest.raises(CommandError, match=r"naturalness.*pity"):
            gate(run, Thresholds(max_flagged_rate=0.5), baseline)


def test_imported_results_decide_nothing_until_they_are_accepted() -> None:
    fine, imported = run_of("r", many(100)), replace(run_of("b", many(100)), imported=True)
    limit = Thresholds(max_zero_rate=0.1)
    assert "--accept-imported" in said(gate(imported, limit), "imported results")
    for run, baseline in ((imported, None), (fine, imported)):
        assert gate(run, limit, baseline).decision == "inconclusive"
        assert gate(run, limit, baseline, accept_imported=True).decision == "pass"
