"""``iamhumans gate``: whether it may ship."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from iamhumans.cli.options import common_options, print_blocks, print_json
from iamhumans.cli.working import db_option, open_journal
from iamhumans.errors import CommandError

if TYPE_CHECKING:
    from iamhumans.decisions.calibrated import Calibrated
    from iamhumans.stats import Corrected

_RATE = click.FloatRange(0, 1)


@click.command()
@click.argument("run_name", metavar="RUN")
@click.option("--baseline", help="A run that this one must be no worse than.")
@click.option(
    "--margin",
    type=click.FloatRange(min=0),
    default=3.0,
    show_default=True,
    help="Maximum tolerated drop in the mean, in points.",
)
@click.option(
    "--zero-margin",
    type=_RATE,
    default=0.05,
    show_default=True,
    help="Maximum tolerated rise of the zero rate.",
)
@click.option("--min-mean", type=click.FloatRange(0, 100), help="The least mean total.")
@click.option("--max-zero-rate", type=_RATE, help="The largest rate of zeroed cases.")
@click.option("--min-pass-rate", type=_RATE, help="The least rate of PASS.")
@click.option("--max-hard-fails", type=click.IntRange(min=0), help="How many replies may have a hard fail.")
@click.option(
    "--min-dimension", multiple=True, metavar="NAME=X", help="The least mean total of a dimension, or of each."
)
@click.option(
    "--corrected", is_flag=True, help="Hold mean and zero rate, as people would give them, to the thresholds."
)
@click.option("--min-coverage", type=_RATE, default=1.0, show_default=True, help="The least share of judged replies.")
@click.option("--consecutive", type=click.IntRange(1, 20), default=1, show_default=True, help="So many runs must pass.")
@click.option(
    "--format", "style", type=click.Choice(["terminal", "md", "junit"]), default="terminal", help="How to print."
)
@db_option
@common_options
@click.pass_context
def gate(
    context: click.Context,
    run_name: str,
    baseline: str | None,
    margin: float,
    zero_margin: float,
    min_mean: float | None,
    max_zero_rate: float | None,
    min_pass_rate: float | None,
    max_hard_fails: int | None,
    min_dimension: tuple[str, ...],
    corrected: bool,
    min_coverage: float,
    consecutive: int,
    style: str,
    as_json: bool,
    db: Path | None,
) -> None:
    """Decide whether RUN may ship, and say why.

    A run is named by its name, a beginning of it, or `last`; RUN:SUBJECT picks one subject where a run holds several.

    A threshold is settled by a one-sided 95 % bound: the gate fails for what is shown, and says how many cases would
    decide where they do not.

    With --corrected, --min-mean and --max-zero-rate are about what people would say, by a calibration of this very
    judge (`calibrate`); without one that fits the gate is inconclusive.

    Exits with 0 if the gate passes, 1 if it fails, 3 if it is inconclusive, 4 if nothing is judged.
    """
    from iamhumans.decisions.calibrated import calibrated
    from iamhumans.decisions.consecutive import independent_runs
    from iamhumans.decisions.gate import Thresholds, in_a_row
    from iamhumans.decisions.gate import gate as decide
    from iamhumans.decisions.outcomes import outcomes_of
    from iamhumans.reports.gate import gate_blocks, gate_document
    from iamhumans.reports.junit import gate_junit
    from iamhumans.runs.named import find_run

    thresholds = Thresholds(
        min_mean=min_mean,
        max_zero_rate=max_zero_rate,
        min_pass_rate=min_pass_rate,
        max_hard_fails=max_hard_fails,
        min_coverage=min_coverage,
        min_dimensions=_dimensions(min_dimension),
        margin=margin,
        zero_margin=zero_margin,
        corrected=corrected,
    )
    with open_journal(db) as journal:
        run, subject = find_run(journal, run_name)
        before = None
        if baseline:
            base, base_subject = find_run(journal, baseline)
            before = outcomes_of(journal, base, subject=base_subject)
        counted = independent_runs(journal, run, consecutive, without=None if before is None else base)
        outcomes = [outcomes_of(journal, one, subject=subject, beside=before) for one in counted.runs]
        results = [
            decide(one, thresholds, before, runs=len(outcomes), corrections=_Corrections(calibrated(journal, one)))
            for one in outcomes
        ]
    result = in_a_row(results, consecutive, sharing=counted.sharing) if consecutive > 1 else results[0]
    if as_json:
        print_json(gate_document(result))
    elif style == "junit":
        click.echo(gate_junit(result), nl=False)
    else:
        print_blocks(gate_blocks(result), style)
    context.exit(result.decision.exit_code)


@dataclass(frozen=True)
class _Figures:
    mean_total: Corrected
    zero_rate: Corrected


class _Corrections:
    """A calibration as the gate wants it."""

    def __init__(self, found: Calibrated) -> None:
        self.found = found

    @property
    def sentence(self) -> str:
        return self.found.standing.sentence

    def figures(self, level: float, one_sided: bool) -> _Figures | None:
        found = self.found.corrections(level=level, one_sided=one_sided)
        return _Figures(found.mean_total.powered, found.zero_rate.best) if found else None


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
