"""What an author should know about case files before a run. Lint continues where loading would stop.

It finds everything that loading finds, and a missing title, dimensions or hard fails, a file name with another id, an
undeclared or missing language, ids that are hard to tell apart, placeholders, and comments and invisible characters
that would reach a model.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from iamhumans.cases.case import PLACEHOLDER, Case
from iamhumans.cases.case_file import CaseReading
from iamhumans.cases.findings import Code, Finding, Findings
from iamhumans.cases.folder import CaseFiles, is_case_file_name
from iamhumans.cases.holdout import record_use, require_reason, says_held_out, without_quotes
from iamhumans.cases.manifest import Manifest, default_manifest
from iamhumans.cases.suite_files import Home, files_below, find_home, locate, no_cases, read_cases
from iamhumans.errors import InputError
from iamhumans.text import for_terminal

_LOOKS_LIKE_AN_ID = re.compile(r"[A-Za-z]{1,12}[-_]?[0-9]{1,6}")
_ROW_ID = re.compile(r"row-[0-9]+")
# Without a manifest and a rubric that can be read, these are unknown.
_DECLARED_BY_MANIFEST = frozenset({Code.UNDECLARED_DIMENSION.value, Code.UNDECLARED_HARD_FAIL.value})
# In Vietnamese one letter in four is beyond ASCII, in French one in twenty, in English one in a hundred.
_FOREIGN_SHARE = 0.1


@dataclass(frozen=True, slots=True)
class Lint:
    """The findings, in the order of the files, and the number of files."""

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


def lint(paths: Iterable[str | Path], *, style: bool = False, holdout_reason: str | None = None) -> Lint:
    """Everything that is wrong or odd about case files, folders of them, and suites; see :meth:`Suite.lint`.

    Files of one suite are checked together, so that an id used twice is found.

    Raises:
        CommandError: The reason is too short, or held-out cases of a bundled suite would be quoted.
        CannotRunError: The ledger cannot be written.
    """
    if holdout_reason is not None:
        require_reason(holdout_reason)
    findings: list[Finding] = []
    groups: dict[Path, _Group] = {}
    for path in paths:
        findings += _gather(path, groups)
    count = 0
    for group in groups.values():
        readings, found = _lint_group(group, style=style)
        findings += found
        count += len(group.files)
        if holdout_reason is None:
            continue
        held_out = [_name(reading) for reading in readings if says_held_out(reading.path)]
        if held_out:
            record_use(group.home.folder, reason=holdout_reason, output="lint", run=None, cases=held_out)
    return Lint(tuple(findings if holdout_reason is not None else without_quotes(findings)), count)


@dataclass(slots=True)
class _Group:
    """The files of one suite by their real path, so that none is read twice."""

    home: Home
    files: dict[Path, Path]
    findings: list[Finding]


def _gather(path: str | Path, groups: dict[Path, _Group]) -> list[Finding]:
    """Add the files of a path to the suites they belong to; what cannot be added is a finding."""
    try:
        start = locate(path)
    except InputError as error:
        return [Finding.of_error(error, Path(path), Code.UNREADABLE)]
    home = find_home(start)
    try:
        found = files_below(start, home)
    except InputError as error:
        return [Finding.of_error(error, start, Code.MANIFEST if start.is_dir() else Code.UNREADABLE)]
    if not (found.files or found.findings or found.nested):
        return [Finding.of_error(no_cases(start, home, found), start, Code.NO_CASES)]
    if not start.is_dir() and not is_case_file_name(start.name):
        return []  # a README.md among `cases/*.md`
    _add(home, found, groups)
    return [finding for folder in found.nested for finding in _gather(folder, groups)]


def _add(home: Home, found: CaseFiles, groups: dict[Path, _Group]) -> None:
    group = groups.setdefault(home.folder.resolve(), _Group(home, {}, []))
    for file in found.files:
        group.files.setdefault(file.resolve(), file)
    group.findings += (finding for finding in found.findings if finding not in group.findings)


def _lint_group(group: _Group, *, style: bool) -> tuple[list[CaseReading], list[Finding]]:
    findings: list[Finding] = []
    unknown: frozenset[str] = frozenset()
    try:
        manifest = group.home.manifest()
    except InputError as error:
        findings.append(Finding.of_error(error, group.home.folder, Code.MANIFEST))
        manifest = default_manifest(group.home.folder)
        unknown = _DECLARED_BY_MANIFEST
    findings += [*manifest.findings, *group.findings]
    readings = read_cases(group.files.values(), manifest)
    similar = _similar_ids(readings)
    of_style = _style(readings) if style else {}
    for reading in readings:
        odd = _CaseLint(reading.case, reading, manifest).run() if reading.case else []
        own = [*reading.findings, *odd, *similar.get(reading.path, ()), *of_style.get(reading.path, ())]
        known = (finding for finding in own if finding.code not in unknown)
        findings += sorted(known, key=lambda finding: finding.line)
    return readings, findings


def _name(reading: CaseReading) -> str:
    return reading.case.id if reading.case else reading.path.stem


def _style(readings: Sequence[CaseReading]) -> dict[Path, list[Finding]]:
    # Its patterns take a while to compile, and most commands do not need them.
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
        self._missing()
        self._id()
        self._language()
        self._texts()
        return self.findings.all

    def _line(self, key: str) -> int:
        """The line of a key, or of the id if the key is missing."""
        return self.reading.line_of(key if (key,) in self.reading.lines else "id")

    def _missing(self) -> None:
        if not self.case.title:
            fix = "Write `title: ` and what the case is about, in a few words."
            self.findings.warning(self._line("title"), Code.MISSING_TITLE, "The case has no title.", fix)
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
            problem = f"`{case_id}` is also the id that a reply without a case gets from its row."
            self.findings.warning(line, Code.RESERVED_ID, problem, "Write another id.")

    def _language(self) -> None:
        line = self._line("lang")
        lang = self.case.lang[:60]
        languages = self.manifest.languages
        if languages and not _declared(self.case.lang, languages):
            problem = f"The suite does not declare the language `{lang}`."
            fix = f"Write `lang: {languages[0]}`, or add `{lang}` to `languages` in {self.manifest.path}."
            self.findings.warning(line, Code.UNDECLARED_LANGUAGE, problem, fix)
        elif ("lang",) not in self.reading.lines and _foreign_share(self.case) >= _FOREIGN_SHARE:
            problem = "The case has no `lang`, so it counts as English, but it does not look English."
            self.findings.warning(line, Code.LANG_UNSTATED, problem, "Write its language, such as `lang: vi`.")

    def _texts(self) -> None:
        turns = [(placed.turn.text, placed.line) for placed in self.reading.turns]
        bullets = [(placed.text, placed.line) for placed in self.reading.bullets]
        for text, line in [(self.case.title, self._line("title")), *turns, *bullets]:
            if text.startswith(PLACEHOLDER):
                problem = f"`{PLACEHOLDER}` is still here: this text is not written yet."
                self.findings.warning(line, Code.PLACEHOLDER, problem, "Replace it with the text.")
            if for_terminal(text) != text:
                problem = "This text has an invisible character, such as a zero-width space or a direction mark."
                self.findings.warning(line, Code.HIDDEN_CHARACTER, problem, "Type the text again.")
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
            problem = f"The id differs from that of {first.path}:{first.line_of('id')} only by capitals or accents."
            fix = "Give one of the two another id."
            finding = Finding(reading.path, reading.line_of("id"), Code.SIMILAR_ID.value, problem, fix)
            similar[reading.path] = [finding]
    return similar
