"""Do the intervals hold what they promise, and does a comparison cry wolf: ``python -m benchmarks.coverage [--quick]``.

Makes up suites whose truth is known, judges them over and over, and counts how often each interval holds the truth,
how often a comparison sees a change where there is none or misses one that is there, and how often a threshold is
settled the wrong way. The same figures every time. Takes five minutes on two busy cores, half of one with ``--quick``.

The cases of a suite are drawn at random. Each has a quality of its own, which decides how good its replies are and, in
part, how often they are zeroed. Three kinds of suite:

- ``ceiling``: totals of 95 to 100, as good skills get;
- ``tail``: the same, but one reply in ten is much worse;
- ``middling``: totals from 65 to 100, mean 85.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from os import cpu_count
from zlib import crc32

import numpy as np
from numpy.typing import NDArray
from scipy import special

from iamhumans.stats import (
    Cases,
    CaseValues,
    Estimate,
    TwoPartValues,
    changed_test,
    holm,
    mean_difference,
    mean_of,
    pair,
    rate_difference,
    rate_of,
    settle,
    split_totals,
    two_part,
    two_part_difference,
)
from iamhumans.stats.totals import plain_mean

FIGURES = ("zero", "pass", "rest", "axis", "mean")
KINDS = ("ceiling", "tail", "middling")
CASES = (16, 40, 100)
REPLIES = (1, 5)
ZERO_RATES = (0.0, 0.03, 0.2)
FLAGS = 10
MANY = 100_000

Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Suite:
    """One made-up truth."""

    kind: str
    cases: int
    replies: int
    zero_rate: float


@dataclass(frozen=True)
class Change:
    """What B does otherwise than A."""

    name: str
    zero_rate: Callable[[float], float]
    worse: float = 0.0
    """Chance that an axis loses a point."""


NOTHING = Change("nothing changed", lambda rate: rate)
WORSE = Change("rest 1.6 points worse", lambda rate: rate, worse=0.3)
ZEROED = Change("zero rate 20 points up", lambda rate: rate + 0.2)
CHANGES = {change.name: change for change in (NOTHING, WORSE, ZEROED)}


@dataclass(frozen=True)
class Run:
    """Judged replies of a run, cases by replies."""

    totals: Numbers
    axis: Numbers
    flags: Numbers

    @property
    def zeroed(self) -> NDArray[np.bool_]:
        return np.asarray(self.flags > 0)


def draw(suite: Suite, source: np.random.Generator, changes: Sequence[Change]) -> list[Run]:
    """Runs of the same cases, one for each change."""
    shape = (suite.cases, suite.replies)
    quality = source.standard_normal((suite.cases, 1))
    return [_one_run(suite, source, change, quality, shape) for change in changes]


def _one_run(
    suite: Suite, source: np.random.Generator, change: Change, quality: Numbers, shape: tuple[int, int]
) -> Run:
    own = special.ndtr(0.9 * quality + np.sqrt(1 - 0.81) * source.standard_normal((suite.cases, 1)))
    chance = special.betaincinv(2, 2, own)[:, :, None]
    steps = 6 if suite.kind == "middling" else 1
    short = source.binomial(steps, np.broadcast_to(chance, (*shape, 3))).astype(np.float64)
    if suite.kind == "tail":
        bad = source.random((*shape, 1)) < 0.1
        short = np.where(bad, source.binomial(5, 0.6, (*shape, 3)), short)
    short += source.random((*shape, 3)) < change.worse
    totals = np.floor((60 - short.sum(axis=2)) / 6 * 10 + 0.5)
    rate = change.zero_rate(suite.zero_rate)
    zeroed = np.zeros(shape, dtype=bool)
    if rate > 0:
        # The share of replies that are zeroed varies between cases (intraclass correlation 0.3), more in bad cases.
        leaning = special.ndtr(0.5 * quality + np.sqrt(0.75) * source.standard_normal((suite.cases, 1)))
        zeroed = source.random(shape) < special.betaincinv(rate * 7 / 3, (1 - rate) * 7 / 3, leaning)
    flags = np.where(zeroed, source.integers(1, FLAGS + 1, shape), 0).astype(np.float64)
    return Run(totals, 10 - short[:, :, 0], flags)


@lru_cache(maxsize=64)
def grouping(cases: int, replies: int) -> Cases:
    return Cases.of([f"case-{number}" for number in range(cases) for _ in range(replies)])


@dataclass(frozen=True)
class Figures:
    """Case values of a run."""

    parts: TwoPartValues
    passed: CaseValues
    axis: CaseValues

    @classmethod
    def of(cls, run: Run) -> Figures:
        cases = grouping(*run.totals.shape)
        zeroed, totals = run.zeroed.ravel(), run.totals.ravel()
        return cls(
            split_totals(cases, zeroed, totals),
            cases.means((totals >= 80) & ~zeroed),
            cases.means(run.axis.ravel()),
        )

    def estimates(self, *, one_sided: bool) -> dict[str, Estimate]:
        parts = two_part(self.parts, one_sided=one_sided)
        return {
            "zero": parts.zero_rate,
            "pass": rate_of(self.passed, one_sided=one_sided),
            "rest": parts.rest,
            "axis": mean_of(self.axis, (0, 10), one_sided=one_sided),
            "mean": parts.mean,
        }

    def never_withheld(self, found: Mapping[str, Estimate]) -> Estimate:
        """The interval of the plain mean, few zeroed cases or not."""
        return plain_mean(self.parts, found["zero"], found["rest"])


@lru_cache(maxsize=256)
def truth(kind: str, replies: int, zero_rate: float, change: str) -> Mapping[str, float]:
    """What the figures are for all the cases that there might be."""
    many = Suite(kind, MANY, replies, zero_rate)
    (run,) = draw(many, np.random.default_rng(1), [CHANGES[change]])
    values = Figures.of(run)
    return {
        "zero": CHANGES[change].zero_rate(zero_rate),
        "pass": float(values.passed.values.mean()),
        "rest": float(values.parts.rest.values.mean()),
        "axis": float(values.axis.values.mean()),
        "mean": float(values.parts.plain.values.mean()),
    }


def holds(estimate: Estimate, value: float) -> bool:
    return estimate.low is not None and estimate.high is not None and estimate.low <= value <= estimate.high


def one_run(suite: Suite, times: int) -> Counter[str]:
    """How often the figures of single runs hold the truth, and thresholds at the truth are settled."""
    source = np.random.default_rng(crc32(repr(suite).encode()))
    true = truth(suite.kind, suite.replies, suite.zero_rate, NOTHING.name)
    seen: Counter[str] = Counter()
    for _ in range(times):
        (run,) = draw(suite, source, [NOTHING])
        values = Figures.of(run)
        found = values.estimates(one_sided=False)
        for name, estimate in found.items():
            seen[f"{name} given"] += estimate.withheld is None
            seen[f"{name} held"] += holds(estimate, true[name])
        seen["mean would hold"] += holds(values.never_withheld(found), true["mean"])
        for name, bounds in values.estimates(one_sided=True).items():
            if name in ("rest", "axis"):
                continue
            # Exactly at the threshold both answers count as wrong.
            answer = settle(bounds, true[name], at_least=name != "zero")
            exact = bounds.low == true[name] or bounds.high == true[name]
            seen[f"{name} {answer}"] += not exact
    return seen


def two_runs(suite: Suite, change: Change, times: int) -> Counter[str]:
    """The same for the differences between two runs, with the tests."""
    source = np.random.default_rng(crc32(repr((suite, change.name)).encode()))
    before = truth(suite.kind, suite.replies, suite.zero_rate, NOTHING.name)
    after = truth(suite.kind, suite.replies, suite.zero_rate, change.name)
    true = {name: after[name] - before[name] for name in before}
    cases = grouping(suite.cases, suite.replies)
    seen: Counter[str] = Counter()
    for _ in range(times):
        a, b = draw(suite, source, [NOTHING, change])
        _compare(a, b, cases, true, seen)
    return seen


def _compare(a: Run, b: Run, cases: Cases, true: Mapping[str, float], seen: Counter[str]) -> None:
    before, after = Figures.of(a), Figures.of(b)
    found = two_part_difference(before.parts, after.parts)
    differences = {
        "zero": found.zero_rate,
        "pass": rate_difference(pair(before.passed, after.passed)),
        "rest": found.rest,
        "axis": mean_difference(pair(before.axis, after.axis)),
        "mean": found.mean,
    }
    p_values = {}
    for name, difference in differences.items():
        seen[f"{name} given"] += difference.difference.withheld is None
        seen[f"{name} held"] += holds(difference.difference, true[name])
        p_values[name] = 1.0 if difference.test is None else difference.test.p_value
        seen[f"{name} seen"] += p_values[name] <= 0.05
    headline = holm({name: p_values[name] for name in ("zero", "rest")})
    seen["headline"] += min(headline.values()) <= 0.05
    flags = {str(flag): _flag_p_value(a, b, cases, flag) for flag in range(1, FLAGS + 1)}
    seen["flags"] += min(holm(flags).values()) <= 0.05
    bounds = two_part_difference(before.parts, after.parts, one_sided=True)
    for name, of, upwards in (("zero", bounds.zero_rate, False), ("mean", bounds.mean, True)):
        # The margin is as much as B is truly worse: both answers are wrong.
        worse = -true[name] if upwards else true[name]
        margin = max(0.0, worse)
        seen[f"{name} {settle(of.difference, -margin if upwards else margin, at_least=upwards)}"] += 1


def _flag_p_value(a: Run, b: Run, cases: Cases, flag: int) -> float:
    return changed_test(pair(cases.means(a.flags.ravel() == flag), cases.means(b.flags.ravel() == flag))).p_value


def _single_task(task: tuple[Suite, int]) -> Counter[str]:
    return one_run(*task)


def _paired_task(task: tuple[Suite, str, int]) -> Counter[str]:
    return two_runs(task[0], CHANGES[task[1]], task[2])


def percent(count: int, of: int) -> str:
    return f"{100 * count / of:5.1f}" if of else "    -"


def _row(suite: Suite) -> str:
    return f"{suite.kind:9s}{suite.cases:4d}{suite.replies:4d}{100 * suite.zero_rate:5.0f} |"


Results = Sequence[tuple[Suite, Counter[str]]]
HEAD = "suite   cases rep zero |"


def print_single(results: Results, times: int) -> None:
    print("\nOne run: 95 % intervals that hold the truth, in % of those given")
    print(f"{HEAD}  zero   pass   rest   axis   mean | mean is given, and would hold if it always were")
    for suite, seen in results:
        held = "  ".join(percent(seen[f"{name} held"], seen[f"{name} given"]) for name in FIGURES)
        always = f"{percent(seen['mean given'], times)}  {percent(seen['mean would hold'], times)}"
        print(f"{_row(suite)} {held} | {always}")
    print("\nA threshold exactly at the truth: wrongly taken for met, and for missed (%; 5 allowed for each)")
    print(f"{HEAD}  zero           pass           mean")
    for suite, seen in results:
        print(f"{_row(suite)} {_answers(seen, ('zero', 'pass', 'mean'), times)}")


def print_paired(name: str, results: Results, times: int) -> None:
    print(f"\nTwo runs, {name} ({times} pairs): intervals of the difference that hold the truth, in % of those given;")
    print("tests that see a change (%): of each figure; of zero rate and rest, Holm; of ten flags, Holm")
    print(f"{HEAD}  zero   pass   rest   axis   mean |  zero   pass   rest   axis   mean   both  flags")
    for suite, seen in results:
        held = "  ".join(percent(seen[f"{name} held"], seen[f"{name} given"]) for name in FIGURES)
        tests = (*(f"{name} seen" for name in FIGURES), "headline", "flags")
        print(f"{_row(suite)} {held} | {'  '.join(percent(seen[key], times) for key in tests)}")
    print(f"\nTwo runs, {name}: no worse than A, with the true loss as the margin: wrongly met, wrongly missed (%)")
    print(f"{HEAD}  zero           mean")
    for suite, seen in results:
        print(f"{_row(suite)} {_answers(seen, ('zero', 'mean'), times)}")


def _answers(seen: Counter[str], names: Sequence[str], times: int) -> str:
    return "   ".join(
        f"{percent(seen[f'{name} met'], times)} {percent(seen[f'{name} missed'], times)}" for name in names
    )


def in_clusters(clusters: int, skewed: bool, times: int) -> Counter[str]:
    """How often the interval of a share and of a mean of replies in clusters, as in logs, holds the truth."""
    source = np.random.default_rng(crc32(repr((clusters, skewed)).encode()))
    seen: Counter[str] = Counter()
    for _ in range(times):
        sizes = np.full(clusters, 4)
        if skewed:
            sizes = np.maximum(1, (4 * source.pareto(2.5, clusters)).astype(int))
        chance = source.beta(0.6, 2.4, clusters)
        ids = np.repeat(np.arange(clusters), sizes)
        cases = Cases.of([str(one) for one in ids], by_reply=True)
        yes = source.random(len(ids)) < chance[ids]
        totals = 60 + 20 * (source.random(len(ids)) + chance[ids])
        seen["share"] += holds(rate_of(cases.means(yes)), 0.2)
        seen["mean"] += holds(mean_of(cases.means(totals)), 60 + 20 * (0.5 + 0.2))
    return seen


def print_clusters(times: int) -> None:
    print("\nLogs: 95 % intervals over conversations that hold the truth, in %")
    print("conversations  replies of each            |  share   mean")
    for clusters, skewed in product((20, 60, 200), (False, True)):
        seen = in_clusters(clusters, skewed, times)
        sizes = "few have most of them" if skewed else "four"
        print(f"{clusters:13d}  {sizes:26s} | {percent(seen['share'], times)}  {percent(seen['mean'], times)}")


def main() -> None:
    quick = "--quick" in sys.argv[1:]
    times = 100 if quick else 1_500
    pairs = {name: 50 if quick else 800 if name == NOTHING.name else 200 for name in CHANGES}
    suites = [Suite(*one) for one in product(KINDS, CASES, REPLIES, ZERO_RATES)]
    shown = [suite for suite in suites if suite.kind == "tail"]
    print(f"{times} runs in each row; chance moves a figure of 95 by up to {200 * (0.95 * 0.05 / times) ** 0.5:.1f}.")
    print_clusters(times)
    with ProcessPoolExecutor(min(2, cpu_count() or 1)) as pool:
        single = pool.map(_single_task, [(suite, times) for suite in suites])
        print_single(list(zip(suites, single, strict=True)), times)
        for name, count in pairs.items():
            paired = pool.map(_paired_task, [(suite, name, count) for suite in shown])
            print_paired(name, list(zip(shown, paired, strict=True)), count)


if __name__ == "__main__":
    main()
