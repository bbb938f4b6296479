"""An estimate with its interval, and whether it meets a threshold."""

from dataclasses import dataclass
from typing import Literal

LEVEL = 0.95  # of every interval, and of every one-sided bound
MIN_CASES = 5  # a mean over fewer cases has no interval
MIN_ZEROED_CASES = 5  # the plain mean has no interval where some cases are zeroed, but fewer than this


@dataclass(frozen=True, slots=True)
class Estimate:
    """A figure with its interval. ``low`` and ``high`` are ``None`` exactly where ``withheld`` says why."""

    value: float | None  # None where it is undefined
    low: float | None
    high: float | None
    n_cases: int
    method: str
    level: float = LEVEL
    one_sided: bool = False  # low and high are then separate bounds, each at the level, for a decision
    withheld: str | None = None


Settled = Literal["met", "missed", "open"]


def settle(bounds: Estimate, threshold: float, *, at_least: bool) -> Settled:
    """Whether a figure is at least, or at most, a threshold; ``open`` where its bound is not clear of it."""
    if not bounds.one_sided:
        raise ValueError("A threshold needs one-sided bounds. Ask for the estimate with one_sided=True.")
    if bounds.low is None or bounds.high is None:
        return "open"
    if at_least:
        return "met" if bounds.low >= threshold else "missed" if bounds.high < threshold else "open"
    return "met" if bounds.high <= threshold else "missed" if bounds.low > threshold else "open"


def too_few_cases(count: int) -> str:
    """Why there is no interval with so few cases."""
    cases = "One case is" if count == 1 else f"{count} cases are"
    return f"{cases} too few for an interval; it needs {MIN_CASES} or more."
