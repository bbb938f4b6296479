"""May it ship: every threshold, what settles it, and what the decision is."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from tests.builders import SEED
from tests.decisions.made_up import FLAG, TIMEOUT, Made, many, plan, run_of, vote

from iamhumans.decisions.gate import Criterion, Decision, GateResult, Thresholds, default_margin, gate, in_a_row
from iamhumans.decisions.outcomes import RunOutcomes
from iamhumans.decisions.panel import combine
from iamhumans.errors import CommandError, Exit, IamhumansError
from iamhumans.reports.gate import criterion_sentence, gate_reasons, gate_warnings
from iamhumans.runs.journal.queries import CaseFacts, RunStatus

ZEROED = vote(9, FLAG)
TIED = combine([ZEROED, vote(9)], SEED, asked=2)


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


def test_a_gate_without_a_threshold_is_refused() -> None:
    with pytest.raises(CommandError, match="No threshold was given"):
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
        (20, Thresholds(max_zero_rate=0.1), "About 29 to 930 cases would decide it"),
        (3, Thresholds(min_mean=80), "About 26 cases would decide it"),
    ],
)
def test_an_open_criterion_says_how_many_cases_would_decide(count: int, thresholds: Thresholds, said: str) -> None:
    result = gate(run_of("r", many(count)), thresholds)
    assert result.decision == "inconclusive"
    assert said in gate_reasons(result)[0]


@pytest.mark.parametrize(
    "demanded", [{"max_zero_rate": 0.1}, {"min_pass_rate": 0.5}, {"min_mean": 50}, {"max_hard_fails": 0}, {}]
)
def test_a_tie_of_votes_zeroes(demanded: dict[str, Any]) -> None:
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
    assert missing.startswith("39 of 40 replies are judged; 100 % is required.")


def test_replies_that_were_not_reached_count_as_missing_and_fewer_may_be_demanded() -> None:
    run, limit = run_of("r", many(60), asked=63), Thresholds(max_zero_rate=0.1)
    assert gate(run, limit).decision == "inconclusive"
    assert gate(run, replace(limit, min_judged=0.95)).decision == "inconclusive"
    assert gate(run, replace(limit, min_judged=0.95, max_zero_rate=0.15)).decision == "pass"


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
        (varied(-0.8), varied(0), ["quality against b"]),
        (WORSE, varied(0), ["zero rate against b"]),
    ],
)
def test_a_run_must_not_be_worse_than_its_baseline(
    cases: dict[str, Any], baseline: dict[str, Any], missed: list[str]
) -> None:
    result = gate(run_of("r", cases), Thresholds(), run_of("b", baseline))
    assert [one.name for one in result.criteria if one.settled == "missed"] == missed
    assert result.decision == ("fail" if missed else "pass")


def test_a_margin_that_the_suite_cannot_show_is_said_at_once() -> None:
    for cases, state in ((98, "open"), (99, "met")):
        result = gate(run_of("r", many(cases)), Thresholds(margin=3), run_of("b", many(cases)))
        assert settled(result, "quality against b").settled == state
        assert bool(gate_warnings(result)) == (state == "open")
    result = gate(run_of("r", many(28)), Thresholds(margin=3), run_of("b", many(28)))
    sentence = said(result, "quality against b")
    assert "28 cases cannot show a margin of 3.0 points unless B is better; 99 could." in sentence
    assert "the smallest margin that 28 cases can show is 10.2 points" in sentence
    assert gate_warnings(result)[0] in sentence


@pytest.mark.parametrize(("cases", "margin"), [(16, 18), (28, 11), (98, 4), (99, 3), (400, 3)])
def test_the_default_margin_is_the_smallest_that_the_suite_can_show(cases: int, margin: float) -> None:
    assert default_margin(cases) == margin
    result = gate(run_of("r", many(cases)), Thresholds(), run_of("b", many(cases)))
    assert settled(result, "quality against b").settled == "met"
    assert f"is {margin}.0 points" in said(result, "quality against b")
    assert ("that" in said(result, "quality against b").split(";")[1]) == (margin > 3)


def test_a_mean_that_no_collapse_was_drawn_for_is_not_above_its_threshold_yet() -> None:
    # 28 totals of 98 and one of 0 among the cases to come: 98 * 0.05 ** (1 / 28) = 88.05.
    assert gate(run_of("r", many(28, vote(9.8))), Thresholds(min_mean=88)).decision == "pass"
    assert gate(run_of("r", many(28, vote(9.8))), Thresholds(min_mean=89)).decision == "inconclusive"


def test_a_run_that_only_zeroes_its_worst_replies_is_no_better_and_no_worse_in_quality() -> None:
    before = {f"C{n}": vote(3 if n < 10 else 9) for n in range(120)}
    after = {**before, **{f"C{n}": vote(3, FLAG) for n in range(10)}}
    result = gate(run_of("r", after), Thresholds(), run_of("b", before))
    assert settled(result, "quality against b").settled == "met"
    assert "changed by 0.0 points over 120 cases" in said(result, "quality against b")
    assert settled(result, "zero rate against b").settled != "met"


def test_a_run_whose_cases_are_all_zeroed_is_compared_all_the_same() -> None:
    result = gate(run_of("r", many(100, ZEROED)), Thresholds(), run_of("b", many(100)))
    assert "share no judged case" not in " ".join(gate_reasons(result))
    assert settled(result, "quality against b").settled == "met"
    assert settled(result, "zero rate against b").settled == "missed"


# --- unjudged replies -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("zero", "unjudged", "limit", "decision"),
    [
        (0, 0, 0.06, "pass"),
        (0, 5, 0.06, "inconclusive"),
        (0, 5, 0.11, "pass"),
        (20, 0, 0.12, "fail"),
        (20, 10, 0.14, "inconclusive"),
        (30, 10, 0.12, "fail"),
    ],
)
def test_a_gate_that_the_unjudged_would_turn_is_inconclusive(
    zero: int, unjudged: int, limit: float, decision: str
) -> None:
    cases: dict[str, Any] = {f"C{n}": ZEROED if n < zero else vote() for n in range(100)}
    cases |= {f"C{99 - n}": TIMEOUT for n in range(unjudged)}
    result = gate(run_of("r", cases), Thresholds(max_zero_rate=limit, min_judged=0.5))
    assert result.decision == decision
    low, high = zero, zero + unjudged
    bounds = f"With the unjudged replies counted as the best or as the worst it is {low} % to {high} %."
    assert (bounds in said(result, "zero rate")) == (unjudged > 0)


def test_unjudged_replies_may_hold_hard_fails_as_well() -> None:
    run = run_of("r", many(20, C0=TIMEOUT))
    assert gate(run, Thresholds(max_hard_fails=0, min_judged=0.5)).decision == "inconclusive"
    assert gate(run, Thresholds(max_hard_fails=1, min_judged=0.5)).decision == "pass"


def test_unjudged_replies_of_both_runs_count_against_a_margin() -> None:
    a, b = run_of("a", many(120, C0=TIMEOUT)), run_of("b", many(120, C1=TIMEOUT, C2=TIMEOUT))
    one = settled(gate(b, Thresholds(margin=4, min_judged=0.5), a), "quality against a")
    # 90 in A and 0 in B twice, and 100 in A and 90 in B; or 100 in B twice, and 0 in A.
    assert one.unjudged == pytest.approx((-190 / 120, 110 / 120))
    assert one.settled == "open"
    assert one.turns


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
    assert "over 99 cases (1 case has no match" in said(result, "quality against b")


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
