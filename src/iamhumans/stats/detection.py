"""How well a judge finds what people find: F1 and AUC, and why a figure is undefined.

Answers are 1 for YES, 0 for NO, NaN or ``None`` where missing; any other raises ValueError. The answer of people counts
as the truth. Sensitivity, specificity and precision are rates, see :func:`iamhumans.stats.clustered_rate`. References:
Altman and Bland 1994 a and b; van Rijsbergen 1979 for F1; Hanley and McNeil 1982 for AUC.
"""

import numpy as np
from numpy.typing import ArrayLike

from iamhumans.stats.measure import Measure, Values, additive, coded, midranks, one_hot, paired, ratio, unit_weights
from iamhumans.stats.quantiles import FloatArray

NO_YES = "People said YES to none of these, so sensitivity is unknown."
NO_NO = "People said NO to none of these, so specificity is unknown."
JUDGE_NO_YES = "The judge said YES to none of these, so precision is unknown."
NO_ANSWERS = "No unit has both the judge's answer and people's."


def _refuse_others(answers: FloatArray) -> None:
    if np.any((answers != 0) & (answers != 1)):
        raise ValueError("An answer is 1 for YES or 0 for NO.")


def f1(judge: Values, people: Values, *, weights: ArrayLike | None = None) -> Measure:
    """The harmonic mean of sensitivity and precision: 2 TP / (2 TP + FP + FN)."""
    said, true, both = paired(judge, people)
    _refuse_others(said)
    _refuse_others(true)
    weight = unit_weights(weights, both)
    reason = "Neither the judge nor people said YES to any of these." if weight.any() else NO_ANSWERS
    parts = np.column_stack([2 * said * true, said + true])
    return additive(parts, weight, lambda sums: ratio(sums[:, 0], sums[:, 1]), reason)


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
    return additive(parts, weight, finish, NO_ANSWERS if not len(answers) else NO_NO if answers.all() else NO_YES)
