"""``iamhumans gate``: whether it may ship."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from iamhumans.cli.options import common_options, db_option, holdout_options
from iamhumans.cli.output import print_blocks, print_json, warn
from iamhumans.cli.work import journal_at
from iamhumans.errors import CommandError

_RATE = click.FloatRange(0, 1)


@click.command()
@click.argument("run_name", metavar="RUN")
@click.option("--min-mean", type=click.FloatRange(0, 100), help="Minimum mean total.")
@click.option("--max-zero-rate", type=_RATE, help="Maximum share of zeroed cases.")
@click.option("--max-flagged-rate", type=_RATE, help="The same, by the criteria that the judge sees.")
@click.option("--min-pass-rate", type=_RATE, help="Minimum share of cases that pass.")
@click.option("--max-hard-fails", type=click.IntRange(min=0), help="Maximum number of replies with a hard fail.")
@click.option("--min-dimension", multiple=True, metavar="NAME=X", help="Minimum mean total of a dimension, or of each.")
@click.option("--baseline", help="A run that this one must be no worse than.")
@click.option(
    "--margin",
    type=click.FloatRange(0, 100),
    show_default="3, or the smallest that the cases can show",
    help="Maximum tolerated drop in quality, in points.",
)
@click.option(
    "--zero-margin",
    type=_RATE,
    default=0.05,
    show_default=True,
    help="Maximum tolerated rise of the share of zeroed cases.",
)
@click.option("--corrected", is_flag=True, help="Apply --min-mean and --max-zero-rate to what people would say.")
@click.option("--min-judged", type=_RATE, default=1.0, show_default=True, help="Minimum share of judged replies.")
@click.option(
    "--consecutive", type=click.IntRange(1, 20), default=1, show_default=True, help="Independent runs that must pass."
)
@click.option("--accept-imported", is_flag=True, help="Decide although results were imported or adopted.")
@click.option(
    "--format", "style", type=click.Choice(["terminal", "md", "junit"]), default="terminal", help="How to print."
)
@holdout_options
@db_option
@common_options
@click.pass_context
def gate(
    context: click.Context,
    /,
    run_name: str,
    min_dimension: tuple[str, ...],
    baseline: str | None,
    style: str,
    as_json: bool,
    db: Path | None,
    **thresholds: Any,
) -> None:
    """Decide whether RUN may ship, and say why.

    A run is named by its name, the beginning of one, or `last`. RUN:SUBJECT picks one of several subjects.

    Each threshold is decided by a one-sided 95 % bound over cases. If the bound does not decide, the gate is
    inconclusive and says how many cases would decide, as far as that can be told. It is also inconclusive if the
    unjudged replies, counted as the best or as the worst, could turn the result.

    A judge that cannot see every criterion, such as `rules`, gives no mean and no pass rate: a threshold on them ends
    with 2. --max-flagged-rate works for any judge.

    With --corrected, the gate needs a calibration of this judge by people's labels (`iamhumans calibrate`).

    Exits with 0 if the gate passes, 1 if it fails, 3 if it is inconclusive, 4 if nothing is judged.

    Example: iamhumans gate last --max-zero-rate 0.1 --baseline RUN
    """
    from iamhumans.api.deciding import gate as decide

    with journal_at(db) as journal:
        result = decide(
            journal.run(run_name),
            baseline=journal.run(baseline) if baseline else None,
            min_dimensions=_dimensions(min_dimension),
            **thresholds,
        )
    for warning in result.warnings:
        warn(warning)
    if as_json:
        print_json(result.to_dict())
    elif style == "junit":
        click.echo(result.to_junit(), nl=False)
    else:
        print_blocks(result.blocks(), style)
    context.exit(result.exit_code)


def _dimensions(given: Sequence[str]) -> dict[str, float]:
    found = {}
    for text in given:
        name, equals, number = text.partition("=")
        try:
            least = float(number)
        except ValueError:
            least = -1.0
        if not equals or not name.strip() or not 0 <= least <= 100:
            raise CommandError(f"`{text}` is not NAME=X.", fix="Write --min-dimension feeling=80, or each=80.")
        found[name.strip()] = least
    return found
