"""The files of a suite: which folder a path belongs to, which files are cases, and what they say together.

Hidden files and README files are skipped. A link is followed only if it stays inside the suite's folder, since a suite
from elsewhere must not make a file of this machine part of a prompt.
"""

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from heapq import heappop, heappush
from importlib.resources import files as package_files
from pathlib import Path

from iamhumans.cases.case_file import CaseReading, read_case_file
from iamhumans.cases.findings import Finding, Findings
from iamhumans.cases.front_matter import flow_list
from iamhumans.cases.manifest import MANIFEST_NAME, Manifest, default_manifest, read_manifest
from iamhumans.errors import CommandError, InputError, Place
from iamhumans.rubrics import BUNDLED as BUNDLED_RUBRICS
from iamhumans.rubrics import bundled_hard_fail_ids
from iamhumans.text import did_you_mean, is_inside

BUNDLED_SUITES = ("core",)
CASES_FOLDER = "cases"
MOST_ENTRIES = 100_000  # how many files and folders are looked at before the folder is refused
OUTSIDE = ("This link leads out of the suite's folder and is not read.", "Replace it with a copy of its target.")
_DIGITS = re.compile("([0-9]+)")
_NaturalKey = tuple[tuple[tuple[int, int, str], ...], str]


@dataclass(slots=True)
class CaseFiles:
    """Case files in natural order, folders that are suites themselves, and errors."""

    files: list[Path] = field(default_factory=list)
    nested: list[Path] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)


def natural_key(text: str) -> _NaturalKey:
    """A sort key that puts ``TC-9`` before ``TC-10``; the same on every machine."""
    parts = ((0, int(part), "") if part.isdecimal() else (1, 0, part) for part in _DIGITS.split(text) if part)
    return tuple(parts), text


def is_case_file_name(name: str) -> bool:
    """Whether a file of this name is read as a case."""
    lowered = name.lower()
    return lowered.endswith(".md") and not lowered.startswith(".") and lowered != "readme.md"


def find_case_files(start: Path, suite_folder: Path) -> CaseFiles:
    """All case files below ``start``; no link may lead out of ``suite_folder``."""
    walk = _Walk(start, suite_folder)
    walk.follow(start)
    while walk.links:
        walk.follow(heappop(walk.links)[1])
    files, nested = (sorted(paths, key=_by_path) for paths in (walk.found.files, walk.found.nested))
    return CaseFiles(files, nested, sorted(walk.found.findings, key=lambda finding: _by_path(finding.path)))


def _by_path(path: Path) -> _NaturalKey:
    return natural_key(path.as_posix())


class _Walk:
    """Takes real files and folders first and links after them, so that a link never replaces the real file."""

    def __init__(self, start: Path, suite_folder: Path) -> None:
        self.start, self.suite_folder = start, suite_folder
        self.found = CaseFiles()
        # A link to a folder around the start would lead in a circle.
        self.seen = {*Path(os.path.realpath(start)).parents}
        self.links: list[tuple[_NaturalKey, Path]] = []
        self.entries = 0

    def _walk(self, top: Path) -> None:
        waiting = [top]
        while waiting:
            folder = waiting.pop()
            real = Path(os.path.realpath(folder))
            if real in self.seen:
                continue
            self.seen.add(real)
            if folder != self.start and (folder / MANIFEST_NAME).is_file():
                self.found.nested.append(folder)
                continue
            try:
                with os.scandir(folder) as entries:
                    waiting += [folder / entry.name for entry in entries if self._is_folder(entry, folder, real)]
            except OSError as error:
                problem = f"The folder cannot be read: {error.strerror}."
                self._error(folder, "unreadable", problem, "Check its permissions.")

    def _is_folder(self, entry: os.DirEntry[str], folder: Path, real_folder: Path) -> bool:
        self.entries += 1
        if self.entries > MOST_ENTRIES:
            problem = f"The folder has more than {MOST_ENTRIES:,} files and folders, so it was not searched."
            raise InputError(problem, fix="Name the folder of the suite.", where=Place(self.start))
        path = folder / entry.name
        if entry.name.startswith("."):
            return False
        if entry.is_symlink():
            heappush(self.links, (_by_path(path), path))
        elif entry.is_dir():
            return True
        elif is_case_file_name(entry.name):
            self._take(path, real_folder / entry.name, regular=entry.is_file())
        return False

    def _take(self, path: Path, real: Path, *, regular: bool) -> None:
        if real not in self.seen and regular:
            self.found.files.append(path)
        elif real not in self.seen:
            self._error(path, "unreadable", "This is not a regular file.", "Replace it with a text file.")
        self.seen.add(real)

    def follow(self, link: Path) -> None:
        try:
            is_folder = link.is_dir()
        except OSError:  # its target may not be looked at
            is_folder = False
        if not is_folder and not is_case_file_name(link.name):
            return
        if not is_inside(link, self.suite_folder):
            self._error(link, "outside-suite", *OUTSIDE)
        elif is_folder:
            self._walk(link)
        elif link.exists():
            self._take(link, Path(os.path.realpath(link)), regular=link.is_file())
        else:
            self._error(link, "broken-link", "This link is broken.", "Delete it, or replace it with the file.")

    def _error(self, path: Path, code: str, problem: str, fix: str) -> None:
        self.found.findings.append(Finding(path, 1, code, problem, fix, error=True))


@dataclass(frozen=True, slots=True)
class Home:
    """The folder of the suite that a path belongs to."""

    folder: Path
    has_manifest: bool

    def manifest(self) -> Manifest:
        """What the suite declares."""
        return read_manifest(self.folder) if self.has_manifest else default_manifest(self.folder)

    def is_whole(self, start: Path) -> bool:
        """Whether a path is the folder of a suite with a manifest, and not a part of it."""
        return self.has_manifest and self.folder == start


def bundled_suite_path(name: str = "core") -> Path:
    """The folder of a suite that ships with the package."""
    if name not in BUNDLED_SUITES:
        raise CommandError(f"There is no bundled suite `{name}`.", fix=f"Bundled: {', '.join(BUNDLED_SUITES)}.")
    return Path(str(package_files("iamhumans.cases").joinpath("data", name)))


def locate(path: str | Path) -> Path:
    """The file or folder of a path or a bundled name; for ``suite.yaml``, its folder."""
    start = Path(path)
    try:
        exists, is_folder = start.exists(), start.is_dir()
    except OSError:  # the name is too long, or the folder may not be looked into
        exists = is_folder = False
    if str(path) in BUNDLED_SUITES and not is_folder:
        return bundled_suite_path(str(path))
    if exists:
        return start.parent if start.name == MANIFEST_NAME and not is_folder else start
    fix = f"Check the path, or name a bundled suite: {', '.join(BUNDLED_SUITES)}."
    raise InputError("There is no such file or folder.", fix=fix, where=Place(start))


def find_home(start: Path) -> Home:
    """The suite of a path: itself, or the nearest folder with a manifest that has the path below ``cases/``."""
    manifest = start / MANIFEST_NAME
    if start.is_dir() and (manifest.exists() or manifest.is_symlink()):
        return Home(start, has_manifest=True)
    inner = Path(os.path.abspath(start))  # noqa: PTH100 - links must not be resolved: the path as named decides
    for folder in inner.parents:
        below = inner.relative_to(folder).parts
        in_cases = below[0] == CASES_FOLDER and (len(below) > 1 or start.is_dir())
        if in_cases and (folder / MANIFEST_NAME).is_file():
            return Home(folder, has_manifest=True)
    return Home(start if start.is_dir() else start.parent, has_manifest=False)


def files_below(start: Path, home: Home) -> CaseFiles:
    """The case files of a path: itself, or all below it; in a suite with a manifest, all below ``cases/``."""
    if not start.is_dir():
        if start.suffix.lower() != ".md":
            problem = "This is not a case file: cases are Markdown files that end in `.md`."
            raise InputError(problem, fix="Name a case file, or a folder of them.", where=Place(start))
        if home.has_manifest and not is_inside(start, home.folder):
            return CaseFiles(findings=[Finding(start, 1, "outside-suite", *OUTSIDE, error=True)])
        return CaseFiles(files=[start])
    misnamed = start / "suite.yml"
    if not home.has_manifest and misnamed.is_file():
        problem = f"The manifest of a suite must be named `{MANIFEST_NAME}`."
        raise InputError(problem, fix=f"Rename this file to `{MANIFEST_NAME}`.", where=Place(misnamed))
    top = start / CASES_FOLDER if home.is_whole(start) else start
    return find_case_files(top, home.folder) if top.is_dir() else CaseFiles()


def no_cases(start: Path, home: Home, found: CaseFiles) -> InputError:
    """The error for a path without case files: what was searched for, and what is there instead."""
    whole = home.is_whole(start)
    fix = "Write a first one with `iamhumans cases new ID --suite FOLDER`."
    if found.nested:
        fix = f"Name one of the suites in it: {', '.join(path.as_posix() for path in found.nested[:5])}."
    elif whole and any(is_case_file_name(path.name) for path in start.glob("*.[mM][dD]")):
        fix = f"Move the case files into `{CASES_FOLDER}/`, where a suite with a manifest has them."
    pattern = f"{CASES_FOLDER}/**/*.md" if whole else "**/*.md"
    return InputError(f"No cases found; looked for `{pattern}`.", fix=fix, where=Place(start))


def read_cases(paths: Iterable[Path], manifest: Manifest) -> list[CaseReading]:
    """Read the case files of one suite. If an id is used twice, the first file has the case, the later one an error."""
    readings: list[CaseReading] = []
    taken: dict[str, CaseReading] = {}
    for path in paths:
        reading = in_suite(read_case_file(path), manifest)
        readings.append(reading)
        first = taken.setdefault(reading.case.id, reading) if reading.case else reading
        if reading.case and first is not reading:
            place = f"{first.path}:{first.line_of('id')}"
            problem = f"The id `{reading.case.id}` is already used in {place}. This case was left out."
            fix = "Give one of the two another id."
            again = Finding(path, reading.line_of("id"), "duplicate-id", problem, fix, error=True)
            readings[-1] = replace(reading, case=None, findings=(*reading.findings, again))
    return readings


def in_suite(reading: CaseReading, manifest: Manifest) -> CaseReading:
    """The reading with a warning for each dimension and hard fail that the suite does not declare."""
    if reading.case is None:
        return reading
    findings = Findings(reading.path)
    for key, code in (("dimensions", "undeclared-dimension"), ("hard_fails", "undeclared-hard-fail")):
        declared: tuple[str, ...] = getattr(manifest, key)
        unknown = [item for item in getattr(reading.case, key) if item not in declared]
        for item in unknown:
            problem = f"The suite does not declare the {key.removesuffix('s').replace('_', ' ')} `{item[:60]}`."
            where = manifest.path or f"a `{MANIFEST_NAME}` beside a folder `{CASES_FOLDER}`"
            declaring = f"Write `dimensions: {flow_list((*declared, *unknown))}` in {where}"
            if key == "hard_fails" and item in manifest.asked:
                declaring = f"Add it to `hard_fails` in {where}"
            elif key == "hard_fails":
                rubrics = (name for name in BUNDLED_RUBRICS if item in bundled_hard_fail_ids(name))
                declaring = f"Name a rubric that has it (`rubric: {next(rubrics, 'my-rubric.yaml')}`) in {where}"
            fix = did_you_mean(item, declared, f"{declaring}, or delete it here.")
            findings.warning(reading.line_of(key, item), code, problem, fix)
    return replace(reading, findings=(*reading.findings, *findings.all))
