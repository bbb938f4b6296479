"""``iamhumans cases list``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from iamhumans.cli.cases.printing import end, print_table
from iamhumans.cli.options import common_options
from iamhumans.cli.output import print_json, report_findings

if TYPE_CHECKING:
    from iamhumans.cases import Case

_HEADINGS = ("ID", "TURNS", "DIMENSIONS", "HARD FAILS", "TITLE", "FLAGS")


@click.command("list")
@click.argument("suite", default="core")
@common_options
def list_command(suite: str, as_json: bool) -> None:
    """List the cases of SUITE: a folder, a case file, or the name of a bundled suite.

    Of held-out cases it shows only ids and dimensions.
    """
    from iamhumans.cases import load_suite

    loaded = load_suite(suite)
    if as_json:
        print_json(loaded.to_dict())
    else:
        # The title tells people most, so it is cut last.
        print_table([_HEADINGS, *map(_row, loaded.cases)], cut_first=[3, 2])
        report_findings(loaded)
    end(loaded)


def _row(case: Case) -> tuple[str, ...]:
    dimensions = ", ".join(case.dimensions) or "-"
    if case.holdout:
        return (case.id, "-", dimensions, "-", "-", "held out")
    hard_fails = ", ".join(case.hard_fails) or "-"
    flags = "repair" if case.repair else ""
    return (case.id, str(len(case.conversation)), dimensions, hard_fails, case.title or "-", flags)
