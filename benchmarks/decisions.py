"""What decisions cost, and how often they cry wolf.

    python -m benchmarks.decisions               # about two minutes, most of it to fill two journals
    python -m benchmarks.decisions --simulate    # about two minutes; the same figures every time

The first compares two runs of 100,000 judgements each, and gates one against the other, each in a process of its own:
of 100,000 cases with one reply each, and of 1,000 cases with 100 replies each. The second makes up pairs of runs
between which nothing changed, and counts how often ``compare`` shows a change and ``gate`` fails all the same.
"""

from __future__ import annotations

import random
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from iamhumans.cases import Case, Turn
from iamhumans.decisions.compare import compare
from iamhumans.decisions.gate import Thresholds, gate
from iamhumans.decisions.outcomes import RunOutcomes
from iamhumans.decisions.panel import PanelReply, Vote, combine
from iamhumans.rubrics import load_rubric
from iamhumans.runs.journal.entries import JudgementEntry, Replied, ReplyEntry, Text
from iamhumans.runs.journal.journal import Journal
from iamhumans.runs.plan import case_text
from iamhumans.verdicts import Flag, Judgement, Verdict, score_verdict

Numbers = NDArray[np.float64]
JUDGEMENTS = 100_000
SECONDS, MEGABYTES = 10, 500
SUITES = ((16, 1), (40, 1), (40, 5))
ZERO_RATES = (0.0, 0.03, 0.2)
TIMES = 200


def fill(path: Path, cases: int, replies: int, seed: int) -> str:
    """A finished run of made-up judgements; its name."""
    rubric = load_rubric("iamhumans")
    with Journal.open(path) as journal:
        journal.store_texts([Text("rubric", rubric.hash, rubric.model_dump_json(by_alias=True))])
        plan = {
            "command": "judge",
            "replies": f"made up {seed}",
            "suite": "made-up",
            "rubric": {"name": rubric.name, "hash": rubric.hash},
            "prompt": None,
            "persona": None,
            "judges": [{"name": "made-up", "settings": {}}],
            "repeats": 1,
        }
        run = journal.begin_run(plan, asked=cases * replies)
        with journal.transaction() as connection:
            for entry, judgement in _judgements(run.id, cases, replies, seed):
                entry.store(connection, judgement, final=True)
                entry.place(connection)
        return journal.end_run(run, asked=cases * replies).name


def _judgements(run: int, cases: int, replies: int, seed: int) -> Iterator[tuple[JudgementEntry, Judgement]]:
    source = random.Random(seed)
    rubric = load_rubric("iamhumans")
    for index in range(cases):
        case = Case(
            f"C-{index:06}", (Turn("user", f"the bakery on corner {index} closed today, after all these years. " * 3),)
        )
        text = case_text(case)
        for number in range(1, replies + 1):
            key = f"{seed}-{index}-{number}"
            reply = ReplyEntry(f"{key:>064}", f"{key:>064}", case.id, "made-up", number, text)
            axes = {name: source.choice((8, 9, 9, 10)) for name in rubric.axis_ids}
            flags = {name: Flag(source.random() < 0.005, ()) for name in rubric.hard_fail_ids}
            verdict = Verdict(axes, flags, case.id, "Warm and short. It stays with what was said and asks one thing.")
            entry = JudgementEntry(
                f"{key:>064}j",
                f"{key:>064}j",
                reply.key,
                "made-up",
                "made-up",
                1,
                rubric.hash,
                case_hash=case.hash,
                run=run,
                row=index * replies + number,
                given=((reply, Replied(f"Oh no. The one with the poppy rolls? {number} " * 8)),),
            )
            yield entry, score_verdict(verdict, rubric)


def measure(*arguments: str) -> tuple[float, float]:
    """Seconds and megabytes at the peak of a command in a process of its own."""
    script = (
        "import resource, sys; from iamhumans.cli.main import main\n"
        "try: main()\n"
        "finally: print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr)"
    )
    began = perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", script, *arguments], capture_output=True, text=True, check=False, timeout=600
    )
    seconds = perf_counter() - began
    if done.returncode not in (0, 1, 3):
        raise SystemExit(done.stderr)
    return seconds, int(done.stderr.split()[-1]) / 1024


def cost() -> None:
    print(f"two runs of {JUDGEMENTS:,} judgements; at most {SECONDS} s and {MEGABYTES} MB")
    for cases in (JUDGEMENTS, JUDGEMENTS // 100):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "journal.db"
            names = [fill(path, cases, JUDGEMENTS // cases, seed) for seed in (1, 2)]
            for command in (("compare", *names), ("gate", names[1], "--baseline", names[0], "--min-mean", "80")):
                seconds, megabytes = measure(*command, "--db", str(path))
                within = "" if seconds <= SECONDS and megabytes <= MEGABYTES else "   TOO MUCH"
                print(f"{command[0]:8s} {cases:7,d} cases: {seconds:5.1f} s, {megabytes:4.0f} MB{within}")


# --- false alarms -----------------------------------------------------------------------------------------------------


def simulate() -> None:
    print(f"nothing changed; {TIMES} pairs of runs in each row; alarms in %, of which 5 are allowed")
    print("cases replies zeroed |  compare  headline  flags |  gate, margins 0   3 and 5   passes at 3 and 5")
    for (cases, replies), rate in ((suite, rate) for suite in SUITES for rate in ZERO_RATES):
        source = np.random.default_rng([cases, replies, round(1000 * rate)])
        seen: Counter[str] = Counter()
        for _ in range(TIMES):
            a, b = pair_of_runs(source, cases, replies, rate)
            found = compare(a, b)
            headline = any(one is not None and (one.p_value or 1) <= 0.05 for one in (found.zero_rate, found.quality))
            flags = any(flag.p_value is not None and flag.p_value <= 0.05 for flag in found.flags.values())
            seen["headline"] += headline
            seen["flags"] += flags
            seen["compare"] += headline or flags
            seen["strict"] += gate(b, Thresholds(margin=0, zero_margin=0), a).decision == "fail"
            usual = gate(b, Thresholds(), a).decision
            seen["usual"] += usual == "fail"
            seen["passes"] += usual == "pass"
        shares = {name: 100 * count / TIMES for name, count in seen.items()}
        print(
            f"{cases:5d} {replies:7d} {100 * rate:5.0f}% | {shares['compare']:8.1f} {shares['headline']:9.1f}"
            f" {shares['flags']:6.1f} | {shares['strict']:16.1f} {shares['usual']:9.1f} {shares['passes']:18.1f}"
        )


def pair_of_runs(source: np.random.Generator, cases: int, replies: int, rate: float) -> tuple[RunOutcomes, RunOutcomes]:
    """Two runs of the same cases by the same skill. Some cases are harder, and zeroed more often, than others."""
    hardness = source.beta(2, 2, cases)
    zeroing = source.beta(rate * 7 / 3, (1 - rate) * 7 / 3, cases) if rate else np.zeros(cases)
    return _run("a", source, hardness, zeroing, replies), _run("b", source, hardness, zeroing, replies)


def _run(name: str, source: np.random.Generator, hardness: Numbers, zeroing: Numbers, replies: int) -> RunOutcomes:
    rubric = load_rubric("iamhumans")
    found = []
    for index, (hard, zeroed) in enumerate(zip(hardness, zeroing, strict=True)):
        for number in range(1, replies + 1):
            axes = tuple(int(10 - source.binomial(3, hard)) for _ in rubric.axis_ids)
            is_zeroed = source.random() < zeroed
            # Two flags make up most of it, as in life.
            flag = rubric.hard_fail_ids[min(int(source.exponential(1.5)), len(rubric.hard_fail_ids) - 1)]
            vote = Vote(axes, flags=frozenset([flag] if is_zeroed else []))
            found.append(PanelReply(f"C-{index}", "s", number, combine([vote], rubric, asked=1)))
    plan = {"rubric": {"name": rubric.name, "hash": rubric.hash}}
    return RunOutcomes(name, plan, rubric, tuple(found), len(found), {})


def main() -> None:
    if "--simulate" in sys.argv[1:]:
        simulate()
    else:
        cost()


if __name__ == "__main__":
    main()
