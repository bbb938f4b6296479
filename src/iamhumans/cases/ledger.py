"""The ledger of a suite's held-out cases: one JSON line for each sealing, use and result.

Lines are only added, and a use is on the disk before any text is shown or sent. Each line carries the hash of a line
above it, so a line that was removed or changed shows, unless it was the last. Two copies that version control joined
are still whole. There is no user name, machine name or path in it.
"""

import hashlib
import json
import os
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from io import FileIO
from pathlib import Path
from typing import Any

from iamhumans.cases.findings import Finding, Findings
from iamhumans.errors import CannotRunError, InputError, Place
from iamhumans.text import one_line, read_bytes

LEDGER_NAME = "holdout-ledger.jsonl"
_LARGEST = 50_000_000
_FLAGS = os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
_TEXTS = {"sealed": ("at", "reason", "seal"), "used": ("at", "reason", "output"), "result": ("at", "run")}
_ABOUT_USE = ("at", "reason", "output", "cases", "run", "subject", "variant", "seal")


@dataclass(frozen=True, slots=True)
class Result:
    """The figures of a run. Rates go from 0 to 1; ``None`` is a figure that the run does not give."""

    asked: int
    judged: int
    zero_rate: float | None = None
    mean_of_rest: float | None = None
    pass_rate: float | None = None


@dataclass(frozen=True, slots=True)
class Use:
    """One use of held-out cases. A run that was resumed is one use; only runs have results."""

    at: str
    reason: str
    output: str
    cases: tuple[str, ...]
    run: str | None = None
    subject: str = ""
    variant: str = ""
    seal: str | None = None
    ended: str | None = None
    finished: bool = False
    result: Result | None = None


@dataclass(frozen=True, slots=True)
class Ledger:
    """A ledger; ``sealed`` is its last sealing (``at``, ``reason``, ``seal``), ``last`` the hash of its last line."""

    path: Path
    sealed: Mapping[str, str] | None = None
    uses: tuple[Use, ...] = ()
    problems: tuple[Finding, ...] = ()
    lines: int = 0
    last: str | None = None

    def uses_of(self, case_id: str) -> tuple[Use, ...]:
        """The uses of one case, the first one first."""
        return tuple(use for use in self.uses if case_id in use.cases)


def read_ledger(folder: Path) -> Ledger:
    """The ledger of a suite, empty if there is none. A line that cannot be read is one of its problems."""
    path = folder / LEDGER_NAME
    refuse_link(path)
    return _parsed(path, read_bytes(path, limit=_LARGEST) if path.exists() else b"")


def append(folder: Path, entry: Mapping[str, Any]) -> None:
    """Add a line to the ledger of a suite, and wait until it is on the disk."""
    path = folder / LEDGER_NAME
    refuse_link(path)
    try:
        with FileIO(os.open(path, _FLAGS, 0o666), "r+") as file:
            _lock(file.fileno())  # until the file is closed
            _append(path, file, entry)
    except OSError as error:
        fix = "Held-out cases can only be used where the use can be recorded. Check the permissions of the folder."
        problem = f"The ledger cannot be written: {error.strerror or error}."
        raise CannotRunError(problem, fix=fix, where=Place(path)) from None


def refuse_link(path: Path) -> None:
    """Refuse a link in place of a file that is written, since a suite may come from elsewhere."""
    if path.is_symlink() or (path.exists() and not path.is_file()):
        problem = "This file must be a regular file, not a link, because it will be written to."
        raise InputError(problem, fix="Replace it with a regular file, or delete it.", where=Place(path))


def without_path(name: str) -> str:
    """A name with a path in it (``recorded/PATH``, ``rubric.yaml``) cut to the last part of the path."""
    kind, slash, _ = name.partition("/")
    last = name.replace("\\", "/").rstrip("/").rpartition("/")[2]
    if slash and kind in ("recorded", "command", "python"):
        return one_line(f"{kind}/{last}")
    return one_line(last if name.endswith((".yaml", ".yml")) else name)


def _append(path: Path, file: FileIO, entry: Mapping[str, Any]) -> None:
    before = file.read() or b""
    # An editor may have removed the last line end.
    lead = b"" if before.endswith(b"\n") or not before else b"\n"
    if lead and _event(before.rpartition(b"\n")[2]) is None:
        fix, place = "Delete that line. The machine stopped while writing it.", Place(path, before.count(b"\n") + 1)
        raise InputError("The last line of the ledger is cut off.", fix=fix, where=place)
    written = {"at": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"), "previous": _parsed(path, before).last, **entry}
    data = lead + json.dumps(written, ensure_ascii=False, sort_keys=True).encode() + b"\n"
    try:
        while data:
            data = data[file.write(data) :]
        os.fsync(file.fileno())
    except BaseException:
        with suppress(OSError):
            file.truncate(len(before))
        raise


def _lock(descriptor: int) -> None:
    if sys.platform == "win32":
        import msvcrt

        os.lseek(descriptor, 1 << 40, os.SEEK_SET)  # far behind the end, so that others can read
        msvcrt.locking(descriptor, msvcrt.LK_LOCK, 1)
        os.lseek(descriptor, 0, os.SEEK_SET)
    else:
        import fcntl

        fcntl.flock(descriptor, fcntl.LOCK_EX)


def _parsed(path: Path, data: bytes) -> Ledger:
    sealed: Mapping[str, str] | None = None
    uses: list[Use] = []
    findings = Findings(path)
    digests: dict[str | None, None] = {}
    for number, whole in enumerate(data.split(b"\n"), start=1):
        line = whole.rstrip(b"\r")  # version control may have changed the line ends
        if not line.strip():
            continue
        event = _event(line) or {"event": None}
        fix = "Restore the ledger from version control; or move it away and seal the suite again."
        if event["event"] is None:
            findings.error(number, "bad-ledger-line", "This version cannot read this line.", fix)
        elif event["previous"] not in (digests or {None: None}):
            findings.error(number, "broken-ledger-chain", "A line above this one was removed, changed or moved.", fix)
        if event["event"] == "sealed":
            sealed = event
        else:
            _add(event, uses)
        digests[hashlib.sha256(line).hexdigest()] = None
    return Ledger(path, sealed, tuple(uses), tuple(findings.all), len(digests), next(reversed(digests), None))


def _event(line: bytes) -> dict[str, Any] | None:
    """A line as data, or None if this version does not know it."""
    try:
        event: dict[str, Any] = {"previous": None, **json.loads(line)}
        if event["event"] == "result":
            event["result"] = Result(**event["result"])
        elif event["event"] == "used":
            event["cases"] = tuple(map(str, event["cases"]))
        texts = [event[name] for name in _TEXTS[event["event"]]] + [event["previous"] or ""]
        return event if all(isinstance(text, str) for text in texts) else None
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
        return None


def _add(event: Mapping[str, Any], uses: list[Use]) -> None:
    if event["event"] == "used":
        use = Use(**{name: event[name] for name in _ABOUT_USE if event.get(name) is not None})
        resumed = [(other.run, other.seal) for other in uses if other.output == "run" and not other.finished]
        if use.output != "run" or (use.run, use.seal) not in resumed:
            uses.append(use)
    for index in reversed(range(len(uses) if event["event"] == "result" else 0)):
        if uses[index].output == "run" and uses[index].run == event["run"]:
            finished = event.get("finished") is True
            uses[index] = replace(uses[index], ended=event["at"], finished=finished, result=event["result"])
            return
