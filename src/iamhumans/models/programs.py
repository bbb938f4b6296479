"""``command/PROGRAM``: a program as a model. It gets no keys, runs without a shell, and ends with its caller."""

import asyncio
import json
import os
import shutil
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from iamhumans.errors import CommandError
from iamhumans.models.chat import FailureKind, ModelFailure, ModelIdentity, Reception
from iamhumans.models.functions import TIME_LIMIT, plain_messages
from iamhumans.models.redaction import Redactor
from iamhumans.platforms import WINDOWS, kill_group, shell_quoted, split_words
from iamhumans.prompts import Answer, Request

LARGEST_OUTPUT, _LARGEST_ERROR, _SECONDS_TO_DIE = 4_000_000, 4_000, 5.0


def read_program(words: str, folder: Path, environ: Mapping[str, str]) -> list[str]:
    """The path and the arguments of the program that ``command/WORDS`` names. Raises CommandError if it cannot run."""
    try:
        parts = split_words(words)
    except ValueError as error:
        raise CommandError(f"`command/{words}` cannot be split into words: {error}.", fix="Close the quotes.") from None
    if not parts or not parts[0]:
        raise CommandError("`command/` does not name a program.", fix="Write command/./program.")
    return [_executable(parts[0], folder, environ), *parts[1:]]


def without_keys(environ: Mapping[str, str], variables: Iterable[str]) -> dict[str, str]:
    """The environment of a program: without these variables, and without those that end in ``_API_KEY``."""
    hidden = {variable.upper() for variable in variables}
    seen = {name: environ[name] for name in environ if not name.upper().endswith("_API_KEY")}
    # On Windows a Python program would otherwise read and print in the console's code page.
    default = {"PYTHONUTF8": "1"} if WINDOWS else {}
    return default | {name: value for name, value in seen.items() if name.upper() not in hidden}


def _executable(name: str, folder: Path, environ: Mapping[str, str]) -> str:
    if not any(separator in name for separator in (os.sep, os.altsep) if separator):
        found = shutil.which(name, path=environ.get("PATH", os.defpath))
        if found is None:
            fix = f"For one in a folder write command/./{name}."
            raise CommandError(f"There is no program `{name}` on the PATH.", fix=fix)
        return str(Path(found).absolute())
    path = folder / name
    if not path.is_file():
        raise CommandError(f"There is no program `{path}`.", fix="Check the path. It starts from the working folder.")
    if not os.access(path, os.X_OK):
        raise CommandError(f"`{path}` is not executable.", fix=f"Make it executable: chmod +x {shell_quoted(path)}")
    return str(path.absolute())


class ProgramModel:
    """A model that is a program; each call is a process."""

    def __init__(
        self, identity: ModelIdentity, words: list[str], folder: Path, environ: dict[str, str], redactor: Redactor
    ) -> None:
        self.identity = identity
        self._words, self._folder, self._environ, self._redactor = words, folder, environ, redactor

    async def send(self, request: Request) -> Reception:
        """Run the program once. Raises ModelFailure."""
        limit = self.identity.limits.timeout or TIME_LIMIT
        # One JSON object on one line, in ASCII, so that it is the same in every encoding.
        question = json.dumps({"messages": plain_messages(request)}).encode() + b"\n"
        process = await self._start()
        try:
            async with asyncio.timeout(limit):
                (output, cut), (errors, _) = await _talk(process, question)
                status = await process.wait()
        except BaseException as error:
            await _end(process)
            if isinstance(error, TimeoutError):
                raise ModelFailure(FailureKind.TIMEOUT, f"The program gave no reply within {limit:g} s.") from None
            raise
        if cut:
            raise ModelFailure(FailureKind.BAD_ANSWER, f"The program printed more than {LARGEST_OUTPUT:,} bytes.")
        return self._reception(status, output, errors)

    async def close(self) -> None:
        """Nothing is open between calls."""

    async def _start(self) -> asyncio.subprocess.Process:
        try:
            return await asyncio.create_subprocess_exec(
                *self._words,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                cwd=self._folder,
                env=self._environ,
                start_new_session=not WINDOWS,
            )
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else str(error)
            shown = self._redactor.shown(f"The program {self._words[0]} cannot be started: {reason}.")
            raise ModelFailure(FailureKind.BAD_REQUEST, shown) from None

    def _reception(self, status: int, output: bytes, errors: bytes) -> Reception:
        if status != 0:
            said = self._redactor.shown(errors.decode("utf-8", "replace").strip())
            how = f"was ended by signal {-status}" if status < 0 else f"ended with status {status}"
            raise ModelFailure(FailureKind.SERVER_ERROR, f"The program {how}{f': {said}' if said else '.'}")
        try:
            text = output.decode()
        except UnicodeDecodeError:
            raise ModelFailure(FailureKind.BAD_ANSWER, "The program printed something that is not UTF-8.") from None
        return self._redactor.usable(Reception(Answer(text.replace("\r\n", "\n").removesuffix("\n"))))


async def _talk(process: asyncio.subprocess.Process, question: bytes) -> list[tuple[bytes, bool]]:
    """Write the question and read both outputs to their ends, all at once: a full pipe must not block the others."""
    if process.stdin is None or process.stdout is None or process.stderr is None:
        raise RuntimeError("a program was started without pipes")
    async with asyncio.TaskGroup() as tasks:
        output = tasks.create_task(_read(process.stdout, LARGEST_OUTPUT, process.pid))
        errors = tasks.create_task(_read(process.stderr, _LARGEST_ERROR))
        with suppress(BrokenPipeError, ConnectionResetError):  # a program need not read its input
            process.stdin.write(question)
            await process.stdin.drain()
        process.stdin.close()
    return [output.result(), errors.result()]


async def _read(stream: asyncio.StreamReader, limit: int, pid: int | None = None) -> tuple[bytes, bool]:
    data, cut = bytearray(), False
    while chunk := await stream.read(65_536):
        data += chunk
        if len(data) > limit:
            cut = True
            del data[:-limit]
            if pid is not None:
                kill_group(pid)
    return bytes(data), cut


async def _end(process: asyncio.subprocess.Process) -> None:
    """Kill what is left of a call, and read its pipes to their ends. A child that left its group is not waited for."""
    kill_group(process.pid)
    with suppress(TimeoutError):
        async with asyncio.timeout(_SECONDS_TO_DIE):
            for stream in (process.stdout, process.stderr):
                while stream is not None and await stream.read(65_536):
                    pass
            await process.wait()
            await asyncio.sleep(0)
