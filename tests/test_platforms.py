"""Windows, as far as other systems can show it: the modules are imported and used without what only POSIX has."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from iamhumans.platforms import split_words

# What Windows lacks is removed before anything of ours is imported.
WITHOUT_POSIX = """
import os, sys, asyncio
for name in ("termios", "fcntl", "pwd", "grp", "resource", "tty", "pty", "uvloop"):
    sys.modules[name] = None
for name in ("getuid", "geteuid", "getgid", "fchmod", "chown", "lchown", "fchown", "killpg", "getpgid", "setsid",
             "fork", "mkfifo", "O_NONBLOCK", "O_CLOEXEC", "O_NOFOLLOW", "O_DIRECTORY"):
    if hasattr(os, name):
        delattr(os, name)
from pathlib import Path
from iamhumans.models import CallableModel, allow, load_config, open_model
from iamhumans.platforms import belongs_to_others, others_may_write
from iamhumans.prompts import Message, Request

folder = Path(sys.argv[1])
environ = {"HOME": str(folder), "PATH": os.environ["PATH"]}
config = load_config(None, folder, environ)
assert not config.foreign
allow(config, environ)
status = folder.stat()
assert belongs_to_others(status) is None and others_may_write(status) is None


async def ask(model):
    return (await model.send(Request((Message("user", "hello"),)))).answer.text


print(asyncio.run(ask(open_model("bot", config, environ=environ))))
print(asyncio.run(ask(CallableModel(lambda messages: "a function"))))
try:
    asyncio.run(ask(open_model("slow", config, environ=environ)))
except Exception as error:
    print(error)
"""


def test_models_work_without_what_only_posix_has(tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text("print('a program')")
    (tmp_path / "slow.py").write_text("import time; time.sleep(60)")
    tables = [
        f"[models.{name}]\nmodel = {json.dumps(f'command/{sys.executable} {name}.py')}\ntimeout = {seconds}\n"
        for name, seconds in (("bot", 60), ("slow", 0.5))
    ]
    (tmp_path / "iamhumans.toml").write_text("".join(tables))
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_POSIX, str(tmp_path)], capture_output=True, text=True, timeout=60
    )
    assert done.stdout.splitlines() == ["a program", "a function", "The program gave no reply within 0.5 s."], (
        done.stderr
    )


@pytest.mark.parametrize("command", ["--help", "allow --yes", "doctor", "init mine"])
def test_commands_work_without_what_only_posix_has(tmp_path: Path, command: str) -> None:
    script = WITHOUT_POSIX.partition("from pathlib")[0] + "from iamhumans.cli.main import main\nmain()"
    (tmp_path / "iamhumans.toml").write_text("")
    environ = {"HOME": str(tmp_path), "PYTHONPATH": ":".join(sys.path)}
    words = [sys.executable, "-c", script, *command.split()]
    done = subprocess.run(words, cwd=tmp_path, env=environ, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("words", "split"),
    [
        (r"C:\bots\bot.exe --fast", [r"C:\bots\bot.exe", "--fast"]),
        (r'"C:\Program Files\bot.exe" "a b"', [r"C:\Program Files\bot.exe", "a b"]),
        (r".\bot.exe it's # fine", [r".\bot.exe", "it's", "#", "fine"]),
    ],
)
def test_a_command_with_a_drive_is_split_as_windows_does(words: str, split: list[str]) -> None:
    assert split_words(words, windows=True) == split


def test_elsewhere_a_command_is_split_as_a_shell_does() -> None:
    assert split_words(r"./a\ b 'c d'", windows=False) == ["./a b", "c d"]
