"""Side by side with many ties, and ten hard fails compared at once: power, false alarms and coverage.

    python -m benchmarks.simulations.paired    # prints the rows

Side by side, one pair a case: a test sees only how many cases prefer B and how many prefer A, so results are kept by
these two numbers. Ten hard fails: each is in 3 % of the replies of both runs, and in some settings one is in 15 % of
the replies of the second run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache

import numpy as np
from benchmarks.simulations.row import Kind, Row

from iamhumans.stats import CaseValues, holm, mcnemar, rate_of, tarone_holm
from iamhumans.stats.net_preference import NetPreference, net_preference

SEED = 11_09
TIMES, TIMES_OF_FRACTIONS = 4_000, 600
LEVEL = 0.05
FEWEST_CHANGED = 6
FLAGS, USUAL, RAISED = 10, 0.03, 0.15
TIES = ((100, 0.20, 0.05), (28, 0.20, 0.05))
UNCHANGED = ((28, 0.02), (28, 0.15), (100, 0.02), (100, 0.125), (100, 0.5))
COVERED = ((28, 0.2, 0.05), (28, 0.1, 0.02), (100, 0.2, 0.05), (100, 0.03, 0.0), (100, 0.6, 0.4), (400, 0.05, 0.02))


def rows(quick: bool = False) -> list[Row]:
    """The rows of the table."""
    times, fractions = (TIMES // 10, TIMES_OF_FRACTIONS // 10) if quick else (TIMES, TIMES_OF_FRACTIONS)
    return [*_side_by_side(times), *_several_pairs(fractions), *_ten_flags(times)]


@cache
def _found(for_b: int, for_a: int, cases: int) -> NetPreference:
    return net_preference([1.0] * for_b + [-1.0] * for_a + [0.0] * (cases - for_b - for_a))


@cache
def _by_win_rate(for_b: int, for_a: int, cases: int) -> bool:
    """Whether the interval of a win rate, with ties as halves, leaves 0.5 out: how it was decided before."""
    values = np.array([1.0] * for_b + [0.0] * for_a + [0.5] * (cases - for_b - for_a))
    found = rate_of(CaseValues(tuple(map(str, range(cases))), values, np.ones(cases, dtype=np.intp)))
    return found.low is not None and found.high is not None and not found.low <= 0.5 <= found.high


def _counts(cases: int, for_b: float, for_a: float, times: int) -> Iterator[tuple[int, int]]:
    source = np.random.default_rng([SEED, cases, round(1000 * for_b), round(1000 * for_a)])
    for b, a, _ in source.multinomial(cases, [for_b, for_a, 1 - for_b - for_a], size=times):
        yield int(b), int(a)


def _side_by_side(times: int) -> Iterator[Row]:
    def share(of: Callable[[int, int, int], bool], cases: int, for_b: float, for_a: float) -> float:
        return float(np.mean([of(b, a, cases) for b, a in _counts(cases, for_b, for_a, times)]))

    def shown(b: int, a: int, cases: int) -> bool:
        return _found(b, a, cases).test.p_value <= LEVEL

    for cases, for_b, for_a in TIES:
        setting = f"{cases} cases, B preferred in {for_b:.0%}, A in {for_a:.0%}"
        yield Row("side by side", setting, "power", None, share(shown, cases, for_b, for_a), times)
        before = share(_by_win_rate, cases, for_b, for_a)
        yield Row("side by side, interval of a win rate (before)", setting, "power", None, before, times)
    for cases, each in UNCHANGED:
        setting = f"{cases} cases, A and B preferred in {each:.1%} each"
        yield Row("side by side", setting, "error", LEVEL, share(shown, cases, each, each), times)
        covered = share(lambda b, a, n: _covers(_found(b, a, n), 0.0), cases, each, each)
        yield Row("interval of the net preference", setting, "exact coverage", 1 - LEVEL, covered, times)
    for cases, for_b, for_a in COVERED:
        setting = f"{cases} cases, B preferred in {for_b:.0%}, A in {for_a:.0%}"
        truth = for_b - for_a
        covered = share(lambda b, a, n, truth=truth: _covers(_found(b, a, n), truth), cases, for_b, for_a)  # type: ignore[misc]
        # Where fewer than six cases prefer either, no test is significant, so the interval holds 0 and covers more.
        kind: Kind = "exact coverage" if cases * (for_b + for_a) < FEWEST_CHANGED else "coverage"
        yield Row("interval of the net preference", setting, kind, 1 - LEVEL, covered, times)


def _covers(found: NetPreference, truth: float) -> bool:
    low, high = found.estimate.low, found.estimate.high
    return low is not None and high is not None and low - 1e-12 <= truth <= high + 1e-12


def _several_pairs(times: int) -> Iterator[Row]:
    """Three pairs a case, which agree more within a case than between cases."""
    for cases, lean in ((28, 0.0), (28, 0.15), (100, 0.15)):
        source = np.random.default_rng([SEED, cases, round(100 * lean), 3])
        covered = alarms = 0
        for _ in range(times):
            of_case = np.clip(lean + source.normal(0, 0.2, size=(cases, 1)), -0.5, 0.5)
            draws = source.random((cases, 3))
            pairs = (draws < 0.25 + of_case / 2).astype(float) - (draws > 0.75 + of_case / 2)
            found = net_preference(pairs.mean(axis=1))
            covered += _covers(found, lean)
            alarms += found.test.p_value <= LEVEL
        setting = f"{cases} cases with 3 pairs, net preference {lean:.0%}"
        yield Row("interval of the net preference", setting, "exact coverage", 1 - LEVEL, covered / times, times)
        kind, nominal = ("power", None) if lean else ("error", LEVEL)
        yield Row("side by side", setting, kind, nominal, alarms / times, times)  # type: ignore[arg-type]


Corrected = Callable[[Mapping[str, float], Mapping[str, int]], Mapping[str, float | None]]


def _ten_flags(times: int) -> Iterator[Row]:
    corrections: tuple[tuple[str, Corrected], ...] = (
        ("ten hard fails, Holm (before)", lambda p_values, _: dict(holm(p_values))),
        ("ten hard fails, Tarone and Holm", lambda p_values, changed: tarone_holm(p_values, changed, level=LEVEL)),
    )
    for cases in (60, 100):
        for raised in (True, False):
            shown = dict.fromkeys((name for name, _ in corrections), 0)
            for p_values, changed in _made_up(cases, times, raised=raised):
                for name, correct in corrections:
                    found = correct(p_values, changed)
                    ends = [found["0"]] if raised else list(found.values())
                    shown[name] += any(one is not None and one <= LEVEL for one in ends)
            setting = f"{cases} cases, " + ("one up by 12 points" if raised else "nothing changed")
            for name, count in shown.items():
                kind, nominal = ("power", None) if raised else ("error", LEVEL)
                yield Row(name, setting, kind, nominal, count / times, times)  # type: ignore[arg-type]


def _made_up(cases: int, times: int, *, raised: bool) -> Iterator[tuple[dict[str, float], dict[str, int]]]:
    """The p-values and the numbers of changed cases of ten hard fails, of one reply a case in both runs."""
    source = np.random.default_rng([SEED, cases, int(raised)])
    rates = np.full(FLAGS, USUAL)
    if raised:
        rates[0] = RAISED
    test = cache(mcnemar)
    for _ in range(times):
        a, b = source.random((cases, FLAGS)) < USUAL, source.random((cases, FLAGS)) < rates
        rose, fell = (b & ~a).sum(axis=0).tolist(), (a & ~b).sum(axis=0).tolist()
        found = {str(place): test(*both) for place, both in enumerate(zip(rose, fell, strict=True))}
        yield {name: one.p_value for name, one in found.items()}, {name: one.n_changed for name, one in found.items()}


if __name__ == "__main__":
    for row in rows():
        found = f"{row.measured:.3f} ± {row.error:.3f}"
        print(f"{row.rule} | {row.setting} | {row.kind} | {row.nominal} | {found} | {row.holds}")
