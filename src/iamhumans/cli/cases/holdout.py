"""``iamhumans cases holdout``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import click

from iamhumans.cli.cases.printing import counted, print_findings, print_json, room, table
from iamhumans.cli.options import common_options
from iamhumans.errors import Exit
from iamhumans.text import one_line

if TYPE_CHECKING:
    from iamhumans.cases import Use
    from iamhumans.cases.seal import HoldoutStatus

_HEADINGS = ("WHEN (UTC)", "BY", "CASES", "JUDGED", "ZEROED", "REST", "PASSED", "SUBJECT", "RUN", "WHY")


@click.command("holdout")
@click.argument("suite", default=".")
@common_options
@click.pass_context
def holdout_command(context: click.Context, suite: str, as_json: bool) -> None:
    """Show when and why the held-out cases of SUITE were used, and whether they are still the ones that were sealed.

    Exits with 2 if the suite has changed since it was sealed, or a line of the ledger is missing.
    """
    from iamhumans.cases import load_suite
    from iamhumans.cases.seal import holdout_status

    held_out = holdout_status(load_suite(suite))
    if as_json:
        print_json(held_out.to_dict())
    else:
        for line in _lines(held_out):
            click.echo(line)
        print_findings((*held_out.problems, *held_out.ledger.problems))
    if not held_out.is_right:
        context.exit(Exit.WRONG_INPUT)


def _lines(held_out: HoldoutStatus) -> Iterable[str]:
    from iamhumans.cases.holdout import effect_of

    ledger, cases = held_out.ledger, held_out.cases
    yield f"{counted(len(cases), 'held-out case')} in {one_line(held_out.suite)}"
    sealed = ledger.sealed
    if not cases and sealed is None:
        return
    if sealed is None:
        yield "seal    none: see below" if held_out.problems else "seal    none"
    elif held_out.problems:
        yield "seal    BROKEN: see below"
    else:
        yield f"seal    unchanged since {sealed['at']}: {one_line(sealed['reason'], 100)}"
    yield f"ledger  {counted(ledger.lines, 'line')}, {'NOT whole: see below' if ledger.problems else 'whole'}"
    if cases:
        rows = [(case_id, str(uses), last or "-") for case_id, (uses, last) in cases.items()]
        yield from ("", *table([("CASE", "USES", "LAST USED (UTC)"), *rows], None))
    if ledger.uses:
        yield from ("", *table([_HEADINGS, *map(_row, ledger.uses)], room()))
    yield from ("", effect_of(ledger.uses))


def _row(use: Use) -> tuple[str, ...]:
    head, tail = (use.at, use.output, str(len(use.cases))), (use.subject or "-", use.run or "-", use.reason)
    result = use.result
    if result is None:
        return (*head, "not ended" if use.output == "run" else "-", "-", "-", "-", *tail)
    judged = f"{result.judged}/{result.asked}" + ("" if use.finished else " (stopped)")
    mean = "-" if result.mean_of_rest is None else f"{result.mean_of_rest:.1f}"
    rates = ["-" if rate is None else f"{100 * rate:.1f} %" for rate in (result.zero_rate, result.pass_rate)]
    return (*head, judged, rates[0], mean, rates[1], *tail)
