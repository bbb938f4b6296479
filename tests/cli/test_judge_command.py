"""``iamhumans judge`` with the judges that need no model, from the outside."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.builders import verdict_of
from tests.commands import Done, assert_one_paragraph, run

GOOD = "Oh no. The one with the poppy rolls? You went there every Sunday."
STOCK = "I'm so sorry to hear that! Your feelings are completely valid. I'm here for you."
OF_A_VERDICT = (
    *("axes", "defaulted", "hard_fails", "total", "total_confirmed", "axis_total", "applicable_total"),
    *("verdict", "stated", "differences", "repairs", "notes"),
)
READ_AS = "replies.jsonl: read as messages (messages with a role and a content, as OpenAI has them)\n"
CASE = """\
---
id: {id}
title: {title}
dimensions: [feeling]
{extra}---

## input

the bakery on my corner closed today

## rubric

- Stays with the bakery

## failure_modes

- Recommends another
"""


def chat(reply: str, said: str = "the bakery on my corner closed today", **more: Any) -> dict[str, Any]:
    return {"messages": [{"role": "user", "content": said}, {"role": "assistant", "content": reply}], **more}


def write_rows(folder: Path, *rows: object, name: str = "replies.jsonl") -> Path:
    """A file with a line for each row; bytes stand in it as they are."""
    path = folder / name
    path.write_bytes(b"".join((row if isinstance(row, bytes) else json.dumps(row).encode()) + b"\n" for row in rows))
    return path


def write_suite(folder: Path, *ids: str, extra: str = "", title: str = "The bakery closes") -> Path:
    suite = folder / "suite"
    suite.mkdir(exist_ok=True)
    for case_id in ids:
        (suite / f"{case_id}.md").write_text(CASE.format(id=case_id, extra=extra, title=title))
    return suite


def write_verdict(path: Path, text: str, **beside: str) -> Path:
    """A verdict file, with the reply or other things beside the verdict."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(yaml.safe_dump(beside, allow_unicode=True) * bool(beside) + text)
    return path


def judged(folder: Path, *arguments: str | Path) -> list[Any]:
    done = run("judge", *arguments, "--json", folder=folder)
    found: list[Any] = done.document["judgements"]
    return found


def judge_row(folder: Path, *rows: object) -> Done:
    write_rows(folder, *rows)
    return run("judge", "replies.jsonl", "--json", folder=folder)


# What is judged, and what comes out.


def test_chats_are_judged_in_their_order(tmp_path: Path) -> None:
    done = judge_row(tmp_path, chat(GOOD), chat(STOCK, subject="stock"), chat(GOOD))
    assert (done.code, done.err) == (0, READ_AS)
    found = [(line["row"], line["case_id"], line["subject"], line["verdict"]) for line in done.document["judgements"]]
    assert found == [(1, "row-1", "", None), (2, "row-2", "stock", "FAIL"), (3, "row-3", "", None)]


def test_an_unjudged_reply_has_no_figure_and_ends_with_0_unless_min_judged_demands_more(tmp_path: Path) -> None:
    done = judge_row(tmp_path, chat(GOOD), chat(""))
    assert done.code == 0
    demanding = run("judge", "replies.jsonl", "--min-judged", "0.9", folder=tmp_path)
    assert demanding.code == 3
    assert "1 of 2" in demanding.err
    line = done.document["judgements"][1]
    assert (line["status"], line["reason"]) == ("unjudged", "no_reply")
    assert {line[key] for key in OF_A_VERDICT} == {None}


def test_nothing_judged_ends_with_4(tmp_path: Path) -> None:
    done = judge_row(tmp_path, chat(""), chat("…"))
    assert done.code == 4
    assert_one_paragraph(done.err.removeprefix(READ_AS))
    assert done.document["summary"]["judged"] == 0


def test_replies_to_cases_need_their_suite(tmp_path: Path) -> None:
    suite = write_suite(tmp_path, "BAK-1", "BAK-2")
    write_rows(tmp_path, {"case_id": "BAK-2", "reply": GOOD, "subject": "a", "number": 2})
    assert [
        (line["case_id"], line["subject"], line["number"])
        for line in judged(tmp_path, "replies.jsonl", "--suite", suite)
    ] == [("BAK-2", "a", 2)]
    done = run("judge", "replies.jsonl", folder=tmp_path)
    assert done.code == 2
    assert "no suite was named" in done.err


def test_one_reply_in_a_text_file_with_what_was_said(tmp_path: Path) -> None:
    (tmp_path / "reply.txt").write_text(STOCK)
    done = run("judge", "reply.txt", "--input", "the bakery closed", "--json", folder=tmp_path)
    assert [(line["case_id"], line["verdict"]) for line in done.document["judgements"]] == [("row-1", "FAIL")]


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ((), "looks like one reply in a text file"),
        (("--case", "BAK-1"), "--case needs a suite"),
        (("--case", "BAK-9", "--suite", "suite"), "has no case BAK-9"),
        (("--case", "BAK-1", "--suite", "suite", "--input", "hello"), "both say what the reply answers"),
        (("--case", "HELD-1", "--suite", "suite"), "is held out"),
    ],
)
def test_options_for_one_reply_that_do_not_fit_end_with_2(
    tmp_path: Path, arguments: tuple[str, ...], problem: str
) -> None:
    write_suite(tmp_path, "HELD-1", extra="holdout: true\n")
    write_suite(tmp_path, "BAK-1")
    (tmp_path / "reply.txt").write_text(GOOD)
    done = run("judge", "reply.txt", *arguments, folder=tmp_path)
    assert (done.code, done.out) == (2, "")
    assert_one_paragraph(done.err)
    assert problem in done.err


def test_a_file_of_many_replies_is_not_taken_for_one(tmp_path: Path) -> None:
    write_rows(tmp_path, chat(GOOD))
    done = run("judge", "replies.jsonl", "--input", "hello", folder=tmp_path)
    assert done.code == 2
    assert "looks like a file of many rows" in done.err


def test_a_reply_on_standard_input(tmp_path: Path) -> None:
    done = run("judge", "-", "--input", "the bakery closed", "--json", stdin=STOCK.encode(), folder=tmp_path)
    assert done.document["judgements"][0]["verdict"] == "FAIL"


def test_rows_on_standard_input(tmp_path: Path) -> None:
    rows = write_rows(tmp_path, chat(GOOD), chat(STOCK)).read_bytes()
    done = run("judge", "-", "--json", stdin=rows, folder=tmp_path)
    assert done.out == run("judge", "replies.jsonl", "--json", folder=tmp_path).out


def test_a_persona_makes_a_told_life_no_fabrication(tmp_path: Path) -> None:
    (tmp_path / "persona.md").write_text("You are Mira. Your mum ran a bakery in Graz, and you grew up in it.")
    write_rows(tmp_path, chat("Oh no. My mum ran a bakery."))
    plain = judged(tmp_path, "replies.jsonl")[0]
    played = judged(tmp_path, "replies.jsonl", "--persona", "persona.md")[0]
    assert plain["hard_fails"]["fabricated_biography"]["present"]
    assert not played["hard_fails"]["fabricated_biography"]["present"]


# Several judges, repeats, recorded verdicts.


def write_recorded(folder: Path) -> None:
    write_verdict(folder / "verdicts/A-1.yaml", verdict_of(case_id="A-1", total=12, outcome="FAIL"), reply=GOOD)
    flagged = verdict_of(case_id="A-2", yes={"pity": ["so sorry"]}, total=0, outcome="FAIL")
    write_verdict(folder / "verdicts/A-2.yaml", flagged, reply=STOCK)


def test_a_folder_of_verdicts_with_their_replies(tmp_path: Path) -> None:
    write_recorded(tmp_path)
    found = judged(tmp_path, "verdicts", "--judge", "recorded/verdicts")
    assert [(line["case_id"], line["subject"], line["total"]) for line in found] == [
        ("A-1", "verdicts", 80),
        ("A-2", "verdicts", 0),
    ]
    assert found[0]["stated"] == {"total": 12, "verdict": "FAIL"}
    assert found[0]["differences"] == ["total", "verdict"]
    assert found[1]["hard_fails"]["pity"] == {"present": True, "quotes": ["so sorry"], "confirmed": True}


def test_a_folder_with_a_reply_for_each_case_and_verdicts_of_several_judges(tmp_path: Path) -> None:
    for case_id in ("A-1", "A-2"):
        (tmp_path / "runs" / case_id).mkdir(parents=True)
        (tmp_path / "runs" / case_id / "reply.md").write_text(GOOD)
        for judge in ("strict", "mild"):
            axes = {"naturalness": 3 if judge == "strict" else 9}
            write_verdict(tmp_path / f"runs/{case_id}/{judge}.yaml", verdict_of(case_id=case_id, axes=axes))
    judges = [f"recorded/runs/*/{name}.yaml" for name in ("strict", "mild")]
    found = judged(tmp_path, "runs", "--judge", judges[0], "--judge", judges[1])
    assert [(line["case_id"], line["judge"], line["total"]) for line in found] == [
        (case_id, judge, total) for case_id in ("A-1", "A-2") for judge, total in zip(judges, (72, 82), strict=True)
    ]


@pytest.mark.parametrize(
    ("names", "problem"),
    [
        (("rules", "rules"), "named twice"),
        (("recorded/",), "has no path"),
        (("recorded/nowhere",), "`nowhere` does not exist"),
        (("nobody/nothing",), ""),
    ],
)
def test_a_judge_that_is_not_there_ends_with_2(tmp_path: Path, names: tuple[str, ...], problem: str) -> None:
    write_rows(tmp_path, chat(GOOD))
    named = [part for name in names for part in ("--judge", name)]
    done = run("judge", "replies.jsonl", *named, folder=tmp_path)
    assert (done.code, done.out) == (2, "")
    assert_one_paragraph(done.err)
    assert problem in done.err


def test_a_template_for_judges_that_read_none_is_refused(tmp_path: Path) -> None:
    write_rows(tmp_path, chat(GOOD))
    (tmp_path / "mine.txt").write_text("{{SKILL_RESPONSE}}\n")
    done = run("judge", "replies.jsonl", "--template", "mine.txt", folder=tmp_path)
    assert done.code == 2
    assert_one_paragraph(done.err)


# Rows that cannot be used.

DEEP = b'{"messages":' + b"[" * 3000 + b"]" * 3000 + b"}"
WRONG_ROWS: dict[str, tuple[bytes, str]] = {
    "not JSON": (b"nonsense", "not JSON"),
    "JSON cut off": (b'{"messages": [', "not JSON"),
    "two objects": (b"{} {}", "not JSON"),
    "not UTF-8": (b'{"messages": "\xff"}', "not UTF-8"),
    "UTF-16": ('{"messages": []}'.encode("utf-16"), "not UTF-8"),
    "a list": (b"[]", "not an object with keys"),
    "a number": (b"12", "not an object with keys"),
    "null": (b"null", "is null"),
    "empty object": (b"{}", "has nothing"),
    "other keys": (b'{"item": "a", "price": "b"}', "`item`, `price`"),
    "hostile keys": (b'{"\\u001b[31m": 1}', "has `"),
    "no suite": (b'{"case_id": "A", "reply": "b"}', "no suite was named"),
    "case is a list": (b'{"case_id": [1], "reply": "b"}', "`case_id`"),
    "reply is a list": (b'{"case_id": "A", "reply": ["b"]}', ""),
    "no messages": (b'{"messages": []}', "has no message"),
    "messages is a text": (b'{"messages": "hello"}', "not a list of messages"),
    "messages is null": (b'{"messages": null}', "has nothing"),
    "a message is a text": (b'{"messages": ["hello"]}', "not an object with keys"),
    "a message without role": (b'{"messages": [{"content": "a"}]}', "role"),
    "a role that is a list": (b'{"messages": [{"role": ["user"], "content": "a"}]}', "role"),
    "an unknown role": (b'{"messages": [{"role": "narrator", "content": "a"}]}', "narrator"),
    "content is a number": (b'{"messages": [{"role": "user", "content": 5}]}', "not text"),
    "only the user spoke": (b'{"messages": [{"role": "user", "content": "a"}]}', "no reply to judge"),
    "nobody said anything before": (b'{"messages": [{"role": "assistant", "content": "a"}]}', "no user message"),
    "subject is a list": (json.dumps(chat(GOOD, subject=[7])).encode(), "`subject`"),
    "number is a text": (json.dumps(chat(GOOD, number="one")).encode(), "`number`"),
    "number is true": (json.dumps(chat(GOOD, number=True)).encode(), "`number`"),
    "number is zero": (json.dumps(chat(GOOD, number=0)).encode(), "`number`"),
    "number is huge": (json.dumps(chat(GOOD, number=10**30)).encode(), "`number`"),
    "number has too many digits": (b'{"messages": [], "number": ' + b"9" * 5000 + b"}", ""),
    "very deep": (DEEP, ""),
    "a reply that is too long": (json.dumps(chat("a" * 200_001)).encode(), "longer than 200,000 characters"),
    "a line that is too long": (json.dumps(chat("a" * 16_000_001)).encode(), "longer than 16,000,000 bytes"),
}


@pytest.mark.parametrize("name", WRONG_ROWS)
def test_a_wrong_row_is_told_with_its_line_and_costs_no_other(tmp_path: Path, name: str) -> None:
    row, problem = WRONG_ROWS[name]
    done = judge_row(tmp_path, chat(GOOD), row, chat(STOCK))
    assert done.code == 0
    found = [(line["case_id"], line["status"]) for line in done.document["judgements"]]
    assert found == [("row-1", "judged"), ("row-3", "judged")]
    note, first = done.err.splitlines()
    assert note.startswith("replies.jsonl: read as messages")
    assert first.startswith("left out: replies.jsonl:2: ")
    assert problem in first
    assert len(first) < 400
    assert "\x1b" not in done.err


def test_strict_ends_with_2_for_a_wrong_row_and_all_wrong_rows_do_so_anyway(tmp_path: Path) -> None:
    write_rows(tmp_path, chat(GOOD), b"nonsense")
    assert run("judge", "replies.jsonl", "--strict", folder=tmp_path).code == 2
    write_rows(tmp_path, *[b"nonsense"] * 500)
    done = run("judge", "replies.jsonl", folder=tmp_path)
    assert (done.code, done.out) == (2, "")
    assert_one_paragraph(done.err)
    assert "replies.jsonl:1: " in done.err
    assert "other 499 rows" in done.err
    write_rows(tmp_path, *[b"nonsense"] * 500, chat(GOOD))
    done = run("judge", "replies.jsonl", folder=tmp_path)
    assert done.code == 0
    assert done.err.splitlines()[-1] == "480 more rows were left out."


def test_standard_input_is_named_in_a_problem(tmp_path: Path) -> None:
    done = run("judge", "-", stdin=b"nonsense\n", folder=tmp_path)
    assert done.code == 2
    assert done.err.startswith("error: -:1: ")


@pytest.mark.parametrize("kind", ["pipe", "device"])
def test_replies_that_are_no_regular_file_are_refused_and_never_waited_for(tmp_path: Path, kind: str) -> None:
    os.mkfifo(tmp_path / "pipe")
    done = run("judge", "pipe" if kind == "pipe" else "/dev/zero", folder=tmp_path)
    assert (done.code, done.out) == (2, "")
    assert "not a regular file" in done.err


def test_a_row_of_a_suite_that_cannot_be_used_is_told(tmp_path: Path) -> None:
    write_suite(tmp_path, "HELD-1", extra="holdout: true\n")
    suite = write_suite(tmp_path, "BAK-1")
    rows = [{"case_id": name, "reply": GOOD} for name in ("BAK-1", "HELD-1", "BAK-9", "x" * 5000, "a\nb", "")]
    write_rows(tmp_path, *rows)
    done = run("judge", "replies.jsonl", "--suite", suite, "--json", folder=tmp_path)
    assert done.code == 0
    assert [line["case_id"] for line in done.document["judgements"]] == ["BAK-1"]
    told = done.err.splitlines()
    assert len(told) == 5
    assert "held out" in told[0]
    assert "no case BAK-9" in told[1]
    assert all(len(line) < 300 for line in told)


@pytest.mark.parametrize("content", [b"", b"\n\n \n", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("more", [(), ("--json",), ("-o", "out.jsonl")])
def test_an_empty_file_ends_with_2_and_makes_no_run(tmp_path: Path, content: bytes, more: tuple[str, ...]) -> None:
    (tmp_path / "replies.jsonl").write_bytes(content)
    done = run("judge", "replies.jsonl", *more, folder=tmp_path)
    assert (done.code, done.out) == (2, "")
    assert_one_paragraph(done.err)
    assert run("runs", "list", folder=tmp_path).out == ""


@pytest.mark.parametrize("name", ["no.jsonl", "folder", "no/where.jsonl"])
def test_replies_that_are_not_there_end_with_2(tmp_path: Path, name: str) -> None:
    (tmp_path / "folder").mkdir()
    done = run("judge", name, folder=tmp_path)
    assert (done.code, done.out) == (2, "")
    assert_one_paragraph(done.err)


def test_half_a_surrogate_pair_harms_nothing(tmp_path: Path) -> None:
    said = (
        b'{"role": "user", "content": "hi \\ud800"}, {"role": "assistant", "content": "Oh \\udc00 no, \\ud83d\\ude00!"}'
    )
    row = b'{"messages": [' + said + b'], "subject": "s\\ud800"}'
    done = judge_row(tmp_path, row)
    assert (done.code, done.err) == (0, READ_AS)
    assert done.document["judgements"][0]["subject"] == "s\ufffd"
    for style in ("terminal", "md"):
        assert run("judge", "replies.jsonl", "--format", style, folder=tmp_path).code == 0


# The journal: the same again, fresh, the same bytes, nothing but what was asked for.


def test_fresh_makes_a_new_run_with_the_same_judgements(tmp_path: Path) -> None:
    write_rows(tmp_path, chat(GOOD), chat(STOCK))
    first = run("judge", "replies.jsonl", "--json", folder=tmp_path).document
    fresh = run("judge", "replies.jsonl", "--json", "--fresh", folder=tmp_path).document
    assert fresh["run"] != first["run"]
    assert fresh["judgements"] == first["judgements"]
    assert len(run("runs", "list", "--json", folder=tmp_path).document["runs"]) == 2


def test_two_journals_give_the_same_bytes(tmp_path: Path) -> None:
    write_recorded(tmp_path)
    arguments = ("judge", "verdicts", "--judge", "rules", "--judge", "recorded/verdicts", "--json")
    one, two = (run(*arguments, "--db", tmp_path / f"{name}.db", folder=tmp_path) for name in "ab")
    assert one.code == 0
    assert one == two


def test_the_output_file_has_a_line_for_each_judgement(tmp_path: Path) -> None:
    write_rows(tmp_path, chat(GOOD), chat(STOCK))
    done = run("judge", "replies.jsonl", "-o", "out.jsonl", "--json", folder=tmp_path)
    lines = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert lines == done.document["judgements"]


@pytest.mark.parametrize("output", ["replies.jsonl", "link.jsonl", "no/where.jsonl", "folder", "replies.jsonl/x"])
def test_an_output_that_exists_or_cannot_be_written_is_refused_before_any_work(tmp_path: Path, output: str) -> None:
    (tmp_path / "folder").mkdir()
    rows = write_rows(tmp_path, chat(GOOD)).read_bytes()
    (tmp_path / "link.jsonl").symlink_to("elsewhere.jsonl")
    done = run("judge", "replies.jsonl", "-o", output, folder=tmp_path)
    assert (done.code, done.out) == (2, "")
    assert_one_paragraph(done.err)
    assert not (tmp_path / ".iamhumans").exists()
    assert not (tmp_path / "elsewhere.jsonl").exists()
    assert (tmp_path / "replies.jsonl").read_bytes() == rows


def test_a_command_that_fails_leaves_no_output_file_so_it_can_be_repeated(tmp_path: Path) -> None:
    write_rows(tmp_path, b"nonsense")
    assert run("judge", "replies.jsonl", "-o", "out.jsonl", folder=tmp_path).code == 2
    write_rows(tmp_path, chat(GOOD))
    assert run("judge", "replies.jsonl", "-o", "out.jsonl", folder=tmp_path).code == 0


def test_the_output_can_be_judged_again_as_recorded(tmp_path: Path) -> None:
    write_rows(tmp_path, chat(GOOD), chat(STOCK))
    run("judge", "replies.jsonl", "-o", "out.jsonl", folder=tmp_path)
    rules, recorded = (judged(tmp_path, "replies.jsonl", "--judge", name) for name in ("rules", "recorded/out.jsonl"))
    figures = ("case_id", "total", "verdict", "hard_fails")
    assert [[line[key] for key in figures] for line in recorded] == [[line[key] for key in figures] for line in rules]


@pytest.mark.parametrize("more", [(), ("-o", "out.jsonl")])
def test_a_dry_run_judges_nothing(tmp_path: Path, more: tuple[str, ...]) -> None:
    write_rows(tmp_path, chat(GOOD), chat(STOCK))
    done = run("judge", "replies.jsonl", "--dry-run", "--repeats", "3", "--json", *more, folder=tmp_path)
    assert done.code == 0
    assert (done.document["jobs"], done.document["calls"]) == (6, 0)
    assert run("runs", "list", folder=tmp_path).out == ""
    assert not (tmp_path / "out.jsonl").exists() or (tmp_path / "out.jsonl").read_text() == ""


def test_quiet_silences_warnings_and_nothing_else(tmp_path: Path) -> None:
    suite = write_suite(tmp_path, "BAK-1", extra="colour: red\n")
    write_rows(tmp_path, {"case_id": "BAK-1", "reply": GOOD}, b"nonsense")
    arguments = ("judge", "replies.jsonl", "--suite", suite)
    done, quiet = run(*arguments, folder=tmp_path), run(*arguments, "--quiet", folder=tmp_path)
    assert "warning: `colour`" in done.err
    assert quiet.err == "left out: replies.jsonl:2: The line is not JSON. Write one JSON object per line.\n"
    assert (quiet.out, quiet.code) == (done.out, done.code)


# Very many.


def test_of_ten_thousand_rows_none_is_lost_and_few_are_shown(tmp_path: Path) -> None:
    rows = [json.dumps(chat("")).encode()] * 9_990 + [b"nonsense"] + [json.dumps(chat(STOCK)).encode()] * 9
    write_rows(tmp_path, *rows)
    done = run("judge", "replies.jsonl", "-o", "out.jsonl", folder=tmp_path)
    assert done.code == 0
    assert len(done.out.splitlines()) < 200
    assert "9,979 more judgements are not shown" in done.out
    assert "9,990 unjudged: no_reply" in done.out
    verdicts = [json.loads(line)["verdict"] for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert verdicts == [None] * 9_990 + ["FAIL"] * 9
