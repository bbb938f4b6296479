"""How well a judge finds what people find: the four counts, and the figures that are made of them.

YES and NO are 1 and 0, and people's answer counts as the truth. Everything takes sampling weights and missing values;
a figure that is undefined is ``None`` with a reason in words, never 0 (Altman and Bland 1994 a and b; van Rijsbergen
1979 for F1; Hanley and McNeil 1982 for AUC).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from iamhumans.stats.measure import Measure, Values, additive, coded, indicator, middles, paired, ratio, unit_weights
from iamhumans.stats.quantiles import FloatArray

NO_YES = "People said YES to none of these, so nothing is known of how many a judge would find."
NO_NO = "People said NO to none of these, so nothing is known of how many a judge would leave alone."
JUDGE_NO_YES = "The judge said YES to none of these, so nothing is known of how often its YES is right."
NOTHING = "Nothing has both the judge's answer and people's."


@dataclass(frozen=True, slots=True)
class Confusion:
    """The four counts, weighted where the sample was."""

    both_yes: float
    only_judge: float
    only_people: float
    both_no: float

    @property
    def total(self) -> float:
        """All of them."""
        return self.both_yes + self.only_judge + self.only_people + self.both_no


def confusion(judge: Values, people: Values, *, weights: ArrayLike | None = None) -> Confusion:
    """The four counts over the units that have both answers.

    Args:
        judge: 1 for YES, 0 for NO, NaN or ``None`` where missing.
        people: The same of people.
        weights: How much each unit counts; brought to 1 on average, so that the total is the number of units.

    Raises:
        ValueError: An answer that is neither 0 nor 1.
    """
    parts, kept = _four(judge, people, weights)
    found = kept @ parts
    return Confusion(*(float(one) for one in found))


def _four(judge: Values, people: Values, weights: ArrayLike | None) -> tuple[FloatArray, FloatArray]:
    """A column for each of the four counts, and the weights of the units."""
    said, true, both = paired(judge, people)
    if np.any((said != 0) & (said != 1)) or np.any((true != 0) & (true != 1)):
        raise ValueError("An answer is 1 for YES or 0 for NO.")
    parts = np.column_stack([said * true, said * (1 - true), (1 - said) * true, (1 - said) * (1 - true)])
    return parts, unit_weights(weights, both)


def sensitivity(judge: Values, people: Values, *, weights: ArrayLike | None = None) -> Measure:
    """Of what people say YES to, the share to which the judge does; recall is another word for it."""
    parts, kept = _four(judge, people, weights)
    return additive(
        parts, kept, lambda sums: ratio(sums[:, 0], sums[:, 0] + sums[:, 2]), NO_YES if kept.any() else NOTHING
    )


def specificity(judge: Values, people: Values, *, weights: ArrayLike | None = None) -> Measure:
    """Of what people say NO to, the share to which the judge does."""
    parts, kept = _four(judge, people, weights)
    return additive(
        parts, kept, lambda sums: ratio(sums[:, 3], sums[:, 1] + sums[:, 3]), NO_NO if kept.any() else NOTHING
    )


def precision(judge: Values, people: Values, *, weights: ArrayLike | None = None) -> Measure:
    """Of what the judge says YES to, the share to which people do. It falls with prevalence, whatever the judge."""
    parts, kept = _four(judge, people, weights)
    reason = JUDGE_NO_YES if kept.any() else NOTHING
    return additive(parts, kept, lambda sums: ratio(sums[:, 0], sums[:, 0] + sums[:, 1]), reason)


def f1(judge: Values, people: Values, *, weights: ArrayLike | None = None) -> Measure:
    """The harmonic mean of sensitivity and precision: 2 TP / (2 TP + FP + FN); undefined where nobody says YES."""
    parts, kept = _four(judge, people, weights)
    reason = "Neither the judge nor people said YES to any of these." if kept.any() else NOTHING
    return additive(parts, kept, lambda sums: ratio(2 * sums[:, 0], 2 * sums[:, 0] + sums[:, 1] + sums[:, 2]), reason)


def prevalence(people: Values, *, weights: ArrayLike | None = None) -> Measure:
    """The share of YES among the answers that there are."""
    values, _, there = paired(people, people)
    parts = np.column_stack([values, np.ones(len(values))])
    return additive(
        parts, unit_weights(weights, there), lambda sums: ratio(sums[:, 0], sums[:, 1]), "There is no answer."
    )


def auc(scores: Values, people: Values, *, weights: ArrayLike | None = None) -> Measure:
    """The chance that a unit with a YES scores above one with a NO, a tie counting half: the area under the ROC curve.

    Args:
        scores: A number for each unit, higher where a YES is more likely; NaN or ``None`` where missing.
        people: 1 for YES, 0 for NO, NaN or ``None`` where missing.
        weights: How much each unit counts.
    """
    given, true, both = paired(scores, people)
    if np.any((true != 0) & (true != 1)):
        raise ValueError("An answer is 1 for YES or 0 for NO.")
    kept = unit_weights(weights, both)
    levels, codes = coded(given, both)
    at_level = indicator(codes, len(levels), both)
    parts = np.column_stack([at_level * true[:, np.newaxis], at_level * (1 - true)[:, np.newaxis]])

    def finish(sums: FloatArray) -> FloatArray:
        yes, no = sums[:, : len(levels)], sums[:, len(levels) :]
        return ratio(np.sum(yes * middles(no), axis=1), yes.sum(axis=1) * no.sum(axis=1))

    answers = true[kept > 0]
    reason = NOTHING if not len(answers) else NO_NO if answers.all() else NO_YES
    return additive(parts, kept, finish, reason)
