"""``iamhumans report``: prints the report of a run again."""

from pathlib import Path

import click

from iamhumans.cli.options import STYLES, common_options, db_option, holdout_options
from iamhumans.cli.output import print_report
from iamhumans.cli.work import journal_at


@click.command()
@click.argument("run_name", metavar="RUN")
@click.option("--format", "style", type=STYLES, default="terminal", help="How to print.")
@holdout_options
@db_option
@common_options
def report(run_name: str, style: str, as_json: bool, db: Path | None, holdout_reason: str | None) -> None:
    """Print the report of RUN from the journal. No model is asked.

    RUN is a name, the beginning of one, or `last`. RUN:SUBJECT picks one of several subjects.

    With a calibration (`calibrate`), figures corrected by people's labels are printed too. Texts of held-out cases are
    replaced by hashes, unless --holdout and --reason are given.

    Example: iamhumans report last --format html > report.html
    """
    with journal_at(db) as journal:
        print_report(journal.run(run_name), "json" if as_json else style, holdout_reason)
