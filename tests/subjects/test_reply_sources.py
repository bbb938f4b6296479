"""Replies from files and folders: read row by row, in order, and none is lost for another."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.builders import HOSTILE_TEXT, conversation, verdict_of

from iamhumans.cases import Case, Suite, bundled_slice, bundled_suite
from iamhumans.errors import CommandError, InputError
from iamhumans.subjects import ReplyRow, RowProblem, bundled_replies_path, one_reply, open_replies

SUITE = Suite(
    "mine",
    Path(),
    (
        Case("A-1", conversation("hello")),
        Case("LIVE-1", conversation("hello", "", "and now?")),
        Case("HELD-1", conversation("secret"), holdout=True),
    ),
)
TURNS = [{"role": "user", "content": "hello"}, {"role": "assistant", "content": "hi"}]
TALKED = [*TURNS, {"role": "user", "content": "and now?"}]

JSON_VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), HOSTILE_TEXT),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(st.sampled_from(
        ["messages", "role", "content", "case_id", "reply", "subject", "number", "conversation", "text"]
    ), inner, max_size=4)),
    max_leaves=12,
)  # fmt: skip


def rows(folder: Path, *values: object, suite: Suite | None = SUITE) -> list[ReplyRow | RowProblem]:
    path = folder / "replies.jsonl"
    path.write_bytes(b"\n".join(value if isinstance(value, bytes) else json.dumps(value).encode() for value in values))
    return list(open_replies(path, suite))


def only(found: list[ReplyRow | RowProblem]) -> ReplyRow:
    (row,) = found
    assert isinstance(row, ReplyRow), row
    return row


def problem(found: list[ReplyRow | RowProblem]) -> str:
    (row,) = found
    assert isinstance(row, RowProblem), row
    return row.problem


def test_a_reply_to_a_case(tmp_path: Path) -> None:
    row = only(rows(tmp_path, {"case_id": "A-1", "reply": " hi \n", "subject": "s", "number": 3}))
    assert (row.case.id, row.reply.text, row.reply.subject, row.reply.number) == ("A-1", " hi \n", "s", 3)


def test_subject_and_number_may_be_left_out(tmp_path: Path) -> None:
    row = only(rows(tmp_path, {"case_id": "A-1", "reply": "hi"}))
    assert (row.reply.subject, row.reply.number) == ("", 1)


def test_a_chat_is_a_case_of_its_own(tmp_path: Path) -> None:
    row = only(rows(tmp_path, {"messages": TURNS}, suite=None))
    assert (row.row, row.case.id, row.reply.text) == (1, "row-1", "hi")
    assert row.case.conversation == conversation("hello")


def test_rows_are_numbered_as_in_the_file(tmp_path: Path) -> None:
    found = rows(tmp_path, {"messages": TURNS}, b"", b"nonsense", {"messages": TURNS})
    assert [row.row for row in found] == [1, 3, 4]
    assert [str(row.place) for row in found if isinstance(row, RowProblem)] == [f"{tmp_path}/replies.jsonl:3"]


@pytest.mark.parametrize("role", ["human", "user"])
@pytest.mark.parametrize("answer", ["assistant", "model", "ai"])
def test_other_names_of_the_speakers_are_known(tmp_path: Path, role: str, answer: str) -> None:
    messages = [{"role": role, "content": "hello"}, {"role": answer, "content": "hi"}]
    assert only(rows(tmp_path, {"messages": messages})).case.conversation == conversation("hello")


def test_what_the_system_and_tools_say_is_no_turn(tmp_path: Path) -> None:
    more = [{"role": role, "content": {"any": "thing"}} for role in ("system", "developer", "tool", "function")]
    row = only(rows(tmp_path, {"messages": [more[0], TURNS[0], *more[1:], TURNS[1], more[2]]}))
    assert row.case.conversation == conversation("hello")
    assert row.reply.text == "hi"


def test_parts_of_a_content_are_joined(tmp_path: Path) -> None:
    parts = [{"type": "text", "text": "one"}, {"type": "text", "text": "two"}, {"type": "image_url"}, "three"]
    reply = only(rows(tmp_path, {"messages": [TURNS[0], {"role": "assistant", "content": parts}]})).reply
    assert (reply.text, reply.beside) == ("one\ntwo\n\nthree", "an image")


def test_an_empty_last_message_is_an_empty_reply(tmp_path: Path) -> None:
    said = [TURNS[0], {"role": "assistant", "content": None}]
    assert only(rows(tmp_path, {"messages": said})).reply.text == ""


def test_an_empty_message_before_is_no_turn(tmp_path: Path) -> None:
    said = [TURNS[0], {"role": "assistant", "content": None}, *TURNS]
    assert [turn.text for turn in only(rows(tmp_path, {"messages": said})).case.conversation] == ["hello", "hello"]


def test_half_a_surrogate_pair_is_replaced(tmp_path: Path) -> None:
    row = only(rows(tmp_path, b'{"case_id": "A-1", "reply": "a\\ud800b \\ud83d\\ude00", "subject": "\\udfff"}'))
    assert (row.reply.text, row.reply.subject) == ("a\ufffdb \U0001f600", "\ufffd")


def test_live_turns_are_taken_from_the_row(tmp_path: Path) -> None:
    row = only(rows(tmp_path, {"case_id": "LIVE-1", "reply": "now", "conversation": TALKED}))
    assert row.case.conversation == conversation("hello", "hi", "and now?")


@pytest.mark.parametrize(
    ("conversation_", "problem_"),
    [
        (None, "does not say how"),
        ("hi", "not a list"),
        (TURNS, "is not the conversation of case LIVE-1"),
        ([*TURNS, {"role": "user", "content": "something else"}], "is not the conversation of case LIVE-1"),
        ([*TALKED, TALKED[-1]], "is not the conversation of case LIVE-1"),
    ],
)
def test_another_conversation_than_the_case_s_is_refused(tmp_path: Path, conversation_: Any, problem_: str) -> None:
    row = {"case_id": "LIVE-1", "reply": "now"} | ({} if conversation_ is None else {"conversation": conversation_})
    assert problem_ in problem(rows(tmp_path, row))


def test_a_held_out_case_is_left_out(tmp_path: Path) -> None:
    assert "is held out" in problem(rows(tmp_path, {"case_id": "HELD-1", "reply": "hi"}))


def test_a_line_without_end_is_not_held_in_memory(tmp_path: Path) -> None:
    path = tmp_path / "replies.jsonl"
    with path.open("wb") as file:
        file.write(json.dumps({"messages": TURNS}).encode() + b"\n")
        file.write(b'{"messages": "')
        # Zeros that take no room on the disk.
        file.seek(50_000_000, os.SEEK_CUR)
        file.write(b'"}\n' + json.dumps({"messages": TURNS}).encode())
    found = list(open_replies(path, None))
    assert [(row.row, isinstance(row, ReplyRow)) for row in found] == [(1, True), (2, False), (3, True)]


@settings(max_examples=60)
@given(st.lists(JSON_VALUES, max_size=4))
def test_any_json_is_a_row_or_a_problem(tmp_path_factory: pytest.TempPathFactory, values: list[object]) -> None:
    found = [row.row for row in rows(tmp_path_factory.getbasetemp(), *values)]
    assert found == sorted(set(found))
    assert len(found) >= len([value for value in values if isinstance(value, dict)])


@given(st.binary(max_size=200))
def test_any_bytes_are_rows_or_problems(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    try:
        found = rows(tmp_path_factory.getbasetemp(), data)
    except InputError:  # it is another kind of file
        return
    for row in found:
        assert isinstance(row, RowProblem)
        assert "\x1b" not in row.problem


# One reply in a text file.


def test_one_reply_of_a_text_file(tmp_path: Path) -> None:
    path = tmp_path / "reply.txt"
    path.write_text("\n  one\ntwo\n\n")
    row = one_reply(path, None, case_id=None, user_input="hello")
    assert (row.reply.text, row.case.conversation) == ("  one\ntwo", conversation("hello"))


def test_one_reply_to_a_held_out_case_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "reply.txt"
    path.write_text("hi")
    with pytest.raises(CommandError, match="held out"):
        one_reply(path, SUITE, case_id="HELD-1", user_input=None)


# Folders.


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def test_a_folder_with_a_folder_for_each_case(tmp_path: Path) -> None:
    folder = tmp_path / "friend"
    write(folder / "B-2" / "reply.md", "two\n")
    write(folder / "A-1" / "reply.md", "one\n")
    write(folder / "A-1" / "other.md", "not this")
    found = [row for row in open_replies(folder, None) if isinstance(row, ReplyRow)]
    assert [(row.row, row.case.id, row.reply.text, row.reply.subject) for row in found] == [
        (1, "A-1", "one", "friend"),
        (2, "B-2", "two", "friend"),
    ]


def test_a_folder_of_verdicts_with_the_reply_inside(tmp_path: Path) -> None:
    folder = tmp_path / "friend"
    write(folder / "b.yaml", yaml.safe_dump({"reply": "two\n"}) + verdict_of(case_id="B-2"))
    write(folder / "deep" / "a.yaml", yaml.safe_dump({"baseline_response": "one"}) + verdict_of(case_id="A-1"))
    found = [row for row in open_replies(folder, SUITE) if isinstance(row, ReplyRow)]
    assert [(row.case.id, row.reply.text, len(row.case.conversation)) for row in found] == [
        ("B-2", "two", 0),
        ("A-1", "one", 1),
    ]


def test_a_reply_that_several_verdicts_judge_is_one_reply(tmp_path: Path) -> None:
    for name in ("first", "second"):
        write(tmp_path / f"{name}.yaml", yaml.safe_dump({"reply": "one"}) + verdict_of(case_id="A-1"))
    write(tmp_path / "third.yaml", yaml.safe_dump({"reply": "two"}) + verdict_of(case_id="A-1"))
    found = [row for row in open_replies(tmp_path, None) if isinstance(row, ReplyRow)]
    assert [(row.row, row.reply.text) for row in found] == [(1, "one"), (2, "two")]


def test_a_file_that_cannot_be_read_costs_no_other(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_bytes(b"reply: \xff")
    write(tmp_path / "b.yaml", yaml.safe_dump({"reply": "two"}) + verdict_of(case_id="B-2"))
    write(tmp_path / "c.yaml", verdict_of(case_id="C-3"))
    write(tmp_path / "settings.yaml", "temperature: 0\n")
    kinds = [(type(row), row.row) for row in open_replies(tmp_path, None)]
    assert kinds == [(RowProblem, 1), (ReplyRow, 2), (RowProblem, 3)]


def test_a_held_out_case_of_a_folder_is_left_out(tmp_path: Path) -> None:
    write(tmp_path / "HELD-1" / "reply.md", "hi")
    write(tmp_path / "A-1" / "reply.md", "hi")
    assert [type(row) for row in open_replies(tmp_path, SUITE)] == [ReplyRow, RowProblem]


@pytest.mark.parametrize("folder", ["/", "~"])
def test_a_whole_disk_is_refused_and_not_read(folder: str) -> None:
    with pytest.raises(CommandError) as error:
        list(open_replies(Path(folder).expanduser(), None))
    assert "Name the folder" in error.value.fix


def test_a_folder_with_very_many_files_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("iamhumans.verdicts.recorded._MOST_FILES", 3)
    for number in range(4):
        write(tmp_path / f"{number}" / "notes.log", "x")
    with pytest.raises(CommandError) as error:
        list(open_replies(tmp_path, None))
    assert "more than 3 files" in error.value.what


def test_a_folder_without_replies_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match=r"no reply|no recorded"):
        list(open_replies(tmp_path, None))


def test_every_bundled_reply_answers_a_case_of_the_slice_that_the_demo_shows() -> None:
    suite = bundled_slice()
    assert set(suite.cases) < set(bundled_suite().cases)
    found = list(open_replies(bundled_replies_path(suite.name), suite))
    assert all(isinstance(row, ReplyRow) for row in found)
    assert {row.case.id for row in found if isinstance(row, ReplyRow)} == {case.id for case in suite.cases}
