"""The seal of a suite: what its held-out cases and its rubric were when somebody vouched for them.

A figure on held-out cases means something only while the cases are those that it is said to be on. So `seal.json`
beside the suite holds a hash of each: of all that a judge or a subject is shown of a case and of all that changes its
score. Notes, the layout of a file, its name and its place do not change a result, and the seal does not see them.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from iamhumans.cases.files import read_case_file
from iamhumans.cases.folder import natural_key
from iamhumans.cases.manifest import MANIFEST_NAME
from iamhumans.cases.model import Case, Finding, Suite
from iamhumans.errors import CannotRunError, InputError, Place
from iamhumans.rubrics import load_rubric
from iamhumans.text import one_line, read_text

SEAL_NAME = "seal.json"

_FORMAT = 1
_LARGEST = 20_000_000
_PART_DIGITS = 8


class SealCode(StrEnum):
    """How a suite differs from its seal. Codes are stable: scripts may select by them."""

    NOT_SEALED = "not-sealed"
    UNREADABLE_SEAL = "unreadable-seal"
    CHANGED_CASE = "changed-held-out-case"
    ADDED_CASE = "added-held-out-case"
    REMOVED_CASE = "removed-held-out-case"
    CHANGED_RUBRIC = "changed-rubric"
    UNKNOWN_SEAL = "seal-not-in-ledger"
    """The ledger tells of another seal, or of none."""


_Hash = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class _Stored(BaseModel):
    # Built when first used: most commands never do.
    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


class SealedCase(_Stored):
    """A held-out case as it was sealed. ``parts`` tell which part changed, ``file`` where it stood."""

    id: str
    hash: _Hash
    file: str = ""
    parts: Mapping[str, str] = {}


class SealedRubric(_Stored):
    """The rubric of the suite, by its name in the manifest and by the hash of its content."""

    name: str
    hash: _Hash


class Seal(_Stored):
    """What was sealed; cases in the order in which people count."""

    format: Annotated[int, Field(ge=_FORMAT, le=_FORMAT)] = _FORMAT
    rubric: SealedRubric
    cases: tuple[SealedCase, ...]

    @property
    def hash(self) -> str:
        """SHA-256 of all that is vouched for: the rubric, and id and hash of each case."""
        cases = sorted([case.id, case.hash] for case in self.cases)
        return _digest([self.format, self.rubric.name, self.rubric.hash, cases])

    def text(self) -> str:
        """The file, the same for the same seal: one line a case, so that a difference can be read."""
        rows = ",\n".join(_json(case.model_dump()) for case in self.cases)
        rubric = _json(self.rubric.model_dump())
        return f'{{\n"cases": [\n{rows}\n],\n"format": {self.format},\n"rubric": {rubric}\n}}\n'


@dataclass(frozen=True, slots=True)
class SealFile:
    """The seal that stands beside a suite, with its text, in which lines are looked for."""

    path: Path
    seal: Seal
    written: str

    def line_of(self, word: str) -> int:
        """The line in which a word stands in quotes; 1 where it does not."""
        start = self.written.find(_json(word))
        return self.written.count("\n", 0, start) + 1 if start >= 0 else 1


def held_out(suite: Suite) -> tuple[Case, ...]:
    """The cases of a suite that are held out."""
    return tuple(case for case in suite.cases if case.holdout)


def opened(suite: Suite) -> Suite:
    """The suite with no case held out, for a run that may use all of them: keys and hashes stay what they are."""
    return replace(suite, cases=tuple(replace(case, holdout=False) for case in suite.cases))


def only_held_out(suite: Suite) -> Suite:
    """The held-out cases alone, opened: what a run on them is on."""
    return opened(replace(suite, cases=held_out(suite)))


def says_held_out(path: Path) -> bool:
    """Whether the text of a file claims to be a held-out case, even where the file cannot be used otherwise.

    For whoever prints findings: a file that is no case yet may still be one whose text is not to be shown.
    """
    try:
        lines = read_text(path).splitlines()
    except InputError:
        return False
    keys_and_values = (line.partition(":") for line in lines if ":" in line)
    claims = (value.partition("#")[0].strip("'\" \t") for key, _, value in keys_and_values if key.strip() == "holdout")
    return any(claim.casefold() not in ("", "false", "no", "off") for claim in claims)


def seal_of(suite: Suite) -> Seal:
    """What a seal of the suite as it is now would hold.

    Raises:
        InputError: Files of the suite cannot be read, and a held-out case may be among them; or its rubric cannot.
    """
    if suite.errors:
        first = suite.errors[0]
        problem = "This file cannot be read, and it may be a held-out case."
        fix = f"`iamhumans cases lint {suite.path}` tells what is wrong with it."
        raise InputError(problem, fix=fix, place=Place(first.path, first.line))
    rubric = load_rubric(suite.rubric, relative_to=suite.path)
    cases = sorted(held_out(suite), key=lambda case: natural_key(case.id))
    return Seal(
        rubric=SealedRubric(name=suite.rubric, hash=rubric.hash),
        cases=tuple(
            SealedCase(id=case.id, hash=case.hash, file=_file_of(case, suite), parts=_parts(case)) for case in cases
        ),
    )


def read_seal(folder: Path) -> SealFile | None:
    """The seal beside a suite; ``None`` where it has none.

    Raises:
        InputError: The file is a link, or holds no seal.
    """
    path = folder / SEAL_NAME
    if not path.exists() and not path.is_symlink():
        return None
    refuse_link(path)
    text = read_text(path, limit=_LARGEST)
    fix = "Take it from version control, or write it anew with `iamhumans cases seal --reason TEXT`."
    try:
        return SealFile(path, Seal.model_validate(json.loads(text)), text)
    except json.JSONDecodeError as error:
        raise InputError("This is no JSON, so no seal.", fix=fix, place=Place(path, error.lineno)) from None
    except ValidationError as error:
        where = ".".join(str(part) for part in error.errors(include_url=False)[0]["loc"])
        what = f"This is no seal that can be read: see `{one_line(where, 60)}`."
        raise InputError(what, fix=fix, place=Place(path, 1)) from None
    except (ValueError, RecursionError):  # numbers and nesting beyond what Python reads
        raise InputError("This is no seal that can be read.", fix=fix, place=Place(path, 1)) from None


def write_seal(folder: Path, seal: Seal) -> Path:
    """Write ``seal.json`` whole or not at all.

    Raises:
        InputError: There is a link in its place.
        CannotRunError: It cannot be written.
    """
    path = folder / SEAL_NAME
    refuse_link(path)
    try:
        replace_file(path, seal.text().encode())
    except OSError as error:
        fix = "Check the permissions of the suite's folder."
        raise CannotRunError(f"The seal cannot be written: {error.strerror}.", fix=fix, place=Place(path)) from None
    return path


def differences(suite: Suite, file: SealFile) -> tuple[Finding, ...]:
    """How the suite differs from its seal: every case that changed, was added or is gone, and the rubric.

    Each names the file, the line and what to do; none quotes a word of a case.

    Raises:
        InputError: The suite cannot be sealed as it is, so it cannot be compared.
    """
    now = {case.id: case for case in seal_of(suite).cases}
    then = {case.id: case for case in file.seal.cases}
    found = list(_rubric_difference(suite, file))
    for case_id in sorted({*now, *then}, key=natural_key):
        before, after = then.get(case_id), now.get(case_id)
        if before is None:
            found.append(_added(suite.by_id[case_id], suite))
        elif after is None:
            found.append(_removed(before, suite, file))
        elif before.hash != after.hash:
            found.append(_changed(suite.by_id[case_id], before, after, suite))
    return tuple(found)


def sealing_again(suite: Suite) -> str:
    """The command that seals a suite after a change."""
    return f"`iamhumans cases seal {suite.path} --reason TEXT`"


def refuse_link(path: Path) -> None:
    """Refuse a link in the place of a file that is written: a suite may come from anybody.

    Raises:
        InputError: The path is a link, or no regular file.
    """
    if path.is_symlink() or (path.exists() and not path.is_file()):
        problem = "This is a link, or no regular file, and what stands here is written to."
        raise InputError(problem, fix="Put a regular file in its place, or delete it.", place=Place(path))


def replace_file(path: Path, data: bytes) -> None:
    """Write a file whole or not at all. Raises OSError."""
    # Not by `tempfile`, which makes files for their owner alone: this one is as public as the suite.
    temporary = path.with_name(f".{path.name}-{secrets.token_hex(4)}")
    try:
        with temporary.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise


def _rubric_difference(suite: Suite, file: SealFile) -> Iterator[Finding]:
    before = file.seal.rubric
    now = load_rubric(suite.rubric, relative_to=suite.path)
    manifest = suite.path / MANIFEST_NAME
    place = manifest if manifest.is_file() else file.path
    if before.name != suite.rubric:
        problem = (
            f"The rubric is `{one_line(suite.rubric, 60)}`; the suite was sealed with `{one_line(before.name, 60)}`."
        )
        yield _finding(place, _manifest_line(place), SealCode.CHANGED_RUBRIC, problem, _put_back(suite))
    elif before.hash != now.hash:
        problem = f"The rubric `{one_line(before.name, 60)}` is not what it was when the suite was sealed."
        yield _finding(place, _manifest_line(place), SealCode.CHANGED_RUBRIC, problem, _put_back(suite))


def _manifest_line(path: Path) -> int:
    lines = read_text(path, limit=_LARGEST).splitlines()
    return next((number for number, line in enumerate(lines, start=1) if line.strip('" ').startswith("rubric")), 1)


def _added(case: Case, suite: Suite) -> Finding:
    path, line = _place(case, ["holdout"])
    problem = f"The held-out case `{case.id}` is not in the seal."
    fix = f"Write `holdout: false`, or seal again: {sealing_again(suite)}."
    return _finding(path, line, SealCode.ADDED_CASE, problem, fix)


def _removed(before: SealedCase, suite: Suite, file: SealFile) -> Finding:
    case = suite.by_id.get(before.id)
    if case is not None:
        path, line = _place(case, ["holdout"])
        problem = f"The case `{case.id}` was sealed as held out, and is not held out now."
        fix = f"Write `holdout: true`, or seal again: {sealing_again(suite)}."
        return _finding(path, line, SealCode.REMOVED_CASE, problem, fix)
    name = one_line(before.id, 100)
    was = f" It was in `{one_line(before.file, 200)}`." if before.file else ""
    problem = f"The held-out case `{name}` is in the seal, but not in the suite.{was}"
    return _finding(file.path, file.line_of(before.id), SealCode.REMOVED_CASE, problem, _put_back(suite))


def _changed(case: Case, before: SealedCase, after: SealedCase, suite: Suite) -> Finding:
    parts = [part for part, digest in after.parts.items() if before.parts.get(part) != digest]
    path, line = _place(case, parts)
    what = f": changed is {', '.join(f'`{part}`' for part in parts)}" if parts else ""
    problem = f"The held-out case `{case.id}` is not what was sealed{what}."
    return _finding(path, line, SealCode.CHANGED_CASE, problem, _put_back(suite))


def _put_back(suite: Suite) -> str:
    return f"Put back what was sealed, or seal again: {sealing_again(suite)}."


def _place(case: Case, parts: Iterable[str]) -> tuple[Path, int]:
    """File and line of the first of some parts of a case; of its id where none of them is written."""
    path = case.path or Path(case.id)
    reading = read_case_file(path)
    for part in parts:
        for name in (part, "input") if part == "conversation" else (part,):
            if (name,) in reading.lines:
                return path, reading.line_of(name)
    return path, reading.line_of("id")


def _finding(path: Path, line: int, code: SealCode, problem: str, fix: str) -> Finding:
    return Finding(path, line, code.value, problem, fix, error=True)


def _file_of(case: Case, suite: Suite) -> str:
    if case.path is None:
        return ""
    # Of a path that was named from elsewhere, the file's own name tells enough.
    inside = case.path.is_relative_to(suite.path)
    return (case.path.relative_to(suite.path) if inside else Path(case.path.name)).as_posix()


def _parts(case: Case) -> dict[str, str]:
    """A short hash of each part: not to vouch for it, which ``Case.hash`` does, but to say which one changed."""
    parts: dict[str, Any] = {
        "title": case.title,
        "conversation": [[turn.speaker, turn.text] for turn in case.conversation],
        "dimensions": case.dimensions,
        "hard_fails": case.hard_fails,
        "rubric": case.rubric,
        "failure_modes": case.failure_modes,
        "repair": case.repair,
        "lang": case.lang,
    }
    return {name: _digest([case.id, name, value])[:_PART_DIGITS] for name, value in parts.items()}


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, ensure_ascii=True, separators=(",", ":")).encode()).hexdigest()


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=True, sort_keys=True)
