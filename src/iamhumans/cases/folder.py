"""Which files of a folder are cases.

Hidden files and README files are skipped. A link is followed only if it stays inside the suite's folder, since a suite
from elsewhere must not make a file of this machine part of a prompt.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from iamhumans.cases.findings import Code, Finding
from iamhumans.cases.manifest import MANIFEST_NAME
from iamhumans.errors import InputError, Place
from iamhumans.text import is_inside

CASES_FOLDER = "cases"
MOST_ENTRIES = 100_000
"""How many files and folders are looked at before the folder is refused."""

_DIGITS = re.compile("([0-9]+)")


@dataclass(slots=True)
class CaseFiles:
    """Case files in natural order, folders that are suites themselves, and errors."""

    files: list[Path] = field(default_factory=list)
    nested: list[Path] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)


def natural_key(text: str) -> tuple[tuple[tuple[int, int, str], ...], str]:
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
    walk.run()
    found = walk.found
    found.files.sort(key=_by_path)
    found.nested.sort(key=_by_path)
    found.findings.sort(key=lambda finding: _by_path(finding.path))
    return found


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))


def _by_path(path: Path) -> tuple[tuple[tuple[int, int, str], ...], str]:
    return natural_key(path.as_posix())


class _Walk:
    """Takes real files and folders first and links after them, so that a link never replaces the real file."""

    def __init__(self, start: Path, suite_folder: Path) -> None:
        self.start = start
        self.suite_folder = suite_folder
        self.found = CaseFiles()
        # A link to a folder around the start would lead in a circle.
        real_start = _real(start)
        self.seen = {real_start, *real_start.parents}
        self.links: list[Path] = []
        self.noted = self.entries = 0

    def run(self) -> None:
        if not is_inside(self.start, self.suite_folder):
            self._outside(self.start)
            return
        self._walk(self.start)
        while self.links:
            links = sorted(self.links, key=_by_path)
            self.links = []
            for link in links:
                # Only links need to know which files were taken, and most suites have none.
                self.seen.update(map(_real, self.found.files[self.noted :]))
                self.noted = len(self.found.files)
                self._follow(link)

    def _walk(self, top: Path) -> None:
        waiting = [top]
        while waiting:
            folder = waiting.pop()
            try:
                for entry in self._entries(folder):
                    path = folder / entry.name
                    if entry.is_symlink():
                        self.links.append(path)
                    elif entry.is_dir():
                        self._enter(path, waiting)
                    elif is_case_file_name(entry.name):
                        self._take(path, regular=entry.is_file())
            except OSError as error:
                self._error(
                    folder, Code.UNREADABLE, f"The folder cannot be read: {error.strerror}.", "Check its permissions."
                )

    def _entries(self, folder: Path) -> Iterator[os.DirEntry[str]]:
        with os.scandir(folder) as entries:
            for entry in entries:
                self.entries += 1
                if self.entries > MOST_ENTRIES:
                    problem = f"The folder has more than {MOST_ENTRIES:,} files and folders, so it was not searched."
                    raise InputError(problem, fix="Name the folder of the suite.", place=Place(self.start))
                if not entry.name.startswith("."):
                    yield entry

    def _enter(self, path: Path, waiting: list[Path]) -> None:
        real = _real(path)
        if real in self.seen:
            return
        self.seen.add(real)
        if (path / MANIFEST_NAME).is_file():
            self.found.nested.append(path)
        else:
            waiting.append(path)

    def _take(self, path: Path, *, regular: bool) -> None:
        if regular:
            self.found.files.append(path)
        else:
            self._error(path, Code.UNREADABLE, "This is not a regular file.", "Replace it with a text file.")

    def _follow(self, link: Path) -> None:
        try:
            folder = link.is_dir()
        except OSError:  # its target may not be looked at
            folder = False
        if not folder and not is_case_file_name(link.name):
            return
        if not is_inside(link, self.suite_folder):
            self._outside(link)
        elif folder:
            waiting: list[Path] = []
            self._enter(link, waiting)
            for path in waiting:
                self._walk(path)
        elif not link.exists():
            self._error(link, Code.BROKEN_LINK, "This link is broken.", "Delete it, or replace it with the file.")
        elif _real(link) not in self.seen:
            self._take(link, regular=link.is_file())

    def _outside(self, link: Path) -> None:
        self._error(link, Code.OUTSIDE_SUITE, *OUTSIDE)

    def _error(self, path: Path, code: Code, problem: str, fix: str) -> None:
        self.found.findings.append(Finding(path, 1, code.value, problem, fix, error=True))


OUTSIDE = ("This link leads out of the suite's folder and is not read.", "Replace it with a copy of its target.")
