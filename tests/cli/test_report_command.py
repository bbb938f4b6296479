"""``iamhumans report`` from the outside: the same as what `judge` printed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.commands import assert_one_paragraph, run

REPLIES = ("Oh no. The one with the poppy rolls?", "I'm so sorry! Your feelings are completely valid.", "…")


@pytest.fixture
def name(tmp_path: Path) -> str:
    rows = [
        {"messages": [{"role": "user", "content": "the bakery closed"}, {"role": "assistant", "content": reply}]}
        for reply in REPLIES
    ]
    (tmp_path / "replies.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    found: str = run("judge", "replies.jsonl", "--json", folder=tmp_path).document["run"]
    return found


def test_json_is_byte_for_byte_what_judge_printed(tmp_path: Path, name: str) -> None:
    printed = run("judge", "replies.jsonl", "--json", folder=tmp_path).out
    assert run("report", name, "--json", folder=tmp_path).out == printed
    assert run("report", name, "--format", "json", folder=tmp_path).out == printed


@pytest.mark.parametrize("style", ["terminal", "md"])
def test_a_report_for_people_is_what_judge_printed_but_for_its_title(tmp_path: Path, name: str, style: str) -> None:
    printed = run("judge", "replies.jsonl", "--format", style, folder=tmp_path).out
    assert run("report", name, "--format", style, folder=tmp_path).out.splitlines()[1:] == printed.splitlines()[1:]


def test_csv_is_what_is_exported(tmp_path: Path, name: str) -> None:
    exported = run("runs", "export", name, "--format", "csv", folder=tmp_path).out
    assert run("report", name, "--format", "csv", folder=tmp_path).out == exported


def test_a_report_ends_with_0_whatever_it_says(tmp_path: Path, name: str) -> None:
    assert run("judge", "replies.jsonl", folder=tmp_path).code == 0
    assert run("judge", "replies.jsonl", "--min-judged", "1", folder=tmp_path).code == 3
    assert run("report", name, folder=tmp_path).code == 0


def test_a_report_needs_neither_replies_nor_suite(tmp_path: Path, name: str) -> None:
    before = run("report", name, folder=tmp_path).out
    (tmp_path / "replies.jsonl").unlink()
    assert run("report", name, folder=tmp_path).out == before


def test_the_title_says_which_run_and_how_far_it_is(tmp_path: Path, name: str) -> None:
    assert run("report", name, folder=tmp_path).out.startswith(f"Replies, run {name}\n")


def test_a_run_that_is_not_there_ends_with_2(tmp_path: Path, name: str) -> None:
    done = run("report", name + "x", folder=tmp_path)
    assert (done.code, done.out) == (2, "")
    assert_one_paragraph(done.err)
