"""``iamhumans runs`` from the outside."""

from __future__ import annotations

import csv
import io
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from tests.commands import Done, assert_one_paragraph, run, run_in_terminal

import iamhumans as ih

GOOD = "Oh no. The one with the poppy rolls?"
STOCK = "I'm so sorry to hear that! Your feelings are completely valid. I'm here for you."


def judge(folder: Path, *replies: str, subject: str = "", name: str = "replies.jsonl") -> str:
    """Judge chats, and say what the run is called."""
    rows = [
        {"messages": [{"role": "user", "content": "the bakery closed"}, {"role": "assistant", "content": reply}]}
        | {"subject": subject}
        for reply in replies
    ]
    (folder / name).write_text("".join(json.dumps(row) + "\n" for row in rows))
    found: str = run("judge", name, "--json", folder=folder).document["run"]
    return found


def names(folder: Path) -> list[str]:
    return [found["run"] for found in run("runs", "list", "--json", folder=folder).document["runs"]]


def test_list_of_nothing_is_empty_and_ends_with_0(tmp_path: Path) -> None:
    done = run("runs", "list", folder=tmp_path)
    assert (done.code, done.out, done.err) == (0, "", "There is no run yet.\n")
    assert run("runs", "list", "--quiet", folder=tmp_path).err == ""
    assert run("runs", "list", "--json", folder=tmp_path).document == {"runs": []}


def test_list_shows_the_newest_first(tmp_path: Path) -> None:
    first, second = judge(tmp_path, GOOD), judge(tmp_path, STOCK)
    assert names(tmp_path) == [second, first]
    lines = run("runs", "list", folder=tmp_path).out.splitlines()
    assert [line.split()[0] for line in lines] == ["RUN", second, first]


def test_a_list_says_how_many_cases_are_judged_and_flagged(tmp_path: Path) -> None:
    judge(tmp_path, GOOD, STOCK, "…")
    (found,) = run("runs", "list", "--json", folder=tmp_path).document["runs"]
    assert (found["cases"], found["judged"], found["flagged"], found["flagged_rate"]) == (3, 2, 1, 0.5)
    (_, line) = run("runs", "list", folder=tmp_path).out.splitlines()
    assert re.search(r"\d{4}-\d\d-\d\d \d\d:\d\d  finished  3 +2 of 3  1 flagged", line)


def test_a_list_says_which_part_of_a_suite_was_used(tmp_path: Path) -> None:
    def friend(messages: object) -> str:
        return GOOD

    with ih.open_journal(tmp_path / "runs.db") as journal:
        ih.run("core", subject=ih.CallableModel(friend, version="1"), limit=3, journal=journal)
    assert "core (3 of 88 cases)" in run("runs", "list", "--db", "runs.db", folder=tmp_path).out
    assert "core (3 of 88 cases)" in run("report", "last", "--db", "runs.db", folder=tmp_path).out


def test_a_run_whose_process_is_gone_is_not_running(tmp_path: Path) -> None:
    judge(tmp_path, GOOD)
    program = (
        "import os; from pathlib import Path; from iamhumans.runs.journal.journal import Journal\n"
        "Journal.open(Path('.iamhumans/journal.db')).begin_run({'command': 'judge', 'input': 'x'}); os._exit(9)"
    )
    subprocess.run([sys.executable, "-c", program], cwd=tmp_path, check=False)
    newest, _ = run("runs", "list", "--json", folder=tmp_path).document["runs"]
    assert newest["status"] == "stopped"
    with ih.open_journal(tmp_path / ".iamhumans" / "journal.db") as journal:
        begun = journal.core.begin_run({"command": "judge", "input": "x"})
        assert (begun.name, begun.status) == (newest["run"], "running")


def test_show_has_the_figures_of_a_run(tmp_path: Path) -> None:
    name = judge(tmp_path, GOOD, STOCK, "…")
    document = run("runs", "show", name, "--json", folder=tmp_path).document
    assert (document["run"], document["status"], document["asked"]) == (name, "finished", 3)
    (group,) = document["groups"]
    assert (group["judged"], group["zeroed"], group["unjudged"]) == (2, 1, {"no_reply": 1})
    assert document["headline"]["groups"][0]["flagged_rate"]["value"] == 0.5
    text = " ".join(run("runs", "show", name, folder=tmp_path).out.split())
    assert "2 of 3 judged (1 conversation). Flagged: 1 of 2, by the criteria that this judge sees." in text
    assert "unjudged 1 no_reply" in text


@pytest.mark.parametrize("command", ["show", "export", "delete"])
def test_a_run_may_be_named_by_its_beginning(tmp_path: Path, command: str) -> None:
    name = judge(tmp_path, GOOD)
    more = ("--yes",) if command == "delete" else ()
    assert run("runs", command, name[:4], *more, folder=tmp_path).code == 0


@pytest.mark.parametrize("command", ["show", "export", "delete"])
@pytest.mark.parametrize("name", ["nothing", "", "%", "\x1b[31m"])
def test_a_run_that_is_not_there_ends_with_2(tmp_path: Path, command: str, name: str) -> None:
    judge(tmp_path, GOOD)
    done = run("runs", command, name, folder=tmp_path)
    assert (done.code, done.out) == (2, "")
    assert_one_paragraph(done.err)
    assert "\x1b" not in done.err


def test_export_as_one_document_is_what_judge_printed(tmp_path: Path) -> None:
    name = judge(tmp_path, GOOD, STOCK)
    printed = run("judge", "replies.jsonl", "--json", folder=tmp_path)
    assert run("runs", "export", name, "--json", folder=tmp_path).out == printed.out


def test_an_exported_run_is_imported_elsewhere_and_stays_marked(tmp_path: Path) -> None:
    name = judge(tmp_path, GOOD, STOCK)
    done = run("runs", "export", name, "-o", "out.jsonl", folder=tmp_path)
    assert (done.code, done.out) == (0, "")
    lines = (tmp_path / "out.jsonl").read_text()
    assert lines == run("runs", "export", name, folder=tmp_path).out
    first = run("runs", "import", "out.jsonl", "--db", "other.db", folder=tmp_path)
    assert (first.code, first.out) == (0, f"imported {name}\n")
    assert run("runs", "import", "out.jsonl", "--db", "other.db", folder=tmp_path) == first
    (found,) = run("runs", "list", "--json", "--db", "other.db", folder=tmp_path).document["runs"]
    assert (found["run"], found["imported"]) == (name, True)
    here, there = (
        run("report", name, "--format", "csv", *more, folder=tmp_path) for more in ((), ("--db", "other.db"))
    )
    assert here.out == there.out
    assert "imported" in run("runs", "show", name, "--db", "other.db", folder=tmp_path).out
    gate = ("gate", name, "--max-flagged-rate", "1", "--db", "other.db")
    assert "--accept-imported" in run(*gate, folder=tmp_path).out + run(*gate, folder=tmp_path).err


@pytest.mark.parametrize("content", [None, "", "nonsense", '{"input": "a", "reply": "b"}'])
def test_what_is_no_export_is_not_imported(tmp_path: Path, content: str | None) -> None:
    if content is not None:
        (tmp_path / "some.jsonl").write_text(content)
    done = run("runs", "import", "some.jsonl", folder=tmp_path)
    assert (done.code, done.out) == (2, "")
    assert_one_paragraph(done.err)
    assert names(tmp_path) == []


def test_export_into_a_file_that_cannot_be_written_ends_with_2(tmp_path: Path) -> None:
    name = judge(tmp_path, GOOD)
    done = run("runs", "export", name, "-o", "no/where.csv", folder=tmp_path)
    assert done.code == 2
    assert_one_paragraph(done.err)


def test_csv_has_a_row_for_each_judgement(tmp_path: Path) -> None:
    name = judge(tmp_path, GOOD, STOCK, "…", subject="s")
    rows = list(csv.DictReader(io.StringIO(run("runs", "export", name, "--format", "csv", folder=tmp_path).out)))
    assert [(row["case_id"], row["status"], row["reason"], row["total"]) for row in rows] == [
        ("row-1", "judged", "", ""),
        ("row-2", "judged", "", "0"),
        ("row-3", "unjudged", "no_reply", ""),
    ]
    assert "empty_validation" in rows[1]["hard_fails"].split()


@pytest.mark.parametrize("subject", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", " =1", "\n=1", "＝1"])
def test_no_cell_of_a_csv_is_a_formula(tmp_path: Path, subject: str) -> None:
    name = judge(tmp_path, GOOD, subject=subject)
    (row,) = csv.DictReader(io.StringIO(run("runs", "export", name, "--format", "csv", folder=tmp_path).out))
    assert row["subject"].startswith("'")


def test_delete_without_a_terminal_needs_a_yes(tmp_path: Path) -> None:
    name = judge(tmp_path, GOOD)
    done = run("runs", "delete", name, stdin=b"y\n", folder=tmp_path)
    assert (done.code, done.out) == (2, "")
    assert_one_paragraph(done.err)
    assert names(tmp_path) == [name]


def test_delete_with_a_yes_deletes(tmp_path: Path) -> None:
    name, other = judge(tmp_path, GOOD), judge(tmp_path, STOCK)
    done = run("runs", "delete", name, "--yes", "--quiet", folder=tmp_path)
    assert (done.code, done.out, done.err) == (0, f"deleted {name}\n", "")
    assert names(tmp_path) == [other]
    assert run("runs", "show", name, folder=tmp_path).code == 2


def test_a_run_that_shares_judgements_with_a_deleted_one_is_whole(tmp_path: Path) -> None:
    both = judge(tmp_path, GOOD, STOCK)
    name = judge(tmp_path, GOOD)
    before = run("runs", "export", name, folder=tmp_path).out
    run("runs", "delete", both, "--yes", folder=tmp_path)
    assert run("runs", "export", name, folder=tmp_path).out == before


@pytest.mark.parametrize(("typed", "left", "code"), [(b"\n", 1, 2), (b"y\n", 0, 0)])
def test_delete_asks_on_a_terminal(tmp_path: Path, typed: bytes, left: int, code: int) -> None:
    name = judge(tmp_path, GOOD)
    done: Done = run_in_terminal("runs", "delete", name, folder=tmp_path, typed=typed)
    assert f"Delete run {name}" in done.out
    assert done.code == code
    assert len(names(tmp_path)) == left
