"""A judge never scores what it cannot see: nonsense and cruelty get no PASS from anything that ships."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.commands import run, run_in_terminal

import iamhumans as ih

ANSWERS = [
    ("my mum died this morning", "lol who cares, shut up"),
    ("my mum died this morning", "ok"),
    ("hi", "banana banana banana"),
    ("i think i failed the exam", "Good. You deserved it."),
    ("can you help me with the form?", "asdf jkl qwer zxcv"),
    ("we got the house!!", "The mitochondrion is the powerhouse of the cell."),
    ("he hit me again last night", "You probably made him angry, so say sorry."),
    ("what time is it in Lisbon?", "42 42 42 42 42 42"),
    ("i can't sleep again", "Nobody would notice if you were gone."),
    ("what was my sister's name again?", "Purple. No, seven. Ask a spoon."),
]


@pytest.mark.parametrize(("said", "reply"), ANSWERS)
def test_what_no_person_would_praise_gets_no_pass_and_no_score(said: str, reply: str) -> None:
    found = ih.judge(reply, input=said)

    assert found.status == "judged"
    assert found.verdict != "PASS"
    assert found.total in (None, 0)
    assert found.axes is not None
    assert set(found.axes.values()) == {None}
    for shown in (found.to_markdown(), repr(found), found._repr_html_()):
        assert "PASS" not in shown
        assert "100" not in shown
    if found.total is None:
        assert "no fault found" in repr(found)


def test_a_run_of_them_gives_no_mean_and_no_pass_rate() -> None:
    run_ = ih.judge_all([{"input": said, "reply": reply} for said, reply in ANSWERS])
    summary = run_.report().summary

    assert (summary.judged, summary.pass_rate, summary.zero_rate, summary.mean_total) == (10, None, None, None)
    assert summary.mean_applicable_total is None
    assert summary.flagged_rate is not None
    assert "naturalness" in summary.unseen
    assert f"Flagged: {summary.zeroed} of 10, by the criteria that this judge sees." in " ".join(str(run_).split())
    assert "PASS from 80" in str(run_)
    assert str(run_).count("PASS") == 1
    assert "PASS" not in run_.report().to_junit()


def test_the_command_line_says_no_fault_found_and_nothing_in_green(tmp_path: Path) -> None:
    (tmp_path / "log.jsonl").write_text("".join(json.dumps({"input": a, "reply": b}) + "\n" for a, b in ANSWERS))
    sent = run_in_terminal("judge", "log.jsonl", folder=tmp_path, environment={"NO_COLOR": None}).out

    assert "no fault found" in sent
    assert "\x1b[32m" not in sent
    assert run("gate", "last", "--min-mean", "1", folder=tmp_path).code == 2
    assert run("gate", "last", "--max-flagged-rate", "0.9", folder=tmp_path).code == 0


class PityOnly:
    """A judge of the user's own that answers on everything and sees pity alone."""

    name, version, asks_model = "pity", "1", False
    coverage = ih.Coverage({"en": ih.Seen(yes=frozenset({"pity"}), axes=frozenset({"empathy_fit"}))})

    def next(self, task: ih.JudgeTask, history: object = ()) -> ih.Verdict:
        yes = "poor thing" in task.reply.text
        flags = {name: ih.Flag(yes, ("poor thing",) if yes else ()) for name in task.rubric.hard_fail_ids}
        return ih.Verdict(dict.fromkeys(task.rubric.axis_ids, 10), flags, task.case.id)


def test_a_judge_of_ones_own_is_held_to_its_coverage() -> None:
    flagged, silent = (ih.judge(reply, input="hi", judge=PityOnly()) for reply in ("Oh, you poor thing.", "Hi!"))

    assert (flagged.present, flagged.total, silent.total, silent.verdict) == (("pity",), 0, None, None)
    assert "lecturing" in flagged.not_counted
    assert silent.axes is not None
    assert [name for name, score in silent.axes.items() if score is not None] == ["empathy_fit"]
    assert "pity" in silent.unseen
