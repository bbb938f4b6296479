"""What people would have said, from a judge and its known errors.

A rate is corrected by sensitivity and specificity, which may come from other replies (Rogan-Gladen). A mean, or a rate
over replies of which some were labelled at random, is corrected by the judge's error on those (prediction-powered).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import hypot, inf, sqrt
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq

from iamhumans.stats.cases import Cases, refuse_missing
from iamhumans.stats.estimate import LEVEL, MIN_CASES, Estimate, too_few_cases
from iamhumans.stats.intervals import Proportion, clustered_proportion, wilson
from iamhumans.stats.quantiles import FloatArray, normal_quantile, t_quantile

State = Literal["given", "outside", "undefined"]


@dataclass(frozen=True, slots=True)
class Corrected:
    """A corrected figure. ``outside``: the formula gives an impossible value, and the interval is its possible part."""

    estimate: Estimate
    state: State
    formula: float | None = None
    reason: str | None = None  # why there is no value


def corrected_rate(
    apparent: Proportion,
    sensitivity: Proportion,
    specificity: Proportion,
    *,
    level: float = LEVEL,
    one_sided: bool = False,
) -> Corrected:
    """A rate corrected for the judge's misses and false alarms, with the error of the calibration in its interval.

    The estimate is (rate + specificity - 1) / (sensitivity + specificity - 1) (Rogan and Gladen 1978), the interval
    that of Lang and Reiczigel (2014) with effective numbers of tries. With few labels of one kind that interval is too
    short at one end, so ``one_sided`` bounds, which decide, come from exact bounds of the three rates. It is undefined
    where sensitivity + specificity is at most 1: the judge then says YES no more often where people do than elsewhere.
    """
    method = "Rogan-Gladen, MOVER of exact bounds" if one_sided else "Rogan-Gladen, Lang-Reiczigel"
    blank = Estimate(None, None, None, apparent.cases, method, level, one_sided)
    informed = sensitivity.rate + specificity.rate - 1
    if informed <= 1e-9:
        reason = (
            f"Sensitivity {100 * sensitivity.rate:.0f} % and specificity {100 * specificity.rate:.0f} % do not exceed"
            " 100 % together. The judge's YES is no better than chance, so no rate can be corrected."
        )
        return Corrected(replace(blank, withheld=reason), "undefined", reason=reason)
    value = (apparent.rate + specificity.rate - 1) / informed
    if one_sided:
        low, high = _by_exact_bounds(apparent, sensitivity, specificity, value, level)
    else:
        low, high = _lang_reiczigel(apparent, sensitivity, specificity, (1 + level) / 2)
    low, high = min(low, value), max(high, value)
    possible = replace(blank, low=max(0.0, low), high=min(1.0, high))
    if 0 <= value <= 1:
        return Corrected(replace(possible, value=value), "given", value)
    side, than = ("below 0", "lower") if value < 0 else ("above 100", "higher")
    reason = (
        f"The formula gives {100 * value:.1f} %, which is {side} %: the judge's rate of {100 * apparent.rate:.1f} % is"
        f" {than} than its errors allow. This is chance, or the calibration does not apply here."
    )
    if high < 0 or low > 1:
        reason += " No possible rate is in the interval, so it is not chance."
        return Corrected(replace(blank, withheld=reason), "outside", value, reason)
    return Corrected(possible, "outside", value, reason)


def _lang_reiczigel(
    apparent: Proportion, sensitivity: Proportion, specificity: Proportion, probability: float
) -> tuple[float, float]:
    """Delta method with a shift for skewness, on rates shrunk towards one half by z squared tries, or by two."""
    z = normal_quantile(probability)
    tries = apparent.tries + z * z
    rate = (apparent.rate * apparent.tries + z * z / 2) / tries
    found = (sensitivity.rate * sensitivity.tries + 1) / (sensitivity.tries + 2)
    spared = (specificity.rate * specificity.tries + 1) / (specificity.tries + 2)
    informed = found + spared - 1
    if informed <= 1e-9:
        return -inf, inf
    value = (rate + spared - 1) / informed
    of_found = found * (1 - found) / (sensitivity.tries + 2)
    of_spared = spared * (1 - spared) / (specificity.tries + 2)
    shift = 2 * z * z * (value * of_found - (1 - value) * of_spared)
    spread = sqrt(rate * (1 - rate) / tries + value**2 * of_found + (1 - value) ** 2 * of_spared) / informed
    return value + shift - z * spread, value + shift + z * spread


def _by_exact_bounds(
    apparent: Proportion, sensitivity: Proportion, specificity: Proportion, value: float, level: float
) -> tuple[float, float]:
    """One-sided bounds: all rates from 0 to 1 that are not rejected (Fieller 1954).

    A true rate gives an expected rate of YES. The difference of the apparent rate from it is linear in the three rates,
    so its bounds are combined from theirs (MOVER: Zou and Donner 2008), which are exact.
    """
    (low, high), found, spared = (one.bounds(level, one_sided=True) for one in (apparent, sensitivity, specificity))

    def excess(rate: float) -> float:
        return apparent.rate - rate * sensitivity.rate - (1 - rate) * (1 - specificity.rate)

    def too_low(rate: float) -> float:
        parts = (
            apparent.rate - low,
            rate * (found[1] - sensitivity.rate),
            (1 - rate) * (specificity.rate - spared[0]),
        )
        return excess(rate) - hypot(*parts)

    def too_high(rate: float) -> float:
        parts = (
            high - apparent.rate,
            rate * (sensitivity.rate - found[0]),
            (1 - rate) * (spared[1] - specificity.rate),
        )
        return excess(rate) + hypot(*parts)

    middle = min(1.0, max(0.0, value))
    lower = value if too_low(middle) > 0 else 0.0 if too_low(0.0) <= 0 else brentq(too_low, 0.0, middle)
    upper = value if too_high(middle) < 0 else 1.0 if too_high(1.0) >= 0 else brentq(too_high, middle, 1.0)
    return float(lower), float(upper)


@dataclass(frozen=True, slots=True, eq=False)
class Labelled:
    """Units with a value from the judge and one from people, their clusters and weights. All have the same length."""

    judge: FloatArray
    people: FloatArray
    clusters: tuple[str, ...]
    weights: FloatArray


def prediction_powered_mean(
    judged: ArrayLike,
    clusters: Sequence[str],
    labelled: Labelled,
    scale: tuple[float, float],
    *,
    weights: ArrayLike | None = None,
    level: float = LEVEL,
    one_sided: bool = False,
) -> Corrected:
    """The mean that people would give, from the judge's values of all units and people's values of some.

    It is people's mean on the labelled units, plus a share of the difference between the judge's mean over all units
    and over the labelled ones (Angelopoulos et al. 2023, prediction-powered inference). The share minimises the
    variance (PPI++), which is that between clusters of the linearised estimate. Student's t allows for few clusters and
    for the estimated share, and near an end of the scale the score interval applies. ``labelled`` is some of the units,
    or others like them, drawn at random. Raises ValueError for a value that is NaN or outside the scale.
    """
    values = np.asarray(judged, dtype=np.float64)
    for one in (values, labelled.judge, labelled.people):
        refuse_missing(one)
        if len(one) and (one.min() < scale[0] or one.max() > scale[1]):
            raise ValueError(f"A value is outside {scale[0]:g} to {scale[1]:g}.")
    own = len(set(labelled.clusters))
    blank = Estimate(None, None, None, own, "prediction-powered mean", level, one_sided)
    if not len(values) or not own:
        reason = "Nothing was judged." if not len(values) else "No judged reply was labelled."
        return Corrected(replace(blank, withheld=reason), "undefined", reason=reason)
    all_weights = np.ones(len(values)) if weights is None else np.asarray(weights, dtype=np.float64)
    value, error, freedom = _prediction_powered(values, clusters, all_weights, labelled)
    width = scale[1] - scale[0]
    possible = scale[0] <= value <= scale[1]
    if own < MIN_CASES or error <= 1e-9 * width:
        alike = "The labelled cases are all alike, so they do not show how much other cases would differ."
        reason = too_few_cases(own) if own < MIN_CASES else alike
        if possible:
            return Corrected(replace(blank, value=value, withheld=reason), "given", value)
        return Corrected(replace(blank, withheld=reason), "undefined", reason=reason)
    critical = t_quantile(level if one_sided else (1 + level) / 2, freedom)
    low, high = value - critical * error, value + critical * error
    where = (value - scale[0]) / width
    if 0 < where < 1:
        lower, upper = wilson(where, where * (1 - where) / (error / width) ** 2, critical)
        low, high = min(low, scale[0] + lower * width), max(high, scale[0] + upper * width)
    low, high = max(scale[0], low), min(scale[1], high)
    if possible:
        return Corrected(replace(blank, value=value, low=low, high=high), "given", value)
    reason = f"The formula gives {value:.2f}, which is outside the scale from {scale[0]:g} to {scale[1]:g}."
    bounds = replace(blank, withheld=reason) if low > high else replace(blank, low=low, high=high)
    return Corrected(bounds, "outside", value, reason)


def _prediction_powered(
    values: FloatArray, clusters: Sequence[str], weights: FloatArray, labelled: Labelled
) -> tuple[float, float, int]:
    """The estimate, its standard error, and the degrees of freedom (0 or less with too few labelled clusters)."""
    cases = Cases.of([*clusters, *labelled.clusters])
    of_all, of_labelled = cases.codes[: len(values)], cases.codes[len(values) :]
    count, own = len(cases.ids), len(set(labelled.clusters))
    mean_all = float(weights @ values / weights.sum())
    mine = labelled.weights / labelled.weights.sum()
    mean_judge, mean_people = float(mine @ labelled.judge), float(mine @ labelled.people)
    of_people = np.bincount(of_labelled, weights=mine * (labelled.people - mean_people), minlength=count)
    of_judge = np.bincount(of_all, weights=weights / weights.sum() * (values - mean_all), minlength=count)
    of_judge -= np.bincount(of_labelled, weights=mine * (labelled.judge - mean_judge), minlength=count)
    spread = float(of_judge @ of_judge)
    share = 0.0 if spread <= 1e-18 else min(1.0, max(0.0, -float(of_people @ of_judge) / spread))
    parts = of_people + share * of_judge
    freedom = own - (2 if share > 0 else 1)
    error = sqrt(float(parts @ parts) * own / freedom) if freedom > 0 else inf
    return mean_people + share * (mean_all - mean_judge), error, freedom


def prediction_powered_rate(
    judged: ArrayLike,
    clusters: Sequence[str],
    labelled: Labelled,
    *,
    weights: ArrayLike | None = None,
    level: float = LEVEL,
    one_sided: bool = False,
) -> Corrected:
    """The rate that people would give. Where all labelled clusters are alike, the interval is that of the labels."""
    found = prediction_powered_mean(
        judged, clusters, labelled, (0.0, 1.0), weights=weights, level=level, one_sided=one_sided
    )
    value = found.estimate.value
    if value is None or found.estimate.low is not None or found.estimate.n_cases < MIN_CASES:
        return found
    alone = clustered_proportion(labelled.people, labelled.clusters, weights=labelled.weights)
    if alone is None or abs(alone.rate - value) > 1e-9:
        return found
    low, high = alone.bounds(level, one_sided=one_sided)
    method = "labels alone, Wilson, effective number of cases"
    return Corrected(Estimate(alone.rate, low, high, alone.cases, method, level, one_sided), "given", alone.rate)
