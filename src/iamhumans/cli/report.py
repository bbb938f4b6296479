"""``iamhumans report``: prints the report of a run again."""

from __future__ import annotations

from pathlib import Path

import click

from iamhumans.cli.options import STYLES, common_options, print_report_as
from iamhumans.cli.working import db_option, open_journal


@click.command()
@click.argument("run_name", metavar="RUN")
@click.option("--format", "style", type=click.Choice([*STYLES, "csv"]), default="terminal", help="How to print.")
@db_option
@common_options
def report(run_name: str, style: str, as_json: bool, db: Path | None) -> None:
    """Print the report of RUN, a run's name or a beginning of it, from the journal. Nobody is asked anything."""
    from iamhumans.reports import Report
    from iamhumans.runs.rows import RunRows, rubric_of

    with open_journal(db) as journal:
        run = journal.run(run_name)
        rows = RunRows(journal, run, journal.titles(run))
        print_report_as(
            Report(f"Run {run.name}, {run.status.value}", rubric_of(journal, run), rows, run.name),
            "json" if as_json else style,
        )
