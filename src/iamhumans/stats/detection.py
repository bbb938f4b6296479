"""How well a judge finds what people find: sensitivity, specificity, precision, F1, AUC.

Answers are 1 for YES, 0 for NO, NaN or ``None`` where missing, one for each unit; any other raises ValueError. The
answer of people counts as the truth. ``weights`` is the weight of each unit. A figure that is undefined is ``None``
with a reason, never 0 (Altman and Bland 1994 a and b; van Rijsbergen 1979 for F1; Hanley and McNeil 1982 for AUC).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from iamhumans.stats.measure import At, Measure, Values, additive, coded, midranks, one_hot, paired, ratio, unit_weights
from iamhumans.stats.quantiles import FloatArray

NO_YES = "People said YES to none of these, so sensitivity is unknown."
NO_NO = "People said NO to none of these, so specificity is unknown."
JUDGE_NO_YES = "The judge said YES to none of these, so precision is unknown."
NO_ANSWERS = "No unit has both the judge's answer and people's."


def _of_counts(judge: Values, people: Values, weights: ArrayLike | None, finish: At, undefined: str) -> Measure:
    """A measure of the four counts: both YES, only the judge, only people, both NO."""
    said, true, both = paired(judge, people)
    _refuse_others(said)
    _refuse_others(true)
    parts = np.column_stack([said * true, said * (1 - true), (1 - said) * true, (1 - said) * (1 - true)])
    weight = unit_weights(weights, both)
    return additive(parts, weight, finish, undefined if weight.any() else NO_ANSWERS)


def _refuse_others(answers: FloatArray) -> None:
    if np.any((answers != 0) & (answers != 1)):
        raise ValueError("An answer is 1 for YES or 0 for NO.")


def sensitivity(judge: Values, people: Values, *, weights: ArrayLike | None = None) -> Measure:
    """The share of people's YES that the judge finds; also called recall."""
    return _of_counts(judge, people, weights, lambda n: ratio(n[:, 0], n[:, 0] + n[:, 2]), NO_YES)


def specificity(judge: Values, people: Values, *, weights: ArrayLike | None = None) -> Measure:
    """The share of people's NO to which the judge says NO."""
    return _of_counts(judge, people, weights, lambda n: ratio(n[:, 3], n[:, 1] + n[:, 3]), NO_NO)


def precision(judge: Values, people: Values, *, weights: ArrayLike | None = None) -> Measure:
    """The share of the judge's YES to which people say YES. It falls with prevalence."""
    return _of_counts(judge, people, weights, lambda n: ratio(n[:, 0], n[:, 0] + n[:, 1]), JUDGE_NO_YES)


def f1(judge: Values, people: Values, *, weights: ArrayLike | None = None) -> Measure:
    """The harmonic mean of sensitivity and precision: 2 TP / (2 TP + FP + FN)."""
    reason = "Neither the judge nor people said YES to any of these."
    return _of_counts(judge, people, weights, lambda n: ratio(2 * n[:, 0], 2 * n[:, 0] + n[:, 1] + n[:, 2]), reason)


def prevalence(people: Values, *, weights: ArrayLike | None = None) -> Measure:
    """The share of YES among people's answers."""
    values, _, present = paired(people, people)
    parts = np.column_stack([values, np.ones(len(values))])
    weight = unit_weights(weights, present)
    return additive(parts, weight, lambda sums: ratio(sums[:, 0], sums[:, 1]), "There is no answer.")


def auc(scores: Values, people: Values, *, weights: ArrayLike | None = None) -> Measure:
    """The area under the ROC curve: the probability that a YES scores above a NO, where a tie counts half."""
    given, true, both = paired(scores, people)
    _refuse_others(true)
    weight = unit_weights(weights, both)
    levels, codes = coded(given, both)
    at_level = one_hot(codes, len(levels), both)
    parts = np.column_stack([at_level * true[:, np.newaxis], at_level * (1 - true)[:, np.newaxis]])

    def finish(sums: FloatArray) -> FloatArray:
        yes, no = sums[:, : len(levels)], sums[:, len(levels) :]
        return ratio(np.sum(yes * midranks(no), axis=1), yes.sum(axis=1) * no.sum(axis=1))

    answers = true[weight > 0]
    reason = NO_ANSWERS if not len(answers) else NO_NO if answers.all() else NO_YES
    return additive(parts, weight, finish, reason)
