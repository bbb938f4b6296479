"""From replies to cases: a case's value is the mean over its replies, and runs are paired by case.

Replies without a case, as in logs, are different. Each counts the same, and their clusters (conversations) take the
place of cases in the error: see ``by_reply``.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import ArrayLike

from iamhumans.stats.quantiles import FloatArray, IntArray


@dataclass(frozen=True, slots=True, eq=False)
class CaseValues:
    """One value for each case, with the number of replies that it is the mean of. All three have the same length.

    With ``by_reply`` the ids are clusters, and the figure is the mean over replies: a ratio of two sums over clusters.
    """

    ids: tuple[str, ...]
    values: FloatArray
    replies: IntArray
    by_reply: bool = False

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def one_outcome(self) -> bool:
        """Whether every case has one reply and every value is 0 or 1, so that textbook methods for counts apply."""
        return bool(np.all(self.replies == 1) and np.all((self.values == 0) | (self.values == 1)))

    @property
    def mean(self) -> float:
        """The mean over cases, or over replies."""
        if self.by_reply:
            return float(self.values @ self.replies) / float(self.replies.sum())
        return float(self.values.mean())

    @property
    def standard_error(self) -> float:
        """The standard error of the mean, from the spread between cases.

        That of a mean over replies is linearised (Cochran 1977, chapter 6; Kish 1965, section 6.5): for m clusters
        of n replies with the means y, its square is m / (m - 1) times the sum of (n (y - mean))², over (sum of n)².
        """
        count = len(self.ids)
        if not self.by_reply:
            return float(self.values.std(ddof=1)) / sqrt(count)
        residuals = self.replies * (self.values - self.mean)
        return sqrt(float(residuals @ residuals) * count / (count - 1)) / float(self.replies.sum())

    def only(self, ids: Iterable[str]) -> "CaseValues":
        """The values of these cases, in this object's order."""
        chosen = set(ids)
        return self.at([place for place, one in enumerate(self.ids) if one in chosen])

    def at(self, places: Sequence[int]) -> "CaseValues":
        """The values at these places, in their order."""
        index = np.asarray(places, dtype=np.intp)
        ids = tuple([self.ids[place] for place in places])
        return CaseValues(ids, self.values[index], self.replies[index], self.by_reply)


@dataclass(frozen=True, slots=True, eq=False)
class Cases:
    """Which case each reply belongs to: every case id once, and for each reply the place of its case in ``ids``."""

    ids: tuple[str, ...]
    codes: IntArray
    by_reply: bool = False

    @classmethod
    def of(cls, case_ids: Sequence[str], *, by_reply: bool = False) -> "Cases":
        """The cases of these replies, or with ``by_reply`` their clusters; one id for each reply, in any order."""
        places = {one: place for place, one in enumerate(dict.fromkeys(case_ids))}
        codes = np.fromiter((places[one] for one in case_ids), dtype=np.intp, count=len(case_ids))
        return cls(tuple(places), codes, by_reply)

    def means(self, values: ArrayLike, where: ArrayLike | None = None) -> CaseValues:
        """The mean of each case over the replies that count; a case without one is left out."""
        numbers = np.asarray(values, dtype=np.float64)
        counted = np.ones(len(self.codes), dtype=bool) if where is None else np.asarray(where, dtype=bool)
        if numbers.shape != self.codes.shape or counted.shape != self.codes.shape:
            raise ValueError(f"There are {len(self.codes)} replies and {numbers.size} values.")
        numbers, codes = numbers[counted], self.codes[counted]
        refuse_missing(numbers)
        replies = np.bincount(codes, minlength=len(self.ids)).astype(np.intp)
        sums = np.bincount(codes, weights=numbers, minlength=len(self.ids))
        found = CaseValues(self.ids, sums / np.maximum(replies, 1), replies, self.by_reply)
        return found if replies.all() else found.at(np.flatnonzero(replies).tolist())


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """The cases that two runs share, with the value in each."""

    ids: tuple[str, ...]
    a: CaseValues
    b: CaseValues

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def differences(self) -> FloatArray:
        """B minus A for each case."""
        return np.asarray(self.b.values - self.a.values)

    @property
    def one_outcome(self) -> bool:
        """Whether both runs have one outcome for each case."""
        return self.a.one_outcome and self.b.one_outcome


def pair(a: CaseValues, b: CaseValues) -> Pairs:
    """Two runs paired by case, in A's order."""
    if a.ids == b.ids:
        return Pairs(a.ids, a, b)
    places = {one: place for place, one in enumerate(b.ids)}
    in_a = a.at([place for place, one in enumerate(a.ids) if one in places])
    return Pairs(in_a.ids, in_a, b.at([places[one] for one in in_a.ids]))


def refuse_missing(numbers: FloatArray) -> None:
    """Raise ValueError where a number is NaN or infinite."""
    if not np.all(np.isfinite(numbers)):
        raise ValueError("A value is NaN or infinite. Leave out what was not judged.")
