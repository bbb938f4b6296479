"""Replies are what a user would see: in ``run``, in ``reply``, and in rows that are read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.judging_server import Bench, Printed, Roles, judge_requests, subject_requests
from tests.servers import ChatServer, say

SAID = "Oh no, not the one by the river."
DRAFT = "As an AI language model I have no feelings."
RUN = ("run", "suite", "--subject", "loop", "--judge", "loop", "--json")
_CALL = {"id": "t", "type": "function", "function": {"name": "search", "arguments": "{}"}}


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    bench = Bench(tmp_path)
    bench.suite(1)
    return bench


def ran(bench: Bench, *behaviour: Any, **changes: Any) -> tuple[dict[str, Any], ChatServer]:
    """The judgement of a run whose subject answers so."""
    with ChatServer(Roles(subject=lambda _: say(*behaviour, **changes))) as server:
        bench.models(server.openai_url, "max_tokens = 1500", mode="w")
        printed = bench.run(*RUN)
    return printed.judgements[0], server


def judged(bench: Bench, *rows: dict[str, Any]) -> Printed:
    bench.write("rows.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    return bench.run("judge", "rows.jsonl", "--judge", "rules", "--json")


@pytest.mark.parametrize(
    "changes",
    [
        {"content": f"<think>{DRAFT}</think>\n\n{SAID}"},
        {"content": f"{DRAFT}\n</think>\n\n{SAID}"},
        {"content": f"[THINK]{DRAFT}[/THINK]{SAID}"},
        {"content": f"<|channel|>analysis<|message|>{DRAFT}<|end|><|start|>assistant<|channel|>final<|message|>{SAID}"},
        {"content": [{"type": "thinking", "thinking": DRAFT}, {"type": "text", "text": SAID}]},
        {"content": SAID, "message": {"reasoning_content": DRAFT}},
        {"content": SAID, "message": {"reasoning": DRAFT, "reasoning_details": [{"text": DRAFT}]}},
    ],
)
def test_reasoning_of_a_subject_is_not_judged_and_is_in_the_journal(bench: Bench, changes: dict[str, Any]) -> None:
    judgement, server = ran(bench, **changes)
    assert judgement["status"] == "judged"
    assert bench.sql("SELECT text, reasoning FROM replies") == [(SAID, DRAFT)]
    asked = json.dumps(judge_requests(server)[0].body)
    assert "by the river" in asked
    assert DRAFT not in asked


@pytest.mark.parametrize(
    ("changes", "reason", "said"),
    [
        ({"content": None, "message": {"reasoning_content": SAID}}, "no_reply", "`reasoning_content`"),
        ({"content": "", "message": {"reasoning": SAID}}, "no_reply", "`reasoning`"),
        (
            {"content": None, "finish_reason": "tool_calls", "message": {"tool_calls": [_CALL]}},
            "no_reply",
            "only a call of the tool `search`",
        ),
        ({"content": f"<think>{DRAFT}"}, "no_reply", "the reasoning never ends"),
        ({"content": f"<think>{DRAFT}", "finish_reason": "length"}, "truncated", "raise max_tokens in [models.loop]"),
        (
            {"content": "Oh no, not", "finish_reason": "MAX_TOKENS"},
            "truncated",
            "it ends after 20 tokens; raise max_tokens",
        ),
        ({"content": SAID, "finish_reason": "content_filter: SPII"}, "content_filter", "SPII"),
        ({"content": SAID, "finish_reason": "a_new_word"}, "unknown_ending", "`a_new_word`"),
    ],
)
def test_an_answer_that_is_no_whole_reply_is_paid_for_once_and_says_why(
    bench: Bench, changes: dict[str, Any], reason: str, said: str
) -> None:
    judgement, server = ran(bench, **changes)
    assert (judgement["reason"], server.count) == (reason, 1)
    assert said in judgement["detail"]
    assert bench.sql("SELECT completion_tokens FROM attempts") == [(20,)]


def test_tokens_that_went_to_reasoning_are_named_with_the_setting(bench: Bench) -> None:
    usage = {"prompt_tokens": 9, "completion_tokens": 1500, "completion_tokens_details": {"reasoning_tokens": 1500}}
    judgement, _ = ran(bench, content="", finish_reason="length", usage=usage)
    assert "1,500 of 1,500 tokens were reasoning; raise max_tokens in [models.loop]" in judgement["detail"]
    assert bench.sql("SELECT reasoning_tokens FROM attempts") == [(1500,)]


def test_half_an_answer_that_the_provider_broke_off_is_tried_again(bench: Bench) -> None:
    answers = iter([say("Oh no, not", finish_reason="error"), say(SAID)])
    with ChatServer(Roles(subject=lambda _: next(answers))) as server:
        bench.models(server.openai_url)
        assert bench.run(*RUN).judgements[0]["status"] == "judged"
    assert len(subject_requests(server)) == 2
    assert bench.sql("SELECT text FROM replies") == [(SAID,)]


def test_answers_without_a_finish_reason_are_whole_and_counted(bench: Bench) -> None:
    with ChatServer(Roles(subject=lambda _: say(SAID, finish_reason=None))) as server:
        bench.models(server.openai_url)
        printed = bench.run(*RUN)
    assert printed.judgements[0]["status"] == "judged"
    assert "1 answer of loop came without a finish reason" in printed.err


def test_a_live_conversation_goes_on_with_what_a_user_would_see(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.case("C-001", "my bike is gone", "", "it was green")
    _, server = ran(bench, f"<think>{DRAFT}</think>{SAID}")
    assert [message["content"] for message in subject_requests(server)[1].messages][1] == SAID


def test_a_run_that_is_resumed_gives_the_same_reply(bench: Bench) -> None:
    behaviour = say(f"<think>{DRAFT}</think>{SAID}", message={"reasoning_content": "hm"})
    with ChatServer(Roles(subject=lambda _: behaviour)) as server:
        bench.models(server.openai_url)
        first = bench.run(*RUN).judgements
        for table in ("run_rows", "judgements", "replies"):
            bench.sql(f"DELETE FROM {table}")
        assert bench.run(*RUN).judgements == first
        assert server.count == 2
    assert bench.sql("SELECT text, reasoning FROM replies") == [(SAID, f"hm\n\n{DRAFT}")]


def test_a_judge_whose_verdict_is_in_its_reasoning_is_asked_once(bench: Bench) -> None:
    silent = say(content=None, message={"reasoning_content": "total: 90"})
    with ChatServer(Roles(judges=lambda _: silent)) as server:
        bench.models(server.openai_url)
        judgement = bench.run(*RUN).judgements[0]
    assert (judgement["reason"], len(judge_requests(server))) == ("empty", 1)
    assert "`reasoning_content`" in judgement["detail"]
    assert bench.sql("SELECT reasoning FROM attempts WHERE reasoning IS NOT NULL") == [("total: 90",)]


def test_a_judge_that_was_cut_names_the_setting_and_is_asked_once(bench: Bench) -> None:
    with ChatServer(Roles(judges=lambda _: say("case_id: C-001\naxes:\n", finish_reason="length"))) as server:
        bench.models(server.openai_url, "max_tokens = 20")
        judgement = bench.run(*RUN).judgements[0]
    assert (judgement["reason"], len(judge_requests(server))) == ("truncated", 1)
    assert "raise max_tokens in [models.loop]" in judgement["detail"]


def test_reply_prints_the_reasoning_beside_the_reply_and_judge_reads_it_so(bench: Bench) -> None:
    with ChatServer(Roles(subject=lambda _: say(f"<think>{DRAFT}</think>{SAID}"))) as server:
        bench.models(server.openai_url)
        printed = bench.run("reply", "suite", "--subject", "loop", "-o", "rows.jsonl")
    assert printed.code == 0
    row = json.loads((bench.folder / "rows.jsonl").read_text(encoding="utf-8"))
    assert (row["reply"], row["reasoning"]) == (SAID, DRAFT)
    assert bench.run("judge", "rows.jsonl", "--suite", "suite", "--judge", "rules").code == 0
    assert bench.sql("SELECT DISTINCT text, reasoning FROM replies") == [(SAID, DRAFT)]


def test_an_export_has_the_reasoning_and_an_import_keeps_it(bench: Bench, tmp_path: Path) -> None:
    ran(bench, f"<think>{DRAFT}</think>{SAID}")
    (run,) = [name for (name,) in bench.sql("SELECT name FROM runs")]
    bench.run("runs", "export", run, "-o", "run.jsonl")
    other = Bench(tmp_path / "other")
    other.write("run.jsonl", (bench.folder / "run.jsonl").read_text(encoding="utf-8"))
    assert other.run("runs", "import", "run.jsonl").code == 0
    assert other.sql("SELECT text, reasoning FROM replies") == [(SAID, DRAFT)]


_PARTS = [{"type": "reasoning", "text": DRAFT}, {"type": "text", "text": SAID}]
_USER = {"role": "user", "content": "my bike is gone"}


@pytest.mark.parametrize(
    "row",
    [
        {"input": "my bike is gone", "reply": f"<think>{DRAFT}</think>\n{SAID}"},
        {"input": "my bike is gone", "reply": SAID, "reasoning": DRAFT},
        {"messages": [_USER, {"role": "assistant", "content": f"{DRAFT}</think>{SAID}"}]},
        {"messages": [_USER, {"role": "assistant", "content": SAID, "reasoning_content": DRAFT}]},
        {"messages": [_USER, {"role": "assistant", "content": _PARTS}]},
    ],
)
def test_reasoning_in_rows_is_taken_off_and_kept(bench: Bench, row: dict[str, Any]) -> None:
    assert judged(bench, row).judgements[0]["status"] == "judged"
    assert bench.sql("SELECT text, reasoning FROM replies") == [(SAID, DRAFT)]


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ({"input": "hi", "reply": f"<think>{DRAFT}"}, "no_reply"),
        ({"input": "hi", "reply": "Oh no, not", "finish_reason": "length"}, "truncated"),
        ({"input": "hi", "reply": "Oh no, not", "finish_reason": "SAFETY"}, "content_filter"),
        ({"input": "hi", "reply": "Oh no, not", "finish_reason": "a_new_word"}, "unknown_ending"),
        ({"messages": [_USER, {"role": "assistant", "content": None, "tool_calls": [_CALL]}]}, "no_reply"),
    ],
)
def test_a_row_that_is_no_whole_reply_is_asked_and_unjudged_with_its_reason(
    bench: Bench, row: dict[str, Any], reason: str
) -> None:
    printed = judged(bench, row, {"input": "hi", "reply": "Oh no, not"})
    assert [line["reason"] for line in printed.judgements] == [reason, None]
    assert printed.document["summary"]["asked"] == 2
    assert bench.sql("SELECT status FROM runs") == [("finished",)]


def test_earlier_turns_of_a_log_are_shown_without_reasoning(bench: Bench) -> None:
    turns = [_USER, {"role": "assistant", "content": f"<think>{DRAFT}</think>Oh no."}, _USER]
    judged(bench, {"messages": [*turns, {"role": "assistant", "content": SAID}]})
    (case,) = bench.sql("SELECT text FROM texts WHERE kind = 'case'")[0]
    assert "Oh no." in case
    assert DRAFT not in case
