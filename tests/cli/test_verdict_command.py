"""``iamhumans verdict`` from the outside."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.builders import verdict_of
from tests.commands import assert_one_paragraph, run

KEYS = [
    *("file", "status", "reason", "detail", "case_id", "axes", "defaulted", "hard_fails", "zeroed"),
    *(
        "total",
        "total_confirmed",
        "axis_total",
        "applicable_total",
        "verdict",
        "stated",
        "differences",
        "repairs",
        "notes",
    ),
]
UNJUDGED = "I cannot judge this.\n"


def write(folder: Path, **texts: str) -> None:
    for name, text in texts.items():
        (folder / f"{name}.yaml").write_text(text)


def test_a_verdict_is_one_json_line_with_the_documented_keys(tmp_path: Path) -> None:
    write(tmp_path, a=verdict_of(total=12, outcome="PASS"))
    done = run("verdict", "a.yaml", folder=tmp_path)
    assert done.code == 0
    (line,) = done.lines
    assert list(line) == KEYS, list(line)
    assert (line["file"], line["status"], line["total"], line["verdict"]) == ("a.yaml", "judged", 80, "PASS")
    assert line["stated"] == {"total": 12, "verdict": "PASS"}
    assert line["differences"] == ["total"]
    assert len(line["hard_fails"]) == 10


def test_what_the_judge_claimed_wrongly_is_warned_of(tmp_path: Path) -> None:
    write(tmp_path, a=verdict_of(total=12, outcome="FAIL"))
    done = run("verdict", "a.yaml", folder=tmp_path)
    assert done.err == "a.yaml: the stated total and verdict do not follow from the verdict's own answers\n"
    quiet = run("verdict", "a.yaml", "--quiet", folder=tmp_path)
    assert (quiet.out, quiet.err) == (done.out, "")


def test_a_total_that_leaves_out_na_is_said_in_words(tmp_path: Path) -> None:
    write(tmp_path, a=verdict_of(total=80, axes={"empathy_fit": 8, "repair_quality": "N/A"}))
    done = run("verdict", "a.yaml", folder=tmp_path)
    assert done.err == "a.yaml: the stated total leaves N/A axes out of the mean, where they count as 10\n"


def test_an_unjudged_file_ends_with_3_and_has_no_figure(tmp_path: Path) -> None:
    write(tmp_path, a=verdict_of(), b=UNJUDGED)
    done = run("verdict", "b.yaml", "a.yaml", folder=tmp_path)
    assert done.code == 3
    line = done.lines[0]
    assert line["status"] == "unjudged"
    assert {line[key] for key in KEYS[4:]} == {None}


@pytest.mark.parametrize("name", ["no.yaml", "folder", "latin1.yaml", "huge.yaml"])
def test_a_file_that_cannot_be_read_ends_with_2_and_costs_no_other(tmp_path: Path, name: str) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "latin1.yaml").write_bytes(b"axes: caf\xe9\n")
    (tmp_path / "huge.yaml").write_text(" " * 1_000_001)
    write(tmp_path, a=verdict_of(), b=UNJUDGED)
    done = run("verdict", name, "a.yaml", "b.yaml", folder=tmp_path)
    assert done.code == 2
    assert [line["file"] for line in done.lines] == ["a.yaml", "b.yaml"]
    assert_one_paragraph(done.err)
    assert name in done.err


def test_json_is_one_document(tmp_path: Path) -> None:
    write(tmp_path, a=verdict_of(), b=UNJUDGED)
    arguments = ("verdict", "a.yaml", "b.yaml")
    one, lines = run(*arguments, "--json", folder=tmp_path), run(*arguments, folder=tmp_path)
    assert one.code == lines.code == 3
    assert one.document == {"verdicts": lines.lines}


def test_a_verdict_on_standard_input(tmp_path: Path) -> None:
    done = run("verdict", "-", stdin=verdict_of().encode(), folder=tmp_path)
    assert (done.code, done.lines[0]["file"], done.lines[0]["total"]) == (0, "-", 80)


def test_the_case_that_was_asked_for_is_demanded(tmp_path: Path) -> None:
    write(tmp_path, a=verdict_of(case_id="BAK-001"))
    assert run("verdict", "a.yaml", "--case-id", "BAK-001", folder=tmp_path).code == 0
    done = run("verdict", "a.yaml", "--case-id", "BAK-002", folder=tmp_path)
    assert (done.code, done.lines[0]["reason"]) == (3, "wrong_case")


@pytest.mark.parametrize(("said", "confirmed"), [("so sorry", True), ("so very sorry", False)])
def test_quotes_are_checked_against_the_reply(tmp_path: Path, said: str, confirmed: bool) -> None:
    write(tmp_path, a=verdict_of(yes={"pity": [said]}))
    (tmp_path / "reply.txt").write_text("I'm so  sorry.\n")
    flag = run("verdict", "a.yaml", "--reply", "reply.txt", folder=tmp_path).lines[0]["hard_fails"]["pity"]
    assert flag == {"present": True, "quotes": [said], "confirmed": confirmed}


def test_another_rubric_is_followed(tmp_path: Path) -> None:
    write(tmp_path, a=verdict_of())
    (tmp_path / "mine.yaml").write_text("name: mine\nextends: iamhumans\nscoring: {pass_mark: 81}\n")
    assert run("verdict", "a.yaml", "--rubric", "mine.yaml", folder=tmp_path).lines[0]["verdict"] == "FAIL"


@pytest.mark.parametrize("option", ["--rubric", "--reply"])
def test_an_option_s_file_that_is_not_there_ends_with_2(tmp_path: Path, option: str) -> None:
    write(tmp_path, a=verdict_of())
    done = run("verdict", "a.yaml", option, "no.txt", folder=tmp_path)
    assert (done.code, done.out) == (2, "")
    assert_one_paragraph(done.err)


@pytest.mark.parametrize("sign", ["\x1b", "\x9b", "\x7f", "\u202e", "\u2028", "\u200b", "\U000e0041"])
def test_what_could_steer_a_terminal_is_an_escape_that_means_the_same(tmp_path: Path, sign: str) -> None:
    text = verdict_of().replace("notes: |\n  Warm and short.", f"notes: |\n  Warm{sign}[31m and short. é")
    write(tmp_path, a=text)
    done = run("verdict", "a.yaml", folder=tmp_path)
    assert sign not in done.out
    assert "é" in done.out
    if done.lines[0]["status"] == "judged":
        assert "[31m and short" in done.lines[0]["notes"]
