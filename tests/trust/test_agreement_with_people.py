"""How far a judge agrees with people, per criterion."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score
from tests.trust.compared import a_calibration, a_run, judged, learned, said

from iamhumans.stats import Estimate
from iamhumans.trust.agreement import POOLED_AXES, POOLED_FLAGS, ZEROED, Criterion, label_noise
from iamhumans.trust.calibration import Calibration


def criterion(calibration: Calibration, name: str) -> Criterion:
    found = calibration.criterion(name)
    assert found is not None
    return found


def value(estimate: Estimate) -> float:
    assert estimate.value is not None
    return estimate.value


def test_criteria_come_one_by_one_and_pooled_last() -> None:
    names = [one.name for one in a_calibration().criteria]
    assert names == ["pity", "lecturing", ZEROED, "naturalness", "empathy_fit", POOLED_FLAGS, POOLED_AXES]


def test_sensitivity_and_specificity_are_about_what_was_made() -> None:
    found = criterion(a_calibration(), "pity").against_people
    assert value(found["sensitivity"]) == pytest.approx(0.8, abs=0.15)
    assert value(found["specificity"]) == pytest.approx(0.9, abs=0.1)
    assert found["sensitivity"].low is not None


def test_kappa_is_that_of_judge_and_people_as_one() -> None:
    labels, judgements = a_run()
    people = {label.reply_key: label.flags["pity"] for label in labels}
    both = [(people[one.reply_key], one.flags["pity"]) for one in judgements if one.reply_key in people]
    reference = cohen_kappa_score(*zip(*both, strict=True))
    assert value(criterion(a_calibration(), "pity").against_people["kappa"]) == pytest.approx(reference, abs=1e-9)


def test_bias_is_judge_minus_people() -> None:
    found = criterion(a_calibration(), "naturalness").against_people
    assert value(found["bias"]) == pytest.approx(1.0, abs=0.2)
    assert value(found["icc_absolute"]) < value(found["icc_consistency"])


def test_between_people_is_told_apart_from_the_judge() -> None:
    found = criterion(a_calibration(), "naturalness")
    assert found.rated_twice == 60
    assert value(found.between_people["alpha_interval"]) > 0.9
    assert found.between_people["alpha_interval"].method == "cluster bootstrap, percentiles"


def test_the_noise_of_labels_is_taken_out_of_the_slope() -> None:
    found = criterion(a_calibration(), "naturalness").against_people
    assert value(found["slope_on_truth"]) > value(found["slope"])


def test_replies_on_which_people_are_split_are_left_out_and_counted() -> None:
    labels = [said(f"r{n}", rater=name, pity=n < 2 and name == "ann") for n in range(8) for name in ("ann", "bob")]
    found = criterion(learned(labels, [judged(f"r{n}") for n in range(8)]), "pity")
    assert (found.split, found.replies, found.compared) == (2, 6, 6)


def test_replies_that_the_judge_has_not_judged_count_between_people_only() -> None:
    labels = [said(f"r{n}", rater=name) for n in range(8) for name in ("ann", "bob")]
    found = criterion(learned(labels, [judged(f"r{n}") for n in range(5)]), "pity")
    assert (found.replies, found.compared, found.rated_twice) == (8, 5, 8)


def test_an_axis_that_was_not_at_stake_is_not_compared() -> None:
    labels = [said(f"r{n}") for n in range(6)]
    judgements = [judged(f"r{n}", defaulted=["naturalness"] if n < 2 else []) for n in range(6)]
    assert criterion(learned(labels, judgements), "naturalness").compared == 4


def test_weights_move_the_share_of_yes() -> None:
    labels = [said(f"r{n}", pity=n < 5, weight=1.0 if n < 5 else 9.0, part="random") for n in range(10)]
    found = criterion(learned(labels, [judged(f"r{n}") for n in range(10)]), "pity")
    assert value(found.between_people["prevalence"]) == pytest.approx(0.1)


def test_where_people_never_say_yes_there_is_no_sensitivity_and_a_note() -> None:
    found = criterion(learned([said(f"r{n}") for n in range(8)], [judged(f"r{n}") for n in range(8)]), "pity")
    assert found.against_people["sensitivity"].value is None
    assert "People said YES to none" in (found.against_people["sensitivity"].withheld or "")
    assert any("People never said YES" in note for note in found.notes)


@pytest.mark.parametrize(("yes", "withheld"), [(4, True), (5, False), (36, True)])
def test_agreement_is_withheld_where_one_answer_is_nearly_absent(yes: int, withheld: bool) -> None:
    labels = [said(f"r{n}", pity=n < yes) for n in range(40)]
    found = criterion(learned(labels, [judged(f"r{n}", pity=n < 20) for n in range(40)]), "pity").against_people
    for name in ("agreement", "kappa", "alpha_with_judge"):
        assert (found[name].value is None) == withheld, name
        assert not withheld or "answers of one side are the same" in (found[name].withheld or "")
    assert found["sensitivity"].value is not None
    assert value(found["prevalence_index"]) == pytest.approx((min(yes, 20) - (40 - max(yes, 20))) / 40)
    assert value(found["bias_index"]) == pytest.approx((20 - yes) / 40)


def test_a_narrow_range_is_pointed_out() -> None:
    labels = [said(f"r{n}", naturalness=8.0 + n % 2) for n in range(12)]
    found = criterion(learned(labels, [judged(f"r{n}") for n in range(12)]), "naturalness")
    assert any("narrow range" in note for note in found.notes)


def test_few_labels_few_cases_and_one_person_are_pointed_out() -> None:
    notes = learned([said(f"r{n}") for n in range(8)], [judged(f"r{n}") for n in range(8)]).notes
    for words in ("Few labels (8 replies)", "Few cases (8)", "Only one person labelled", "not drawn"):
        assert any(words in note for note in notes), words


def test_targeted_labels_say_what_they_are_worth() -> None:
    labels = [said(f"r{n}", weight=10.0 if n < 20 else 1.0, part="random" if n < 20 else "targeted") for n in range(40)]
    notes = learned(labels, [judged(f"r{n}") for n in range(40)]).notes
    assert any("20 replies are from the targeted part" in note and "about 24 at random" in note for note in notes)


def test_a_map_brings_a_judge_that_is_too_kind_nearer() -> None:
    found = a_calibration().maps["naturalness"]
    assert value(found.gain.gain) > 0.3
    assert found.map(found.map.judge[0] - 1) is None


def test_noise_of_labels_is_unknown_where_nothing_was_rated_twice() -> None:
    assert label_noise(np.array([[1.0, np.nan], [np.nan, 2.0]])) is None


def test_noise_of_labels_is_the_variance_between_people_over_their_number() -> None:
    assert label_noise(np.array([[1.0, 3.0], [5.0, 7.0]])) == pytest.approx(1.0)
