"""``iamhumans cases seal``: what was held out, vouched for."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from iamhumans.cli.cases.printing import (
    counted,
    finding_as_data,
    finding_as_line,
    print_json,
)
from iamhumans.cli.options import common_options
from iamhumans.errors import CommandError, Exit
from iamhumans.text import for_terminal, one_line

if TYPE_CHECKING:
    from iamhumans.cases import Suite


@click.command("seal")
@click.argument("suite", default=".")
@click.option("--check", is_flag=True, help="Only say whether the seal holds.")
@click.option("--reason", default="", help="Why it is sealed again after a change; goes into the ledger.")
@common_options
@click.pass_context
def seal_command(context: click.Context, suite: str, check: bool, reason: str, as_json: bool) -> None:
    """Seal the held-out cases of SUITE, so that every later change of them shows.

    Writes seal.json beside the suite: a hash of each held-out case and of the rubric. With --check it ends with 2 where
    the seal does not hold.
    """
    from iamhumans.cases import load_suite, seal_suite

    if check and reason:
        raise CommandError("--check changes nothing, so there is no reason to give.", fix="Leave one of them out.")
    loaded = load_suite(suite)
    if check:
        _check_seal(context, loaded, as_json=as_json)
        return
    sealing = seal_suite(loaded, reason)
    changes = [replace(change, fix="", error=False) for change in sealing.changes]
    sealed = counted(len(sealing.seal.cases), "held-out case")
    if as_json:
        print_json(
            {
                "cases": [case.id for case in sealing.seal.cases],
                "changes": [finding_as_data(change) for change in changes],
                "hash": sealing.seal.hash,
                "path": str(sealing.path),
                "written": sealing.written,
            }
        )
        return
    for change in changes:
        click.echo(f"{for_terminal(str(change.path))}:{change.line}: {one_line(change.problem)}")
    path = for_terminal(str(sealing.path))
    click.echo(f"Sealed {sealed} in {path}." if sealing.written else f"{sealed} in {path}: nothing has changed.")


def _check_seal(context: click.Context, suite: Suite, *, as_json: bool) -> None:
    from iamhumans.cases import check_seal, held_out

    problems = check_seal(suite)
    count = len(held_out(suite))
    if as_json:
        found = [finding_as_data(finding) for finding in problems]
        print_json({"cases": count, "holds": not problems, "problems": found})
    else:
        for finding in problems:
            click.echo(finding_as_line(finding))
        if not problems:
            held = f"The seal holds: {counted(count, 'held-out case')}."
            click.echo(held if count else "No case is held out, so there is nothing that a seal could break over.")
    if problems:
        context.exit(Exit.WRONG_INPUT)
