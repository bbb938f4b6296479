"""``iamhumans cases sample``."""

from __future__ import annotations

from pathlib import Path

import click

from iamhumans.cli.cases.printing import counted, end
from iamhumans.cli.options import FILE, common_options, holdout_options
from iamhumans.cli.output import print_json, report_findings, warn
from iamhumans.text import one_line


@click.command("sample")
@click.argument("suite")
@click.option("-n", "--size", type=click.IntRange(min=1), required=True, help="How many cases.")
@click.option("--seed", type=int, default=0, show_default=True, help="Another seed gives another sample.")
@click.option("-o", "--output", type=FILE, help="Write the sample as a suite into this new folder.")
@holdout_options
@common_options
def sample_command(
    suite: str, size: int, seed: int, output: Path | None, holdout_reason: str | None, as_json: bool
) -> None:
    """Draw a sample of SUITE in which every dimension and hard fail is represented.

    Prints the ids of the cases, or with -o writes a suite of them. The same seed gives the same sample on every
    machine, and a larger sample contains the smaller one.
    """
    from iamhumans.cases import load_suite, record_use, write_sample

    loaded = load_suite(suite)
    available = loaded if holdout_reason else loaded.without_holdout()
    sample = loaded.sample(size, seed, holdout_reason is not None)
    if output is not None:
        write_sample(loaded, sample, output, holdout_reason=holdout_reason)
    elif holdout_reason is not None:
        held_out = sample.only_held_out().by_id
        record_use(loaded, reason=holdout_reason, output="sample", run=None, cases=held_out)
    if as_json:
        path = output and str(output)
        print_json({"available": len(available.cases), "ids": list(sample.by_id), "path": path, "seed": seed})
    else:
        for case_id in sample.by_id if output is None else ():
            click.echo(one_line(case_id))
        where = f", written to {output}" if output is not None else ""
        warn(f"{len(sample.cases)} of {counted(len(available.cases), 'case')}{where}.")
    if size > len(sample.cases):
        warn(f"There are only {counted(len(sample.cases), 'case')}; all were taken.")
    report_findings(loaded)
    end(loaded)
