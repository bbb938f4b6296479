"""One rule for votes: every output gives the same rate of zeroed replies, however the flags wander between votes."""

from __future__ import annotations

import csv
import io
import json
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.etree.ElementTree import fromstring

import pytest
from click.testing import CliRunner
from tests.builders import SEED
from tests.decisions.runs import Bench, outcomes

import iamhumans as ih
from iamhumans.cli.runs import runs as runs_command
from iamhumans.judges import JudgeTask
from iamhumans.prompts import Answer
from iamhumans.trust.run_calibration import judged_values
from iamhumans.verdicts import Flag, Verdict

FLAGS = SEED.hard_fail_ids
Rule = Callable[[int, int], str | None]
"""From the number of the case and of the repeat to the flag that the judge finds."""


@dataclass(frozen=True)
class Wandering:
    """A judge that finds a flag by a rule, and may find another one each time it is asked."""

    name: str
    rule: Rule
    version: str = ""
    asks_model: bool = False

    def next(self, task: JudgeTask, history: Sequence[Answer]) -> Verdict:
        del history
        found = self.rule(int(task.case.id.rpartition("-")[2]), task.repeat)
        flags = {name: Flag(name == found, (task.reply.text,) if name == found else ()) for name in FLAGS}
        return Verdict(dict.fromkeys(SEED.axis_ids, 9), flags)


def in_every_output(bench: Bench, run: ih.Run, before: ih.Run) -> dict[str, float]:
    """The share of zeroed replies, as each output has it."""
    found = {}
    report = run.report()
    document = report.to_dict()
    found["summary"] = document["summary"]["zero_rate"]
    found["count"] = document["summary"]["zeroed"] / document["summary"]["replies_judged"]
    found["headline"] = document["headline"]["groups"][0]["zero_rate"]["value"]
    found["replies"] = share([one["zeroed"] for one in document["replies"]])
    found["totals"] = share([one["total"] == 0 for one in document["replies"]])
    lines = list(csv.DictReader(io.StringIO("".join(report.csv_pieces()))))
    found["csv"] = share([one["reply_zeroed"] == "True" for one in lines])
    junit = fromstring(report.to_junit())[0]
    found["junit"] = int(junit.get("failures", -1)) / int(junit.get("tests", -1))
    criterion = next(one for one in ih.gate(run, max_zero_rate=0.5).to_dict()["criteria"] if one["kind"] == "zero_rate")
    found["gate"] = criterion["estimate"]["value"]
    found["gate by count"] = ih.gate(run, max_hard_fails=0).to_dict()["criteria"][-1]["counts"]["zeroed"] / len(
        document["replies"]
    )
    found["compare"] = ih.compare(before, run).to_dict()["zero_rate"]["difference"]["value"]
    found["calibrate"] = share([one.zeroed for one in judged_values(outcomes(run))])
    views = [run.case(case_id).to_dict()["replies"][0] for case_id in dict.fromkeys(one.case_id or "" for one in run)]
    found["case"] = share([view["combined"]["zeroed"] for view in views])
    printed = CliRunner().invoke(runs_command, ["list", "--json", "--db", str(bench.folder / "journal.db")]).stdout
    listed = json.loads(printed)["runs"]
    found["runs list"] = next(one["zero_rate"] for one in listed if one["run"] == run.name)
    return found


def share(values: Sequence[bool]) -> float:
    return sum(values) / len(values)


def judged(bench: Bench, text: str, *rules: Rule, repeats: int = 1) -> ih.Run:
    judges = [Wandering(f"judge-{number}", rule) for number, rule in enumerate(rules)]
    return bench.judged(text, judge=judges, repeats=repeats)


def never(_case: int, _repeat: int) -> None:
    return None


def other_flag_each_time(case: int, repeat: int) -> str:
    return FLAGS[(case + repeat) % len(FLAGS)]


def test_replies_that_all_votes_zero_for_different_flags_are_zeroed_everywhere(tmp_path: Path) -> None:
    bench = Bench(tmp_path, 10)
    run = judged(bench, "One.", other_flag_each_time, repeats=3)
    before = judged(bench, "Zero.", never, repeats=3)
    assert set(in_every_output(bench, run, before).values()) == {1.0}
    first = next(iter(run.report().replies))
    assert (first.total, first.verdict, first.present, len(first.against)) == (0, "FAIL", (), 3)
    assert all((first.hard_fails or {})[name].votes == (1, 3) for name in first.against)


def wandering(seed: int, rate: float) -> Rule:
    """A judge that zeroes some replies more often than others, each time for a flag that it draws."""

    def rule(case: int, repeat: int) -> str | None:
        often = random.Random(f"often {case}").random() * 2 * rate
        drawn = random.Random(f"{seed} {case} {repeat}")
        return drawn.choice(FLAGS) if drawn.random() < often else None

    return rule


@pytest.mark.parametrize("repeats", [1, 2, 3])
def test_two_judges_whose_flags_wander_give_one_number(tmp_path: Path, repeats: int) -> None:
    bench = Bench(tmp_path, 40)
    rules = wandering(1, 0.3), wandering(2, 0.3)
    run = judged(bench, "One.", *rules, repeats=repeats)
    before = judged(bench, "Zero.", never, never, repeats=repeats)

    def zeroes(case: int) -> bool:
        own = [sum(rule(case, n) is not None for n in range(1, repeats + 1)) for rule in rules]
        return any(count and 2 * count >= repeats for count in own)  # one of two judges is a tie

    expected = share([zeroes(case) for case in range(1, 41)])
    found = in_every_output(bench, run, before)
    assert 0 < expected < 1
    assert found == pytest.approx(dict.fromkeys(found, expected))
