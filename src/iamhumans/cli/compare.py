"""``iamhumans compare``: whether it got better."""

from __future__ import annotations

from pathlib import Path

import click

from iamhumans.cli.options import common_options, print_json
from iamhumans.cli.working import db_option, open_journal


@click.command()
@click.argument("run_a", metavar="RUN_A")
@click.argument("run_b", metavar="RUN_B")
@click.option("--across", is_flag=True, help="Compare although the runs were judged differently.")
@click.option("--format", "style", type=click.Choice(["terminal", "md"]), default="terminal", help="How to print.")
@db_option
@common_options
def compare(run_a: str, run_b: str, across: bool, style: str, as_json: bool, db: Path | None) -> None:
    """Compare RUN_B with RUN_A, case by case: what changed, what of that may be chance, what could have shown."""
    from iamhumans.decisions.compare import compare as compare_runs
    from iamhumans.decisions.outcomes import outcomes_of
    from iamhumans.reports.decisions import comparison_document, comparison_lines, comparison_markdown

    with open_journal(db) as journal:
        before, after = journal.run(run_a), journal.run(run_b)
        found = compare_runs(outcomes_of(journal, before), outcomes_of(journal, after), across=across)
    if as_json:
        print_json(comparison_document(found))
    elif style == "md":
        click.echo(comparison_markdown(found), nl=False)
    else:
        click.echo("\n".join(comparison_lines(found)))
