"""Checks of what a program hands over. The command line checks its options in the same ranges."""

from collections.abc import Mapping
from typing import Any

from iamhumans.errors import CommandError
from iamhumans.text import one_line

HOW_TO_GET_A_RUN = "`open_journal(path).run(name)` is a run of a journal."


def check_number(name: str, value: Any, least: float, most: float | None = None, *, whole: bool = False) -> None:
    """Raise CommandError for a value that is not a number from ``least`` to ``most``; ``None`` is fine."""
    if value is None:
        return
    kind = int if whole else int | float
    fits = isinstance(value, kind) and not isinstance(value, bool) and value >= least
    if not fits or (most is not None and value > most):
        upto = "or more" if most is None else f"to {most:g}"
        what = "a whole number" if whole else "a number"
        raise CommandError(f"`{name}` is {_shown(value)}.", fix=f"It must be {what}, {least:g} {upto}.")


def check_thresholds(shares: Mapping[str, Any], points: Mapping[str, Any], counts: Mapping[str, Any]) -> None:
    """Raise CommandError for a threshold of a gate that no run can have: shares from 0 to 1, points from 0 to 100."""
    for name, value in shares.items():
        check_number(name, value, 0, 1)
    for name, value in points.items():
        check_number(name, value, 0, 100)
    for name, value in counts.items():
        check_number(name, value, 0, whole=True)


def check_is(name: str, value: Any, kind: type, fix: str) -> None:
    """Raise CommandError for a value of another kind; ``fix`` says how to get one."""
    if not isinstance(value, kind):
        raise CommandError(f"`{name}` is {_shown(value)}, not a {kind.__name__}.", fix=fix)


def _shown(value: Any) -> str:
    return one_line(repr(value), 60)
