"""Whether what was learned holds for a run, in words."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.builders import SEED
from tests.trust.compared import a_calibration

from iamhumans.runs.journal.journal import Journal
from iamhumans.trust.judge_identity import JudgeIdentity, State, calibration_status
from iamhumans.trust.run_calibration import find_calibration, store_calibration

KNOWN = JudgeIdentity("some/model", {"judges": [{"name": "some/model"}], "repeats": 1}, "rubric", "prompt")


@pytest.mark.parametrize(
    ("wanted", "state", "words"),
    [
        (KNOWN, "calibrated", "calibrated against people"),
        (replace(KNOWN, prompt="other"), "other_prompt", "calibrated for another prompt"),
        (replace(KNOWN, rubric="other"), "other_rubric", "calibrated for another rubric"),
        (replace(KNOWN, settings={"repeats": 2}), "other_settings", "calibrated for other settings"),
        (replace(KNOWN, judge="another/model"), "other_judge", "calibrated for another judge"),
    ],
)
def test_it_says_what_does_not_fit(wanted: JudgeIdentity, state: State, words: str) -> None:
    found = calibration_status(KNOWN.compare(wanted), replies=48, cases=8)
    assert found.state == state
    assert words in found.sentence
    assert found.fits is (state == "calibrated")


def test_without_a_calibration_it_says_so() -> None:
    assert "not calibrated against people" in calibration_status("not_calibrated").sentence


def test_it_says_what_the_labels_were_about() -> None:
    one = calibration_status("calibrated", replies=1, cases=1, about=["pity"]).sentence
    assert "on pity, by labels of 1 reply to 1 case" in one
    many = calibration_status("calibrated", replies=2, cases=2, about=["a", "b", "c"]).sentence
    assert "on 3 hard fails and axes" in many


def test_the_order_of_settings_does_not_matter() -> None:
    turned = replace(KNOWN, settings=dict(reversed(list(KNOWN.settings.items()))))
    assert KNOWN.compare(turned) == "calibrated"


def test_a_calibration_that_fits_is_found_before_a_newer_one_that_does_not() -> None:
    made = replace(a_calibration(), identity=KNOWN)
    with Journal.open(None) as journal:
        assert find_calibration(journal, KNOWN)[0].state == "not_calibrated"
        assert store_calibration(journal, made) is None
        newer = replace(made, identity=replace(KNOWN, prompt="newer"), run="newer")
        assert store_calibration(journal, newer) is None
        assert find_calibration(journal, KNOWN)[1] == made
        assert find_calibration(journal, replace(KNOWN, prompt="third"))[0].state == "other_prompt"
        assert store_calibration(journal, replace(made, run="again")) == made


PLAN = {"judges": [{"name": "rules", "settings": {"version": "1"}}], "repeats": 1, "prompt": "p"}


def test_judges_that_are_sent_no_prompt_are_bound_to_none() -> None:
    assert JudgeIdentity.of_plan(PLAN, SEED).prompt is None


def test_a_panel_is_bound_to_all_its_judges_and_one_of_it_to_itself() -> None:
    plan = {**PLAN, "judges": [*PLAN["judges"], {"name": "some/model", "settings": {}}]}  # type: ignore[misc]  # a list
    assert JudgeIdentity.of_plan(plan, SEED).judge == "rules + some/model"
    assert JudgeIdentity.of_plan(plan, SEED).prompt == "p"
    assert JudgeIdentity.of_plan(plan, SEED, "rules") == JudgeIdentity.of_plan(PLAN, SEED)
