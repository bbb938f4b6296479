"""The ledger of a suite's held-out cases: every sealing and every use, a line each, in ``holdout-ledger.jsonl``.

What always holds:

1. Lines are only ever added. A use is on the disk before anybody is asked anything; how it ended is a line of its own.
2. A ledger that cannot be written, and a seal that does not hold, refuse the use.
3. Each line carries the hash of a line above it, the last one when it was written. So a line that was removed or
   changed shows, and two copies that were joined, as version control does it, do not look like that.
4. Nobody is named: no user, no machine, no path.

The chain shows a line that is missing in the middle. It cannot show that the last lines are missing, nor a ledger that
was written anew as a whole: for that a ledger belongs into version control.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from functools import cache, cached_property
from math import erf, exp, pi, sqrt
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from iamhumans.cases.findings import Code, from_error
from iamhumans.cases.model import Finding, Suite
from iamhumans.cases.seal import (
    SEAL_NAME,
    Seal,
    SealCode,
    SealFile,
    differences,
    held_out,
    read_seal,
    refuse_link,
    seal_of,
    sealing_again,
    write_seal,
)
from iamhumans.cases.suites import BUNDLED_SUITES, bundled_suite_path, load_suite
from iamhumans.errors import CannotRunError, CommandError, InputError, Place
from iamhumans.text import has_substance, one_line

LEDGER_NAME = "holdout-ledger.jsonl"

_LONGEST_REASON = 500
_FIRST_REASON = "sealed for the first time"
_FEW_SUBJECTS = 2
"""So many subjects are compared without much being chosen by luck."""
_PATH_KINDS = ("recorded", "command", "python")


class LedgerCode(StrEnum):
    """What can be wrong with a ledger. Codes are stable: scripts may select by them."""

    BAD_LINE = "bad-ledger-line"
    BROKEN_CHAIN = "broken-ledger-chain"


class _Stored(BaseModel):
    # A later version may say more; what this one knows stays readable. Built when first used: most commands never do.
    model_config = ConfigDict(frozen=True, extra="ignore", defer_build=True)


class Named(_Stored):
    """A rubric, a subject or a judge: its name, and a hash of its content or of its settings."""

    name: str
    hash: str


class About(_Stored):
    """What held-out cases are used for."""

    run: str
    rubric: Named
    subject: Named
    skill: str | None = None
    """Hash of the system prompt under test."""
    judges: tuple[Named, ...] = ()

    @classmethod
    def of_plan(cls, run: str, plan: Mapping[str, Any]) -> About:
        """What a run is about, from its plan. Paths are cut to their last part, since they may hold a person's name."""
        subject = plan["subject"]
        return cls(
            run=run,
            rubric=Named(name=_without_path(plan["rubric"]["name"]), hash=plan["rubric"]["hash"]),
            subject=Named(name=_without_path(subject["name"]), hash=_digest(subject["settings"])),
            skill=plan.get("skill"),
            judges=tuple(
                Named(name=_without_path(judge["name"]), hash=_digest(judge["settings"])) for judge in plan["judges"]
            ),
        )


class Result(_Stored):
    """What came of a use. Rates go from 0 to 1; ``None`` is a figure that nothing gives."""

    asked: int
    judged: int
    zero_rate: float | None = None
    mean_of_rest: float | None = None
    pass_rate: float | None = None


class _Line(_Stored):
    id: str
    at: str
    """When, in UTC."""
    previous: str | None
    """Hash of the line above; ``None`` in the first line."""


class Sealed(_Line):
    """The suite was sealed."""

    event: Literal["sealed"] = "sealed"
    reason: str
    seal: str
    rubric: Named
    cases: tuple[str, ...]


class Begun(_Line):
    """A use of the held-out cases begins."""

    event: Literal["begun"] = "begun"
    reason: str
    seal: str
    cases: tuple[str, ...]
    about: About


class Resumed(_Line):
    """A use that had not ended, or was stopped, goes on."""

    event: Literal["resumed"] = "resumed"
    use: str
    reason: str


class Ended(_Line):
    """How a use ended. One that is not ``finished`` was stopped and may be gone on with."""

    event: Literal["ended"] = "ended"
    use: str
    finished: bool
    result: Result


_Entry = Sealed | Begun | Resumed | Ended


@cache
def _entries() -> TypeAdapter[_Entry]:
    return TypeAdapter(Annotated[_Entry, Field(discriminator="event")])


@dataclass(frozen=True, slots=True)
class Use:
    """One use of the held-out cases, as the ledger tells it."""

    ledger: Path
    id: str
    begun: Begun
    ended: Ended | None = None

    @property
    def finished(self) -> bool:
        """Whether its result is in the ledger, and is that of the whole run."""
        return self.ended is not None and self.ended.finished


@dataclass(frozen=True)
class Ledger:
    """All that a ledger says, and what is wrong with it."""

    path: Path
    entries: tuple[_Entry, ...] = ()
    problems: tuple[Finding, ...] = ()
    lines: int = 0
    last: str | None = None
    """Hash of the last line."""

    @cached_property
    def uses(self) -> tuple[Use, ...]:
        """The uses, the first one first; what is said of a use whose beginning is missing is left out."""
        uses: dict[str, Use] = {}
        for entry in self.entries:
            if isinstance(entry, Begun):
                uses.setdefault(entry.id, Use(self.path, entry.id, entry))
            elif isinstance(entry, Ended) and entry.use in uses:
                uses[entry.use] = Use(self.path, entry.use, uses[entry.use].begun, entry)
        return tuple(uses.values())

    @property
    def sealed(self) -> Sealed | None:
        """The last sealing."""
        return next((entry for entry in reversed(self.entries) if isinstance(entry, Sealed)), None)

    def uses_of(self, case_id: str) -> tuple[Use, ...]:
        """The uses of one case."""
        return tuple(use for use in self.uses if case_id in use.begun.cases)

    def of_run(self, run: str, seal: str) -> Use | None:
        """The last use by a run under a seal."""
        same = (use for use in reversed(self.uses) if use.begun.about.run == run and use.begun.seal == seal)
        return next(same, None)


@dataclass(frozen=True, slots=True)
class Sealing:
    """What sealing a suite came to. ``changes`` are the differences from the seal before."""

    path: Path
    seal: Seal
    written: bool
    changes: tuple[Finding, ...] = ()


def read_ledger(folder: Path) -> Ledger:
    """The ledger beside a suite, empty where there is none. What its lines hold never raises.

    Raises:
        InputError: There is a link in its place, or it cannot be read.
    """
    path = folder / LEDGER_NAME
    refuse_link(path)
    try:
        data = path.read_bytes() if path.exists() else b""
    except OSError as error:
        raise InputError(f"The ledger cannot be read: {error.strerror}.", place=Place(path)) from None
    return _parsed(path, data)


def seal_suite(suite: Suite, reason: str = "", *, shipped: bool = False) -> Sealing:
    """Seal the held-out cases and the rubric of a suite, and write that into the ledger.

    Where nothing changed since the last time nothing is written. A first sealing needs no reason.

    Args:
        suite: The whole suite.
        reason: Why it is sealed again after a change.
        shipped: Seal a suite that ships with the package all the same: for those who make the package, in whose
            checkout seal and ledger last. No command does that; `make seal` does.

    Raises:
        CommandError: Nothing is held out, it ships with the package, it is part of a suite only, or there is no reason.
        InputError: A file of the suite cannot be read.
        CannotRunError: Seal or ledger cannot be written.
    """
    if not shipped:
        _refuse_bundled(suite)
    _refuse_part(suite)
    seal = seal_of(suite)
    ledger = read_ledger(suite.path)
    before, unreadable = _seal_before(suite)
    known = ledger.sealed
    if known is not None and known.seal == seal.hash:
        return _unchanged(suite, seal, before)
    first = known is None and before is None and unreadable is None
    if first and not seal.cases:
        raise CommandError(
            f"The suite `{one_line(suite.name, 60)}` holds no case out, so there is nothing to seal.",
            fix="Write `holdout: true` into the front matter of the cases that are to decide later.",
        )
    changes = unreadable or (differences(suite, before) if before else ())
    if not first and not reason.strip():
        raise CommandError(
            f"The suite was sealed before, and is not what was sealed{_told(changes)}.",
            fix=f"Say why that is right: {sealing_again(suite)}.",
        )
    entry = {
        "event": "sealed",
        "reason": _checked_reason(reason) if reason.strip() else _FIRST_REASON,
        "seal": seal.hash,
        "rubric": {"name": _without_path(seal.rubric.name), "hash": seal.rubric.hash},
        "cases": [case.id for case in seal.cases],
    }
    # The ledger first: if the seal is then not written, it is by the same command given again.
    with _locked(suite.path) as writer:
        writer.add(entry)
    return Sealing(write_seal(suite.path, seal), seal, written=True, changes=changes)


def check_seal(suite: Suite) -> tuple[Finding, ...]:
    """What is wrong with the seal of a suite, each with file, line and what to do; nothing where it holds.

    A suite that holds nothing out and was never sealed needs no seal.
    """
    try:
        file = read_seal(suite.path)
        known = read_ledger(suite.path).sealed
        if file is None:
            return () if known is None and not held_out(suite) else (_not_sealed(suite),)
        found = differences(suite, file)
    except InputError as error:
        code = SealCode.UNREADABLE_SEAL if error.place.path == suite.path / SEAL_NAME else Code.UNREADABLE
        return (Finding(error.place.path or suite.path, error.place.line or 1, code, error.problem, error.fix, True),)
    return found if known is not None and known.seal == file.seal.hash else (*found, _unknown_seal(suite, file))


def check_use(suite: Suite, reason: str) -> None:
    """Find out whether the held-out cases of a suite may be used for a reason, and write nothing.

    Args:
        suite: The whole suite.
        reason: What :func:`begin_use` is going to be given.

    Raises:
        CommandError: There is no reason, nothing is held out, the suite ships with the package, or it is part of a
            suite only.
        InputError: It is not sealed, or the seal does not hold; names the first thing that is wrong.
        CannotRunError: The ledger cannot be written.
    """
    _checked_reason(reason)
    _usable_seal(suite)
    with _locked(suite.path):
        pass


def begin_use(suite: Suite, reason: str, about: About) -> Use:
    """Write into the ledger that the held-out cases are about to be used; call it before anybody is asked anything.

    A use by the same run that has not finished is gone on with, and counts once.

    Args:
        suite: The whole suite.
        reason: Why, in a sentence for whoever reads the ledger.
        about: What is judged, by whom.

    Raises:
        CommandError: As for :func:`check_use`.
        InputError: The seal does not hold.
        CannotRunError: The ledger cannot be written.
    """
    reason = _checked_reason(reason)
    seal = _usable_seal(suite)
    with _locked(suite.path) as writer:
        open_use = writer.ledger.of_run(about.run, seal.hash)
        if open_use is not None and not open_use.finished:
            writer.add({"event": "resumed", "use": open_use.id, "reason": reason})
            return open_use
        cases = [case.id for case in held_out(suite)]
        entry = {"event": "begun", "reason": reason, "seal": seal.hash, "cases": cases, "about": about.model_dump()}
        written = writer.add(entry)
    return Use(suite.path / LEDGER_NAME, written["id"], Begun.model_validate(written))


def end_use(use: Use, result: Result, *, finished: bool = True) -> None:
    """Write into the ledger what came of a use.

    Args:
        use: What :func:`begin_use` returned.
        result: The figures so far.
        finished: Whether all was asked; a run that was stopped may be gone on with.

    Raises:
        CannotRunError: The ledger cannot be written.
    """
    with _locked(use.ledger.parent) as writer:
        writer.add({"event": "ended", "use": use.id, "finished": finished, "result": result.model_dump()})


def is_recorded(suite: Suite, run: str) -> bool:
    """Whether the ledger holds the result of a run under the present seal, so that it may be shown again without a use.

    Raises:
        InputError: Seal or ledger cannot be read.
    """
    file = read_seal(suite.path)
    use = read_ledger(suite.path).of_run(run, file.seal.hash) if file else None
    return use is not None and use.finished


def what_use_does(uses: Sequence[Use]) -> str:
    """What the uses so far have done to what held-out cases can say, in plain sentences.

    Of several equally good subjects the one that looks best owes its lead to luck: over k of them the expected lead is
    the mean of the largest of k standard normal values, in standard errors of the figure. So it is different subjects
    that count, and not how often one of them was judged.
    """
    if not uses:
        return "They were never used: what they say will be fresh."
    times = "once" if len(uses) == 1 else f"{len(uses)} times"
    subjects = len({(use.begun.about.subject, use.begun.about.skill) for use in uses})
    on = "one subject" if subjects == 1 else f"{subjects} different subjects"
    if subjects <= _FEW_SUBJECTS:
        return f"They were used {times}, on {on}: their figures can still be taken as they are."
    lead = expected_lead(subjects)
    return (
        f"They were used {times}, on {on}. Wherever they decided what to keep, luck was kept with it: of {subjects} "
        f"equally good subjects, the best looks better than it is by about {lead:.1f} standard errors. "
        "Write new held-out cases, and make these everyday ones, before they are to decide once more."
    )


def expected_lead(subjects: int) -> float:
    """The mean of the largest of so many independent standard normal values: 0.56 of two, 1.16 of five, 1.54 of ten."""
    step = 0.01
    points = (step * index for index in range(-1000, 1001))
    return step * sum(
        x * subjects * exp(-x * x / 2) / sqrt(2 * pi) * ((1 + erf(x / sqrt(2))) / 2) ** (subjects - 1) for x in points
    )


def _usable_seal(suite: Suite) -> Seal:
    _refuse_bundled(suite)
    _refuse_part(suite)
    if not held_out(suite):
        raise CommandError(
            f"The suite `{one_line(suite.name, 60)}` holds no case out.",
            fix="Write `holdout: true` into the front matter of the cases that are to decide, and seal the suite.",
        )
    problems = check_seal(suite)
    if problems:
        first = problems[0]
        more = f" ({len(problems) - 1} more: `iamhumans cases seal {suite.path} --check`.)" if problems[1:] else ""
        raise InputError(first.problem + more, fix=first.fix, place=Place(first.path, first.line))
    return seal_of(suite)


def _seal_before(suite: Suite) -> tuple[SealFile | None, tuple[Finding, ...] | None]:
    """The seal that stands, or what is wrong with it, which does not keep anybody from sealing again."""
    try:
        return read_seal(suite.path), None
    except InputError as error:
        refuse_link(suite.path / SEAL_NAME)
        return None, (from_error(error, suite.path / SEAL_NAME, Code.UNREADABLE),)


def _unchanged(suite: Suite, seal: Seal, before: SealFile | None) -> Sealing:
    """Nothing to vouch for; but the file is put in place where it is missing or names files that have moved."""
    if before is None or before.written != seal.text():
        write_seal(suite.path, seal)
    return Sealing(suite.path / SEAL_NAME, seal, written=False)


def _told(changes: Sequence[Finding]) -> str:
    if not changes:
        return ""
    more = f" ({len(changes) - 1} more)" if changes[1:] else ""
    return f": {changes[0].problem.removesuffix('.')}{more}"


def _not_sealed(suite: Suite) -> Finding:
    problem = "The held-out cases are not sealed, so nobody can tell whether they have changed."
    fix = f"Seal them: `iamhumans cases seal {suite.path}`."
    return Finding(suite.path / SEAL_NAME, 1, SealCode.NOT_SEALED.value, problem, fix, error=True)


def _unknown_seal(suite: Suite, file: SealFile) -> Finding:
    problem = f"The last sealing in {LEDGER_NAME} is not that of this seal: one of the two files was changed by hand."
    fix = f"Take both from version control, or seal again: {sealing_again(suite)}."
    return Finding(file.path, 1, SealCode.UNKNOWN_SEAL.value, problem, fix, error=True)


def _refuse_bundled(suite: Suite) -> None:
    """A suite that ships has no place beside it that lasts: the next upgrade would take seal and ledger away."""
    here = suite.path.resolve()
    size = f"-n {max(len(suite.cases), 1)}" + (" --holdout" if held_out(suite) else "")
    for name in BUNDLED_SUITES:
        if here == bundled_suite_path(name).resolve():
            raise CommandError(
                f"The suite `{name}` ships with the package, so what is written beside it does not last.",
                fix=f"Copy it first: `iamhumans cases sample {name} {size} -o FOLDER`.",
            )


def _refuse_part(suite: Suite) -> None:
    """Held-out cases are sealed and used together, so that nobody can pick those that suit."""
    if {case.id for case in load_suite(suite.path).cases} != set(suite.by_id):
        raise CommandError(
            "This is only part of a suite, and its held-out cases are sealed and used together.",
            fix=f"Name the folder of the whole suite: {suite.path}.",
        )


def _checked_reason(reason: str) -> str:
    shown = one_line(reason)
    if not has_substance(reason):
        fix = 'Say it in a sentence for whoever reads the ledger: --reason "release 1.2".'
        raise CommandError("Held-out cases are used for a reason, and none is given.", fix=fix)
    if len(shown) > _LONGEST_REASON:
        problem = f"The reason has {len(shown)} characters; the ledger takes {_LONGEST_REASON}."
        raise CommandError(problem, fix="Say it in a sentence.")
    return shown


def _without_path(name: str) -> str:
    """A name whose kind is a path, cut to the kind and the last part of the path."""
    kind, slash, path = name.partition("/")
    last = path.replace("\\", "/").rstrip("/").rpartition("/")[2]
    if kind in _PATH_KINDS and slash:
        return one_line(f"{kind}/{last}")
    is_file = name.endswith((".yaml", ".yml"))
    return one_line(name.replace("\\", "/").rpartition("/")[2] if is_file else name)


def _parsed(path: Path, data: bytes) -> Ledger:
    entries: list[_Entry] = []
    problems: list[Finding] = []
    digests: set[str] = set()
    last = None
    for number, line in _numbered(data):
        entry = _entry(line)
        if entry is None:
            problem = "This line of the ledger cannot be read by this version, so what it tells is not counted."
            problems.append(_problem(path, number, LedgerCode.BAD_LINE, problem))
        else:
            entries.append(entry)
            broken = _broken(entry, digests)
            if broken:
                problems.append(_problem(path, number, LedgerCode.BROKEN_CHAIN, broken))
        last = hashlib.sha256(line).hexdigest()
        digests.add(last)
    return Ledger(path, tuple(entries), tuple(problems), len(digests), last)


def _numbered(data: bytes) -> Iterator[tuple[int, bytes]]:
    """The lines that are not empty. Version control may have changed their ends, which are no part of them."""
    for number, line in enumerate(data.split(b"\n"), start=1):
        stripped = line.rstrip(b"\r")
        if stripped.strip():
            yield number, stripped


def _entry(line: bytes) -> _Entry | None:
    try:
        return _entries().validate_json(line)
    except ValidationError:
        return None


def _broken(entry: _Entry, above: Collection[str]) -> str:
    """What is wrong with the place of a line; empty where it follows on a line above it."""
    if entry.previous is None:
        return "The ledger begins anew here, below other lines." if above else ""
    if entry.previous not in above:
        return "The line that this one was written below is not above it: a line was removed, changed or moved."
    return ""


def _problem(path: Path, line: int, code: LedgerCode, problem: str) -> Finding:
    fix = "Take the ledger from version control; what is missing cannot be made good otherwise."
    return Finding(path, line, code.value, problem, fix, error=True)


class _Writer:
    """Adds lines to a ledger that is locked."""

    def __init__(self, path: Path, descriptor: int) -> None:
        self.path = path
        self.descriptor = descriptor
        data = _all_of(descriptor)
        self.ledger = _parsed(path, data)
        self._size = len(data)
        self._last = self.ledger.last
        # An editor may have taken the last line end away; a line that a crash cut off is nothing to go on from.
        self._lead = b"" if data.endswith(b"\n") or not data else b"\n"
        end = data.count(b"\n") + 1
        if self._lead and any(
            finding.line == end and finding.code == LedgerCode.BAD_LINE for finding in self.ledger.problems
        ):
            fix = "Delete it: the machine stopped while it was written."
            raise InputError("The last line of the ledger is cut off.", fix=fix, place=Place(path, end))

    def add(self, entry: Mapping[str, Any]) -> dict[str, Any]:
        """Write one line, whole or not at all, and have it on the disk. Raises OSError."""
        now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        written = {"id": secrets.token_hex(8), "at": now, "previous": self._last, **entry}
        line = json.dumps(written, ensure_ascii=False, sort_keys=True).encode()
        data = self._lead + line + b"\n"
        try:
            _write_all(self.descriptor, data)
            os.fsync(self.descriptor)
        except BaseException:
            with suppress(OSError):
                os.ftruncate(self.descriptor, self._size)
            raise
        self._size += len(data)
        self._lead = b""
        self._last = hashlib.sha256(line).hexdigest()
        return written


@contextmanager
def _locked(folder: Path) -> Iterator[_Writer]:
    """The ledger of a folder, with nobody else writing into it."""
    path = folder / LEDGER_NAME
    refuse_link(path)
    try:
        descriptor = _open_locked(path)
        try:
            yield _Writer(path, descriptor)
        finally:
            os.close(descriptor)  # which gives the lock up
    except OSError as error:
        fix = "Held-out cases are only used where the use can be written down: check the permissions of the folder."
        problem = f"The ledger cannot be written: {error.strerror or error}."
        raise CannotRunError(problem, fix=fix, place=Place(path)) from None


def _open_locked(path: Path) -> int:
    flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    while True:
        new = not path.exists()
        descriptor = os.open(path, flags, 0o666)
        try:
            _lock(descriptor)
            # While we waited, version control may have put another file in its place.
            if os.path.samestat(os.fstat(descriptor), path.stat()):
                if new:
                    _settle(path.parent)
                return descriptor
        except FileNotFoundError:
            pass
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)


def _lock(descriptor: int) -> None:
    if sys.platform == "win32":
        import msvcrt

        os.lseek(descriptor, 0, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_LOCK, 1)
    else:
        import fcntl

        fcntl.flock(descriptor, fcntl.LOCK_EX)


def _settle(folder: Path) -> None:
    """Have the name of a new file on the disk as well, where a folder can be asked for that."""
    if sys.platform != "win32":
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _all_of(descriptor: int) -> bytes:
    os.lseek(descriptor, 0, os.SEEK_SET)
    pieces = []
    while piece := os.read(descriptor, 1 << 20):
        pieces.append(piece)
    return b"".join(pieces)


def _write_all(descriptor: int, data: bytes) -> None:
    while data:
        data = data[os.write(descriptor, data) :]


def _digest(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=True, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()
