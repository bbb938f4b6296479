"""Drawing replies from subjects and judging them, from Python."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from tests.builders import verdict_of

import iamhumans as ih

CASE = """---
id: {id}
title: About {id}
dimensions: [{dimension}]
holdout: {holdout}
lang: en
---

## input

{said}

## rubric

- Asks about it
"""
FRIEND = "Oh no. How long has it been like this?"
STOCK = "Your feelings are completely valid."


def a_suite(folder: Path, *, held_out: bool = False) -> Path:
    (folder / "cases").mkdir(parents=True)
    (folder / "suite.yaml").write_text("name: small\nversion: 1\n")
    for number in range(1, 5):
        name = f"A-{number}"
        holdout = "true" if held_out and number == 4 else "false"
        said = f"i can't sleep again, night {number}"
        text = CASE.format(id=name, dimension="feeling" if number % 2 else "memory", holdout=holdout, said=said)
        (folder / "cases" / f"{name}.md").write_text(text)
    if held_out:
        ih.load_suite(folder).seal()
    return folder


def friend(messages: list[dict[str, str]]) -> str:
    return FRIEND


def stock(messages: list[dict[str, str]]) -> str:
    return STOCK


def named(function: object, name: str) -> ih.CallableModel:
    return ih.CallableModel(function, name=name, version="1")  # type: ignore[arg-type]


def test_a_function_replies_to_every_case_and_is_judged(tmp_path: Path) -> None:
    run = ih.run(a_suite(tmp_path / "suite"), subject=friend)
    assert (run.status, run.asked, run.judged) == ("finished", 4, 4)
    assert {one.case_id for one in run} == {"A-1", "A-2", "A-3", "A-4"}
    assert {reply.text for reply in run.replies()} == {FRIEND}


def test_a_config_may_be_named_as_text(tmp_path: Path) -> None:
    (tmp_path / "models.toml").write_text("[models.server]\nflavour = 1\n")
    with pytest.raises(ih.errors.InputError, match="flavour"):
        ih.run(a_suite(tmp_path / "suite"), subject="server", config=str(tmp_path / "models.toml"))


def test_subjects_and_skills_make_a_grid_in_one_run(tmp_path: Path) -> None:
    (tmp_path / "kind.md").write_text("Be kind.")
    (tmp_path / "short.md").write_text("Be short.")
    skills: list[str | Path | ih.Skill | None] = [tmp_path / "kind.md", tmp_path / "short.md"]
    run = ih.run(
        a_suite(tmp_path / "suite"), subject=[named(friend, "friend"), named(stock, "stock")], skill=skills, replies=2
    )
    assert run.asked == 4 * 2 * 2 * 2
    assert len({one.subject for one in run}) == 4


def test_the_skill_is_the_system_message(tmp_path: Path) -> None:
    seen: list[list[dict[str, str]]] = []

    def subject(messages: list[dict[str, str]]) -> str:
        seen.append(messages)
        return FRIEND

    ih.run(a_suite(tmp_path / "suite"), subject=subject, skill=ih.Skill("Be kind."))
    assert {messages[0]["content"] for messages in seen} == {"Be kind."}
    assert {messages[0]["role"] for messages in seen} == {"system"}


def test_the_file_name_of_a_skill_does_not_matter(tmp_path: Path) -> None:
    calls = 0

    def subject(messages: list[dict[str, str]]) -> str:
        nonlocal calls
        calls += 1
        return FRIEND

    suite = a_suite(tmp_path / "suite")
    for name in ("mine.md", "renamed.md"):
        (tmp_path / name).write_text("Be kind.")
        ih.run(suite, subject=named(subject, "one"), skill=tmp_path / name, journal=tmp_path / "runs.db")
    assert calls == 4


def test_the_same_call_finds_its_finished_run(tmp_path: Path) -> None:
    suite, journal = a_suite(tmp_path / "suite"), tmp_path / "runs.db"
    first = ih.run(suite, subject=named(friend, "friend"), journal=journal)
    assert ih.run(suite, subject=named(friend, "friend"), journal=journal) == first
    with ih.open_journal(journal) as opened:
        assert opened.run("last") == first
        assert len(opened.runs()) == 1


def test_fresh_results_win_over_older_ones(tmp_path: Path) -> None:
    answers = iter([FRIEND] * 4 + [STOCK] * 4)

    def subject(messages: list[dict[str, str]]) -> str:
        return next(answers)

    suite, journal = a_suite(tmp_path / "suite"), tmp_path / "runs.db"
    given = named(subject, "changing")
    ih.run(suite, subject=given, journal=journal)
    ih.run(suite, subject=given, journal=journal, fresh=True)
    again = ih.run(suite, subject=given, journal=journal)
    assert {one.total for one in again} == {0}
    assert {reply.text for reply in again.replies()} == {STOCK}


def test_held_out_cases_are_used_only_for_a_reason(tmp_path: Path) -> None:
    suite = a_suite(tmp_path / "suite", held_out=True)
    assert {one.case_id for one in ih.run(suite, subject=friend)} == {"A-1", "A-2", "A-3"}
    run = ih.run(suite, subject=friend, holdout_reason="the last check before release")
    assert {one.case_id for one in run} == {"A-4"}


def test_replies_to_held_out_cases_are_not_handed_out_without_a_reason(tmp_path: Path) -> None:
    suite = a_suite(tmp_path / "suite", held_out=True)
    run = ih.run(suite, subject=friend, holdout_reason="the last check before release")
    assert run.replies() == []
    assert "night 4" not in run.report().to_json()
    shown = run.replies(holdout_reason="to see what went wrong in the last check")
    assert [reply.text for reply in shown] == [FRIEND]


def test_replies_are_drawn_without_a_judge_and_judged_later(tmp_path: Path) -> None:
    suite = a_suite(tmp_path / "suite")
    drawn = ih.reply_all(suite, subject=[named(friend, "friend"), named(stock, "stock")], replies=2)
    assert len(drawn) == 16
    run = ih.judge_all([one.to_dict() for one in drawn], suite=suite)
    assert (run.asked, run.judged) == (16, 16)
    assert {one.total == 0 for one in run if one.subject == "stock"} == {True}


def test_a_subject_that_fails_leaves_replies_out_and_the_same_call_asks_again(tmp_path: Path) -> None:
    working = False

    def subject(messages: list[dict[str, str]]) -> str:
        if not working:
            raise ConnectionError
        return FRIEND

    suite, journal = a_suite(tmp_path / "suite"), tmp_path / "runs.db"
    given = named(subject, "flaky")
    first = ih.run(suite, subject=given, journal=journal)
    assert (first.judged, first.status) == (0, "incomplete")
    assert {one.reason for one in first} == {"provider_error"}
    working = True
    assert ih.run(suite, subject=given, journal=journal).judged == 4


def test_an_estimate_sends_nothing_and_knows_what_is_stored(tmp_path: Path) -> None:
    calls = 0

    def judge(messages: list[dict[str, str]]) -> str:
        nonlocal calls
        calls += 1
        return verdict_of()

    suite, journal = a_suite(tmp_path / "suite"), tmp_path / "runs.db"
    found = ih.estimate_run(suite, subject=named(friend, "friend"), judge=judge, journal=journal)
    assert (found.calls, calls) == (8, 0)
    ih.run(suite, subject=named(friend, "friend"), journal=journal)
    assert ih.estimate_run(suite, subject=named(friend, "friend"), journal=journal).calls == 0


def test_it_runs_inside_a_running_loop(tmp_path: Path) -> None:
    suite = a_suite(tmp_path / "suite")

    async def notebook() -> tuple[ih.Run, ih.Run]:
        return ih.run(suite, subject=friend), await ih.arun(suite, subject=friend)

    blocking, awaited = asyncio.run(notebook())
    assert [one.total for one in blocking] == [one.total for one in awaited]


@pytest.mark.parametrize("name", ["to_dict", "to_json", "to_markdown", "to_rows"])
def test_a_run_read_back_shows_the_same_as_the_fresh_one(tmp_path: Path, name: str) -> None:
    journal = tmp_path / "runs.db"
    fresh = ih.run(a_suite(tmp_path / "suite"), subject=friend, journal=journal)
    with ih.open_journal(journal) as opened:
        assert getattr(opened.run("last"), name)() == getattr(fresh, name)()


def test_export_and_import_give_the_same_run(tmp_path: Path) -> None:
    run = ih.run(a_suite(tmp_path / "suite"), subject=friend, journal=tmp_path / "a.db")
    run.journal.export(run, tmp_path / "run.jsonl")
    with ih.open_journal(tmp_path / "b.db") as other:
        there = other.import_(tmp_path / "run.jsonl")
        assert there == run
        assert there.imported
        other.export(there, tmp_path / "again.jsonl")
    lines = [json.loads(line) for line in (tmp_path / "run.jsonl").read_text().splitlines()]
    assert [json.loads(line) for line in (tmp_path / "again.jsonl").read_text().splitlines()][1:] == lines[1:]


def test_a_rubric_keeps_the_name_that_the_suite_gave_it(tmp_path: Path) -> None:
    rows = [{"input": "i can't sleep again", "reply": FRIEND}]
    (tmp_path / "r.yaml").write_text("name: ours\nextends: iamhumans\n")
    options: dict[str, Any] = {"journal": tmp_path / "runs.db"}
    first = ih.judge_all(rows, **options).to_json()
    assert ih.judge_all(rows, rubric=tmp_path / "r.yaml", **options).rubric.name == "ours"
    assert ih.judge_all(rows, **options).to_json() == first
