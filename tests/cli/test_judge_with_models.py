"""``iamhumans judge`` and ``iamhumans prompt`` with judges that are models."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.judging_server import (
    Bench,
    Question,
    Roles,
    judges_after_a_re_ask,
    never_judges,
)
from tests.servers import Behaviour, ChatServer, say

JUDGE = ("judge", "replies.jsonl", "--suite", "suite", "--judge", "loop")


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """Three cases with a reply to each."""
    bench = Bench(tmp_path)
    bench.suite(3)
    rows = [{"case_id": f"C-00{number}", "reply": f"Oh no, corner {number}.", "subject": "s"} for number in (1, 2, 3)]
    bench.write("replies.jsonl", "\n".join(map(json.dumps, rows)) + "\n")
    return bench


@pytest.fixture
def server(bench: Bench) -> Iterator[ChatServer]:
    with ChatServer(Roles()) as server:
        bench.models(server.openai_url)
        yield server


def test_each_reply_is_judged_and_nothing_asked_again(bench: Bench, server: ChatServer) -> None:
    printed = bench.run(*JUDGE, "--json")
    assert (printed.code, printed.err) == (0, "")
    assert [(row["case_id"], row["subject"], row["status"]) for row in printed.judgements] == [
        (f"C-00{number}", "s", "judged") for number in (1, 2, 3)
    ]
    assert bench.run(*JUDGE, "--json") == printed
    assert server.count == 3


def test_other_order_of_judges_costs_nothing(bench: Bench, server: ChatServer) -> None:
    bench.models(server.openai_url, "temperature = 1", name="other")
    bench.run(*JUDGE, "--judge", "other")
    count = server.count
    bench.run("judge", "replies.jsonl", "--suite", "suite", "--judge", "other", "--judge", "loop")
    assert server.count == count


def test_one_more_row_costs_one_more_call(bench: Bench, server: ChatServer) -> None:
    bench.run(*JUDGE)
    with (bench.folder / "replies.jsonl").open("a") as file:
        file.write(json.dumps({"case_id": "C-001", "reply": "Another.", "subject": "s", "number": 2}) + "\n")
    assert len(bench.run(*JUDGE, "--json").judgements) == 4
    assert server.count == 4


def test_output_holds_what_json_holds(bench: Bench, server: ChatServer) -> None:
    printed = bench.run(*JUDGE, "-o", "out.jsonl", "--json")
    written = [json.loads(line) for line in (bench.folder / "out.jsonl").read_text().splitlines()]
    assert written == printed.judgements


def test_a_tenth_of_malformed_verdicts_is_asked_again_once(bench: Bench) -> None:
    bench.suite(20)
    rows = [{"case_id": f"C-{number:03}", "reply": f"Oh, {number}."} for number in range(1, 21)]
    bench.write("replies.jsonl", "\n".join(map(json.dumps, rows)))
    cases = {"C-007": judges_after_a_re_ask, "C-017": never_judges}
    with ChatServer(Roles(cases=cases)) as server:
        bench.models(server.openai_url)
        printed = bench.run(*JUDGE, "--json")
    assert (printed.code, server.count) == (0, 22)
    assert {row["case_id"]: row["reason"] for row in printed.judgements if row["reason"]} == {"C-017": "no_verdict"}


def test_a_yes_without_its_words_is_asked_again_and_kept_as_unconfirmed(bench: Bench) -> None:
    def judge(question: Question) -> Behaviour:
        return say(question.verdict(yes={"pity": ["you poor thing"]}))

    with ChatServer(Roles(cases={"C-002": judge})) as server:
        bench.models(server.openai_url)
        row = bench.run(*JUDGE, "--json").judgements[1]
        assert server.count == 4
    assert (row["total"], row["hard_fails"]["pity"]["confirmed"]) == (0, False)
    assert row["total_confirmed"] > 0


def test_a_judge_that_lies_about_the_total_changes_nothing(bench: Bench) -> None:
    with ChatServer(Roles(judges=lambda question: say(question.verdict(total=100, outcome="PASS")))) as server:
        bench.models(server.openai_url)
        honest = bench.run(*JUDGE, "--json").judgements[0]
    assert honest["stated"] == {"total": 100, "verdict": "PASS"}
    assert honest["total"] < 100
    assert "total" in honest["differences"]


def test_a_reply_without_words_is_not_sent(bench: Bench, server: ChatServer) -> None:
    bench.write("replies.jsonl", json.dumps({"case_id": "C-001", "reply": " ... "}))
    printed = bench.run(*JUDGE, "--json")
    assert (printed.code, printed.judgements[0]["reason"], server.count) == (4, "no_reply", 0)


def test_a_judge_behind_anthropics_format_is_asked_alike(bench: Bench) -> None:
    with ChatServer(Roles()) as server:
        bench.models(server.anthropic_url, 'wire = "anthropic"')
        printed = bench.run(*JUDGE, "--json")
        assert {received.path for received in server.requests} == {"/v1/messages"}
    assert (printed.code, [row["status"] for row in printed.judgements]) == (0, ["judged"] * 3)


# prompt


def prompted(bench: Bench, *arguments: str) -> list[dict[str, str]]:
    bench.write("reply.txt", "Oh no, corner 2.")
    printed = bench.run("prompt", "--suite", "suite", "--case", "C-002", "--reply", "reply.txt", *arguments, "--json")
    messages: list[dict[str, str]] = printed.document["messages"]
    return messages


@pytest.mark.parametrize("options", [(), ("--persona", "persona.md"), ("--rubric", "iamhumans-extended")])
def test_what_prompt_prints_is_what_the_server_receives(
    bench: Bench, server: ChatServer, options: tuple[str, ...]
) -> None:
    bench.write("persona.md", "Ada, a baker.\n")
    printed = prompted(bench, "--judge", "loop", *options)
    assert server.count == 0
    bench.run("judge", "reply.txt", "--suite", "suite", "--case", "C-002", "--judge", "loop", *options)
    assert server.bodies[0]["messages"] == printed


def test_with_a_template_too(bench: Bench, server: ChatServer) -> None:
    bench.write("t.md", "ID: `{{CASE_ID}}`\n\n{{USER_INPUT}}\n\n{{SKILL_RESPONSE}}\n")
    printed = prompted(bench, "--judge", "loop", "--template", "t.md")
    options = ("--case", "C-002", "--judge", "loop", "--template", "t.md")
    bench.run("judge", "reply.txt", "--suite", "suite", *options)
    assert server.bodies[0]["messages"] == printed


def test_the_schema_that_prompt_prints_is_the_one_that_is_sent(bench: Bench, server: ChatServer) -> None:
    bench.write("reply.txt", "Oh no, corner 2.")
    line = ("prompt", "--suite", "suite", "--case", "C-002", "--reply", "reply.txt", "--judge", "loop", "--json")
    schema = bench.run(*line).document["schema"]
    bench.run("judge", "reply.txt", "--suite", "suite", "--case", "C-002", "--judge", "loop")
    assert server.bodies[0]["response_format"]["json_schema"]["schema"] == schema


def test_prompt_refuses_a_case_whose_turns_are_answered_live(bench: Bench) -> None:
    bench.case("L-001", "hello", "", "and now?")
    bench.write("reply.txt", "Oh.")
    printed = bench.run("prompt", "--suite", "suite", "--case", "L-001", "--reply", "reply.txt")
    assert printed.code == 2
    assert "live" in printed.err
