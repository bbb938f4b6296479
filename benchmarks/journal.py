"""What the journal costs where no model is asked: 2,000 replies judged by ``rules`` through it and without it.

    python -m benchmarks.journal           # about half a minute

Both ways read the same rows and consume every judgement. CPU time is measured, and the table has the median of the
rounds with its range. The first rows are new to the journal; the second time all of them are in it.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import process_time

import iamhumans as ih

ROWS = 2_000
REPLY = "Oh no, number {row}. I want to acknowledge how hard this is. How long have you been awake?\n\nTell me more."
INPUT = "i can't sleep again, it is night {row} of this and i am so tired"


def rows() -> list[dict[str, str]]:
    return [{"input": INPUT.format(row=row), "reply": REPLY.format(row=row)} for row in range(ROWS)]


def seconds(work: Callable[[], int]) -> float:
    """CPU time of all threads of this process."""
    began = process_time()
    judged = work()
    assert judged == ROWS, judged
    return process_time() - began


def without() -> int:
    return sum(ih.judge(row["reply"], input=row["input"]).judged for row in rows())


def through(path: Path, **options: float) -> Callable[[], int]:
    def work() -> int:
        with ih.open_journal(path) as journal:
            judged = 0

            def count(judgement: ih.Judgement) -> None:
                nonlocal judged
                judged += judgement.judged

            ih.judge_all(rows(), journal=journal, on_judgement=count, **options)  # type: ignore[arg-type]
            return judged

    return work


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_CONFIG_HOME"] = folder
        without()  # loads everything once
        through(Path(folder, "warm.db"))()
        ratios: dict[str, list[float]] = {}
        for number in range(rounds):
            alone = seconds(without)
            paths = [Path(folder, f"{name}-{number}.db") for name in ("plain", "budget")]
            ways = {
                "new journal": through(paths[0]),
                "new journal, with budgets": through(paths[1], max_tokens=10_000, max_cost=1.0, max_minutes=10.0),
                "finished run, read back": through(paths[0]),
            }
            ratios.setdefault("ms a reply without a journal", []).append(alone / ROWS * 1e3)
            for name, way in ways.items():
                ratios.setdefault(name, []).append(seconds(way) / alone)
    print(f"{ROWS:,} replies by `rules`, CPU time as a multiple of that without a journal ({rounds} rounds)\n")
    print(f"{'':<32}median    range        target")
    for name, values in ratios.items():
        target = {"new journal": "1.6", "new journal, with budgets": "1.6"}.get(name, "")
        print(f"{name:<32}{median(values):>6.2f}    {min(values):.2f}–{max(values):.2f}    {target}")


if __name__ == "__main__":
    main()
