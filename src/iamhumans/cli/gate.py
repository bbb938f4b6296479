"""``iamhumans gate``: whether it may ship."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from iamhumans.cli.options import FILE, common_options, db_option, holdout_options
from iamhumans.cli.output import print_blocks, print_json, warn
from iamhumans.cli.work import journal_at, watched
from iamhumans.errors import CommandError

if TYPE_CHECKING:
    from iamhumans.api.deciding import GateResult
    from iamhumans.api.run import Run

_RATE = click.FloatRange(0, 1)


@click.command()
@click.argument("run_name", metavar="RUN")
@click.option("--min-mean", type=click.FloatRange(0, 100), help="Minimum mean total.")
@click.option("--max-zero-rate", type=_RATE, help="Maximum share of zeroed cases.")
@click.option("--max-flagged-rate", type=_RATE, help="The same, by the criteria that the judge sees.")
@click.option("--min-pass-rate", type=_RATE, help="Minimum share of cases that pass.")
@click.option("--max-hard-fails", type=click.IntRange(min=0), help="Maximum number of replies with a hard fail.")
@click.option(
    "--max-failed-checks", type=click.IntRange(min=0), help="Maximum number of failed checks that need no judge."
)
@click.option("--min-dimension", multiple=True, metavar="NAME=X", help="Minimum mean total of a dimension, or of each.")
@click.option("--baseline", help="A run that this one must be no worse than.")
@click.option(
    "--margin",
    type=click.FloatRange(0, 100),
    help="Maximum tolerated drop in quality, in points; by default 3, or the smallest that the cases can show.",
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
@click.option(
    "--sequential/--fixed",
    default=None,
    help="Look as often as you like, or once (the default). The first look decides which.",
)
@click.option("--until-decided", is_flag=True, help="Sequential: judge further cases of the suite until it is decided.")
@click.option("--max-cases", type=click.IntRange(min=1), help="With --until-decided: stop at so many cases in all.")
@click.option("--max-cost", type=click.FloatRange(min=0), help="With --until-decided: stop before more is spent.")
@click.option("--config", type=FILE, help="With --until-decided: the tables of models. Default: the nearest.")
@click.option("--env-file", type=FILE, help="With --until-decided: a file with keys (NAME=value).")
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
    until_decided: bool,
    max_cases: int | None,
    max_cost: float | None,
    config: Path | None,
    env_file: Path | None,
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

    Such a gate is made for one look. With --sequential it may be looked at as often as you like, with more cases or
    with fresh replies: all results for the same question in this journal count. --until-decided judges further cases
    by itself; run the same command again to go on.

    Exits with 0 if the gate passes, 1 if it fails, 3 if it is inconclusive, 4 if nothing is judged.

    Example: iamhumans gate last --max-zero-rate 0.1 --baseline RUN
    """
    from iamhumans.api.deciding import gate as decide

    work = {"max_cases": max_cases, "max_cost": max_cost, "config": config, "env_file": env_file}
    given = {name: value for name, value in work.items() if value is not None}
    if given and not until_decided:
        option = next(iter(given)).replace("_", "-")
        raise CommandError(f"--{option} is for --until-decided.", fix="Add it, or leave the option out.")
    thresholds["min_dimensions"] = _dimensions(min_dimension)
    with journal_at(db, write=until_decided) as journal:
        run = journal.run(run_name)
        if until_decided:
            result = _until_decided(context, run, {**thresholds, "baseline": baseline}, given)
        else:
            result = decide(run, baseline=journal.run(baseline) if baseline else None, **thresholds)
    for warning in result.warnings:
        warn(warning)
    if as_json:
        print_json(result.to_dict())
    elif style == "junit":
        click.echo(result.to_junit(), nl=False)
    else:
        print_blocks(result.blocks(), style)
    context.exit(result.exit_code)


def _until_decided(context: click.Context, run: Run, thresholds: dict[str, Any], work: dict[str, Any]) -> GateResult:
    """Judge further cases until the gate is decided, with progress, and with Ctrl-C as a clean stop."""
    from iamhumans.api.until_decided import gate_until_decided

    if thresholds.pop("sequential") is False:
        raise CommandError("--until-decided is sequential.", fix="Leave --fixed or --until-decided out.")
    for name in ("baseline", "margin", "zero_margin", "corrected", "consecutive"):
        thresholds.pop(name)
        if context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE:
            option = name.replace("_", "-")
            raise CommandError(f"A sequential gate has no --{option}.", fix=f"Leave --{option} out.")
    with watched(work) as watching:
        return gate_until_decided(run, **thresholds, **watching)


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
