"""The ledger of held-out cases: what is written when, what refuses a use, and what shows afterwards."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from statistics import NormalDist
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.cases.written import written

from iamhumans.cases import (
    About,
    Ledger,
    Result,
    Suite,
    Use,
    begin_use,
    check_use,
    end_use,
    is_recorded,
    load_suite,
    read_ledger,
    seal_suite,
)
from iamhumans.cases.ledger import LEDGER_NAME, LedgerCode, Named, expected_lead, what_use_does
from iamhumans.errors import CannotRunError, CommandError, Exit, InputError

RESULT = Result(asked=2, judged=2, zero_rate=0.5, mean_of_rest=88.0, pass_rate=0.5)


def about(run: str = "run-a", subject: str = "openai/gpt", skill: str | None = None) -> About:
    return About(
        run=run,
        rubric=Named(name="iamhumans", hash="r"),
        subject=Named(name=subject, hash="s"),
        skill=skill,
        judges=(Named(name="rules", hash="j"),),
    )


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


def use(suite: Suite, run: str, subject: str = "openai/gpt") -> Use:
    """A use that has ended."""
    begun = begin_use(suite, "why not", about(run, subject))
    end_use(begun, RESULT)
    return begun


def broken(ledger: Ledger) -> list[tuple[int, str]]:
    return [(finding.line, finding.code) for finding in ledger.problems]


# What is written


def test_a_use_is_written_before_it_is_known_how_it_ends(suite: Suite) -> None:
    begin_use(suite, "release 1.2", about())
    written = lines(suite)[-1]
    assert (written["event"], written["reason"], written["cases"]) == ("begun", "release 1.2", ["H-1", "H-2"])
    assert written["about"] == about().model_dump(mode="json")
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", written["at"])
    assert read_ledger(suite.path).uses[0].ended is None


def test_the_use_names_the_seal_under_which_it_was(suite: Suite) -> None:
    begin_use(suite, "release", about())
    sealed, begun = lines(suite)
    assert begun["seal"] == sealed["seal"]


def test_how_a_use_ended_is_a_line_of_its_own(suite: Suite) -> None:
    before = begin_use(suite, "release", about())
    first = (suite.path / LEDGER_NAME).read_bytes()
    end_use(before, RESULT)
    assert (suite.path / LEDGER_NAME).read_bytes().startswith(first)
    ended = lines(suite)[-1]
    assert (ended["event"], ended["use"], ended["finished"]) == ("ended", before.id, True)
    assert ended["result"] == RESULT.model_dump()
    assert read_ledger(suite.path).uses[0].finished


def test_what_was_stopped_and_goes_on_is_one_use(suite: Suite) -> None:
    first = begin_use(suite, "release", about())
    end_use(first, RESULT, finished=False)
    again = begin_use(suite, "go on", about())
    end_use(again, RESULT)
    assert [line["event"] for line in lines(suite)] == ["sealed", "begun", "ended", "resumed", "ended"]
    (only,) = read_ledger(suite.path).uses
    assert only.finished


def test_what_crashed_and_goes_on_is_one_use(suite: Suite) -> None:
    begin_use(suite, "release", about())
    begin_use(suite, "go on", about())
    assert len(read_ledger(suite.path).uses) == 1


def test_a_run_of_the_same_name_after_a_finished_one_is_another_use(suite: Suite) -> None:
    use(suite, "run-a")
    use(suite, "run-a")
    assert len(read_ledger(suite.path).uses) == 2


def test_a_finished_run_is_recorded_and_an_unfinished_one_is_not(suite: Suite) -> None:
    use(suite, "run-a")
    begin_use(suite, "release", about("run-b"))
    assert [is_recorded(suite, run) for run in ("run-a", "run-b", "run-c")] == [True, False, False]


def test_a_run_under_an_older_seal_is_not_recorded_under_this_one(suite: Suite) -> None:
    use(suite, "run-a")
    (suite.path / "cases/H-2.md").unlink()
    later = load_suite(suite.path)
    seal_suite(later, "one case less")
    assert not is_recorded(later, "run-a")


def test_the_uses_of_a_case_are_counted_by_its_id(suite: Suite) -> None:
    use(suite, "run-a")
    (suite.path / "cases/H-2.md").unlink()
    later = load_suite(suite.path)
    seal_suite(later, "one case less")
    use(later, "run-b")
    ledger = read_ledger(suite.path)
    assert [len(ledger.uses_of(case)) for case in ("H-1", "H-2", "A-1")] == [2, 1, 0]


def test_a_reason_is_kept_on_one_line_and_harmless(suite: Suite) -> None:
    begin_use(suite, "  phát hành\n\x1b[31m1.2\udc80 ", about())
    assert lines(suite)[-1]["reason"] == "phát hành \\x1b[31m1.2\\udc80"


def test_nobody_is_named_and_no_path(suite: Suite) -> None:
    plan = {
        "rubric": {"name": "iamhumans", "hash": "r"},
        "subject": {"name": "recorded/C:\\Users\\ann\\replies.jsonl", "settings": {"version": "1"}},
        "skill": None,
        "judges": [
            {"name": "recorded//home/ann/verdicts", "settings": {}},
            {"name": "command//home/ann/judge.sh", "settings": {}},
            {"name": "openrouter/some/model", "settings": {"temperature": 0}},
        ],
    }
    begin_use(suite, "release", About.of_plan("run-a", plan))
    written = lines(suite)[-1]["about"]
    assert written["subject"]["name"] == "recorded/replies.jsonl"
    assert [judge["name"] for judge in written["judges"]] == [
        "recorded/verdicts",
        "command/judge.sh",
        "openrouter/some/model",
    ]
    assert "ann" not in (suite.path / LEDGER_NAME).read_text()


def test_other_settings_are_another_subject() -> None:
    def of(temperature: float) -> About:
        settings = {"temperature": temperature}
        subject = {"name": "m", "settings": settings}
        return About.of_plan("run", {"rubric": {"name": "r", "hash": "r"}, "subject": subject, "judges": []})

    assert of(0.1).subject != of(0.2).subject
    assert of(0.1) == of(0.1)


# What refuses a use


def test_finding_out_whether_a_use_is_allowed_writes_nothing(suite: Suite) -> None:
    check_use(suite, "release")
    assert len(lines(suite)) == 1


@pytest.mark.parametrize("reason", ["", "  \n", "...", "\u200b"])
def test_a_use_without_a_reason_is_refused(suite: Suite, reason: str) -> None:
    with pytest.raises(CommandError, match="none is given"):
        check_use(suite, reason)
    with pytest.raises(CommandError, match="none is given"):
        begin_use(suite, reason, about())
    assert len(lines(suite)) == 1


def test_a_reason_that_is_no_sentence_but_a_document_is_refused(suite: Suite) -> None:
    with pytest.raises(CommandError, match="501 characters"):
        begin_use(suite, "a" * 501, about())


@pytest.mark.parametrize(
    "refused",
    [lambda suite: begin_use(suite, "x", about()), lambda suite: check_use(suite, "x")],
    ids=["begin", "check"],
)
def test_a_seal_that_does_not_hold_refuses_the_use(suite: Suite, refused: Callable[[Suite], object]) -> None:
    path = suite.path / "cases/H-2.md"
    path.write_text(path.read_text().replace("Sundays", "Mondays"))
    with pytest.raises(InputError, match="`H-2` is not what was sealed") as caught:
        refused(load_suite(suite.path))
    assert caught.value.place.path == path
    assert len(lines(suite)) == 1


def test_a_suite_that_was_never_sealed_refuses_the_use(suite: Suite) -> None:
    (suite.path / "seal.json").unlink()
    (suite.path / LEDGER_NAME).unlink()
    with pytest.raises(InputError, match="not sealed"):
        begin_use(suite, "release", about())
    assert not (suite.path / LEDGER_NAME).exists()


def test_a_suite_that_holds_nothing_out_refuses_the_use(tmp_path: Path) -> None:
    (tmp_path / "A.md").write_text(written(front="id: A\n"))
    with pytest.raises(CommandError, match="holds no case out"):
        check_use(load_suite(tmp_path), "release")


def test_held_out_cases_cannot_be_picked(suite: Suite) -> None:
    with pytest.raises(CommandError, match="only part of a suite"):
        begin_use(load_suite(suite.path / "cases/H-1.md"), "release", about())


def test_everyday_cases_alone_are_part_of_a_suite(suite: Suite) -> None:
    with pytest.raises(CommandError, match="only part of a suite"):
        check_use(suite.without_holdout(), "release")


def test_a_bundled_suite_refuses_the_use() -> None:
    with pytest.raises(CommandError, match="ships with the package"):
        check_use(load_suite("core"), "release")


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is read-only to the superuser")
def test_a_ledger_that_may_not_be_written_refuses_the_use(suite: Suite) -> None:
    (suite.path / LEDGER_NAME).chmod(0o444)
    with pytest.raises(CannotRunError) as caught:
        begin_use(suite, "release", about())
    assert caught.value.exit_code is Exit.COULD_NOT_RUN


def test_a_folder_in_place_of_the_ledger_refuses_the_use(suite: Suite) -> None:
    (suite.path / LEDGER_NAME).unlink()
    (suite.path / LEDGER_NAME).mkdir()
    with pytest.raises(InputError, match="no regular file"):
        begin_use(suite, "release", about())


def test_a_ledger_that_cannot_grow_refuses_the_use_and_is_left_as_it_was(suite: Suite) -> None:
    before = (suite.path / LEDGER_NAME).read_bytes()
    room = len(before) + 40

    limit = "import resource, signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
    limit += f"resource.setrlimit(resource.RLIMIT_FSIZE, ({room}, {room}))\n"
    done = using(suite, "run-a", limit)
    assert "CannotRunError" in done.communicate()[1]
    assert (suite.path / LEDGER_NAME).read_bytes() == before


def using(suite: Suite, name: str, before: str = "", times: int = 1) -> subprocess.Popen[str]:
    """A process of its own that uses the held-out cases so many times, each time from beginning to end."""
    program = f"""
from iamhumans.cases import About, Result, begin_use, end_use, load_suite
from iamhumans.cases.ledger import Named
{before}
suite = load_suite({str(suite.path)!r})
named = Named(name="n", hash="h")
for number in range({times}):
    about = About(run=f"{name}-{{number}}", rubric=named, subject=named)
    end_use(begin_use(suite, "why not", about), Result(asked=2, judged=2))
"""
    return subprocess.Popen([sys.executable, "-c", program], stderr=subprocess.PIPE, text=True)


def test_a_line_that_a_crash_cut_off_is_told_and_not_written_to(suite: Suite) -> None:
    path = suite.path / LEDGER_NAME
    path.write_bytes(path.read_bytes() + b'{"event": "beg')
    with pytest.raises(InputError, match="cut off") as caught:
        begin_use(suite, "release", about())
    assert caught.value.place.line == 2


def test_a_last_line_end_that_an_editor_took_away_is_put_back(suite: Suite) -> None:
    path = suite.path / LEDGER_NAME
    path.write_bytes(path.read_bytes().rstrip(b"\n"))
    begin_use(suite, "release", about())
    assert len(lines(suite)) == 2
    assert broken(read_ledger(suite.path)) == []


# The chain


def test_an_untouched_ledger_is_whole(suite: Suite) -> None:
    use(suite, "run-a")
    use(suite, "run-b")
    assert broken(read_ledger(suite.path)) == []


@pytest.mark.parametrize("removed", [0, 1, 2, 3])
def test_a_line_that_was_removed_shows_in_the_next(suite: Suite, removed: int) -> None:
    use(suite, "run-a")
    use(suite, "run-b")
    path = suite.path / LEDGER_NAME
    kept = path.read_text().splitlines(keepends=True)
    del kept[removed]
    path.write_text("".join(kept))
    assert broken(read_ledger(suite.path)) == [(removed + 1, LedgerCode.BROKEN_CHAIN)]


def test_a_line_that_was_changed_shows_in_the_next(suite: Suite) -> None:
    use(suite, "run-a")
    path = suite.path / LEDGER_NAME
    path.write_text(path.read_text().replace("why not", "because"))
    assert broken(read_ledger(suite.path)) == [(3, LedgerCode.BROKEN_CHAIN)]


def test_lines_that_changed_places_show(suite: Suite) -> None:
    use(suite, "run-a")
    path = suite.path / LEDGER_NAME
    sealed, begun, ended = path.read_text().splitlines(keepends=True)
    path.write_text(sealed + ended + begun)
    assert broken(read_ledger(suite.path)) == [(2, LedgerCode.BROKEN_CHAIN)]


def test_two_copies_that_were_joined_are_whole(suite: Suite) -> None:
    path = suite.path / LEDGER_NAME
    common = path.read_text()
    use(suite, "run-a")
    ours = path.read_text()
    path.write_text(common)
    use(suite, "run-b")
    path.write_text(ours + path.read_text().removeprefix(common))
    ledger = read_ledger(suite.path)
    assert broken(ledger) == []
    assert [one.begun.about.run for one in ledger.uses] == ["run-a", "run-b"]


def test_a_ledger_that_begins_anew_below_another_shows(suite: Suite) -> None:
    path = suite.path / LEDGER_NAME
    first = path.read_text()
    path.unlink()
    (suite.path / "seal.json").unlink()
    seal_suite(suite)
    path.write_text(first + path.read_text())
    assert broken(read_ledger(suite.path)) == [(2, LedgerCode.BROKEN_CHAIN)]


def test_line_ends_that_version_control_changed_are_no_change(suite: Suite) -> None:
    use(suite, "run-a")
    path = suite.path / LEDGER_NAME
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    use(suite, "run-b")
    ledger = read_ledger(suite.path)
    assert broken(ledger) == []
    assert len(ledger.uses) == 2


def test_a_broken_chain_shows_and_keeps_nobody_from_writing_on(suite: Suite) -> None:
    use(suite, "run-a")
    path = suite.path / LEDGER_NAME
    kept = path.read_text().splitlines(keepends=True)
    path.write_text(kept[0] + kept[2])
    use(suite, "run-b")
    ledger = read_ledger(suite.path)
    assert broken(ledger) == [(2, LedgerCode.BROKEN_CHAIN)]
    assert [one.begun.about.run for one in ledger.uses] == ["run-b"]


def test_a_line_that_cannot_be_read_is_told_and_the_others_count(suite: Suite) -> None:
    use(suite, "run-a")
    path = suite.path / LEDGER_NAME
    path.write_text(path.read_text() + "no JSON\n")
    ledger = read_ledger(suite.path)
    assert broken(ledger) == [(4, LedgerCode.BAD_LINE)]
    assert len(ledger.uses) == 1


@given(st.binary(max_size=300))
def test_no_bytes_in_place_of_a_ledger_make_reading_it_fail(
    tmp_path_factory: pytest.TempPathFactory, data: bytes
) -> None:
    folder = tmp_path_factory.mktemp("suite")
    (folder / LEDGER_NAME).write_bytes(data)
    ledger = read_ledger(folder)
    assert ledger.uses == ()
    assert len(ledger.problems) == ledger.lines


def test_where_there_is_no_ledger_it_is_empty(tmp_path: Path) -> None:
    assert read_ledger(tmp_path) == Ledger(tmp_path / LEDGER_NAME)


def test_processes_that_write_at_once_do_not_get_between_each_other(suite: Suite) -> None:
    processes = [using(suite, name, times=10) for name in ("a", "b", "c")]
    assert [process.communicate()[1] for process in processes] == ["", "", ""]
    ledger = read_ledger(suite.path)
    assert broken(ledger) == []
    assert len(ledger.uses) == 30
    assert all(one.finished for one in ledger.uses)
    follows = [line["previous"] for line in lines(suite)]
    assert len(set(follows)) == len(follows)


# What use does


def test_cases_that_were_never_used_are_fresh() -> None:
    assert "never used" in what_use_does(())


def test_the_same_subject_again_and_again_decides_nothing(suite: Suite) -> None:
    for run in "abcdef":
        use(suite, run)
    assert what_use_does(read_ledger(suite.path).uses).startswith("They were used 6 times, on one subject")


def test_many_subjects_are_told_what_luck_gives_the_best_of_them(suite: Suite) -> None:
    for run in "abcde":
        use(suite, run, subject=f"subject-{run}")
    said = what_use_does(read_ledger(suite.path).uses)
    assert "on 5 different subjects" in said
    assert "by about 1.2 standard errors" in said
    assert "new held-out cases" in said


def test_another_skill_is_another_subject(suite: Suite) -> None:
    for skill in "abc":
        begin_use(suite, "why not", about(f"run-{skill}", skill=skill))
    assert "3 different subjects" in what_use_does(read_ledger(suite.path).uses)


def test_the_expected_lead_of_one_subject_is_none() -> None:
    assert expected_lead(1) == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize(("subjects", "lead"), [(2, 0.5642), (3, 0.8463), (5, 1.1630), (10, 1.5388), (100, 2.5076)])
def test_the_expected_lead_is_the_mean_of_the_largest_normal_value(subjects: int, lead: float) -> None:
    # Known values of the largest order statistic of a standard normal sample.
    assert expected_lead(subjects) == pytest.approx(lead, abs=1e-4)


def test_the_expected_lead_agrees_with_drawing_at_random() -> None:
    values = NormalDist().samples(200_000, seed=1)
    best = [max(values[start : start + 4]) for start in range(0, len(values), 4)]
    assert expected_lead(4) == pytest.approx(sum(best) / len(best), abs=0.02)
