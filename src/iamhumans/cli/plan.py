"""``iamhumans plan``: what a comparison takes, before it is paid for."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import Any

import click

from iamhumans.cli.options import FILE, REPEATS, REPLIES, common_options, db_option
from iamhumans.cli.output import print_blocks, print_json, report_findings
from iamhumans.cli.work import journal_at


@click.command()
@click.argument("suite_name", metavar="SUITE")
@click.option(
    "--detect", type=click.FloatRange(0, 100, min_open=True), required=True, help="The difference, in points."
)
@click.option(
    "--of", type=click.Choice(["zero-rate", "quality"]), default="zero-rate", show_default=True, help="Of what."
)
@click.option("--replies", type=REPLIES, default=1, show_default=True, help="Replies to each case.")
@click.option("--repeats", type=REPEATS, default=1, show_default=True, help="Judgements of each reply.")
@click.option("--like", metavar="RUN", help="A run that shows how replies vary. Default: a bundled table.")
@click.option("--subject", help="A model, or recorded/PATH: whose replies are priced.")
@click.option("--skill", type=FILE, help="The file with its system prompt.")
@click.option("--judge", multiple=True, help="Whose judgements are priced; repeatable.")
@click.option("--persona", type=FILE, help="What is true of the character that the skill plays.")
@click.option("--rubric", help="A bundled rubric or a file. Default: the suite's.")
@click.option("--template", type=FILE, help="A prompt template of your own.")
@click.option("--config", type=FILE, help="Default: the nearest iamhumans.toml.")
@click.option("--env-file", type=FILE, help="A file with keys (NAME=value); no such file is read otherwise.")
@click.option("--format", "style", type=click.Choice(["terminal", "md"]), default="terminal", help="How to print.")
@db_option
@common_options
def plan(
    suite_name: str,
    like: str | None,
    judge: tuple[str, ...],
    style: str,
    db: Path | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Plan a comparison of two runs of SUITE: how many cases, replies and repeats it takes, and what they cost.

    Prints the fewest cases that see a difference of so many points in four of five comparisons, the cheapest design
    that does, how replies and repeats trade against cases, and what today's suite can see. Nothing is sent.

    With --like, RUN shows how replies vary between cases, replies and repeats. A run is named by its name, the
    beginning of one, or `last`. RUN:SUBJECT picks one of several subjects.

    Example: iamhumans plan core --detect 10 --replies 3 --subject openai/gpt-5.1 --judge openai/gpt-5.1
    """
    from iamhumans.api.planning import plan as plan_comparison
    from iamhumans.cases import load_suite

    suite = load_suite(suite_name)
    report_findings(suite)
    given = {name: value for name, value in options.items() if value is not None}
    if judge:
        given["judge"] = list(judge)
    with nullcontext() if like is None else journal_at(db) as journal:
        found = plan_comparison(suite, like=None if like is None or journal is None else journal.run(like), **given)
    if as_json:
        print_json(found.to_dict())
    else:
        print_blocks(found.blocks(), style)
