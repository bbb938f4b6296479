"""The entry point: how errors end, what reaches standard output, and what becomes of a reader that goes away."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest
from tests.commands import PROGRAM, assert_one_paragraph, environment_with, run, run_in_terminal, run_program

from iamhumans import __version__
from iamhumans.cli.main import COMMANDS

LINUX = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="a device of Linux")


def test_help_names_every_command() -> None:
    done = run("--help")
    assert done.code == 0
    assert all(f"  {name}" in done.out for name in COMMANDS)
    assert done.err == ""


def test_the_version_is_the_package_s() -> None:
    assert run("--version").out == f"iamhumans {__version__}\n"


def test_no_command_at_all_shows_the_help_and_ends_with_2() -> None:
    done = run()
    assert done.code == 2
    assert done.out == ""
    assert "Start with `iamhumans demo`" in done.err


@pytest.mark.parametrize(
    "arguments",
    [
        ("nonsense",),
        ("--nonsense",),
        ("judge",),
        ("judge", "x.jsonl", "--nonsense"),
        ("judge", "x.jsonl", "--repeats", "0"),
        ("judge", "x.jsonl", "--repeats", "many"),
        ("judge", "x.jsonl", "--format", "word"),
        ("judge", "x.jsonl", "y.jsonl"),
        ("verdict",),
        ("prompt",),
        ("report",),
        ("runs", "nonsense"),
        ("rubric", "check"),
    ],
)
def test_a_wrong_command_line_is_one_paragraph_and_ends_with_2(arguments: tuple[str, ...]) -> None:
    done = run(*arguments)
    assert (done.code, done.out) == (2, "")
    assert_one_paragraph(done.err)
    assert "--help` shows the usage" in done.err


@pytest.mark.parametrize(("arguments", "meant"), [(("jugde", "x"), "judge"), (("runs", "exprot"), "export")])
def test_a_misspelt_command_is_corrected(arguments: tuple[str, ...], meant: str) -> None:
    assert f"Did you mean `{meant}`?" in run(*arguments).err


def test_every_command_has_help_that_fits_80_columns() -> None:
    for name in COMMANDS:
        done = run(name, "--help")
        assert (done.code, done.err) == (0, "")
        assert done.out.startswith(f"Usage: iamhumans {name}")
        assert max(map(len, done.out.splitlines())) <= 80


def test_a_wrong_argument_cannot_steer_the_terminal() -> None:
    done = run("judge\x1b[31m\n\u202e")
    assert done.code == 2
    assert_one_paragraph(done.err)
    assert "\x1b" not in done.err
    assert "\u202e" not in done.err


def test_an_error_names_the_file_and_the_line(tmp_path: Path) -> None:
    rubric = tmp_path / "mine.yaml"
    rubric.write_text("name: mine\nextends: iamhumans\nwithuot: [pity]\n")
    done = run("rubric", "check", rubric)
    assert (done.code, done.out) == (2, "")
    assert_one_paragraph(done.err)
    assert f"{rubric}:3: " in done.err


def test_debug_shows_the_traceback_and_ends_the_same(tmp_path: Path) -> None:
    plain = run("rubric", "check", tmp_path / "no.yaml")
    told = run("rubric", "check", tmp_path / "no.yaml", "--debug")
    assert told.code == plain.code == 2
    assert told.err.startswith("Traceback")
    assert told.err.endswith(plain.err)


def test_a_file_name_cannot_steer_the_terminal(tmp_path: Path) -> None:
    done = run("verdict", tmp_path / "a\x1b[2J\nb.yaml")
    assert_one_paragraph(done.err)
    assert "\x1b" not in done.err


def test_a_file_name_that_is_no_utf8_is_shown(tmp_path: Path) -> None:
    name = os.fsencode(tmp_path) + b"/\xff\xfe.yaml"
    done = subprocess.run([*PROGRAM, b"verdict", name], capture_output=True, check=False, timeout=60)
    assert done.returncode == 2
    assert_one_paragraph(done.stderr.decode())


@pytest.mark.parametrize(
    "arguments", [("demo", "--quiet"), ("demo", "--json"), ("--help",), ("judge", "--help"), ("rubric", "show")]
)
def test_a_reader_that_goes_away_is_no_error(arguments: tuple[str, ...]) -> None:
    ours, theirs = os.pipe()
    os.close(ours)
    done = run(*arguments, into=theirs)
    assert (done.code, done.err) == (0, "")


def test_a_reader_that_goes_away_in_the_middle_is_no_error(tmp_path: Path) -> None:
    script = f'"{sys.executable}" -m iamhumans demo --json | head -n 1; exit "${{PIPESTATUS[0]}}"'
    done = subprocess.run(["bash", "-c", script], cwd=tmp_path, capture_output=True, check=False, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"{\n", b"")


@LINUX
@pytest.mark.parametrize("arguments", [("demo",), ("demo", "--json"), ("--help",)])
def test_a_full_disk_under_the_output_is_told_as_what_it_is(arguments: tuple[str, ...]) -> None:
    done = run(*arguments, into=os.open("/dev/full", os.O_WRONLY))
    assert done.code == 4
    assert "error: No space left on device." in done.err
    assert "our mistake" not in done.err


@LINUX
def test_a_working_folder_that_is_gone_is_told_as_what_it_is(tmp_path: Path) -> None:
    script = f'cd {tmp_path} && mkdir gone && cd gone && rmdir ../gone && "{sys.executable}" -m iamhumans runs list'
    done = subprocess.run(["sh", "-c", script], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 4
    assert_one_paragraph(done.stderr)
    assert "No such file or directory" in done.stderr


def test_no_home_and_no_environment_are_needed(tmp_path: Path) -> None:
    done = subprocess.run(
        [*PROGRAM, "demo", "--json"], cwd=tmp_path, env={}, capture_output=True, check=False, timeout=60
    )
    assert (done.returncode, done.stderr) == (0, b"")


def test_output_is_utf8_whatever_the_locale_says(tmp_path: Path) -> None:
    environment = {
        "LC_ALL": "C",
        "LANG": "C",
        "PYTHONIOENCODING": "ascii",
        "PYTHONUTF8": "0",
        "PYTHONCOERCECLOCALE": "0",
    }
    done = run_program("demo", folder=tmp_path, environment=environment)
    assert done.code == 0
    assert done.out == run("demo").out
    assert "“" in done.out


def test_ctrl_c_ends_quietly_with_130(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [*PROGRAM, "judge", "-"],
        cwd=tmp_path,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment_with({"PYTHONUNBUFFERED": "1"}),
        # A shell ignores Ctrl-C in what it starts in the background, and so would everything below it.
        preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_DFL),
    )
    assert process.stdin is not None
    # It takes more than a pipe holds only once it reads, and so after it has started.
    process.stdin.write(b" " * 1_000_000)
    process.stdin.flush()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, b"")
    assert err.decode().strip() == "error: Stopped."


def test_no_color_is_respected(tmp_path: Path) -> None:
    sent = run_in_terminal("demo", folder=tmp_path, environment={"NO_COLOR": "1", "FORCE_COLOR": None}).out
    # Bold and dim are no colours.
    assert "\x1b[3" not in sent
