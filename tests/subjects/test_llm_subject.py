"""The subject that is a model, and the one that repeats what is recorded."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.builders import case

from iamhumans.cases import Case, Reply, Turn
from iamhumans.prompts import Answer, Request
from iamhumans.subjects import Answered, LlmSubject, RecordedSubject, SubjectTask, skill_text
from iamhumans.verdicts import Reason, Unjudged

LIVE = case("the bakery closed", "", "the one with the rolls", "", "and now?")


def messages(subject: LlmSubject, of: Case, *answers: str) -> list[tuple[str, str]]:
    step = subject.next(SubjectTask(of), [Answer(text) for text in answers])
    assert isinstance(step, Request)
    return [(message.role, message.content) for message in step.messages]


def answered(of: Case, *answers: str) -> Answered:
    step = LlmSubject("m").next(SubjectTask(of, 2), [Answer(text) for text in answers])
    assert isinstance(step, Answered)
    return step


def test_one_turn_is_asked_and_its_answer_is_the_reply() -> None:
    assert messages(LlmSubject("m"), case("hello")) == [("user", "hello")]
    assert answered(case("hello"), "hi") == Answered(Reply("BAK-001", "hi", "m", 2), case("hello"))


def test_the_skill_is_a_system_message_before_all_else() -> None:
    assert messages(LlmSubject("m", "Be warm."), case("hello")) == [("system", "Be warm."), ("user", "hello")]


def test_turns_that_stand_in_the_case_are_told_and_not_asked() -> None:
    assert messages(LlmSubject("m"), case("a", "b", "c")) == [("user", "a"), ("assistant", "b"), ("user", "c")]


def test_live_turns_are_asked_one_after_the_other() -> None:
    assert messages(LlmSubject("m"), LIVE) == [("user", "the bakery closed")]
    assert messages(LlmSubject("m"), LIVE, "oh")[1:] == [("assistant", "oh"), ("user", "the one with the rolls")]
    assert messages(LlmSubject("m"), LIVE, "oh", "those")[3:] == [("assistant", "those"), ("user", "and now?")]


def test_the_case_that_was_answered_holds_the_live_turns() -> None:
    done = answered(LIVE, " oh\n", "those", "no idea")
    assert done.reply.text == "no idea"
    assert [turn.text for turn in done.case.conversation] == [
        "the bakery closed",
        "oh",
        "the one with the rolls",
        "those",
        "and now?",
    ]
    assert done.case.hash != LIVE.hash


@given(st.lists(st.sampled_from(["", "told"]), min_size=1, max_size=5), st.booleans())
def test_every_live_turn_and_the_reply_are_asked_once(turns: Sequence[str], skilled: bool) -> None:
    conversation = [Turn("user", "u0")]
    for index, text in enumerate(turns, start=1):
        conversation += [Turn("assistant", text), Turn("user", f"u{index}")]
    task = SubjectTask(Case("X-1", tuple(conversation)))
    subject = LlmSubject("m", "Be warm." if skilled else None)
    history: list[Answer] = []
    while isinstance(step := subject.next(task, history), Request):
        assert step.messages[-1].role == "user"
        assert all(message.content for message in step.messages)
        history.append(Answer(f"answer {len(history)}"))
    assert isinstance(step, Answered)
    assert len(history) == turns.count("") + 1
    live = [turn.text for turn in step.case.conversation if turn.text.startswith("answer")]
    assert [*live, step.reply.text] == [answer.text for answer in history]


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (Answer(""), Reason.NO_REPLY),
        (Answer(" \n\t"), Reason.NO_REPLY),
        (Answer("half of", "length"), Reason.TRUNCATED),
        (Answer("", "content_filter"), Reason.CONTENT_FILTER),
        (Answer("half of", "content_filter"), Reason.CONTENT_FILTER),
        (Answer("half of", "a_new_word"), Reason.UNKNOWN_ENDING),
        (Answer("<think>hm"), Reason.NO_REPLY),
        (Answer("<think>hm", "length"), Reason.TRUNCATED),
        (Answer("", "stop", "hm", note="the content is empty"), Reason.NO_REPLY),
        (Answer("", "tool_calls", beside="a call of the tool `find`"), Reason.NO_REPLY),
    ],
)
def test_an_answer_that_is_no_turn_ends_the_conversation(answer: Answer, reason: Reason) -> None:
    for history in ([answer], [Answer("oh"), answer]):
        step = LlmSubject("m").next(SubjectTask(LIVE), history)
        assert isinstance(step, Unjudged)
        assert step.reason is reason
        assert step.detail


def test_reasoning_is_taken_off_and_kept_beside_the_reply() -> None:
    step = LlmSubject("m").next(SubjectTask(case("hello")), [Answer("<think>hm</think>\n\nhi", reasoning="oh")])
    assert isinstance(step, Answered)
    assert (step.reply.text, step.reply.reasoning) == ("hi", "oh\n\nhm")


def test_the_conversation_that_goes_on_holds_only_what_a_user_would_see() -> None:
    assert messages(LlmSubject("m"), LIVE, "<think>hm</think>oh")[1] == ("assistant", "oh")
    done = answered(LIVE, "<think>hm</think>oh", "well</think>those", "no idea")
    assert [turn.text for turn in done.case.conversation if turn.speaker == "assistant"] == ["oh", "those"]


def test_a_call_of_a_tool_beside_a_text_is_named() -> None:
    step = LlmSubject("m").next(SubjectTask(case("hello")), [Answer("hi", "tool_calls", beside="a call of a tool")])
    assert isinstance(step, Answered)
    assert (step.reply.text, step.reply.beside) == ("hi", "a call of a tool")


def test_what_the_provider_says_of_an_empty_answer_is_in_the_reason() -> None:
    note = "1,500 of 1,500 tokens were reasoning; raise max_tokens in [models.x]"
    step = LlmSubject("m").next(SubjectTask(case("hello")), [Answer("", "length", note=note)])
    assert isinstance(step, Unjudged)
    assert note in step.detail


# skill files


@pytest.mark.parametrize(
    ("text", "prompt"),
    [
        ("Be warm.", "Be warm."),
        ("\n\nBe warm.\n\n", "Be warm."),
        ("---\nname: warm\ndescription: x\n---\n\nBe warm.\n", "Be warm."),
        ("---\nname: warm\n---\nBe warm.\n\n---\n\nMore.", "Be warm.\n\n---\n\nMore."),
        ("---\n---\nBe warm.", "Be warm."),
        ("--- \nname: warm\n---  \nBe warm.", "Be warm."),
        ("---\nname: warm\n---", ""),
        ("---\ndescription: warm: and short\nallowed:\n  - Read\n- x\n# remark\n---\nBe warm.", "Be warm."),
        ("---\nYou are Ada, a baker.\n---\nBe warm.", "---\nYou are Ada, a baker.\n---\nBe warm."),
        ("---\n- be kind\n- be short\n---\nBe warm.", "---\n- be kind\n- be short\n---\nBe warm."),
        ("---\nname: warm\nBe warm.", "---\nname: warm\nBe warm."),
        ("Be warm.\n---\nname: x\n---\n", "Be warm.\n---\nname: x\n---"),
        ("", ""),
    ],
)
def test_front_matter_is_no_part_of_the_prompt_and_all_else_is(text: str, prompt: str) -> None:
    assert skill_text(text) == prompt


@given(st.text())
def test_a_skill_never_gains_anything(text: str) -> None:
    assert skill_text(text) in text


# recorded replies


def test_a_recorded_reply_is_found_by_case_and_number_and_named_after_the_subject() -> None:
    there = Answered(Reply("BAK-001", "hi", "somebody", 2), case("hello"))
    subject = RecordedSubject("recorded/x", "1", {("BAK-001", 2): there})
    assert subject.next(SubjectTask(case("hello"), 2), ()) == Answered(
        Reply("BAK-001", "hi", "recorded/x", 2), case("hello")
    )


def test_a_reply_that_is_not_recorded_is_missing() -> None:
    step = RecordedSubject("recorded/x", "1", {}).next(SubjectTask(case("hello")), ())
    assert step == Unjudged(Reason.NO_REPLY, "recorded/x has no reply 1 to BAK-001")
