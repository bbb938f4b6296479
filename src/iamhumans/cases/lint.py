"""What an author should know about case files before a run. Lint continues where loading would stop.

It finds everything that loading finds, and a missing title, dimensions or hard fails, a file name with another id, an
undeclared or missing language, placeholders, and comments and invisible characters that would reach a model.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from iamhumans.cases.case import PLACEHOLDER, Case, is_placeholder
from iamhumans.cases.case_file import CaseReading
from iamhumans.cases.findings import Finding, Findings
from iamhumans.cases.holdout import record_use, require_reason, says_held_out, without_quotes
from iamhumans.cases.manifest import Manifest, default_manifest
from iamhumans.cases.suite_files import Home, files_below, find_home, is_case_file_name, locate, no_cases, read_cases
from iamhumans.errors import InputError
from iamhumans.text import for_terminal

_LOOKS_LIKE_AN_ID = re.compile(r"[A-Za-z]{1,12}[-_]?[0-9]{1,6}")
_ROW_ID = re.compile(r"row-[0-9]+")
# In Vietnamese one letter in four is beyond ASCII, in French one in twenty, in English one in a hundred.
_FOREIGN_SHARE = 0.1


@dataclass(frozen=True, slots=True)
class Lint:
    """The findings, in the order of the files, and the number of files."""

    findings: tuple[Finding, ...]
    files: int


@dataclass(slots=True)
class _Group:
    home: Home
    files: dict[Path, Path] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)


def lint(paths: Iterable[str | Path], *, style: bool = False, holdout_reason: str | None = None) -> Lint:
    """What is wrong or odd about case files and suites. Files of one suite are checked together."""
    if holdout_reason is not None:
        require_reason(holdout_reason)
    findings: list[Finding] = []
    groups: dict[Path, _Group] = {}
    for path in paths:
        findings += _gather(path, groups)
    for group in groups.values():
        readings, found = _lint_group(group, style=style)
        findings += found
        held_out = [one.case.id if one.case else one.path.stem for one in readings if says_held_out(one.path)]
        if holdout_reason is not None and held_out:
            record_use(group.home.folder, reason=holdout_reason, output="lint", run=None, cases=held_out)
    files = sum(len(group.files) for group in groups.values())
    return Lint(tuple(findings if holdout_reason is not None else without_quotes(findings)), files)


def _gather(path: str | Path, groups: dict[Path, _Group]) -> list[Finding]:
    code, start = "unreadable", Path(path)
    try:
        start = locate(path)
        home = find_home(start)
        code = "manifest" if start.is_dir() else "unreadable"
        found = files_below(start, home)
        if not (found.files or found.findings or found.nested):
            code = "no-cases"
            raise no_cases(start, home, found)
    except InputError as error:
        return [Finding.of_error(error, start, code)]
    if not start.is_dir() and not is_case_file_name(start.name):
        return []  # a README.md among `cases/*.md`
    group = groups.setdefault(home.folder.resolve(), _Group(home))
    for file in found.files:
        group.files.setdefault(file.resolve(), file)
    group.findings += (finding for finding in found.findings if finding not in group.findings)
    return [finding for folder in found.nested for finding in _gather(folder, groups)]


def _lint_group(group: _Group, *, style: bool) -> tuple[list[CaseReading], list[Finding]]:
    findings, unknown = list[Finding](), tuple[str, ...]()
    try:
        manifest = group.home.manifest()
    except InputError as error:
        findings.append(Finding.of_error(error, group.home.folder, "manifest"))
        manifest = default_manifest(group.home.folder)
        unknown = ("undeclared-dimension", "undeclared-hard-fail")
    findings += [*manifest.findings, *group.findings]
    readings = read_cases(group.files.values(), manifest)
    if style:
        from iamhumans.cases.style import style_findings  # its patterns take a while to compile

    of_style = style_findings(readings) if style else {}
    for reading in readings:
        odd = _oddities(reading.case, reading, manifest) if reading.case else []
        own = [*reading.findings, *odd, *of_style.get(reading.path, ())]
        findings += sorted((one for one in own if one.code not in unknown), key=lambda finding: finding.line)
    return readings, findings


def _oddities(case: Case, reading: CaseReading, manifest: Manifest) -> list[Finding]:
    findings = Findings(reading.path)
    if not case.title:
        fix = "Write `title: ` and what the case is about, in a few words."
        findings.warning(reading.line_of("title"), "missing-title", "The case has no title.", fix)
    for key, code in (("dimensions", "no-dimensions"), ("hard_fails", "no-hard-fails")):
        if not getattr(case, key):
            known: tuple[str, ...] = getattr(manifest, key)
            fix = f"Write `{key}: [...]`" + (f" with some of {', '.join(known)}." if known else ".")
            findings.warning(reading.line_of(key), code, f"The case names no {key.replace('_', ' ')}.", fix)
    _check_id(case.id, reading, findings)
    _check_language(case, reading, manifest, findings)
    _check_texts(case, reading, findings)
    return findings.all


def _check_id(case_id: str, reading: CaseReading, findings: Findings) -> None:
    line, stem = reading.line_of("id"), reading.path.stem
    if _LOOKS_LIKE_AN_ID.fullmatch(stem) and stem.casefold() != case_id.casefold():
        fix = f"Write `id: {stem}`, or rename the file to `{case_id}.md`."
        findings.warning(
            line, "id-file-name", f"The file is named `{stem}`, but the id of its case is `{case_id}`.", fix
        )
    if _ROW_ID.fullmatch(case_id):
        problem = f"`{case_id}` is also the id that a reply without a case gets from its row."
        findings.warning(line, "reserved-id", problem, "Write another id.")


def _check_language(case: Case, reading: CaseReading, manifest: Manifest, findings: Findings) -> None:
    line, lang, languages = reading.line_of("lang"), case.lang[:60], manifest.languages
    # `en` declares `en-GB` too.
    if languages and not any(f"{case.lang}-".casefold().startswith(f"{known}-".casefold()) for known in languages):
        fix = f"Write `lang: {languages[0]}`, or add `{lang}` to `languages` in {manifest.path}."
        findings.warning(line, "undeclared-language", f"The suite does not declare the language `{lang}`.", fix)
    elif ("lang",) not in reading.lines:
        letters = [letter for text in case.texts for letter in text if letter.isalpha()]
        if letters and sum(not letter.isascii() for letter in letters) / len(letters) >= _FOREIGN_SHARE:
            problem = "The case has no `lang`, so it counts as English, but it does not look English."
            findings.warning(line, "lang-unstated", problem, "Write its language, such as `lang: vi`.")


def _check_texts(case: Case, reading: CaseReading, findings: Findings) -> None:
    turns = [(turn.text, line) for turn, line in reading.turns]
    for text, line in [(case.title, reading.line_of("title")), *turns, *reading.bullets]:
        if is_placeholder(text):
            problem = f"`{PLACEHOLDER}` is still here: this text has not been written yet."
            findings.warning(line, "placeholder", problem, "Replace it with the text.")
        if for_terminal(text) != text:
            problem = "This text has an invisible character, such as a zero-width space or a direction mark."
            findings.warning(line, "hidden-character", problem, "Type the text again.")
    for text, line in turns:
        if "<!--" in text:
            problem = "A comment in a message is part of the message, and reaches the model."
            findings.warning(line, "comment-in-message", problem, "Move it to `## notes`.")
