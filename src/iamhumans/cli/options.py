"""Options that several commands share, and small helpers for printing."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from iamhumans.decisions.judges import PanelFigures
    from iamhumans.reports import Report
    from iamhumans.runs import Journal
    from iamhumans.trust.run_calibration import RunCalibration

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
    panel, calibrated = None, None
    if journal is not None and report.run is not None and style != "csv":
        from iamhumans.trust.run_calibration import calibration_of_run

        calibrated = calibration_of_run(journal, journal.run(report.run))
    if len(report.judges) > 1 and style != "csv":
        from iamhumans.decisions.judges import panel_figures
        from iamhumans.decisions.panel import panel_replies

        panel = panel_figures(panel_replies(report.rows, report.rubric))
    if style == "json":
        from iamhumans.reports import report_json

        print_pieces(report_json(report, more_of_document(panel, calibrated)))
    elif style == "csv":
        from iamhumans.reports.csv import csv_report

        print_pieces(csv_report(report))
    elif style == "md":
        from iamhumans.reports.markdown import markdown_report

        click.echo(markdown_report(report), nl=False)
        if panel is not None:
            from iamhumans.reports.panel import panel_markdown

            click.echo(panel_markdown(panel), nl=False)
        if calibrated is not None:
            from iamhumans.reports.blocks import _blocks_markdown
            from iamhumans.reports.calibration import calibrated_blocks

            click.echo("\n" + _blocks_markdown(calibrated_blocks(calibrated)), nl=False)
    else:
        _print_on_terminal(report, panel, calibrated)


def more_of_document(panel: PanelFigures | None, calibrated: RunCalibration | None) -> dict[str, Any]:
    """What stands in the document of a report besides its own figures."""
    more: dict[str, Any] = {}
    if panel is not None:
        from iamhumans.reports.panel import panel_document

        more["panel"] = panel_document(panel)
    if calibrated is not None:
        from iamhumans.reports.calibration import calibrated_document

        more["calibration"] = calibrated_document(calibrated)
    return more


def _print_on_terminal(report: Report, panel: PanelFigures | None, calibrated: RunCalibration | None) -> None:
    from iamhumans.reports.terminal import print_report

    print_report(report, width=None if sys.stdout.isatty() else 110)
    if panel is not None:
        from iamhumans.reports.panel import panel_lines

        click.echo("\n".join(panel_lines(panel)))
    if calibrated is not None:
        from iamhumans.reports.blocks import _blocks_text
        from iamhumans.reports.calibration import calibrated_blocks

        click.echo("\n" + _blocks_text(calibrated_blocks(calibrated), width=terminal_width()), nl=False)
