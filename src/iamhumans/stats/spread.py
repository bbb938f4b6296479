"""Where the differences come from: cases, replies to the same case, or the judge's mood on the same reply."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, sqrt

import numpy as np
from numpy.typing import ArrayLike

from iamhumans.stats.cases import Cases, refuse_missing
from iamhumans.stats.estimate import LEVEL, Estimate
from iamhumans.stats.intervals import rate_of
from iamhumans.stats.quantiles import FloatArray, IntArray


@dataclass(frozen=True, slots=True)
class Spread:
    """Standard deviations at each of three levels; ``None`` where nothing was repeated there.

    Without repeats ``between_replies`` holds what repeats would add as well, and without several replies a case
    ``between_cases`` holds what replies would add.
    """

    between_cases: float | None
    between_replies: float | None
    between_repeats: float | None
    cases: int
    replies: int
    judgements: int
    withheld: str | None = None
    """What cannot be told, and why."""

    @property
    def shares(self) -> dict[str, float]:
        """The share of the variance at each level that is known; empty where there is no variance."""
        squares = {
            name: value * value
            for name, value in (
                ("cases", self.between_cases),
                ("replies", self.between_replies),
                ("repeats", self.between_repeats),
            )
            if value is not None
        }
        whole = sum(squares.values())
        return {name: square / whole for name, square in squares.items()} if whole > 0 else {}


def spread_of_judgements(case_ids: Sequence[str], replies: Sequence[object], values: ArrayLike) -> Spread:
    """Take the variance of judgements apart into that between cases, replies and repeats.

    Nested random effects by the method of moments, for any number of replies and repeats (Henderson 1953, method 1;
    Searle 1971, chapter 11; Gates and Shiue 1962). A variance that comes out negative is given as 0.

    Args:
        case_ids: The case of each judgement.
        replies: What tells the replies of one case apart, for each judgement.
        values: A number for each judgement.

    Raises:
        ValueError: NaN, or sequences of different lengths.
    """
    numbers = np.asarray(values, dtype=np.float64)
    refuse_missing(numbers)
    if not len(case_ids) == len(replies) == len(numbers):
        raise ValueError("Cases, replies and values are not equally many.")
    if not len(numbers):
        return Spread(None, None, None, 0, 0, 0, "Nothing was judged.")
    of_case = Cases.of(case_ids).codes
    of_reply = _codes(case_ids, replies)
    return _moments(of_case, of_reply, numbers)


def _moments(of_case: IntArray, of_reply: IntArray, numbers: FloatArray) -> Spread:
    repeats = np.bincount(of_reply)
    case_of_reply = np.zeros(len(repeats), dtype=np.intp)
    case_of_reply[of_reply] = of_case
    in_case = np.bincount(of_case)
    cases, replies, judgements = len(in_case), len(repeats), len(numbers)
    numbers = numbers - numbers.mean()
    reply_means = np.bincount(of_reply, weights=numbers) / repeats
    case_means = np.bincount(of_case, weights=numbers) / in_case
    within = float(np.sum((numbers - reply_means[of_reply]) ** 2))
    between_replies = float(np.sum(repeats * (reply_means - case_means[case_of_reply]) ** 2))
    between_cases = float(np.sum(in_case * case_means**2))
    # How often each variance counts in the expected mean squares.
    nested = float(np.sum(repeats**2 / in_case[case_of_reply]))
    repeat_variance = within / (judgements - replies) if judgements > replies else None
    reply_variance = case_variance = None
    if replies > cases:
        weight = (judgements - nested) / (replies - cases)
        reply_variance = max(0.0, (between_replies / (replies - cases) - (repeat_variance or 0.0)) / weight)
    if cases > 1:
        of_replies = (nested - float(np.sum(repeats**2)) / judgements) / (cases - 1)
        of_cases = (judgements - float(np.sum(in_case**2)) / judgements) / (cases - 1)
        known = (repeat_variance or 0.0) + of_replies * (reply_variance or 0.0)
        case_variance = max(0.0, (between_cases / (cases - 1) - known) / of_cases)
    return Spread(
        _root(case_variance),
        _root(reply_variance),
        _root(repeat_variance),
        cases,
        replies,
        judgements,
        _what_is_missing(cases, replies, judgements),
    )


def _what_is_missing(cases: int, replies: int, judgements: int) -> str | None:
    missing = []
    if cases < 2:
        missing.append("One case does not show how cases differ.")
    if replies == cases:
        missing.append("Each case has one reply: how replies to the same case differ is not known (--replies).")
    if judgements == replies:
        missing.append("Each reply was judged once: how judgements of the same reply differ is not known (--repeats).")
    return " ".join(missing) or None


def replies_to_halve(spread: Spread) -> tuple[int | None, str]:
    """How many replies a case would halve the interval of the mean, as a number and in words.

    Repeats of each reply and the number of cases stay as they are.
    """
    if spread.between_cases is None or spread.between_replies is None:
        return None, "With one reply a case it cannot be said what more replies would give."
    replies = spread.replies / spread.cases
    repeats = spread.judgements / spread.replies
    within = spread.between_replies**2 + (spread.between_repeats or 0.0) ** 2 / repeats
    between = spread.between_cases**2
    room = (between + within / replies) / 4 - between
    if within == 0 or room <= 0:
        return None, (
            "No number of replies halves the interval, since most of the spread lies between cases; "
            f"{4 * spread.cases} cases would."
        )
    needed = ceil(within / room - 1e-9)
    return needed, f"{needed} replies a case would halve the interval, as would {4 * spread.cases} cases."


def flip_rate(
    case_ids: Sequence[str], replies: Sequence[object], outcomes: ArrayLike, *, level: float = LEVEL
) -> Estimate:
    """How often two judgements of the same reply disagree: on PASS or FAIL, or on one hard fail.

    For each reply the share of the pairs of its judgements that disagree, then the mean over the replies of a case,
    then over cases. Replies that were judged once take no part.

    Args:
        case_ids: The case of each judgement.
        replies: What tells the replies of one case apart, for each judgement.
        outcomes: YES or NO, as booleans.
        level: Of the interval.
    """
    yes = np.asarray(outcomes, dtype=bool)
    of_reply = _codes(case_ids, replies)
    counts = np.bincount(of_reply).astype(np.float64)
    agreed = np.bincount(of_reply, weights=yes)
    first = dict(zip(of_reply[::-1].tolist(), reversed(case_ids), strict=True))
    repeated = counts > 1
    if not repeated.any():
        reason = "No reply was judged twice: how often a judgement flips is not known (--repeats)."
        return Estimate(None, None, None, 0, "none", level, withheld=reason)
    pairs = np.where(repeated, counts * (counts - 1) / 2, 1.0)
    share = agreed * (counts - agreed) / pairs
    cases = Cases.of([first[place] for place in range(len(counts))])
    return rate_of(cases.means(share, where=repeated), level=level)


def deviation_within_cases(case_ids: Sequence[str], values: ArrayLike) -> float | None:
    """The standard deviation of replies to the same case, pooled over cases; ``None`` where no case has two."""
    numbers = np.asarray(values, dtype=np.float64)
    cases = Cases.of(case_ids)
    means = cases.means(numbers)
    spare = len(numbers) - len(means)
    if spare < 1:
        return None
    return sqrt(float(np.sum((numbers - means.values[cases.codes]) ** 2)) / spare)


def _codes(case_ids: Sequence[str], replies: Sequence[object]) -> IntArray:
    keys = list(zip(case_ids, replies, strict=True))
    places = {key: place for place, key in enumerate(dict.fromkeys(keys))}
    return np.fromiter((places[key] for key in keys), dtype=np.intp, count=len(keys))


def _root(variance: float | None) -> float | None:
    return None if variance is None else sqrt(variance)
