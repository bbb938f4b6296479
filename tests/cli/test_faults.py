"""Faults that people met on the command line, each with its kind."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from tests.commands import assert_one_paragraph, run
from tests.judging_server import Bench, Question, Roles, question_in
from tests.servers import Behaviour, ChatServer, Received, refuse, say

CHAT = {"messages": [{"role": "user", "content": "the bakery closed"}, {"role": "assistant", "content": "Oh no."}]}
BOTH = ("run", "suite", "--subject", "loop", "--judge", "loop")


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    bench = Bench(tmp_path)
    bench.suite(3)
    return bench


def advised(err: str) -> list[str]:
    """The arguments of the command that a message advises."""
    return shlex.split(err.split("`iamhumans ")[1].split("`")[0])


# 2: a short key edits replies


@pytest.mark.parametrize("key", ["test", "EMPTY", "bakery"])
def test_a_key_that_people_would_type_changes_no_reply(tmp_path: Path, key: str) -> None:
    reply = f"Oh no, {key} it is. A {key}."
    with ChatServer(Roles(subject=lambda _: say(reply))) as server:
        bench = Bench(tmp_path, {"OPENAI_API_KEY": key, "IAMHUMANS_OPENAI_BASE_URL": server.openai_url})
        bench.suite(1)
        said = bench.run("reply", "suite", "--subject", "openai/tiny")
    assert json.loads(said.out)["reply"] == reply


# 3: a panel loses judges with -o


def test_all_judges_of_a_panel_are_in_the_output_file(bench: Bench) -> None:
    bench.write("replies.jsonl", "\n".join(json.dumps({"case_id": f"C-00{n}", "reply": "Oh."}) for n in (1, 2, 3)))
    with ChatServer(Roles()) as server:
        bench.models(server.openai_url)
        judges = ("--judge", "loop", "--judge", "rules")
        assert bench.run("judge", "replies.jsonl", "--suite", "suite", *judges, "-o", "out.jsonl").code == 0
    rows = [json.loads(line) for line in (bench.folder / "out.jsonl").read_text().splitlines()]
    assert sorted((row["row"], row["judge"]) for row in rows) == [(n, j) for n in (1, 2, 3) for j in ("loop", "rules")]


# 5: a journal that came with a project


def test_a_journal_from_elsewhere_is_refused_until_it_is_allowed_and_then_a_gate_must_accept_it(tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    here.mkdir()
    (here / "replies.jsonl").write_text(json.dumps(CHAT))
    assert run("judge", "replies.jsonl", folder=here).code == 0
    shutil.copytree(here, there)
    refused = run("report", "last", folder=there)
    assert (refused.code, refused.out) == (2, "")
    assert_one_paragraph(refused.err)
    asked = run(*advised(refused.err), folder=there)
    assert asked.code == 2
    assert "It holds 1 run" in asked.out
    assert run(*advised(refused.err), "--yes", folder=there).code == 0
    assert run("report", "last", folder=there).code == 0
    gate = ("gate", "last", "--max-flagged-rate", "1")
    held = run(*gate, folder=there)
    assert held.code != 0
    assert "--accept-imported" in held.out + held.err
    accepted = run(*gate, "--accept-imported", folder=there)
    assert "--accept-imported" not in accepted.out + accepted.err


@pytest.mark.skipif(os.name == "nt", reason="permissions of POSIX")
def test_a_journal_that_others_may_write_is_refused(tmp_path: Path) -> None:
    (tmp_path / "replies.jsonl").write_text(json.dumps(CHAT))
    assert run("judge", "replies.jsonl", folder=tmp_path).code == 0
    (tmp_path / ".iamhumans" / "journal.db").chmod(0o666)
    done = run("report", "last", folder=tmp_path)
    assert (done.code, done.out) == (2, "")
    assert "chmod" in done.err


# 8: names of files in keys


def test_a_skill_in_a_renamed_file_costs_nothing(bench: Bench) -> None:
    bench.write("mine.md", "Be warm.")
    with ChatServer(Roles()) as server:
        bench.models(server.openai_url)
        assert bench.run(*BOTH, "--skill", "mine.md").code == 0
        count = server.count
        (bench.folder / "mine.md").rename(bench.folder / "yours.md")
        assert bench.run(*BOTH, "--skill", "yours.md").code == 0
        assert server.count == count


# 10: advice after --fresh


def test_the_advice_after_a_stopped_fresh_run_pays_for_nothing_twice(bench: Bench) -> None:
    with ChatServer(Roles()) as server:
        bench.models(server.openai_url)
        bench.run(*BOTH)
        count = server.count
        stopped = bench.run(*BOTH, "--fresh", "--max-tokens", "1500", "--max-connections", "1", "--json")
        assert stopped.code == 4
        assert "Run the same command without --fresh to resume." in stopped.err
        done = bench.run(*BOTH, "--json")
        assert (done.code, done.document["run"]) == (0, stopped.document["run"])
        assert server.count == 2 * count


# 11: damaged journals, files that never end, rubrics outside, and the like


def test_a_damaged_verdict_is_called_a_damaged_journal_with_its_row(tmp_path: Path) -> None:
    (tmp_path / "replies.jsonl").write_text(json.dumps(CHAT))
    run("judge", "replies.jsonl", folder=tmp_path)
    with closing(sqlite3.connect(tmp_path / ".iamhumans" / "journal.db")) as journal:
        journal.execute("UPDATE judgements SET verdict = '{\"natural'")
        journal.commit()
    done = run("report", "last", folder=tmp_path)
    assert done.code != 0
    assert_one_paragraph(done.err)
    assert "damaged" in done.err
    assert "bug" not in done.err


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
@pytest.mark.parametrize("place", ["suite/cases/P-1.md", "suite/suite.yaml", "pipe.db", "replies.jsonl", "skill.md"])
def test_a_named_pipe_is_refused_and_never_waited_for(bench: Bench, place: str) -> None:
    bench.write("said.jsonl", json.dumps({"case_id": "C-001", "reply": "Oh."}))
    os.mkfifo(bench.folder / place)
    command: tuple[str, ...] = ("judge", "said.jsonl", "--suite", "suite")
    if place == "replies.jsonl":
        command = ("judge", place, "--suite", "suite")
    if place == "pipe.db":
        command = (*command, "--db", place)
    if place == "skill.md":
        command = ("reply", "suite", "--subject", "command/cat", "--skill", place)
    printed = bench.run(*command)
    assert "regular file" in printed.err
    assert printed.code == (0 if "cases" in place else 2)


@pytest.mark.parametrize("rubric", ["../mine.yaml", "link.yaml"])
def test_a_rubric_of_a_suite_lies_inside_of_it(bench: Bench, rubric: str) -> None:
    bench.write("mine.yaml", "name: mine\nextends: iamhumans\n")
    (bench.folder / "suite" / "link.yaml").symlink_to("../mine.yaml")
    bench.write("suite/suite.yaml", f"name: s\nrubric: {rubric}\n")
    bench.write("said.jsonl", json.dumps({"case_id": "C-001", "reply": "Oh."}))
    printed = bench.run("judge", "said.jsonl", "--suite", "suite")
    assert (printed.code, printed.out) == (2, "")


def test_a_quote_of_one_letter_confirms_no_yes(bench: Bench) -> None:
    def judge(question: Question) -> Behaviour:
        return say(question.verdict(yes={"pity": ["O"]}))

    bench.write("said.jsonl", json.dumps({"case_id": "C-001", "reply": "Oh no."}))
    with ChatServer(Roles(judges=judge)) as server:
        bench.models(server.openai_url)
        (row,) = bench.run("judge", "said.jsonl", "--suite", "suite", "--judge", "loop", "--json").judgements
    assert row["hard_fails"]["pity"]["confirmed"] is False


def test_a_long_retry_after_is_named(bench: Bench) -> None:
    def script(received: Received) -> Behaviour:
        return refuse(429, "slow down", retry_after="864000") if question_in(received) is None else say("")

    with ChatServer(script) as server:
        bench.models(server.openai_url)
        printed = bench.run(*BOTH, "--max-wait", "0.1", "--max-connections", "1")
    assert printed.code == 4
    assert "864" in printed.err or "10 days" in printed.err
