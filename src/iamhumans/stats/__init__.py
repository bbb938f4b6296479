"""Estimates, intervals and tests over cases. A case's value is the mean over its replies.

What needs numpy or scipy is loaded when one of its names is first used.
"""
# ruff: noqa: F403 - type checkers find the names that ``__getattr__`` loads through these imports

from importlib import import_module
from typing import TYPE_CHECKING

from iamhumans.stats.estimate import *
from iamhumans.stats.summary import *

if TYPE_CHECKING:
    from iamhumans.stats.agreement import *
    from iamhumans.stats.betting import *
    from iamhumans.stats.bootstrap import *
    from iamhumans.stats.bounded import *
    from iamhumans.stats.bounded_means import *
    from iamhumans.stats.cases import *
    from iamhumans.stats.components import *
    from iamhumans.stats.corrections import *
    from iamhumans.stats.design import *
    from iamhumans.stats.detection import *
    from iamhumans.stats.differences import *
    from iamhumans.stats.intervals import *
    from iamhumans.stats.isotonic import *
    from iamhumans.stats.measure import *
    from iamhumans.stats.net_preference import *
    from iamhumans.stats.power import *
    from iamhumans.stats.significance import *
    from iamhumans.stats.totals import *

_RUNS = (
    *("cases", "intervals", "totals", "significance", "differences", "power"),
    *("bounded", "bounded_means", "betting", "net_preference", "design", "components"),
)
_PEOPLE = ("measure", "bootstrap", "agreement", "detection", "corrections", "isotonic")


def __getattr__(name: str) -> object:
    for module in () if name.startswith("_") else (*_RUNS, *_PEOPLE):
        found = vars(import_module(f"{__name__}.{module}"))
        if name in found:
            return globals().setdefault(name, found[name])
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
