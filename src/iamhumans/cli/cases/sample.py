"""``iamhumans cases sample``."""

from __future__ import annotations

from pathlib import Path

import click

from iamhumans.cli.cases.printing import counted, end, holdout_reason, print_findings, print_json, reason_option
from iamhumans.cli.options import FILE, common_options
from iamhumans.cli.output import warn
from iamhumans.text import one_line


@click.command("sample")
@click.argument("suite")
@click.option("-n", "--size", type=click.IntRange(min=1), required=True, help="How many cases.")
@click.option("--seed", type=int, default=0, show_default=True, help="Another seed gives another sample.")
@click.option("-o", "--output", type=FILE, help="Write the sample as a suite into this new folder.")
@click.option("--holdout", is_flag=True, help="Draw from held-out cases, too; with --reason.")
@reason_option
@common_options
def sample_command(
    suite: str, size: int, seed: int, output: Path | None, holdout: bool, reason: str, as_json: bool
) -> None:
    """Draw a sample of SUITE in which every dimension and hard fail is represented.

    Prints the ids of the cases, or with -o writes a suite of them. The same seed gives the same sample on every
    machine, and a larger sample contains the smaller one.
    """
    from iamhumans.cases import load_suite, record_use, write_sample

    checked_reason = holdout_reason(holdout=holdout, reason=reason)
    loaded = load_suite(suite)
    sample = loaded.sample(size, seed, holdout)
    available = loaded if holdout else loaded.without_holdout()
    if output is not None:
        write_sample(loaded, sample, output, holdout_reason=checked_reason)
    elif checked_reason is not None:
        held_out = sample.only_held_out().by_id
        record_use(loaded, reason=checked_reason, output="sample", run=None, cases=held_out)
    if as_json:
        path = None if output is None else str(output)
        print_json({"available": len(available.cases), "ids": list(sample.by_id), "path": path, "seed": seed})
    else:
        for case_id in sample.by_id if output is None else ():
            click.echo(one_line(case_id))
        where = f", written to {output}" if output is not None else ""
        warn(f"{len(sample.cases)} of {counted(len(available.cases), 'case')}{where}.")
    if size > len(sample.cases):
        warn(f"There are only {counted(len(sample.cases), 'case')}; all were taken.")
    print_findings(loaded.shown_findings)
    end(loaded)
