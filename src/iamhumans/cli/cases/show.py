"""``iamhumans cases show``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from iamhumans.cli.cases.printing import holdout_reason, print_json, reason_option
from iamhumans.cli.options import common_options
from iamhumans.errors import CommandError
from iamhumans.text import for_terminal

if TYPE_CHECKING:
    from iamhumans.cases import Case


@click.command("show")
@click.argument("case_id", metavar="ID")
@click.option("--suite", default="core", show_default=True, help="A folder, a case file, or a bundled suite.")
@click.option("--holdout", is_flag=True, help="Show the case even if it is held out; with --reason.")
@reason_option
@common_options
def show_command(case_id: str, suite: str, holdout: bool, reason: str, as_json: bool) -> None:
    """Show the whole case ID."""
    from iamhumans.cases import load_suite, record_use

    checked_reason = holdout_reason(holdout=holdout, reason=reason)
    loaded = load_suite(suite)
    case = loaded.find(case_id)
    if case.holdout:
        if checked_reason is None:
            problem = f"The case `{case.id}` is held out: it must not be read while a skill is tuned."
            raise CommandError(problem, fix="To read it all the same, add --holdout --reason TEXT.")
        record_use(loaded, reason=checked_reason, output="show", run=None, cases=[case.id])
    if as_json:
        print_json(case.to_dict())
    else:
        click.echo(for_terminal("\n\n".join(_parts(case))))


def _parts(case: Case) -> list[str]:
    flags = [flag for flag, is_on in (("held out", case.holdout), ("repair", case.repair)) if is_on]
    facts = {
        "dimensions": ", ".join(case.dimensions) or "none",
        "hard fails": ", ".join(case.hard_fails) or "none",
        "lang": case.lang,
        "flags": ", ".join(flags) or "none",
        "file": str(case.path or "none"),
    }
    head = [f"{case.id}  {case.title}".rstrip(), *(f"{name:<10}  {value}" for name, value in facts.items())]
    live = "(answered live by the subject)"
    blocks: list[tuple[str, str]] = [(turn.speaker, turn.text or live) for turn in case.conversation]
    for name, items in (("rubric", case.rubric), ("failure modes", case.failure_modes)):
        if items:
            blocks.append((name, "\n".join(f"- {item}" for item in items)))
    if case.notes:
        blocks.append(("notes (no judge and no subject sees them)", case.notes))
    return ["\n".join(head), *(_block(name, text) for name, text in blocks)]


def _block(name: str, text: str) -> str:
    return "\n".join((f"{name}:", *(f"  {line}".rstrip() for line in text.split("\n"))))
