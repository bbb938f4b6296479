"""``iamhumans compare``: whether it got better."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from iamhumans.cli.options import common_options, holdout_options, work_options
from iamhumans.cli.output import RESUME, RESUME_FRESH, print_blocks, print_estimate, print_json, tell, warn
from iamhumans.cli.work import journal_at, watched
from iamhumans.errors import CommandError, Exit

if TYPE_CHECKING:
    from iamhumans.api.deciding import SideBySide


@click.command()
@click.argument("run_a", metavar="RUN_A")
@click.argument("run_b", metavar="RUN_B")
@click.option("--across", is_flag=True, help="Compare although the runs were judged differently.")
@click.option(
    "--margin",
    type=click.FloatRange(0, 100),
    help="Say what is shown with this margin, in points: superiority, non-inferiority, equivalence.",
)
@click.option("--judge", help="Have this judge choose between the replies: a model, or rules.")
@click.option("--format", "style", type=click.Choice(["terminal", "md"]), default="terminal", help="How to print.")
@holdout_options
@work_options
@common_options
@click.pass_context
def compare(
    context: click.Context,
    /,
    run_a: str,
    run_b: str,
    judge: str | None,
    margin: float | None,
    style: str,
    as_json: bool,
    dry_run: bool,
    db: Path | None,
    work: dict[str, Any],
    **options: Any,
) -> None:
    """Compare RUN_B with RUN_A, case by case.

    Shows what changed, what of it may be chance, and the smallest difference that these cases could show.

    A run is named by its name, the beginning of one, or `last`. RUN:SUBJECT picks one of several subjects.

    With --judge, the judge also sees both replies to each case, blind and in both orders, and picks the one that it
    would rather get. Use it when both mean totals are near the maximum.

    Exits with 3 if some pairs are unjudged, with 4 if all are or the work was stopped.

    Example: iamhumans compare RUN_A last --judge openai/gpt-5.1
    """
    from iamhumans.api.deciding import acompare_replies, estimate_comparison
    from iamhumans.api.deciding import compare as compare_runs
    from iamhumans.api.loop import run_sync

    if judge is None and (dry_run or work.get("fresh")):
        raise CommandError("--dry-run and --fresh need --judge.", fix="Add --judge, or leave them out.")
    with journal_at(db, write=judge is not None) as journal:
        a, b = journal.run(run_a), journal.run(run_b)
        if judge is not None and dry_run:
            print_estimate(estimate_comparison(a, b, judge=judge, across=options["across"], **work), as_json=as_json)
            return
        found = compare_runs(a, b, margin=margin, **options)
        beside = None
        if judge is not None:
            with watched(work) as watching:
                asked = acompare_replies(a, b, judge=judge, **options, **watching)
                beside = run_sync(asked)
    if as_json:
        print_json({**found.to_dict(), **({"side_by_side": beside.to_dict()} if beside else {})})
    else:
        print_blocks([*found.blocks(), *(beside.blocks() if beside else ())], style)
    if beside is not None:
        context.exit(_ending(beside, fresh=bool(work.get("fresh"))))


def _ending(beside: SideBySide, *, fresh: bool) -> Exit:
    for warning in beside.warnings:
        warn(warning)
    if beside.stopped is not None:
        tell(f"error: {beside.stopped}. {RESUME_FRESH if fresh else RESUME}")
        return Exit.COULD_NOT_RUN
    unjudged = [one.settled.unjudged for one in beside.found.chosen if one.settled.unjudged is not None]
    if len(unjudged) == len(beside.found.chosen):
        tell(f"error: No pair was judged. {unjudged[0].reason.value}: {unjudged[0].detail}")
        return Exit.COULD_NOT_RUN
    if unjudged:
        warn(f"{len(unjudged)} pairs are unjudged. Run the same command with --fresh to ask again.")
    return Exit.INCONCLUSIVE if unjudged else Exit.DONE
