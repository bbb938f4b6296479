"""``command/PROGRAM``: a program as a model. It gets the conversation on standard input and prints its reply.

1. No shell: the words after ``command/`` are split as a shell would split them, and the first is run as it is.
2. The program does not see keys: variables that end in ``_API_KEY``, and those that a config names, are taken out.
3. Time and output are bounded. Whatever ends a call early (its own limit, the caller's, an interrupt) kills the program
   with its whole process group.
"""

from __future__ import annotations

import asyncio
import json
import os
import shlex
import shutil
import signal
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from iamhumans.errors import CommandError
from iamhumans.models.model import FailureKind, ModelFailure, ModelIdentity, Reception
from iamhumans.models.reading import word
from iamhumans.models.redaction import Redactor
from iamhumans.prompts import Answer, Request

TIME_LIMIT = 600.0
"""Seconds that a program or a function has for a reply where no ``timeout`` is set."""

LARGEST_OUTPUT = 4_000_000

_KEPT_COMPLAINT = 4_000
_SECONDS_TO_DIE = 5.0


@dataclass(frozen=True, slots=True)
class Program:
    """What is run, and where."""

    arguments: tuple[str, ...]
    """The program's path and its arguments."""
    folder: Path
    environment: Mapping[str, str] = field(repr=False)


def read_program(words: str, folder: Path, environ: Mapping[str, str], keys: Iterable[str] = ()) -> Program:
    """The program that ``command/WORDS`` names.

    Args:
        words: Program and arguments.
        folder: Where it runs, and where a relative path starts from.
        environ: The environment that it gets, but for keys.
        keys: Names of variables with keys, besides those that end in ``_API_KEY``.

    Raises:
        CommandError: The words cannot be split, or there is no such program, or it may not be run.
    """
    try:
        parts = shlex.split(words)
    except ValueError as error:
        raise CommandError(f"`command/{words}` cannot be split into words: {error}.", fix="Close the quotes.") from None
    if not parts or not parts[0]:
        raise CommandError("`command/` names no program.", fix="Write command/./program.")
    hidden = {key.upper() for key in keys}
    environment = {
        name: value
        for name, value in environ.items()
        if not name.upper().endswith("_API_KEY") and name.upper() not in hidden
    }
    return Program((_executable(parts[0], folder, environ), *parts[1:]), folder, environment)


def _executable(name: str, folder: Path, environ: Mapping[str, str]) -> str:
    if "/" not in name:
        found = shutil.which(name, path=environ.get("PATH", os.defpath))
        if found is None:
            raise CommandError(
                f"There is no program `{name}` on the PATH.", fix=f"For one in a folder write command/./{name}."
            )
        return str(Path(found).absolute())
    path = folder / name
    if not path.is_file():
        raise CommandError(f"There is no program `{path}`.", fix="Check the path; it starts from the working folder.")
    if not os.access(path, os.X_OK):
        raise CommandError(f"`{path}` may not be run.", fix=f"Allow it: chmod +x {shlex.quote(str(path))}")
    return str(path.absolute())


class ProgramModel:
    """A model that is a program; a process a call."""

    def __init__(self, identity: ModelIdentity, program: Program, redactor: Redactor) -> None:
        self.identity = identity
        self._program = program
        self._redactor = redactor
        self._running: set[asyncio.subprocess.Process] = set()

    async def send(self, request: Request) -> Reception:
        """Run the program once.

        Raises:
            ModelFailure: It cannot be started, ends with a status other than 0, takes too long, or prints too much or
                something that is not UTF-8.
        """
        limit = self.identity.limits.timeout or TIME_LIMIT
        process = await self._start()
        self._running.add(process)
        try:
            async with asyncio.timeout(limit):
                output, complaint = await _talk(process, conversation_json(request))
                if output is None:
                    await _end(process)
                status = await process.wait()
        except TimeoutError:
            await _end(process)
            raise ModelFailure(FailureKind.TIMEOUT, f"The program gave no reply within {limit:g} s.") from None
        except BaseException:
            await _end(process)
            raise
        finally:
            self._running.discard(process)
        return self._reception(status, output, complaint)

    async def close(self) -> None:
        """Kill what still runs."""
        for process in tuple(self._running):
            await _end(process)

    async def _start(self) -> asyncio.subprocess.Process:
        try:
            return await asyncio.create_subprocess_exec(
                *self._program.arguments,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                cwd=self._program.folder,
                env=dict(self._program.environment),
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else str(error)
            shown = self._redactor.shown(f"The program {self._program.arguments[0]} cannot be started: {reason}.")
            raise ModelFailure(FailureKind.BAD_REQUEST, shown) from None

    def _reception(self, status: int, output: bytes | None, complaint: bytes) -> Reception:
        if output is None:
            raise ModelFailure(FailureKind.BAD_ANSWER, f"The program printed more than {LARGEST_OUTPUT:,} bytes.")
        if status != 0:
            said = self._redactor.shown(complaint.decode("utf-8", "replace").strip())
            how = f"was ended by signal {-status}" if status < 0 else f"ended with status {status}"
            raise ModelFailure(FailureKind.SERVER_ERROR, f"The program {how}{f': {said}' if said else '.'}")
        try:
            text = output.decode()
        except UnicodeDecodeError:
            raise ModelFailure(FailureKind.BAD_ANSWER, "The program printed something that is not UTF-8.") from None
        text = text.replace("\r\n", "\n").removesuffix("\n")
        return Reception(Answer(self._redactor.answer(text)), model=word(self.identity.model))


def conversation(request: Request) -> list[dict[str, str]]:
    """The messages as plain data."""
    return [{"role": message.role, "content": message.content} for message in request.messages]


def conversation_json(request: Request) -> bytes:
    """What a program reads: one JSON object on one line."""
    return json.dumps({"messages": conversation(request)}, ensure_ascii=False).encode("utf-8", "replace") + b"\n"


async def _talk(process: asyncio.subprocess.Process, question: bytes) -> tuple[bytes | None, bytes]:
    """Write the question and read both outputs to their ends, all at once so that nobody waits for a full pipe."""
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(_write(process.stdin, question))
        output = tasks.create_task(_read(process, process.stdout, LARGEST_OUTPUT))
        complaint = tasks.create_task(_last(process.stderr))
    return output.result(), complaint.result()


async def _write(stream: asyncio.StreamWriter | None, question: bytes) -> None:
    if stream is None:
        return
    # A program need not read what it is given.
    with suppress(BrokenPipeError, ConnectionResetError):
        stream.write(question)
        await stream.drain()
    stream.close()
    with suppress(BrokenPipeError, ConnectionResetError):
        await stream.wait_closed()


async def _read(process: asyncio.subprocess.Process, stream: asyncio.StreamReader | None, limit: int) -> bytes | None:
    """All that comes, or ``None`` if it is more than the limit; the program is killed then."""
    chunks: list[bytes] = []
    size = 0
    while stream is not None and (chunk := await stream.read(65_536)):
        chunks.append(chunk)
        size += len(chunk)
        if size > limit:
            _kill(process)
            return None
    return b"".join(chunks)


async def _last(stream: asyncio.StreamReader | None) -> bytes:
    """The end of what comes, where a complaint says what it is about."""
    kept = b""
    while stream is not None and (chunk := await stream.read(65_536)):
        kept = (kept + chunk)[-_KEPT_COMPLAINT:]
    return kept


async def _end(process: asyncio.subprocess.Process) -> None:
    """Kill what is left of a call, children that outlive the program among it, and wait until it is gone."""
    _kill(process)
    # The pipes are read to their ends, or they would stay open. A descendant that left the group can keep them open
    # all the same; it is not waited for.
    with suppress(TimeoutError):
        async with asyncio.timeout(_SECONDS_TO_DIE):
            for stream in (process.stdout, process.stderr):
                while stream is not None and await stream.read(65_536):
                    pass
            await process.wait()
            await asyncio.sleep(0)


def _kill(process: asyncio.subprocess.Process) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
