"""The figures of a run as people would have them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from tests.trust.compared import RUBRIC, a_calibration, a_run, judged, learned, said

from iamhumans.stats import Corrected
from iamhumans.trust.corrections import Corrections, corrections
from iamhumans.trust.people import Judged


def holds(corrected: Corrected, true: float) -> bool:
    estimate = corrected.estimate
    return estimate.low is not None and estimate.high is not None and estimate.low <= true <= estimate.high


def of_run(*, apply_map: bool = False) -> Corrections:
    return corrections(a_run()[1], a_calibration(), RUBRIC, apply_map=apply_map)


def of_another_run() -> list[Judged]:
    return [
        replace(one, reply_key=f"new {one.reply_key}", case_id=f"new {n}") for n, one in enumerate(a_run(seed=7)[1])
    ]


def test_the_run_that_was_labelled_is_corrected_by_its_own_labels() -> None:
    found = of_run()
    assert found.own_labels
    assert found.zero_rate.best is found.zero_rate.powered
    assert holds(found.zero_rate.best, 0.25)
    assert holds(found.axes["naturalness"].powered, 6.0)


def test_another_run_is_corrected_by_sensitivity_and_specificity() -> None:
    found = corrections(of_another_run(), a_calibration(), RUBRIC)
    assert not found.own_labels
    assert found.zero_rate.powered is None
    assert found.zero_rate.best is found.zero_rate.by_errors
    assert holds(found.zero_rate.best, 0.25)
    for mean in (found.mean_total, found.axes["naturalness"]):
        assert (mean.powered.state, mean.powered.estimate.value) == ("undefined", None)
        assert "not labels of at least 5 cases of this run" in (mean.powered.reason or "")


@pytest.mark.parametrize("changes", [{"part": None}, {"weight": None}])
def test_labels_that_no_recorded_design_drew_correct_no_mean(changes: dict[str, Any]) -> None:
    labels, judgements = a_run()
    chosen = learned([replace(one, **changes) for one in labels], judgements)
    found = corrections(judgements, chosen, RUBRIC)
    assert not found.own_labels
    assert found.mean_total.powered.state == "undefined"


def test_labels_of_all_replies_need_no_draw() -> None:
    labels = [said(f"r{n}", pity=n % 3 == 0) for n in range(30)]
    judgements = [judged(f"r{n}", pity=n % 4 == 0) for n in range(30)]
    found = corrections(judgements, learned(labels, judgements), RUBRIC)
    assert found.own_labels
    assert found.mean_total.powered.state == "given"


def test_labels_of_a_run_that_shares_a_part_of_its_replies_are_labels_of_another_run() -> None:
    _, judgements = a_run()
    more = [*judgements, *(judged(f"new {n}", pity=True) for n in range(60))]
    assert corrections(judgements, a_calibration(), RUBRIC, drawn_elsewhere=True).own_labels
    assert not corrections(more, a_calibration(), RUBRIC, drawn_elsewhere=True).own_labels


def test_raw_figures_stay_beside_corrected_ones() -> None:
    found = of_run()
    assert found.axes["naturalness"].raw.value == pytest.approx(
        np.mean([one.axes["naturalness"] for one in a_run()[1]])
    )
    assert found.axes["naturalness"].powered.estimate.value != found.axes["naturalness"].raw.value


def test_a_map_is_applied_only_where_it_is_asked_for() -> None:
    assert of_run().axes["naturalness"].mapped is None
    mapped = of_run(apply_map=True).axes["naturalness"].mapped
    assert mapped is not None
    assert mapped.value == pytest.approx(6.0, abs=0.4)


def test_values_beyond_the_range_of_the_labels_are_not_mapped_and_counted() -> None:
    low = [judged(f"low{n}", axes={"naturalness": 0.0}) for n in range(3)]
    found = corrections([*a_run()[1], *low], a_calibration(), RUBRIC, apply_map=True)
    assert found.axes["naturalness"].unmapped == 3


def test_a_hard_fail_that_people_never_saw_has_no_correction_and_says_why() -> None:
    found = corrections(of_another_run(), a_calibration(), RUBRIC).hard_fails["lecturing"].best
    assert found.state == "undefined"
    assert "People said YES to none" in (found.reason or "")


def test_a_judge_that_guesses_has_no_correction() -> None:
    labels = [said(f"r{n}", pity=n % 2 == 0) for n in range(40)]
    judgements = [judged(f"r{n}", pity=n % 4 < 2) for n in range(40)]
    others = [replace(one, reply_key=f"new {one.reply_key}") for one in judgements]
    found = corrections(others, learned(labels, judgements), RUBRIC).zero_rate.best
    assert (found.state, found.estimate.value) == ("undefined", None)


def test_partial_labels_correct_neither_zero_rate_nor_total() -> None:
    labels = [replace(said(f"r{n}", pity=n % 3 == 0), flags={"pity": n % 3 == 0}) for n in range(30)]
    judgements = [judged(f"r{n}", pity=n % 3 == 0) for n in range(30)]
    found = corrections(judgements, learned(labels, judgements), RUBRIC)
    for one in (found.zero_rate.best, found.mean_total.powered):
        assert one.state == "undefined"
        assert "every hard fail" in (one.reason or "")
    assert found.hard_fails["pity"].best.state == "given"
    assert "lecturing" not in found.hard_fails


def test_nothing_judged_gives_no_figure() -> None:
    found = corrections([], a_calibration(), RUBRIC)
    assert found.zero_rate.best.estimate.value is None
    assert found.mean_total.powered.estimate.value is None


def test_a_case_with_many_replies_counts_as_much_as_one_with_few() -> None:
    many = [judged(f"m{n}", case_id="one", axes={"naturalness": 2.0, "empathy_fit": 2.0}) for n in range(30)]
    few = [judged(f"f{n}", case_id=f"c{n}", axes={"naturalness": 8.0, "empathy_fit": 8.0}) for n in range(9)]
    found = corrections([*many, *few], a_calibration(), RUBRIC)
    assert found.axes["naturalness"].raw.value == pytest.approx((2 + 9 * 8) / 10)
