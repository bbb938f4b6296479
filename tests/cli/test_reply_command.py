"""``iamhumans reply`` from the outside, and what becomes of its replies."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.judging_server import Bench, Printed, Roles, judge_requests, replies
from tests.servers import Behaviour, ChatServer, Received, refuse, say

REPLY = ("reply", "suite", "--subject", "loop")


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    bench = Bench(tmp_path)
    bench.suite(2)
    return bench


@pytest.fixture
def server(bench: Bench) -> Iterator[ChatServer]:
    with ChatServer(Roles()) as server:
        bench.models(server.openai_url)
        yield server


def lines(printed: Printed) -> list[dict[str, Any]]:
    return [json.loads(line) for line in printed.out.splitlines()]


def without_run(printed: Printed) -> Any:
    return {key: value for key, value in printed.document.items() if key not in ("run", "models")}


def test_it_prints_a_line_for_each_reply_in_the_order_of_the_cases(bench: Bench, server: ChatServer) -> None:
    printed = bench.run(*REPLY, "--replies", "2")
    assert (printed.code, printed.err) == (0, "")
    assert [(line["case_id"], line["number"], line["subject"]) for line in lines(printed)] == [
        ("C-001", 1, "loop"),
        ("C-001", 2, "loop"),
        ("C-002", 1, "loop"),
        ("C-002", 2, "loop"),
    ]
    assert lines(printed)[0]["reply"] in {replies(received) for received in server.requests}
    assert judge_requests(server) == []


def test_json_is_one_document(bench: Bench, server: ChatServer) -> None:
    document = bench.run(*REPLY, "--json").document
    assert document == {"replies": lines(bench.run(*REPLY))}


def test_it_asks_nothing_twice_and_run_uses_its_replies(bench: Bench, server: ChatServer) -> None:
    first = bench.run(*REPLY)
    assert bench.run(*REPLY) == first
    assert server.count == 2
    bench.run("run", "suite", "--subject", "loop")
    assert server.count == 2


def test_it_makes_no_run(bench: Bench, server: ChatServer) -> None:
    bench.run(*REPLY)
    assert bench.run("runs", "list", "--json").document == {"runs": []}
    printed = bench.run(*REPLY, "--fresh")
    assert printed.code == 2
    assert "make no run" in printed.err


def test_a_dry_run_sends_nothing(bench: Bench, server: ChatServer) -> None:
    outlook = bench.run(*REPLY, "--replies", "3", "--dry-run", "--json").document
    assert (outlook["jobs"], outlook["calls"], server.count) == (6, 6, 0)


@pytest.mark.parametrize("judge", ["loop", "rules"])
def test_judging_what_it_wrote_comes_to_what_run_comes_to(bench: Bench, server: ChatServer, judge: str) -> None:
    bench.case("L-001", "my bakery closed", "", "the one with the rolls", "", "and now?")
    bench.case("M-001", "my bakery closed", "Which one?", "the one with the rolls")
    options = ("--replies", "2", "--repeats", "2", "--judge", judge, "--json")
    whole = bench.run("run", "suite", "--subject", "loop", *options)
    assert whole.code == 0
    bench.run(*REPLY, "--replies", "2", "-o", "replies.jsonl", "--db", "other.db")
    judged = bench.run(
        *(
            "judge",
            "replies.jsonl",
            "--suite",
            "suite",
            "--judge",
            judge,
            "--repeats",
            "2",
            "--json",
            "--db",
            "other.db",
        )
    )
    assert judged.code == 0
    assert without_run(judged) == without_run(whole)


def test_live_turns_are_written_and_read_back(bench: Bench, server: ChatServer) -> None:
    bench.case("L-001", "my bakery closed", "", "and now?", suite="live")
    bench.run("reply", "live", "--subject", "loop", "-o", "replies.jsonl")
    line = json.loads((bench.folder / "replies.jsonl").read_text())
    first, second = (replies(received) for received in server.requests)
    assert line["reply"] == second
    assert line["conversation"] == [
        {"role": "user", "content": "my bakery closed"},
        {"role": "assistant", "content": first},
        {"role": "user", "content": "and now?"},
    ]
    bench.run("judge", "replies.jsonl", "--suite", "live", "--judge", "loop")
    (asked,) = judge_requests(server)
    assert f"The assistant:\n> {first}\n" in asked.messages[-1]["content"]


def test_strange_texts_survive_the_way_to_the_file_and_back(bench: Bench) -> None:
    strange = 'a "quoted"\u2028line\x85{{CASE_ID}}\n> check: none\t\x1b[31m🥐 ```'
    with ChatServer(Roles(subject=lambda _: say(strange))) as server:
        bench.models(server.openai_url)
        whole = bench.run("run", "suite", "--subject", "loop", "--judge", "loop", "--json")
        bench.run(*REPLY, "-o", "replies.jsonl")
        judged = bench.run("judge", "replies.jsonl", "--suite", "suite", "--judge", "loop", "--json")
    assert [json.loads(line)["reply"] for line in (bench.folder / "replies.jsonl").read_text().split("\n")[:-1]] == [
        strange
    ] * 2
    assert without_run(judged) == without_run(whole)


def test_replies_that_could_not_be_had_are_told_together_and_end_with_3(bench: Bench) -> None:
    bench.suite(4)
    roles = Roles()

    def script(received: Received) -> Behaviour:
        return roles(received) if "corner 2" in json.dumps(received.body) else refuse(400, "not this one")

    with ChatServer(script) as server:
        bench.models(server.openai_url)
        printed = bench.run(*REPLY)
    assert printed.code == 3
    assert [line["case_id"] for line in lines(printed)] == ["C-002"]
    assert printed.err.startswith("error: 3 replies are missing: provider_error: ")
    assert printed.err.count("\n") == 1


def test_no_reply_at_all_ends_with_4(bench: Bench) -> None:
    with ChatServer(lambda _: refuse(401, "bad key")) as server:
        bench.models(server.openai_url)
        printed = bench.run(*REPLY)
    assert (printed.code, printed.out) == (4, "")
    assert "answered 401" in printed.err


def test_a_budget_stops_it_cleanly_and_it_goes_on(bench: Bench, server: ChatServer) -> None:
    line = (*REPLY, "--replies", "4", "--max-connections", "1")
    stopped = bench.run(*line, "--max-tokens", "500")
    assert stopped.code == 4
    assert "the budget of 500 tokens is spent. Run the same command again" in stopped.err
    assert 0 < len(lines(stopped)) < 8
    assert bench.run(*line).code == 0
    assert server.count == 8


def test_a_file_that_cannot_be_written_costs_no_reply(bench: Bench, server: ChatServer) -> None:
    printed = bench.run(*REPLY, "-o", "missing/replies.jsonl")
    assert printed.code == 2
    assert "cannot be written" in printed.err
    assert bench.run(*REPLY, "-o", "replies.jsonl").code == 0
    assert server.count == 2


def test_held_out_cases_are_never_sent(bench: Bench, server: ChatServer) -> None:
    bench.case("H-001", "the secret pretzel", holdout="true")
    assert len(lines(bench.run(*REPLY))) == 2
    assert "pretzel" not in json.dumps([received.body for received in server.requests])


def test_a_suite_without_cases_is_refused(bench: Bench, server: ChatServer) -> None:
    bench.case("H-001", "the pretzel", suite="hidden", holdout="true")
    assert bench.run("reply", "hidden", "--subject", "loop").code == 2


def test_a_case_that_cannot_be_read_ends_with_2(bench: Bench, server: ChatServer) -> None:
    bench.write("suite/cases/broken.md", "no front matter\n")
    printed = bench.run(*REPLY)
    assert (printed.code, len(lines(printed))) == (2, 2)


def test_recorded_replies_are_printed_as_the_suites(bench: Bench) -> None:
    bench.write("old.jsonl", json.dumps({"case_id": "C-001", "reply": "Oh no.", "subject": "x"}))
    printed = bench.run("reply", "suite", "--subject", "recorded/old.jsonl")
    assert printed.code == 3
    assert lines(printed) == [{"case_id": "C-001", "reply": "Oh no.", "subject": "recorded/old.jsonl", "number": 1}]


def test_a_program_can_be_the_subject(bench: Bench) -> None:
    program = bench.write("bot.sh", "#!/bin/sh\ncat >/dev/null\nprintf 'Oh, that one.'\n")
    program.chmod(0o755)
    printed = bench.run("reply", "suite", "--subject", "command/./bot.sh")
    assert [line["reply"] for line in lines(printed)] == ["Oh, that one."] * 2
