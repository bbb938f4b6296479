"""Variance components: between cases, between replies to a case, between judgements of a reply; and flip rates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import ArrayLike

from iamhumans.stats.cases import Cases, refuse_missing
from iamhumans.stats.estimate import LEVEL, Estimate
from iamhumans.stats.intervals import rate_of
from iamhumans.stats.quantiles import IntArray


@dataclass(frozen=True, slots=True)
class Spread:
    """Standard deviations at three levels, ``None`` where nothing was repeated, and how many units each level has.

    Without repeats ``between_replies`` includes what repeats would add. With one reply for each case ``between_cases``
    includes what replies would add.
    """

    between_cases: float | None
    between_replies: float | None
    between_repeats: float | None
    cases: int
    replies: int
    judgements: int


def spread_of_judgements(case_ids: Sequence[str], replies: Sequence[object], values: ArrayLike) -> Spread:
    """Split the variance of judgements into that between cases, replies and repeats.

    Nested random effects by the method of moments, for unequal numbers of replies and repeats (Henderson 1953, method
    1; Searle 1971, chapter 11; Gates and Shiue 1962). A negative variance is given as 0. The arguments have an entry
    for each judgement: its case, its reply (unique within the case), its value (NaN raises ValueError).
    """
    numbers = np.asarray(values, dtype=np.float64)
    refuse_missing(numbers)
    if not len(case_ids) == len(replies) == len(numbers):
        raise ValueError("Cases, replies and values differ in length.")
    if not len(numbers):
        return Spread(None, None, None, 0, 0, 0)
    of_case, (_, of_reply) = Cases.of(case_ids).codes, _replies(case_ids, replies)
    repeats, in_case = np.bincount(of_reply), np.bincount(of_case)
    case_of_reply = np.zeros(len(repeats), dtype=np.intp)
    case_of_reply[of_reply] = of_case
    n_cases, n_replies, n_judgements = len(in_case), len(repeats), len(numbers)
    numbers = numbers - numbers.mean()
    reply_means = np.bincount(of_reply, weights=numbers) / repeats
    case_means = np.bincount(of_case, weights=numbers) / in_case
    # How often each variance counts in the expected mean squares.
    nested = float(np.sum(repeats**2 / in_case[case_of_reply]))
    repeat_variance = reply_variance = case_variance = None
    if n_judgements > n_replies:
        repeat_variance = float(np.sum((numbers - reply_means[of_reply]) ** 2)) / (n_judgements - n_replies)
    if n_replies > n_cases:
        squares = float(np.sum(repeats * (reply_means - case_means[case_of_reply]) ** 2))
        weight = (n_judgements - nested) / (n_replies - n_cases)
        reply_variance = max(0.0, (squares / (n_replies - n_cases) - (repeat_variance or 0.0)) / weight)
    if n_cases > 1:
        of_replies = (nested - float(np.sum(repeats**2)) / n_judgements) / (n_cases - 1)
        of_cases = (n_judgements - float(np.sum(in_case**2)) / n_judgements) / (n_cases - 1)
        known = (repeat_variance or 0.0) + of_replies * (reply_variance or 0.0)
        case_variance = max(0.0, (float(np.sum(in_case * case_means**2)) / (n_cases - 1) - known) / of_cases)
    roots = [None if one is None else sqrt(one) for one in (case_variance, reply_variance, repeat_variance)]
    return Spread(roots[0], roots[1], roots[2], n_cases, n_replies, n_judgements)


def flip_rate(
    case_ids: Sequence[str], replies: Sequence[object], outcomes: ArrayLike, *, level: float = LEVEL
) -> Estimate:
    """How often two judgements of the same reply disagree: on PASS or FAIL, or on one hard fail.

    It is the share of the pairs of judgements of a reply that disagree, averaged over replies, then over cases. Replies
    that were judged once are left out. ``outcomes`` are booleans.
    """
    case_of_reply, of_reply = _replies(case_ids, replies)
    counts = np.bincount(of_reply).astype(np.float64)
    yes = np.bincount(of_reply, weights=np.asarray(outcomes, dtype=bool))
    repeated = counts > 1
    if not repeated.any():
        reason = "No reply was judged twice, so the flip rate is unknown (use --repeats)."
        return Estimate(None, None, None, 0, "none", level, withheld=reason)
    pairs = np.where(repeated, counts * (counts - 1) / 2, 1.0)
    return rate_of(Cases.of(case_of_reply).means(yes * (counts - yes) / pairs, where=repeated), level=level)


def _replies(case_ids: Sequence[str], replies: Sequence[object]) -> tuple[list[str], IntArray]:
    """The case of each distinct reply, and for each judgement the place of its reply among them."""
    keys = list(zip(case_ids, replies, strict=True))
    places = {key: place for place, key in enumerate(dict.fromkeys(keys))}
    return [case for case, _ in places], np.array([places[key] for key in keys], dtype=np.intp)
