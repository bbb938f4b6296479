"""``iamhumans convert``, and what ``judge`` says of files of other shapes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.commands import assert_one_paragraph, run
from tests.subjects.written import ASKED, ONE, OTHER, REPLIED, TWO, assistant, user

import iamhumans as ih


def write(path: Path, *rows: Any) -> Path:
    path.write_text("".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows))
    return path


def facts(rows: Any, **how: Any) -> list[Any]:
    run_ = ih.judge_all(rows, judge=lambda messages: "no verdict", **how)
    return [
        (one.case.id, one.case.conversation, one.case.lang, one.text, one.subject, one.number) for one in run_.replies()
    ]


@pytest.mark.parametrize("name", [*ONE, *TWO])
def test_what_is_converted_is_read_as_the_same_replies(tmp_path: Path, name: str) -> None:
    value = (ONE | TWO)[name][1]
    path = tmp_path / "log.json"
    path.write_text(json.dumps([value, value]))
    done = ih.convert(path, tmp_path / "rows.jsonl")
    assert (done.dropped, done.rows) == (0, ())
    before, after = facts(path), facts(tmp_path / "rows.jsonl")
    assert [one[1:] for one in before] == [one[1:] for one in after]
    assert ih.convert(tmp_path / "rows.jsonl").rows == tuple(
        json.loads(line) for line in (tmp_path / "rows.jsonl").read_text().splitlines()
    )


def test_ids_models_languages_system_messages_and_endings_survive() -> None:
    row = {
        "id": 7,
        "thread_id": "t",
        "model": "m",
        "language": "German",
        "messages": [
            {"role": "system", "content": "Sei nett."},
            user(),
            {**assistant("Da"), "finish_reason": "length"},
        ],
    }
    (found,) = ih.convert([row]).rows
    assert found == {
        "id": "7",
        "thread": "t",
        "system": "Sei nett.",
        "input": ASKED,
        "reply": "Da",
        "subject": "m",
        "lang": "de",
        "ending": "length",
    }
    assert [one.reason for one in ih.judge_all([found])] == ["truncated"]


def test_all_turns_can_be_converted_and_stay_one_conversation() -> None:
    row = {"messages": [user(), assistant(), user("ha"), assistant(OTHER)]}
    first, second = ih.convert([row], turns="all").rows
    assert (first["input"], first["reply"], second["reply"]) == (ASKED, REPLIED, OTHER)
    assert [turn["content"] for turn in second["conversation"]] == [ASKED, REPLIED, "ha"]
    assert first["thread"] == second["thread"]


def test_rows_of_a_suite_stay_as_they_are() -> None:
    rows = ({"case_id": "A-1", "reply": "hi", "subject": "s", "number": 2},)
    assert ih.convert(rows).rows == rows


def test_the_command_writes_rows_and_says_what_was_dropped(tmp_path: Path) -> None:
    write(tmp_path / "log.jsonl", {"prompt": ASKED, "response": REPLIED}, "nonsense", {"prompt": "a"}, "nonsense")
    done = run("convert", "log.jsonl", "-o", "rows.jsonl", folder=tmp_path)
    assert (done.code, done.out) == (0, "")
    assert (tmp_path / "rows.jsonl").read_text() == json.dumps({"input": ASKED, "reply": REPLIED}) + "\n"
    assert "log.jsonl: read as prompt-response (prompt and response)" in done.err
    assert "1 row written into rows.jsonl, 3 dropped" in done.err
    assert "dropped 2: The line is not JSON." in done.err
    assert run("convert", "log.jsonl", "--strict", folder=tmp_path).code == 2


def test_without_an_output_rows_go_to_standard_output(tmp_path: Path) -> None:
    write(tmp_path / "log.jsonl", {"prompt": ASKED, "response": REPLIED})
    assert run("convert", "log.jsonl", folder=tmp_path).lines == [{"input": ASKED, "reply": REPLIED}]
    document = run("convert", "log.jsonl", "--json", folder=tmp_path).document
    assert (document["written"], document["dropped"], document["rows"]) == (1, 0, [{"input": ASKED, "reply": REPLIED}])


def test_an_output_is_never_overwritten_and_none_is_left_after_an_error(tmp_path: Path) -> None:
    write(tmp_path / "log.jsonl", "nonsense")
    done = run("convert", "log.jsonl", "-o", "log.jsonl", folder=tmp_path)
    assert done.code == 2
    assert "already exists" in done.err
    assert run("convert", "log.jsonl", "-o", "rows.jsonl", folder=tmp_path).code == 2
    assert not (tmp_path / "rows.jsonl").exists()


def test_columns_make_rows_of_any_table(tmp_path: Path) -> None:
    (tmp_path / "table.csv").write_text(f'frage;antwort;nr\n"{ASKED}";"{REPLIED}";3\n')
    arguments = ("table.csv", "--columns", "input=frage,reply=antwort,id=nr")
    assert run("convert", *arguments, folder=tmp_path).lines == [{"id": "3", "input": ASKED, "reply": REPLIED}]
    done = run("judge", *arguments, "--json", folder=tmp_path)
    assert (done.code, done.document["judgements"][0]["case_id"]) == (0, "3")


# What `judge` says.


def test_a_large_bad_file_is_one_error_that_says_what_was_expected_and_how_to_convert(tmp_path: Path) -> None:
    write(tmp_path / "prices.jsonl", *[{"item": at, "price": 3} for at in range(400)])
    done = run("judge", "prices.jsonl", folder=tmp_path)
    assert (done.code, done.out) == (2, "")
    assert_one_paragraph(done.err)
    parts = (
        "prices.jsonl:1: ",
        "`item`, `price`",
        '{"messages": [...]}',
        "other 399 rows",
        "iamhumans convert prices.",
    )
    assert [part for part in parts if part not in done.err] == []


def test_the_advice_for_a_bad_file_works(tmp_path: Path) -> None:
    write(tmp_path / "log.jsonl", {"frage": ASKED, "antwort": REPLIED})
    advice = run("judge", "log.jsonl", folder=tmp_path).err.split("`")[-2].split()
    assert advice[:2] == ["iamhumans", "convert"]
    arguments = [one.replace("input=NAME,reply=NAME", "input=frage,reply=antwort") for one in advice[1:]]
    assert run(*arguments, folder=tmp_path).code == 0
    assert run("judge", "rows.jsonl", folder=tmp_path).code == 0


def test_rows_of_an_unnamed_suite_are_not_told_to_be_converted(tmp_path: Path) -> None:
    write(tmp_path / "log.jsonl", {"case_id": 12, "reply": REPLIED})
    done = run("judge", "log.jsonl", folder=tmp_path)
    assert "case 12, and no suite was named" in done.err
    assert "convert" not in done.err


@pytest.mark.parametrize("name", ["prices.csv", "prices.CSV", "prices.data", "prices.csv.gz", "prices.xlsx"])
def test_a_table_is_never_judged_as_one_reply(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("item,price,shop\napple,3,a\npear,4,b\n")
    done = run("judge", name, "--input", "hi", folder=tmp_path)
    assert (done.code, done.out) == (2, "")
    assert_one_paragraph(done.err)


def test_bad_rows_among_good_ones_are_counted_and_not_asked_for(tmp_path: Path) -> None:
    write(tmp_path / "log.jsonl", {"prompt": ASKED, "response": REPLIED}, "nonsense", {"prompt": "a", "response": None})
    done = run("judge", "log.jsonl", "--json", folder=tmp_path)
    assert done.code == 0
    assert len(done.document["judgements"]) == 1
    assert done.err.count("left out: ") == 2


def test_what_follows_the_reply_is_said_in_one_line(tmp_path: Path) -> None:
    write(tmp_path / "log.jsonl", *[{"messages": [user(), assistant(), user("the red one. thanks")]}] * 3)
    done = run("judge", "log.jsonl", folder=tmp_path)
    assert done.code == 0
    assert done.err.count("the red one. thanks") == 1
    assert "2 more rows" in done.err
    assert run("judge", "log.jsonl", "--quiet", folder=tmp_path).err == ""


def test_a_file_of_text_that_is_a_whole_conversation(tmp_path: Path) -> None:
    (tmp_path / "chat.txt").write_text(f"User: {ASKED}\nAssistant: {REPLIED}\n")
    assert run("convert", "chat.txt", folder=tmp_path).lines == [{"input": ASKED, "reply": REPLIED}]


def test_rows_on_standard_input_may_have_any_shape(tmp_path: Path) -> None:
    data = json.dumps(ONE["chatgpt"][1]).encode()
    assert run("convert", "-", stdin=data, folder=tmp_path).lines[0]["reply"] == REPLIED


def test_the_id_the_model_and_the_language_of_a_row_come_out_in_every_export(tmp_path: Path) -> None:
    (tmp_path / "suite").mkdir()
    (tmp_path / "suite" / "A-1.md").write_text("---\nid: A-1\n---\n\n## input\n\nhello\n\n## rubric\n\n- Says hi\n")
    write(tmp_path / "log.jsonl", {"id": 77, "case_id": "A-1", "reply": REPLIED, "model": "m-1"})
    write(
        tmp_path / "chats.jsonl",
        {"id": 78, "prompt": ASKED, "response": REPLIED, "model": "m-2", "language": "English"},
    )
    for arguments, row_id, model in ((("log.jsonl", "--suite", "suite"), "77", "m-1"), (("chats.jsonl",), "78", "m-2")):
        line = run("judge", *arguments, "--json", folder=tmp_path).document["judgements"][0]
        assert (line["id"], line["subject"], line["lang"]) == (row_id, model, "en")
        table = run("report", "last", "--format", "csv", folder=tmp_path).out
        assert f",{row_id},en," in table.splitlines()[1]
        run("runs", "export", "last", "-o", f"{row_id}.jsonl", folder=tmp_path)
        exported = json.loads((tmp_path / f"{row_id}.jsonl").read_text().splitlines()[1])
        assert (exported["id"], exported["subject"], exported["lang"]) == (row_id, model, "en")
