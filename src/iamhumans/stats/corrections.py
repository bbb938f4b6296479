"""What people would have said, from what a judge said and from how it errs.

Two ways. A rate is corrected by sensitivity and specificity, which may have been learned on other replies. A mean, or a
rate of which some replies were labelled at random, is corrected by how far the judge is off on the labelled ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from iamhumans.stats.cases import Cases, refuse_missing
from iamhumans.stats.clusters import clustered_worth, too_few_clusters
from iamhumans.stats.estimate import LEAST_CASES_FOR_A_SPREAD, LEVEL, Estimate
from iamhumans.stats.intervals import Worth, wilson
from iamhumans.stats.quantiles import FloatArray, normal_quantile, t_quantile

State = Literal["given", "outside", "undefined"]


@dataclass(frozen=True, slots=True)
class Corrected:
    """A corrected figure.

    ``given``: the estimate has a value. ``outside``: the formula gives what no such figure can be (``formula`` holds
    it); there is no value, and the interval is that part of it that is possible. ``undefined``: the formula gives
    nothing at all.
    """

    estimate: Estimate
    state: State
    formula: float | None = None
    """What the formula gives, possible or not."""
    reason: str | None = None
    """Why there is no value, as a sentence."""


def corrected_rate(
    apparent: Worth, sensitivity: Worth, specificity: Worth, *, level: float = LEVEL, one_sided: bool = False
) -> Corrected:
    """A rate corrected for the judge's misses and false alarms, with the error of the calibration in its interval.

    The estimate is (rate + specificity - 1) / (sensitivity + specificity - 1) (Rogan and Gladen 1978). The interval is
    that of Lang and Reiczigel (2014): all three shares are first drawn a little towards the middle (the rate by z
    squared tries, the other two by one success and one failure), and the variance is that of the delta method with all
    three errors, with a shift for skewness. The numbers of tries are effective ones, for clusters and weights.

    Undefined where sensitivity + specificity does not exceed 1: the judge then says YES no more often where people do
    than elsewhere, and nothing can be read off it.

    Args:
        apparent: The judge's rate, over what it judged.
        sensitivity: As learned from labels.
        specificity: As learned from labels.
        level: Of the interval.
        one_sided: Each bound at ``level`` by itself.
    """
    method = "Rogan-Gladen, Lang-Reiczigel"
    cases = apparent.cases
    informed = sensitivity.rate + specificity.rate - 1
    if informed <= 1e-9:
        reason = (
            f"Sensitivity {100 * sensitivity.rate:.0f} % and specificity {100 * specificity.rate:.0f} % do not exceed"
            " 100 % together: the judge's YES says nothing here that chance would not say, so nothing can be corrected."
        )
        return Corrected(
            Estimate(None, None, None, cases, method, level, one_sided, reason), "undefined", reason=reason
        )
    value = (apparent.rate + specificity.rate - 1) / informed
    low, high = _lang_reiczigel(apparent, sensitivity, specificity, level if one_sided else (1 + level) / 2)
    low, high = min(low, value), max(high, value)
    if 0 <= value <= 1:
        estimate = Estimate(value, max(0.0, low), min(1.0, high), cases, method, level, one_sided)
        return Corrected(estimate, "given", value)
    side = "below 0" if value < 0 else "above 100"
    reason = (
        f"The formula gives {100 * value:.1f} %, which is {side} %: the judge's rate of {100 * apparent.rate:.1f} % is"
        f" {'lower' if value < 0 else 'higher'} than its errors alone allow. That is chance, or the"
        " calibration does not hold here."
    )
    if high < 0 or low > 1:
        withheld = f"{reason} No possible rate lies in the interval, so it is not chance."
        return Corrected(
            Estimate(None, None, None, cases, method, level, one_sided, withheld), "outside", value, withheld
        )
    estimate = Estimate(None, max(0.0, low), min(1.0, high), cases, method, level, one_sided)
    return Corrected(estimate, "outside", value, reason)


def _lang_reiczigel(apparent: Worth, sensitivity: Worth, specificity: Worth, probability: float) -> tuple[float, float]:
    z = normal_quantile(probability)
    tries = apparent.tries + z * z
    rate = (apparent.rate * apparent.tries + z * z / 2) / tries
    found, for_found = (sensitivity.rate * sensitivity.tries + 1) / (sensitivity.tries + 2), sensitivity.tries + 2
    spared, for_spared = (specificity.rate * specificity.tries + 1) / (specificity.tries + 2), specificity.tries + 2
    informed = found + spared - 1
    if informed <= 1e-9:
        return float("-inf"), float("inf")
    value = (rate + spared - 1) / informed
    of_found, of_spared = found * (1 - found) / for_found, spared * (1 - spared) / for_spared
    shift = 2 * z * z * (value * of_found - (1 - value) * of_spared)
    spread = sqrt(rate * (1 - rate) / tries + value**2 * of_found + (1 - value) ** 2 * of_spared) / informed
    return value + shift - z * spread, value + shift + z * spread


@dataclass(frozen=True, slots=True, eq=False)
class Labelled:
    """Units that both the judge and people have a value for."""

    judge: FloatArray
    people: FloatArray
    clusters: tuple[str, ...]
    weights: FloatArray
    """How much each counts."""


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
    """The mean that people would give, from the judge's values of all units and people's of some.

    The mean of people on the labelled units, plus a share of how far the judge's mean over all units is from its mean
    over the labelled ones (Angelopoulos et al. 2023, prediction-powered inference). The share is what makes the
    interval shortest (their PPI++): near 1 for a judge that follows people closely, 0 for one that does not, where
    people's own mean is left. So it is never worse, but for chance, than the labels alone. The variance is that between
    clusters of the linearised estimate, so units of a case may be related, and the labelled units may be among all;
    Student's t allows for few clusters and for the share, which is estimated from them too; near an end of the scale
    the score interval does for the side of the middle, as in :func:`iamhumans.stats.mean_of`.

    Args:
        judged: The judge's value of every unit.
        clusters: The cluster of each of them.
        labelled: Some of them, or others like them, drawn at random with the weights given.
        scale: The least and the greatest value there is.
        weights: How much each of all units counts.
        level: Of the interval.
        one_sided: Each bound at ``level`` by itself.

    Raises:
        ValueError: NaN, or a value off the scale.
    """
    values = np.asarray(judged, dtype=np.float64)
    for one in (values, labelled.judge, labelled.people):
        refuse_missing(one)
        if len(one) and (one.min() < scale[0] or one.max() > scale[1]):
            raise ValueError(f"A value lies outside {scale[0]:g} to {scale[1]:g}.")
    method = "prediction-powered mean"
    own = len(set(labelled.clusters))

    def without(reason: str, value: float | None = None) -> Corrected:
        estimate = Estimate(value, None, None, own, method, level, one_sided, reason)
        return Corrected(estimate, "undefined" if value is None else "given", value, reason if value is None else None)

    if not len(values) or not own:
        return without("Nothing was judged." if not len(values) else "Nothing that the judge judged was labelled.")
    cases = Cases.of([*clusters, *labelled.clusters])
    of_all, of_labelled = cases.codes[: len(values)], cases.codes[len(values) :]
    every = np.ones(len(values)) if weights is None else np.asarray(weights, dtype=np.float64)
    mean_all = float(every @ values / every.sum())
    mine = labelled.weights / labelled.weights.sum()
    mean_judge, mean_people = float(mine @ labelled.judge), float(mine @ labelled.people)
    count = len(cases.ids)
    of_people = np.bincount(of_labelled, weights=mine * (labelled.people - mean_people), minlength=count)
    off = np.bincount(of_all, weights=every / every.sum() * (values - mean_all), minlength=count)
    off -= np.bincount(of_labelled, weights=mine * (labelled.judge - mean_judge), minlength=count)
    spread = float(off @ off)
    share = 0.0 if spread <= 1e-18 else min(1.0, max(0.0, -float(of_people @ off) / spread))
    value = mean_people + share * (mean_all - mean_judge)
    if own < LEAST_CASES_FOR_A_SPREAD:
        return without(too_few_clusters(own), value if scale[0] <= value <= scale[1] else None)
    parts = of_people + share * off
    freedom = own - (2 if share > 0 else 1)
    error = sqrt(float(parts @ parts) * own / freedom)
    if error <= 1e-9 * (scale[1] - scale[0]):
        reason = "The labelled cases are all alike, so they do not show how far the mean would move with others."
        return without(reason, value if scale[0] <= value <= scale[1] else None)
    critical = t_quantile(level if one_sided else (1 + level) / 2, freedom)
    low, high = value - critical * error, value + critical * error
    width = scale[1] - scale[0]
    where = (value - scale[0]) / width
    if 0 < where < 1:
        # As for the mean of a run: near an end of the scale one is less sure on the side of the middle.
        lower, upper = wilson(where, where * (1 - where) / (error / width) ** 2, critical)
        low, high = min(low, scale[0] + lower * width), max(high, scale[0] + upper * width)
    low, high = max(scale[0], low), min(scale[1], high)
    if scale[0] <= value <= scale[1]:
        return Corrected(Estimate(value, low, high, own, method, level, one_sided), "given", value)
    reason = f"The formula gives {value:.2f}, off the scale from {scale[0]:g} to {scale[1]:g}."
    if low > high:
        return Corrected(Estimate(None, None, None, own, method, level, one_sided, reason), "outside", value, reason)
    return Corrected(Estimate(None, low, high, own, method, level, one_sided), "outside", value, reason)


def prediction_powered_rate(
    judged: ArrayLike,
    clusters: Sequence[str],
    labelled: Labelled,
    *,
    weights: ArrayLike | None = None,
    level: float = LEVEL,
    one_sided: bool = False,
) -> Corrected:
    """The rate that people would give; as :func:`prediction_powered_mean`, for answers of 1 and 0.

    Where the labelled clusters are all alike, the spread between them says nothing, and the interval is the score
    interval of the labels alone: none of thirty is not none of all.

    Args:
        judged: The judge's answer on every unit.
        clusters: The cluster of each of them.
        labelled: Some of them, or others like them, drawn at random with the weights given.
        weights: How much each of all units counts.
        level: Of the interval.
        one_sided: Each bound at ``level`` by itself.
    """
    found = prediction_powered_mean(
        judged, clusters, labelled, (0.0, 1.0), weights=weights, level=level, one_sided=one_sided
    )
    value = found.estimate.value
    if value is None or found.estimate.low is not None or found.estimate.n_cases < LEAST_CASES_FOR_A_SPREAD:
        return found
    worth = clustered_worth(labelled.people, labelled.clusters, weights=labelled.weights)
    if worth is None or abs(worth.rate - value) > 1e-9:
        return found
    low, high = worth.bounds(level, one_sided=one_sided)
    method = "labels alone, Wilson, effective number of cases"
    return Corrected(Estimate(worth.rate, low, high, worth.cases, method, level, one_sided), "given", worth.rate)
