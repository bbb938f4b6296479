"""The figures of a summary as estimates, each with its interval and the number of cases that it goes over."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import isnan, sqrt

import numpy as np

from iamhumans.stats.cases import CaseValues
from iamhumans.stats.estimate import LEVEL, Estimate
from iamhumans.stats.intervals import Proportion, mean_of, rate_of
from iamhumans.stats.quantiles import normal_quantile
from iamhumans.stats.totals import TwoPartValues, two_part

RATES = ("flagged_rate", "zero_rate", "pass_rate")
TOTALS = ("mean_applicable_total", "mean_of_rest")
_AXIS = (0.0, 10.0)
NOT_COVERED = Estimate(None, None, None, 0, "none", withheld="The judge cannot see what this figure needs.")


def headline_estimates(
    columns: Mapping[str, tuple[Sequence[float], Sequence[int]]], axis_ids: Sequence[str], *, by_reply: bool = False
) -> Mapping[str, Estimate]:
    """The estimate of each figure from its value in each case and the number of replies behind it; NaN is no value.

    With ``by_reply`` there are clusters in place of cases, and each figure is the mean over replies.
    """
    values = {name: _values(*column, by_reply=by_reply) for name, column in columns.items()}
    found = {name: rate_of(values[name]) for name in RATES}
    found |= {name: mean_of(values[name]) for name in TOTALS}
    found["mean_total"] = _mean_total(values)
    return found | {name: mean_of(values[name], _AXIS) for name in axis_ids}


def _mean_total(values: Mapping[str, CaseValues]) -> Estimate:
    zeroed, plain = values["zero_rate"], values["mean_total"]
    if zeroed.ids == plain.ids:
        return two_part(TwoPartValues(zeroed, values["mean_of_rest"], plain)).mean
    # Where totals are missing, those that are there belong to replies with a YES.
    blank = Estimate(None, None, None, len(plain), "none", withheld="Some replies have no total.")
    return replace(blank, value=plain.mean) if len(plain) else blank


def _values(values: Sequence[float], replies: Sequence[int], *, by_reply: bool) -> CaseValues:
    there = [(str(place), value, count) for place, (value, count) in enumerate(zip(values, replies, strict=True))]
    kept = [one for one in there if not isnan(one[1])]
    ids, numbers, counts = zip(*kept, strict=True) if kept else ((), (), ())
    return CaseValues(tuple(ids), np.array(numbers, dtype=np.float64), np.array(counts, dtype=np.intp), by_reply)


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
