"""``iamhumans cases holdout``: how often held-out cases were used."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Any

import click

from iamhumans.cli.cases.printing import (
    counted,
    finding_as_data,
    print_findings,
    print_json,
    table,
)
from iamhumans.cli.options import common_options
from iamhumans.errors import Exit
from iamhumans.text import one_line

if TYPE_CHECKING:
    from iamhumans.cases import Finding, Ledger, Suite, Use


@click.command("holdout")
@click.argument("suite", default=".")
@common_options
@click.pass_context
def holdout_command(context: click.Context, suite: str, as_json: bool) -> None:
    """Show how often the held-out cases of SUITE were used, when and why, and whether they are still what was sealed.

    Ends with 2 where the seal does not hold or a line of the ledger is missing.
    """
    from iamhumans.cases import check_seal, load_suite, read_ledger
    from iamhumans.cases.seal import SealCode

    loaded = load_suite(suite)
    ledger = read_ledger(loaded.path)
    problems = check_seal(loaded)
    if as_json:
        print_json(_holdout_as_data(loaded, ledger, problems))
    else:
        for line in _holdout_as_lines(loaded, ledger, problems):
            click.echo(line)
        print_findings((*problems, *ledger.problems))
    never_sealed = ledger.sealed is None and all(finding.code == SealCode.NOT_SEALED for finding in problems)
    if ledger.problems or (problems and not never_sealed):
        context.exit(Exit.WRONG_INPUT)


_USE_HEADINGS = ("WHEN (UTC)", "CASES", "JUDGED", "ZEROED", "REST", "PASSED", "SUBJECT", "RUN", "WHY")


def _holdout_as_data(suite: Suite, ledger: Ledger, problems: Sequence[Finding]) -> dict[str, Any]:
    from iamhumans.cases import held_out
    from iamhumans.cases.ledger import what_use_does

    sealed = ledger.sealed
    return {
        "advice": what_use_does(ledger.uses),
        "cases": [
            {"id": case.id, "last": uses[-1].begun.at if uses else None, "uses": len(uses)}
            for case in held_out(suite)
            for uses in [ledger.uses_of(case.id)]
        ],
        "ledger": {
            "lines": ledger.lines,
            "path": str(ledger.path),
            "problems": [finding_as_data(finding) for finding in ledger.problems],
            "whole": not ledger.problems,
        },
        "seal": {
            "at": sealed.at if sealed else None,
            "hash": sealed.seal if sealed else None,
            "holds": sealed is not None and not problems,
            "problems": [finding_as_data(finding) for finding in problems],
        },
        "suite": suite.name,
        "uses": [_use_as_data(use) for use in ledger.uses],
    }


def _use_as_data(use: Use) -> dict[str, Any]:
    begun = use.begun.model_dump(mode="json", include={"at", "reason", "seal", "cases", "about"})
    result = use.ended.result.model_dump(mode="json") if use.ended else None
    return {**begun, "ended": use.ended.at if use.ended else None, "finished": use.finished, "result": result}


def _holdout_as_lines(suite: Suite, ledger: Ledger, problems: Sequence[Finding]) -> Iterable[str]:
    from iamhumans.cases import held_out
    from iamhumans.cases.ledger import what_use_does

    held = held_out(suite)
    yield f"{counted(len(held), 'held-out case')} in {one_line(suite.name)}"
    if not held and ledger.sealed is None:
        return
    yield f"seal    {_seal_in_words(ledger, problems)}"
    whole = "whole" if not ledger.problems else "NOT whole: see below"
    yield f"ledger  {counted(ledger.lines, 'line')}, {whole}"
    if held:
        rows = [
            (case.id, str(len(uses)), uses[-1].begun.at if uses else "-")
            for case in held
            for uses in [ledger.uses_of(case.id)]
        ]
        yield from ("", *table([("CASE", "USES", "LAST USED (UTC)"), *rows], None))
    if ledger.uses:
        room = get_terminal_size().columns if sys.stdout.isatty() else None
        yield from ("", *table([_USE_HEADINGS, *(_use_as_row(use) for use in ledger.uses)], room))
    yield from ("", what_use_does(ledger.uses))


def _seal_in_words(ledger: Ledger, problems: Sequence[Finding]) -> str:
    sealed = ledger.sealed
    if sealed is None:
        return "none: see below" if problems else "none"
    return "does NOT hold: see below" if problems else f"holds, of {sealed.at}: {one_line(sealed.reason, 100)}"


def _use_as_row(use: Use) -> tuple[str, ...]:
    about = use.begun.about
    head = (use.begun.at, str(len(use.begun.cases)))
    tail = (about.subject.name, about.run, use.begun.reason)
    if use.ended is None:
        return (*head, "not ended", "-", "-", "-", *tail)
    result = use.ended.result
    mean = "-" if result.mean_of_rest is None else f"{result.mean_of_rest:.1f}"
    judged = f"{result.judged}/{result.asked}" + ("" if use.finished else " (stopped)")
    return (*head, judged, _percent(result.zero_rate), mean, _percent(result.pass_rate), *tail)


def _percent(rate: float | None) -> str:
    return "-" if rate is None else f"{100 * rate:.1f} %"
