"""``iamhumans cases seal``, ``holdout`` and ``sample`` from the outside, and where held-out texts must not show."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
from tests.commands import Done, run

from iamhumans.cases import Result, read_ledger, record_result, record_use

CASE = """\
---
id: {id}
title: {title}
dimensions: [{dimension}]
hard_fails: [pity]
holdout: {holdout}
---

## input

the pretzel stand on my corner closed.

## rubric

- Stays with the pretzels

## failure_modes

- Recommends another
"""


def write(folder: Path, case_id: str, *, holdout: bool = False, title: str = "x", dimension: str = "feeling") -> Path:
    path = folder / f"cases/{case_id}.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    text = CASE.format(id=case_id, title=title, holdout=str(holdout).lower(), dimension=dimension)
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    """A suite with two everyday cases and two that are held out; not sealed yet."""
    folder = tmp_path / "suite"
    write(folder, "A-1")
    write(folder, "A-2", dimension="memory")
    write(folder, "H-1", holdout=True)
    write(folder, "H-2", holdout=True)
    (folder / "suite.yaml").write_text("name: grief\n")
    return folder


def cases(*arguments: str | Path, folder: Path | None = None) -> Done:
    return run("cases", *arguments, folder=folder)


def use(suite: Path, name: str, reason: str = "release 1.2", *, finished: bool | None = True) -> None:
    """A use of the held-out cases; one that has not ended where ``finished`` is ``None``."""
    record_use(suite, reason=reason, output="run", run=name, cases=["H-1", "H-2"], subject=f"openai/{name}")
    if finished is not None:
        result = Result(asked=4, judged=3, zero_rate=0.25, mean_of_rest=87.5, pass_rate=0.5)
        record_result(suite, run=name, result=result, finished=finished)


# seal


def test_seal_says_what_was_sealed_and_where(suite: Path) -> None:
    assert cases("seal", suite, "--check", "--reason", "x y").code == 2
    done = cases("seal", folder=suite)
    assert (done.code, (suite / "seal.json").is_file()) == (0, True)
    (suite / "seal.json").unlink()
    (suite / "holdout-ledger.jsonl").unlink()
    done = cases("seal", suite)
    assert (done.code, done.out) == (0, f"Sealed 2 held-out cases in {suite / 'seal.json'}.\n")
    assert "nothing has changed" in cases("seal", suite).out
    assert cases("seal", suite, "--check").code == 0


def test_seal_check_names_file_line_and_remedy_and_ends_with_2(suite: Path) -> None:
    cases("seal", suite)
    path = suite / "cases/H-1.md"
    path.write_text(path.read_text().replace("- Stays with the pretzels", "- Sells pretzels"))
    done = cases("seal", suite, "--check")
    assert done.code == 2
    assert done.out.startswith(f"{path}:2: error: The held-out case `H-1` has changed since it was sealed")
    assert f"iamhumans cases seal {suite} --reason" in done.out
    assert "pretzel" not in done.out


def test_seal_check_of_a_suite_that_was_never_sealed_ends_with_2(suite: Path) -> None:
    assert cases("seal", suite, "--check").code == 2
    assert not (suite / "seal.json").exists()


def test_seal_after_a_change_needs_a_reason(suite: Path) -> None:
    cases("seal", suite)
    write(suite, "H-3", holdout=True)
    refused = cases("seal", suite)
    assert (refused.code, "--reason" in refused.err) == (2, True)
    done = cases("seal", suite, "--reason", "one more case")
    assert done.code == 0
    assert done.out.splitlines() == [f"Sealed 3 held-out cases in {suite / 'seal.json'}."]


def test_seal_as_json_tells_path_cases_and_hash(suite: Path) -> None:
    document = cases("seal", suite, "--json").document
    assert (document["cases"], document["written"]) == (["H-1", "H-2"], True)
    sealed = read_ledger(suite).sealed
    assert sealed is not None
    assert document["hash"] == sealed["seal"]


def test_a_bundled_suite_is_not_sealed_and_the_advice_to_copy_it_works(tmp_path: Path) -> None:
    done = cases("seal", "core")
    assert done.code == 2
    advice = done.err.split("`iamhumans ")[1].split("`")[0].replace("FOLDER", str(tmp_path / "mine"))
    assert run(*shlex.split(advice)).code == 0
    assert run("cases", "lint", tmp_path / "mine").code == 0
    # The ledger goes with it, and what was sealed is there.
    assert "nothing has changed" in cases("seal", tmp_path / "mine").out
    assert cases("seal", tmp_path / "mine", "--check").code == 0


# holdout


def test_holdout_of_the_bundled_suite_shows_that_it_is_sealed_and_unused() -> None:
    done = cases("holdout", "core")
    assert done.code == 0
    assert "seal    unchanged since" in done.out


def test_holdout_of_a_suite_that_was_never_sealed_says_how_to_seal_it(suite: Path) -> None:
    done = cases("holdout", suite)
    assert done.code == 0
    assert "seal    none" in done.out
    assert f"iamhumans cases seal {suite}" in done.err


def test_holdout_shows_each_use_with_reason_and_result(suite: Path) -> None:
    cases("seal", suite)
    use(suite, "run-a")
    (row,) = [line for line in cases("holdout", suite).out.splitlines() if "run-a" in line and "release" in line]
    assert row.split()[1:] == [
        "run",
        "2",
        "3/4",
        "25.0",
        "%",
        "87.5",
        "50.0",
        "%",
        "openai/run-a",
        "run-a",
        "release",
        "1.2",
    ]


def test_holdout_tells_a_seal_that_does_not_hold_and_ends_with_2(suite: Path) -> None:
    cases("seal", suite)
    (suite / "cases/H-1.md").unlink()
    done = cases("holdout", suite)
    assert done.code == 2
    assert "BROKEN" in done.out
    assert "`H-1`" in done.err


def test_holdout_tells_a_line_that_was_removed_and_ends_with_2(suite: Path) -> None:
    cases("seal", suite)
    use(suite, "run-a")
    ledger = suite / "holdout-ledger.jsonl"
    sealed, _, ended = ledger.read_text().splitlines(keepends=True)
    ledger.write_text(sealed + ended)
    done = cases("holdout", suite)
    assert done.code == 2
    assert "INCOMPLETE" in done.out
    assert f"{ledger}:2: error:" in done.err


def test_holdout_as_json_tells_all_of_it(suite: Path) -> None:
    cases("seal", suite)
    use(suite, "run-a")
    document = cases("holdout", suite, "--json").document
    assert [(case["id"], case["uses"]) for case in document["cases"]] == [("H-1", 1), ("H-2", 1)]
    assert (document["sealed"]["reason"], document["problems"]) == ("sealed for the first time", [])
    assert document["lines"] == 3
    (only,) = document["uses"]
    assert (only["reason"], only["finished"], only["result"]["zero_rate"]) == ("release 1.2", True, 0.25)
    assert (only["output"], only["subject"]) == ("run", "openai/run-a")


def test_a_reason_cannot_steer_a_terminal(suite: Path) -> None:
    cases("seal", suite)
    ledger = suite / "holdout-ledger.jsonl"
    use(suite, "run-a")
    ledger.write_text(ledger.read_text().replace("release", "\\u001b[31mred"))
    assert "\x1b" not in cases("holdout", suite).out


# sample


def test_sample_prints_ids_and_nothing_else_to_standard_output(suite: Path) -> None:
    done = cases("sample", suite, "-n", "2")
    assert (done.code, done.out) == (0, "A-1\nA-2\n")
    assert done.err == "2 of 2 cases.\n"


def test_sample_draws_from_held_out_cases_only_when_told_to(suite: Path) -> None:
    assert cases("sample", suite, "-n", "9").out.split() == ["A-1", "A-2"]
    assert cases("sample", suite, "-n", "9", "--holdout", "--reason", "my copy").out.split() == [
        "A-1",
        "A-2",
        "H-1",
        "H-2",
    ]


def test_sample_as_json_tells_what_it_holds(suite: Path) -> None:
    document = cases("sample", suite, "-n", "1", "--seed", "3", "--json").document
    assert (document["seed"], document["available"], document["path"]) == (3, 2, None)
    assert len(document["ids"]) == 1


def test_a_sample_that_was_written_lints_clean(suite: Path) -> None:
    target = suite.parent / "copy"
    assert cases("sample", suite, "-n", "9", "--holdout", "--reason", "my copy", "-o", target).code == 0
    assert cases("lint", target, "--strict").code == 0


# Held-out texts


@pytest.mark.parametrize(
    "text",
    [
        CASE.format(id="H-1", title="Secret: sauce", holdout="true", dimension="feeling"),
        CASE.format(id="H-1", title="'Secret sauce", holdout="true", dimension="feeling"),
        CASE.format(id="H-1", title="Secret #1", holdout="true", dimension="feeling"),
        CASE.format(id="H-1", title="[Secret]", holdout="true", dimension="feeling"),
        CASE.format(id="H-1", title="x", holdout="true", dimension="feeling").replace("the pretzel", "## Secret"),
    ],
    ids=["read title", "unread title", "comment", "no text", "heading in message"],
)
@pytest.mark.parametrize("command", [("list",), ("list", "--json"), ("lint",), ("lint", "--json")])
def test_nothing_that_is_found_in_a_held_out_file_quotes_it(
    tmp_path: Path, text: str, command: tuple[str, ...]
) -> None:
    (tmp_path / "H-1.md").write_text(text)
    done = cases(command[0], tmp_path, *command[1:])
    assert "Secret" not in done.out + done.err
    assert "H-1" in done.out + done.err


def test_lint_quotes_held_out_files_for_a_reason_that_is_recorded(tmp_path: Path) -> None:
    write(tmp_path, "H-1", holdout=True, title="Secret: sauce")
    assert "Secret: sauce" in cases("lint", tmp_path, "--holdout", "--reason", "before sealing").out
    (only,) = cases("holdout", tmp_path, "--json").document["uses"]
    assert (only["output"], only["reason"], only["cases"]) == ("lint", "before sealing", ["H-1"])


def test_show_and_sample_record_why_they_used_held_out_cases(suite: Path) -> None:
    assert "pretzel" in cases("show", "H-1", "--suite", suite, "--holdout", "--reason", "the author asks").out
    cases("sample", suite, "-n", "9", "--holdout", "--reason", "a quick look")
    uses = cases("holdout", suite, "--json").document["uses"]
    assert [(use["output"], use["cases"]) for use in uses] == [("show", ["H-1"]), ("sample", ["H-1", "H-2"])]


@pytest.mark.parametrize("command", [("show", "H-1", "--suite"), ("lint",), ("sample", "-n", "9")])
@pytest.mark.parametrize(
    "options", [["--holdout"], ["--holdout", "--reason", "why"], ["--reason", "the author asks"], []]
)
def test_held_out_cases_are_shown_for_a_reason_only(suite: Path, command: tuple[str, ...], options: list[str]) -> None:
    done = cases(*command, suite, *options)
    assert "pretzel" not in done.out + done.err
    assert not (suite / "holdout-ledger.jsonl").exists()
    if options:
        assert done.code == 2
        assert "reason" in done.err
