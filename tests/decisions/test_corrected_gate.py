"""Gates on what people would say, and a run beside its calibration."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest
from tests.builders import SEED
from tests.decisions.made_up import FLAG, many, of_panel, run_of, vote

from iamhumans.decisions.gate import Decision, GateResult, Thresholds, gate
from iamhumans.decisions.outcomes import RunOutcomes
from iamhumans.decisions.panel import combine
from iamhumans.errors import CommandError
from iamhumans.reports.gate import gate_blocks, gate_document, gate_reasons
from iamhumans.reports.terminal import blocks_text
from iamhumans.rubrics import Rubric
from iamhumans.runs.labels import Label
from iamhumans.trust.calibration import Calibration, calibrate
from iamhumans.trust.judge_identity import calibration_status
from iamhumans.trust.people import people_of
from iamhumans.trust.run_calibration import RunCalibration, by_judge, identity_of, judged_values

SMALL = Rubric(name="small", axes=SEED.axes[:1], hard_fails=tuple(one for one in SEED.hard_fails if one.id == FLAG))
NONE = calibration_status("not_calibrated")


@cache
def zeroed_too_often() -> RunOutcomes:
    """Sixty cases; the judge zeroes every third and people would zero every sixth."""
    return run_of("abc", {f"C{n}": vote((8,), *((FLAG,) if n % 3 == 0 else ())) for n in range(60)}, by=SMALL)


@cache
def learned() -> Calibration:
    run = zeroed_too_often()
    labels = [
        Label(one.key, one.case_id, "s", 1, "ann", {FLAG: n % 6 == 0}, {SMALL.axis_ids[0]: 9.0 if n % 2 else 8.0})
        for n, one in enumerate(run.replies)
    ]
    return calibrate(people_of(labels), judged_values(run), SMALL, identity_of(run), "abc", created="now")


def beside() -> RunCalibration:
    run = zeroed_too_often()
    return RunCalibration(run, calibration_status("calibrated"), learned())


def decided(thresholds: Thresholds, known: RunCalibration | None = None) -> GateResult:
    return gate(zeroed_too_often(), thresholds, corrections=known)


def states(result: GateResult) -> dict[str, str]:
    return {one.name: one.settled for one in result.criteria}


def test_the_raw_zero_rate_fails_where_the_corrected_one_passes() -> None:
    assert decided(Thresholds(max_zero_rate=0.24)).decision is Decision.INCONCLUSIVE
    corrected = decided(Thresholds(max_zero_rate=0.28, corrected=True), beside())
    assert corrected.decision is Decision.PASS
    assert states(corrected)["zero rate, corrected"] == "met"


def test_a_corrected_rate_that_is_shown_to_be_too_high_fails() -> None:
    result = decided(Thresholds(max_zero_rate=0.02, corrected=True), beside())
    assert result.decision is Decision.FAIL
    assert "people would zero is 16.7 %" in gate_reasons(result)[0]


def test_a_corrected_mean_is_held_to_its_threshold() -> None:
    assert decided(Thresholds(min_mean=50, corrected=True), beside()).decision is Decision.PASS
    assert decided(Thresholds(min_mean=95, corrected=True), beside()).decision is Decision.FAIL


def test_corrected_figures_are_shown_beside_a_gate_that_does_not_demand_them() -> None:
    result = decided(Thresholds(max_zero_rate=0.9), beside())
    assert "people would zero is 16.7 %; by these labels" in blocks_text(gate_blocks(result), width=1_000)
    assert gate_document(result)["calibration"]["sentence"] == beside().sentence
    assert result == decided(Thresholds(max_zero_rate=0.9), beside())


@pytest.mark.parametrize("known", [None, RunCalibration(None, NONE)])
def test_without_a_calibration_that_fits_nothing_is_decided(known: RunCalibration | None) -> None:
    result = decided(Thresholds(max_zero_rate=0.9, max_hard_fails=0, corrected=True), known)
    assert result.decision is Decision.INCONCLUSIVE
    assert states(result)["calibration"] == "open"


def test_corrected_figures_without_a_threshold_on_one_are_refused() -> None:
    with pytest.raises(CommandError, match="nothing to correct"):
        decided(Thresholds(max_hard_fails=3, corrected=True), beside())


def test_thresholds_that_are_not_corrected_are_decided_as_ever() -> None:
    assert states(decided(Thresholds(max_zero_rate=0.9, max_hard_fails=5, corrected=True), beside()))["hard fails"] == (
        "missed"
    )


def test_a_reply_that_votes_zero_for_different_flags_is_zeroed_without_one() -> None:
    run = run_of("abc", many(2, combine([vote(9, FLAG), vote(9, "pity")], SEED, asked=2)))
    assert [(one.zeroed, one.total, any(one.flags.values())) for one in judged_values(run)] == [(True, 0, False)] * 2


def test_each_subject_has_corrected_figures_of_its_own() -> None:
    run = zeroed_too_often()
    replies = tuple(one._replace(subject="a" if n < 30 else "b") for n, one in enumerate(run.replies))
    both = replace(run, replies=replies)
    found = RunCalibration(both, beside().status, learned()).by_subject()
    assert list(found) == ["a", "b"]
    assert all(one.zero_rate.raw.n_cases == 30 for one in found.values())


def test_one_judge_of_a_panel_is_looked_at_by_itself() -> None:
    reply = of_panel("C1", {"x": [vote(9)], "y": [vote(5, FLAG)]})
    seats = [{"name": "x", "settings": {}}, {"name": "y", "settings": {}}]
    run = replace(run_of("abc", {}, judges=seats), replies=(reply,))
    (judged,) = judged_values(by_judge(run, "y"))
    assert judged.flags[FLAG] is True
    assert identity_of(run, "y").judge == "y"
    with pytest.raises(CommandError, match="no judge z"):
        identity_of(run, "z")
