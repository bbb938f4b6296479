"""``iamhumans gate`` from the outside."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree.ElementTree import fromstring

import pytest
from tests.judging_server import Bench, Printed, Question, Roles, never_judges
from tests.servers import Behaviour, ChatServer, say

STIFF = "I want to acknowledge how hard this is. You poor thing."


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """Forty cases."""
    bench = Bench(tmp_path)
    bench.suite(40)
    return bench


def judged(bench: Bench, text: str, *options: str, stiff: int = 0, cases: int = 40) -> Printed:
    rows = [
        {"case_id": f"C-{n:03}", "reply": f"{STIFF if n <= stiff else text} Corner {n}?", "subject": "s"}
        for n in range(1, cases + 1)
    ]
    bench.write("replies.jsonl", "\n".join(map(json.dumps, rows)))
    return bench.run("judge", "replies.jsonl", "--suite", "suite", *options)


def newest(bench: Bench) -> str:
    return str(bench.sql("SELECT name FROM runs ORDER BY id DESC")[0][0])


def test_passes_with_0(bench: Bench) -> None:
    judged(bench, "Oh no.")
    printed = bench.run("gate", "last", "--max-flagged-rate", "0.1")
    assert (printed.code, printed.err) == (0, "")
    assert ": PASS" in printed.out


def test_fails_with_1_and_says_why(bench: Bench) -> None:
    judged(bench, "Oh no.", stiff=30)
    printed = bench.run("gate", "last", "--max-flagged-rate", "0.1")
    assert printed.code == 1
    out = " ".join(printed.out.split())
    assert "MISSED flagged rate The rate of cases that are flagged, by the criteria that the judge sees, is 75 %" in out


def test_inconclusive_ends_with_3_and_says_how_many_cases_would_decide(bench: Bench) -> None:
    judged(bench, "Oh no.", cases=10)
    printed = bench.run("gate", "last", "--max-flagged-rate", "0.1")
    assert printed.code == 3
    assert "It takes at least 29 cases to decide it." in " ".join(printed.out.split())


def test_nothing_judged_ends_with_4(bench: Bench) -> None:
    with ChatServer(Roles(judges=never_judges)) as server:
        bench.models(server.openai_url)
        judged(bench, "Oh no.", "--judge", "loop", cases=3)
    assert bench.run("gate", "last", "--max-flagged-rate", "0.1").code == 4


@pytest.mark.parametrize(
    "arguments",
    [
        ("last",),
        ("nothing", "--min-mean", "80"),
        ("last", "--min-dimension", "feeling"),
        ("last", "--min-dimension", "feeling=high"),
        ("last", "--min-dimension", "nothing=80"),
        ("last", "--min-mean", "101"),
        ("last", "--max-zero-rate", "20"),
        ("last", "--baseline", "last"),
        ("last:nobody", "--min-mean", "80"),
    ],
)
def test_what_cannot_be_decided_ends_with_2(bench: Bench, arguments: tuple[str, ...]) -> None:
    judged(bench, "Oh no.", cases=3)
    printed = bench.run("gate", *arguments)
    assert (printed.code, printed.out) == (2, "")


def pities_the_stiff(question: Question) -> Behaviour:
    return say(question.verdict(yes={"pity": ["You poor thing."]} if STIFF in question.text else None))


def test_baseline(bench: Bench) -> None:
    with ChatServer(Roles(judges=pities_the_stiff)) as server:
        bench.models(server.openai_url)
        judged(bench, "Oh no.", "--judge", "loop")
        base = newest(bench)
        judged(bench, "Well.", "--judge", "loop", stiff=30)
    assert bench.run("gate", "last", "--baseline", base).code == 1


def test_baseline_that_was_judged_otherwise_ends_with_2(bench: Bench) -> None:
    with ChatServer(Roles()) as server:
        bench.models(server.openai_url)
        judged(bench, "Oh no.", "--judge", "loop", "--repeats", "2", cases=5)
        base = newest(bench)
        judged(bench, "Well.", "--judge", "loop", cases=5)
    printed = bench.run("gate", "last", "--baseline", base)
    assert printed.code == 2
    assert "the number of repeats" in printed.err


@pytest.mark.parametrize(
    ("arguments", "missing"),
    [
        (("--min-mean", "80"), "naturalness"),
        (("--min-pass-rate", "0.5"), "naturalness"),
        (("--min-dimension", "feeling=80"), "naturalness"),
        (("--max-zero-rate", "0.5"), "lecturing"),
        (("--max-hard-fails", "3"), "lecturing"),
    ],
)
def test_a_figure_that_the_rules_do_not_give_ends_with_2_and_names_what_they_cannot_see(
    bench: Bench, arguments: tuple[str, ...], missing: str
) -> None:
    bench.case("C-001", "the bakery closed", dimensions="[feeling]")
    judged(bench, "Oh no.", cases=3)
    printed = bench.run("gate", "last", *arguments)
    assert (printed.code, printed.out) == (2, "")
    assert missing in printed.err
    assert "--max-flagged-rate" in printed.err


def test_a_margin_against_a_run_of_the_rules_ends_with_2(bench: Bench) -> None:
    judged(bench, "Oh no.", cases=3)
    base = newest(bench)
    judged(bench, "Well.", cases=3)
    printed = bench.run("gate", "last", "--baseline", base, "--margin", "2", "--max-flagged-rate", "0.5")
    assert printed.code == 2
    assert "its judge cannot see naturalness" in printed.err


def test_three_in_a_row_need_three_that_share_nothing(bench: Bench) -> None:
    gate = ("gate", "last", "--max-flagged-rate", "0.1", "--consecutive", "3")
    judged(bench, "Oh no.")
    judged(bench, "Well.")
    printed = bench.run(*gate)
    assert printed.code == 3
    assert "2 independent runs" in printed.out
    judged(bench, "Hm.")
    assert bench.run(*gate).code == 0


def test_json_says_decision_criteria_and_reasons(bench: Bench) -> None:
    judged(bench, "Oh no.", stiff=30)
    document = bench.run("gate", "last", "--max-flagged-rate", "0.1", "--json").document
    assert (document["decision"], document["exit_code"], document["judged"]) == ("fail", 1, 40)
    assert [one["name"] for one in document["criteria"]] == ["judged", "flagged rate"]


def test_junit_has_a_test_a_case(bench: Bench) -> None:
    judged(bench, "Oh no.", stiff=2)
    tree = fromstring(bench.run("gate", "last", "--max-flagged-rate", "0.1", "--format", "junit").out)
    cases = [test for test in tree.iter("testcase") if (test.get("name") or "").startswith("C-")]
    assert (len(cases), sum(test.find("system-out") is not None for test in cases)) == (40, 2)
