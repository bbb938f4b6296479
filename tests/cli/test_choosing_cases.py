"""``--case``, ``--dimension`` and ``--limit`` of ``run``, ``reply`` and ``judge``, and the same in the library."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.judging_server import Bench

import iamhumans as ih

NAMES = ("C-001", "C-002", "C-003", "D-001")
LINES = (
    ("run", "suite", "--subject", "recorded/replies.jsonl"),
    ("judge", "replies.jsonl", "--suite", "suite"),
    ("reply", "suite", "--subject", "recorded/replies.jsonl"),
)
CHOICES = [
    (("--case", "C-*", "--limit", "2"), ["C-001", "C-002"]),
    (("--dimension", "memory"), ["D-001"]),
    (("--limit", "3"), ["C-001", "C-002", "C-003"]),
    (("--case", "D-001"), ["D-001"]),
]


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    bench = Bench(tmp_path)
    bench.suite(3)
    bench.case("D-001", "the harbour closed", dimensions="[memory]")
    bench.write("replies.jsonl", "\n".join(json.dumps({"case_id": name, "reply": "Oh no."}) for name in NAMES))
    return bench


@pytest.mark.parametrize(("options", "ids"), CHOICES)
@pytest.mark.parametrize("line", LINES, ids=[line[0] for line in LINES])
def test_all_commands_that_use_cases_choose_them_alike(
    bench: Bench, line: tuple[str, ...], options: tuple[str, ...], ids: list[str]
) -> None:
    done = bench.run(*line, *options, "--json")
    assert done.code == 0, done.err
    document = json.loads(done.out)
    assert [row["case_id"] for row in document.get("judgements", document.get("replies"))] == ids


@pytest.mark.parametrize("line", LINES, ids=[line[0] for line in LINES])
def test_a_choice_without_a_case_ends_with_2(bench: Bench, line: tuple[str, ...]) -> None:
    done = bench.run(*line, "--case", "X-*", "--json")
    assert (done.code, done.out) == (2, "")
    assert "an id that fits `X-*`" in done.err


def test_rows_of_a_log_are_cases_of_their_own(bench: Bench) -> None:
    rows = [{"id": f"log-{number}", "input": "hi", "reply": "Oh no."} for number in range(1, 13)]
    bench.write("log.jsonl", "\n".join(map(json.dumps, rows)))
    done = bench.run("judge", "log.jsonl", "--case", "log-1*", "--limit", "3", "--json")
    assert [row["case_id"] for row in done.judgements] == ["log-1", "log-10", "log-11"]


def test_a_dimension_needs_a_suite(bench: Bench) -> None:
    bench.write("log.jsonl", '{"input": "hi", "reply": "Oh no."}\n')
    done = bench.run("judge", "log.jsonl", "--dimension", "memory")
    assert done.code == 2
    assert "Name the suite" in done.err


def test_held_out_cases_are_not_picked(bench: Bench) -> None:
    bench.case("H-001", "a secret", holdout="true")
    for line in LINES[:2]:
        done = bench.run(*line, "--case", "H-*", "--holdout", "--reason", "release 1.2")
        assert done.code == 2
        assert "always used together" in done.err


def test_the_library_chooses_in_the_same_words(bench: Bench) -> None:
    suite = bench.folder / "suite"

    def friend(messages: object) -> str:
        return "Oh no."

    assert [one.case_id for one in ih.run(suite, subject=friend, case="C-*", limit=1)] == ["C-001"]
    assert [one.case_id for one in ih.reply_all(suite, subject=friend, dimension="memory")] == ["D-001"]
    assert ih.estimate_run(suite, subject=friend, judge=None, limit=2).jobs == 2
    judged = ih.judge_all(bench.folder / "replies.jsonl", suite=suite, case="*-001")
    assert [one.case_id for one in judged] == ["C-001", "D-001"]
