"""``iamhumans runs``: what is in the journal."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from iamhumans.cli.options import FILE, common_options, json_line, more_of_document, print_json, print_pieces, warn
from iamhumans.cli.working import db_option, open_journal
from iamhumans.errors import CommandError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from iamhumans.reports import Report
    from iamhumans.runs import GroupSummary, Run, RunSummary


@click.group()
def runs() -> None:
    """List, show, export, import and delete runs."""


@runs.command("list")
@db_option
@common_options
def list_command(as_json: bool, db: Path | None) -> None:
    """List the runs of the journal, the newest first."""
    with open_journal(db) as journal:
        found = journal.runs()
    if as_json:
        print_json({"runs": [_run_document(run) for run in found]})
        return
    for run in found:
        click.echo(f"{run.name}  {run.created[:16].replace('T', ' ')}  {run.status.value:<10}  {_what(run)}")
    if not found:
        warn("There is no run yet.")


@runs.command("show")
@click.argument("run_name", metavar="RUN")
@db_option
@common_options
def show_command(run_name: str, as_json: bool, db: Path | None) -> None:
    """Show what RUN asked, how far it is, its figures, and what it cost."""
    with open_journal(db) as journal:
        summary = journal.summary(journal.run(run_name))
    if as_json:
        print_json(_summary_document(summary))
    else:
        click.echo("\n".join(_summary_lines(summary)))


@runs.command("export")
@click.argument("run_name", metavar="RUN")
@click.option("--format", "style", type=click.Choice(["jsonl", "csv"]), default="jsonl", show_default=True)
@click.option("-o", "--output", type=FILE, help="Write into this file.")
@db_option
@common_options
def export_command(run_name: str, style: str, output: Path | None, as_json: bool, db: Path | None) -> None:
    """Write the judgements of RUN as JSON Lines or CSV; with --json, as one JSON document."""
    from iamhumans.reports import Report, judged_line, report_json
    from iamhumans.reports.csv import csv_report
    from iamhumans.runs.rows import RunRows, rubric_of
    from iamhumans.trust.run_calibration import calibration_of_run

    with open_journal(db) as journal:
        run = journal.run(run_name)
        report = Report(run.name, rubric_of(journal, run), RunRows(journal, run), run.name)

        def pieces(report: Report) -> Iterator[str]:
            if as_json:
                return report_json(report, more_of_document(None, calibration_of_run(journal, run)))
            if style == "csv":
                return csv_report(report)
            return (json_line(judged_line(row)) + "\n" for row in report.rows)

        if output is None:
            print_pieces(pieces(report))
            return
        try:
            with output.open("w", encoding="utf-8") as file:
                file.writelines(pieces(report))
        except OSError as error:
            raise CommandError(f"`{output}` cannot be written: {error.strerror}.") from None


@runs.command("import")
@click.argument("source", type=FILE)
@click.option("--suite", "suite_name", help="The suite that the replies answer.")
@click.option("--rubric", "rubric_name", help="A bundled rubric or a file; the suite's own if not given.")
@click.option(
    "--judge", "judge_names", multiple=True, help="Whose verdicts to keep, where SOURCE holds several judges'."
)
@click.option("--repeats", type=click.IntRange(1, 100), default=1, show_default=True, help="Verdicts on each reply.")
@db_option
@common_options
@click.pass_context
def import_command(
    context: click.Context,
    source: Path,
    suite_name: str | None,
    rubric_name: str | None,
    judge_names: tuple[str, ...],
    repeats: int,
    as_json: bool,
    db: Path | None,
) -> None:
    """Bring judged replies from elsewhere into the journal, as a run.

    SOURCE is a folder of verdict files with the reply inside, whose verdicts are kept, or a JSON Lines file of chats,
    which the rules judge judges.
    """
    from iamhumans.cli.judge import judge

    context.invoke(
        judge,
        replies=source,
        suite_name=suite_name,
        rubric_name=rubric_name,
        judge_names=judge_names or ((f"recorded/{source}",) if source.is_dir() else ("rules",)),
        repeats=repeats,
        db=db,
        as_json=as_json,
    )


@runs.command("delete")
@click.argument("run_name", metavar="RUN")
@click.option("--yes", is_flag=True, help="Do not ask.")
@db_option
@common_options
def delete_command(run_name: str, yes: bool, as_json: bool, db: Path | None) -> None:
    """Delete RUN, with all replies, judgements and calls that no other run refers to."""
    with open_journal(db) as journal:
        run = journal.run(run_name)
        if not yes:
            _confirm(run)
        journal.delete_run(run)
    if as_json:
        print_json({"deleted": run.name})
    else:
        click.echo(f"deleted {run.name}")


def _confirm(run: Run) -> None:
    if not sys.stdin.isatty():
        raise CommandError(
            "Nobody can be asked here, since standard input is no terminal; nothing was deleted.", fix="Add --yes."
        )
    if not click.confirm(f"Delete run {run.name} ({_what(run)})? What was paid for it is lost", err=True):
        raise CommandError("Nothing was deleted.")


def _what(run: Run) -> str:
    """What a run asked, in a few words."""
    from iamhumans.text import one_line

    plan = run.plan
    suite, subject = (_name_in(plan.get(part)) for part in ("suite", "subject"))
    answered = f"{suite} answered by {subject}," if subject else f"replies to {suite}" if suite else "replies"
    judges = ", ".join(judge["name"] for judge in plan.get("judges", ()))
    return one_line(f"{answered} judged by {judges}", 120)


def _name_in(part: Any) -> str:
    """The name of a part of a plan, which may be no more than that."""
    return part["name"] if isinstance(part, dict) else part or ""


def _run_document(run: Run) -> dict[str, Any]:
    return {
        "run": run.name,
        "status": run.status.value,
        "asked": run.asked,
        "created": run.created,
        "ended": run.ended,
        "plan": dict(run.plan),
    }


def _summary_document(summary: RunSummary) -> dict[str, Any]:
    return {
        **_run_document(summary.run),
        "recorded": summary.recorded,
        "final": summary.final,
        "groups": [_group_document(group) for group in summary.groups],
        "paid": asdict(summary.paid),
    }


def _group_document(group: GroupSummary) -> dict[str, Any]:
    return {
        **asdict(group),
        "asked": group.asked,
        "unjudged": {reason.value: n for reason, n in group.unjudged.items()},
    }


def _summary_lines(summary: RunSummary) -> list[str]:
    from iamhumans.text import one_line

    run, paid = summary.run, summary.paid
    lines = [
        f"run {run.name}, {run.status.value}: {_what(run)}",
        f"begun {run.created}, ended {run.ended or '–'}",
        f"{summary.recorded} of {run.asked or '?'} judgements, {summary.final} of them final",
    ]
    for group in summary.groups:
        mean = "–" if group.mean_total is None else f"{group.mean_total:.1f}"
        unjudged = "".join(f", {count} {reason.value}" for reason, count in group.unjudged.items())
        lines.append(
            one_line(
                f"  {group.subject or '–'} by {group.judge}: {group.judged} of {group.asked} judged,"
                f" {group.zeroed} zeroed, {group.passed} pass, mean total {mean}{unjudged}"
            )
        )
    cost = "unknown" if paid.cost is None else f"{paid.cost:.4g}"
    prompt = f"{paid.prompt_tokens:,} prompt tokens ({paid.cached_tokens:,} cached)"
    completion = f"{paid.completion_tokens:,} completion tokens"
    lines.append(f"{paid.calls} calls ({paid.failed} failed), {prompt}, {completion}, cost {cost}")
    return lines
