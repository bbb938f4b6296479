"""The figures of a summary as estimates, each with its interval and the number of cases that it goes over."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import sqrt

import numpy as np

from iamhumans.stats.cases import CaseValues
from iamhumans.stats.estimate import LEVEL, Estimate
from iamhumans.stats.intervals import Proportion, mean_of, rate_of
from iamhumans.stats.quantiles import FloatArray, IntArray, normal_quantile
from iamhumans.stats.totals import TwoPartValues, two_part

RATES = ("flagged_rate", "zero_rate", "pass_rate")
TOTALS = ("mean_applicable_total", "mean_of_rest")
_AXIS = (0.0, 10.0)
NOT_COVERED = Estimate(None, None, None, 0, "none", withheld="The judge cannot see what this figure needs.")


def headline_estimates(
    figures: Sequence[float],
    codes: tuple[Sequence[int], Sequence[int]],
    sizes: tuple[int, int, int],
    names: Sequence[str],
    axis_ids: Sequence[str],
    *,
    by_reply: bool = False,
) -> Mapping[str, Estimate]:
    """The estimate of each figure.

    Args:
        figures: All figures of the first judgement, then of the second, and so on; NaN is no value.
        codes: The reply of each judgement, and the case of each reply; with ``by_reply`` its cluster.
        sizes: How many figures a judgement has, how many replies there are, and how many cases.
        names: The names of the figures; ``axis_ids`` are those that are axes.
        axis_ids: The ids of the axes.
        by_reply: Whether each figure is a mean over replies, whose clusters take the place of cases.
    """
    width, replies, cases = sizes
    table = np.asarray(figures, dtype=np.float64).reshape(-1, width)
    reply_of, case_of = (np.asarray(one, dtype=np.intp) for one in codes)
    ids = tuple(map(str, range(cases)))
    values = {}
    for column, name in enumerate(names):
        means, _ = _means(table[:, column], reply_of, replies)
        of_cases, counts = _means(means, case_of, cases)
        there = np.flatnonzero(counts)
        known = ids if len(there) == cases else tuple([ids[place] for place in there])
        values[name] = CaseValues(known, of_cases[there], counts[there], by_reply)
    found = {name: rate_of(values[name]) for name in RATES}
    found |= {name: mean_of(values[name]) for name in TOTALS}
    found["mean_total"] = _mean_total(values)
    return found | {name: mean_of(values[name], _AXIS) for name in axis_ids}


def _means(values: FloatArray, codes: IntArray, count: int) -> tuple[FloatArray, IntArray]:
    """The mean of each group over what has a value, NaN where nothing has; and how much that is."""
    there = ~np.isnan(values)
    counts = np.bincount(codes[there], minlength=count).astype(np.intp)
    sums = np.bincount(codes[there], weights=values[there], minlength=count)
    return np.where(counts > 0, sums / np.maximum(counts, 1), np.nan), counts


def _mean_total(values: Mapping[str, CaseValues]) -> Estimate:
    zeroed, plain = values["zero_rate"], values["mean_total"]
    if zeroed.ids == plain.ids:
        return two_part(TwoPartValues(zeroed, values["mean_of_rest"], plain)).mean
    # Where totals are missing, those that are there belong to replies with a YES.
    blank = Estimate(None, None, None, len(plain), "none", withheld="Some replies have no total.")
    return replace(blank, value=plain.mean) if len(plain) else blank


def estimates_of_moments(
    moments: Mapping[str, tuple[int, float, float]], axis_ids: Sequence[str], *, clustered: bool = False
) -> Mapping[str, Estimate]:
    """The same where each judgement is a case by itself, from the count, sum and sum of squares of each figure.

    Where they are ``clustered``, they are not independent, and there is no interval.
    """
    found = {name: _rate(*moments[name][:2]) for name in RATES}
    found |= {name: _mean(*moments[name], top=100.0) for name in (*TOTALS, "mean_total")}
    found |= {name: _mean(*moments[name], top=10.0) for name in axis_ids}
    why = "There are too many conversations to hold them all."
    return (
        {name: replace(one, low=None, high=None, withheld=why) for name, one in found.items()} if clustered else found
    )


def _rate(count: int, total: float) -> Estimate:
    if not count:
        return Estimate(None, None, None, 0, "none", withheld="No case was judged.")
    low, high = Proportion(total / count, count, None, count).bounds(LEVEL, one_sided=False)
    return Estimate(total / count, low, high, count, "Wilson")


def _mean(count: int, total: float, squares: float, *, top: float) -> Estimate:
    if not count:
        return Estimate(None, None, None, 0, "none", withheld="No case was judged.")
    mean = total / count
    spread = max(0.0, squares / count - mean * mean)
    reach = normal_quantile((1 + LEVEL) / 2) * sqrt(spread / count)
    return Estimate(mean, max(0.0, mean - reach), min(top, mean + reach), count, "normal")
