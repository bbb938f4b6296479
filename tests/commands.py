"""The real entry point, in this process or in one of its own, with what it printed and how it ended."""

from __future__ import annotations

import contextlib
import io
import json
import os
import pty
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from iamhumans.cli.main import main

PROGRAM = (sys.executable, "-m", "iamhumans")


@dataclass(frozen=True)
class Done:
    """How a command ended. ``out`` and ``err`` are what it wrote, as UTF-8."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        """Standard output as the one JSON document that it should be."""
        return json.loads(self.out)

    @property
    def lines(self) -> list[Any]:
        """Standard output as JSON Lines."""
        return [json.loads(line) for line in self.out.splitlines()]


def run(*arguments: str | Path, stdin: bytes = b"", folder: Path | None = None, into: int | None = None) -> Done:
    """Run the command line in this process, in a working folder.

    ``into`` is the descriptor of a file that takes standard output; it is closed.
    """
    out = io.TextIOWrapper(io.BytesIO() if into is None else io.FileIO(into, "w"), encoding="utf-8")
    err = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    before = sys.argv, sys.stdin
    sys.argv = ["iamhumans", *map(str, arguments)]
    sys.stdin = io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8")
    place = contextlib.chdir(folder) if folder else contextlib.nullcontext()
    code: object = None
    try:
        with place, contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            try:
                main()
            except SystemExit as ended:
                code = ended.code
    finally:
        sys.argv, sys.stdin = before
    assert isinstance(code, int)
    return Done(int(code), _written(out), _written(err))


def _written(stream: io.TextIOWrapper) -> str:
    stream.flush()
    buffer = stream.buffer
    text = buffer.getvalue().decode() if isinstance(buffer, io.BytesIO) else ""
    stream.close()
    return text


def run_program(
    *arguments: str | Path,
    folder: Path,
    stdin: bytes = b"",
    environment: Mapping[str, str | None] | None = None,
) -> Done:
    """Run it as a process of its own; a variable of the environment that is ``None`` is not set."""
    done = subprocess.run(
        [*PROGRAM, *map(str, arguments)],
        cwd=folder,
        input=stdin,
        env=environment_with(environment or {}),
        capture_output=True,
        check=False,
        timeout=60,
    )
    return Done(done.returncode, done.stdout.decode(), done.stderr.decode())


def environment_with(changes: Mapping[str, str | None]) -> dict[str, str]:
    """This environment with changes."""
    changed = {**os.environ, **changes}
    return {name: value for name, value in changed.items() if value is not None}


def run_in_terminal(
    *arguments: str | Path, folder: Path, typed: bytes = b"", environment: Mapping[str, str | None] | None = None
) -> Done:
    """Run it on a terminal, which is all of its standard streams; ``out`` holds what the terminal was sent."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [*PROGRAM, *map(str, arguments)],
        cwd=folder,
        env=environment_with({"TERM": "xterm", "COLUMNS": "100", **(environment or {})}),
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
    )
    os.close(theirs)
    if typed:
        os.write(ours, typed)
    sent = b""
    # A closed terminal is an error to whoever reads from it.
    with contextlib.suppress(OSError):
        while piece := os.read(ours, 65536):
            sent += piece
    os.close(ours)
    return Done(process.wait(timeout=60), sent.decode().replace("\r\n", "\n"), "")


def assert_one_paragraph(text: str) -> None:
    """An error for people: one line, that begins with ``error:``, and no traceback."""
    assert text.startswith("error: "), text
    assert text.count("\n") == 1, text
    assert "Traceback" not in text
