"""From replies to cases: the value of a case is the mean over its replies.

Repeats of one reply have been combined before, like the votes of a panel, so one number comes here for each reply.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from iamhumans.stats.quantiles import FloatArray, IntArray


@dataclass(frozen=True, slots=True, eq=False)
class CaseValues:
    """One value a case, with the number of replies that it is the mean of."""

    ids: tuple[str, ...]
    values: FloatArray
    replies: IntArray

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def one_outcome(self) -> bool:
        """True where every case has one reply and every value is 0 or 1: textbook methods for counts apply."""
        return bool(np.all(self.replies == 1) and np.all((self.values == 0) | (self.values == 1)))

    def only(self, ids: Iterable[str]) -> CaseValues:
        """The values of these cases, in this object's order; for a dimension or a slice."""
        wanted = set(ids)
        keep = np.fromiter((one in wanted for one in self.ids), dtype=bool, count=len(self.ids))
        return CaseValues(_where(self.ids, keep), self.values[keep], self.replies[keep])


@dataclass(frozen=True, slots=True, eq=False)
class Cases:
    """Which case each reply belongs to. Made once, used for every figure of the same replies."""

    ids: tuple[str, ...]
    """Every case once, as first met."""
    codes: IntArray
    """For each reply the place of its case in ``ids``."""

    @classmethod
    def of(cls, case_ids: Sequence[str]) -> Cases:
        """The cases of these replies; one id for each reply, in any order."""
        places = {one: place for place, one in enumerate(dict.fromkeys(case_ids))}
        codes = np.fromiter((places[one] for one in case_ids), dtype=np.intp, count=len(case_ids))
        return cls(tuple(places), codes)

    def means(self, values: ArrayLike, where: ArrayLike | None = None) -> CaseValues:
        """The mean of each case over its replies.

        Args:
            values: One number for each reply.
            where: Which replies count, as booleans; all if not given. A case of which none counts is left out.

        Raises:
            ValueError: Another number of values than of replies, or a value that counts and is NaN or infinite. An
                unjudged reply has no value: leave it out.
        """
        numbers = np.asarray(values, dtype=np.float64)
        counted = np.ones(len(self.codes), dtype=bool) if where is None else np.asarray(where, dtype=bool)
        if numbers.shape != self.codes.shape or counted.shape != self.codes.shape:
            raise ValueError(f"There are {len(self.codes)} replies, and {numbers.size} values for them.")
        numbers, codes = numbers[counted], self.codes[counted]
        refuse_missing(numbers)
        replies = np.bincount(codes, minlength=len(self.ids))
        sums = np.bincount(codes, weights=numbers, minlength=len(self.ids))
        keep = replies > 0
        return CaseValues(_where(self.ids, keep), sums[keep] / replies[keep], replies[keep].astype(np.intp))


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """The cases that two runs share, with the value in each."""

    ids: tuple[str, ...]
    a: CaseValues
    b: CaseValues
    only_a: int
    """Cases that only A has; they take no part."""
    only_b: int

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def differences(self) -> FloatArray:
        """B minus A, case by case."""
        return np.asarray(self.b.values - self.a.values)

    @property
    def one_outcome(self) -> bool:
        """True where both runs have one outcome a case."""
        return self.a.one_outcome and self.b.one_outcome


def pair(a: CaseValues, b: CaseValues) -> Pairs:
    """Two runs side by side, case by case, in A's order."""
    if a.ids == b.ids:
        return Pairs(a.ids, a, b, only_a=0, only_b=0)
    places = {one: place for place, one in enumerate(b.ids)}
    shared = [(i, places[one]) for i, one in enumerate(a.ids) if one in places]
    left = np.array([i for i, _ in shared], dtype=np.intp)
    right = np.array([j for _, j in shared], dtype=np.intp)
    ids = tuple(a.ids[i] for i in left)
    return Pairs(
        ids,
        CaseValues(ids, a.values[left], a.replies[left]),
        CaseValues(ids, b.values[right], b.replies[right]),
        only_a=len(a) - len(ids),
        only_b=len(b) - len(ids),
    )


def refuse_missing(numbers: FloatArray) -> None:
    """Raise ValueError where a number is NaN or infinite: a missing value is left out, never given as a number."""
    if not np.all(np.isfinite(numbers)):
        raise ValueError("NaN or infinity is no value: leave out what was not judged.")


def _where(ids: tuple[str, ...], keep: NDArray[np.bool_]) -> tuple[str, ...]:
    if keep.all():
        return ids
    return tuple(one for one, kept in zip(ids, keep.tolist(), strict=True) if kept)
