"""What figures say, in sentences for people who never took statistics. Rates are given in percent."""

from __future__ import annotations

from math import ceil, floor

from iamhumans.stats.estimate import Estimate


def say_rate(estimate: Estimate, what: str) -> str:
    """A rate with what it does and does not say.

    Args:
        estimate: The rate, from 0 to 1.
        what: What happened, as in "zeroed".
    """
    if estimate.value is None or estimate.low is None or estimate.high is None:
        return estimate.withheld or "Nothing is known."
    cases = _cases(estimate.n_cases)
    if estimate.value == 0:
        return f"None of {cases} {what}; with other cases it may be up to {_percent_up(estimate.high)} %."
    if estimate.value == 1:
        return f"All of {cases} {what}; with other cases it may be as few as {_percent_down(estimate.low)} %."
    between = f"{_percent_down(estimate.low)} to {_percent_up(estimate.high)} %"
    return f"{_share(estimate.value)} {what}, over {cases}; with other cases it may be {between}."


def say_smallest(smallest: float | None, cases: int, *, rate: bool = False) -> str:
    """The smallest difference that a comparison could have shown."""
    if smallest is None:
        return f"{_cases(cases).capitalize()} cannot show any difference."
    size = f"{_percent_up(smallest)} percentage points" if rate else f"{_up(smallest):.1f} points"
    shown = f"{_cases(cases).capitalize()} show a difference of {size} or more in four of five tries"
    return f"{shown}, and smaller ones less often."


_MOST_CASES = 10_000
"""More than anybody will write; a number beyond it says nothing but "too near"."""


def say_needed(needed: int | None) -> str:
    """How many cases would decide."""
    if needed is None:
        return "No number of cases would decide it as the figures stand."
    if needed > _MOST_CASES:
        return f"Not even {_MOST_CASES:,} cases would decide it: the figures are too near to the threshold."
    return f"About {_round_up(needed)} cases would decide it in four of five tries, if the figures stay as they are."


def say_change(p_value: float | None, cases: int, changed: int) -> str:
    """Whether a change was shown, by a p-value that has been corrected for the number of tests."""
    if p_value is None:
        return "There is nothing to compare."
    if changed == 0:
        return f"None of {_cases(cases)} changed."
    if p_value <= 0.05:
        return "A change is shown: chance alone would seldom give one as large."
    least = 2 * 0.5**changed
    if least > 0.05:
        few = f"Only {_cases(changed)} changed, too few to tell a change from chance"
        return f"{few}; it takes six that change the same way."
    return "No change is shown: chance alone often gives one as large."


def _cases(count: int) -> str:
    return "1 case" if count == 1 else f"{count} cases"


def _share(rate: float) -> str:
    return f"{100 * rate:.0f} %" if 0.1 <= rate <= 0.9 else f"{100 * rate:.1f} %"


def _percent_up(rate: float) -> str:
    return f"{min(100, ceil(100 * rate - 1e-9))}"


def _percent_down(rate: float) -> str:
    return f"{max(0, floor(100 * rate + 1e-9))}"


def _up(value: float) -> float:
    return ceil(value * 10 - 1e-9) / 10


def _round_up(count: int) -> int:
    """To two digits, since more would be made up."""
    size = int(10 ** max(0, len(str(count)) - 2))
    return -(-count // size) * size
