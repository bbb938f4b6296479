"""Options that several commands share, and small helpers for printing."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from iamhumans.decisions.calibrated import Calibrated
    from iamhumans.reports import Report
    from iamhumans.reports.blocks import Block
    from iamhumans.runs import Journal
    from iamhumans.runs.records import JudgedRow
    from iamhumans.verdicts import Judgement

Command = TypeVar("Command", bound=Callable[..., Any])

FILE = click.Path(path_type=Path)
STYLES = ("terminal", "md", "json")

_QUIET = "iamhumans.quiet"


def _remember(context: click.Context, _: click.Parameter, value: bool) -> None:
    context.meta[_QUIET] = value


def common_options(command: Command) -> Command:
    """``--json``, ``--quiet`` and ``--debug``; only the first is an argument of the command."""
    # --debug is looked for by `main`, which is where errors end.
    command = click.option("--debug", is_flag=True, expose_value=False, help="Show tracebacks.")(command)
    command = click.option(
        "--quiet", is_flag=True, expose_value=False, callback=_remember, help="No warnings and no progress."
    )(command)
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")(command)


def is_quiet() -> bool:
    """Whether ``--quiet`` was given to the command that runs."""
    context = click.get_current_context(silent=True)
    return bool(context and context.meta.get(_QUIET))


def warn(message: str) -> None:
    """One line to standard error, made harmless, unless ``--quiet`` was given."""
    if not is_quiet():
        tell(message)


def tell(message: str) -> None:
    """One line to standard error, made harmless: an error that does not end the command."""
    from iamhumans.text.safety import one_line

    click.echo(one_line(message), err=True)


def terminal_width() -> int:
    """How many columns a line may have; 80 where standard output is no terminal."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else 80


def print_json(document: object) -> None:
    """One JSON document on standard output, the same bytes for the same content."""
    from iamhumans.reports import json_text

    click.echo(json_text(document, indent=2))


def json_line(value: object) -> str:
    """One JSON object on one line."""
    from iamhumans.reports import json_text

    return json_text(value)


def print_pieces(pieces: Iterable[str]) -> None:
    """A long text, piece by piece."""
    for piece in pieces:
        click.echo(piece, nl=False)


def print_report_as(report: Report, style: str, journal: Journal | None = None) -> None:
    """A report on standard output in one of ``STYLES``, or as ``csv``.

    Args:
        report: What to print; of several judges it comes with how they agree.
        style: How.
        journal: Where its run is kept, and with it what is known of its judge from people; ``None`` for a report that
            is of no run.
    """
    calibrated = None
    if journal is not None and report.run is not None and style != "csv":
        from iamhumans.decisions.calibrated import calibrated_run

        calibrated = calibrated_run(journal, journal.run(report.run))
    if style == "json":
        from iamhumans.reports import report_json

        print_pieces(report_json(report, more_of_document(calibrated)))
    elif style == "csv":
        from iamhumans.reports.csv import csv_report

        print_pieces(csv_report(report))
    else:
        from iamhumans.reports.report_blocks import report_blocks

        print_blocks(report_blocks(report), style)
        _print_calibrated(calibrated, style)


def print_blocks(blocks: Iterable[Block], style: str) -> None:
    """Blocks on standard output, as ``md`` or for the terminal."""
    if style == "md":
        from iamhumans.reports.markdown import MOST_CHARACTERS, blocks_markdown

        click.echo(blocks_markdown(blocks, limit=MOST_CHARACTERS), nl=False)
    else:
        from iamhumans.reports.terminal import blocks_text

        color = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
        click.echo(blocks_text(blocks, width=terminal_width(), color=color), nl=False)


def more_of_document(calibrated: Calibrated | None) -> dict[str, Any]:
    """The parts of a report's document besides its own figures."""
    if calibrated is None:
        return {}
    from iamhumans.reports.calibration import calibrated_document

    return {"calibration": calibrated_document(calibrated)}


def _print_calibrated(calibrated: Calibrated | None, style: str) -> None:
    if calibrated is None:
        return
    from iamhumans.reports.calibration import calibrated_lines, calibrated_markdown

    if style == "md":
        click.echo(calibrated_markdown(calibrated), nl=False)
    else:
        click.echo("\n".join(("", *calibrated_lines(calibrated, width=terminal_width()))))


class JudgementsOf:
    """Judged rows as judgements, each time they are gone through."""

    def __init__(self, rows: Iterable[JudgedRow]) -> None:
        self.rows = rows

    def __iter__(self) -> Iterator[Judgement]:
        return map(as_judgement, self.rows)


def as_judgement(row: JudgedRow) -> Judgement:
    """A judged row as a judgement."""
    from iamhumans.verdicts import judgement_of

    place = {name: getattr(row, name) for name in ("row", "case_id", "subject", "number", "judge", "repeat", "title")}
    return judgement_of(row.judgement, row.score, **place)
