"""``NO_COLOR`` and ``--no-color`` remove all styling, and nothing is broken inside a word."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from tests.commands import run, run_in_terminal

COMMANDS = [
    ("report", "last"),
    ("runs", "list"),
    ("runs", "show", "last"),
    ("report", "last", "--case", "row-1"),
    ("cases", "list"),
    ("cases", "show", "FEE-001"),
    ("cases", "lint", "core"),
    ("rubric", "show"),
    ("tells", "list"),
    ("demo",),
    ("gate", "last", "--max-flagged-rate", "0.5"),
    ("compare", "last", "last"),
    ("doctor",),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs")
    texts = ("I'm so sorry! Your feelings are completely valid.", "Oh no. The one with the poppy rolls?")
    rows = [{"input": f"the bakery closed, {number}", "reply": texts[number % 2]} for number in range(6)]
    (folder / "replies.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert run("judge", "replies.jsonl", "--quiet", folder=folder).code == 0
    return folder


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_no_color_removes_all_styling_and_lines_fit(folder: Path, command: tuple[str, ...]) -> None:
    width = {"COLUMNS": "80"}
    plain = run_in_terminal(*command, folder=folder, environment={**width, "NO_COLOR": "1"})
    assert "\x1b" not in plain.out
    assert [line for line in plain.out.splitlines() if len(line) > 80 and len(max(line.split(), key=len)) < 70] == []
    wide = run_in_terminal(*command, folder=folder, environment={"COLUMNS": "1000", "NO_COLOR": "1"})
    words = {word for word in re.findall(r"[\w+./-]{8,}", wide.out) if len(word) < 70}
    assert {word for word in words if word not in plain.out} == set()


def test_the_option_does_the_same(folder: Path) -> None:
    assert "\x1b[" in run_in_terminal("report", "last", folder=folder).out
    assert "\x1b" not in run_in_terminal("report", "last", "--no-color", folder=folder).out


@pytest.mark.parametrize("command", ["run", "judge", "report", "gate", "label", "calibrate"])
def test_help_breaks_no_name_of_an_option(folder: Path, command: str) -> None:
    text = run(command, "--help", folder=folder).out
    assert re.findall(r"--[a-z-]*-\n", text) == []
