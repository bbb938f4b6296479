"""Rates and means over cases, with intervals that hold their level with few cases.

All go by one idea, the score interval of Wilson (1927): a bounded figure near its end is less sure on the side of the
middle. What changes is how many independent tries the cases are worth:

1. one outcome a case: as many as there are cases, which is Wilson's own interval, mended where three cases or fewer
   are of one kind (Brown, Cai and DasGupta 2001, section 4.1.1);
2. several replies a case: the effective number (Kish 1965), from how much the cases differ, with Student's t for the
   uncertainty of that (Korn and Graubard 1998; compared by Franco, Little, Louis and Slud 2019);
3. totals and axes: the same on their scale, and no closer than Student's t.

Decisions use exact bounds (Clopper and Pearson 1934) in place of Wilson's, since a rate that errs to either side of its
level on average may not err to the wrong side of a threshold.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt

import numpy as np

from iamhumans.stats.cases import CaseValues, refuse_missing
from iamhumans.stats.estimate import LEAST_CASES_FOR_A_SPREAD, LEVEL, Estimate
from iamhumans.stats.quantiles import (
    FloatArray,
    beta_quantile,
    binomial_at_most,
    gamma_quantile,
    normal_quantile,
    t_quantile,
)

_FEW_OF_A_KIND = 3
_TINY = 1e-300
PRIOR_WEIGHT = 0.5
"""How many telling cases the assumption weighs that replies of one case all end alike (chosen by simulation)."""


def wilson(rate: float, tries: float, critical: float) -> tuple[float, float]:
    """The score interval of a rate (Wilson 1927; Brown, Cai and DasGupta 2001, formula 4).

    Args:
        rate: From 0 to 1.
        tries: How many independent tries it comes from; need not be whole.
        critical: The quantile, 1.96 for 95 % where the tries are known.
    """
    square = critical * critical
    centre = (rate + square / (2 * tries)) / (1 + square / tries)
    half = critical / (1 + square / tries) * sqrt(rate * (1 - rate) / tries + square / (4 * tries * tries))
    low, high = max(0.0, centre - half), min(1.0, centre + half)
    # What rounding leaves over at the ends would shut out the very rate that was seen.
    return (0.0 if rate == 0 else min(low, rate)), (1.0 if rate == 1 else max(high, rate))


def mended(low: float, high: float, count: int, tries: int, miss: float) -> tuple[float, float]:
    """Wilson's interval with the end mended that is too near where three or fewer are of one kind.

    One of 16 is likelier at a rate of half a percent than Wilson's lower end allows: alone, the interval holds fewer
    than 85 % of such rates. The end is taken from a Poisson count instead (Brown, Cai and DasGupta 2001, section 4.1.1,
    who mend two of up to 50 and three of more; with three throughout, 95 % intervals of 16, 40 and 100 cases hold
    92.3 % at every rate).

    Args:
        low: Wilson's lower end.
        high: Wilson's upper end.
        count: How many of the tries are of the kind.
        tries: All of them.
        miss: One minus the level of the interval.
    """
    if 0 < count <= _FEW_OF_A_KIND:
        low = min(low, gamma_quantile(miss, count) / tries)
    if 0 < tries - count <= _FEW_OF_A_KIND:
        high = max(high, 1 - gamma_quantile(miss, tries - count) / tries)
    return low, high


def exact_bounds(rate: float, tries: float, miss: float) -> tuple[float, float]:
    """The exact bounds of a rate, each missing with at most this probability (Clopper and Pearson 1934)."""
    count = rate * tries
    low = 0.0 if count <= 0 else beta_quantile(miss, count, tries - count + 1)
    high = 1.0 if count >= tries else beta_quantile(1 - miss, count + 1, tries - count)
    return min(low, rate), max(high, rate)


def shown_bounds(count: int, tries: int, least: int, miss: float) -> tuple[float, float]:
    """Exact bounds of a rate of which it is said only if none of the tries is of the kind, or at least some number.

    Who looks only then sees unlucky runs more often than others: five of sixteen where three are to be expected. These
    are the bounds of Clopper and Pearson (1934) for the count given that it is shown; the tails of that distribution
    move with the rate as those of the whole one do, since it is of the same exponential family (Lehmann and Romano
    2005, section 3.4).

    Args:
        count: How many are of the kind; 0, or at least ``least``.
        tries: All of them.
        least: From how many on it is shown.
        miss: The probability with which each bound may miss.
    """
    of = np.array([float(tries)])

    def more_than(few: int, rate: float) -> float:
        return 1 - float(binomial_at_most(np.array([float(few)]), of, rate)[0])

    def as_shown(part: Callable[[float], float]) -> Callable[[float], float]:
        """The probability of a part of what is shown, given that it is."""
        return lambda rate: part(rate) / max(_TINY, (1 - rate) ** tries + more_than(least - 1, rate))

    # Both rise with the rate: this many and more, and more than this many.
    low = 0.0 if count == 0 else _where(as_shown(lambda rate: more_than(count - 1, rate)), miss)
    beyond = max(count, least - 1)
    high = 1.0 if count == tries else _where(as_shown(lambda rate: more_than(beyond, rate)), 1 - miss)
    return low, high


def _where(rises: Callable[[float], float], value: float) -> float:
    """Where a rising function of a rate reaches a value."""
    low, high = 0.0, 1.0
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if rises(middle) < value else (low, middle)
    return (low + high) / 2


@dataclass(frozen=True, slots=True)
class Worth:
    """How much the cases say about a rate."""

    rate: float
    tries: float
    """Independent tries that the cases are worth."""
    freedom: int | None
    """Degrees of freedom of that number; ``None`` where it is known rather than estimated."""
    cases: int

    def bounds(self, level: float, *, one_sided: bool) -> tuple[float, float]:
        """Low and high: Wilson's, or exact one-sided ones."""
        miss = (1 - level) if one_sided else (1 - level) / 2
        normal = normal_quantile(1 - miss)
        critical = normal if self.freedom is None else t_quantile(1 - miss, self.freedom)
        if one_sided:
            low, high = exact_bounds(self.rate, self.tries * (normal / critical) ** 2, miss)
            unseen = 1 - miss ** (1 / self.cases)
        else:
            low, high = wilson(self.rate, self.tries, critical)
            unseen = normal**2 / (self.cases + normal**2)
        # One zeroed reply among many must never allow a lower bound than none at all, so the rate that is possible
        # where nothing was seen stays possible.
        return min(low, 1 - unseen), max(high, unseen)


def worth_of(values: CaseValues) -> Worth:
    """How many independent tries the cases are worth for a rate.

    The design effect is the variance of the case values over that of independent replies. From few telling cases (with
    an outcome of the rarer kind) it is too often too low, so it is drawn towards its worst, replies of one case that
    all end alike, with the weight of half a telling case.
    """
    numbers, count = values.values, len(values)
    rate = float(numbers.mean())
    if values.one_outcome or count == 1:
        return Worth(rate, count, None, count)
    replies = count / float(np.sum(1 / values.replies))
    telling = min(int(np.count_nonzero(numbers > 0)), int(np.count_nonzero(numbers < 1)))
    if telling == 0:
        return Worth(rate, count, None, count)
    effect = max(1.0, float(numbers.var()) * replies / (rate * (1 - rate)))
    effect = (telling * effect + PRIOR_WEIGHT * replies) / (telling + PRIOR_WEIGHT)
    return Worth(rate, count * replies / max(1.0, effect), count - 1, count)


def rate_of(values: CaseValues, *, level: float = LEVEL, one_sided: bool = False) -> Estimate:
    """A rate over cases, from 0 to 1: zero rate, pass rate, a hard fail, a flip rate.

    Wilson's interval, mended at its ends, where there is one outcome a case, else Wilson's with the number of tries
    that the cases are worth. With ``one_sided`` the bounds are exact ones. Never of zero width: none of 16 says "at
    most 19 %", however many replies each case has.

    Raises:
        ValueError: A value outside 0 to 1, or NaN.
    """
    if not len(values):
        return Estimate(None, None, None, 0, "none", level, one_sided, "No case was judged.")
    refuse_missing(values.values)
    if values.values.min() < 0 or values.values.max() > 1:
        raise ValueError("A rate needs values from 0 to 1.")
    worth = worth_of(values)
    low, high = worth.bounds(level, one_sided=one_sided)
    if values.one_outcome and not one_sided:
        low, high = mended(low, high, round(worth.rate * len(values)), len(values), 1 - level)
    name = "Clopper-Pearson" if one_sided else "Wilson"
    method = name if worth.freedom is None else f"{name}, effective number of cases"
    return Estimate(worth.rate, low, high, len(values), method, level, one_sided)


def mean_of(
    values: CaseValues,
    scale: tuple[float, float] = (0.0, 100.0),
    *,
    level: float = LEVEL,
    one_sided: bool = False,
) -> Estimate:
    """A mean over cases on a bounded scale: totals without zeroed ones, an axis.

    On each side the further of two limits: Student's t, and the score interval with the effective number of tries. With
    values that crowd at one end the second reaches further away from it and the first further towards it; each alone is
    too short on one side (by simulation). Withheld below five cases, and where all cases have the same value.

    Do not use it for totals with zeroed ones in them: that is what :func:`iamhumans.stats.two_part` is for.

    Raises:
        ValueError: A value outside the scale.
    """
    count = len(values)
    if not count:
        return Estimate(None, None, None, 0, "none", level, one_sided, "No case was judged.")
    bottom, top = scale
    if values.values.min() < bottom or values.values.max() > top:
        raise ValueError(f"A value lies outside {bottom:g} to {top:g}.")
    mean = float(values.values.mean())
    reason = why_no_spread(values.values)
    if reason:
        return Estimate(mean, None, None, count, "Student's t and score", level, one_sided, reason)
    share = (mean - bottom) / (top - bottom)
    error = float(values.values.std(ddof=1)) / (top - bottom) / sqrt(count)
    critical = t_quantile(level if one_sided else (1 + level) / 2, count - 1)
    low, high = wilson(share, share * (1 - share) / error**2, critical)
    low, high = min(low, share - critical * error), max(high, share + critical * error)
    low, high = max(0.0, low), min(1.0, high)
    width = top - bottom
    return Estimate(mean, bottom + low * width, bottom + high * width, count, "Student's t and score", level, one_sided)


def why_no_spread(numbers: FloatArray) -> str | None:
    """Why these cases cannot say how far their mean would move with other cases; ``None`` where they can."""
    refuse_missing(numbers)
    count = len(numbers)
    if count < LEAST_CASES_FOR_A_SPREAD:
        return (
            f"{'One case is' if count == 1 else f'{count} cases are'} too few to say how far the mean would move "
            f"with other cases; it takes {LEAST_CASES_FOR_A_SPREAD} at least."
        )
    if float(np.ptp(numbers)) <= 1e-9 * max(1.0, float(np.abs(numbers).max())):
        return f"All {count} cases have the same value: they do not show how far the mean would move with other cases."
    return None
