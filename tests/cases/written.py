"""Case files as texts, for the tests of this folder."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from iamhumans.cases import Case, CaseReading, Finding, lint, read_case

FRONT = """\
id: BAK-001
title: The bakery closes
dimensions: [feeling, emotion]
hard_fails: [pity, lecturing]
"""
INPUT = "\n## input\n\nthe bakery on my corner closed. i went there every sunday with gran.\n"
RUBRIC = "\n## rubric\n\n- Stays with the Sundays\n"
FAILURES = "\n## failure_modes\n\n- Recommends another bakery\n"
FILE = Path("BAK-001.md")


def written(
    *, front: str = FRONT, message: str = INPUT, rubric: str = RUBRIC, failures: str = FAILURES, rest: str = ""
) -> str:
    """The text of a case file, with parts replaced."""
    return f"---\n{front}---\n{message}{rubric}{failures}{rest}"


def reading_of(text: str) -> CaseReading:
    """What a text gives."""
    return read_case(text, FILE)


def case_of(text: str) -> Case:
    """The case of a text that has one."""
    reading = reading_of(text)
    assert reading.case is not None, [str(finding) for finding in reading.findings]
    return reading.case


def found(reading: CaseReading, *, errors: bool) -> list[tuple[int, str]]:
    """Line and code of the errors, or of the warnings."""
    return [(finding.line, finding.code) for finding in reading.findings if finding.error is errors]


def only_error(text: str) -> tuple[int, str]:
    """Line and code of the one error that a text gives."""
    reading = reading_of(text)
    assert reading.case is None
    ((line, code),) = found(reading, errors=True)
    return line, code


def warnings(text: str) -> list[tuple[int, str]]:
    """Line and code of what is odd about a text that loads."""
    reading = reading_of(text)
    assert reading.case is not None, [str(finding) for finding in reading.findings]
    return found(reading, errors=False)


def lint_paths(paths: Iterable[str | Path]) -> list[Finding]:
    """The findings of lint."""
    return list(lint(paths).findings)
