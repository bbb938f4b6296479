"""``iamhumans compare`` from the outside, with and without a judge."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.decisions.choosing import STIFF, WARM, chooser, judged, prefers_the_first, prefers_warm
from tests.judging_server import Bench, Question
from tests.servers import Behaviour, ChatServer, say

POOR = "I want to acknowledge how hard this is. You poor thing."


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """Eight cases."""
    bench = Bench(tmp_path)
    bench.suite(8)
    return bench


@pytest.fixture
def server(bench: Bench) -> Iterator[ChatServer]:
    """A server that prefers the warm reply."""
    with ChatServer(chooser(prefers_warm)) as server:
        bench.models(server.openai_url)
        yield server


def two(bench: Bench, *options: str, cases: int = 8) -> tuple[str, str]:
    return judged(bench, WARM, *options, cases=cases), judged(bench, STIFF, *options, cases=cases)


def by_judge(bench: Bench, *options: str) -> tuple[str, ...]:
    return ("compare", *two(bench), "--judge", "loop", *options)


def test_comparison_ends_with_0_whatever_it_says(bench: Bench) -> None:
    printed = bench.run("compare", judged(bench, WARM, cases=8), judged(bench, POOR, cases=8))
    assert (printed.code, printed.err) == (0, "")
    assert "B has more flagged cases." in printed.out


def test_both_replies_of_what_moved_most_are_shown(bench: Bench) -> None:
    out = bench.run("compare", judged(bench, WARM), judged(bench, POOR)).out
    assert f"{WARM} 1.1" in " ".join(out.split())
    assert f"{POOR} 1.1" in " ".join(out.split())


@pytest.mark.parametrize("style", [("--json",), ("--format", "md"), ()])
def test_same_comparison_is_the_same_bytes(bench: Bench, style: tuple[str, ...]) -> None:
    names = two(bench)
    assert bench.run("compare", *names, *style) == bench.run("compare", *names, *style)


def test_different_repeats_end_with_2_but_across(bench: Bench) -> None:
    names = judged(bench, WARM), judged(bench, STIFF, "--repeats", "2")
    printed = bench.run("compare", *names)
    assert (printed.code, printed.out) == (2, "")
    assert "--across" in printed.err
    assert bench.run("compare", *names, "--across").code == 0


@pytest.mark.parametrize("options", [("--dry-run",), ("--fresh",), ("--judge", "recorded/x"), ("--judge", "nobody")])
def test_options_that_fit_nothing_end_with_2(bench: Bench, options: tuple[str, ...]) -> None:
    assert bench.run("compare", *two(bench), *options).code == 2


def test_json_says_what_was_left_out(bench: Bench) -> None:
    a = judged(bench, WARM)
    bench.case("C-002", "the bakery burned down")
    document = bench.run("compare", a, judged(bench, STIFF, cases=3), "--json").document
    assert document["left_out"] == {"changed": ["C-002"], "only_a": 1, "only_b": 0, "unjudged_a": 0, "unjudged_b": 0}


# --- with a judge -----------------------------------------------------------------------------------------------------


def test_judge_is_asked_twice_about_each_pair(bench: Bench, server: ChatServer) -> None:
    printed = bench.run(*by_judge(bench, "--json"))
    beside = printed.document["side_by_side"]
    assert (printed.code, server.count) == (0, 16)
    assert (beside["a"], beside["b"], beside["net_preference"]["value"], beside["position_bias"]) == (8, 0, -1.0, 0.0)


def test_judge_that_always_takes_the_first_gives_ties_and_says_so(bench: Bench) -> None:
    with ChatServer(chooser(prefers_the_first)) as server:
        bench.models(server.openai_url)
        printed = bench.run(*by_judge(bench))
    assert "In 8 of 8 pairs (100 %) the judge chose the same position" in " ".join(printed.out.split())


def test_what_was_asked_is_not_asked_again_the_other_way_round_either(bench: Bench, server: ChatServer) -> None:
    command = by_judge(bench)
    first = bench.run(*command)
    assert bench.run(*command) == first
    bench.run("compare", command[2], command[1], "--judge", "loop")
    assert server.count == 16


def test_killed_comparison_goes_on_where_it_was(bench: Bench) -> None:
    command = by_judge(bench, "--max-connections", "1", "--json")

    def slowly(question: Question) -> Behaviour:
        said = prefers_warm(question)
        return Behaviour(said.kind, 0.05, said.text, said.status, said.headers, said.body, said.changes)

    with ChatServer(chooser(slowly)) as server:
        bench.models(server.openai_url)
        process = bench.begin(*command)
        while server.count < 5:
            assert process.poll() is None
        process.kill()
        process.communicate()
        before = server.count
        printed = bench.run(*command)
        assert printed.code == 0
        assert printed.document["side_by_side"]["a"] == 8
        # At most what was in flight, or had just come in, is asked again.
        assert 16 <= server.count <= 18
        assert before < 16


def test_dry_run_asks_nobody(bench: Bench, server: ChatServer) -> None:
    printed = bench.run(*by_judge(bench, "--dry-run", "--json"))
    assert (printed.code, printed.document["jobs"], server.count) == (0, 16, 0)


def test_budget_stops_it_with_4_and_it_goes_on_later(bench: Bench, server: ChatServer) -> None:
    command = by_judge(bench, "--json", "--max-connections", "1")
    stopped = bench.run(*command, "--max-tokens", "100")
    assert stopped.code == 4
    assert "Run the same command again" in stopped.err
    assert stopped.document["side_by_side"]["unjudged"] > 0
    assert bench.run(*command).code == 0
    assert server.count == 16


def test_pair_without_a_choice_ends_with_3_and_its_reason(bench: Bench) -> None:
    def choose(question: Question) -> Behaviour:
        return say("Hm, hard to say.") if question.case_id == "C-002" else prefers_warm(question)

    with ChatServer(chooser(choose)) as server:
        bench.models(server.openai_url)
        printed = bench.run(*by_judge(bench))
    assert printed.code == 3
    assert "7 times" in printed.out
    assert "unjudged C-002" in " ".join(printed.out.split())


def test_no_choice_at_all_ends_with_4(bench: Bench) -> None:
    with ChatServer(chooser(lambda question: say("Hm, hard to say."))) as server:
        bench.models(server.openai_url)
        printed = bench.run(*by_judge(bench))
    assert printed.code == 4
    assert "No pair was judged" in printed.err


def test_malformed_answers_are_asked_again_with_fresh(bench: Bench) -> None:
    command = by_judge(bench)
    able: list[bool] = []
    with ChatServer(chooser(lambda question: prefers_warm(question) if able else say("Hm, hard to say."))) as server:
        bench.models(server.openai_url)
        assert bench.run(*command).code == 4
        asked = server.count
        assert bench.run(*command).code == 4
        assert server.count == asked
        able.append(True)
        printed = bench.run(*command, "--fresh")
    assert printed.code == 0
    assert "A preferred 8 times" in printed.out


def test_rules_need_no_model(bench: Bench) -> None:
    printed = bench.run("compare", judged(bench, WARM), judged(bench, POOR), "--judge", "rules", "--json")
    assert (printed.code, printed.document["side_by_side"]["a"]) == (0, 4)
