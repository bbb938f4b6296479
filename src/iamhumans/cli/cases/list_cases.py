"""``iamhumans cases list``: what is in a suite."""

from __future__ import annotations

import sys
from pathlib import Path
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Any

import click

from iamhumans.cli.cases.printing import (
    DEFAULT_SUITE,
    finding_as_data,
    print_findings,
    print_json,
    table,
    without_texts,
)
from iamhumans.cli.options import common_options
from iamhumans.errors import Exit

if TYPE_CHECKING:
    from iamhumans.cases import Case, Suite


_HEADINGS = ("ID", "TURNS", "DIMENSIONS", "HARD FAILS", "TITLE", "FLAGS")


@click.command("list")
@click.argument("suite", default=DEFAULT_SUITE)
@common_options
@click.pass_context
def list_command(context: click.Context, suite: str, as_json: bool) -> None:
    """List the cases of SUITE: a folder, a case file, or a bundled suite's name.

    Held-out cases are listed by their id and dimensions alone.
    """
    from iamhumans.cases import load_suite

    loaded = load_suite(suite)
    if as_json:
        print_json(_suite_as_data(loaded))
    else:
        room = get_terminal_size().columns if sys.stdout.isatty() else None
        rows = [_HEADINGS, *(_row(case) for case in loaded.cases)]
        # By its title people know a case again.
        for line in table(rows, room, cut_first=[_HEADINGS.index("HARD FAILS"), _HEADINGS.index("DIMENSIONS")]):
            click.echo(line)
        print_findings(without_texts(loaded.findings))
    if loaded.errors:
        context.exit(Exit.WRONG_INPUT)


def _row(case: Case) -> tuple[str, ...]:
    dimensions = ", ".join(case.dimensions) or "-"
    if case.holdout:
        return (case.id, "-", dimensions, "-", "-", "held out")
    flags = "repair" if case.repair else ""
    hard_fails = ", ".join(case.hard_fails) or "-"
    return (case.id, str(len(case.conversation)), dimensions, hard_fails, case.title or "-", flags)


def _suite_as_data(suite: Suite) -> dict[str, Any]:
    return {
        "cases": [_case_in_list(case, suite.path) for case in suite.cases],
        "findings": [finding_as_data(finding) for finding in without_texts(suite.findings)],
        "suite": {
            "dimensions": suite.dimensions,
            "hard_fails": suite.hard_fails,
            "languages": suite.languages,
            "license": suite.license,
            "name": suite.name,
            "rubric": suite.rubric,
            "version": suite.version,
        },
    }


def _case_in_list(case: Case, folder: Path) -> dict[str, Any]:
    if case.holdout:
        return {"dimensions": case.dimensions, "holdout": True, "id": case.id}
    return {
        "dimensions": case.dimensions,
        "file": _relative(case.path, folder),
        "hard_fails": case.hard_fails,
        "holdout": False,
        "id": case.id,
        "lang": case.lang,
        "repair": case.repair,
        "title": case.title,
        "turns": len(case.conversation),
    }


def _relative(path: Path | None, folder: Path) -> str | None:
    if path is None:
        return None
    inside = path.is_relative_to(folder)
    return (path.relative_to(folder) if inside else path).as_posix()
