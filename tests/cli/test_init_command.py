"""``iamhumans init`` from the outside: what it writes can be used as it stands."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
from tests.commands import assert_one_paragraph, run

FILES = ["iamhumans.toml", "replies.jsonl", "skill.md", "suite/cases/FIRST-001.md", "suite/suite.yaml"]


def files_below(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def test_init_writes_a_starter_into_the_working_folder(tmp_path: Path) -> None:
    done = run("init", folder=tmp_path)
    assert (done.code, done.err) == (0, "")
    assert files_below(tmp_path) == FILES


def test_init_makes_the_folder_it_is_told(tmp_path: Path) -> None:
    assert run("init", tmp_path / "a" / "b").code == 0
    assert files_below(tmp_path / "a" / "b") == FILES


@pytest.mark.parametrize("name", [".", "mine", "my folder", "it's"])
def test_every_command_that_it_names_next_works(tmp_path: Path, name: str) -> None:
    done = run("init", name, folder=tmp_path)
    steps = [line.strip().split("   ")[0] for line in done.out.splitlines() if line.startswith("  iamhumans")]
    assert len(steps) == 4
    for step in steps:
        program, *arguments = shlex.split(step)
        assert program == "iamhumans"
        ended = run(*arguments, folder=tmp_path)
        assert ended.code == 0, (step, ended.err)


def test_the_starter_has_a_reply_without_a_finding_and_one_that_fails(tmp_path: Path) -> None:
    run("init", folder=tmp_path)
    done = run("judge", "replies.jsonl", "--suite", "suite", "--json", folder=tmp_path)
    assert [(line["subject"], line["verdict"]) for line in done.document["judgements"]] == [
        ("good", None),
        ("stock", "FAIL"),
    ]


@pytest.mark.parametrize("name", FILES)
def test_init_overwrites_nothing_and_then_writes_nothing(tmp_path: Path, name: str) -> None:
    mine = tmp_path / name
    mine.parent.mkdir(parents=True, exist_ok=True)
    mine.write_text("mine")
    done = run("init", folder=tmp_path)
    assert (done.code, done.out) == (2, "")
    assert_one_paragraph(done.err)
    assert f"`{name}` already exists" in done.err
    assert files_below(tmp_path) == [name]
    assert mine.read_text() == "mine"


def test_init_writes_through_no_link(tmp_path: Path) -> None:
    (tmp_path / "skill.md").symlink_to(tmp_path / "elsewhere.md")
    assert run("init", folder=tmp_path).code == 2
    assert not (tmp_path / "elsewhere.md").exists()


def test_init_into_a_file_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = run("init", "file", folder=tmp_path)
    assert (done.code, done.out) == (2, "")
    assert_one_paragraph(done.err)
