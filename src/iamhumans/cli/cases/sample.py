"""``iamhumans cases sample``: a part of a suite."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from iamhumans.cli.cases.printing import (
    counted,
    print_findings,
    print_json,
    table,
    without_texts,
)
from iamhumans.cli.options import FILE, common_options, is_quiet, warn
from iamhumans.errors import Exit
from iamhumans.text import one_line

if TYPE_CHECKING:
    from iamhumans.cases import Sample


@click.command("sample")
@click.argument("suite")
@click.option("-n", "--size", type=click.IntRange(min=1), required=True, help="How many cases.")
@click.option("--seed", type=int, default=0, show_default=True, help="Another seed is another sample.")
@click.option("-o", "--output", type=FILE, help="Write the sample as a suite into this new folder.")
@click.option("--holdout", is_flag=True, help="Draw from held-out cases too.")
@common_options
@click.pass_context
def sample_command(
    context: click.Context, suite: str, size: int, seed: int, output: Path | None, holdout: bool, as_json: bool
) -> None:
    """Draw a sample of SUITE in which every dimension and hard fail has its place.

    Prints the ids of the cases, or with -o writes a suite of them. The same seed gives the same sample on every
    machine, and a larger sample holds the smaller one.
    """
    from iamhumans.cases import load_suite, sample_suite, write_sample

    loaded = load_suite(suite)
    sample = sample_suite(loaded, size, seed=seed, holdout=holdout)
    if output is not None:
        write_sample(loaded, sample, output)
    if as_json:
        print_json(_sample_as_data(sample, seed, output))
    else:
        for case in sample.cases if output is None else ():
            click.echo(one_line(case.id))
        if output is not None or not is_quiet():
            for line in _sample_as_lines(sample):
                # Where the ids go into a file or a pipe, nothing else goes with them.
                click.echo(line, err=output is None)
        if output is not None:
            warn(f"Written to {output}.")
    if size > len(sample.cases):
        warn(f"There are no more than {counted(len(sample.cases), 'case')}; all were taken.")
    print_findings(without_texts(loaded.findings))
    if loaded.errors:
        context.exit(Exit.WRONG_INPUT)


def _sample_as_data(sample: Sample, seed: int, output: Path | None) -> dict[str, Any]:
    return {
        "available": len(sample.available),
        "dimensions": _shares_as_data(sample.dimensions()),
        "hard_fails": _shares_as_data(sample.hard_fails()),
        "ids": [case.id for case in sample.cases],
        "path": None if output is None else str(output),
        "seed": seed,
    }


def _shares_as_data(shares: Mapping[str, tuple[int, int]]) -> dict[str, Any]:
    return {name: {"sample": drawn, "suite": there} for name, (drawn, there) in shares.items()}


def _sample_as_lines(sample: Sample) -> Iterable[str]:
    yield f"{len(sample.cases)} of {counted(len(sample.available), 'case')}"
    for heading, shares in (("DIMENSION", sample.dimensions()), ("HARD FAIL", sample.hard_fails())):
        rows = [(name, str(drawn), str(there)) for name, (drawn, there) in shares.items()]
        if rows:
            yield from ("", *table([(heading, "SAMPLE", "SUITE"), *rows], None))
