"""``iamhumans demo`` from the outside."""

from __future__ import annotations

import re
from pathlib import Path

from tests.commands import run, run_in_terminal

from iamhumans.cases import bundled_slice, bundled_suite

CASES = bundled_slice().cases


def test_demo_shows_every_case_and_subject_and_ends_with_0() -> None:
    done = run("demo")
    assert done.code == 0
    assert all(case.id in done.out for case in CASES)
    assert all(subject in done.out for subject in ("friend", "plain", "stock"))
    assert "The worst 10 cases" in done.out


def test_demo_speaks_of_the_cases_that_have_sample_replies_and_of_no_others() -> None:
    done = run("demo")
    assert len(CASES) < len(bundled_suite().cases)
    assert "Replies to core" in done.out
    summary = run("demo", "--json").document["summary"]
    assert summary["asked"] == summary["judged"] == 3 * len(CASES)


def test_demo_leaves_nothing_behind(tmp_path: Path) -> None:
    assert run("demo", folder=tmp_path).code == 0
    assert list(tmp_path.iterdir()) == []


def test_demo_says_on_standard_error_what_to_do_next() -> None:
    done = run("demo")
    assert "iamhumans init" in done.err
    assert "iamhumans init" not in done.out


def test_quiet_silences_the_hint_and_nothing_else() -> None:
    done, quiet = run("demo"), run("demo", "--quiet")
    assert (quiet.out, quiet.err) == (done.out, "")


def test_json_is_one_document_with_all_judgements() -> None:
    done = run("demo", "--json")
    assert (done.code, done.err) == (0, "")
    document = done.document
    parts = ["run", "rubric", "summary", "groups", "headline", "models", "calibration", "judgements"]
    assert list(document) == parts
    assert [line["row"] for line in document["judgements"]] == list(range(1, 3 * len(CASES) + 1))


def test_what_goes_into_a_pipe_has_no_escape_codes_and_no_trailing_blanks() -> None:
    done = run("demo")
    assert "\x1b" not in done.out
    assert [line for line in done.out.splitlines() if line != line.rstrip()] == []
    assert max(map(len, done.out.splitlines())) <= 110


def test_a_terminal_gets_colours_and_its_own_width(tmp_path: Path) -> None:
    environment = {"NO_COLOR": None, "COLUMNS": "70", "TERM": "xterm-256color"}
    sent = run_in_terminal("demo", folder=tmp_path, environment=environment).out
    assert "\x1b[31mFAIL" in sent
    assert "\x1b[32m" not in sent  # Nothing that the rules say is praise.
    report = re.sub(r"\x1b\[[0-9;]*m", "", sent).split("Next:")[0]
    assert max(map(len, report.splitlines())) <= 70


def test_a_run_that_is_not_stored_is_not_named_in_advice() -> None:
    done = run("demo")
    assert "--case ID" not in done.out
    assert all(len(line) <= 80 for line in (done.out + done.err).splitlines())
