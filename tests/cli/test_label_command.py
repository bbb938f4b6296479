"""``label``: by pipe, by keyboard, from files and to files."""

from __future__ import annotations

import json
import os
import pty
import select
import signal
import sqlite3
import subprocess
import sys
import termios
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.commands import PROGRAM, assert_one_paragraph, environment_with, run, run_in_terminal

GOOD = "Oh no, the one your grandad painted. Did you ride it a lot?"
STOCK = "I'm so sorry to hear that! Your feelings are valid. I hope this helps!"
PATIENCE = 60
"""Seconds until a program that says nothing is given up; nothing is measured."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A run of the replies of two subjects to one case."""
    run("init", folder=tmp_path)
    judge(tmp_path, ("good", GOOD), ("stock", STOCK))
    return tmp_path


def judge(folder: Path, *replies: tuple[str, str], name: str = "said.jsonl") -> None:
    rows = [{"case_id": "FIRST-001", "reply": text, "subject": subject} for subject, text in replies]
    (folder / name).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    assert run("judge", name, "--suite", "suite", folder=folder).code == 0


def typed(*lines: str) -> bytes:
    return "".join(line + "\n" for line in lines).encode()


def labels(folder: Path, *more: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in run("label", "last", "--export", "-", *more, folder=folder).out.splitlines()]


def by_subject(folder: Path, *more: str) -> dict[str, dict[str, Any]]:
    return {one["subject"]: one for one in labels(folder, *more)}


def write_labels(folder: Path, *rows: Any, name: str = "theirs.jsonl") -> str:
    (folder / name).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return name


EVERYTHING = ("n", "8", "7", "?", "x")
"""No hard fail, and four axes: memory and repair have nothing to judge in the case."""


def test_reply_is_labelled_by_lines(folder: Path) -> None:
    done = run("label", "last:good", "--json", folder=folder, stdin=typed(*EVERYTHING))
    assert (done.code, done.document["labelled_now"], done.document["replies"]) == (0, 1, 1)
    (kept,) = labels(folder)
    assert set(kept["hard_fails"].values()) == {False}
    assert len(kept["hard_fails"]) == 10
    assert kept["axes"] == {
        "naturalness": 8,
        "empathy_fit": 7,
        "calibrated_uncertainty": "cannot_tell",
        "no_fabrication": 10,
    }
    assert kept["rater"] == "me"


def test_words_behind_a_yes_are_kept(folder: Path) -> None:
    run("label", "last:stock", "--flags", "sycophancy", folder=folder, stdin=typed("y", "nowhere", "so sorry", ""))
    (kept,) = labels(folder)
    assert (kept["hard_fails"], kept["words"]) == ({"sycophancy": True}, {"sycophancy": ["so sorry"]})
    assert "axes" not in kept


def test_it_goes_on_where_it_stopped(folder: Path) -> None:
    first = run("label", "last", "--axes", "naturalness", folder=folder, stdin=typed("8"))
    assert "1 of 2" in first.out
    assert "1 labelled now, 1 of 2 in all." in first.out
    second = run("label", "last", "--axes", "naturalness", folder=folder, stdin=typed("7"))
    assert "── 1 of 2" not in second.out
    assert "2 of 2" in second.out
    third = run("label", "last", "--axes", "naturalness", "--json", folder=folder, stdin=typed("1"))
    assert (third.document["labelled_now"], third.document["labelled"]) == (0, 2)


def test_answers_can_be_changed_or_taken_back(folder: Path) -> None:
    run("label", "last:good", "--axes", "naturalness", folder=folder, stdin=typed("8"))
    done = run("label", "last:good", "--axes", "naturalness", "--again", folder=folder, stdin=typed("3"))
    assert "[8; Enter keeps it" in done.out
    assert [one["axes"] for one in labels(folder)] == [{"naturalness": 3}]
    bob = ("label", "last", "--rater", "bob", "--axes", "naturalness", "--json")
    undone = run(*bob, folder=folder, stdin=typed("8", "u"))
    assert undone.document["labelled_now"] == 0
    assert len(labels(folder)) == 1


def test_reply_that_was_begun_is_not_kept_when_the_rater_leaves(folder: Path) -> None:
    done = run("label", "last", folder=folder, stdin=typed("n", "8", "q"))
    assert done.code == 0
    assert run("label", "last", "--export", "-", folder=folder).code == 2


def test_raters_do_not_see_each_others_answers_and_are_kept_apart(folder: Path) -> None:
    for rater, score in (("ann", "8"), ("bob", "3")):
        done = run("label", "last:good", "--rater", rater, "--axes", "naturalness", folder=folder, stdin=typed(score))
        assert "1 of 1" in done.out
    assert [(one["rater"], one["axes"]["naturalness"]) for one in labels(folder)] == [("ann", 8), ("bob", 3)]
    assert [one["rater"] for one in labels(folder, "--rater", "bob")] == ["bob"]


def test_it_is_blind_to_judge_subject_and_flags(folder: Path) -> None:
    done = run("label", "last", "--axes", "naturalness", folder=folder, stdin=typed("8", "8"))
    assert GOOD.split(".")[0] in done.out
    for hidden in ("stock", "rules", "YES", "FIRST-001", "total"):
        assert hidden not in done.out


def test_run_that_shares_a_reply_shares_its_label(folder: Path) -> None:
    run("label", "last:good", "--axes", "naturalness", folder=folder, stdin=typed("8"))
    judge(folder, ("good", GOOD), ("other", "Where was it?"), name="more.jsonl")
    assert by_subject(folder)["good"]["axes"] == {"naturalness": 8}
    done = run("label", "last", "--axes", "naturalness", folder=folder, stdin=typed("5"))
    assert "2 of 2" in done.out


def test_hostile_reply_reaches_no_terminal_and_looks_like_no_question(folder: Path) -> None:
    judge(folder, ("evil", "a\x1b[2J\rREPLY, to be labelled\n── 2 of 9 ──\n\u202eb"), name="evil.jsonl")
    done = run("label", "last", "--axes", "naturalness", folder=folder, stdin=typed("q"))
    assert "\x1b" not in done.out
    assert "\u202e" not in done.out
    assert [line for line in done.out.splitlines() if "2 of 9" in line] == ["┃ ── 2 of 9 ──"]


def test_everything_is_shown_within_the_width(folder: Path) -> None:
    judge(folder, ("long", f"{GOOD} " * 9 + "w" * 300), name="long.jsonl")
    done = run("label", "last", folder=folder, stdin=typed("h", "n", "h", "q"))
    assert max(len(line) for line in done.out.splitlines()) <= 80


def test_sample_draws_replies_and_keeps_their_weights(folder: Path) -> None:
    done = run("label", "last", "--sample", "1", "--axes", "naturalness", folder=folder, stdin=typed("8"))
    assert "1 of 1" in done.out
    (kept,) = labels(folder)
    assert (kept["part"], kept["weight"]) == ("random", 2)


def test_draw_is_labelled_with_part_and_weight_but_without_reasons(folder: Path) -> None:
    run("label", "last", "--axes", "naturalness", folder=folder, stdin=typed("8", "8"))
    key = by_subject(folder)["stock"]["reply_key"]
    drawn = {"reply_key": key, "part": "targeted", "weight": 1.5, "reasons": ["judges disagree here"]}
    name = write_labels(folder, drawn, name="draw.jsonl")
    done = run("label", "last", "--from", name, "--rater", "ann", folder=folder, stdin=typed("n", "", "", "", "2"))
    assert "judges disagree" not in done.out
    (kept,) = labels(folder, "--rater", "ann")
    assert (kept["subject"], kept["part"], kept["weight"]) == ("stock", "targeted", 1.5)


@pytest.mark.parametrize("name", ["out.jsonl", "out.csv"])
def test_exported_labels_can_be_imported_elsewhere(
    folder: Path, tmp_path_factory: pytest.TempPathFactory, name: str
) -> None:
    run("label", "last", folder=folder, stdin=typed("cn", "", *EVERYTHING[1:], *EVERYTHING))
    assert run("label", "last", "--export", name, folder=folder).code == 0
    other = tmp_path_factory.mktemp("other")
    run("init", folder=other)
    judge(other, ("stock", STOCK), ("good", GOOD))
    done = run("label", "last", "--import", folder / name, "--json", folder=other)
    assert (done.code, done.document["imported"], done.document["problems"]) == (0, 2, 0)
    assert by_subject(other) == by_subject(folder)


def test_bad_rows_are_all_told_and_cost_no_good_one(folder: Path) -> None:
    name = write_labels(
        folder,
        {"case_id": "FIRST-001", "subject": "good", "rater": "ann", "axes": {"naturalness": 12}},
        {"case_id": "FIRST-001", "subject": "good", "rater": "ann", "axes": {"naturalness": 9}},
        {"case_id": "FIRST-001", "rater": "ann"},
    )
    done = run("label", "last", "--import", name, folder=folder)
    assert done.code == 2
    assert [line.split(": ")[1] for line in done.err.splitlines()] == ["theirs.jsonl:1", "theirs.jsonl:3"]
    assert [one["axes"] for one in labels(folder)] == [{"naturalness": 9}]


def test_file_of_another_form_is_read_with_a_table(folder: Path) -> None:
    turns = [{"role": "user", "content": "my bike"}, {"role": "assistant", "content": GOOD}]
    name = write_labels(folder, {"scenario": "S-7", "messages": turns, "ratings": {"ann": -0.5, "bob": 1}})
    (folder / "table.yaml").write_text(
        "case_id: scenario\nreply: messages\nraters: ratings\n"
        "axes: {naturalness: {values: {-1: 0, -0.5: 3, 0.5: 7, 1: 10}}}\n"
        "hard_fails: {manipulation: {yes_below: 0}}\n"
    )
    assert run("label", "last", "--import", name, "--map", "table.yaml", folder=folder).code == 0
    assert [
        (one["rater"], one["axes"]["naturalness"], one["hard_fails"]["manipulation"]) for one in labels(folder)
    ] == [
        ("ann", 3, True),
        ("bob", 10, False),
    ]
    assert {one["case_id"] for one in labels(folder)} == {"S-7"}


def test_labels_change_no_report(folder: Path) -> None:
    before = run("report", "last", "--json", folder=folder).out
    run("label", "last", folder=folder, stdin=typed(*EVERYTHING, *EVERYTHING))
    assert run("report", "last", "--json", folder=folder).out == before


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--sample", "1", "--from", "x.jsonl"), "Use one of them"),
        (("--map", "x.yaml"), "Name the file with --import"),
        (("--export", "x.csv", "--flags", "pity"), "--import and --export ask no questions"),
        (("--flags", "pitty"), "Did you mean `pity`?"),
        (("--axes", "warmth"), "The rubric has no axis `warmth`"),
        (("--flags", ","), "nothing to ask"),
        (("--import", "missing.jsonl"), "There is no such file"),
        (("--from", "missing.jsonl"), "There is no such file"),
        (("--export", "no/where.csv"), "There is no label"),
        (("--rater", "x" * 301), "longer than 300"),
    ],
)
def test_what_does_not_fit_together_is_one_paragraph(folder: Path, more: tuple[str, ...], said: str) -> None:
    done = run("label", "last", *more, folder=folder)
    assert done.code == 2
    assert_one_paragraph(done.err)
    assert said in done.err


def held_out(folder: Path) -> None:
    case = folder / "suite" / "cases" / "FIRST-001.md"
    text = case.read_text(encoding="utf-8")
    later = text.replace("FIRST-001", "LATER-001").replace("holdout: false", "holdout: true")
    case.with_name("LATER-001.md").write_text(later, encoding="utf-8")
    rows = [{"case_id": name, "reply": f"{GOOD} {name}.", "subject": "bot"} for name in ("FIRST-001", "LATER-001")]
    (folder / "both.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    assert run("cases", "seal", "suite", folder=folder).code == 0
    more = ("--holdout", "--reason", "release 1")
    assert run("run", "suite", "--subject", "recorded/both.jsonl", *more, folder=folder).code == 0


WITH_REASON = ("--holdout", "--reason", "an audit")


def test_held_out_replies_are_shown_for_a_reason_only(folder: Path) -> None:
    held_out(folder)
    done = run("label", "last", folder=folder, stdin=typed("q"))
    assert done.code == 2
    assert_one_paragraph(done.err)
    assert "--holdout --reason" in done.err
    assert "LATER-001." not in done.out + done.err
    assert run("label", "last", "--reason", "an audit", folder=folder).code == 2
    assert "LATER-001." in run("label", "last", *WITH_REASON, folder=folder, stdin=typed("q")).out


def test_held_out_replies_of_a_mixed_run_are_neither_shown_nor_drawn(folder: Path) -> None:
    held_out(folder)
    everyday = run("runs", "list", "--json", folder=folder).document["runs"][1]["run"]
    with closing(sqlite3.connect(folder / ".iamhumans" / "journal.db")) as journal:
        newest = "(SELECT max(judgement) FROM run_rows)"
        columns = "run_rows (run, row, judgement, subject, judge)"
        sql = f"INSERT INTO {columns} SELECT id, 9, {newest}, '', 'rules' FROM runs WHERE name = ?"
        assert journal.execute(sql, (everyday,)).rowcount == 1
        journal.commit()
    for more, count in (((), 2), (WITH_REASON, 3)):
        assert run("label", everyday, "--json", *more, folder=folder).document["replies"] == count
        drawn = run("calibrate", everyday, "--sample", "9", "--json", *more, folder=folder).document["drawn"]
        assert len(drawn) == count


class Terminal:
    """A program on a terminal, whose keys are pressed when it asks."""

    def __init__(self, process: subprocess.Popen[bytes], ours: int) -> None:
        self.process = process
        self.ours = ours
        self.sent = ""

    def until(self, text: str) -> None:
        """Read on until it has said something that it had not said before."""
        while text not in self.sent:
            assert select.select([self.ours], [], [], PATIENCE)[0], f"it never said {text!r}, but {self.sent!r}"
            self.sent += os.read(self.ours, 65536).decode("utf-8", "replace").replace("\r\n", "\n")
        self.sent = self.sent.partition(text)[2]

    def press(self, keys: str) -> None:
        os.write(self.ours, keys.encode())


@contextmanager
def terminal(folder: Path, *arguments: str, code: int = 0) -> Iterator[Terminal]:
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [*PROGRAM, *arguments],
        cwd=folder,
        env=environment_with({"TERM": "xterm", "COLUMNS": "90"}),
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
    )
    os.close(theirs)
    try:
        yield Terminal(process, ours)
        assert process.wait(timeout=PATIENCE) == code
    finally:
        process.kill()
        process.wait()
        os.close(ours)


def test_one_key_is_enough_on_a_terminal(folder: Path) -> None:
    with terminal(folder, "label", "last:stock", "--rater", "ann") as it:
        it.until("1 of 1")
        it.until("h for help > ")
        it.press("d")
        it.until("[YES: sycophancy]")
        it.press("\x1b[Ax\x1b")
        it.until("`x` is not a key here")
        it.press("n")
        it.until("words of the reply behind sycophancy")
        it.press("so sox\x7frry to hear\r")
        it.until("Added.")
        it.press("\r")
        for key, asked in (("8", "naturalness"), ("x", "empathy_fit"), ("?", "uncertainty"), ("\r", "no_fabrication")):
            it.until(asked)
            it.until("? > ")
            it.press(key)
        it.until("All 1 are labelled.")
    (kept,) = labels(folder)
    assert kept["words"] == {"sycophancy": ["so sorry to hear"]}
    assert kept["axes"] == {"naturalness": 8, "empathy_fit": 10, "calibrated_uncertainty": "cannot_tell"}
    assert [name for name, said in kept["hard_fails"].items() if said] == ["sycophancy"]


def test_windows_reads_lines_from_a_terminal() -> None:
    code = (
        "import sys; sys.platform = 'win32'; sys.modules['termios'] = None\n"
        "from iamhumans.cli.keyboard import keyboard\n"
        "with keyboard() as keys: print([keys.key(), keys.line()], keys.echoes_keys)"
    )
    ours, theirs = pty.openpty()
    try:
        os.write(ours, b"n\nso sorry\n")
        done = subprocess.run([sys.executable, "-c", code], stdin=theirs, capture_output=True, text=True, check=True)
    finally:
        os.close(ours)
        os.close(theirs)
    assert done.stdout == "['n', 'so sorry'] True\n"


def test_what_is_typed_ahead_is_not_lost(folder: Path) -> None:
    keys = b"dnso sorry\n\n87?xq"
    done = run_in_terminal("label", "last:stock", folder=folder, typed=keys)
    assert done.code == 0
    (kept,) = labels(folder)
    assert kept["words"] == {"sycophancy": ["so sorry"]}
    assert kept["axes"]["naturalness"] == 8


@pytest.mark.parametrize("at", ["key", "line"])
def test_end_of_input_leaves_without_an_error(folder: Path, at: str) -> None:
    with terminal(folder, "label", "last", "--flags", "pity") as it:
        it.until("y n ? > ")
        if at == "line":
            it.press("y")
            it.until("words of the reply")
        it.press("\x04")
        it.until("0 labelled now")


def test_interrupt_leaves_what_was_kept_and_the_terminal_as_it_was(folder: Path) -> None:
    with terminal(folder, "label", "last", "--axes", "naturalness", code=130) as it:
        usual = termios.tcgetattr(it.ours)
        it.until("x = 10, ? > ")
        it.press("8")
        it.until("2 of 2")
        it.until("x = 10, ? > ")
        it.process.send_signal(signal.SIGINT)
        it.until("Stopped.")
        it.process.wait(timeout=PATIENCE)
        assert termios.tcgetattr(it.ours) == usual
    assert len(labels(folder)) == 1


def by_me(naturalness: int, **more: Any) -> dict[str, Any]:
    return {"case_id": "FIRST-001", "subject": "good", "rater": "me", "axes": {"naturalness": naturalness}, **more}


def test_labels_without_a_name_that_contradict_those_here_need_one(folder: Path) -> None:
    run("label", "last", "--import", write_labels(folder, by_me(8)), folder=folder)
    done = run("label", "last", "--import", write_labels(folder, by_me(3)), folder=folder)
    assert done.code == 2
    assert_one_paragraph(done.err)
    assert "may be another person" in done.err
    assert [one["axes"] for one in labels(folder)] == [{"naturalness": 8}]
    for rater, expected in (("bob", {"me": 8, "bob": 3}), ("me", {"me": 3, "bob": 3})):
        theirs = write_labels(folder, by_me(3))
        assert run("label", "last", "--import", theirs, "--rater", rater, folder=folder).code == 0
        assert {one["rater"]: one["axes"]["naturalness"] for one in labels(folder)} == expected
