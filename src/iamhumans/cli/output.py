"""What the commands print: messages on standard error, results on standard output."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import IO, TYPE_CHECKING

import click

from iamhumans.cli.options import is_quiet, is_styled
from iamhumans.errors import CommandError, Exit
from iamhumans.text import for_terminal, json_text, one_line

if TYPE_CHECKING:
    from iamhumans.api.run import Run
    from iamhumans.cases import Finding, Suite
    from iamhumans.reports.blocks import Block
    from iamhumans.runs.plan import Estimate
    from iamhumans.stats import Summary

RESUME = "Run the same command again to resume."
RESUME_FRESH = "Run the same command without --fresh to resume."
_MOST_PROBLEMS = 20
_ONE_LINE = 100_000


def warn(message: str) -> None:
    """One line on standard error, made harmless, unless ``--quiet`` was given."""
    if not is_quiet():
        tell(message)


def tell(message: str) -> None:
    """One line on standard error, made harmless, in any case."""
    click.echo(fitted(one_line(message), sys.stderr), err=True)


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


def print_json(document: object) -> None:
    """One JSON document on standard output; the same content gives the same bytes."""
    click.echo(json_text(document, indent=2))


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

        width = shutil.get_terminal_size().columns if sys.stdout.isatty() else 80
        color = is_styled(sys.stdout)
        click.echo(blocks_text(blocks, width=width, color=color), nl=False, color=color)


def print_report(run: Run, style: str, holdout_reason: str | None = None, *, texts: bool = True) -> Summary:
    """The report of a run on standard output, in one of the formats of ``report``. Returns the figures.

    A CSV file holds judgements alone, so the headline goes to standard error.
    """
    report = run.report(texts=texts, holdout_reason=holdout_reason)
    if style in ("json", "csv"):
        print_pieces(report.csv_pieces() if style == "csv" else report.json_pieces())
        if style == "csv":
            warn(report.headline)
    elif style in ("html", "junit"):
        click.echo(report.to_html() if style == "html" else report.to_junit(), nl=False)
    else:
        print_blocks(report.blocks(), style)
    return report.summary


def print_case(run: Run, case_id: str, style: str, *, raw: bool, holdout_reason: str | None) -> None:
    """One case of a run on standard output."""
    if style in ("csv", "junit"):
        raise CommandError(f"--case cannot be printed as {style}.", fix="Use terminal, md, html or json.")
    view = run.case(case_id, raw=raw, holdout_reason=holdout_reason)
    if style == "json":
        print_json(view.to_dict())
    elif style == "html":
        click.echo(view.to_html(), nl=False)
    else:
        print_blocks(view.blocks(), style)


def print_estimate(found: Estimate, *, as_json: bool) -> None:
    """What a dry run prints. An unknown price is said to be unknown."""
    if as_json:
        print_json(asdict(found))
        return
    cost = "unknown, since a model has no price" if found.cost is None else f"about {found.cost:.4g}"
    print_text(
        f"{found.jobs} replies and judgements, {found.in_journal} of them already in the journal\n"
        f"at least {found.calls} calls, with about {found.prompt_tokens:,} prompt tokens and"
        f" {found.completion_tokens:,} completion tokens\n"
        f"cost {cost}\n"
        "nothing was sent"
    )


def ending(run: Run, summary: Summary, *, fresh: bool, min_judged: float | None = None) -> Exit:
    """How a command ends whose result is a run; says why, if it is not well."""
    if run.stopped is not None:
        tell(f"error: {run.stopped}. {RESUME_FRESH if fresh else RESUME}")
        return Exit.COULD_NOT_RUN
    if summary.judged == 0:
        first = next((one for one in run if not one.judged), None)
        tell(f"error: Nothing was judged. {f'{first.reason}: {first.detail}' if first else ''}".rstrip())
        return Exit.COULD_NOT_RUN
    if min_judged is not None and summary.judged < min_judged * summary.asked:
        tell(f"error: Only {summary.judged} of {summary.asked} judgements gave a verdict; --min-judged requires more.")
        return Exit.INCONCLUSIVE
    return Exit.DONE


def print_table(heads: Sequence[str], rows: Iterable[Sequence[str]], *, note: int | None = None) -> None:
    """Print a table with its first column as names and running text in the column ``note``.

    On a terminal it fits the width; in a pipe each row is one line.
    """
    from iamhumans.reports.blocks import Table
    from iamhumans.reports.terminal import blocks_text

    found = Table(tuple(heads), tuple(map(tuple, rows)), note_column=note, names=1)
    styled = is_styled(sys.stdout)
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else _ONE_LINE
    click.echo(blocks_text([found], width=width, color=styled), nl=False, color=styled)


def print_text(text: str) -> None:
    """Print lines, wrapped between words where standard output is a terminal."""
    click.echo(fitted(text, sys.stdout))


def fitted(text: str, stream: IO[str] | None) -> str:
    """The lines wrapped between words, if the stream is a terminal; later ones are set in like the first, and more."""
    if stream is None or not stream.isatty():
        return text
    from iamhumans.reports.terminal import wrapped

    width = shutil.get_terminal_size().columns
    return "\n".join(part for line in text.split("\n") for part in wrapped(line, width))


def print_findings(findings: Iterable[Finding], *, err: bool = False) -> None:
    """Print findings, each on one line and safe for a terminal."""
    for finding in findings:
        line = for_terminal(str(finding)).replace("\n", "\\n")
        click.echo(fitted(line, sys.stderr if err else sys.stdout), err=err)


def counted(number: int, noun: str) -> str:
    """A number with its noun."""
    return f"{number} {noun}" + ("" if number == 1 else "s")
