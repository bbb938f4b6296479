"""Which files of a folder are cases.

Hidden files and README files are skipped. A link is followed only if it stays inside the suite's folder, since a suite
from elsewhere must not make a file of this machine part of a prompt.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from heapq import heappop, heappush
from pathlib import Path

from iamhumans.cases.findings import Finding
from iamhumans.cases.manifest import MANIFEST_NAME
from iamhumans.errors import InputError, Place
from iamhumans.text import is_inside

CASES_FOLDER = "cases"
MOST_ENTRIES = 100_000
"""How many files and folders are looked at before the folder is refused."""
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
    if is_inside(start, suite_folder):
        walk.run()
    else:
        walk.error(start, "outside-suite", *OUTSIDE)
    found = walk.found
    found.files.sort(key=_by_path)
    found.nested.sort(key=_by_path)
    found.findings.sort(key=lambda finding: _by_path(finding.path))
    return found


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

    def run(self) -> None:
        self._walk(self.start)
        while self.links:
            self._follow(heappop(self.links)[1])

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
                self.error(folder, "unreadable", problem, "Check its permissions.")

    def _is_folder(self, entry: os.DirEntry[str], folder: Path, real_folder: Path) -> bool:
        """Take a file, remember a link, or say that this is a folder."""
        self.entries += 1
        if self.entries > MOST_ENTRIES:
            problem = f"The folder has more than {MOST_ENTRIES:,} files and folders, so it was not searched."
            raise InputError(problem, fix="Name the folder of the suite.", place=Place(self.start))
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
        if real in self.seen:
            return
        self.seen.add(real)
        if regular:
            self.found.files.append(path)
        else:
            self.error(path, "unreadable", "This is not a regular file.", "Replace it with a text file.")

    def _follow(self, link: Path) -> None:
        try:
            is_folder = link.is_dir()
        except OSError:  # its target may not be looked at
            is_folder = False
        if not is_folder and not is_case_file_name(link.name):
            return
        if not is_inside(link, self.suite_folder):
            self.error(link, "outside-suite", *OUTSIDE)
        elif is_folder:
            self._walk(link)
        elif link.exists():
            self._take(link, Path(os.path.realpath(link)), regular=link.is_file())
        else:
            self.error(link, "broken-link", "This link is broken.", "Delete it, or replace it with the file.")

    def error(self, path: Path, code: str, problem: str, fix: str) -> None:
        self.found.findings.append(Finding(path, 1, code, problem, fix, error=True))
