"""The table of error rates: every simulation, and whether what was promised holds.

    python -m benchmarks.simulations            # under ten minutes on two cores
    python -m benchmarks.simulations --quick    # a tenth of the repetitions, about a minute
    python -m benchmarks.simulations --write    # also writes the table into docs/statistics.md

The exit code is 1 if a share is not as promised.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

import benchmarks.simulations as simulations
from benchmarks.simulations.row import Row

PAGE = Path(__file__).parents[2] / "docs" / "statistics.md"
BEGIN, END = "<!-- table of python -m benchmarks.simulations -->", "<!-- end of the table -->"
_PROMISES = {"error": "at most {}", "coverage": "{}", "exact coverage": "at least {}", "power": "{}", "ratio": "–"}


def rows_of(name: str, *, quick: bool) -> list[Row]:
    """The rows of one module."""
    found: list[Row] = import_module(f"benchmarks.simulations.{name}").rows(quick)
    return found


def table(rows: Sequence[Row]) -> Iterator[str]:
    """The lines of the table, as Markdown."""
    yield "| decision | setting | promised | measured | Monte Carlo error | runs |"
    yield "|---|---|---:|---:|---:|---:|"
    for row in rows:
        share = row.kind != "ratio"
        promised = "–" if row.nominal is None else _PROMISES[row.kind].format(f"{100 * row.nominal:g} %")
        measured = f"{100 * row.measured:.1f} %" if share else f"{row.measured:.2f}"
        error = f"{100 * row.error:.1f}" if share else "–"
        doubt = "" if row.holds else " **not as promised**"
        yield f"| {row.rule} | {row.setting} | {promised} | {measured}{doubt} | {error} | {row.repetitions:,} |"


def main() -> None:
    """Run all modules, print the table, and write it where that is asked for."""
    quick = "--quick" in sys.argv[1:]
    names = sorted(one.name for one in iter_modules(simulations.__path__) if one.name not in ("row", "__main__"))
    with ProcessPoolExecutor() as pool:
        rows = [row for found in pool.map(partial(rows_of, quick=quick), names) for row in found]
    lines = list(table(rows))
    print("\n".join(lines))
    if "--write" in sys.argv[1:]:
        text = PAGE.read_text(encoding="utf-8")
        before, _, rest = text.partition(BEGIN)
        PAGE.write_text("\n".join([f"{before}{BEGIN}", "", *lines, "", END + rest.partition(END)[2]]), encoding="utf-8")
    sys.exit(not all(row.holds for row in rows))


if __name__ == "__main__":
    main()
