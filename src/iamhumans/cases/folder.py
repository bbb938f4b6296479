"""Which files of a folder are cases.

Hidden files and README files are passed over. A link is followed only where it stays inside the suite's folder: a
suite may come from anybody, and must not make a file of this machine part of a prompt.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from pathlib import Path

from iamhumans.cases.findings import Code, Findings
from iamhumans.cases.manifest import MANIFEST_NAME
from iamhumans.cases.model import Finding

CASES_FOLDER = "cases"

_DIGITS = re.compile("([0-9]+)")


@dataclass(slots=True)
class CaseFiles:
    """Case files in natural order, folders that are suites of their own, and what was left out."""

    files: list[Path] = field(default_factory=list)
    nested: list[Path] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)


def natural_key(text: str) -> tuple[tuple[tuple[int, int, str], ...], str]:
    """A sort key by which ``TC-9`` comes before ``TC-10``; the same on every machine."""
    parts = ((0, int(part), "") if part.isdecimal() else (1, 0, part) for part in _DIGITS.split(text) if part)
    return tuple(parts), text


def is_case_file_name(name: str) -> bool:
    """Whether a file of this name is read as a case."""
    lowered = name.lower()
    return lowered.endswith(".md") and not lowered.startswith(".") and lowered != "readme.md"


def find_case_files(start: Path, suite_folder: Path) -> CaseFiles:
    """All case files below ``start``.

    Args:
        start: Where to look; the paths that are returned begin with it.
        suite_folder: The folder out of which no link may lead.
    """
    walk = _Walk(start, Path(os.path.realpath(suite_folder)))
    walk.run()
    found = walk.found
    found.files.sort(key=lambda path: natural_key(path.as_posix()))
    found.nested.sort(key=lambda path: natural_key(path.as_posix()))
    found.findings.sort(key=lambda finding: natural_key(finding.path.as_posix()))
    return found


def _leads_to_folder(link: Path) -> bool:
    try:
        return link.is_dir()
    except OSError:  # what it leads to may not be looked at
        return False


class _Walk:
    """Real files and folders first, then what links add to them; so a link never takes the place of the real thing."""

    def __init__(self, start: Path, boundary: Path) -> None:
        self.start = start
        self.boundary = boundary
        self.found = CaseFiles()
        real_start = Path(os.path.realpath(start))
        # A link to a folder around the start would lead in a circle.
        self.seen = {real_start, *real_start.parents}
        self.links: list[Path] = []
        self.noted = 0

    def run(self) -> None:
        if self.start.is_symlink() and not self._inside(self.start):
            self._outside(self.start)
            return
        self._walk(self.start)
        while self.links:
            links = sorted(self.links, key=lambda path: natural_key(path.as_posix()))
            self.links = []
            for link in links:
                self._note_files()
                self._follow(link)

    def _note_files(self) -> None:
        """Where the files are that were taken since: only links ask for it, and most suites have none."""
        self.seen.update(Path(os.path.realpath(path)) for path in self.found.files[self.noted :])
        self.noted = len(self.found.files)

    def _walk(self, top: Path) -> None:
        waiting = [top]
        while waiting:
            folder = waiting.pop()
            for entry in self._entries(folder):
                path = folder / entry.name
                if entry.name.startswith("."):
                    continue
                if entry.is_symlink():
                    self.links.append(path)
                elif entry.is_dir():
                    self._enter(path, waiting)
                elif is_case_file_name(entry.name):
                    self._take(path, regular=entry.is_file())

    def _entries(self, folder: Path) -> list[os.DirEntry[str]]:
        try:
            with os.scandir(folder) as entries:
                return list(entries)
        except OSError as error:
            self._error(
                folder, Code.UNREADABLE, f"The folder cannot be read: {error.strerror}.", "Check its permissions."
            )
            return []

    def _enter(self, path: Path, waiting: list[Path]) -> None:
        real = Path(os.path.realpath(path))
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
            self._error(path, Code.UNREADABLE, "This is no regular file.", "Put a text file in its place.")

    def _follow(self, link: Path) -> None:
        folder = _leads_to_folder(link)
        if not folder and not is_case_file_name(link.name):
            return
        if not self._inside(link):
            self._outside(link)
        elif folder:
            waiting: list[Path] = []
            self._enter(link, waiting)
            for path in waiting:
                self._walk(path)
        elif not link.exists():
            self._error(link, Code.BROKEN_LINK, "This link leads nowhere.", "Delete it, or put the file in its place.")
        elif Path(os.path.realpath(link)) not in self.seen:
            self._take(link, regular=link.is_file())

    def _inside(self, link: Path) -> bool:
        return Path(os.path.realpath(link)).is_relative_to(self.boundary)

    def _outside(self, link: Path) -> None:
        problem = "This link leads out of the suite's folder and was left out."
        self._error(link, Code.OUTSIDE_SUITE, problem, "Put a copy of what it leads to in its place.")

    def _error(self, path: Path, code: Code, problem: str, fix: str) -> None:
        findings = Findings(path)
        findings.error(1, code, problem, fix)
        self.found.findings += findings.all
