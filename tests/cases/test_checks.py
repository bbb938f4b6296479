"""Checks of a reply that need no judge, in the front matter of a case."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iamhumans.cases import Case, read_case
from iamhumans.cases.checks import Checks, pattern_problem
from iamhumans.cases.findings import Finding

_REST = "---\n## input\nhi\n## rubric\n- x\n## failure_modes\n- y\n"


def read(*lines: str) -> tuple[Case | None, list[Finding]]:
    reading = read_case("\n".join(("---", "id: A-1", "title: t", *lines, "")) + _REST, Path("A-1.md"))
    return reading.case, [finding for finding in reading.findings if finding.error]


def checks(*lines: str) -> Checks:
    case, errors = read(*lines)
    assert errors == []
    assert case is not None
    return case.checks


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["must_contain: NO"], Checks(must_contain=("NO",))),
        (["must_contain: 'a, b'"], Checks(must_contain=("a, b",))),
        (["must_not_contain: ['(?i)as an ai', 007]"], Checks(must_not_contain=("(?i)as an ai", "007"))),
        (["max_words: 80", "language: pt-BR"], Checks(max_words=80, language="pt-BR")),
        ([], Checks()),
    ],
)
def test_values_are_strings_or_lists_of_them(lines: list[str], expected: Checks) -> None:
    assert checks(*lines) == expected


@pytest.mark.parametrize(
    "line",
    [
        "must_contain: '('",
        "must_contain: 'a(?=b)'",
        "must_contain:",
        "must_contain: []",
        "must_contain: ['']",
        "must_not_contain: {a: b}",
        "max_words: 0",
        "max_words: -3",
        "max_words: many",
        "max_words: '1234567890'",
        "language: tlh",
        "language: [en]",
    ],
)
def test_a_check_that_cannot_be_made_is_an_error_on_its_line(line: str) -> None:
    case, errors = read("lang: en", line)
    assert case is None
    assert [(one.line, one.code) for one in errors] == [(5, "bad-value")]


def test_what_is_demanded_cannot_be_forbidden() -> None:
    _, errors = read("must_contain: sorry", "must_not_contain: [sorry]")
    assert len(errors) == 1


def test_a_check_changes_no_key() -> None:
    plain, _ = read()
    checked, _ = read("must_contain: sorry", "max_words: 3")
    assert plain is not None
    assert checked is not None
    assert plain.hash == checked.hash


def test_every_check_has_a_result() -> None:
    found = Checks(("(?i)sorry",), (r"\bAI\b",), 4, "en").of("I am so sorry about your dog.")
    assert [(one.check, one.passed) for one in found] == [
        ("must_contain", True),
        ("must_not_contain", True),
        ("max_words", False),
        ("language", True),
    ]


def test_a_pattern_may_be_hostile_to_other_engines() -> None:
    assert Checks(must_contain=("(a+)+$",)).of("a" * 50_000 + "b")[0].passed is False


@given(st.text())
def test_any_text_is_a_pattern_or_has_a_problem(text: str) -> None:
    if not pattern_problem(text):
        assert len(Checks(must_contain=(text,)).of("some reply")) == 1


@given(st.builds(Checks, st.tuples(st.text(min_size=1)), st.just(()), st.none() | st.integers(1, 9), st.just("en")))
def test_checks_survive_the_journal(one: Checks) -> None:
    assert Checks.from_dict(one.to_dict()) == one
