"""``iamhumans allow``: what it shows, when it asks, what it remembers."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from iamhumans.cli.allow import allow
from iamhumans.errors import CommandError, InputError
from iamhumans.models import is_allowed, read_config

TABLE = """\
[models.work]
base_url = "https://llm.example/v1"
model = "m"
api_key_env = "WORK_API_KEY"

[models.bot]
model = "command/./program --fast"

[models.mine]
model = "python/bot:reply"
"""


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("WORK_API_KEY", "work-key-123456")
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "iamhumans.toml"
    path.write_text(TABLE)
    return path


def run(*arguments: str) -> Result:
    return CliRunner().invoke(allow, arguments)


def allowed(path: Path) -> bool:
    return is_allowed(read_config(path), os.environ)


def test_it_shows_keys_programs_and_functions_and_no_key(path: Path) -> None:
    shown = run("--yes").output
    assert "work: sends the key in WORK_API_KEY to https://llm.example/v1 (it is set)" in shown
    assert f"bot: runs the program `./program --fast` in {path.parent.resolve()}" in shown
    assert "mine: imports and calls `bot:reply`" in shown
    assert "work-key-123456" not in shown


def test_yes_allows(path: Path) -> None:
    assert run("--yes").exit_code == 0
    assert allowed(path)


def test_without_a_terminal_and_without_yes_nothing_is_allowed(path: Path) -> None:
    result = run()
    assert isinstance(result.exception, CommandError)
    assert "sends the key" in result.output
    assert not allowed(path)


@pytest.mark.parametrize(("answer", "result"), [("y", True), ("n", False), ("", False)])
def test_on_a_terminal_it_asks(path: Path, answer: str, result: bool) -> None:
    import pty

    ours, theirs = pty.openpty()
    code = "from iamhumans.cli.allow import allow; allow.main(standalone_mode=False)"
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=theirs, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as asked:
        os.write(ours, f"{answer}\n".encode())
        output, prompt = asked.communicate(timeout=30)
    os.close(ours)
    os.close(theirs)
    assert b"sends the key" in output
    assert b"Allow it?" in prompt
    assert allowed(path) is result


def test_a_config_that_asks_for_nothing_is_not_remembered(path: Path, tmp_path: Path) -> None:
    path.write_text('[models.server]\nbase_url = "http://127.0.0.1:1/v1"\nmodel = "m"\n')
    result = run()
    assert result.exit_code == 0
    assert "needs no permission" in result.output
    assert not (tmp_path / "config").exists()


def test_what_is_allowed_already_is_not_asked_again(path: Path) -> None:
    run("--yes")
    result = run()
    assert result.exit_code == 0
    assert "is already allowed" in result.output


def test_warnings_are_shown(path: Path) -> None:
    path.write_text(TABLE.replace("WORK_API_KEY", "AWS_SECRET_ACCESS_KEY"))
    assert "warning: AWS_SECRET_ACCESS_KEY does not sound like the key of a model." in run("--yes").output


def test_json_is_one_document(path: Path) -> None:
    document = json.loads(CliRunner().invoke(allow, ["--yes", "--json"]).stdout)
    assert document["allowed"] is True
    assert document["sha256"] == read_config(path).sha256
    assert [(power["model"], power["kind"]) for power in document["asks_for"]] == [
        ("work", "key"),
        ("bot", "program"),
        ("mine", "function"),
    ]


def test_quiet_prints_nothing(path: Path) -> None:
    assert run("--yes", "--quiet").output == ""
    assert allowed(path)


def test_quiet_does_not_hide_what_is_asked(path: Path) -> None:
    assert "sends the key" in run("--quiet").output


@pytest.mark.parametrize("arguments", [("{}",), ("--config", "{}")])
def test_a_file_can_be_named(path: Path, tmp_path: Path, arguments: tuple[str, ...]) -> None:
    other = tmp_path / "other.toml"
    other.write_text(TABLE)
    assert run("--yes", *(argument.format(other) for argument in arguments)).exit_code == 0
    assert allowed(other)
    assert not allowed(path)


def test_two_files_are_one_too_many(path: Path) -> None:
    assert isinstance(run("--yes", "a.toml", "--config", "b.toml").exception, CommandError)


def test_no_config_is_an_error_that_says_what_to_type(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = run("--yes")
    assert isinstance(result.exception, InputError)
    assert "iamhumans allow FILE" in result.exception.message
