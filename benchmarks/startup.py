"""How long the command line takes to start, against an empty Python.

python -m benchmarks.startup
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from statistics import median
from time import perf_counter

RUNS = 15


def seconds(command: list[str]) -> float:
    times = []
    for _ in range(RUNS):
        start = perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        times.append(perf_counter() - start)
    return median(times)


def main() -> None:
    program = str(Path(sys.executable).with_name("iamhumans"))
    commands = {
        "python -c pass": [sys.executable, "-c", "pass"],
        "iamhumans --help (at most 0.25 s)": [program, "--help"],
        "iamhumans rubric show": [program, "rubric", "show"],
        "iamhumans cases list (at most 0.5 s)": [program, "cases", "list"],
        "iamhumans demo": [program, "demo"],
    }
    print(f"median of {RUNS} runs")
    for name, command in commands.items():
        print(f"{name:<37} {seconds(command):.3f} s")


if __name__ == "__main__":
    main()
