"""Suites: a folder of case files with or without a manifest, a single file, or a suite that ships with the package."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from importlib.resources import files as package_files
from pathlib import Path

from iamhumans.cases.files import CaseReading, read_case_file
from iamhumans.cases.findings import Code, Findings
from iamhumans.cases.folder import CASES_FOLDER, CaseFiles, find_case_files, is_case_file_name, natural_key
from iamhumans.cases.front import flow_list
from iamhumans.cases.manifest import MANIFEST_NAME, Manifest, default_manifest, read_manifest
from iamhumans.cases.model import Finding, Suite
from iamhumans.errors import CommandError, InputError, Place
from iamhumans.rubrics import BUNDLED as BUNDLED_RUBRICS
from iamhumans.rubrics import bundled_hard_fail_ids
from iamhumans.text import read_text

BUNDLED_SUITES = ("core",)


@dataclass(frozen=True, slots=True)
class Home:
    """The folder whose suite a path belongs to, and whether it has a manifest."""

    folder: Path
    has_manifest: bool

    def manifest(self) -> Manifest:
        """What the suite declares.

        Raises:
            InputError: Its ``suite.yaml`` cannot be used.
        """
        return read_manifest(self.folder) if self.has_manifest else self.defaults()

    def defaults(self) -> Manifest:
        """What it declares without a manifest, or with one that cannot be read."""
        return default_manifest(self.folder.resolve().name)


def load_suite(path: str | Path) -> Suite:
    """All cases of a suite, held-out ones too, by id; files that are no cases are errors in ``findings``.

    Args:
        path: A folder with ``suite.yaml`` and ``cases/``, a bare folder of case files, one case file, or the name of a
            bundled suite where there is no such folder.

    Raises:
        InputError: There is nothing there, no case file is found, or ``suite.yaml`` cannot be used.
    """
    start = locate(path)
    home = find_home(start)
    manifest = home.manifest()
    found = files_below(start, home)
    if not found.files and not found.findings:
        raise no_cases(start, home, found)
    return _suite(start, home, manifest, found)


def _suite(start: Path, home: Home, manifest: Manifest, found: CaseFiles) -> Suite:
    """The suite that some case files make."""
    readings = read_cases(found.files, manifest)
    cases = [reading.case for reading in readings if reading.case is not None]
    findings = [*manifest.findings, *found.findings, *nested_findings(found)]
    return Suite(
        name=manifest.name if start.is_dir() or home.has_manifest else start.stem,
        path=home.folder,
        cases=tuple(sorted(cases, key=lambda case: natural_key(case.id))),
        version=manifest.version,
        rubric=manifest.rubric,
        dimensions=manifest.dimensions,
        hard_fails=manifest.hard_fails,
        languages=manifest.languages,
        license=manifest.license,
        findings=(*findings, *(finding for reading in readings for finding in reading.findings)),
    )


def bundled_suite(name: str = "core") -> Suite:
    """A suite that ships with the package.

    Raises:
        CommandError: No suite of this name ships.
    """
    return load_suite(bundled_suite_path(name))


def bundled_slice(name: str = "core") -> Suite:
    """The cases of a suite that ships to which sample replies ship too. No other file is read.

    Raises:
        CommandError: No suite of this name ships.
    """
    start = bundled_suite_path(name)
    home = find_home(start)
    replies = read_text(start.with_name(f"{name}-replies.jsonl"))
    answered = {json.loads(line)["case_id"] for line in replies.split("\n") if line}
    # Each file of a suite that ships is named by the id of its case.
    files = [path for path in files_below(start, home).files if path.stem in answered]
    return _suite(start, home, home.manifest(), CaseFiles(files=files))


def bundled_suite_path(name: str = "core") -> Path:
    """The folder of a suite that ships with the package.

    Raises:
        CommandError: No suite of this name ships.
    """
    if name not in BUNDLED_SUITES:
        raise CommandError(f"There is no bundled suite `{name}`.", fix=f"Bundled: {', '.join(BUNDLED_SUITES)}.")
    return Path(str(package_files("iamhumans.cases").joinpath("data", name)))


def locate(path: str | Path) -> Path:
    """The folder or the file that a path or a bundled name means; the folder where ``suite.yaml`` itself is named.

    Raises:
        InputError: There is nothing there.
    """
    start = Path(path)
    try:
        exists, is_folder = start.exists(), start.is_dir()
    except OSError:  # a name that is too long, or a folder that may not be looked into
        exists = is_folder = False
    if str(path) in BUNDLED_SUITES and not is_folder:
        return bundled_suite_path(str(path))
    if exists:
        return start.parent if start.name == MANIFEST_NAME and not is_folder else start
    fix = f"Check the path, or name a bundled suite: {', '.join(BUNDLED_SUITES)}."
    raise InputError("There is no such file or folder.", fix=fix, place=Place(start))


def find_home(start: Path) -> Home:
    """The suite that a path belongs to: the nearest folder with a manifest that has it below ``cases/``, or itself."""
    manifest = start / MANIFEST_NAME
    if start.is_dir() and (manifest.exists() or manifest.is_symlink()):
        return Home(start, has_manifest=True)
    inner = Path(os.path.abspath(start))  # noqa: PTH100 - links are not to be resolved here: the path as named decides
    for folder in inner.parents:
        below = inner.relative_to(folder).parts
        in_cases = below[0] == CASES_FOLDER and (len(below) > 1 or start.is_dir())
        if in_cases and (folder / MANIFEST_NAME).is_file():
            return Home(folder, has_manifest=True)
    return Home(start if start.is_dir() else start.parent, has_manifest=False)


def files_below(start: Path, home: Home) -> CaseFiles:
    """The case files that a path means: itself, or all below it; below ``cases/`` where it is a suite with a manifest.

    Raises:
        InputError: It is a file that is no Markdown, or its manifest has a name by which it is not found.
    """
    if not start.is_dir():
        if start.suffix.lower() != ".md":
            problem = "This is no case file: cases are Markdown and end in `.md`."
            raise InputError(problem, fix="Name a case file, or a folder of them.", place=Place(start))
        return CaseFiles(files=[start])
    misnamed = start / "suite.yml"
    if not home.has_manifest and misnamed.is_file():
        problem = f"The manifest of a suite is named `{MANIFEST_NAME}`."
        raise InputError(problem, fix=f"Rename this file to `{MANIFEST_NAME}`.", place=Place(misnamed))
    top = start / CASES_FOLDER if home.has_manifest and home.folder == start else start
    return find_case_files(top, home.folder) if top.is_dir() else CaseFiles()


def no_cases(start: Path, home: Home, found: CaseFiles) -> InputError:
    """The error for a place without case files: says what was looked for, and what there is instead."""
    if found.nested:
        names = ", ".join(path.as_posix() for path in found.nested[:5])
        fix = f"Name one of the suites in it: {names}."
        return InputError("This folder holds suites, but no cases of its own.", fix=fix, place=Place(start))
    whole = home.has_manifest and home.folder == start
    pattern = f"{CASES_FOLDER}/**/*.md" if whole else "**/*.md"
    stray = whole and any(is_case_file_name(path.name) for path in start.glob("*.md"))
    fix = (
        f"Move the case files into `{CASES_FOLDER}/`, which a suite with a manifest has."
        if stray
        else "Write a first one with `iamhumans cases new ID --suite FOLDER`."
    )
    return InputError(f"No cases found; looked for `{pattern}`.", fix=fix, place=Place(start))


def nested_findings(found: CaseFiles) -> list[Finding]:
    """A warning for each folder that was left out since it is a suite of its own."""
    all_findings: list[Finding] = []
    for path in found.nested:
        findings = Findings(path / MANIFEST_NAME)
        problem = "This folder is a suite of its own; its cases were left out."
        findings.warning(1, Code.NESTED_SUITE, problem, "Name it by itself, or delete its manifest.")
        all_findings += findings.all
    return all_findings


def read_cases(paths: Iterable[Path], manifest: Manifest) -> list[CaseReading]:
    """Read case files of one suite: with what each gives, what only their being together shows.

    That is: dimensions and hard fails that the suite does not declare, and an id that was used before; the first file
    keeps it, in the later one it is an error.
    """
    readings: list[CaseReading] = []
    taken: dict[str, CaseReading] = {}
    for path in paths:
        reading = in_suite(read_case_file(path), manifest)
        if reading.case is not None:
            first = taken.setdefault(reading.case.id, reading)
            if first is not reading:
                reading = _left_out(reading, reading.case.id, first)
        readings.append(reading)
    return readings


def in_suite(reading: CaseReading, manifest: Manifest) -> CaseReading:
    """The reading with a warning for each dimension and hard fail that the suite does not declare."""
    case = reading.case
    if case is None:
        return reading
    findings = Findings(reading.path)
    for key, used, declared, code in (
        ("dimensions", case.dimensions, manifest.dimensions, Code.UNDECLARED_DIMENSION),
        ("hard_fails", case.hard_fails, manifest.hard_fails, Code.UNDECLARED_HARD_FAIL),
    ):
        unknown = [item for item in used if item not in declared]
        for item in unknown:
            fix = _declaring(key, item, (*declared, *unknown), manifest)
            problem = f"The suite declares no {key.removesuffix('s').replace('_', ' ')} `{item[:60]}`."
            findings.warning(reading.line_of(key, item), code, problem, fix)
    return replace(reading, findings=(*reading.findings, *findings.all)) if findings.all else reading


def _left_out(reading: CaseReading, case_id: str, first: CaseReading) -> CaseReading:
    findings = Findings(reading.path)
    place = f"{first.path}:{first.line_of('id')}"
    problem = f"The id `{case_id}` is used before, in {place}; this case was left out."
    findings.error(reading.line_of("id"), Code.DUPLICATE_ID, problem, "Give one of the two another id.")
    return replace(reading, case=None, findings=(*reading.findings, *findings.all))


def _declaring(key: str, item: str, wanted: Sequence[str], manifest: Manifest) -> str:
    """What to type so that an item is declared; ``wanted`` is what would then be."""
    declared = manifest.dimensions if key == "dimensions" else manifest.hard_fails
    near = get_close_matches(item, declared, n=1, cutoff=0.7)
    if near:
        return f"Did you mean `{near[0]}`?"
    where = f"in {manifest.path}" if manifest.path else f"in a `{MANIFEST_NAME}` beside a folder `{CASES_FOLDER}`"
    if key == "dimensions":
        return f"Write `dimensions: {flow_list(wanted)}` {where}, or delete it here."
    if item in manifest.asked:
        return f"Add it to `hard_fails` {where}, or delete it here."
    for rubric in BUNDLED_RUBRICS:
        if item in bundled_hard_fail_ids(rubric):
            return f"Write `rubric: {rubric}` {where}: that rubric asks for it."
    return f"Name a rubric that asks for it (`rubric: my-rubric.yaml`) {where}, or delete it here."
