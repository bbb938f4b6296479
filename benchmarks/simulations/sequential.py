"""Sequential gates: how often they are wrong however often one looks, and how many cases they need.

    python -m benchmarks.simulations.sequential [--quick]

The rule is that of ``decisions/sequential.py``: at each look the capital of all cases so far, their replies pooled, is
compared with 20 (with 40 after a fixed look), and what was shown stays shown. The capital is the smaller one of two: of
the replies with which the cases entered, and of all replies.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from math import ceil

import numpy as np
from benchmarks.simulations.row import Row
from numpy.typing import NDArray

from iamhumans.stats import bounded_low, clopper_pearson, log_capital

Numbers = NDArray[np.float64]
Draw = Callable[[np.random.Generator, int, int], Numbers]
_MISS = 0.05
_POWER = 0.8
_LONGEST = 12  # a sequential gate is given up after so many times the cases of the fixed one


def rows(quick: bool = False) -> list[Row]:
    """The rows of the table."""
    times = 300 if quick else 3_000
    return [*_many_looks(times), *_with_fresh(times), *_after_a_fixed_look(times), *_cases_needed(times // 3)]


def final_capital(values: Numbers, threshold: float, *, above: bool) -> Numbers:
    """The logarithm of the capital after all cases, for each row of values: what :func:`log_capital` ends with."""
    return _path(values, threshold, [values.shape[1]], above=above)[:, -1]


def _path(values: Numbers, threshold: float, ends: Iterable[int] | NDArray[np.intp], *, above: bool) -> Numbers:
    """The logarithm of the capital of each row after so many cases."""
    if not above:
        values, threshold = 1 - values, 1 - threshold
    grown, found, begin = np.zeros((len(values), len(_STAKES))), [], 0
    for end in ends:
        for place in range(begin, end):
            grown += np.log1p(np.multiply.outer(values[:, place], _STAKES)) - np.log1p(_STAKES * threshold)
        top = grown.max(axis=1, keepdims=True)
        found.append(top[:, 0] + np.log(np.exp(grown - top).mean(axis=1)))
        begin = end
    return np.stack(found, axis=1)


def _stakes() -> Numbers:
    from iamhumans.stats import betting

    return np.asarray(betting._STAKES)


_STAKES = _stakes()


def _rate(mean: float, spread: float | None = None) -> Draw:
    """Replies with a hard fail; with a spread the cases differ, by Beta(mean / spread, (1 - mean) / spread)."""

    def draw(chance: np.random.Generator, runs: int, cases: int) -> Numbers:
        shape = (runs, cases)
        return np.full(shape, mean) if spread is None else chance.beta(mean / spread, (1 - mean) / spread, shape)

    return draw


def _totals(mean: float, zeroed: float) -> Draw:
    """Totals from 0 to 1 around a quality, some of them zeroed, with this mean in all."""
    quality = mean / (1 - zeroed)

    def draw(chance: np.random.Generator, runs: int, cases: int) -> Numbers:
        found = chance.beta(quality * 12, (1 - quality) * 12, (runs, cases))
        return np.where(chance.random((runs, cases)) < zeroed, 0.0, found)

    return draw


def _replied(chance: np.random.Generator, each: Numbers) -> Numbers:
    return (chance.random(each.shape) < each).astype(np.float64)


def _many_looks(times: int) -> Iterator[Row]:
    """Cases are added between looks: 400 in all, the truth at the threshold."""
    for looks in (1, 5, 20, 50):
        ends = [round(400 * (one + 1) / looks) for one in range(looks)]
        for mean in (0.05, 0.1):
            chance = np.random.default_rng([11, looks, round(mean * 100)])
            values = _replied(chance, _rate(mean)(chance, times, 400))
            setting = f"400 cases, rate {mean:.0%} = threshold, {looks} looks"
            for above, what in ((False, "wrong pass"), (True, "wrong fail")):
                wrong = (_path(values, mean, ends, above=above).max(axis=1) >= np.log(1 / _MISS)).mean()
                yield Row("gate --sequential --max-zero-rate", f"{setting}, {what}", "error", _MISS, wrong, times)
        chance = np.random.default_rng([12, looks])
        values = _totals(0.8, 0.08)(chance, times, 400)
        wrong = (_path(values, 0.8, ends, above=True).max(axis=1) >= np.log(1 / _MISS)).mean()
        setting = f"400 cases, mean 80 = threshold, {looks} looks, wrong pass"
        yield Row("gate --sequential --min-mean", setting, "error", _MISS, wrong, times)


def _with_fresh(times: int) -> Iterator[Row]:
    """Looks at fresh replies to the same cases, pooled: always, in turn with new cases, or when things look bad."""
    rule = "gate --sequential --max-zero-rate, --fresh"
    for spread in (0.2, 1.0):
        for plan in (
            "50 looks at 100 cases",
            "25 looks at new cases and 25 at fresh replies",
            "fresh while it looks bad",
        ):
            chance = np.random.default_rng([13, round(spread * 10), len(plan)])
            wrong = _pooled_looks(chance, times // 3, spread, plan).mean()
            setting = f"{plan}, cases differ by {spread:g}, rate 10 % = threshold, wrong pass"
            yield Row(rule, setting, "error", _MISS, float(wrong), times // 3)


def _pooled_looks(chance: np.random.Generator, runs: int, spread: float, plan: str) -> NDArray[np.bool_]:
    mean, first, step, looks = 0.1, 100, 8, 50
    most = first + step * looks
    each = _rate(mean, spread)(chance, runs, most)
    sums, replies = _replied(chance, each), np.ones((runs, most))
    cases = np.full(runs, first)
    passed, before, first_sums = np.zeros(runs, dtype=bool), np.zeros(runs), sums.copy()
    places = np.arange(most)
    for look in range(looks):
        there = places < cases[:, None]
        # A value at the threshold does not change the capital: it fills the place of a case that has not entered.
        pooled, first_ones = (np.where(there, one, mean)[:, : cases.max()] for one in (sums / replies, first_sums))
        now = np.minimum(final_capital(pooled, mean, above=False), final_capital(first_ones, mean, above=False))
        passed |= now >= np.log(1 / _MISS)
        if plan.startswith("50"):
            fresh = np.ones(runs, dtype=bool)
        elif plan.startswith("25"):
            fresh = np.full(runs, look % 2 == 1)
        else:
            fresh = now <= before
        before = now
        again = fresh[:, None] & there
        sums += np.where(again, _replied(chance, each), 0.0)
        replies += again
        cases = np.where(fresh, cases, cases + step)
    return passed


def _after_a_fixed_look(times: int) -> Iterator[Row]:
    """A fixed look that was not announced, then 20 sequential ones at up to 400 cases with half of the error."""
    rule = "gate --sequential after a fixed look"
    # With 29 cases the exact bound is wrong in nearly 5 %.
    for first in (29, 100):
        chance = np.random.default_rng([14, first])
        values = _replied(chance, _rate(0.1)(chance, times, 400))
        ends = np.linspace(first, 400, 20).astype(int)
        later = _path(values, 0.1, ends, above=False).max(axis=1) >= np.log(2 / _MISS)
        fixed = np.array([clopper_pearson(one, first, _MISS)[1] <= 0.1 for one in values[:, :first].mean(axis=1)])
        setting = f"fixed look at {first} cases, rate 10 % = threshold, wrong pass"
        yield Row(rule, f"{setting}, sequential looks alone", "error", _MISS / 2, float(later.mean()), times)
        yield Row(rule, f"{setting}, any look", "error", 1.5 * _MISS, float((fixed | later).mean()), times)


def _cases_needed(times: int) -> Iterator[Row]:
    """Cases until it is decided, over those of the fixed gate, where the fixed gate decides in 80 %."""
    for threshold, cases in ((0.05, 200), (0.1, 100), (0.1, 300), (0.2, 100)):
        for passes in (True, False):
            truth = _alternative(threshold, cases, passes=passes)
            chance = np.random.default_rng([15, cases, round(threshold * 100), passes])
            values = _replied(chance, _rate(truth)(chance, times, cases * _LONGEST))
            for batch in (1, 10):
                ratio = _mean_stop(values, threshold, batch, above=not passes) / cases
                side = "pass" if passes else "fail"
                setting = (
                    f"threshold {threshold:.0%}, true rate {truth:.1%}, fixed {cases} cases, {side}, batch {batch}"
                )
                yield Row("--until-decided, rates: cases ÷ fixed", setting, "ratio", None, ratio, times)
    for cases, zeroed in ((50, 0.0), (100, 0.05), (300, 0.05)):
        truth, threshold = 0.88, _mean_threshold(cases, zeroed, 0.88, times)
        chance = np.random.default_rng([16, cases, round(zeroed * 100)])
        values = _totals(truth, zeroed)(chance, times, cases * _LONGEST)
        ratio = _mean_stop(values, threshold, 10, above=True) / cases
        setting = f"true mean 88, {zeroed:.0%} zeroed, threshold {100 * threshold:.1f}, fixed {cases} cases, batch 10"
        yield Row("--until-decided, means: cases ÷ fixed", setting, "ratio", None, ratio, times)


def _alternative(threshold: float, cases: int, *, passes: bool) -> float:
    """The true rate at which the fixed gate passes, or fails, in 80 %."""
    from scipy.stats import binom

    counts = np.arange(cases + 1)
    bounds = [clopper_pearson(one / cases, cases, _MISS) for one in counts]
    decided = np.array([(high <= threshold) if passes else (low > threshold) for low, high in bounds])
    low, high = (0.0, threshold) if passes else (threshold, 1.0)
    for _ in range(50):
        middle = (low + high) / 2
        enough = float(binom.pmf(counts, cases, middle)[decided].sum()) >= _POWER
        low, high = (middle, high) if enough == passes else (low, middle)
    return low if passes else high


def _mean_threshold(cases: int, zeroed: float, truth: float, times: int) -> float:
    """The threshold that a fixed gate on the mean meets in 80 %."""
    chance = np.random.default_rng([17, cases, round(zeroed * 100)])
    values = _totals(truth, zeroed)(chance, min(times, 300), cases)
    return float(np.quantile([bounded_low(one, _MISS) for one in values], 1 - _POWER))


def _mean_stop(values: Numbers, threshold: float, batch: int, *, above: bool) -> float:
    """The mean number of cases until either side is shown; one that is never shown counts with all cases."""
    ends = [min(batch * (one + 1), values.shape[1]) for one in range(ceil(values.shape[1] / batch))]
    shown = np.zeros((len(values), len(ends)), dtype=bool)
    for side in (above, not above):
        shown |= _path(values, threshold, ends, above=side) >= np.log(1 / _MISS)
    first = np.where(shown.any(axis=1), shown.argmax(axis=1), len(ends) - 1)
    return float(np.array(ends)[first].mean())


def main() -> None:
    """Print the rows."""
    # The rule for many rows at once is the library's.
    values = np.random.default_rng(0).random((2, 30))
    assert np.allclose(final_capital(values, 0.4, above=True), [log_capital(one, 0.4, "above")[-1] for one in values])
    for row in rows("--quick" in sys.argv[1:]):
        nominal = "" if row.nominal is None else f"{row.nominal:.3f}"
        print(f"{row.rule:45s} {row.setting:95s} {nominal:>6s} {row.measured:.4f} ± {row.error:.4f} {row.holds}")


if __name__ == "__main__":
    main()
