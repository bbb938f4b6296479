"""Sentences about a comparison, for readers without statistics."""

from __future__ import annotations

from math import ceil

_MAX_CASES = 10_000


def say_smallest(smallest: float | None, cases: int, *, rate: bool = False) -> str:
    """The smallest difference that a comparison can show: in points, or as a rate from 0 to 1."""
    if smallest is None:
        return f"{_cases(cases)} cannot show any difference."
    size = f"{min(100, ceil(100 * smallest - 1e-9))} percentage" if rate else f"{ceil(10 * smallest - 1e-9) / 10:.1f}"
    return f"{_cases(cases)} show a difference of {size} points or more in four of five tries, smaller ones less often."


def say_needed(needed: int | None) -> str:
    """How many cases would decide a threshold."""
    if needed is None:
        return "No number of cases would decide it at these figures."
    if needed > _MAX_CASES:
        return f"More than {_MAX_CASES:,} cases would be needed to decide it: the figure is too close to the threshold."
    # Two digits, since the number is approximate.
    size = int(10 ** max(0, len(str(needed)) - 2))
    return f"About {-(-needed // size) * size} cases would decide it, in four of five tries, at these figures."


def say_change(p_value: float | None, cases: int, changed: int) -> str:
    """Whether a change is shown, from the p-value corrected for the number of tests."""
    if p_value is None:
        return "There is nothing to compare."
    if changed == 0:
        return f"None of {_cases(cases)} changed."
    if p_value <= 0.05:
        return "A change is shown: chance alone rarely gives one this large."
    if 2 * 0.5**changed > 0.05:
        few = f"Only {_cases(changed)} changed, too few to tell a change from chance."
        return f"{few} At least six must change in the same direction."
    return "No change is shown: chance alone often gives one this large."


def _cases(count: int) -> str:
    return "1 case" if count == 1 else f"{count} cases"
