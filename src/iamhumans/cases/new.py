"""A new case file: a starter that says what belongs where, and loads as it stands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from textwrap import wrap

from iamhumans.cases.files import CaseReading, read_case
from iamhumans.cases.folder import CASES_FOLDER
from iamhumans.cases.front import flow_list, id_problem, quoted
from iamhumans.cases.lint import PLACEHOLDER
from iamhumans.cases.manifest import Manifest
from iamhumans.cases.model import DIMENSIONS, Finding
from iamhumans.cases.suites import files_below, find_home, in_suite, read_cases
from iamhumans.errors import CommandError, Place
from iamhumans.text import one_line

_WIDTH = 100


@dataclass(frozen=True, slots=True)
class NewCase:
    """A file that was written, and what its author should know at once."""

    path: Path
    findings: tuple[Finding, ...] = ()


def write_new_case(
    case_id: str,
    folder: Path,
    *,
    title: str = "",
    dimensions: Sequence[str] = (),
    conversation: bool = False,
) -> NewCase:
    """Write a starter into a suite: into ``cases/`` where it has a manifest, else into the folder itself.

    Raises:
        CommandError: The id cannot be one, is taken, or its file exists; or the folder is missing or not writable.
        InputError: The ``suite.yaml`` of the suite cannot be used.
    """
    _checked_id(case_id)
    if not folder.is_dir():
        fix = "Make the folder first, or name another with `--suite`."
        raise CommandError("There is no such folder.", fix=fix, place=Place(folder))
    home = find_home(folder)
    manifest = home.manifest()
    target = folder / CASES_FOLDER if home.has_manifest and home.folder == folder else folder
    path = target / f"{case_id}.md"
    text = new_case_text(
        case_id,
        title=title,
        dimensions=dimensions,
        conversation=conversation,
        known_dimensions=manifest.dimensions,
        known_hard_fails=manifest.hard_fails,
    )
    if not target.resolve().is_relative_to(home.folder.resolve()):
        fix = "Put a real folder in its place."
        raise CommandError("This folder is a link that leads out of the suite.", fix=fix, place=Place(target))
    _refuse_taken_id(case_id, read_cases(files_below(home.folder, home).files, manifest))
    findings = _findings(text, path, manifest)
    _write(path, text)
    return NewCase(path, findings)


def _refuse_taken_id(case_id: str, readings: Sequence[CaseReading]) -> None:
    for reading in readings:
        if reading.case is not None and reading.case.id == case_id:
            place = Place(reading.path, reading.line_of("id"))
            raise CommandError(f"The suite has a case `{case_id}` already.", fix="Choose another id.", place=place)


def _findings(text: str, path: Path, manifest: Manifest) -> tuple[Finding, ...]:
    """What is odd about the starter, its placeholders aside."""
    reading = in_suite(read_case(text, path), manifest)
    errors = [finding for finding in reading.findings if finding.error]
    if errors:
        fix = "Leave out special characters in what you gave for it."
        raise CommandError(f"This would be no case that can be read: {errors[0].problem}", fix=fix)
    return reading.findings


def _write(path: Path, text: str) -> None:
    try:
        path.parent.mkdir(exist_ok=True)
        with path.open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except FileExistsError:
        fix = "Choose another id; no file is written over."
        raise CommandError("This file exists already.", fix=fix, place=Place(path)) from None
    except OSError as error:
        fix = "Check the folder's permissions and the length of the id."
        raise CommandError(f"The file cannot be written: {error.strerror}.", fix=fix, place=Place(path)) from None


def _checked_id(case_id: str) -> None:
    problem = id_problem(case_id)
    if problem:
        raise CommandError(problem, fix="Choose letters, digits and hyphens, such as GRF-001.")


def new_case_text(
    case_id: str,
    *,
    title: str = "",
    dimensions: Sequence[str] = (),
    conversation: bool = False,
    known_dimensions: Sequence[str] = DIMENSIONS,
    known_hard_fails: Sequence[str] = (),
) -> str:
    """A starter with placeholders where the author's texts belong.

    Args:
        case_id: The id, which is also the name of the file.
        title: What the case is about.
        dimensions: What the case tests.
        conversation: With earlier turns, and not with one message of the user.
        known_dimensions: What the suite declares, for the comment.
        known_hard_fails: What the suite declares, for the comment.

    Raises:
        CommandError: The id cannot be one.
    """
    _checked_id(case_id)
    heading = one_line(title) or f"{PLACEHOLDER} what the case is about, in a few words"
    front = [
        "---",
        f"id: {quoted(case_id)}",
        f"title: {quoted(heading)}",
        *_comment("What the case tests", known_dimensions),
        f"dimensions: {flow_list(one_line(dimension) for dimension in dimensions)}",
        *_comment("What would spoil an answer to this case above all", known_hard_fails),
        "hard_fails: []",
        "# true: kept back from everyday runs, so that nobody tunes a skill to it.",
        "holdout: false",
        "# true: something is to be put right in this case, such as a mistake or a misunderstanding.",
        "repair: false",
        "lang: en",
        "---",
        "",
    ]
    return "\n".join(front) + (_CONVERSATION if conversation else _INPUT) + _REST


def _comment(text: str, known: Sequence[str]) -> list[str]:
    names = ", ".join(one_line(name) for name in known)
    return [f"# {line}" for line in wrap(f"{text}: some of {names}." if names else f"{text}.", _WIDTH)]


_INPUT = f"""
<!-- What the user writes, word for word. All of it reaches the model, so there are no comments inside. -->

## input

{PLACEHOLDER} what the user writes.
"""

_CONVERSATION = f"""
## conversation

<!-- The turns in their order, word for word; the last one is the user's, and the reply to it is judged.
An assistant's turn with nothing below it is answered live by the model under test. -->

### user

{PLACEHOLDER} what the user writes first.

### assistant

{PLACEHOLDER} what was answered.

### user

{PLACEHOLDER} what the user writes then.
"""

_REST = f"""
## rubric

<!-- What a good answer does: one bullet a criterion, each something on which two readers would agree. -->

- {PLACEHOLDER} what a good answer does

## failure_modes

<!-- How answers to this case go wrong: one bullet a way. -->

- {PLACEHOLDER} how answers go wrong

## notes

<!-- For whoever edits this case. Neither judge nor subject sees it. -->
"""
