"""What may be shown of held-out cases, and what their use has done."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.cases.written import written

from iamhumans.cases import Suite, load_suite, read_ledger
from iamhumans.cases.holdout import says_held_out, shown
from iamhumans.errors import CommandError


@pytest.fixture
def suite(tmp_path: Path) -> Suite:
    """One everyday case and one that is held out and has a stray key."""
    (tmp_path / "A.md").write_text(written(front="id: A\ntitle: x\n"))
    (tmp_path / "H.md").write_text(written(front="id: H\ntitle: x\nholdout: true\nSecret: sauce\n"))
    return load_suite(tmp_path)


# Held-out is a fact of the case


def test_held_out_cases_stay_held_out_wherever_they_are_selected(suite: Suite) -> None:
    assert [(case.id, case.holdout) for case in suite.only_held_out().cases] == [("H", True)]
    assert [(case.id, case.holdout) for case in suite.without_holdout().cases] == [("A", False)]
    drawn = suite.sample(9, holdout=True)
    assert [(case.id, case.holdout) for case in drawn.cases] == [("A", False), ("H", True)]
    assert suite.only_held_out().cases[0] is suite.by_id["H"]


# What may be shown


@pytest.mark.parametrize(
    ("text", "held_out", "reason", "is_shown"),
    [
        ("the bakery closed", False, None, True),
        ("the bakery closed", True, "release 1.2", True),
        ("", True, None, True),
        ("the bakery closed", True, None, False),
        ("the bakery closed", True, "", False),
        ("the bakery closed", True, "  ", False),
    ],
)
def test_a_text_of_a_held_out_case_is_a_hash_unless_there_is_a_reason(
    text: str, held_out: bool, reason: str | None, is_shown: bool
) -> None:
    digest = f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"
    assert shown(text, held_out=held_out, reason=reason) == (text if is_shown else digest)


@given(st.text(st.characters()))
def test_every_text_has_a_hash(text: str) -> None:
    assert len(shown(text, held_out=True, reason=None)) in (0, 71)


# Findings


def test_findings_quote_no_held_out_case(suite: Suite) -> None:
    assert "Secret" in str(suite.findings)
    assert "Secret" not in str(suite.shown_findings) + str(suite.lint()) + str(suite.to_dict())
    assert "unknown-key" in [finding.code for finding in suite.lint()]


def test_findings_quote_a_held_out_case_for_a_reason_that_is_recorded(suite: Suite) -> None:
    assert "Secret" in str(suite.lint(holdout_reason="before sealing"))
    (use,) = read_ledger(suite.path).uses
    assert (use.output, use.reason, use.cases) == ("lint", "before sealing", ("H",))


def test_a_held_out_file_that_is_no_case_is_recorded_too(suite: Suite) -> None:
    (suite.path / "H.md").write_text("---\nholdout: true\nid: [Secret]\n---\n")
    assert "Secret" not in str(suite.lint())
    suite.lint(holdout_reason="before sealing")
    assert read_ledger(suite.path).uses_of("H")


def test_a_reason_that_is_too_short_lints_nothing(suite: Suite) -> None:
    with pytest.raises(CommandError, match="at least two words"):
        suite.lint(holdout_reason="why")
    assert read_ledger(suite.path).uses == ()


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        *((line, True) for line in ("holdout: true", "holdout: 'yes'", "holdout : on", "  holdout: perhaps")),
        *((line, False) for line in ("holdout: false", "holdout: no  # not yet", "holdout:", "title: holdout")),
    ],
)
def test_a_file_that_is_not_a_case_can_still_say_that_it_is_held_out(tmp_path: Path, line: str, expected: bool) -> None:
    path = tmp_path / "A.md"
    assert not says_held_out(path)
    path.write_text(f"---\ntitle: [x\n{line}\n")
    assert says_held_out(path) is expected
