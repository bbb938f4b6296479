"""``iamhumans tells`` and ``iamhumans completion`` from the outside."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.commands import assert_one_paragraph, run

from iamhumans.tells import RULES

TEXT = "Oh no.\nGreat question! I hope this helps.\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.txt").write_text(TEXT)
    (tmp_path / "clean.txt").write_text("Oh no. The one with the poppy rolls?")
    return tmp_path


def test_each_tell_is_a_line_with_its_place(folder: Path) -> None:
    done = run("tells", "a.txt", "clean.txt", folder=folder)
    assert done.code == 0
    first, *_ = done.out.splitlines()
    assert first.startswith("a.txt:2:1: sycophancy.question: ")
    assert "clean.txt" not in done.out
    assert run("tells", "-", stdin=TEXT.encode(), folder=folder).out == done.out.replace("a.txt", "-")


def test_json_sarif_and_github_hold_the_same_tells(folder: Path) -> None:
    rows = run("tells", "a.txt", "--json", folder=folder).document["tells"]
    assert {(row["file"], row["line"]) for row in rows} == {("a.txt", 2)}
    assert run("tells", "--format", "json", "a.txt", folder=folder).document["tells"] == rows
    (log,) = run("tells", "a.txt", "--format", "sarif", folder=folder).document["runs"]
    assert [one["ruleId"] for one in log["results"]] == [row["rule"] for row in rows]
    lines = run("tells", "a.txt", "--format", "github", folder=folder).out.splitlines()
    assert len(lines) == len(rows)
    assert lines[0].startswith("::warning file=a.txt,line=2,col=1,title=sycophancy.question::")


def test_a_file_that_cannot_be_read_ends_with_2_and_costs_no_other(folder: Path) -> None:
    done = run("tells", "no.txt", "a.txt", folder=folder)
    assert done.code == 2
    assert_one_paragraph(done.err)
    assert "a.txt:2:1" in done.out
    assert run("tells", folder=folder).code == 2


def test_rules_are_listed_and_explained(folder: Path) -> None:
    assert len(run("tells", "list", folder=folder).out.splitlines()) == len(RULES)
    for rule in RULES:
        assert rule.meaning in run("tells", "explain", rule.id, folder=folder).out
    done = run("tells", "explain", "sycophancy.questoin", folder=folder)
    assert done.code == 2
    assert "Did you mean `sycophancy.question`?" in done.err


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_prints_a_script(shell: str) -> None:
    done = run("completion", shell)
    assert done.code == 0
    assert "_IAMHUMANS_COMPLETE" in done.out
