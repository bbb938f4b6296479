"""What the commands print: messages on standard error, results on standard output."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING

import click

from iamhumans.cli.options import is_quiet
from iamhumans.errors import Exit

if TYPE_CHECKING:
    from iamhumans.api.run import Run
    from iamhumans.cases import Suite
    from iamhumans.reports.blocks import Block
    from iamhumans.runs.plan import Estimate

RESUME = "Run the same command again to resume."
RESUME_FRESH = "Run the same command without --fresh to resume."
_PIPE_WIDTH = 80
_MOST_PROBLEMS = 20


def warn(message: str) -> None:
    """One line on standard error, made harmless, unless ``--quiet`` was given."""
    if not is_quiet():
        tell(message)


def tell(message: str) -> None:
    """One line on standard error, made harmless, in any case."""
    from iamhumans.text.safety import one_line

    click.echo(one_line(message), err=True)


def tell_of_rows(problems: Iterable[object], count: int) -> None:
    """The rows of a file that could not be used: the first ones, and how many more there are."""
    for number, problem in enumerate(problems, start=1):
        if number > _MOST_PROBLEMS:
            tell(f"{count - _MOST_PROBLEMS:,} more rows were left out.")
            return
        tell(f"left out: {problem}")


def report_findings(suite: Suite) -> None:
    """What is wrong with the files of a suite; of held-out cases without a word of their text."""
    for finding in suite.shown_findings:
        (tell if finding.error else warn)(str(finding))


def terminal_width() -> int:
    """How many columns a line may have; 80 in a pipe."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else _PIPE_WIDTH


def with_color() -> bool:
    """Whether standard output may be styled."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR")


def print_json(document: object) -> None:
    """One JSON document on standard output; the same content gives the same bytes."""
    from iamhumans.text.json_text import json_text

    click.echo(json_text(document, indent=2))


def json_line(value: object) -> str:
    """One JSON object on one line."""
    from iamhumans.text.json_text import json_text

    return json_text(value)


def print_pieces(pieces: Iterable[str]) -> None:
    """A long text on standard output, piece by piece."""
    for piece in pieces:
        click.echo(piece, nl=False)


def print_blocks(blocks: Iterable[Block], style: str = "terminal") -> None:
    """Headings, paragraphs and tables on standard output, for a terminal or as Markdown."""
    blocks = list(blocks)
    if style == "md":
        from iamhumans.reports.markdown import blocks_markdown

        click.echo(blocks_markdown(blocks), nl=False)
    else:
        from iamhumans.reports.terminal import blocks_text

        click.echo(blocks_text(blocks, width=terminal_width(), color=with_color()), nl=False, color=with_color())


def print_report(run: Run, style: str, holdout_reason: str | None = None) -> None:
    """The report of a run on standard output, in one of the formats of ``report``."""
    report = run.report(holdout_reason=holdout_reason)
    if style in ("json", "csv"):
        print_pieces(report.csv_pieces() if style == "csv" else report.json_pieces())
    elif style in ("html", "junit"):
        click.echo(report.to_html() if style == "html" else report.to_junit(), nl=False)
    else:
        print_blocks(report.blocks(), style)


def print_estimate(found: Estimate, *, as_json: bool) -> None:
    """What a dry run prints. An unknown price is said to be unknown."""
    from dataclasses import asdict

    if as_json:
        print_json(asdict(found))
        return
    cost = "unknown, since a model has no price" if found.cost is None else f"about {found.cost:.4g}"
    click.echo(
        f"{found.jobs} replies and judgements, {found.in_journal} of them in the journal\n"
        f"{found.calls} calls or more, with about {found.prompt_tokens:,} prompt tokens and"
        f" {found.completion_tokens:,} completion tokens\n"
        f"cost {cost}\n"
        "nothing was sent"
    )


def ending(run: Run, *, fresh: bool, min_judged: float | None = None) -> Exit:
    """How a command ends whose result is a run; says why, if it is not well."""
    if run.stopped is not None:
        tell(f"error: {run.stopped}. {RESUME_FRESH if fresh else RESUME}")
        return Exit.COULD_NOT_RUN
    summary = run.report().summary
    if summary.judged == 0:
        first = next((one for one in run if not one.judged), None)
        tell(f"error: Nothing was judged. {f'{first.reason}: {first.detail}' if first else ''}".rstrip())
        return Exit.COULD_NOT_RUN
    if min_judged is not None and summary.judged < min_judged * summary.asked:
        tell(f"error: Only {summary.judged} of {summary.asked} judgements are verdicts; --min-judged demands more.")
        return Exit.INCONCLUSIVE
    return Exit.DONE
