"""Comparing, gating and calibrating from Python."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.api.test_run import a_suite, friend, named, stock
from tests.builders import SEES_ALL, verdict_of

import iamhumans as ih


@pytest.fixture
def runs(tmp_path: Path) -> tuple[ih.Run, ih.Run]:
    suite, journal = a_suite(tmp_path / "suite"), ih.open_journal(tmp_path / "runs.db")
    a, b = (ih.run(suite, subject=named(one, one.__name__), judge=SEES_ALL, journal=journal) for one in (friend, stock))
    return a, b


def judge_well(messages: list[dict[str, str]]) -> str:
    return verdict_of(case_id=None)


def judge_badly(messages: list[dict[str, str]]) -> str:
    return verdict_of(case_id=None, yes={"pity": ["Oh no."]})


def read_back(run: ih.Run) -> ih.Run:
    assert run.journal.path is not None
    return ih.open_journal(run.journal.path).run(run.name)


def test_a_comparison_says_what_changed(runs: tuple[ih.Run, ih.Run]) -> None:
    found = ih.compare(*runs)
    assert found.summary.startswith("Cases zeroed")
    assert [row["case_id"] for row in found.to_rows()] == ["A-1", "A-2", "A-3", "A-4"]
    assert all(row["difference"] == -100 for row in found.to_rows())


def test_a_comparison_of_runs_read_back_equals_the_fresh_one(runs: tuple[ih.Run, ih.Run]) -> None:
    fresh, again = ih.compare(*runs), ih.compare(*map(read_back, runs))
    assert again == fresh
    assert again.to_json() == fresh.to_json()


def test_a_run_is_not_compared_with_itself(runs: tuple[ih.Run, ih.Run]) -> None:
    with pytest.raises(ih.CommandError):
        ih.compare(runs[0], runs[0])


def test_a_gate_decides_with_reasons_and_an_exit_code(runs: tuple[ih.Run, ih.Run]) -> None:
    result = ih.gate(runs[1], max_zero_rate=0.1)
    assert (result.decision, result.exit_code) == ("fail", 1)
    assert result.reasons
    assert result.to_dict()["decision"] == "fail"
    assert "<testsuite" in result.to_junit()


def test_a_gate_on_a_run_read_back_equals_the_fresh_one(runs: tuple[ih.Run, ih.Run]) -> None:
    assert ih.gate(read_back(runs[1]), max_zero_rate=0.1) == ih.gate(runs[1], max_zero_rate=0.1)


def test_a_gate_holds_a_run_against_a_baseline(runs: tuple[ih.Run, ih.Run]) -> None:
    a, b = runs
    assert ih.gate(b, baseline=a).decision == "fail"


def test_a_gate_without_a_demand_is_an_error(runs: tuple[ih.Run, ih.Run]) -> None:
    with pytest.raises(ih.CommandError):
        ih.gate(runs[0])


def test_a_gate_on_imported_results_needs_consent(runs: tuple[ih.Run, ih.Run], tmp_path: Path) -> None:
    runs[0].journal.export(runs[0], tmp_path / "run.jsonl")
    with ih.open_journal(tmp_path / "other.db") as other:
        there = other.import_(tmp_path / "run.jsonl")
        refused = ih.gate(there, max_hard_fails=4)
        assert (refused.decision, refused.exit_code) == ("inconclusive", 3)
        assert "--accept-imported" in refused.summary
        assert ih.gate(there, max_hard_fails=4, accept_imported=True).decision == "pass"


def test_a_report_shows_the_judges_of_a_panel_once(tmp_path: Path) -> None:
    first, second = (named(function, function.__name__) for function in (judge_well, judge_badly))
    run = ih.run(a_suite(tmp_path / "suite"), subject=friend, judge=[first, second])
    assert run.report().to_text().count("The panel and its judges") == 1


def test_an_export_of_held_out_cases_has_no_words_of_an_unjudged_reply(tmp_path: Path) -> None:
    def secretive(messages: list[dict[str, str]]) -> str:
        return "I cannot judge the secret words." if "night 4" in messages[-1]["content"] else judge_well(messages)

    suite = a_suite(tmp_path / "suite", held_out=True)
    if not (suite / "seal.json").exists():
        ih.load_suite(suite).seal()
    run = ih.run(suite, subject=friend, judge=secretive, holdout_reason="a release test", journal=tmp_path / "runs.db")
    run.journal.export(run, tmp_path / "run.jsonl")
    assert "secret words" not in (tmp_path / "run.jsonl").read_text()
    with ih.open_journal(tmp_path / "other.db") as other:
        there = other.import_(tmp_path / "run.jsonl")
        (detail,) = [one["detail"] for one in there.report().to_rows() if one["detail"]]
        assert detail in (tmp_path / "run.jsonl").read_text()  # A hash is not hashed again.


def test_replies_are_compared_side_by_side_by_a_function(runs: tuple[ih.Run, ih.Run]) -> None:
    asked: list[str] = []

    def chooser(messages: list[dict[str, str]]) -> str:
        asked.append(messages[-1]["content"])
        return "I cannot choose."

    found = ih.compare_replies(*runs, judge=chooser)
    assert len(asked) >= 8  # four pairs, both orders
    assert len(found.to_rows()) == 4
    assert found.summary


def test_replies_are_compared_by_rules_without_a_model(runs: tuple[ih.Run, ih.Run]) -> None:
    found = ih.compare_replies(*runs, judge="rules")
    assert found.stopped is None
    assert {row["case_id"] for row in found.to_rows()} == {"A-1", "A-2", "A-3", "A-4"}


def test_labels_calibrate_the_judge_of_a_run(runs: tuple[ih.Run, ih.Run], tmp_path: Path) -> None:
    run = runs[1]
    labels = [
        ih.Label(
            reply_key=one.reply_key,
            case_id=one.case_id,
            subject=one.subject,
            number=one.number,
            rater="ann",
            flags={"empty_validation": True},
            axes={"naturalness": 2},
        )
        for one in run.draw(4).drawn
    ]
    found = ih.calibrate(run, labels)
    assert "calibrated against people" in found.summary
    found.save(tmp_path / "calibration.json")
    assert ih.calibrate(run, calibration=tmp_path / "calibration.json").summary == found.summary
    assert ih.calibrate(read_back(run), stored=True).to_dict()["calibration"] == found.to_dict()["calibration"]


def test_stored_labels_calibrate_like_labels_that_are_given(runs: tuple[ih.Run, ih.Run]) -> None:
    run = runs[1]
    labels = [
        ih.Label(one.key, one.case.id, one.subject, one.number, "ann", {"empty_validation": True})
        for one in run.replies()
    ]
    given = ih.calibrate(run, labels).to_dict()["calibration"]
    assert run.label(labels) == 4
    assert ih.calibrate(run).to_dict()["calibration"] == given


@pytest.mark.parametrize(
    ("key", "flags", "axes", "said"),
    [
        ("no such key", {}, {}, "has no reply"),
        (None, {"empty_validaton": True}, {}, "no hard fail `empty_validaton`"),
        (None, {}, {"warmth": 3}, "no axis `warmth`"),
        (None, {}, {"naturalness": 11}, "has 11 for `naturalness`"),
    ],
)
def test_a_label_that_does_not_fit_is_an_error_and_none_is_stored(
    runs: tuple[ih.Run, ih.Run], key: str | None, flags: dict[str, bool], axes: dict[str, float], said: str
) -> None:
    run = runs[1]
    good, other = (ih.Label(one.key, one.case.id, one.subject, 1, "ann", {}, {}) for one in run.replies()[:2])
    wrong = replace(other, reply_key=key or other.reply_key, flags=flags, axes=axes)
    with pytest.raises(ih.errors.InputError, match=said) as caught:
        run.label([replace(good, flags={"pity": True}), wrong])
    assert caught.value.fix
    with pytest.raises(ih.errors.CommandError, match="no label"):
        run.labels().rows()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"max_zero_rate": 10}, "`max_zero_rate` is 10"),
        ({"max_zero_rate": "x"}, "`max_zero_rate` is 'x'"),
        ({"max_flagged_rate": 10}, "`max_flagged_rate` is 10"),
        ({"min_mean": 850}, "`min_mean` is 850"),
        ({"max_zero_rate": 0.1, "margin": -5}, "`margin` is -5"),
        ({"max_zero_rate": 0.1, "min_judged": 90}, "`min_judged` is 90"),
        ({"max_zero_rate": 0.1, "consecutive": 0}, "`consecutive` is 0"),
        ({"min_dimensions": {"each": 101}}, "`each` is 101"),
    ],
)
def test_a_gate_refuses_what_no_run_can_be(runs: tuple[ih.Run, ih.Run], given: dict[str, Any], said: str) -> None:
    with pytest.raises(ih.CommandError, match=said) as caught:
        ih.gate(runs[0], **given)
    assert caught.value.fix


def test_what_is_not_a_run_or_a_label_is_an_error_that_says_how_to_get_one(runs: tuple[ih.Run, ih.Run]) -> None:
    wrong: Any = "zzz"
    for use in (
        lambda: ih.compare(runs[0], wrong),
        lambda: ih.compare_replies(wrong, runs[0], judge="rules"),
        lambda: ih.gate(wrong, max_zero_rate=0.1),
        lambda: ih.calibrate(wrong),
        lambda: ih.calibrate(runs[0], [{"x": 1}]),  # type: ignore[list-item]
        lambda: ih.judge_all(None),
        lambda: ih.run("core", subject="echo", replies=0),
        lambda: runs[0].draw(-1),
    ):
        with pytest.raises(ih.CommandError) as caught:
            use()
        assert caught.value.fix
