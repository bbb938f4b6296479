"""How many labels buy what, and do the intervals hold: ``python -m benchmarks.calibration [--quick] [--labels N ...]``.

Makes up judges and people whose truth is known, has people label a few replies over and over, and counts how often
each interval holds the truth and how wide it is. Prints a Markdown table. The same figures every time. Takes about two
minutes on one busy core, some seconds with ``--quick``.

A case has a quality of its own, its replies vary about it, and people and judge see it through noise of their own.
People zero one reply in five; the judge finds 80 % of those and zeroes 10 % of the others. Half of that is luck of the
reply and half of the case, so labels of one case are worth less than labels of several.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy import special

from iamhumans.stats import (
    Estimate,
    Labelled,
    Measure,
    cluster_bootstrap,
    clustered_proportion,
    clustered_rate,
    cohen_kappa,
    corrected_rate,
    krippendorff_alpha,
    prediction_powered_mean,
    raw_agreement,
)

LABELS = (25, 50, 100, 200)
LABELS_A_CASE = (1, 4)
RUN_CASES = 200
PREVALENCE, FOUND, FALSE_ALARMS = 0.2, 0.8, 0.1
MANY = 40_000
SHARED = 0.5
"""How much of quality and luck belongs to the case."""

Numbers = NDArray[np.float64]

FIGURES: Mapping[str, str] = {
    "alpha": "alpha of three people on an axis (ordinal)",
    "alpha, plain": "the same, plain percentiles",
    "weighted kappa": "quadratically weighted kappa, judge and people, an axis",
    "kappa": "Cohen's kappa, judge and people, zeroed or not",
    "sensitivity": "sensitivity of the judge, zeroed or not",
    "sensitivity, plain": "the same, plain percentiles",
    "corrected rate": "zero rate of another run, corrected by sensitivity and specificity",
    "powered rate": "zero rate of the run that was labelled, prediction-powered",
    "labels alone, rate": "the same, from labels alone",
    "powered mean": "axis mean of the run that was labelled, prediction-powered",
    "labels alone, mean": "the same, from labels alone",
}


@dataclass(frozen=True)
class World:
    """Replies of which everything is known."""

    cases: NDArray[np.intp]
    zeroed: Numbers
    """As people say."""
    flagged: Numbers
    """As the judge says."""
    axis: Numbers
    """As people say on the whole."""
    judged: Numbers
    raters: Numbers

    @property
    def clusters(self) -> list[str]:
        return [str(one) for one in self.cases.tolist()]


def shared_normal(cases: NDArray[np.intp], source: np.random.Generator) -> Numbers:
    own = source.standard_normal(int(cases.max()) + 1)[cases]
    return np.asarray(np.sqrt(SHARED) * own + np.sqrt(1 - SHARED) * source.standard_normal(len(cases)))


def on_scale(values: Numbers) -> Numbers:
    return np.clip(np.round(values), 0, 10)


def world(count: int, a_case: int, source: np.random.Generator) -> World:
    cases = np.arange(count) // a_case
    quality = shared_normal(cases, source)
    zeroed = (shared_normal(cases, source) < special.ndtri(PREVALENCE)).astype(float)
    luck = special.ndtr(shared_normal(cases, source))
    flagged = np.where(zeroed == 1, luck < FOUND, luck < FALSE_ALARMS).astype(float)
    raters = on_scale(7 + 2 * quality[:, np.newaxis] + 1.2 * source.standard_normal((count, 3)))
    judged = on_scale(8 + 1.2 * quality + 0.9 * shared_normal(cases, source))
    return World(cases, zeroed, flagged, np.median(raters, axis=1), judged, raters)


def kappa_of(one: World) -> Measure:
    return cohen_kappa(one.flagged, one.zeroed)


def weighted_kappa_of(one: World) -> Measure:
    return cohen_kappa(one.judged, one.axis, weighting="quadratic")


def alpha_of(one: World) -> Measure:
    return krippendorff_alpha(one.raters, scale="ordinal")


@cache
def truth() -> Mapping[str, float]:
    """What the figures are for all the replies that there might be."""
    many = world(MANY, 1, np.random.default_rng(1))
    axis = float(many.axis.mean())
    kappa = kappa_of(many).value or 0.0
    alpha = alpha_of(many).value or 0.0
    return {
        "alpha": alpha,
        "alpha, plain": alpha,
        "weighted kappa": weighted_kappa_of(many).value or 0.0,
        "kappa": kappa,
        "sensitivity": FOUND,
        "sensitivity, plain": FOUND,
        "corrected rate": PREVALENCE,
        "powered rate": PREVALENCE,
        "labels alone, rate": PREVALENCE,
        "powered mean": axis,
        "labels alone, mean": axis,
    }


def estimates(count: int, a_case: int, source: np.random.Generator, draws: int) -> Iterator[tuple[str, Estimate]]:
    """The figures from so many labels of one run, and those of another run that the labels correct."""
    run = world(RUN_CASES * a_case, a_case, source)
    # The labelled cases are the first ones, which are as random as any.
    labelled = np.arange(len(run.cases)) < count
    one = World(*(getattr(run, name)[labelled] for name in World.__dataclass_fields__))
    where = one.clusters
    yield "alpha", cluster_bootstrap(alpha_of(one), where, draws=draws)
    yield "alpha, plain", cluster_bootstrap(alpha_of(one), where, draws=draws, method="percentile")
    yield "weighted kappa", cluster_bootstrap(weighted_kappa_of(one), where, draws=draws)
    yield "kappa", cluster_bootstrap(kappa_of(one), where, draws=draws)
    found = np.where(one.zeroed == 1, one.flagged, np.nan)
    spared = np.where(one.zeroed == 0, 1 - one.flagged, np.nan)
    yield "sensitivity", clustered_rate(found, where)
    share = raw_agreement(found, np.ones(len(found)))
    yield "sensitivity, plain", cluster_bootstrap(share, where, draws=draws, method="percentile")
    other = world(RUN_CASES * a_case, a_case, source)
    apparent = clustered_proportion(other.flagged, other.clusters)
    worths = clustered_proportion(found, where), clustered_proportion(spared, where)
    if apparent is not None and worths[0] is not None and worths[1] is not None:
        yield "corrected rate", corrected_rate(apparent, worths[0], worths[1]).estimate
    every = np.ones(count)
    for name, judge, people, scale in (
        ("rate", "flagged", "zeroed", (0.0, 1.0)),
        ("mean", "judged", "axis", (0.0, 10.0)),
    ):
        said, true = getattr(one, judge), getattr(one, people)
        pairs = Labelled(said, true, tuple(where), every)
        yield f"powered {name}", prediction_powered_mean(getattr(run, judge), run.clusters, pairs, scale).estimate
        # With a judge that says nothing, the labels alone are left.
        blind = Labelled(np.zeros(count), true, tuple(where), every)
        silent = prediction_powered_mean(np.zeros(len(run.cases)), run.clusters, blind, scale).estimate
        yield f"labels alone, {name}", silent


@dataclass
class Seen:
    """What became of one figure."""

    given: int = 0
    held: int = 0
    width: float = 0.0

    def add(self, estimate: Estimate, true: float) -> None:
        if estimate.low is None or estimate.high is None:
            return
        self.given += 1
        self.held += estimate.low <= true <= estimate.high
        self.width += estimate.high - estimate.low


def measured(count: int, a_case: int, times: int, draws: int) -> Mapping[str, Seen]:
    source = np.random.default_rng([count, a_case])
    seen: dict[str, Seen] = defaultdict(Seen)
    for _ in range(times):
        for name, estimate in estimates(count, a_case, source, draws):
            seen[name].add(estimate, truth()[name])
    return seen


def cell(seen: Seen, times: int) -> str:
    if not seen.given:
        return "–"
    given = "" if seen.given == times else f" (given in {100 * seen.given / times:.0f} %)"
    return f"{seen.width / seen.given:.2f}, holds {100 * seen.held / seen.given:.0f} %{given}"


def options() -> Namespace:
    parser = ArgumentParser(description="Coverage and width of the calibration's intervals.")
    parser.add_argument("--quick", action="store_true", help="Few repetitions.")
    parser.add_argument("--labels", type=int, nargs="+", default=list(LABELS), help="How many labels.")
    parser.add_argument("--times", type=int, help="How often each is repeated.")
    return parser.parse_args()


def main() -> None:
    chosen = options()
    times = chosen.times or (20 if chosen.quick else 400)
    draws = 200 if chosen.quick else 1_000
    print(f"Mean width of the 95 % interval and how often it holds the truth, over {times} tries.")
    for a_case in LABELS_A_CASE:
        print(f"\n{'One label a case' if a_case == 1 else f'{a_case} labels a case'}:\n")
        print(f"| figure | truth | {' | '.join(f'{count} labels' for count in chosen.labels)} |")
        print(f"| --- | --- |{' --- |' * len(chosen.labels)}")
        columns = [measured(count, a_case, times, draws) for count in chosen.labels]
        for name, words in FIGURES.items():
            cells = " | ".join(cell(column[name], times) for column in columns)
            print(f"| {words} | {truth()[name]:.2f} | {cells} |", flush=True)


if __name__ == "__main__":
    main()
