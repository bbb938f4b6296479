"""Judging one reply from Python."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.api.test_run import a_suite
from tests.builders import verdict_of

import iamhumans as ih

VALID = "Your feelings are completely valid."


def always(verdict: str) -> Any:
    """A judge that prints the same verdict whatever it is asked."""

    def judge(messages: list[dict[str, str]]) -> str:
        assert messages[0]["role"] == "system"
        return verdict

    return judge


def test_a_reply_is_judged_without_anything_to_set_up() -> None:
    found = ih.judge(VALID, input="i can't sleep again")
    assert (found.status, found.total, found.verdict) == ("judged", 0, "FAIL")
    assert found.hard_fails is not None
    assert found.axes is not None
    assert found.hard_fails["empty_validation"] == ih.Flag(True, (VALID,), True)
    assert 0 <= (found.axes["naturalness"] or 0) <= 10


def test_the_fields_are_those_of_the_json_line() -> None:
    found = ih.judge(VALID, input="i can't sleep again")
    assert list(found.to_dict()) == [
        "row", "case_id", "subject", "number", "judge", "repeat", "status", "reason", "detail", "axes", "defaulted",
        "hard_fails", "zeroed", "total", "total_confirmed", "axis_total", "applicable_total", "verdict", "stated",
        "differences", "repairs", "notes",
    ]  # fmt: skip


def test_a_reply_without_words_is_unjudged_with_a_reason() -> None:
    found = ih.judge("...", input="hello there, how are you today?")
    assert (found.status, found.reason, found.total, found.axes) == ("unjudged", "no_reply", None, None)


def test_a_conversation_takes_the_place_of_an_input() -> None:
    turns = [
        {"role": "user", "content": "my sister's name is Ana"},
        {"role": "assistant", "content": "Lovely name."},
        {"role": "user", "content": "what was her name again?"},
    ]
    assert ih.judge("Ana, you said.", conversation=turns).judged


def test_a_case_of_a_suite_brings_its_criteria() -> None:
    case = ih.load_suite("core").by_id["FEE-001"]
    assert ih.judge(VALID, case=case).case_id == "FEE-001"


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"input": "hi", "conversation": [{"role": "user", "content": "hi"}]},
        {"input": "hi", "case": ih.Case("C-1", (ih.Turn("user", "hi"),))},
    ],
    ids=["none", "two", "a case too"],
)
def test_what_a_reply_answers_is_said_exactly_once(given: dict[str, Any]) -> None:
    with pytest.raises(ih.CommandError, match="exactly one of"):
        ih.judge("Hm.", **given)


def test_a_conversation_that_does_not_end_with_the_user_is_refused() -> None:
    with pytest.raises(ih.InputError, match="does not end with a message from the user"):
        ih.judge("Hm.", conversation=[{"role": "assistant", "content": "hi"}])


def test_a_function_judges_as_a_model_would() -> None:
    judge = always(verdict_of(case_id="row-1", axes={"naturalness": 3}))
    found = ih.judge("Oh no. When did you see it last?", input="i lost my keys", judge=judge)
    assert found.axes is not None
    assert (found.status, found.axes["naturalness"]) == ("judged", 3)


def test_an_asynchronous_function_judges_too() -> None:
    async def judge(messages: list[dict[str, str]]) -> str:
        await asyncio.sleep(0)
        return verdict_of(case_id="row-1")

    assert ih.judge("Oh no. When?", input="i lost my keys", judge=judge).judged


def test_a_function_that_raises_leaves_the_reply_unjudged() -> None:
    def judge(messages: list[dict[str, str]]) -> str:
        raise RuntimeError("no credit")

    found = ih.judge("Oh no. When?", input="i lost my keys", judge=ih.CallableModel(judge, name="broken"))
    assert (found.status, found.reason) == ("unjudged", "provider_error")
    assert "no credit" in (found.detail or "")


class Strict:
    """A judge of somebody's own."""

    name = "strict"
    version = "1"
    asks_model = False

    def next(self, task: ih.JudgeTask, history: Sequence[ih.Answer]) -> ih.Verdict | ih.Unjudged | ih.Request:
        if len(task.reply.text) < 5:
            return ih.Unjudged(ih.Reason.NO_REPLY, "too short for me")
        flags = {name: ih.Flag(False) for name in task.rubric.hard_fail_ids}
        return ih.Verdict(axes=dict.fromkeys(task.rubric.axis_ids, 7), flags=flags, case_id=task.case.id)


def test_a_judge_of_ones_own_is_an_object_with_a_name_a_version_and_next() -> None:
    assert ih.judge("Oh no. When?", input="i lost my keys", judge=Strict()).total == 70
    assert ih.judge("Oh.", input="i lost my keys", judge=Strict()).reason == "no_reply"


def test_it_works_inside_a_running_loop_and_has_a_twin_for_it() -> None:
    judge = always(verdict_of(case_id="row-1"))

    async def notebook() -> tuple[ih.Judgement, ih.Judgement]:
        inside = ih.judge("Oh no. When?", input="i lost my keys", judge=judge)
        return inside, await ih.ajudge("Oh no. When?", input="i lost my keys", judge=judge)

    inside, awaited = asyncio.run(notebook())
    assert inside == awaited
    assert inside.judged


def test_two_threads_judge_at_once() -> None:
    judge, found = always(verdict_of(case_id="row-1")), []

    def work() -> None:
        found.append(ih.judge("Oh no. When?", input="i lost my keys", judge=judge))

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [one.judged for one in found] == [True, True]


def test_a_name_that_is_no_judge_is_an_error_of_the_family_with_advice() -> None:
    with pytest.raises(ih.IamhumansError) as error:
        ih.judge("Oh no. When?", input="i lost my keys", judge="rulez")
    assert error.value.fix.startswith("Did you mean the judge `rules`?")


def test_a_held_out_case_is_used_only_for_a_reason_which_is_logged(tmp_path: Path) -> None:
    suite = ih.load_suite(a_suite(tmp_path / "suite", held_out=True))
    case = suite.by_id["A-4"]
    sent: list[Any] = []
    with pytest.raises(ih.CommandError, match="held out"):
        ih.judge("Hm.", case=case, judge=sent.append)
    assert not sent
    assert ih.judge("Hm.", case=case, holdout_reason="release 1.2").case_id == "A-4"
    assert "release 1.2" in (suite.path / "holdout-ledger.jsonl").read_text()


def test_a_held_out_case_does_not_show_its_words_in_a_notebook() -> None:
    case = ih.Case("C-1", (ih.Turn("user", "secret words"),), title="secret title", holdout=True)
    assert repr(case) == "<Case C-1: held out>"
    assert "secret" not in repr(ih.Suite("s", Path(), (case,)))


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("jugde", "rules", "no option `jugde`"),
        ("max_cost", "a", "`max_cost` is 'a'"),
        ("max_connections", 0, "`max_connections` is 0"),
        ("progress", 5, "`progress` is 5"),
    ],
)
def test_an_option_that_cannot_be_is_an_error_that_says_what_can(option: str, value: Any, said: str) -> None:
    for work in (
        lambda: ih.judge("x", input="y", **{option: value}),
        lambda: ih.judge_all([{"input": "y", "reply": "x"}], **{option: value}),
    ):
        with pytest.raises(ih.CommandError, match=said) as caught:
            work()
        assert caught.value.fix


def test_a_persona_that_names_a_file_is_not_taken_as_its_text(tmp_path: Path) -> None:
    (tmp_path / "p.md").write_text("Ana is a nurse.")
    with pytest.raises(ih.CommandError, match="name of a file"):
        ih.judge_all([{"input": "y", "reply": "x"}], persona=str(tmp_path / "p.md"))


def test_an_answer_behind_megabytes_of_blanks_is_read_and_one_of_megabytes_is_not_paid_for_again() -> None:
    asked = 0

    def blanks(messages: list[dict[str, str]]) -> str:
        return "\n" * 3_000_000 + verdict_of(case_id="row-1")

    def babble(messages: list[dict[str, str]]) -> str:
        nonlocal asked
        asked += 1
        return "word " * 300_000

    assert ih.judge("Oh no. When?", input="i lost my keys", judge=blanks).judged
    found = ih.judge("Oh no. When?", input="i lost my keys", judge=babble)
    assert (found.reason, asked) == ("provider_error", 1)
