"""One row of the table of error rates."""

from dataclasses import dataclass
from math import sqrt
from typing import Literal

Kind = Literal["error", "coverage", "exact coverage", "power", "ratio"]


@dataclass(frozen=True, slots=True)
class Row:
    """A share that was measured in a simulation.

    Attributes:
        rule: What is decided, such as ``gate --max-zero-rate``.
        setting: The truth and the design, such as ``100 cases, rate at the threshold``.
        kind: ``error``: a rate of wrong decisions, at most the nominal one. ``coverage``: of an approximate interval.
            ``exact coverage``: at least the nominal one. ``power``: of right decisions. ``ratio``: another figure.
        nominal: The level that is promised, from 0 to 1; ``None`` for a ratio.
        measured: The share, from 0 to 1, or the ratio.
        repetitions: How many runs were made up.
    """

    rule: str
    setting: str
    kind: Kind
    nominal: float | None
    measured: float
    repetitions: int

    @property
    def error(self) -> float:
        """The Monte Carlo standard error of the share."""
        return sqrt(self.measured * (1 - self.measured) / self.repetitions) if self.kind != "ratio" else 0.0

    @property
    def holds(self) -> bool:
        """Whether the share is as promised, up to three Monte Carlo errors (one repetition at least)."""
        if self.nominal is None or self.kind == "power":
            return True
        allowed = 3 * max(self.error, 1 / self.repetitions)
        if self.kind == "error":
            return self.measured <= self.nominal + allowed
        if self.kind == "exact coverage":
            return self.measured >= self.nominal - allowed
        return abs(self.measured - self.nominal) <= 0.02 + allowed
