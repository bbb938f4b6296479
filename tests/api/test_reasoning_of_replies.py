"""Reasoning, from Python: it is never judged, and it is there on demand."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from tests.api.test_run import a_suite

import iamhumans as ih

SAID = "Oh no. How long was it yours?"
DRAFT = "As an AI language model I have no feelings."
MARKED = f"<think>{DRAFT}</think>\n\n{SAID}"


def test_judge_takes_it_off_and_gives_it_back() -> None:
    found = ih.judge(MARKED, input="my bike is gone")
    plain = ih.judge(SAID, input="my bike is gone")
    assert found == plain
    assert (found.reasoning, plain.reasoning) == (DRAFT, "")


def test_ajudge_does_the_same_with_a_judge_that_asks() -> None:
    seen: list[str] = []

    def judge(messages: list[dict[str, str]]) -> str:
        seen.append(messages[-1]["content"])
        return "no verdict"

    found = asyncio.run(ih.ajudge(MARKED, input="my bike is gone", judge=judge))
    assert found.reasoning == DRAFT
    assert DRAFT not in seen[0]


@pytest.mark.parametrize(("text", "reason"), [(f"<think>{DRAFT}", "no_reply"), (f"<think>{DRAFT}</think>", "no_reply")])
def test_a_reply_that_is_only_reasoning_is_unjudged(text: str, reason: str) -> None:
    assert ih.judge(text, input="my bike is gone").reason == reason


def test_a_run_has_it_beside_each_reply() -> None:
    run = ih.judge_all([{"input": "my bike is gone", "reply": MARKED}])
    (reply,) = run.replies()
    assert (reply.text, reply.reasoning) == (SAID, DRAFT)


def test_replies_that_are_drawn_have_it(tmp_path: Path) -> None:
    drawn = ih.reply_all(a_suite(tmp_path / "suite"), subject=lambda _: MARKED)
    assert {(one.reply, one.reasoning) for one in drawn} == {(SAID, DRAFT)}
    assert drawn.replies[0].to_dict()["reasoning"] == DRAFT
