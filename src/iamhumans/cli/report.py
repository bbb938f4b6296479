"""``iamhumans report``: prints the report of a run again."""

from pathlib import Path

import click

from iamhumans.cli.options import STYLES, case_options, common_options, db_option, holdout_options, texts_option
from iamhumans.cli.output import print_case, print_report
from iamhumans.cli.work import journal_at
from iamhumans.errors import CommandError


@click.command()
@click.argument("run_name", metavar="RUN")
@click.option("--format", "style", type=STYLES, default="terminal", help="How to print.")
@case_options
@texts_option
@holdout_options
@db_option
@common_options
def report(
    run_name: str,
    style: str,
    case_id: str | None,
    raw: bool,
    no_texts: bool,
    as_json: bool,
    db: Path | None,
    holdout_reason: str | None,
) -> None:
    """Print the report of RUN from the journal. No model is asked.

    RUN is a name, the beginning of one, or `last`. RUN:SUBJECT picks one of several subjects.

    With a calibration (`calibrate`), figures corrected by people's labels are printed too. Texts of held-out cases are
    replaced by hashes, unless --holdout and --reason are given.

    --case ID shows one case: the conversation, the replies with quotes marked, and every vote.

    Example: iamhumans report last --format html > report.html
    """
    if raw and case_id is None:
        raise CommandError("--raw needs --case.", fix="Name a case: --case ID.")
    with journal_at(db) as journal:
        run, style = journal.run(run_name), "json" if as_json else style
        if case_id is not None:
            print_case(run, case_id, style, raw=raw, holdout_reason=holdout_reason)
        else:
            print_report(run, style, holdout_reason, texts=not no_texts)
