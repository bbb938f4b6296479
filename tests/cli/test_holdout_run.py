"""``run --holdout``: only the held-out cases, only sealed, and every use is written down."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.commands import run

REPLY = "Oh no, the one your grandad painted."


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A suite with an everyday case and a held-out one, and a reply to each."""
    run("init", folder=tmp_path)
    case = tmp_path / "suite" / "cases" / "FIRST-001.md"
    text = case.read_text(encoding="utf-8")
    held_out = text.replace("FIRST-001", "LATER-001").replace("holdout: false", "holdout: true")
    case.with_name("LATER-001.md").write_text(held_out, encoding="utf-8")
    rows = [{"case_id": name, "reply": REPLY, "subject": "bot"} for name in ("FIRST-001", "LATER-001")]
    (tmp_path / "said.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return tmp_path


def held_out_run(folder: Path, *more: str) -> tuple[int, str, str]:
    done = run("run", "suite", "--subject", "recorded/said.jsonl", "--json", *more, folder=folder)
    return done.code, done.out, done.err


def judged(out: str) -> list[str]:
    return [line["case_id"] for line in json.loads(out)["judgements"]]


def test_an_everyday_run_leaves_held_out_cases_out(folder: Path) -> None:
    code, out, _ = held_out_run(folder)
    assert (code, judged(out)) == (0, ["FIRST-001"])
    assert not list(folder.rglob("*ledger*"))


def test_a_held_out_run_uses_only_them_and_writes_the_use_down(folder: Path) -> None:
    assert run("cases", "seal", "suite", folder=folder).code == 0
    code, out, _ = held_out_run(folder, "--holdout", "--reason", "release 1")
    assert (code, judged(out)) == (0, ["LATER-001"])
    shown = run("cases", "holdout", "suite", folder=folder)
    assert shown.code == 0
    assert "release 1" in shown.out


def test_a_finished_held_out_run_is_shown_again_as_a_report(folder: Path) -> None:
    run("cases", "seal", "suite", folder=folder)
    first = held_out_run(folder, "--holdout", "--reason", "release 1")
    assert held_out_run(folder, "--holdout", "--reason", "release 1") == first
    uses = run("cases", "holdout", "suite", "--json", folder=folder).document["uses"]
    assert [use["output"] for use in uses] == ["run", "report", "report"]


@pytest.mark.parametrize(
    ("more", "sealed"),
    [(("--holdout",), True), (("--holdout", "--reason", "why"), False), (("--reason", "why"), True)],
    ids=["without a reason", "without a seal", "a reason alone"],
)
def test_a_use_is_refused(folder: Path, more: tuple[str, ...], sealed: bool) -> None:
    if sealed:
        run("cases", "seal", "suite", folder=folder)
    code, out, err = held_out_run(folder, *more)
    assert (code, out) == (2, "")
    assert err.startswith("error: ")


def test_a_case_that_was_changed_after_the_seal_is_not_used(folder: Path) -> None:
    run("cases", "seal", "suite", folder=folder)
    case = folder / "suite" / "cases" / "LATER-001.md"
    case.write_text(case.read_text(encoding="utf-8").replace("library", "school"), encoding="utf-8")
    code, out, err = held_out_run(folder, "--holdout", "--reason", "release 1")
    assert (code, out) == (2, "")
    assert "LATER-001" in err
    assert "grandad" not in err
