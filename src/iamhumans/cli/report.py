"""``iamhumans report``: prints the report of a run again."""

from __future__ import annotations

from pathlib import Path

import click

from iamhumans.cli.options import STYLES, JudgementsOf, common_options, print_report_as
from iamhumans.cli.working import db_option, open_journal
from iamhumans.errors import CommandError


@click.command()
@click.argument("run_name", metavar="RUN")
@click.option("--format", "style", type=click.Choice([*STYLES, "csv"]), default="terminal", help="How to print.")
@db_option
@common_options
def report(run_name: str, style: str, as_json: bool, db: Path | None) -> None:
    """Print the report of RUN, a run's name, a beginning of it, or `last`, from the journal. Nobody is asked anything.

    Where people's labels tell how the judge errs (`calibrate`), corrected figures stand beside its own.
    """
    from iamhumans.decisions.stored import stored_cases
    from iamhumans.reports import Report
    from iamhumans.runs.named import find_run
    from iamhumans.runs.rows import RunRows, rubric_of

    with open_journal(db) as journal:
        run, subject = find_run(journal, run_name)
        if subject is not None:
            raise CommandError("A report is about a whole run.", fix=f"Leave the subject out: {run.name}.")
        rows = JudgementsOf(RunRows(journal, run, journal.titles(run)))
        held_out = {case_id for case_id, facts in stored_cases(journal, run).items() if facts.held_out}
        print_report_as(
            Report(f"Run {run.name}, {run.status.value}", rubric_of(journal, run), rows, run.name, held_out=held_out),
            "json" if as_json else style,
            journal,
        )
