"""``iamhumans cases seal`` and ``iamhumans cases holdout``."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from iamhumans.cli.options import common_options
from iamhumans.cli.output import counted, print_findings, print_json, print_table
from iamhumans.errors import CommandError, Exit
from iamhumans.text import for_terminal, one_line

if TYPE_CHECKING:
    from iamhumans.cases import Use

_HEADINGS = ("WHEN (UTC)", "BY", "CASES", "JUDGED", "ZEROED", "REST", "PASSED", "SUBJECT", "RUN", "WHY")


@click.command("seal")
@click.argument("suite", default=".")
@click.option("--check", is_flag=True, help="Only check the seal.")
@click.option("--reason", default="", help="Why it is sealed again after a change; recorded in the ledger.")
@common_options
@click.pass_context
def seal_command(context: click.Context, suite: str, check: bool, reason: str, as_json: bool) -> None:
    """Seal the held-out cases of SUITE, so that later changes to them are noticed.

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
            f"The suite has not changed since it was sealed: {cases}."
            if count
            else "No case is held out, so no seal is needed."
        )
    if problems:
        context.exit(Exit.WRONG_INPUT)


@click.command("holdout")
@click.argument("suite", default=".")
@common_options
@click.pass_context
def holdout_command(context: click.Context, suite: str, as_json: bool) -> None:
    """Show when and why the held-out cases of SUITE were used, and whether they are still the ones that were sealed.

    Exits with 2 if the suite has changed since it was sealed, or a line of the ledger is missing.
    """
    from iamhumans.cases import check_seal, load_suite, read_ledger

    loaded = load_suite(suite)
    ledger = read_ledger(loaded.path)
    of_seal = check_seal(loaded)
    problems = (*of_seal, *ledger.problems)
    uses = {case_id: ledger.uses_of(case_id) for case_id in loaded.only_held_out().by_id}
    cases = [(case_id, len(of), of[-1].at if of else None) for case_id, of in uses.items()]
    sealed = ledger.sealed and {key: ledger.sealed[key] for key in ("at", "reason", "seal")}
    if as_json:
        document = {
            "cases": [{"id": case_id, "uses": count, "last": last} for case_id, count, last in cases],
            "lines": ledger.lines,
            "problems": [finding.to_dict() for finding in problems],
            "sealed": sealed,
            "suite": loaded.name,
            "uses": [asdict(use) for use in ledger.uses],
        }
        print_json(document)
    else:
        click.echo(f"{counted(len(cases), 'held-out case')} in {one_line(loaded.name)}")
        if cases or sealed:
            state = f"unchanged since {sealed['at']}: {one_line(sealed['reason'], 100)}" if sealed else "none"
            click.echo(f"seal    {'BROKEN: see below' if sealed and of_seal else state}")
            whole = "INCOMPLETE: see below" if ledger.problems else "complete"
            click.echo(f"ledger  {counted(ledger.lines, 'line')}, {whole}\n")
            rows = [(case_id, str(count), last or "-") for case_id, count, last in cases]
            print_table(("CASE", "USES", "LAST USED (UTC)"), rows)
            click.echo()
            if ledger.uses:
                print_table(_HEADINGS, map(_row, ledger.uses), note=len(_HEADINGS) - 1)
        print_findings(problems, err=True)
    if ledger.problems or (sealed and of_seal) or any(finding.code != "not-sealed" for finding in of_seal):
        context.exit(Exit.WRONG_INPUT)


def _row(use: Use) -> tuple[str, ...]:
    head, tail = (use.at, use.output, str(len(use.cases))), (use.subject or "-", use.run or "-", use.reason)
    result = use.result
    if result is None:
        return (*head, "unfinished" if use.output == "run" else "-", "-", "-", "-", *tail)
    judged = f"{result.judged}/{result.asked}" + ("" if use.finished else " (stopped)")
    mean = "-" if result.mean_of_rest is None else f"{result.mean_of_rest:.1f}"
    rates = ["-" if rate is None else f"{100 * rate:.1f} %" for rate in (result.zero_rate, result.pass_rate)]
    return (*head, judged, rates[0], mean, rates[1], *tail)
