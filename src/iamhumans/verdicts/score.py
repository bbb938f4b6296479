"""From a verdict to a judgement, by the rubric's rule. The judge's own total is compared and never used."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import lru_cache
from math import floor
from typing import Any, NamedTuple

from iamhumans.rubrics import Axis, Rubric
from iamhumans.verdicts.judgement import Judgement, Stated
from iamhumans.verdicts.quotes import confirm_flags
from iamhumans.verdicts.verdict import Asked, Flag, Number, Outcome, Unjudged, Verdict


def score_verdict(
    outcome: Verdict | Unjudged,
    rubric: Rubric,
    asked: Asked = Asked(),  # noqa: B008 - it is frozen
    **place: Any,
) -> Judgement:
    """The judgement that a verdict, or the lack of one, comes to.

    One YES makes the total 0. Otherwise it is the mean of the axes times ten, rounded half up. Without a YES, a judge
    that cannot see every axis and hard fail gives no total.

    Args:
        outcome: What the judge said, with a value for every axis (but for ``unseen`` ones) and flag of the rubric.
        rubric: The rubric that the judge was given.
        asked: The kind of case, for defaults; the reply, for quotes.
        **place: ``row``, ``subject``, ``judge`` and so on, as the judgement names them.

    Raises:
        ValueError: An axis without a default is N/A.
    """
    place.setdefault("case_id", asked.case_id or (outcome.case_id if isinstance(outcome, Verdict) else None))
    if isinstance(outcome, Unjudged):
        return Judgement(status="unjudged", reason=outcome.reason.value, detail=outcome.detail, **place)
    unseen = outcome.unseen
    given = tuple([None if name in unseen else outcome.axes[name] for name in rubric.axis_ids])
    # 8 and 8.0 are one cache key, but are to be given back as the judge wrote them.
    score_axes = _score_axes if float in map(type, given) else _score_whole_axes
    axes = score_axes(rubric, given, unseen, asked.single_turn, asked.repair)
    flags = _confirmed(outcome, asked.reply)
    total, confirmed = _totals(axes.total, flags)
    verdict: Outcome | None = None
    if total is not None:
        verdict = "PASS" if total >= rubric.scoring.pass_mark else "FAIL"
    return Judgement(
        axes=axes.values,
        defaulted=axes.defaulted,
        hard_fails=flags,
        total=total,
        total_confirmed=confirmed,
        axis_total=axes.total,
        applicable_total=axes.applicable,
        verdict=verdict,
        stated=Stated(outcome.stated_total, outcome.stated_verdict),
        differences=_differences(outcome, total, verdict),
        repairs=outcome.repairs,
        notes=outcome.notes,
        **place,
    )


def _confirmed(verdict: Verdict, reply: str | None) -> Mapping[str, Flag]:
    if not any(flag.present for flag in verdict.flags.values()):
        return verdict.flags
    confirmed = confirm_flags(verdict, reply)
    return {
        name: Flag(True, flag.quotes, confirmed[name]) if flag.present else flag for name, flag in verdict.flags.items()
    }


def _totals(axis_total: int | None, flags: Mapping[str, Flag]) -> tuple[int | None, int | None]:
    """The total, and the total without hard fails that no quote confirms."""
    without_yes = None if None in [flag.present for flag in flags.values()] else axis_total
    yes = [flag for flag in flags.values() if flag.present]
    counts = any(flag.confirmed is not False for flag in yes)
    return 0 if yes else without_yes, 0 if counts else without_yes


class _ScoredAxes(NamedTuple):
    values: Mapping[str, Number | None]
    defaulted: tuple[str, ...]
    total: int | None
    applicable: int | None


def _score_axes(
    rubric: Rubric,
    given: tuple[Number | None, ...],
    unseen: frozenset[str],
    single_turn: bool | None,
    repair: bool | None,
) -> _ScoredAxes:
    counted = {
        axis.id: (None, False) if axis.id in unseen else _counted(said, axis, single_turn=single_turn, repair=repair)
        for axis, said in zip(rubric.axes, given, strict=True)
    }
    values = {name: value for name, (value, _) in counted.items()}
    defaulted = tuple(name for name, (_, is_default) in counted.items() if is_default)
    scores = [value for value in values.values() if value is not None]
    at_stake = [value for name, value in values.items() if value is not None and name not in defaulted]
    if len(scores) < len(values):
        return _ScoredAxes(values, defaulted, None, None)
    return _ScoredAxes(values, defaulted, mean_total(scores), mean_total(at_stake) if at_stake else None)


_score_whole_axes = lru_cache(maxsize=4096)(_score_axes)
"""Many verdicts give the same numbers. The result is shared and must not be changed."""


def _counted(value: Number | None, axis: Axis, *, single_turn: bool | None, repair: bool | None) -> tuple[Number, bool]:
    """The value that counts, and whether it is the default."""
    default = axis.default
    if value is None:
        if default is None:
            raise ValueError(f"{axis.id} is N/A and has no default")
        return default.value, True
    if default is None or str(value) not in default.instead_of:
        return value, False
    return value, default.certain(single_turn=single_turn, repair=repair)


def mean_total(values: Iterable[Number]) -> int:
    """Ten times the mean, rounded half up, with exact arithmetic: 79.5 is 80."""
    scores = list(values)
    whole = sum(scores)
    if isinstance(whole, int):
        return (20 * whole + len(scores)) // (2 * len(scores))
    exact = sum(Fraction(str(score)) for score in scores)
    return floor(10 * exact / len(scores) + Fraction(1, 2))


def _differences(outcome: Verdict, total: int | None, verdict: Outcome | None) -> tuple[str, ...]:
    """Which of the judge's own ``total`` and ``verdict`` do not follow from its axes and flags."""
    found = []
    stated = outcome.stated_total
    if None not in (stated, total) and stated != total and floor(Fraction(str(stated)) + Fraction(1, 2)) != total:
        found.append("total")
    if outcome.stated_verdict is not None and verdict not in (None, outcome.stated_verdict):
        found.append("verdict")
    return tuple(found)
