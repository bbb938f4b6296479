"""The script that measures a judge: the same figures at once and by way of a file of verdicts."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from benchmarks import proving
from benchmarks.proving_set import load_proving
from tests.commands import run

HALF = ("--half", "open")


def printed(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *arguments: str) -> str:
    monkeypatch.setattr(sys, "argv", ["proving", *arguments])
    proving.main()
    return capsys.readouterr().out


def test_verdicts_of_a_file_give_the_figures_of_the_judge_that_wrote_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    replies, verdicts = tmp_path / "proving.jsonl", tmp_path / "verdicts.jsonl"
    assert printed(capsys, monkeypatch, *HALF, "--export", str(replies)) == ""
    done = run("judge", replies, "--suite", "core", "--judge", "rules", "-o", verdicts, folder=tmp_path)
    assert done.code == 0, done.err
    at_once = printed(capsys, monkeypatch, *HALF).splitlines()
    by_file = printed(capsys, monkeypatch, *HALF, "--verdicts", str(verdicts)).splitlines()
    assert at_once[0] == "## `rules` on the open half of the proving set"
    assert by_file[1:] == at_once[1:]


def test_the_halves_have_their_own_figures(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    pages = [printed(capsys, monkeypatch, "--half", half) for half in ("open", "closed")]
    assert pages[0].splitlines()[2] != pages[1].splitlines()[2]
    assert all("| lecturing " in page for page in pages)


def test_verdicts_on_an_earlier_set_are_none_for_this_one() -> None:
    now = load_proving("open")
    before = [now[0].model_copy(update={"text": f"{now[0].text} So it was."}), *now[1:]]
    assert {reply.subject for _, reply in proving.numbered(now)}.isdisjoint(
        reply.subject for _, reply in proving.numbered(before)
    )


def test_a_file_that_holds_no_verdicts_is_told_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = tmp_path / "verdicts.jsonl"
    broken.write_text("nothing\n", encoding="utf-8")
    monkeypatch.setattr(sys, "argv", ["proving", "--verdicts", str(broken)])
    assert proving.main() == 2
    assert (
        capsys.readouterr().err == f"error: {broken}:1: This line is not a JSON object. Write one verdict per line.\n"
    )
