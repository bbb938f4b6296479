"""From a verdict to a judgement, by the rubric's rule. The judge's own total is compared and never used."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from math import floor
from typing import Any

from iamhumans.rubrics import Rubric
from iamhumans.verdicts.judgement import Judgement, Stated
from iamhumans.verdicts.quotes import confirm_flags
from iamhumans.verdicts.verdict import Asked, Number, Outcome, Unjudged, Verdict


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
        outcome: What the judge said. A verdict has a value for every axis and flag of the rubric, but for its
            ``unseen`` axes.
        rubric: The rubric that the judge was given.
        asked: The kind of case, for defaults; the reply, for quotes.
        **place: ``row``, ``subject``, ``judge`` and so on, as the judgement names them.

    Raises:
        ValueError: An axis without a default is N/A.
    """
    place.setdefault("case_id", asked.case_id or (outcome.case_id if isinstance(outcome, Verdict) else None))
    if isinstance(outcome, Unjudged):
        return Judgement(status="unjudged", reason=outcome.reason.value, detail=outcome.detail, **place)
    axes, defaulted = _counted(outcome, rubric, asked)
    at_stake = [score for name, score in axes.items() if name not in defaulted]
    axis_total = None if None in axes.values() else mean_total(axes.values())
    applicable = None if axis_total is None or not at_stake else mean_total(at_stake)
    flags = confirm_flags(outcome.flags, asked.reply)
    without_yes = None if None in [flag.present for flag in flags.values()] else axis_total
    yes = [flag for flag in flags.values() if flag.present]
    total = 0 if yes else without_yes
    counts = [flag for flag in yes if flag.confirmed is not False]
    verdict: Outcome | None = None
    if total is not None:
        verdict = "PASS" if total >= rubric.scoring.pass_mark else "FAIL"
    stated, differences = outcome.stated_total, []
    if stated is not None and total is not None and not _is_same_total(stated, total):
        # A judge that leaves N/A out of the mean has counted right, by another rule.
        without_na = not yes and applicable is not None and _is_same_total(stated, applicable)
        differences.append("total_without_na" if without_na else "total")
    if outcome.stated_verdict is not None and verdict not in (None, outcome.stated_verdict):
        differences.append("verdict")
    return Judgement(
        axes=axes,
        defaulted=defaulted,
        hard_fails=flags,
        total=total,
        total_confirmed=0 if counts else without_yes,
        axis_total=axis_total,
        applicable_total=applicable,
        verdict=verdict,
        stated=Stated(outcome.stated_total, outcome.stated_verdict),
        differences=tuple(differences),
        repairs=outcome.repairs,
        notes=outcome.notes,
        **place,
    )


def _counted(outcome: Verdict, rubric: Rubric, asked: Asked) -> tuple[dict[str, Number | None], tuple[str, ...]]:
    """The scores that count, and the axes whose score is their default."""
    known = {"single_turn": asked.single_turn is True, "no_repair": asked.repair is False, "always": True}
    values: dict[str, Number | None] = {}
    defaulted = []
    for axis in rubric.axes:
        said = values[axis.id] = None if axis.id in outcome.unseen else outcome.axes[axis.id]
        default = axis.default
        if axis.id in outcome.unseen:
            continue
        if said is None and default is None:
            raise ValueError(f"{axis.id} is N/A and has no default")
        # N/A is believed where the kind of case is unknown; a score is replaced only where it is known.
        if default is not None and (said is None or (str(said) in default.instead_of and known[default.when])):
            values[axis.id] = default.value
            defaulted.append(axis.id)
    return values, tuple(defaulted)


def _is_same_total(stated: Number, total: int) -> bool:
    """Whether a judge's total is ours, apart from rounding."""
    return stated == total or floor(Fraction(str(stated)) + Fraction(1, 2)) == total


def mean_total(values: Iterable[Any]) -> int:
    """Ten times the mean, rounded half up, with exact arithmetic: 79.5 is 80."""
    scores = list(values)
    whole = sum(scores)
    if isinstance(whole, int):
        return (20 * whole + len(scores)) // (2 * len(scores))
    exact = sum(Fraction(str(score)) for score in scores)
    return floor(10 * exact / len(scores) + Fraction(1, 2))
