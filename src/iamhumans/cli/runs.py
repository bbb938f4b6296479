"""``iamhumans runs``: what is in the journal."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from iamhumans.cli.options import FILE, common_options, db_option, holdout_options
from iamhumans.cli.output import json_line, print_json, print_report, warn
from iamhumans.cli.work import journal_at
from iamhumans.errors import CommandError

if TYPE_CHECKING:
    from iamhumans.api.run import Run


@click.group()
def runs() -> None:
    """List, show, export, import and delete runs."""


@runs.command("list")
@db_option
@common_options
def list_command(as_json: bool, db: Path | None) -> None:
    """List the runs of the journal, the newest first."""
    from iamhumans.runs.journal.location import find_journal

    if not find_journal(db).exists():
        print_json({"runs": []}) if as_json else warn("There is no run yet.")
        return
    with journal_at(db) as journal:
        found = journal.runs()
        if as_json:
            print_json({"runs": [_document(run) for run in found]})
            return
        for run in found:
            click.echo(f"{run.name}  {run.record.created[:16].replace('T', ' ')}  {run.status:<10}  {_what(run)}")
        if not found:
            warn("There is no run yet.")


@runs.command("show")
@click.argument("run_name", metavar="RUN")
@db_option
@common_options
def show_command(run_name: str, as_json: bool, db: Path | None) -> None:
    """Show what RUN asked, how far it is, its figures, and what it cost."""
    with journal_at(db) as journal:
        run = journal.run(run_name)
        if not as_json:
            click.echo("\n".join(_lines(run)))
            return
        figures = run.figures
        groups = [
            {**asdict(group), "asked": group.asked, "unjudged": {str(why): n for why, n in group.unjudged.items()}}
            for group in figures.groups
        ]
        counts = {"recorded": figures.recorded, "final": figures.final}
        print_json({**_document(run), **counts, "groups": groups, "paid": asdict(figures.paid)})


@runs.command("export")
@click.argument("run_name", metavar="RUN")
@click.option("--format", "style", type=click.Choice(["jsonl", "csv"]), default="jsonl", show_default=True)
@click.option("-o", "--output", type=FILE, help="Write into this file, which is replaced.")
@click.option("--no-texts", is_flag=True, help="Write hashes in place of conversations and replies.")
@holdout_options
@db_option
@common_options
def export_command(
    run_name: str,
    style: str,
    output: Path | None,
    no_texts: bool,
    as_json: bool,
    db: Path | None,
    holdout_reason: str | None,
) -> None:
    """Write RUN as JSON Lines, which `runs import` reads, or its judgements as CSV; with --json as one document."""
    from iamhumans.runs.journal import exchange

    with journal_at(db) as journal:
        run = journal.run(run_name)
        if style == "csv" or as_json:
            if output is not None:
                raise CommandError("-o goes with --format jsonl.", fix="Redirect standard output into a file: > FILE.")
            print_report(run, "json" if as_json else "csv", holdout_reason)
        elif output is not None:
            count = journal.export(run, output, texts=not no_texts, holdout_reason=holdout_reason)
            warn(f"{count} judgements written to {output}.")
        else:
            run.disclose("export", holdout_reason)
            for line in exchange.lines_of(journal.core, run.record, texts=not no_texts, holdout_reason=holdout_reason):
                click.echo(json_line(line))


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
    """Delete RUN, with all replies, judgements and calls that nothing else refers to."""
    with journal_at(db) as journal:
        run = journal.run(run_name)
        if not yes:
            _confirm(run)
        journal.delete(run)
        print_json({"deleted": run.name}) if as_json else click.echo(f"deleted {run.name}")


def _confirm(run: Run) -> None:
    if not sys.stdin.isatty():
        raise CommandError(
            "Standard input is not a terminal, so you cannot be asked; nothing was deleted.", fix="Add --yes."
        )
    if not click.confirm(
        f"Delete run {run.name} ({_what(run)})? Its answers would have to be paid for again", err=True
    ):
        raise CommandError("Nothing was deleted.")


def _what(run: Run) -> str:
    """What a run asked, in a few words."""
    from iamhumans.api.reporting import title_of
    from iamhumans.text import one_line

    judges = ", ".join(judge["name"] for judge in run.plan.get("judges", ()))
    return one_line(f"{title_of(run).partition(', run ')[0]}, judged by {judges}", 120)


def _document(run: Run) -> dict[str, Any]:
    record = run.record
    names = ("asked", "created", "ended", "imported")
    facts = {name: getattr(record, name) for name in names}
    return {"run": record.name, "status": record.status.value, **facts, "plan": dict(record.plan)}


def _lines(run: Run) -> list[str]:
    from iamhumans.text import one_line

    record, figures = run.record, run.figures
    paid = figures.paid
    imported = "; some results were imported" if record.imported else ""
    lines = [
        f"run {run.name}, {run.status}: {_what(run)}",
        f"begun {record.created}, ended {record.ended or '–'}{imported}",
        f"{figures.recorded} of {record.asked or '?'} judgements, {figures.final} of them final",
    ]
    for group in figures.groups:
        mean = "–" if group.mean_total is None else f"{group.mean_total:.1f}"
        unjudged = "".join(f", {count} {reason}" for reason, count in group.unjudged.items())
        counts = f"{group.judged} of {group.asked} judged, {group.zeroed} zeroed, {group.passed} pass"
        lines.append(one_line(f"  {group.subject or '–'} by {group.judge}: {counts}, mean total {mean}{unjudged}"))
    cost = "unknown" if paid.cost is None else f"{paid.cost:.4g}"
    tokens = f"{paid.prompt_tokens:,} prompt tokens ({paid.cached_tokens:,} cached)"
    calls = f"{paid.calls} calls ({paid.failed} failed), {tokens}, {paid.completion_tokens:,} completion tokens"
    return [*lines, f"{calls}, cost {cost}"]
