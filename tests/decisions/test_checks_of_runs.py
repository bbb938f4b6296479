"""Checks of replies that need no judge, in runs: reports, exports and gates."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.commands import run as command
from tests.decisions.runs import Bench

import iamhumans as ih
from iamhumans.errors import CommandError

PATTERN = "zebra"


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    made = Bench(tmp_path, 3)
    made.case("C-001", "the bakery closed", must_contain=PATTERN, max_words="4")
    yield made
    made.journal.close()


def test_failed_checks_are_counted_over_replies_and_change_no_figure(bench: Bench) -> None:
    found = bench.judged("The zebra is here", numbers=(1, 2))
    document = found.report().to_dict()
    assert document["checks"] == {
        "checks": 4,
        "failed": 2,
        "unknown": 0,
        "replies": 2,
        "failing_replies": 2,
        "cases": 1,
    }
    checked = [one["checks"] for one in document["judgements"] if "checks" in one]
    assert checked[0] == [
        {"check": "must_contain", "expected": PATTERN, "passed": True},
        {"check": "max_words", "expected": "4", "passed": False},
    ]
    assert found.report().to_rows()[0]["checks"] == checked[0]
    assert "2 of 4 checks of 2 replies to 1 case failed" in " ".join(str(found.report()).split())


def test_a_changed_check_asks_no_judge_again(bench: Bench) -> None:
    asked: list[int] = []

    def model(messages: list[dict[str, str]]) -> str:
        asked.append(1)
        return "Hm."

    judge = ih.CallableModel(model, name="m", version="1")
    first = bench.judged("The zebra", judge=judge)
    before = len(asked)
    bench.case("C-001", "the bakery closed", must_contain="tapir")
    second = bench.judged("The zebra", judge=judge)
    assert (first.report().to_dict()["checks"]["failed"], second.report().to_dict()["checks"]["failed"]) == (0, 1)
    assert {one.reply_key for one in first} == {one.reply_key for one in second}
    assert len(asked) <= 2 * before  # failed verdicts are asked again, as in any run
    keys = [{line["key"] for line in bench.journal.exported(one) if "key" in line} for one in (first, second)]
    assert keys[0] == keys[1]


@pytest.mark.parametrize(("most", "decision"), [(2, "fail"), (3, "pass")])
def test_a_gate_counts_failed_checks(bench: Bench, most: int, decision: str) -> None:
    found = bench.judged("The tapir is in here", numbers=(1,))
    more = bench.judged("The tapir is in here", numbers=(1, 2))
    assert ih.gate(found, max_failed_checks=2).decision == "pass"
    assert ih.gate(more, max_failed_checks=most + 1 if most == 3 else most).decision == decision
    assert "checks" in ih.gate(more, max_failed_checks=most).reasons[0]


def test_a_gate_on_checks_of_a_run_without_any_is_an_error(bench: Bench) -> None:
    bench.case("C-001", "the bakery closed")
    with pytest.raises(CommandError, match="has a check"):
        ih.gate(bench.judged("Oh"), max_failed_checks=0)


def test_the_command_line_gates_checks(bench: Bench) -> None:
    bench.judged("The tapir")
    done = command("gate", "last", "--max-failed-checks", "0", "--db", str(bench.folder / "journal.db"))
    assert (done.code, "MISSED" in done.out) == (1, True)


def test_an_export_brings_checks_along(bench: Bench, tmp_path: Path) -> None:
    found = bench.judged("The tapir")
    bench.journal.export(found, tmp_path / "run.jsonl")
    with ih.open_journal(tmp_path / "other.db") as other:
        assert other.import_(tmp_path / "run.jsonl").report().to_dict()["checks"]["failed"] == 1


def test_patterns_of_held_out_cases_are_shown_with_a_reason_only(bench: Bench) -> None:
    bench.case("C-001", "the bakery closed", must_contain=PATTERN, holdout="true")
    ih.load_suite(bench.folder / "suite").seal()
    reason = "release two"
    subject = ih.CallableModel(lambda messages: "The tapir", name="t", version="1")
    options = {"subject": subject, "judge": "rules", "journal": bench.journal, "holdout_reason": reason}
    found = ih.run(bench.folder / "suite", **options)  # type: ignore[arg-type]
    for hidden in (found.report().to_json(), str(found.report()), str(found.case("C-001")), exported(bench, found)):
        assert PATTERN not in hidden
    assert found.report().to_dict()["checks"]["failed"] == 1
    assert PATTERN in found.report(holdout_reason=reason).to_json()
    assert PATTERN in exported(bench, found, reason)


def exported(bench: Bench, found: ih.Run, reason: str | None = None) -> str:
    return json.dumps(list(bench.journal.exported(found, holdout_reason=reason)))
