"""``iamhumans cases`` from the outside."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from tests.commands import run_in_terminal

from iamhumans.cases import load_suite
from iamhumans.cli.cases import cases
from iamhumans.errors import CommandError, InputError

CASE = """\
---
id: {id}
title: {title}
dimensions: [feeling, emotion]
hard_fails: [pity]
{extra}---

## input

the bakery on my corner closed.

## rubric

- Stays with the bakery

## failure_modes

- Recommends another

## notes

For authors.
"""


def write(folder: Path, case_id: str, title: str = "The bakery closes", extra: str = "") -> Path:
    path = folder / f"{case_id}.md"
    path.write_text(CASE.format(id=case_id, title=title, extra=extra), encoding="utf-8")
    return path


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(cases, [str(argument) for argument in arguments])


def printed(*arguments: str | Path) -> Any:
    return json.loads(run(*arguments, "--json").stdout)


# list


def test_list_shows_the_bundled_suite_where_none_is_named() -> None:
    result = run("list")
    assert result.exit_code == 0
    assert len(result.stdout.splitlines()) == len(load_suite("core").cases) + 1
    assert result.stderr == ""


def test_list_shows_aligned_columns(tmp_path: Path) -> None:
    write(tmp_path, "A-1", title="角のパン屋")
    write(tmp_path, "A-100", extra="repair: true\n")
    assert run("list", tmp_path).stdout == (
        "ID     TURNS  FLAGS   TITLE              DIMENSIONS; HARD FAILS\n"
        "A-1    1              角のパン屋         feeling, emotion; pity\n"
        "A-100  1      repair  The bakery closes  feeling, emotion; pity\n"
    )


def test_list_shows_nothing_of_a_held_out_case_but_id_and_dimensions(tmp_path: Path) -> None:
    write(tmp_path, "A-1", title="Secret: sauce", extra="holdout: true\n")
    result = run("list", tmp_path)
    assert result.stdout.splitlines()[1].split() == ["A-1", "-", "held", "out", "-", "feeling,", "emotion"]
    assert "unquoted-title" in result.stderr
    assert "Secret" not in result.output


def test_list_as_json_shows_nothing_of_a_held_out_case_but_id_and_dimensions(tmp_path: Path) -> None:
    write(tmp_path, "A-1", title="Secret: sauce", extra="holdout: true\n")
    result = run("list", tmp_path, "--json")
    assert json.loads(result.stdout)["cases"] == [{"dimensions": ["feeling", "emotion"], "holdout": True, "id": "A-1"}]
    assert "Secret" not in result.output


def test_list_as_json_tells_of_suite_and_cases(tmp_path: Path) -> None:
    write(tmp_path, "A-1")
    data = printed("list", tmp_path)
    assert data["suite"]["name"] == tmp_path.name
    assert data["suite"]["rubric"] == "iamhumans"
    assert data["findings"] == []
    assert data["cases"] == [
        {
            "dimensions": ["feeling", "emotion"],
            "file": "A-1.md",
            "hard_fails": ["pity"],
            "holdout": False,
            "id": "A-1",
            "lang": "en",
            "repair": False,
            "title": "The bakery closes",
            "turns": 1,
        }
    ]


def test_list_prints_warnings_to_standard_error_and_is_done(tmp_path: Path) -> None:
    write(tmp_path, "A-1", extra="mode: B\n")
    result = run("list", tmp_path)
    assert result.exit_code == 0
    assert "warning: `mode` is not a key" in result.stderr
    assert "mode" not in result.stdout


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_list_ends_with_2_where_a_file_could_not_be_used(tmp_path: Path, options: list[str]) -> None:
    write(tmp_path, "A-1")
    (tmp_path / "B.md").write_text("no case")
    result = run("list", tmp_path, *options)
    assert result.exit_code == 2
    assert "A-1" in result.stdout
    assert "missing-front-matter" in result.output


def test_list_of_a_folder_that_is_not_there_is_an_input_error(tmp_path: Path) -> None:
    assert isinstance(run("list", tmp_path / "no").exception, InputError)


def test_list_lets_no_control_character_reach_the_terminal(tmp_path: Path) -> None:
    write(tmp_path, "A-1", title='"a\\e[31mb\\u202e"')
    assert "a\\x1b[31mb\\u202e" in run("list", tmp_path).stdout
    assert "\x1b" not in run("list", tmp_path).output


def test_list_gives_the_same_bytes_each_time(tmp_path: Path) -> None:
    for number in range(12, 0, -1):
        write(tmp_path, f"A-{number}")
    assert run("list", tmp_path, "--json").stdout == run("list", tmp_path, "--json").stdout
    assert [case["id"] for case in printed("list", tmp_path)["cases"]] == [f"A-{number}" for number in range(1, 13)]


def test_a_list_fits_a_terminal_and_no_word_is_broken(tmp_path: Path) -> None:
    done = run_in_terminal("cases", "list", folder=tmp_path, environment={"COLUMNS": "80", "NO_COLOR": "1"})
    assert [line for line in done.out.splitlines() if len(line) > 80] == []
    shown = load_suite("core").without_holdout().cases
    words = {word for case in shown for word in (*case.hard_fails, *case.dimensions)}
    assert {word for word in words if word not in done.out} == set()


def test_a_list_has_a_line_for_each_case_where_there_is_no_terminal() -> None:
    assert len(run("list").stdout.splitlines()) == 1 + len(load_suite("core").cases)


# show


def test_show_prints_the_whole_case(tmp_path: Path) -> None:
    path = write(tmp_path, "A-1")
    assert run("show", "A-1", "--suite", tmp_path).stdout == (
        "A-1  The bakery closes\n"
        "dimensions  feeling, emotion\n"
        "hard fails  pity\n"
        "lang        en\n"
        "flags       none\n"
        f"file        {path}\n"
        "\nuser:\n  the bakery on my corner closed.\n"
        "\nrubric:\n  - Stays with the bakery\n"
        "\nfailure modes:\n  - Recommends another\n"
        "\nnotes (no judge and no subject sees them):\n  For authors.\n"
    )


def test_show_tells_which_turn_is_answered_live(tmp_path: Path) -> None:
    turns = "## conversation\n\n### user\nhi\n\n### assistant\n\n### user\nbye\n"
    (tmp_path / "A-1.md").write_text(f"---\nid: A-1\n---\n{turns}")
    assert "assistant:\n  (answered live by the subject)\n" in run("show", "A-1", "--suite", tmp_path).stdout


def test_show_as_json_has_every_part(tmp_path: Path) -> None:
    path = write(tmp_path, "A-1")
    data = printed("show", "A-1", "--suite", tmp_path)
    assert data["conversation"] == [{"speaker": "user", "text": "the bakery on my corner closed."}]
    assert (data["rubric"], data["failure_modes"], data["notes"]) == (
        ["Stays with the bakery"],
        ["Recommends another"],
        "For authors.",
    )
    assert data["hash"] == load_suite(path).cases[0].hash


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_show_keeps_a_held_out_case_back(tmp_path: Path, options: list[str]) -> None:
    write(tmp_path, "A-1", extra="holdout: true\n")
    result = run("show", "A-1", "--suite", tmp_path, *options)
    assert isinstance(result.exception, CommandError)
    assert "--holdout" in result.exception.fix
    assert "bakery" not in result.output + result.exception.message


def test_show_prints_a_held_out_case_on_purpose(tmp_path: Path) -> None:
    write(tmp_path, "A-1", extra="holdout: true\n")
    result = run("show", "A-1", "--suite", tmp_path, "--holdout", "--reason", "the author asks")
    assert "bakery" in result.stdout
    assert "flags       held out" in result.stdout


def test_show_of_an_unknown_id_says_how_to_list_the_ids(tmp_path: Path) -> None:
    write(tmp_path, "A-1")
    error = run("show", "zebra", "--suite", tmp_path).exception
    assert isinstance(error, CommandError)
    assert error.fix == f"`iamhumans cases list {tmp_path}` shows all."


def test_show_lets_no_control_character_reach_the_terminal(tmp_path: Path) -> None:
    (tmp_path / "A-1.md").write_text("---\nid: A-1\n---\n## input\nhi\u202e there\u200b\n", encoding="utf-8")
    assert "hi\\u202e there\\u200b" in run("show", "A-1", "--suite", tmp_path).stdout


# lint


def test_lint_of_good_files_prints_only_a_summary(tmp_path: Path) -> None:
    write(tmp_path, "A-1")
    result = run("lint", tmp_path)
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "0 errors, 0 warnings in 1 case file.\n")


def test_lint_prints_one_finding_a_line_as_compilers_do(tmp_path: Path) -> None:
    path = write(tmp_path, "A-1", extra="repare: true\n")
    result = run("lint", path)
    assert result.stdout == (
        f"{path}:6: warning: `repare` is not a key of a case and is ignored. Did you mean `repair`? [unknown-key]\n"
    )
    assert result.stderr == "0 errors, 1 warning in 1 case file.\n"
    assert result.exit_code == 0


def test_lint_strict_lets_warnings_count(tmp_path: Path) -> None:
    path = write(tmp_path, "A-1", extra="repare: true\n")
    assert run("lint", "--strict", path).exit_code == 2


def test_lint_ends_with_2_for_an_error(tmp_path: Path) -> None:
    write(tmp_path, "A-1")
    (tmp_path / "B.md").write_text("no case")
    result = run("lint", tmp_path)
    assert result.exit_code == 2
    assert result.stderr == "1 error, 0 warnings in 2 case files.\n"


def test_lint_of_a_path_that_is_not_there_goes_on(tmp_path: Path) -> None:
    result = run("lint", tmp_path / "no", write(tmp_path, "A-1", extra="repare: true\n"))
    assert result.exit_code == 2
    assert len(result.stdout.splitlines()) == 2


def test_lint_as_json_is_one_document_with_codes(tmp_path: Path) -> None:
    path = write(tmp_path, "A-1", extra="repare: true\n")
    data = printed("lint", path)
    assert data["summary"] == {"errors": 0, "files": 1, "warnings": 1}
    assert data["findings"] == [
        {
            "code": "unknown-key",
            "error": False,
            "fix": "Did you mean `repair`?",
            "line": 6,
            "path": str(path),
            "problem": "`repare` is not a key of a case and is ignored.",
        }
    ]


def test_lint_keeps_a_finding_with_line_ends_on_one_line(tmp_path: Path) -> None:
    path = write(tmp_path, "A-1", extra='"two\\nlines\\e[1m": x\n')
    result = run("lint", path)
    assert len(result.stdout.splitlines()) == 1
    assert "two\\nlines\\x1b[1m" in result.stdout


def test_lint_looks_at_style_only_where_it_is_asked_to(tmp_path: Path) -> None:
    path = write(tmp_path, "A-1", extra="lang: en\n")
    path.write_text(path.read_text(encoding="utf-8").replace("## rubric\n", "## rubric\n\n- Is empathetic\n", 1))
    assert "names-virtue" not in run("lint", path).stdout
    result = run("lint", "--style", path)
    assert result.exit_code == 0
    assert "names-virtue" in result.stdout
    assert run("lint", "--style", "--strict", path).exit_code == 2
    assert [one["code"] for one in printed("lint", "--style", path)["findings"]].count("names-virtue") == 1


def test_style_quotes_no_held_out_case(tmp_path: Path) -> None:
    path = write(tmp_path, "A-1", extra="holdout: true\n")
    path.write_text(path.read_text(encoding="utf-8").replace("## rubric\n", "## rubric\n\n- Is empathetic\n", 1))
    shown = run("lint", "--style", path).stdout
    assert "names-virtue" in shown
    assert "empathetic" not in shown
    assert "empathetic" in run("lint", "--style", "--holdout", "--reason", "before sealing", path).stdout


def test_lint_without_a_path_is_a_usage_error() -> None:
    assert run("lint").exit_code == 2


# new


def test_new_writes_a_file_and_prints_its_path(tmp_path: Path) -> None:
    result = run("new", "A-1", "--suite", tmp_path, "--title", "The bakery: closed", "--dimension", "feeling")
    assert result.exit_code == 0
    assert result.stdout == f"{tmp_path / 'A-1.md'}\n"
    assert "iamhumans cases lint" in result.stderr
    case = load_suite(tmp_path).cases[0]
    assert (case.title, case.dimensions) == ("The bakery: closed", ("feeling",))
    assert run("lint", tmp_path).exit_code == 0


def test_new_writes_into_the_working_folder_where_none_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run("new", "A-1").stdout == "A-1.md\n"


def test_new_with_a_conversation_has_earlier_turns(tmp_path: Path) -> None:
    run("new", "A-1", "--suite", tmp_path, "--conversation")
    assert len(load_suite(tmp_path).cases[0].conversation) == 3


def test_new_tells_at_once_of_a_dimension_that_is_not_declared(tmp_path: Path) -> None:
    result = run("new", "A-1", "--suite", tmp_path, "--dimension", "feelng", "--dimension", "memory")
    assert "Did you mean `feeling`?" in result.stderr
    assert load_suite(tmp_path).cases[0].dimensions == ("feelng", "memory")


def test_new_as_json_names_the_file(tmp_path: Path) -> None:
    data = printed("new", "A-1", "--suite", tmp_path)
    assert data == {"findings": [], "id": "A-1", "path": str(tmp_path / "A-1.md")}


def test_new_writes_over_nothing(tmp_path: Path) -> None:
    (tmp_path / "A-1.md").write_text("mine")
    assert isinstance(run("new", "A-1", "--suite", tmp_path).exception, CommandError)
    assert (tmp_path / "A-1.md").read_text() == "mine"


def test_new_refuses_an_id_that_leaves_the_folder(tmp_path: Path) -> None:
    (tmp_path / "suite").mkdir()
    assert isinstance(run("new", "../A-1", "--suite", tmp_path / "suite").exception, CommandError)
    assert not (tmp_path / "A-1.md").exists()


# The whole


def test_importing_the_commands_loads_no_heavy_library() -> None:
    program = (
        "import sys, iamhumans.cli.cases;print(sorted({'pydantic', 'rich', 'iamhumans.cases'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@pytest.mark.parametrize("command", ["list", "show", "lint", "new"])
def test_every_command_explains_itself(command: str) -> None:
    result = run(command, "--help")
    assert result.exit_code == 0
    assert "--json" in result.stdout
