"""Options that several commands share, and small helpers for printing."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])

FILE = click.Path(path_type=Path)


def common_options(command: Command) -> Command:
    """``--json``, ``--quiet`` and ``--debug``."""
    command = click.option("--debug", is_flag=True, expose_value=False, help="Show tracebacks.")(command)
    command = click.option("--quiet", is_flag=True, help="No warnings and no progress.")(command)
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")(command)


def print_json(document: object) -> None:
    """One JSON document on standard output, the same bytes for the same content."""
    click.echo(json.dumps(document, ensure_ascii=False, indent=2))


def json_line(value: object) -> str:
    """One JSON object on one line."""
    return json.dumps(value, ensure_ascii=False)


def warn(message: str, *, quiet: bool = False) -> None:
    """One line to standard error, made harmless."""
    from iamhumans.text.safety import for_terminal

    if not quiet:
        click.echo(for_terminal(message), err=True)


def terminal_width() -> int | None:
    """The width for a report where it does not go to a terminal; ``None`` lets the terminal decide."""
    return None if sys.stdout.isatty() else 110
