"""What an author should know about case files before anybody runs them; goes on where loading would stop.

Everything that loading finds is found here too. What is added: a missing title, dimensions or hard fails, a file name
that says another id, a language that is not declared or not stated, ids that are hard to tell apart, placeholders left
from a starter, comments and invisible characters that would reach a model.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from iamhumans.cases.files import CaseReading
from iamhumans.cases.findings import Code, Findings, from_error
from iamhumans.cases.folder import CaseFiles, is_case_file_name
from iamhumans.cases.manifest import Manifest
from iamhumans.cases.model import Case, Finding
from iamhumans.cases.suites import Home, files_below, find_home, locate, no_cases, read_cases
from iamhumans.errors import InputError
from iamhumans.text import for_terminal

PLACEHOLDER = "TODO:"
"""What the texts of a starter begin with until its author has replaced them."""

_LOOKS_LIKE_AN_ID = re.compile(r"[A-Za-z]{1,12}[-_]?[0-9]{1,6}")
_ROW_ID = re.compile(r"row-[0-9]+")
# What a suite declares is not known where its manifest or its rubric cannot be read.
_DECLARED_BY_MANIFEST = frozenset({Code.UNDECLARED_DIMENSION.value, Code.UNDECLARED_HARD_FAIL.value})
# Vietnamese has one letter in four beyond ASCII, French one in twenty, English with its cafés one in a hundred.
_FOREIGN_SHARE = 0.1


@dataclass(frozen=True, slots=True)
class Lint:
    """What was found, in the order of the files, and how many files were looked at."""

    findings: tuple[Finding, ...]
    files: int

    @property
    def errors(self) -> int:
        """How many findings are errors."""
        return sum(finding.error for finding in self.findings)

    @property
    def warnings(self) -> int:
        """How many findings are warnings."""
        return len(self.findings) - self.errors


def lint_paths(paths: Iterable[str | Path]) -> list[Finding]:
    """Everything that is wrong or odd about case files, folders of them, and suites; never raises for what they hold.

    Args:
        paths: Files and folders. Files of one suite are looked at together, so that an id used twice is seen.
    """
    return list(lint(paths).findings)


def lint(paths: Iterable[str | Path], *, style: bool = False) -> Lint:
    """As :func:`lint_paths`, with the number of files that were looked at.

    Args:
        paths: Files and folders.
        style: Whether to look at how the cases are written too.
    """
    findings: list[Finding] = []
    gathered: dict[Path, _Gathered] = {}
    for path in paths:
        findings += _gather(path, gathered)
    count = 0
    for group in gathered.values():
        findings += _lint_group(group, style=style)
        count += len(group.files)
    return Lint(tuple(findings), count)


@dataclass(slots=True)
class _Gathered:
    """Files that belong to one suite, by their real path, so that none is read twice."""

    home: Home
    files: dict[Path, Path]
    findings: list[Finding]


def _gather(path: str | Path, gathered: dict[Path, _Gathered]) -> list[Finding]:
    """Sort what a path means into the suites it belongs to; what cannot be is a finding."""
    try:
        start = locate(path)
    except InputError as error:
        return [from_error(error, Path(path), Code.UNREADABLE)]
    home = find_home(start)
    try:
        found = files_below(start, home)
    except InputError as error:
        return [from_error(error, start, Code.MANIFEST if start.is_dir() else Code.UNREADABLE)]
    if not (found.files or found.findings or found.nested):
        return [from_error(no_cases(start, home, found), start, Code.NO_CASES)]
    if not start.is_dir() and not is_case_file_name(start.name):
        return []  # a README.md among `cases/*.md`
    _add(home, found, gathered)
    nested = (finding for folder in found.nested for finding in _gather(folder, gathered))
    return list(nested)


def _add(home: Home, found: CaseFiles, gathered: dict[Path, _Gathered]) -> None:
    group = gathered.setdefault(home.folder.resolve(), _Gathered(home, {}, []))
    for file in found.files:
        group.files.setdefault(file.resolve(), file)
    group.findings += (finding for finding in found.findings if finding not in group.findings)


def _lint_group(group: _Gathered, *, style: bool) -> list[Finding]:
    findings: list[Finding] = []
    unknown: frozenset[str] = frozenset()
    try:
        manifest = group.home.manifest()
    except InputError as error:
        findings.append(from_error(error, group.home.folder, Code.MANIFEST))
        manifest = group.home.defaults()
        unknown = _DECLARED_BY_MANIFEST
    findings += [*manifest.findings, *group.findings]
    readings = read_cases(group.files.values(), manifest)
    similar = _similar_ids(readings)
    written = _style(readings) if style else {}
    for reading in readings:
        odd = _CaseLint(reading.case, reading, manifest).run() if reading.case else []
        own = [*reading.findings, *odd, *similar.get(reading.path, ()), *written.get(reading.path, ())]
        said = (finding for finding in own if finding.code not in unknown)
        findings += sorted(said, key=lambda finding: finding.line)
    return findings


def _style(readings: Sequence[CaseReading]) -> dict[Path, list[Finding]]:
    # Its patterns take a while to compile, and most commands never need them.
    from iamhumans.cases.style import style_findings

    return style_findings(readings)


class _CaseLint:
    """What is odd about one case, beyond what its reading found."""

    def __init__(self, case: Case, reading: CaseReading, manifest: Manifest) -> None:
        self.case = case
        self.reading = reading
        self.manifest = manifest
        self.findings = Findings(reading.path)

    def run(self) -> list[Finding]:
        self._title()
        self._lists()
        self._id()
        self._language()
        self._texts()
        return self.findings.all

    def _line(self, key: str) -> int:
        """The line of a key, or of the id where the key is not there."""
        return self.reading.line_of(key if (key,) in self.reading.lines else "id")

    def _title(self) -> None:
        if not self.case.title:
            line = self._line("title")
            fix = "Write `title: ` and what the case is about, in a few words."
            self.findings.warning(line, Code.MISSING_TITLE, "The case has no title.", fix)

    def _lists(self) -> None:
        for key, used, known, code in (
            ("dimensions", self.case.dimensions, self.manifest.dimensions, Code.NO_DIMENSIONS),
            ("hard_fails", self.case.hard_fails, self.manifest.hard_fails, Code.NO_HARD_FAILS),
        ):
            if not used:
                problem = f"The case names no {key.replace('_', ' ')}."
                fix = f"Write `{key}: [...]`" + (f" with some of {', '.join(known)}." if known else ".")
                self.findings.warning(self._line(key), code, problem, fix)

    def _id(self) -> None:
        line = self._line("id")
        case_id = self.case.id
        stem = self.reading.path.stem
        if _LOOKS_LIKE_AN_ID.fullmatch(stem) and stem.casefold() != case_id.casefold():
            problem = f"The file is named `{stem}`, but its id is `{case_id}`."
            fix = f"Write `id: {stem}`, or rename the file to `{case_id}.md`."
            self.findings.warning(line, Code.ID_FILE_NAME, problem, fix)
        if _ROW_ID.fullmatch(case_id):
            problem = f"`{case_id}` is also the id that a reply without a case gets by its row."
            self.findings.warning(line, Code.RESERVED_ID, problem, "Write another id.")

    def _language(self) -> None:
        line = self._line("lang")
        lang = self.case.lang[:60]
        languages = self.manifest.languages
        if languages and not _declared(self.case.lang, languages):
            problem = f"The suite declares no language `{lang}`."
            fix = f"Write `lang: {languages[0]}`, or add `{lang}` to `languages` in {self.manifest.path}."
            self.findings.warning(line, Code.UNDECLARED_LANGUAGE, problem, fix)
        elif ("lang",) not in self.reading.lines and _foreign_share(self.case) >= _FOREIGN_SHARE:
            problem = "The case states no language, so it counts as English, but does not look like it."
            self.findings.warning(line, Code.LANG_UNSTATED, problem, "Write its language, such as `lang: vi`.")

    def _texts(self) -> None:
        turns = [(placed.turn.text, placed.line) for placed in self.reading.turns]
        bullets = [(placed.text, placed.line) for placed in self.reading.bullets]
        for text, line in [(self.case.title, self._line("title")), *turns, *bullets]:
            if text.startswith(PLACEHOLDER):
                problem = f"`{PLACEHOLDER}` is still here: this text was never written."
                self.findings.warning(line, Code.PLACEHOLDER, problem, "Write the text in its place.")
            if for_terminal(text) != text:
                problem = "This text has an invisible character, such as a zero-width blank or a mark of direction."
                self.findings.warning(line, Code.HIDDEN_CHARACTER, problem, "Type the text anew.")
        for text, line in turns:
            if "<!--" in text:
                problem = "A comment in a message is part of the message, and reaches the model."
                self.findings.warning(line, Code.COMMENT_IN_MESSAGE, problem, "Move it to `## notes`.")


def _declared(lang: str, languages: Sequence[str]) -> bool:
    """Whether a language is declared; ``en`` declares ``en-GB`` too."""
    plain = lang.casefold()
    return any(plain == known.casefold() or plain.startswith(f"{known.casefold()}-") for known in languages)


def _foreign_share(case: Case) -> float:
    letters = [letter for turn in case.conversation for letter in turn.text if letter.isalpha()]
    return sum(not letter.isascii() for letter in letters) / len(letters) if letters else 0.0


def _similar_ids(readings: Sequence[CaseReading]) -> dict[Path, list[Finding]]:
    """Ids that differ only in capital letters or in how an accent is encoded: one file on some file systems."""
    taken: dict[str, CaseReading] = {}
    similar: dict[Path, list[Finding]] = {}
    for reading in readings:
        if reading.case is None:
            continue
        folded = unicodedata.normalize("NFKC", reading.case.id).casefold()
        first = taken.setdefault(folded, reading)
        if first is not reading:
            findings = Findings(reading.path)
            problem = f"The id differs from that of {first.path}:{first.line_of('id')} by capitals or accents alone."
            fix = "Give one of the two another id."
            findings.warning(reading.line_of("id"), Code.SIMILAR_ID, problem, fix)
            similar[reading.path] = findings.all
    return similar
