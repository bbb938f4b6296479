"""What follows from a verdict by the rubric's rule. Nothing here comes from the judge's own total.

1. One YES makes the total 0. Otherwise it is the mean of the axes times ten, rounded half up.
2. PASS is a total of at least the rubric's pass mark.
3. An axis with nothing at stake counts as its default and is marked; ``applicable_total`` leaves it out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import floor

from iamhumans.rubrics import Axis, Rubric
from iamhumans.verdicts.model import Asked, Number, Outcome, Verdict
from iamhumans.verdicts.quotes import confirm_flags


@dataclass(frozen=True, slots=True)
class Score:
    """The figures of one verdict. All totals are whole numbers from 0 to 100."""

    total: int
    outcome: Outcome
    total_confirmed: int
    """The total if flags whose quote does not stand in the reply are left out."""
    axis_total: int
    """The mean of all axes, hard fails aside."""
    applicable_total: int | None
    """The mean of the axes really at stake, hard fails aside; ``None`` where every axis was defaulted."""
    axes: Mapping[str, Number]
    """The axes as they count, defaults filled in."""
    defaulted: tuple[str, ...]
    confirmed: Mapping[str, bool | None]
    differences: tuple[str, ...]
    """Which of the judge's own ``total`` and ``verdict`` do not follow from its axes and flags."""

    @property
    def unconfirmed(self) -> tuple[str, ...]:
        """The flags that say YES without a quote that stands in the reply."""
        return tuple(name for name, confirmed in self.confirmed.items() if confirmed is False)


def score_verdict(verdict: Verdict, rubric: Rubric, asked: Asked = Asked()) -> Score:  # noqa: B008 - it is frozen
    """The score of a verdict.

    Args:
        verdict: What the judge said; has a value for every axis and flag of the rubric.
        rubric: The rubric that it was asked by.
        asked: The case's kind, for defaults; the reply, for quotes.
    """
    given = tuple([verdict.axes[name] for name in rubric.axis_ids])
    # 8 and 8.0 are one key, and what the judge said is to stay as it was said.
    of_axes = _of_axes if float in map(type, given) else _of_whole_axes
    axes, defaulted, axis_total, applicable_total = of_axes(rubric, given, asked.single_turn, asked.repair)
    confirmed = confirm_flags(verdict, asked.reply)
    present = [name for name, flag in verdict.flags.items() if flag.present]
    total = 0 if present else axis_total
    counts = any(confirmed[name] is not False for name in present)
    outcome: Outcome = "PASS" if total >= rubric.scoring.pass_mark else "FAIL"
    return Score(
        total=total,
        outcome=outcome,
        total_confirmed=0 if counts else axis_total,
        axis_total=axis_total,
        applicable_total=applicable_total,
        axes=axes,
        defaulted=defaulted,
        confirmed=confirmed,
        differences=_differences(verdict, total, outcome),
    )


_OfAxes = tuple[Mapping[str, Number], tuple[str, ...], int, int | None]
"""The axes as they count, those that were defaulted, the mean total of all and of the others."""


def _of_axes(
    rubric: Rubric,
    given: tuple[Number | None, ...],
    single_turn: bool | None,
    repair: bool | None,
) -> _OfAxes:
    axes: dict[str, Number] = {}
    defaulted: list[str] = []
    for axis, said in zip(rubric.axes, given, strict=True):
        value, is_default = _counted(said, axis, single_turn=single_turn, repair=repair)
        axes[axis.id] = value
        if is_default:
            defaulted.append(axis.id)
    at_stake = [value for name, value in axes.items() if name not in defaulted]
    applicable = mean_total(at_stake) if at_stake else None
    return axes, tuple(defaulted), mean_total(axes.values()), applicable


_of_whole_axes = lru_cache(maxsize=4096)(_of_axes)
"""Verdicts often give the same numbers. What comes back is shared, and not to be changed."""


def _counted(value: Number | None, axis: Axis, *, single_turn: bool | None, repair: bool | None) -> tuple[Number, bool]:
    """The value that counts, and whether it is the default."""
    default = axis.default
    if value is None:
        if default is None:
            raise ValueError(f"{axis.id} is N/A and has no default; the reader should have refused it")
        return default.value, True
    if default is None or str(value) not in default.instead_of:
        return value, False
    return value, default.certain(single_turn=single_turn, repair=repair)


def mean_total(values: Iterable[Number]) -> int:
    """Ten times the mean, rounded half up, exactly: 79.5 is 80, and no binary fraction decides it."""
    scores = list(values)
    whole = sum(scores)
    if isinstance(whole, int):
        return (20 * whole + len(scores)) // (2 * len(scores))
    exact = sum(Fraction(str(score)) for score in scores)
    return floor(10 * exact / len(scores) + Fraction(1, 2))


def _differences(verdict: Verdict, total: int, outcome: Outcome) -> tuple[str, ...]:
    found = []
    stated = verdict.stated_total
    if stated is not None and stated != total and floor(Fraction(str(stated)) + Fraction(1, 2)) != total:
        found.append("total")
    if verdict.stated_verdict is not None and verdict.stated_verdict != outcome:
        found.append("verdict")
    return tuple(found)
