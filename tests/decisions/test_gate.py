"""May it ship: every threshold, what settles it, and what the decision is."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import pytest
from tests.decisions.made_up import FLAG, TIMEOUT, Made, many, plan, run_of, vote

from iamhumans.decisions.gate import Criterion, Decision, GateResult, Thresholds, gate, in_a_row
from iamhumans.errors import CannotRunError, CommandError, Exit
from iamhumans.reports.gate import criterion_sentence, gate_blocks, gate_document, gate_reasons
from iamhumans.reports.terminal import blocks_text
from iamhumans.runs.journal.queries import CaseFacts, RunStatus
from iamhumans.stats import Corrected, Estimate

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


def test_open_says_how_many_cases_would_decide() -> None:
    result = gate(run_of("r", many(10)), Thresholds(max_zero_rate=0.1))
    assert "About 29 cases would decide it" in gate_reasons(result)[0]


def test_mean_of_too_few_cases_is_open_and_says_how_many_would_decide() -> None:
    result = gate(run_of("r", many(3)), Thresholds(min_mean=80))
    assert result.decision == "inconclusive"
    assert "cases would decide" in gate_reasons(result)[0]


def test_tie_counts_as_the_worse() -> None:
    tied = run_of("r", many(40, TIED))
    for thresholds in (
        Thresholds(max_zero_rate=0.1),
        Thresholds(min_pass_rate=0.5),
        Thresholds(min_mean=50),
        Thresholds(max_hard_fails=0),
    ):
        assert gate(tied, thresholds).decision == "fail"


def test_tie_counts_as_the_worse_against_a_baseline() -> None:
    assert gate(run_of("r", many(40, TIED)), Thresholds(), run_of("b", many(40))).decision == "fail"


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


def test_lower_coverage_may_be_borne() -> None:
    run = run_of("r", many(60, C0=TIMEOUT))
    assert gate(run, Thresholds(max_zero_rate=0.1, min_coverage=0.95)).decision == "pass"


def test_replies_that_were_never_come_to_count_as_missing() -> None:
    assert gate(run_of("r", many(40), asked=80), Thresholds(max_zero_rate=0.1)).decision == "inconclusive"


@pytest.mark.parametrize("status", [RunStatus.RUNNING, RunStatus.STOPPED])
def test_run_that_did_not_come_to_its_end_decides_nothing(status: RunStatus) -> None:
    run = run_of("r", many(60), asked=100, status=status)
    result = gate(run, Thresholds(max_zero_rate=0.1, min_coverage=0.5))
    assert result.decision == "inconclusive"
    assert "is not finished" in gate_reasons(result)[0]


def test_nothing_judged_is_broken() -> None:
    result = gate(run_of("r", many(5, TIMEOUT)), Thresholds(max_zero_rate=0.1, min_coverage=0))
    assert result.decision == "broken"
    assert gate_reasons(result) == ["No reply of run r is judged, so there is nothing to decide on."]


def test_unknown_dimension_is_refused_with_those_there_are() -> None:
    with pytest.raises(CommandError) as refused:
        gate(run_of("r", many(5), dimensions=["feeling"]), Thresholds(min_dimensions={"felling": 80}))
    assert "feeling" in refused.value.fix


def test_each_dimension_needs_dimensions() -> None:
    with pytest.raises(CommandError):
        gate(run_of("r", many(5)), Thresholds(min_dimensions={"each": 80}))


def test_named_dimension_outweighs_each() -> None:
    run = run_of("r", many(40, vote(9)), dimensions=["feeling", "memory"])
    result = gate(run, Thresholds(min_dimensions={"each": 95, "memory": 50}))
    assert settled(result, "dimension memory").settled == "met"
    assert settled(result, "dimension feeling").settled != "met"


# --- against a baseline -----------------------------------------------------------------------------------------------


def varied(shift: float, count: int = 100) -> dict[str, Any]:
    return {f"C{n}": vote(7 + n % 3 + shift * (1 + n % 2)) for n in range(count)}


def test_as_good_as_the_baseline_passes() -> None:
    assert gate(run_of("r", varied(0.01)), Thresholds(), run_of("b", varied(0))).decision == "pass"


def test_much_worse_than_the_baseline_fails() -> None:
    result = gate(run_of("r", varied(-0.8)), Thresholds(), run_of("b", varied(0)))
    assert result.decision == "fail"
    assert settled(result, "rest against b").settled == "missed"


def test_more_zeroed_cases_than_the_baseline_fail() -> None:
    worse = {**varied(0), **{f"C{n}": ZEROED for n in range(20)}}
    result = gate(run_of("r", worse), Thresholds(), run_of("b", varied(0)))
    assert settled(result, "zero rate against b").settled == "missed"


def test_run_that_changed_nothing_passes_with_cases_enough() -> None:
    assert gate(run_of("r", many(100)), Thresholds(), run_of("b", many(100))).decision == "pass"


def test_run_that_changed_nothing_in_few_cases_says_how_many_would_decide() -> None:
    result = gate(run_of("r", many(18)), Thresholds(), run_of("b", many(18)))
    assert "About 99 cases would decide it" in said(result, "rest against b")


def test_baseline_under_another_rubric_is_refused() -> None:
    other = replace(run_of("b", many(6)), plan=plan(rubric={"name": "x", "hash": "y"}))
    with pytest.raises(CommandError, match="the rubric"):
        gate(run_of("r", many(6)), Thresholds(), other)


def test_run_is_no_baseline_of_itself() -> None:
    with pytest.raises(CommandError, match="with itself"):
        gate(run_of("r", many(6)), Thresholds(), run_of("r", many(6)))


def test_baseline_of_which_nothing_is_judged_cannot_be_used() -> None:
    with pytest.raises(CannotRunError):
        gate(run_of("r", many(6)), Thresholds(), run_of("b", many(6, TIMEOUT)))


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
    ("decisions", "wanted", "expected"),
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
def test_all_in_a_row_must_pass(decisions: list[str], wanted: int, expected: str) -> None:
    found = results(*decisions)
    found = [
        replace(one, criteria=(Criterion("x", "open", "calibration", note="Why."),)) if one.decision != "pass" else one
        for one in found
    ]
    assert in_a_row(found, wanted).decision == expected


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


def test_imported_results_decide_nothing_until_they_are_accepted() -> None:
    run = replace(run_of("r", many(40)), imported=True)
    limit = Thresholds(max_zero_rate=0.1)
    refused = gate(run, limit)
    assert refused.decision == "inconclusive"
    assert "--accept-imported" in said(refused, "imported results")
    assert gate(run, limit, accept_imported=True).decision == "pass"


def test_an_imported_baseline_decides_nothing_until_it_is_accepted() -> None:
    baseline = replace(run_of("b", varied(0)), imported=True)
    assert gate(run_of("r", varied(0.01)), Thresholds(), baseline).decision == "inconclusive"
    assert gate(run_of("r", varied(0.01)), Thresholds(), baseline, accept_imported=True).decision == "pass"


# --- corrected figures ------------------------------------------------------------------------------------------------


@dataclass
class Figures:
    """Two corrected figures."""

    mean_total: Corrected
    zero_rate: Corrected


class Labels:
    """Corrections that give these figures, or none."""

    sentence = "The judge is calibrated against people."

    def __init__(self, figures: Figures | None = None) -> None:
        self.found = figures

    def figures(self, level: float, one_sided: bool) -> Figures | None:
        return self.found


def corrected(low: float, value: float, high: float) -> Corrected:
    return Corrected(Estimate(value, low, high, 40, "made up", one_sided=True), "given")


RATES = Figures(corrected(80, 85, 90), corrected(0.1, 0.15, 0.2))


@pytest.mark.parametrize(
    ("thresholds", "decision"),
    [
        (Thresholds(max_zero_rate=0.25, corrected=True), "pass"),
        (Thresholds(max_zero_rate=0.15, corrected=True), "inconclusive"),
        (Thresholds(max_zero_rate=0.05, corrected=True), "fail"),
        (Thresholds(min_mean=75, corrected=True), "pass"),
        (Thresholds(min_mean=95, corrected=True), "fail"),
    ],
)
def test_corrected_figures_are_compared_with_their_thresholds(thresholds: Thresholds, decision: str) -> None:
    assert gate(run_of("r", many(40)), thresholds, corrections=Labels(RATES)).decision == decision


@pytest.mark.parametrize("corrections", [None, Labels()])
def test_without_a_calibration_that_fits_corrected_figures_decide_nothing(corrections: Labels | None) -> None:
    result = gate(run_of("r", many(40)), Thresholds(max_zero_rate=0.9, corrected=True), corrections=corrections)
    assert result.decision == "inconclusive"


def test_corrected_figures_stand_beside_a_gate_that_does_not_demand_them() -> None:
    result = gate(run_of("r", many(40)), Thresholds(max_zero_rate=0.9), corrections=Labels(RATES))
    text = blocks_text(gate_blocks(result), width=200, color=False)
    assert "The rate of cases that people would zero is 15 %; by these labels 10 % to 20 %." in text
    assert gate_document(result)["calibration"]["sentence"] == Labels.sentence
