"""Conversations in the shapes in which people have them: recognised, and read alike."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.builders import HOSTILE_TEXT, conversation
from tests.subjects.written import ASKED, CHOICE, ONE, OTHER, REPLIED, TWO, assistant, node, user

import iamhumans as ih
from iamhumans.cases import Case, Suite
from iamhumans.errors import CommandError, IamhumansError
from iamhumans.subjects import Reading, ReplyRow, RowProblem, Rows, open_replies, read_rows
from iamhumans.subjects.decoding.holders import inner_rows
from iamhumans.subjects.shapes import SHAPES

PLAIN = st.text(
    st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="<>[]{}|◁:`\"'#*"), min_size=1
).filter(lambda text: text == text.strip() and "analysis" not in text.lower())
KEYS = sorted(
    {str(key) for _, row in (*ONE.values(), *TWO.values()) for key in row}
    | {"role", "content", "type", "text", "parts", "data", "attributes", "gen_ai.prompt", "value", "key", "events"}
)
VALUES = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.floats(),
        HOSTILE_TEXT,
        st.sampled_from(["user", "assistant", "{}", "[]"]),
    ),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(KEYS), inner, max_size=4)),
    max_leaves=14,
)


def found(value: Any, suite: Suite | None = None, **how: Any) -> tuple[Rows, list[ReplyRow | RowProblem]]:
    rows = read_rows([value], suite, reading=Reading(**how))
    return rows, list(rows)


def one(value: Any, suite: Suite | None = None, **how: Any) -> ReplyRow:
    (row,) = found(value, suite, **how)[1]
    assert isinstance(row, ReplyRow), row
    return row


def problem(value: Any, suite: Suite | None = None, **how: Any) -> str:
    (row,) = found(value, suite, **how)[1]
    assert isinstance(row, RowProblem), row
    return row.problem


def opened(path: Path, value: Any) -> tuple[Rows, list[ReplyRow | RowProblem]]:
    path.write_text(json.dumps(value, indent=2))
    rows = open_replies(path)
    assert isinstance(rows, Rows)
    return rows, list(rows)


@pytest.mark.parametrize("name", ONE)
def test_a_conversation_is_the_same_in_every_shape(tmp_path: Path, name: str) -> None:
    shape, value = ONE[name]
    rows, (row,) = opened(tmp_path / "log.json", value)
    assert rows.shape is not None
    assert rows.shape.name == shape
    assert isinstance(row, ReplyRow), row
    assert (row.case.conversation, row.reply.text, row.failure) == (conversation(ASKED), REPLIED, None)


@pytest.mark.parametrize("name", ONE)
def test_two_lines_of_a_shape_are_two_rows(tmp_path: Path, name: str) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text(f"{json.dumps(ONE[name][1])}\n" * 2)
    assert [row.reply.text for row in open_replies(path) if isinstance(row, ReplyRow)] == [REPLIED] * 2


@pytest.mark.parametrize("name", TWO)
def test_two_answers_are_two_subjects(tmp_path: Path, name: str) -> None:
    shape, value = TWO[name]
    rows, both = opened(tmp_path / "log.json", value)
    assert rows.shape is not None
    assert rows.shape.name == shape
    assert [
        (row.row, row.reply.subject, row.reply.text, row.case.conversation) for row in both if isinstance(row, ReplyRow)
    ] == [(1, "chosen", REPLIED, conversation(ASKED)), (2, "rejected", OTHER, conversation(ASKED))]
    assert len({row.case.id for row in both if isinstance(row, ReplyRow)}) == 1


@pytest.mark.parametrize("name", [name for name, (shape, _) in ONE.items() if shape not in ("message-list",)])
def test_a_shape_can_be_named(name: str) -> None:
    shape, value = ONE[name]
    if "resourceSpans" in value or "samples" in value or "results" in value:
        value = next(row for row, _ in inner_rows(value))
    assert one(value, shape=shape).reply.text == REPLIED


def test_a_name_of_no_shape_is_refused_with_the_nearest_one() -> None:
    with pytest.raises(CommandError, match="Did you mean `sharegpt`"):
        found({}, shape="sharegtp")


def test_every_shape_has_a_name_of_its_own() -> None:
    names = [shape.name for shape in SHAPES]
    assert len(names) == len(set(names))


@settings(max_examples=200)
@given(VALUES)
def test_nothing_that_json_can_hold_raises(value: Any) -> None:
    rows = list(read_rows([value]))
    assert all(isinstance(row, ReplyRow | RowProblem) for row in rows)


@given(VALUES, st.sampled_from(sorted({shape.name for shape in SHAPES})))
def test_no_shape_that_is_named_raises_for_a_row_of_another(value: Any, shape: str) -> None:
    for row in read_rows([value], reading=Reading(shape=shape, turns="all")):
        assert isinstance(row, ReplyRow | RowProblem)


@given(
    st.lists(PLAIN, min_size=2, max_size=6), st.sampled_from(["messages", "sharegpt", "gemini", "langchain", "text"])
)
def test_any_conversation_is_the_same_in_the_shapes_of_lists(texts: list[str], form: str) -> None:
    texts = texts[: len(texts) // 2 * 2]
    speakers = ["user", "assistant"] * (len(texts) // 2)
    both = list(zip(speakers, texts, strict=True))
    forms: dict[str, Any] = {
        "messages": {"messages": [{"role": who, "content": text} for who, text in both]},
        "sharegpt": {
            "conversations": [{"from": "human" if who == "user" else "gpt", "value": text} for who, text in both]
        },
        "gemini": {
            "contents": [
                {"role": "user" if who == "user" else "model", "parts": [{"text": text}]} for who, text in both
            ]
        },
        "langchain": {
            "messages": [{"type": "human" if who == "user" else "ai", "content": text} for who, text in both]
        },
        "text": {"chat": json.dumps([{"role": who, "content": text} for who, text in both])},
    }
    row = one(forms[form])
    assert [turn.text for turn in row.case.conversation] == texts[:-1]
    assert row.reply.text == texts[-1]


# What counts as the reply.


def test_the_last_assistant_message_is_judged_and_what_follows_is_noted() -> None:
    row = one({"messages": [user(), assistant(), user("ha, yes")]})
    assert row.reply.text == REPLIED
    assert [remark.kind for remark in row.remarks] == ["follows"]
    assert "ha, yes" in row.remarks[0].text


def test_all_assistant_messages_are_judged_where_that_is_asked_for() -> None:
    rows = found({"id": "c", "messages": [user(), assistant(), user("ha"), assistant("Ha.")]}, turns="all")[1]
    assert [
        (row.row, row.case.id, row.reply.text, len(row.case.conversation), row.cluster)
        for row in rows
        if isinstance(row, ReplyRow)
    ] == [
        (1, "c#1", REPLIED, 1, "c"),
        (2, "c#2", "Ha.", 3, "c"),
    ]


def test_reasoning_in_parts_in_fields_and_in_the_text_is_kept_beside() -> None:
    parts = [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": REPLIED}]
    for message in (
        {"role": "assistant", "content": parts},
        {"role": "assistant", "content": REPLIED, "reasoning_content": "hm"},
        {"role": "assistant", "content": f"<think>hm</think>{REPLIED}"},
    ):
        row = one({"messages": [user(), message]})
        assert (row.reply.text, row.reply.reasoning) == (REPLIED, "hm")


def test_a_reply_that_a_limit_cut_off_is_unjudged_with_its_text() -> None:
    cut = {"messages": [user()], "choices": [{**CHOICE, "finish_reason": "length"}]}
    run = ih.judge_all([cut, {"messages": [user()], "choices": [CHOICE]}])
    assert [judgement.reason for judgement in run] == ["truncated", None]
    assert run.replies()[0].text == REPLIED


def test_a_message_that_only_calls_a_tool_is_no_reply() -> None:
    called = {"role": "assistant", "content": None, "tool_calls": [{"function": {"name": "search"}}]}
    row = one({"messages": [user(), called]})
    assert row.failure is not None
    assert (row.failure.reason, "search" in row.failure.detail) == ("no_reply", True)


def test_a_picture_of_the_user_is_named_in_the_conversation() -> None:
    row = one({"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {}}]}, assistant()]})
    assert row.case.conversation == conversation("[an image]")


def test_several_choices_are_several_replies() -> None:
    value = {"messages": [user()], "choices": [CHOICE, {"message": assistant(OTHER), "finish_reason": "stop"}]}
    rows = found(value)[1]
    assert [(row.reply.number, row.reply.text) for row in rows if isinstance(row, ReplyRow)] == [
        (1, REPLIED),
        (2, OTHER),
    ]


# Batches, which do not say what a reply answers.

BATCH = {
    "custom_id": "bus-1",
    "response": {"status_code": 200, "body": {"model": "m", "choices": [CHOICE]}},
    "error": None,
}


def test_the_output_of_a_batch_is_read_without_its_input() -> None:
    row = one(BATCH)
    assert (row.case.id, row.case.conversation, row.reply.subject) == ("bus-1", (), "m")
    assert [remark.kind for remark in row.remarks] == ["alone"]


def test_the_output_of_a_batch_finds_its_case_in_a_suite() -> None:
    suite = Suite("mine", Path(), (Case("bus-1", conversation("hello")),))
    assert one(BATCH, suite).case.conversation == conversation("hello")


@pytest.mark.parametrize(
    "row",
    [
        {"custom_id": "a", "response": None, "error": {"message": "expired"}},
        {"custom_id": "a", "response": {"status_code": 429, "body": {"error": {"message": "slow down"}}}},
        {"custom_id": "a", "result": {"type": "errored", "error": {}}},
        {"request": {"messages": [user()]}, "response": {"error": {"message": "overloaded"}}},
        {"vars": {"q": ASKED}, "provider": "m", "response": {"error": "refused"}, "error": "refused"},
    ],
)
def test_a_failed_call_is_no_reply(row: Any) -> None:
    assert "no reply in the row" in problem(row)


# What rows say of themselves.


@pytest.mark.parametrize(
    ("given_", "shown"), [(7, "7"), (7.0, "7"), ("x", "x"), (None, "row-1"), (float("nan"), "row-1")]
)
def test_ids_may_be_numbers_and_missing_ones_null(given_: object, shown: str) -> None:
    assert one({"prompt": ASKED, "response": REPLIED, "id": given_}).case.id == shown


def test_model_and_language_are_kept() -> None:
    row = one({"prompt": ASKED, "response": REPLIED, "model": "m-1", "language": "German"})
    assert (row.reply.subject, row.case.lang) == ("m-1", "de")


def test_a_case_id_with_the_words_of_the_user_is_a_case_of_its_own() -> None:
    row = one({"case_id": 12, "input": ASKED, "reply": REPLIED})
    assert (row.case.id, row.case.conversation) == ("12", conversation(ASKED))


def test_rows_of_one_conversation_have_one_cluster_and_the_system_message_counts() -> None:
    plain, again, other = (
        one({"messages": [*system, user(), assistant(text)]})
        for system, text in (((), REPLIED), ((), OTHER), (({"role": "system", "content": "Be curt."},), REPLIED))
    )
    assert plain.cluster == again.cluster
    assert plain.cluster != other.cluster


# A tree.


def test_the_current_branch_of_a_tree_is_the_conversation() -> None:
    tree = {
        "a": node("a", "user", "first wording", None),
        "b": node("b", "assistant", "first answer", "a"),
        "c": node("c", "user", ASKED, None),
        "d": node("d", "assistant", REPLIED, "c"),
    }
    assert one({"mapping": tree, "current_node": "d"}).case.conversation == conversation(ASKED)
    assert one({"mapping": tree, "current_node": "b"}).reply.text == "first answer"


def test_a_tree_that_goes_in_circles_ends() -> None:
    tree = {"a": node("a", "user", ASKED, "b"), "b": node("b", "assistant", REPLIED, "a")}
    assert one({"mapping": tree, "current_node": "b"}).reply.text == REPLIED


# A row for each message.


def test_rows_of_messages_are_put_together_by_conversation(tmp_path: Path) -> None:
    path = tmp_path / "messages.csv"
    path.write_text("conversation_id,role,content\n1,user,hello\n1,assistant,Hi.\n2,user,bye\n2,assistant,Bye.\n")
    rows = [row for row in open_replies(path) if isinstance(row, ReplyRow)]
    assert [(row.case.id, row.case.texts, row.reply.text) for row in rows] == [
        ("1", ("hello",), "Hi."),
        ("2", ("bye",), "Bye."),
    ]


def test_messages_of_a_conversation_that_are_apart_are_a_problem() -> None:
    said = [{**user(), "thread_id": 1}, {**assistant(), "thread_id": 1}]
    rows = list(read_rows([*said, {**user(), "thread_id": 2}, {**assistant(), "thread_id": 2}, *said]))
    assert [isinstance(row, ReplyRow) for row in rows] == [True, True, False]


# Columns that the user names.


@pytest.mark.parametrize("names", [("Question", "Answer", "Model"), ("USER INPUT", "Assistant-Response", "model")])
def test_names_of_columns_may_have_capitals_and_spaces(tmp_path: Path, names: tuple[str, str, str]) -> None:
    path = tmp_path / "rows.csv"
    path.write_text(f"{';'.join(names)}\n{ASKED};{REPLIED};m\n")
    (row,) = open_replies(path)
    assert isinstance(row, ReplyRow)
    assert (row.case.conversation[0].text, row.reply.text, row.reply.subject) == (ASKED, REPLIED, "m")


def test_a_chat_inside_another_object_is_read_with_the_outer_id() -> None:
    shown = '<details type="reasoning" done="true">\n<summary>Thought for 3 seconds</summary>\n> Hm.\n</details>\n'
    chat = {"title": "bus", "models": ["m"], "messages": [user(), assistant(shown + REPLIED)]}
    rows_, (row,) = found({"id": "c", "title": "bus", "chat": chat})
    assert isinstance(row, ReplyRow)
    assert (row.id, row.case.conversation[0].text, row.reply.text) == ("c", ASKED, REPLIED)
    assert rows_.shape is not None
    assert rows_.shape.name == "messages"


def test_a_row_without_a_reply_among_others_says_what_is_missing() -> None:
    good = {"input": ASKED, "reply": REPLIED}
    _, without, other = read_rows([good, {"input": ASKED, "reply": None}, {"price": 3}])
    assert isinstance(without, RowProblem)
    assert isinstance(other, RowProblem)
    assert without.problem == "The row has `input`, and nothing in `reply`."
    assert other.problem.startswith("The row has `price`; the other rows are read as rows (our own rows")


def test_columns_lead_into_objects_lists_and_json_in_texts() -> None:
    value = {"q": {"text": ASKED}, "a": json.dumps({"all": [OTHER, REPLIED]}), "n": 3, "who": "m"}
    row = one(value, columns="input=q.text, reply=a.all.1, id=n, subject=who")
    assert (row.case.conversation, row.reply.text, row.id, row.reply.subject) == (
        conversation(ASKED),
        REPLIED,
        "3",
        "m",
    )


@pytest.mark.parametrize(
    ("columns", "message"),
    [("input", "names no column"), ("inpt=a,reply=b", "Did you mean `input`"), ("input=a", "where the reply is")],
)
def test_columns_that_say_too_little_are_refused(columns: str, message: str) -> None:
    with pytest.raises(IamhumansError, match=message):
        found({}, columns=columns)


def test_a_row_without_a_named_column_is_a_problem() -> None:
    assert "nothing at `a`" in problem({"b": 1, "r": "x"}, columns={"input": "a", "reply": "r"})
