"""``iamhumans gate --sequential`` and ``--until-decided`` from the outside."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.judging_server import Bench, Roles, judge_requests, subject_requests
from tests.servers import Behaviour, ChatServer, Received, say

STIFF = "I want to acknowledge how hard this is. You poor thing."
GATE = ("gate", "last", "--max-flagged-rate", "0.1")
RUN = ("run", "suite", "--subject", "loop", "--judge", "rules", "--quiet")


def replies_well(received: Received) -> Behaviour:
    """A good reply, but to every 40th case."""
    corner = re.search(r"corner (\d+)", json.dumps(received.messages))
    return say(STIFF if corner and int(corner[1]) % 40 == 0 else "Oh no, that one?")


def replies_badly(_: Received) -> Behaviour:
    return say(STIFF)


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """Ninety cases."""
    bench = Bench(tmp_path)
    bench.suite(90)
    return bench


@pytest.fixture
def server(bench: Bench) -> Iterator[ChatServer]:
    with ChatServer(Roles(subject=replies_well)) as server:
        bench.models(server.openai_url, "prices = {prompt = 1.0, completion = 1.0}")
        yield server


def judged(bench: Bench, cases: int, *, bad: int = 0, first: int = 1) -> None:
    rows = [
        {"case_id": f"C-{n:03}", "reply": f"{STIFF if n <= bad else 'Oh no.'} Corner {n}?", "subject": "s"}
        for n in range(first, cases + 1)
    ]
    bench.write("replies.jsonl", "\n".join(map(json.dumps, rows)))
    assert bench.run("judge", "replies.jsonl", "--suite", "suite").code == 0


class TestLooks:
    def test_more_cases_are_another_look_at_the_same_question(self, bench: Bench) -> None:
        judged(bench, 20)
        first = bench.run(*GATE, "--sequential", "--json")
        judged(bench, 70)
        second = bench.run(*GATE, "--sequential", "--json")
        assert (first.code, second.code) == (3, 0)
        looks = [printed.document["looked"] for printed in (first, second)]
        assert [(one["number"], one["cases"]) for one in looks] == [(1, 20), (2, 70)]

    def test_the_same_look_prints_the_same(self, bench: Bench) -> None:
        judged(bench, 20)
        first, second = (bench.run(*GATE, "--sequential", "--json").out for _ in range(2))
        assert first == second

    def test_a_fixed_gate_is_refused_after_a_sequential_one(self, bench: Bench) -> None:
        judged(bench, 20)
        bench.run(*GATE, "--sequential")
        printed = bench.run(*GATE)
        assert printed.code == 2
        assert "Add --sequential" in printed.err

    def test_after_a_fixed_look_each_side_has_half_of_the_error(self, bench: Bench) -> None:
        judged(bench, 20)
        assert bench.run(*GATE).code == 3
        printed = bench.run(*GATE, "--sequential")
        assert "2.5 %" in " ".join(printed.out.split())
        assert "of the needed 40" in " ".join(printed.out.split())

    def test_a_sequential_gate_is_refused_after_an_announced_fixed_one(self, bench: Bench) -> None:
        judged(bench, 20)
        bench.run(*GATE, "--fixed")
        assert bench.run(*GATE, "--sequential").code == 2

    def test_a_second_fixed_look_says_that_errors_add_up(self, bench: Bench) -> None:
        judged(bench, 20)
        bench.run(*GATE)
        judged(bench, 30)
        assert "This is look 2 at this question" in bench.run(*GATE).out

    def test_another_skill_is_another_question(self, bench: Bench, server: ChatServer) -> None:
        bench.write("a.md", "Be kind.")
        bench.write("b.md", "Be brief.")
        for name in ("a.md", "b.md"):
            bench.run(*RUN, "--skill", name, "--limit", "10")
            assert bench.run(*GATE, "--sequential", "--json").document["looked"]["number"] == 1

    def test_fresh_replies_are_pooled_and_are_no_new_cases(self, bench: Bench, server: ChatServer) -> None:
        bench.run(*RUN, "--limit", "20")
        bench.run(*GATE, "--sequential")
        bench.run(*RUN, "--limit", "20", "--fresh")
        document = bench.run(*GATE, "--sequential", "--json").document
        assert (document["looked"]["number"], document["looked"]["cases"], document["asked"]) == (2, 20, 40)
        assert len(document["looked"]["runs"]) == 2

    def test_deleted_results_keep_it_open(self, bench: Bench, server: ChatServer) -> None:
        bench.run(*RUN, "--limit", "20")
        bench.run(*RUN, "--limit", "20", "--fresh")
        bench.run(*GATE, "--sequential")
        bench.run("runs", "delete", str(bench.sql("SELECT name FROM runs WHERE salt <> ''")[0][0]), "--yes")
        printed = bench.run(*GATE, "--sequential")
        assert printed.code == 3
        assert "fewer replies than at an earlier look" in " ".join(printed.out.split())

    @pytest.mark.parametrize("style", ["md", "junit"])
    def test_every_format_says_which_look_it_is(self, bench: Bench, style: str) -> None:
        judged(bench, 20)
        assert "Sequential gate, look 1, 20 cases" in bench.run(*GATE, "--sequential", "--format", style).out

    @pytest.mark.parametrize("more", [("--baseline", "last"), ("--corrected",), ("--consecutive", "2")])
    def test_what_it_cannot_decide_is_refused(self, bench: Bench, more: tuple[str, ...]) -> None:
        judged(bench, 20)
        assert bench.run(*GATE, "--sequential", *more).code == 2

    def test_looks_travel_with_an_export_and_decide_nothing_there(self, bench: Bench) -> None:
        judged(bench, 70)
        assert bench.run(*GATE, "--sequential").code == 0
        bench.run("runs", "export", "last", "-o", "run.jsonl")
        other = bench.folder / "other.db"
        bench.run("runs", "import", "run.jsonl", "--db", other)
        assert bench.run(*GATE, "--db", other).code == 2
        printed = bench.run(*GATE, "--sequential", "--db", other)
        assert printed.code == 3
        assert bench.run(*GATE, "--sequential", "--accept-imported", "--db", other).code == 0


class TestUntilDecided:
    def test_judges_further_cases_until_it_passes(self, bench: Bench, server: ChatServer) -> None:
        bench.run(*RUN, "--limit", "10")
        printed = bench.run(*GATE, "--until-decided", "--json")
        looked = printed.document["looked"]
        assert printed.code == 0
        assert 40 <= looked["cases"] < 90
        assert len(server.requests) == looked["cases"]
        assert looked["stopped"] is None

    def test_a_bad_subject_fails_early(self, bench: Bench) -> None:
        with ChatServer(Roles(subject=replies_badly)) as server:
            bench.models(server.openai_url)
            bench.run(*RUN, "--limit", "1")
            assert bench.run(*GATE, "--until-decided").code == 1
            assert len(server.requests) == 11

    def test_nothing_is_paid_twice_and_the_run_command_resumes_it(self, bench: Bench, server: ChatServer) -> None:
        bench.run(*RUN, "--limit", "10")
        bench.run(*GATE, "--until-decided")
        bench.run(*RUN)
        assert len(server.requests) == 90
        assert bench.sql("SELECT status FROM runs ORDER BY id DESC")[0][0] == "finished"

    def test_stops_at_max_cases_and_goes_on_from_there(self, bench: Bench, server: ChatServer) -> None:
        bench.run(*RUN, "--limit", "10")
        printed = bench.run(*GATE, "--until-decided", "--max-cases", "25")
        assert printed.code == 3
        assert "the limit of 25 cases is reached" in " ".join(printed.out.split())
        assert len(server.requests) == 25
        assert bench.run(*GATE, "--until-decided").code == 0

    def test_stops_when_the_budget_is_spent(self, bench: Bench, server: ChatServer) -> None:
        bench.run(*RUN, "--limit", "10")
        printed = bench.run(*GATE, "--until-decided", "--max-cost", "0.00001")
        assert printed.code == 3
        assert "the budget of 1e-05 is spent" in " ".join(printed.out.split())

    def test_says_so_where_all_cases_are_judged(self, bench: Bench, server: ChatServer) -> None:
        bench.run(*RUN)
        printed = bench.run("gate", "last", "--max-flagged-rate", "0.02", "--until-decided")
        assert printed.code == 3
        assert "all 90 cases of the suite are judged already" in " ".join(printed.out.split())
        assert len(server.requests) == 90

    def test_uses_the_skill_and_the_judge_of_the_run(self, bench: Bench) -> None:
        with ChatServer(Roles()) as server:
            bench.models(server.openai_url)
            bench.write("skill.md", "Be kind to bakers.")
            bench.run("run", "suite", "--subject", "loop", "--judge", "loop", "--skill", "skill.md", "--limit", "2")
            bench.run("gate", "last", "--min-mean", "85", "--until-decided", "--max-cases", "8")
            assert len(judge_requests(server)) == len(subject_requests(server)) == 8
            assert all("Be kind to bakers." in json.dumps(one.messages) for one in subject_requests(server))

    def test_replies_from_a_file_cannot_be_continued(self, bench: Bench) -> None:
        judged(bench, 20)
        printed = bench.run(*GATE, "--until-decided")
        assert printed.code == 2
        assert "no further ones can be drawn" in printed.err

    def test_a_changed_model_is_refused(self, bench: Bench, server: ChatServer) -> None:
        bench.run(*RUN, "--limit", "10")
        (bench.folder / "iamhumans.toml").unlink()
        bench.models(server.openai_url, "temperature = 0.1")
        printed = bench.run(*GATE, "--until-decided")
        assert printed.code == 2
        assert "its settings have changed" in " ".join(printed.err.split())

    @pytest.mark.parametrize(
        "more", [("--max-cases", "5"), ("--until-decided", "--fixed"), ("--until-decided", "--margin", "2")]
    )
    def test_options_that_do_not_fit_are_refused(self, bench: Bench, more: tuple[str, ...]) -> None:
        judged(bench, 20)
        assert bench.run(*GATE, *more).code == 2
