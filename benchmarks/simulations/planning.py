"""Do planned designs have the power that they promise, and may "could have shown" and "would decide" be believed?

Comparisons are made up independently of ``iamhumans.stats.design``: betas and votes are drawn, and the test that
``compare`` uses decides.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from benchmarks.simulations.row import Row
from numpy.typing import NDArray

from iamhumans.decisions.planning import Figure, Price, UnitPrice, Variation, plan_designs
from iamhumans.stats import (
    CaseValues,
    Design,
    QualityModel,
    ZeroedModel,
    cases_to_settle_difference,
    cases_to_settle_rate,
    detectable_rate,
    mean_difference,
    pair,
    rate_of,
    settle,
    sign_flip,
    zero_rate_power,
)

Numbers = NDArray[np.float64]
SETTINGS: tuple[tuple[ZeroedModel, int, int, float], ...] = (
    (ZeroedModel(0.05, 0.3), 1, 1, 20.0),
    (ZeroedModel(0.05, 0.3), 3, 1, 10.0),
    (ZeroedModel(0.05, 0.3), 5, 1, 12.0),
    (ZeroedModel(0.02, 0.1), 2, 1, 10.0),
    (ZeroedModel(0.10, 0.5), 3, 1, 15.0),
    (ZeroedModel(0.05, 0.3, 0.07), 1, 3, 15.0),
    (ZeroedModel(0.05, 0.3, 0.07), 3, 3, 12.0),
    (ZeroedModel(0.20, 0.2), 10, 1, 10.0),
)
"""Zero rates: the model, replies, repeats, and the difference in points."""
QUALITIES: tuple[tuple[QualityModel, int, int, float], ...] = (
    (QualityModel(4.0, 5.0, 3.0), 1, 1, 4.0),
    (QualityModel(4.0, 5.0, 3.0), 3, 2, 2.5),
)
_P_VALUES: dict[tuple[tuple[int, ...], int], float] = {}
_LEVEL = 0.025  # half of the 5 %, by Holm
_LEAST, _MOST = 0.78, 0.80
_FREE = Price(1, 0, 0, 0, 0.0)
_CASES, _RATE, _LIMIT = 28, 0.05, 0.1
_RIGHT = (179, 203)
"""From how many cases on at least one number, and every number, settles a rate of 5 % in 80 % of runs."""


def rows(quick: bool) -> list[Row]:
    """The rows of the table."""
    times = 400 if quick else 4_000
    return [*_designs(times), *_could_have_shown(times // 20), *_would_decide(times // 3)]


def _designs(times: int) -> Iterator[Row]:
    right = 0
    settings: list[tuple[Figure, Variation, int, int, float]] = [
        *(("zero-rate", Variation(one, None), *rest) for one, *rest in SETTINGS),  # type: ignore[list-item]
        *(("quality", Variation(SETTINGS[0][0], one), *rest) for one, *rest in QUALITIES),  # type: ignore[list-item]
    ]
    for place, (of, variation, replies, repeats, detect) in enumerate(settings):
        unit = UnitPrice(1, _FREE, _FREE)
        asked = plan_designs("made-up", 28, of, detect, replies, repeats, variation, unit, (True, True)).asked
        design = Design(asked.cases or 0, replies, repeats)
        power, below = _measured(of, variation, design, detect, times, seed=place)
        error = (0.16 / times) ** 0.5
        right += power >= _LEAST and below < _MOST + error
        setting = f"{detect:g} points, {replies} replies, {repeats} repeats: {design.cases} cases"
        yield Row(f"plan --of {of}", setting, "power", 0.8, power, times)
        yield Row(f"plan --of {of}", f"{setting} less one", "power", 0.8, below, times)
    setting = "power at least 78 %, and below 80 % with one case fewer"
    yield Row("plan", setting, "exact coverage", 0.9, right / len(settings), len(settings))


def _measured(
    of: Figure, variation: Variation, design: Design, detect: float, times: int, seed: int
) -> tuple[float, float]:
    """The share of made-up comparisons that show the difference: with all cases, and with all but one."""
    chance = np.random.default_rng([7, seed])
    seen = np.zeros(2)
    for _ in range(times):
        if of == "quality" and variation.quality is not None:
            step = _quality_step(chance, variation.quality, design, detect)
        else:
            step = _zero_step(chance, variation.zeroed, design, detect / 100)
        seen += [_shown(step), _shown(step[:-1])]
    return float(seen[0]) / times, float(seen[1]) / times


def _zero_step(chance: np.random.Generator, model: ZeroedModel, design: Design, difference: float) -> Numbers:
    """Zeroed replies of B less those of A, by case."""
    size, added = (1 - model.correlation) / model.correlation, difference / (1 - model.rate)
    base = chance.beta(model.rate * size, (1 - model.rate) * size, design.cases)
    worse = base + (1 - base) * chance.beta(added * size, (1 - added) * size, design.cases)
    return _zeroes(chance, worse, model, design) - _zeroes(chance, base, model, design)


def _zeroes(chance: np.random.Generator, own: Numbers, model: ZeroedModel, design: Design) -> Numbers:
    shape = (design.cases, design.replies)
    zeroed = chance.random(shape) < own[:, None]
    votes = (zeroed[..., None] ^ (chance.random((*shape, design.repeats)) < model.flip)).sum(axis=-1)
    return np.asarray((2 * votes >= design.repeats).sum(axis=-1), dtype=np.float64)


def _quality_step(chance: np.random.Generator, model: QualityModel, design: Design, difference: float) -> Numbers:
    shape = (2, design.cases, design.replies)
    replies = chance.normal(0, model.reply, shape)
    replies += chance.normal(0, model.repeat, (*shape, design.repeats)).mean(axis=-1)
    means = replies.mean(axis=-1)
    step = means[1] - means[0] + chance.normal(difference, model.effect, design.cases)
    return np.asarray(np.rint(5 * step))  # in fifths of a point, so that sign flips can be counted


def _shown(step: Numbers) -> bool:
    """Whether sign flips show a change. Their p-value depends on the sizes of the differences and on the sum alone."""
    key = tuple(np.sort(np.abs(step[step != 0])).astype(int).tolist()), abs(int(step.sum()))
    if key not in _P_VALUES:
        _P_VALUES[key] = sign_flip(step).p_value
    return _P_VALUES[key] <= _LEVEL


def _could_have_shown(times: int) -> Iterator[Row]:
    """The smallest change that two equal runs are said to show, and how often such a change would be seen."""
    for replies, rate in ((1, 0.1), (5, 0.03), (5, 0.1)):
        chance = np.random.default_rng([8, replies, round(100 * rate)])
        model, design = ZeroedModel(rate, 0.3), Design(_CASES, replies)
        powers, held, named = [], 0, 0
        for _ in range(times):
            own = chance.beta(model.rate * 7 / 3, (1 - model.rate) * 7 / 3, _CASES)
            a, b = (_shares(_zeroes(chance, own, model, design) / replies, replies) for _ in range(2))
            found = detectable_rate(pair(a, b))
            if found.value is None or found.low is None or found.high is None:
                continue
            named += 1
            powers.append(zero_rate_power(model, design, min(found.value, 1 - rate)))
            ends = (zero_rate_power(model, design, min(end, 1 - rate)) for end in (found.low, found.high))
            held += next(ends) <= 0.8 <= next(ends)
        setting = f"{_CASES} cases, {replies} replies, rate {100 * rate:g} %"
        yield Row("compare, could have shown", f"{setting}: real power", "power", 0.8, float(np.mean(powers)), named)
        yield Row("compare, could have shown", f"{setting}: range holds it", "power", 0.8, held / named, named)


def _shares(values: Numbers, replies: int) -> CaseValues:
    ids = tuple(f"C-{place}" for place in range(len(values)))
    return CaseValues(ids, values, np.full(len(values), replies, dtype=np.intp))


def _would_decide(times: int) -> Iterator[Row]:
    chance = np.random.default_rng(9)
    model = ZeroedModel(_RATE, 0.3)
    for replies, limit in ((1, _LIMIT), (5, _LIMIT)):
        held = decided = named = asked = 0
        for _ in range(times):
            values = _rates(chance, model, Design(_CASES, replies))
            if settle(rate_of(values, one_sided=True), limit, at_least=False) != "open":
                continue
            asked += 1
            needed = cases_to_settle_rate(values, limit)
            if needed is None or needed.low is None or needed.high is None:
                continue
            named += 1
            held += replies == 1 and needed.low <= _RIGHT[1] and needed.high >= _RIGHT[0]
            again = rate_of(_rates(chance, model, Design(needed.high, replies)), one_sided=True)
            decided += settle(again, limit, at_least=False) == "met"
        setting = f"{_CASES} cases, {replies} replies, rate 5 %, limit {100 * limit:g} %"
        rule = "gate, cases that would decide"
        yield Row(rule, f"{setting}: the most decide", "exact coverage", 0.8, decided / named, named)
        if replies == 1:
            yield Row(
                rule,
                f"{setting}: the range holds {_RIGHT[0]} to {_RIGHT[1]}",
                "exact coverage",
                0.8,
                held / named,
                named,
            )
        yield Row(rule, f"{setting}: a range is given", "ratio", None, named / asked, asked)
    yield _difference_decided(times, chance)


def _rates(chance: np.random.Generator, model: ZeroedModel, design: Design) -> CaseValues:
    own = chance.beta(model.rate * 7 / 3, (1 - model.rate) * 7 / 3, design.cases)
    return _shares(_zeroes(chance, own, model, design) / design.replies, design.replies)


def _difference_decided(times: int, chance: np.random.Generator) -> Row:
    """A mean that is 1 point better, with a margin of 1."""
    decided = named = 0

    def step(cases: int) -> tuple[CaseValues, CaseValues]:
        return _shares(np.zeros(cases), 1), _shares(np.rint(chance.normal(1, 6, cases)), 1)

    for _ in range(times):
        needed = cases_to_settle_difference(mean_difference(pair(*step(40)), one_sided=True).difference, -1.0)
        if needed is None or needed.high is None:
            continue
        named += 1
        again = mean_difference(pair(*step(needed.high)), one_sided=True).difference
        decided += settle(again, -1.0, at_least=True) == "met"
    setting = "40 cases, 2 points above the margin, deviation 6: the most decide"
    return Row("gate, cases that would decide", setting, "exact coverage", 0.8, decided / named, named)
