"""What was said is in every output, and in none with ``--no-texts``."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from tests.commands import assert_one_paragraph, run

REPLIES = ("I'm so sorry! Your feelings are completely valid.", "Oh no. The one with the poppy rolls?")
STYLES = ("terminal", "md", "html", "json", "csv", "junit")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rows = [
        {"id": f"log-{number}", "input": "the bakery closed", "reply": reply} for number, reply in enumerate(REPLIES)
    ]
    (tmp_path / "replies.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert run("judge", "replies.jsonl", "--quiet", folder=tmp_path).code == 0
    return tmp_path


@pytest.mark.parametrize("style", STYLES)
def test_the_worst_replies_are_in_every_output(folder: Path, style: str) -> None:
    out = run("report", "last", "--format", style, folder=folder).out
    words = out.replace("\n", " ").replace("  ", " ").replace("⟦", "").replace("⟧", "").replace("</mark>", "")
    assert "feelings are completely valid" in words
    assert style == "junit" or "the bakery closed" in words


@pytest.mark.parametrize("style", STYLES)
def test_no_texts_leaves_them_out_of_every_output(folder: Path, style: str) -> None:
    out = run("report", "last", "--format", style, "--no-texts", folder=folder).out
    for words in ("completely", "bakery", "poppy"):
        assert words not in out
    assert "log-0" in out


@pytest.mark.parametrize("command", [("runs", "export", "last"), ("judge", "replies.jsonl"), ("report", "last")])
def test_json_holds_the_reply_and_what_it_answers(folder: Path, command: tuple[str, ...]) -> None:
    document = run(*command, "--json", folder=folder).document
    assert [line["reply"] for line in document["judgements"]] == list(REPLIES)
    assert document["judgements"][0]["conversation"] == [{"role": "user", "content": "the bakery closed"}]


def test_csv_holds_the_reply_and_what_it_answers_and_the_headline_is_beside_it(folder: Path) -> None:
    done = run("report", "last", "--format", "csv", folder=folder)
    rows = list(csv.DictReader(io.StringIO(done.out)))
    assert [(row["input"], row["reply"]) for row in rows] == [("the bakery closed", reply) for reply in REPLIES]
    assert "2 of 2 judged" in done.err


def test_the_file_of_judgements_holds_the_replies(folder: Path) -> None:
    run("judge", "replies.jsonl", "--fresh", "-o", "out.jsonl", folder=folder)
    lines = [json.loads(line) for line in (folder / "out.jsonl").read_text().splitlines()]
    assert [line["reply"] for line in lines] == list(REPLIES)


def test_the_headline_is_the_same_in_every_output(folder: Path) -> None:
    headline = run("report", "last", "--json", folder=folder).document["headline"]["sentence"]
    for style in STYLES:
        done = run("report", "last", "--format", style, folder=folder)
        text = " ".join((done.out if style != "csv" else done.err).split())
        assert headline in text.replace("\\", "")


def test_one_case_is_shown_whole(folder: Path) -> None:
    shown = run("report", "last", "--case", "log-0", folder=folder)
    assert shown.code == 0
    assert "⟦Your feelings are completely valid.⟧" in shown.out
    assert run("runs", "show", "last", "--case", "log-0", folder=folder).out == shown.out
    document = run("report", "last", "--case", "log-0", "--json", folder=folder).document
    assert document["replies"][0]["text"] == REPLIES[0]


@pytest.mark.parametrize(
    "arguments",
    [
        ("report", "last", "--case", "log-9"),
        ("report", "last", "--raw"),
        ("report", "last", "--case", "log-0", "--format", "csv"),
        ("runs", "show", "last", "--raw"),
        ("runs", "show", "last", "--holdout", "--reason", "release 1.2"),
    ],
)
def test_what_shows_no_case_ends_with_2(folder: Path, arguments: tuple[str, ...]) -> None:
    done = run(*arguments, folder=folder)
    assert (done.code, done.out) == (2, "")
    assert_one_paragraph(done.err)
