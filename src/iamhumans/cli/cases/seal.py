"""``iamhumans cases seal``."""

from __future__ import annotations

import click

from iamhumans.cli.cases.printing import counted, print_findings
from iamhumans.cli.options import common_options
from iamhumans.cli.output import print_json
from iamhumans.errors import CommandError, Exit
from iamhumans.text import for_terminal


@click.command("seal")
@click.argument("suite", default=".")
@click.option("--check", is_flag=True, help="Only check the seal.")
@click.option("--reason", default="", help="Why it is sealed again after a change; recorded in the ledger.")
@common_options
@click.pass_context
def seal_command(context: click.Context, suite: str, check: bool, reason: str, as_json: bool) -> None:
    """Seal the held-out cases of SUITE, so that every later change of them shows.

    Writes seal.json beside the suite: a hash of each held-out case and of the rubric. --check changes nothing, and
    exits with 2 if the suite has changed.
    """
    from iamhumans.cases import check_seal, load_suite

    if check and reason:
        raise CommandError("--check changes nothing, so it takes no --reason.", fix="Leave one of them out.")
    loaded = load_suite(suite)
    count = len(loaded.only_held_out().cases)
    cases = counted(count, "held-out case")
    if not check:
        sealing = loaded.seal(reason)
        path = for_terminal(str(sealing.path))
        if as_json:
            done = {"path": str(sealing.path), "written": sealing.written, "hash": sealing.seal.hash}
            print_json({**done, "cases": list(sealing.seal.cases)})
        else:
            click.echo(f"Sealed {cases} in {path}." if sealing.written else f"{cases} in {path}: nothing has changed.")
        return
    problems = check_seal(loaded)
    if as_json:
        print_json({"cases": count, "holds": not problems, "problems": [finding.to_dict() for finding in problems]})
    elif problems:
        print_findings(problems)
    else:
        click.echo(
            f"The suite is as it was sealed: {cases}." if count else "No case is held out, so no seal is needed."
        )
    if problems:
        context.exit(Exit.WRONG_INPUT)
