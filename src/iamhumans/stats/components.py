"""How much of the variance is between cases, between replies to one case, and between repeats of the judge."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from iamhumans.stats.cases import refuse_missing
from iamhumans.stats.quantiles import FloatArray, IntArray


@dataclass(frozen=True, slots=True)
class Components:
    """Variances, never below 0. ``None`` where no group has two members, so that nothing is known.

    Attributes:
        case: Between cases.
        reply: Between replies to one case.
        repeat: Between repeats of the judge on one reply.
        cases: How many cases there are.
        replies: Replies to a case, on average.
        repeats: Repeats of a reply, on average.
    """

    case: float | None
    reply: float | None
    repeat: float | None
    cases: int
    replies: float
    repeats: float

    def variance_of_mean(self, *, cases: float = 0, replies: float = 0, repeats: float = 0) -> float | None:
        """The variance of the mean over cases, with so many more cases, replies and repeats; ``None`` if unknown."""
        if self.case is None:
            return None
        replies, repeats = self.replies + replies, self.repeats + repeats
        within = ((self.reply or 0.0) + (self.repeat or 0.0) / repeats) / replies
        return (self.case + within) / (self.cases + cases)


def variance_components(values: ArrayLike, cases: Sequence[Hashable], replies: Sequence[Hashable]) -> Components:
    """The variance components of a nested random-effects model, by the method of moments.

    The mean squares of the nested analysis of variance are set equal to their expectations (Searle, Casella and
    McCulloch 1992, section 5.2), with the coefficients for unequal sizes. Where a level has one member in each group,
    its variance is counted with the level above.

    Args:
        values: One for each judgement, such as its total.
        cases: The case of each judgement.
        replies: The reply of each judgement; a reply belongs to one case.

    Raises:
        ValueError: A value is NaN or infinite.
    """
    numbers = np.asarray(values, dtype=np.float64)
    refuse_missing(numbers)
    if not len(numbers):
        return Components(None, None, None, 0, 0.0, 0.0)
    reply_of, reply_count = _codes(list(zip(cases, replies, strict=True)))
    case_of, case_count = _codes(cases)
    case_of_reply = np.zeros(reply_count, dtype=np.intp)
    case_of_reply[reply_of] = case_of
    in_reply = np.bincount(reply_of, minlength=reply_count).astype(np.float64)
    in_case = np.bincount(case_of, minlength=case_count).astype(np.float64)
    mean, total = float(numbers.mean()), float(len(numbers))
    of_reply, of_case = _means(numbers, reply_of, in_reply), _means(numbers, case_of, in_case)
    within = float(np.sum((numbers - of_reply[reply_of]) ** 2))
    between_replies = float(in_reply @ (of_reply - of_case[case_of_reply]) ** 2)
    between_cases = float(in_case @ (of_case - mean) ** 2)
    squares = float(np.sum(in_reply**2 / in_case[case_of_reply]))
    freedom = (total - reply_count, float(reply_count - case_count), float(case_count - 1))
    repeat = within / freedom[0] if freedom[0] > 0 else None
    reply = None
    if freedom[1] > 0:
        reply = max(0.0, (between_replies - freedom[1] * (repeat or 0.0)) / (total - squares))
    case = None
    if freedom[2] > 0:
        of_replies = squares - float(np.sum(in_reply**2)) / total
        of_cases = total - float(np.sum(in_case**2)) / total
        rest = between_cases - freedom[2] * (repeat or 0.0) - of_replies * (reply or 0.0)
        case = max(0.0, rest / of_cases)
    return Components(case, reply, repeat, case_count, reply_count / case_count, total / reply_count)


def _codes(names: Sequence[Hashable]) -> tuple[IntArray, int]:
    places: dict[Hashable, int] = {}
    codes = np.fromiter((places.setdefault(name, len(places)) for name in names), dtype=np.intp, count=len(names))
    return codes, len(places)


def _means(values: FloatArray, groups: IntArray, sizes: FloatArray) -> FloatArray:
    return np.asarray(np.bincount(groups, weights=values, minlength=len(sizes)) / sizes)
