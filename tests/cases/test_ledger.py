"""The ledger of held-out cases: what is written when, what refuses a use, and what shows afterwards."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.cases.written import written

from iamhumans.cases import (
    Ledger,
    Result,
    Suite,
    check_use,
    load_suite,
    read_ledger,
    record_result,
    record_use,
    seal_suite,
)
from iamhumans.cases.ledger import LEDGER_NAME
from iamhumans.errors import CannotRunError, CommandError, InputError

RESULT = Result(asked=2, judged=2, zero_rate=0.5, mean_of_rest=88.0, pass_rate=0.5)


@pytest.fixture
def suite(tmp_path: Path) -> Suite:
    """A suite with one everyday case and two that are held out, sealed."""
    for case_id, holdout in (("A-1", "false"), ("H-1", "true"), ("H-2", "true")):
        path = tmp_path / f"cases/{case_id}.md"
        path.parent.mkdir(exist_ok=True)
        path.write_text(written(front=f"id: {case_id}\ntitle: x\nholdout: {holdout}\n"))
    (tmp_path / "suite.yaml").write_text("name: grief\n")
    suite = load_suite(tmp_path)
    seal_suite(suite)
    return suite


def lines(suite: Suite) -> list[Any]:
    return [json.loads(line) for line in (suite.path / LEDGER_NAME).read_text().splitlines()]


def begin(suite: Suite, run: str | None = "run-a", reason: str = "release 1.2", **about: str) -> None:
    record_use(suite, reason=reason, run=run, cases=["H-1", "H-2"], **{"output": "run", **about})


def use(suite: Suite, run: str, **about: str) -> None:
    """A run from beginning to end."""
    begin(suite, run, **about)
    record_result(suite, run=run, result=RESULT)


def broken(suite: Suite) -> list[tuple[int, str]]:
    return [(finding.line, finding.code) for finding in read_ledger(suite.path).problems]


# What is written


def test_a_use_is_written_under_the_seal_before_its_result_which_is_another_line(suite: Suite) -> None:
    begin(suite)
    first = (suite.path / LEDGER_NAME).read_bytes()
    sealed, used = lines(suite)
    assert (used["event"], used["output"], used["reason"]) == ("used", "run", "release 1.2")
    assert (used["cases"], used["seal"]) == (["H-1", "H-2"], sealed["seal"])
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", used["at"])
    assert read_ledger(suite.path).uses[0].result is None
    record_result(suite, run="run-a", result=RESULT)
    assert (suite.path / LEDGER_NAME).read_bytes().startswith(first)
    (only,) = read_ledger(suite.path).uses
    assert (only.finished, only.result) == (True, RESULT)


@pytest.mark.parametrize("stopped", [True, False])
def test_a_run_that_was_stopped_or_crashed_and_then_resumed_is_one_use(suite: Suite, stopped: bool) -> None:
    begin(suite)
    if stopped:
        record_result(suite, run="run-a", result=RESULT, finished=False)
    use(suite, "run-a")
    (only,) = read_ledger(suite.path).uses
    assert only.finished


def test_a_run_after_a_finished_one_of_the_same_name_is_another_use(suite: Suite) -> None:
    use(suite, "run-a")
    use(suite, "run-a")
    assert len(read_ledger(suite.path).uses) == 2


def test_each_time_an_output_shows_held_out_cases_is_a_use(suite: Suite) -> None:
    use(suite, "run-a")
    for output in ("report", "report", "compare"):
        begin(suite, "run-a", output=output)
    assert [one.output for one in read_ledger(suite.path).uses] == ["run", "report", "report", "compare"]
    assert read_ledger(suite.path).uses[1].result is None
    record_use(suite.path, reason="quarterly report", output="export", run="run-a", cases=["H-1"])
    assert [len(read_ledger(suite.path).uses_of(case_id)) for case_id in ("H-1", "H-2", "A-1")] == [5, 4, 0]


def test_a_use_of_a_suite_that_was_never_sealed_is_recorded(suite: Suite) -> None:
    (suite.path / "seal.json").unlink()
    (suite.path / LEDGER_NAME).unlink()
    begin(suite, None, output="show")
    assert read_ledger(suite.path).uses[0].seal is None
    seal_suite(load_suite(suite.path))
    assert broken(suite) == []


def test_a_reason_is_on_one_line_and_harmless(suite: Suite) -> None:
    begin(suite, reason="  phát hành\n\x1b[31m1.2\udc80 ")
    assert lines(suite)[-1]["reason"] == "phát hành \\x1b[31m1.2\\udc80"


@pytest.mark.parametrize(
    ("subject", "recorded"),
    [
        ("recorded/C:\\Users\\ann\\replies.jsonl", "recorded/replies.jsonl"),
        ("recorded//home/ann/verdicts", "recorded/verdicts"),
        ("command//home/ann/judge.sh", "command/judge.sh"),
        ("openrouter/some/model", "openrouter/some/model"),
    ],
)
def test_no_path_is_recorded(suite: Suite, subject: str, recorded: str) -> None:
    begin(suite, subject=subject)
    assert lines(suite)[-1]["subject"] == recorded
    assert "ann" not in (suite.path / LEDGER_NAME).read_text()


def test_a_line_of_an_earlier_version_is_a_problem_and_the_advice_to_begin_again_works(suite: Suite) -> None:
    path = suite.path / LEDGER_NAME
    path.write_text('{"event": "begun", "id": "b", "previous": null, "at": "2026-01-02T00:00:00Z"}\n')
    (finding,) = read_ledger(suite.path).problems
    assert "move it away and seal the suite again" in finding.fix
    path.rename(suite.path.parent / "old.jsonl")
    seal_suite(suite, "a new ledger")
    assert broken(suite) == []


# What refuses a use


@pytest.mark.parametrize("reason", ["", "  \n", "...", "\u200b", "release", "why ?", "a" * 501, "理由"])
def test_a_reason_that_says_too_little_or_too_much_is_refused(suite: Suite, reason: str) -> None:
    with pytest.raises(CommandError) as caught:
        check_use(suite, reason)
    assert caught.value.fix
    with pytest.raises(CommandError):
        begin(suite, reason=reason)
    assert len(lines(suite)) == 1


@pytest.mark.parametrize("reason", ["release 1.2", "リリース前の最終確認", "a sentence of several words"])
def test_a_reason_of_a_few_words_is_taken_and_checking_it_writes_nothing(suite: Suite, reason: str) -> None:
    check_use(suite, reason)
    assert len(lines(suite)) == 1
    begin(suite, reason=reason)
    assert lines(suite)[-1]["reason"] == reason


def test_a_suite_that_changed_since_it_was_sealed_refuses_the_use(suite: Suite) -> None:
    path = suite.path / "cases/H-2.md"
    path.write_text(path.read_text().replace("Sundays", "Mondays"))
    with pytest.raises(InputError, match="`H-2` has changed") as caught:
        check_use(load_suite(suite.path), "release 1.2")
    assert caught.value.where.path == path


def test_a_suite_that_was_never_sealed_refuses_the_use(suite: Suite) -> None:
    (suite.path / "seal.json").unlink()
    (suite.path / LEDGER_NAME).unlink()
    with pytest.raises(InputError, match="not sealed"):
        check_use(suite, "release 1.2")


def test_a_suite_without_held_out_cases_refuses_the_use(tmp_path: Path) -> None:
    (tmp_path / "A.md").write_text(written(front="id: A\n"))
    with pytest.raises(CommandError, match="no held-out cases"):
        check_use(load_suite(tmp_path), "release 1.2")


def test_held_out_cases_cannot_be_picked(suite: Suite) -> None:
    for part in (load_suite(suite.path / "cases/H-1.md"), suite.without_holdout(), suite.only_held_out()):
        with pytest.raises(CommandError, match="only part of a suite"):
            check_use(part, "release 1.2")


def test_a_bundled_suite_refuses_every_use() -> None:
    with pytest.raises(CommandError, match="ships with the package"):
        check_use(load_suite("core"), "release 1.2")
    with pytest.raises(CommandError, match="ships with the package"):
        record_use(load_suite("core"), reason="release 1.2", output="show", run=None, cases=["FEE-015"])


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="nothing is read-only to the superuser")
def test_a_ledger_that_may_not_be_written_refuses_the_use(suite: Suite) -> None:
    (suite.path / LEDGER_NAME).chmod(0o444)
    with pytest.raises(CannotRunError):
        begin(suite)


@pytest.mark.parametrize("kind", ["folder", "pipe", "link"])
def test_anything_but_a_regular_file_in_place_of_the_ledger_refuses_the_use(suite: Suite, kind: str) -> None:
    path = suite.path / LEDGER_NAME
    path.unlink()
    if kind == "folder":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    else:
        path.symlink_to(suite.path.parent / "elsewhere")
    with pytest.raises(InputError, match="must be a regular file"):
        begin(suite)
    with pytest.raises(InputError, match="must be a regular file"):
        read_ledger(suite.path)


def using(suite: Suite, name: str, before: str = "", times: int = 1) -> subprocess.Popen[str]:
    """A process of its own that uses the held-out cases so many times, each time from beginning to end."""
    program = f"""
from pathlib import Path
from iamhumans.cases import Result, record_result, record_use
{before}
folder = Path({str(suite.path)!r})
for number in range({times}):
    run = f"{name}-{{number}}"
    record_use(folder, reason="why not", output="run", run=run, cases=["H-1"])
    record_result(folder, run=run, result=Result(asked=2, judged=2))
"""
    return subprocess.Popen([sys.executable, "-c", program], stderr=subprocess.PIPE, text=True)


def test_a_ledger_that_cannot_grow_refuses_the_use_and_is_left_as_it_was(suite: Suite) -> None:
    before = (suite.path / LEDGER_NAME).read_bytes()
    room = len(before) + 40
    limit = "import resource, signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
    limit += f"resource.setrlimit(resource.RLIMIT_FSIZE, ({room}, {room}))\n"
    assert "CannotRunError" in using(suite, "run-a", limit).communicate()[1]
    assert (suite.path / LEDGER_NAME).read_bytes() == before


def test_a_line_that_a_crash_cut_off_is_an_error_and_nothing_is_added(suite: Suite) -> None:
    path = suite.path / LEDGER_NAME
    path.write_bytes(path.read_bytes() + b'{"event": "us')
    with pytest.raises(InputError, match="cut off") as caught:
        begin(suite)
    assert caught.value.where.line == 2


def test_a_last_line_end_that_an_editor_removed_is_put_back(suite: Suite) -> None:
    path = suite.path / LEDGER_NAME
    path.write_bytes(path.read_bytes().rstrip(b"\n"))
    begin(suite)
    assert len(lines(suite)) == 2
    assert broken(suite) == []


# The chain


@pytest.mark.parametrize("removed", [0, 1, 2, 3])
def test_a_line_that_was_removed_shows_in_the_next(suite: Suite, removed: int) -> None:
    use(suite, "run-a")
    use(suite, "run-b")
    assert broken(suite) == []
    path = suite.path / LEDGER_NAME
    left = path.read_text().splitlines(keepends=True)
    del left[removed]
    path.write_text("".join(left))
    assert broken(suite) == [(removed + 1, "broken-ledger-chain")]


def test_a_line_that_was_changed_or_moved_shows_in_the_next(suite: Suite) -> None:
    use(suite, "run-a")
    path = suite.path / LEDGER_NAME
    whole = path.read_text()
    path.write_text(whole.replace("release", "because"))
    assert broken(suite) == [(3, "broken-ledger-chain")]
    sealed, begun, ended = whole.splitlines(keepends=True)
    path.write_text(sealed + ended + begun)
    assert broken(suite) == [(2, "broken-ledger-chain")]


def test_two_copies_that_were_joined_are_whole(suite: Suite) -> None:
    path = suite.path / LEDGER_NAME
    common = path.read_text()
    use(suite, "run-a")
    ours = path.read_text()
    path.write_text(common)
    use(suite, "run-b")
    path.write_text(ours + path.read_text().removeprefix(common))
    assert broken(suite) == []
    assert [one.run for one in read_ledger(suite.path).uses] == ["run-a", "run-b"]


def test_a_ledger_that_begins_again_below_another_shows(suite: Suite) -> None:
    path = suite.path / LEDGER_NAME
    first = path.read_text()
    path.unlink()
    (suite.path / "seal.json").unlink()
    seal_suite(suite)
    path.write_text(first + path.read_text())
    assert broken(suite) == [(2, "broken-ledger-chain")]


def test_line_ends_that_version_control_changed_are_no_change(suite: Suite) -> None:
    use(suite, "run-a")
    path = suite.path / LEDGER_NAME
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    use(suite, "run-b")
    assert broken(suite) == []
    assert len(read_ledger(suite.path).uses) == 2


def test_a_line_that_cannot_be_read_is_a_problem_and_the_others_count(suite: Suite) -> None:
    use(suite, "run-a")
    path = suite.path / LEDGER_NAME
    path.write_text(path.read_text() + "no JSON\n")
    use(suite, "run-b")
    assert broken(suite) == [(4, "bad-ledger-line")]
    assert len(read_ledger(suite.path).uses) == 2


@given(st.binary(max_size=300))
def test_no_bytes_in_place_of_a_ledger_make_reading_it_fail(
    tmp_path_factory: pytest.TempPathFactory, data: bytes
) -> None:
    folder = tmp_path_factory.mktemp("suite")
    (folder / LEDGER_NAME).write_bytes(data)
    assert read_ledger(folder).uses == ()
    (folder / LEDGER_NAME).unlink()
    assert read_ledger(folder) == Ledger(folder / LEDGER_NAME)


def test_processes_that_write_at_once_do_not_disturb_each_other(suite: Suite) -> None:
    processes = [using(suite, name, times=10) for name in ("a", "b", "c")]
    assert [process.communicate()[1] for process in processes] == ["", "", ""]
    assert broken(suite) == []
    ledger = read_ledger(suite.path)
    assert len(ledger.uses) == 30
    assert all(one.finished for one in ledger.uses)
    follows = [line["previous"] for line in lines(suite)]
    assert len(set(follows)) == len(follows)
