"""``iamhumans runs``: what is in the journal."""

import sys
from pathlib import Path
from typing import Any

import click

from iamhumans.cli.options import (
    FILE,
    SuggestingGroup,
    case_options,
    common_options,
    db_option,
    holdout_options,
    texts_option,
)
from iamhumans.cli.output import print_blocks, print_case, print_json, print_report, print_table, warn
from iamhumans.cli.work import journal_at, journal_path
from iamhumans.errors import CommandError
from iamhumans.text import json_text

_MOST_READ = 20_000
"""Of a run with more judgements, `runs show` adds up counts alone, since intervals need every judgement."""


@click.group(cls=SuggestingGroup)
def runs() -> None:
    """List, show, export, import and delete runs.

    A run is named by its name, the beginning of one, or `last`.
    """


@runs.command("list")
@db_option
@common_options
def list_command(as_json: bool, db: Path | None) -> None:
    """List the runs of the journal, the newest first."""
    from iamhumans.decisions.outcomes import listed_figures
    from iamhumans.reports.run_overview import LIST_HEADS, list_document, list_row
    from iamhumans.runs.journal.queries import ListFigures

    found = []
    if journal_path(db).exists():
        with journal_at(db) as journal:
            figures = listed_figures(journal.core)
            found = [(run.record, figures.get(run.record.id, ListFigures())) for run in journal.runs()]
    if as_json:
        print_json({"runs": [list_document(*one) for one in found]})
        return
    if found:
        print_table(LIST_HEADS, [list_row(*one) for one in found], note=len(LIST_HEADS) - 1)
    else:
        warn("There is no run yet.")


@runs.command("show")
@click.argument("run_name", metavar="RUN")
@case_options
@holdout_options
@db_option
@common_options
def show_command(
    run_name: str, case_id: str | None, raw: bool, as_json: bool, db: Path | None, holdout_reason: str | None
) -> None:
    """Show what RUN asked, its progress, its figures, and what it cost.

    --case ID shows one case: the conversation, the replies with quotes marked, and every vote.
    """
    from iamhumans.reports.run_overview import overview_blocks, summary_document

    if case_id is None and (raw or holdout_reason is not None):
        raise CommandError("--raw and --holdout need --case.", fix="Name a case: --case ID.")
    with journal_at(db) as journal:
        if case_id is not None:
            run, style = journal.run(run_name), "json" if as_json else "terminal"
            print_case(run, case_id, style, raw=raw, holdout_reason=holdout_reason)
            return
        run = journal.run(run_name)
        figures, spent = run.figures, journal.core.spent(run.record)
        report = run.report().found if figures.recorded <= _MOST_READ else None
        if as_json:
            print_json(summary_document(figures, report, spent))
        else:
            print_blocks(overview_blocks(figures, report, spent))


@runs.command("export")
@click.argument("run_name", metavar="RUN")
@click.option("--format", "style", type=click.Choice(["jsonl", "csv"]), default="jsonl", show_default=True)
@click.option("-o", "--output", type=FILE, help="Write to this file. An existing file is replaced.")
@texts_option
@holdout_options
@db_option
@common_options
def export_command(
    run_name: str, style: str, output: Path | None, no_texts: bool, as_json: bool, db: Path | None, **reason: Any
) -> None:
    """Write RUN as JSON Lines, which `runs import` reads, or its judgements as CSV; with --json as one document.

    Example: iamhumans runs export last -o run.jsonl
    """
    if (style == "csv" or as_json) and output is not None:
        raise CommandError("-o only works with --format jsonl.", fix="Redirect standard output: > FILE.")
    with journal_at(db) as journal:
        run = journal.run(run_name)
        if style == "csv" or as_json:
            print_report(run, "json" if as_json else "csv", texts=not no_texts, **reason)
        elif output is not None:
            count = journal.export(run, output, texts=not no_texts, **reason)
            warn(f"{count} judgements written to {output}.")
        else:
            for line in journal.exported(run, texts=not no_texts, **reason):
                click.echo(json_text(line))


@runs.command("import")
@click.argument("source", type=FILE)
@db_option
@common_options
def import_command(source: Path, as_json: bool, db: Path | None) -> None:
    """Read a run that `runs export` wrote. Its results stay marked as imported.

    To bring in replies or verdicts of another program, judge them: `iamhumans judge REPLIES --judge recorded/PATH`.
    """
    with journal_at(db, write=True) as journal:
        run = journal.import_(source)
        print_json({"imported": run.name}) if as_json else click.echo(f"imported {run.name}")


@runs.command("delete")
@click.argument("run_name", metavar="RUN")
@click.option("--yes", is_flag=True, help="Do not ask.")
@db_option
@common_options
def delete_command(run_name: str, yes: bool, as_json: bool, db: Path | None) -> None:
    """Delete RUN, with all replies, judgements and calls that no other run uses."""
    from iamhumans.reports.run_overview import what_was_asked

    with journal_at(db) as journal:
        run = journal.run(run_name)
        if not yes and not sys.stdin.isatty():
            raise CommandError("Standard input is not a terminal, so nothing was deleted.", fix="Add --yes.")
        question = f"Delete run {run.name} ({what_was_asked(run.record)})? Its answers would have to be paid for again"
        if not yes and not click.confirm(question, err=True):
            raise CommandError("Nothing was deleted.")
        journal.delete(run)
        print_json({"deleted": run.name}) if as_json else click.echo(f"deleted {run.name}")
