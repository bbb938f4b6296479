"""Figures over cases. The case is the unit: the value of a case is the mean over its replies.

Whatever needs numpy or scipy is loaded when it is first asked for, so that commands that only count do not wait for it.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from iamhumans.stats.estimate import LEVEL, Estimate, Settled, no_worse, settle
from iamhumans.stats.multiple import holm
from iamhumans.stats.summary import AxisMean, Observation, Summary, Tally, summarise
from iamhumans.stats.words import say_change, say_needed, say_rate, say_smallest

if TYPE_CHECKING:
    from iamhumans.stats.cases import Cases, CaseValues, Pairs, pair
    from iamhumans.stats.flips import ChangeTest, changed_test, mcnemar, sign_flip
    from iamhumans.stats.intervals import mean_of, rate_of
    from iamhumans.stats.paired import (
        Difference,
        TwoPartDifference,
        mean_difference,
        rate_difference,
        two_part_difference,
    )
    from iamhumans.stats.parts import TwoPart, TwoPartValues, split_totals, two_part
    from iamhumans.stats.power import (
        cases_for_mean_difference,
        cases_for_rate_difference,
        cases_to_settle_difference,
        cases_to_settle_mean,
        cases_to_settle_rate,
        mcnemar_power,
        mean_power,
        smallest_difference,
        smallest_mean_difference,
        smallest_rate_difference,
    )
    from iamhumans.stats.spread import (
        Spread,
        deviation_within_cases,
        flip_rate,
        replies_to_halve,
        spread_of_judgements,
    )

__all__ = [
    "LEVEL",
    "AxisMean",
    "CaseValues",
    "Cases",
    "ChangeTest",
    "Difference",
    "Estimate",
    "Observation",
    "Pairs",
    "Settled",
    "Spread",
    "Summary",
    "Tally",
    "TwoPart",
    "TwoPartDifference",
    "TwoPartValues",
    "cases_for_mean_difference",
    "cases_for_rate_difference",
    "cases_to_settle_difference",
    "cases_to_settle_mean",
    "cases_to_settle_rate",
    "changed_test",
    "deviation_within_cases",
    "flip_rate",
    "holm",
    "mcnemar",
    "mcnemar_power",
    "mean_difference",
    "mean_of",
    "mean_power",
    "no_worse",
    "pair",
    "rate_difference",
    "rate_of",
    "replies_to_halve",
    "say_change",
    "say_needed",
    "say_rate",
    "say_smallest",
    "settle",
    "sign_flip",
    "smallest_difference",
    "smallest_mean_difference",
    "smallest_rate_difference",
    "split_totals",
    "spread_of_judgements",
    "summarise",
    "two_part",
    "two_part_difference",
]

_LATER = {
    "cases": ("CaseValues", "Cases", "Pairs", "pair"),
    "flips": ("ChangeTest", "changed_test", "mcnemar", "sign_flip"),
    "intervals": ("mean_of", "rate_of"),
    "paired": ("Difference", "TwoPartDifference", "mean_difference", "rate_difference", "two_part_difference"),
    "power": (
        "cases_for_mean_difference",
        "cases_for_rate_difference",
        "cases_to_settle_difference",
        "cases_to_settle_mean",
        "cases_to_settle_rate",
        "mcnemar_power",
        "mean_power",
        "smallest_difference",
        "smallest_mean_difference",
        "smallest_rate_difference",
    ),
    "spread": ("Spread", "deviation_within_cases", "flip_rate", "replies_to_halve", "spread_of_judgements"),
    "parts": ("TwoPart", "TwoPartValues", "split_totals", "two_part"),
}
_HOMES = {name: module for module, names in _LATER.items() for name in names}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found: object = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = found
    return found
