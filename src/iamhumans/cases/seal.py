"""The seal of a suite: a hash of each held-out case and of the rubric, in ``seal.json``.

It covers everything that a judge or a subject is shown and everything that changes a score, but not notes, layout,
and the names and places of files.
"""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from iamhumans.cases.case_file import read_case_file
from iamhumans.cases.findings import Finding
from iamhumans.cases.holdout import refuse_bundled, require_reason
from iamhumans.cases.ledger import LEDGER_NAME, append, read_ledger, refuse_link, without_path
from iamhumans.cases.manifest import MANIFEST_NAME
from iamhumans.cases.suite import Suite, load_suite
from iamhumans.cases.suite_files import natural_key
from iamhumans.errors import CannotRunError, CommandError, InputError, Place
from iamhumans.text import one_line, read_text

SEAL_NAME = "seal.json"
_LARGEST = 20_000_000
_HASH = re.compile(r"[0-9a-f]{64}")
_HOW_TO_HOLD_OUT = "Write `holdout: true` into the front matter of the cases to hold out, then seal the suite."


@dataclass(frozen=True, slots=True)
class Seal:
    """What was sealed: the rubric, and the hash of each held-out case by its id."""

    rubric: str
    rubric_hash: str
    cases: Mapping[str, str]

    @property
    def hash(self) -> str:
        """SHA-256 of everything that the seal covers."""
        content = [1, self.rubric, self.rubric_hash, sorted(map(list, self.cases.items()))]
        return hashlib.sha256(json.dumps(content, ensure_ascii=True, separators=(",", ":")).encode()).hexdigest()

    def text(self) -> str:
        """The file, with one line for each case."""
        rubric = {"name": self.rubric, "hash": self.rubric_hash}
        return json.dumps({"format": 2, "rubric": rubric, "cases": self.cases}, indent=1) + "\n"


@dataclass(frozen=True, slots=True)
class Sealing:
    """What sealing did: ``written`` is false if nothing had changed."""

    path: Path
    seal: Seal
    written: bool


def seal_suite(suite: Suite, reason: str = "", *, shipped: bool = False) -> Sealing:
    """Seal a whole suite, see :meth:`Suite.seal`; ``shipped`` allows a bundled one, for ``make seal``."""
    if not shipped:
        refuse_bundled(suite.path)
    _require_whole(suite)
    path, seal = suite.path / SEAL_NAME, seal_of(suite)
    refuse_link(path)
    known = read_ledger(suite.path).sealed
    written = known is None or known["seal"] != seal.hash
    if written:
        first = known is None and not path.exists()
        if first and not seal.cases:
            problem = f"The suite `{one_line(suite.name, 60)}` has no held-out case to seal."
            raise CommandError(problem, fix=_HOW_TO_HOLD_OUT)
        if not first and not reason.strip():
            fix = f"`iamhumans cases seal {suite.path} --check` shows the changes. To accept them: {_again(suite)}."
            raise CommandError("The suite was sealed before, and has changed since.", fix=fix)
        # The ledger first: if the seal then cannot be written, the same command writes it.
        entry = {
            "event": "sealed",
            "reason": require_reason(reason) if reason.strip() else "sealed for the first time",
            "seal": seal.hash,
            "rubric": {"name": without_path(seal.rubric), "hash": seal.rubric_hash},
            "cases": list(seal.cases),
        }
        append(suite.path, entry)
    try:
        path.write_text(seal.text(), encoding="utf-8", newline="\n")  # it may have been lost or damaged
    except OSError as error:
        fix = "Check the permissions of the suite's folder, and seal again."
        raise CannotRunError(f"The seal cannot be written: {error.strerror}.", fix=fix, where=Place(path)) from None
    return Sealing(path, seal, written)


def check_seal(suite: Suite) -> tuple[Finding, ...]:
    """What is wrong with the seal of a suite. A suite that holds no case out and was never sealed needs none."""
    path = suite.path / SEAL_NAME
    try:
        seal, known = read_seal(suite.path), read_ledger(suite.path).sealed
        if seal is None:
            if known is None and not suite.only_held_out().cases:
                return ()
            problem = "The held-out cases are not sealed, so a change to them would not show."
            return (_error(path, 1, "not-sealed", problem, f"Seal them: `iamhumans cases seal {suite.path}`."),)
        found = tuple(_differences(suite, seal))
    except InputError as error:
        return (Finding.of_error(error, suite.path, "unreadable-seal" if error.where.path == path else "unreadable"),)
    if known is not None and known["seal"] == seal.hash:
        return found
    problem = f"This seal does not match the last one in {LEDGER_NAME}: one of the two files was edited."
    fix = f"Restore both from version control, or seal again: {_again(suite)}."
    return (*found, _error(path, 1, "seal-not-in-ledger", problem, fix))


def check_use(suite: Suite, reason: str) -> None:
    """Check that a run may use the held-out cases of a whole suite as they were sealed, and record nothing."""
    require_reason(reason)
    refuse_bundled(suite.path)
    _require_whole(suite)
    if not suite.only_held_out().cases:
        raise CommandError(f"The suite `{one_line(suite.name, 60)}` has no held-out cases.", fix=_HOW_TO_HOLD_OUT)
    problems = check_seal(suite)
    if problems:
        first = problems[0]
        more = f" ({len(problems) - 1} more: `iamhumans cases seal {suite.path} --check`.)" if problems[1:] else ""
        raise InputError(first.problem + more, fix=first.fix, where=Place(first.path, first.line))


def seal_of(suite: Suite) -> Seal:
    """The seal of the suite as it is now."""
    if suite.errors:
        problem = "This file cannot be read, and it may be a held-out case."
        fix = f"To see what is wrong: `iamhumans cases lint {suite.path}`."
        raise InputError(problem, fix=fix, where=Place(suite.errors[0].path, suite.errors[0].line))
    from iamhumans.rubrics import load_rubric

    cases = sorted(suite.only_held_out().cases, key=lambda case: natural_key(case.id))
    rubric = load_rubric(suite.rubric, relative_to=suite.path)
    return Seal(suite.rubric, rubric.hash, {case.id: case.hash for case in cases})


def read_seal(folder: Path) -> Seal | None:
    """The seal of a suite, if it has one."""
    path = folder / SEAL_NAME
    refuse_link(path)
    if not path.exists():
        return None
    text, line = read_text(path, limit=_LARGEST), 1
    try:
        value = json.loads(text)
        seal = Seal(value["rubric"]["name"], value["rubric"]["hash"], dict(value["cases"].items()))
        hashes = (seal.rubric_hash, *seal.cases.values())
        if value["format"] == 2 and isinstance(seal.rubric, str) and all(map(_HASH.fullmatch, hashes)):
            return seal
    except json.JSONDecodeError as error:
        line = error.lineno
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
        pass
    fix = f"Restore it from version control, or seal again: `iamhumans cases seal {folder} --reason TEXT`."
    raise InputError("This file is not a seal that this version can read.", fix=fix, where=Place(path, line))


def _differences(suite: Suite, seal: Seal) -> Iterator[Finding]:
    current, fix = seal_of(suite), f"Undo that change, or seal again: {_again(suite)}."
    if (seal.rubric, seal.rubric_hash) != (current.rubric, current.rubric_hash):
        manifest = suite.path / MANIFEST_NAME
        path = manifest if manifest.is_file() else suite.path / SEAL_NAME
        problem = f"The rubric `{one_line(current.rubric, 60)}` is not the one that the suite was sealed with."
        yield _error(path, _line_with("rubric", path), "changed-rubric", problem, fix)
    for case_id in sorted({*current.cases, *seal.cases}, key=natural_key):
        if current.cases.get(case_id) == seal.cases.get(case_id):
            continue
        case, path = suite.by_id.get(case_id), suite.path / SEAL_NAME
        key, code, what = "id", "changed-held-out-case", "has changed since it was sealed"
        if case is None or case.path is None:
            code, what = "removed-held-out-case", "is in the seal, but not in the suite"
        elif case_id not in seal.cases:
            key, code, what = "holdout", "added-held-out-case", "is not in the seal"
        elif not case.holdout:
            key, code, what = "holdout", "removed-held-out-case", "lost its `holdout: true` after it was sealed"
        if case is None or case.path is None:
            line = _line_with(json.dumps(case_id), path)
        else:
            path, line = case.path, read_case_file(case.path).line_of(key)
        yield _error(path, line, code, f"The held-out case `{one_line(case_id, 100)}` {what}.", fix)


def _error(path: Path, line: int, code: str, problem: str, fix: str) -> Finding:
    return Finding(path, line, code, problem, fix, error=True)


def _line_with(word: str, path: Path) -> int:
    lines = read_text(path, limit=_LARGEST).splitlines()
    return next((number for number, line in enumerate(lines, start=1) if word in line), 1)


def _again(suite: Suite) -> str:
    return f"`iamhumans cases seal {suite.path} --reason TEXT`"


def _require_whole(suite: Suite) -> None:
    # If some of them could be picked, the suitable ones would be.
    if {case.id for case in load_suite(suite.path).cases} != set(suite.by_id):
        problem = "This is only part of a suite. Its held-out cases are sealed and used together."
        raise CommandError(problem, fix=f"Name the folder of the whole suite: {suite.path}.")
