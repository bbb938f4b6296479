"""What a figure over cases looks like: a value, how far it can be trusted, and in words where that cannot be said."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

LEVEL = 0.95
"""The level of every interval, and of every one-sided bound."""

LEAST_CASES_FOR_A_SPREAD = 5
"""Below this many cases no interval of a mean is given."""

LEAST_ZEROED_CASES = 5
"""With some, but fewer, zeroed cases no interval of the plain mean is given."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A figure with its interval.

    ``value`` is ``None`` where nothing gives it. ``low`` and ``high`` are ``None`` exactly where ``withheld`` says, as
    a sentence for people, why no interval is given.
    """

    value: float | None
    low: float | None
    high: float | None
    n_cases: int
    method: str
    level: float = LEVEL
    one_sided: bool = False
    """True where ``low`` and ``high`` are each a bound of their own at ``level``, as decisions need them; taken
    together they then hold at less."""
    withheld: str | None = None


Settled = Literal["met", "missed", "open"]


def settle(bounds: Estimate, threshold: float, *, at_least: bool) -> Settled:
    """Whether a figure keeps to a threshold, with at most 5 % of wrong answers either way.

    Args:
        bounds: The figure, with one-sided bounds.
        threshold: What is demanded.
        at_least: True where the figure must not be below the threshold, False where it must not be above it.

    Returns:
        ``met`` or ``missed`` where the bound on that side is clear of the threshold, else ``open``.

    Raises:
        ValueError: The bounds are those of a two-sided interval.
    """
    if not bounds.one_sided:
        raise ValueError("A threshold is settled by one-sided bounds: ask for the estimate with one_sided=True.")
    if bounds.low is None or bounds.high is None:
        return "open"
    if at_least:
        return "met" if bounds.low >= threshold else "missed" if bounds.high < threshold else "open"
    return "met" if bounds.high <= threshold else "missed" if bounds.low > threshold else "open"


def no_worse(difference: Estimate, margin: float, *, higher_is_better: bool) -> Settled:
    """Whether B is no worse than A by more than a margin (non-inferiority, one-sided 95 %).

    Args:
        difference: B minus A, with one-sided bounds.
        margin: How much worse is still borne; not negative.
        higher_is_better: True for a mean or a pass rate, False for a rate of failures.

    Returns:
        ``met`` where B is shown to be no worse, ``missed`` where it is shown to be worse by more than the margin,
        else ``open``.

    Raises:
        ValueError: A negative margin, or the bounds of a two-sided interval.
    """
    if not margin >= 0:
        raise ValueError(f"A margin is 0 or more, not {margin}.")
    return settle(difference, -margin if higher_is_better else margin, at_least=higher_is_better)
