"""Gates and comparisons of two runs: rare collapses, zeroed replies, labels of other replies, unjudged replies.

What is decided wrongly is counted at the threshold or margin itself, where it is hardest. A case has one reply if
nothing else is said. ``python -m benchmarks.simulations.gates`` prints the rows.
"""

from collections.abc import Iterator

import numpy as np
from benchmarks.simulations.row import Row
from numpy.typing import NDArray

from iamhumans.stats import (
    CaseValues,
    Pairs,
    bounded_difference,
    bounded_mean,
    changed_test,
    clustered_proportion,
    corrected_rate,
    pair,
    proportion_of,
    rate_of,
    sign_flip,
)

Numbers = NDArray[np.float64]
TIMES = 1_000
LEVEL = 0.05
COLLAPSED = 0.057
"""The share of replies that fall from 98 to between 30 and 60."""
LOSS = COLLAPSED * (98 - 45)


def rows(quick: bool = False) -> list[Row]:
    """All rows; about a minute on one core."""
    times = TIMES // 10 if quick else TIMES
    return [
        *_margins(times),
        *_quality(times),
        *_foreign_labels(4 * times),
        *_unjudged(4 * times),
    ]


def _margins(times: int) -> Iterator[Row]:
    """B loses exactly the margin, by a rare collapse: it must not be called no worse. The same of a mean."""
    for cases in (28, 100, 400):
        source = np.random.default_rng([7, cases])
        passes = means = 0
        for _ in range(times):
            totals = _collapsing(source, cases)
            difference = bounded_difference(_pairs(np.full(cases, 98.0), totals), level=1 - LEVEL, one_sided=True)
            mean = bounded_mean(_values(totals), level=1 - LEVEL, one_sided=True)
            passes += (difference.low or -100.0) >= -LOSS
            means += (mean.low or 0.0) >= 98 - LOSS
        setting = f"{cases} cases, {100 * COLLAPSED:g} % of replies collapse, loss at the margin of {LOSS:.2f} points"
        yield Row("gate --margin, wrongly met", setting, "error", LEVEL, passes / times, times)
        setting = f"{cases} cases, {100 * COLLAPSED:g} % of replies collapse, mean at the threshold"
        yield Row("gate --min-mean, wrongly met", setting, "error", LEVEL, means / times, times)
    for cases in (60, 100):
        source = np.random.default_rng([8, cases])
        found = [_pairs(*_alike(source, cases)) for _ in range(times // 4)]
        shown = sum((bounded_difference(one, one_sided=True).low or -100.0) >= -5 for one in found)
        setting = f"{cases} cases, nothing changed, totals with a deviation of 6 points, margin of 5"
        yield Row("gate --margin, rightly met", setting, "power", 0.8, shown / len(found), len(found))


def _quality(times: int) -> Iterator[Row]:
    """B writes the same replies as A, and its worst 14 % are zeroed: quality must not change."""
    for cases in (28, 60, 100):
        source = np.random.default_rng([6, cases])
        found = 0
        for _ in range(times):
            hardness = source.beta(2, 2, (cases, 1))
            a, b = (np.round(100 - 10 * source.binomial(4, hardness, (cases, 5)) / 2).astype(float) for _ in "ab")
            bad = b <= np.quantile(b, 0.14)
            quality = sign_flip(b.mean(axis=1) - a.mean(axis=1)).p_value
            zeroed = changed_test(_pairs(np.zeros(cases), bad.mean(axis=1), replies=5)).p_value
            # Holm: the smaller of the two is tested at half the level, then the other one at all of it.
            found += quality <= (LEVEL if zeroed <= min(quality, LEVEL / 2) else LEVEL / 2)
        setting = f"{cases} cases, 5 replies, B the same but for its worst 14 %, which are zeroed"
        yield Row("compare, quality called changed", setting, "error", LEVEL, found / times, times)


def _foreign_labels(times: int) -> Iterator[Row]:
    """200 labels of a run with 5 % bad replies correct the zero rate of another with 35 %, by the same judge."""
    for name, sensitivity, specificity in (("good", 0.9, 0.97), ("fair", 0.7, 0.9), ("strict", 0.95, 0.8)):
        source = np.random.default_rng([1, round(100 * sensitivity)])
        low = high = 0
        for _ in range(times):
            said = source.random(200) < np.where(bad := source.random(200) < 0.05, sensitivity, 1 - specificity)
            clusters = list(map(str, range(200)))
            found = clustered_proportion(
                [float(one) if x else None for one, x in zip(said, bad, strict=True)], clusters
            )
            spared = clustered_proportion(
                [None if x else float(not one) for one, x in zip(said, bad, strict=True)], clusters
            )
            if found is None or spared is None:
                continue
            flagged = source.random(100) < np.where(source.random(100) < 0.35, sensitivity, 1 - specificity)
            apparent = proportion_of(_values(flagged.astype(float)))
            one = corrected_rate(apparent, found, spared, level=1 - LEVEL, one_sided=True).estimate
            high += one.high is not None and one.high <= 0.35
            low += one.low is not None and one.low > 0.35
        setting = f"{name} judge, labels of a run with 5 % bad replies, the run has 35 %, 100 cases, threshold at 35 %"
        yield Row("gate --corrected --max-zero-rate, wrongly met", setting, "error", LEVEL, high / times, times)
        yield Row("gate --corrected --max-zero-rate, wrongly missed", setting, "error", LEVEL, low / times, times)


def _unjudged(times: int) -> Iterator[Row]:
    """A judge that refuses half of the bad replies: the rate of the others is half of the truth."""
    for cases in (60, 200):
        source = np.random.default_rng([9, cases])
        passes = 0
        for _ in range(times):
            bad = source.random(cases) < 0.1
            refused = bad & (source.random(cases) < 0.5)
            both = bad[~refused].astype(np.float64), bad.astype(np.float64)
            alone, filled = (rate_of(_values(one), level=1 - LEVEL, one_sided=True) for one in both)
            passes += all(one.high is not None and one.high <= 0.1 for one in (alone, filled))
        setting = f"{cases} cases, the judge refuses half of the 10 % bad replies, threshold at 10 %"
        yield Row("gate --max-zero-rate, wrongly met", setting, "error", LEVEL, passes / times, times)


def _collapsing(source: np.random.Generator, cases: int) -> Numbers:
    """Totals of 98, and now and then one from 30 to 60."""
    return np.where(source.random(cases) < COLLAPSED, source.uniform(30, 60, cases), 98.0)


def _alike(source: np.random.Generator, cases: int) -> tuple[Numbers, Numbers]:
    """Two runs by the same skill, with totals in steps of 1.67 as six axes give them."""
    hardness = source.beta(2, 2, cases)
    a, b = (100 - np.round(10 * source.binomial(12, hardness) / 6) for _ in "ab")
    return a, b


def _values(numbers: Numbers, replies: int = 1) -> CaseValues:
    ids = tuple(map(str, range(len(numbers))))
    return CaseValues(ids, numbers.astype(np.float64), np.full(len(numbers), replies, dtype=np.intp))


def _pairs(a: Numbers, b: Numbers, replies: int = 1) -> Pairs:
    return pair(_values(a, replies), _values(b, replies))


def main() -> None:
    """Print the rows."""
    for one in rows():
        held = "" if one.holds else "   DOES NOT HOLD"
        print(f"{one.rule}; {one.setting}: {100 * one.measured:.1f} % ± {100 * one.error:.1f}{held}")


if __name__ == "__main__":
    main()
