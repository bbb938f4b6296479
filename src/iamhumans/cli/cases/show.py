"""``iamhumans cases show``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from iamhumans.cli.options import common_options, holdout_options
from iamhumans.cli.output import print_json
from iamhumans.errors import CommandError
from iamhumans.text import for_terminal

if TYPE_CHECKING:
    from iamhumans.cases import Case


@click.command("show")
@click.argument("case_id", metavar="ID")
@click.option("--suite", default="core", show_default=True, help="A folder, a case file, or a bundled suite.")
@holdout_options
@common_options
def show_command(case_id: str, suite: str, holdout_reason: str | None, as_json: bool) -> None:
    """Show the whole case ID."""
    from iamhumans.cases import load_suite, record_use

    loaded = load_suite(suite)
    case = loaded.find(case_id)
    if case.holdout:
        if holdout_reason is None:
            problem = f"The case `{case.id}` is held out: it must not be read while a skill is tuned."
            raise CommandError(problem, fix="To read it all the same, add --holdout --reason TEXT.")
        record_use(loaded, reason=holdout_reason, output="show", run=None, cases=[case.id])
    if as_json:
        print_json(case.to_dict())
    else:
        click.echo(for_terminal("\n\n".join(_parts(case))))


def _parts(case: Case) -> list[str]:
    flags = [flag for flag, is_on in (("held out", case.holdout), ("repair", case.repair)) if is_on]
    head = (
        f"{case.id}  {case.title}".rstrip(),
        f"dimensions  {', '.join(case.dimensions) or 'none'}",
        f"hard fails  {', '.join(case.hard_fails) or 'none'}",
        f"lang        {case.lang}",
        f"flags       {', '.join(flags) or 'none'}",
        f"file        {case.path or 'none'}",
    )
    live = "(answered live by the subject)"
    blocks = (
        *((turn.speaker, turn.text or live) for turn in case.conversation),
        ("rubric", "\n".join(f"- {item}" for item in case.rubric)),
        ("failure modes", "\n".join(f"- {item}" for item in case.failure_modes)),
        ("notes (no judge and no subject sees them)", case.notes),
    )
    return ["\n".join(head), *(_block(name, text) for name, text in blocks if text)]


def _block(name: str, text: str) -> str:
    return "\n".join((f"{name}:", *(f"  {line}".rstrip() for line in text.split("\n"))))
