"""``command/PROGRAM``: what it is given, what it may do, and how it ends."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest
from tests.models.asking import REQUEST, ask, ask_at_once, failure

from iamhumans.errors import CommandError
from iamhumans.models import ChatModel, FailureKind, open_model, read_config


def program(folder: Path, code: str, name: str = "program") -> Path:
    """A program in Python that tests run."""
    path = folder / name
    path.write_text(f"#!{sys.executable} -IS\nimport json, os, sys, time\n{code}\n")
    path.chmod(0o755)
    return path


def model(folder: Path, code: str, arguments: str = "", **environ: str) -> ChatModel:
    program(folder, code)
    return open_model(f"command/./program{arguments}", environ=environ, folder=folder)


def limited(folder: Path, code: str, seconds: float) -> ChatModel:
    """A program with a time limit, from a config that is allowed."""
    from iamhumans.models import allow

    program(folder, code)
    path = folder / "iamhumans.toml"
    path.write_text(f'[models.slow]\nmodel = "command/./program"\ntimeout = {seconds}')
    environ = {"HOME": str(folder / "home")}
    allow(read_config(path), environ)
    return open_model("slow", read_config(path), environ=environ)


def test_the_conversation_comes_in_and_the_reply_goes_out(tmp_path: Path) -> None:
    answer = ask(model(tmp_path, "print(json.load(sys.stdin)['messages'][-1]['content'].upper())")).answer
    assert (answer.text, answer.finish_reason) == ("HELLO", "stop")


def test_the_conversation_is_one_json_object(tmp_path: Path) -> None:
    text = ask(model(tmp_path, "sys.stdout.write(sys.stdin.read())")).answer.text
    assert json.loads(text) == {
        "messages": [{"role": "system", "content": "You judge."}, {"role": "user", "content": "hello"}]
    }


def test_one_line_end_is_taken_off_and_no_more(tmp_path: Path) -> None:
    assert ask(model(tmp_path, r"sys.stdout.write('  a\n\n')")).answer.text == "  a\n"


def test_arguments_are_split_as_a_shell_does_and_no_shell_sees_them(tmp_path: Path) -> None:
    code = "print(json.dumps(sys.argv[1:]))"
    text = ask(model(tmp_path, code, " --fast 'a b' '$HOME' ';' '`id`'")).answer.text
    assert json.loads(text) == ["--fast", "a b", "$HOME", ";", "`id`"]


def test_it_runs_in_the_folder_that_its_path_starts_from(tmp_path: Path) -> None:
    assert ask(model(tmp_path, "print(os.getcwd())")).answer.text == str(tmp_path.resolve())


def test_it_sees_the_environment_but_no_keys(tmp_path: Path) -> None:
    code = "print(sorted(name for name in os.environ if name in ('PLAIN', 'OPENAI_API_KEY', 'my_api_key')))"
    environ = {"PLAIN": "1", "OPENAI_API_KEY": "sk-secret-secret", "my_api_key": "secret"}
    assert ask(model(tmp_path, code, **environ)).answer.text == "['PLAIN']"


def test_it_does_not_see_a_key_that_a_config_names(tmp_path: Path) -> None:
    program(tmp_path, "print(os.environ.get('WORK_TOKEN'))")
    path = tmp_path / "iamhumans.toml"
    path.write_text('[models.work]\nbase_url = "https://llm.example"\nmodel = "m"\napi_key_env = "WORK_TOKEN"')
    opened = open_model("command/./program", read_config(path), environ={"WORK_TOKEN": "secret-1"}, folder=tmp_path)
    assert ask(opened).answer.text == "None"


def test_a_program_that_reads_nothing_is_fine(tmp_path: Path) -> None:
    assert ask(model(tmp_path, "os.close(0); print('deaf')")).answer.text == "deaf"


def test_a_program_that_fails_is_quoted(tmp_path: Path) -> None:
    failed = failure(model(tmp_path, r"sys.exit('out of \x1b[2J luck')"))
    assert failed.kind is FailureKind.SERVER_ERROR
    assert "status 1: out of \\x1b[2J luck" in failed.message


def test_a_key_in_a_complaint_is_masked(tmp_path: Path) -> None:
    failed = failure(model(tmp_path, "sys.exit('no sk-secret-secret')", OPENAI_API_KEY="sk-secret-secret"))
    assert "secret" not in failed.message


def test_a_program_that_repeats_a_key_is_not_used(tmp_path: Path) -> None:
    secret = "sk-secret-0123456789abcdef"
    failed = failure(model(tmp_path, f"print('{secret}'.upper())", OPENAI_API_KEY=secret))
    assert failed.kind is FailureKind.SECRET_ECHOED
    assert secret not in repr(failed)


def test_a_program_that_says_a_short_key_is_quoted_as_it_is(tmp_path: Path) -> None:
    assert ask(model(tmp_path, "print('a test')", OPENAI_API_KEY="test")).answer.text == "a test"


def test_a_killed_program_is_told_by_its_signal(tmp_path: Path) -> None:
    assert "signal 9" in failure(model(tmp_path, "os.kill(os.getpid(), 9)")).message


def test_output_that_is_not_utf8_is_a_bad_answer(tmp_path: Path) -> None:
    assert failure(model(tmp_path, r"sys.stdout.buffer.write(b'\xff')")).kind is FailureKind.BAD_ANSWER


def test_output_without_end_is_a_bad_answer(tmp_path: Path) -> None:
    code = "while True: sys.stdout.write('x' * 65536)"
    assert failure(model(tmp_path, code)).kind is FailureKind.BAD_ANSWER


def test_complaints_without_end_do_not_block_it(tmp_path: Path) -> None:
    assert ask(model(tmp_path, "sys.stderr.write('x' * 3_000_000); print('done')")).answer.text == "done"


def test_too_slow_a_program_is_killed_with_its_children(tmp_path: Path) -> None:
    code = "child = os.fork(); open(f'{child}.pid', 'w').close() if child else None; time.sleep(600)"
    failed = failure(limited(tmp_path, code, 0.5))
    assert failed.kind is FailureKind.TIMEOUT
    (child,) = (int(path.stem) for path in tmp_path.glob("*.pid"))
    assert gone(child)


def test_a_child_that_outlives_its_program_is_killed_when_the_time_is_up(tmp_path: Path) -> None:
    code = "child = os.fork()\nif child: open(f'{child}.pid', 'w').close(); sys.exit()\ntime.sleep(600)"
    assert failure(limited(tmp_path, code, 0.5)).kind is FailureKind.TIMEOUT
    (child,) = (int(path.stem) for path in tmp_path.glob("*.pid"))
    assert gone(child)


def test_a_caller_that_gives_up_kills_it(tmp_path: Path) -> None:
    opened = model(tmp_path, "open(f'{os.getpid()}.pid', 'w').close(); time.sleep(600)")

    async def call() -> None:
        task = asyncio.create_task(opened.send(REQUEST))
        while not list(tmp_path.glob("*.pid")):
            await asyncio.sleep(0.01)
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task

    asyncio.run(call())
    (pid,) = (int(path.stem) for path in tmp_path.glob("*.pid"))
    assert gone(pid)


def test_several_run_at_once(tmp_path: Path) -> None:
    receptions = ask_at_once(model(tmp_path, "print('one')"), 5)
    assert [reception.answer.text for reception in receptions] == ["one"] * 5


@pytest.mark.parametrize("words", ["./missing", "no-such-program-here", "./folder", "'./open", "''"])
def test_what_cannot_be_run_is_told_before_any_call(tmp_path: Path, words: str) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(CommandError):
        open_model(f"command/{words}", environ={"PATH": "/usr/bin"}, folder=tmp_path)


def test_a_file_that_may_not_be_run_is_told_with_its_remedy(tmp_path: Path) -> None:
    (tmp_path / "program").write_text("#!/bin/sh\n")
    with pytest.raises(CommandError, match=r"chmod \+x"):
        open_model("command/./program", environ={}, folder=tmp_path)


def test_a_program_that_went_away_is_a_failure_that_does_not_pass(tmp_path: Path) -> None:
    opened = model(tmp_path, "print('one')")
    (tmp_path / "program").unlink()
    assert not failure(opened).may_pass


def test_a_changed_program_is_another_subject(tmp_path: Path) -> None:
    before = model(tmp_path, "print('one')").identity
    assert model(tmp_path, "print('one')").identity == before
    assert model(tmp_path, "print('two')").identity != before


def gone(pid: int) -> bool:
    """Whether a process has ended; a zombie that nobody has collected yet has."""
    for _ in range(500):
        try:
            os.kill(pid, 0)
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except (ProcessLookupError, FileNotFoundError):
            return True
        if state == "Z":
            return True
        time.sleep(0.01)
    return False
