"""Agreement of raters: raw agreement, Cohen's kappa, Krippendorff's alpha, rank correlation, ICC, bias and slope.

Two raters are two series of the same length; several are a table with a row for each unit and a column for each rater.
NaN or ``None`` is a missing rating; a unit that lacks one it needs is left out. ``weights`` has one for each unit.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from iamhumans.stats.measure import (
    At,
    Measure,
    Table,
    Values,
    additive,
    coded,
    midranks,
    numbers,
    one_hot,
    paired,
    ratio,
    unit_weights,
)
from iamhumans.stats.quantiles import BoolArray, FloatArray

Weighting = Literal["nominal", "linear", "quadratic"]
Scale = Literal["nominal", "ordinal", "interval"]
Rank = Literal["spearman", "kendall"]

_NO_PAIR = "No unit was rated by both."
_ONE_VALUE = "All ratings are the same, so agreement beyond chance is undefined."
_MAX_LEVELS = 40


def raw_agreement(first: Values, second: Values, *, weights: ArrayLike | None = None) -> Measure:
    """The weighted share of units with the same value on both sides."""
    a, b, both = paired(first, second)
    parts = np.column_stack([(a == b).astype(np.float64), np.ones(len(a))])
    return additive(parts, unit_weights(weights, both), lambda sums: ratio(sums[:, 0], sums[:, 1]), _NO_PAIR)


def cohen_kappa(
    first: Values, second: Values, *, weighting: Weighting = "nominal", weights: ArrayLike | None = None
) -> Measure:
    """Cohen's kappa of two raters (Cohen 1960), also weighted (Cohen 1968).

    It is 1 minus the mean disagreement over that of two independent raters with the same marginals. A disagreement
    counts 1 (nominal), the distance of the two values (linear), or its square (quadratic).
    """
    a, b, both = paired(first, second)
    weight = unit_weights(weights, both)
    reason = _ONE_VALUE if weight.any() else _NO_PAIR
    if weighting == "quadratic":
        parts = np.column_stack([np.ones(len(a)), (a - b) ** 2, a, b, a * a + b * b])
        return additive(
            parts, weight, lambda s: 1 - ratio(s[:, 1] * s[:, 0], s[:, 0] * s[:, 4] - 2 * s[:, 2] * s[:, 3]), reason
        )
    levels, codes = coded(np.concatenate([a, b]), np.concatenate([both, both]))
    distance, count = np.abs(levels[:, np.newaxis] - levels), len(levels)
    if weighting == "nominal":
        distance = (distance > 0).astype(np.float64)
    of_a, of_b = codes[: len(a)], codes[len(a) :]
    observed = distance[of_a, of_b] if count else np.zeros(len(a))
    parts = np.column_stack([np.ones(len(a)), observed, one_hot(of_a, count, both), one_hot(of_b, count, both)])

    def finish(sums: FloatArray) -> FloatArray:
        expected = np.sum((sums[:, 2 : 2 + count] @ distance) * sums[:, 2 + count :], axis=1)
        return 1 - ratio(sums[:, 1] * sums[:, 0], expected)

    return additive(parts, weight, finish, reason)


def prevalence_index(first: Values, second: Values, *, weights: ArrayLike | None = None) -> Measure:
    """How far both raters say YES (1) more often than NO (0), from -1 to 1 (Byrt, Bishop and Carlin 1993).

    It is the share of units to which both say YES, less the share to which both say NO. The further it is from 0, the
    lower is kappa at the same raw agreement.
    """
    return _index(first, second, weights, lambda a, b: a + b - 1)


def bias_index(first: Values, second: Values, *, weights: ArrayLike | None = None) -> Measure:
    """How much more often the first rater says YES (1) than the second, from -1 to 1 (Byrt, Bishop and Carlin 1993)."""
    return _index(first, second, weights, lambda a, b: a - b)


def _index(
    first: Values, second: Values, weights: ArrayLike | None, of: Callable[[FloatArray, FloatArray], FloatArray]
) -> Measure:
    a, b, both = paired(first, second)
    parts = np.column_stack([of(a, b), np.ones(len(a))])
    return additive(parts, unit_weights(weights, both), lambda sums: ratio(sums[:, 0], sums[:, 1]), _NO_PAIR)


LEAST_OF_A_LABEL = 5
"""With fewer answers other than the most common one from either rater, agreement is withheld."""


def nearly_one_label(ratings: Table) -> str | None:
    """Why agreement says nothing about these raters: all but a few answers of one of them are the same.

    With so few, one answer more or less moves kappa from poor to good at a raw agreement above 90 % (Feinstein and
    Cicchetti 1990). Five is the usual least count of a cell (Cochran 1954). Only units rated by two or more count.

    Args:
        ratings: A row for each unit and a column for each rater.
    """
    table = _table(ratings)
    table = table[np.count_nonzero(~np.isnan(table), axis=1) >= 2]
    for column in table.T:
        answers = column[~np.isnan(column)]
        _, counts = np.unique(answers, return_counts=True)
        others = len(answers) - int(counts.max()) if len(answers) else LEAST_OF_A_LABEL
        if others < LEAST_OF_A_LABEL:
            return (
                f"All but {others} of {len(answers)} answers of one side are the same, so agreement says little; it"
                f" needs {LEAST_OF_A_LABEL} others from each side."
            )
    return None


def krippendorff_alpha(ratings: Table, *, scale: Scale = "nominal", weights: ArrayLike | None = None) -> Measure:
    """Krippendorff's alpha of any number of raters with missing ratings (Krippendorff 2011; 2019, chapter 12).

    It is 1 minus the observed disagreement over that expected if all ratings were shuffled among the units. A
    disagreement counts 1 (nominal), the squared difference of the values (interval), or that of their middle ranks
    among all ratings (ordinal; equal to Krippendorff's metric). A unit needs two ratings.
    """
    table = _table(ratings)
    present = ~np.isnan(table)
    rated = present.sum(axis=1) >= 2
    raters = np.where(rated, present.sum(axis=1), 2).astype(np.float64)
    present &= rated[:, np.newaxis]
    weight = unit_weights(weights, rated)
    reason = _ONE_VALUE if weight.any() else "No unit was rated by two or more raters."
    if scale == "interval":
        # Centred, since squares of large numbers lose digits.
        values = np.where(present, table - (table[present].mean() if present.any() else 0.0), 0.0)
        first, second = values.sum(axis=1), np.sum(values**2, axis=1)
        within = 2 * (raters * second - first**2) / (raters - 1)
        parts = np.column_stack([present.sum(axis=1).astype(np.float64), first, second, within])
        return additive(parts, weight, _interval_alpha, reason)
    levels, codes = coded(table, present)
    counts = np.zeros((len(table), len(levels)))
    rows = np.broadcast_to(np.arange(len(table))[:, np.newaxis], table.shape)
    np.add.at(counts, (rows[present], codes[present]), 1.0)
    if scale == "nominal":
        parts = np.column_stack([np.where(rated, (raters**2 - np.sum(counts**2, axis=1)) / (raters - 1), 0.0), counts])
        return additive(parts, weight, _nominal_alpha, reason)
    if len(levels) <= _MAX_LEVELS:  # Five times faster, but the table of pairs of levels takes memory.
        pairs = counts[:, :, np.newaxis] * counts[:, np.newaxis, :] / (raters - 1)[:, np.newaxis, np.newaxis]
        pairs = np.where(rated, 1.0, 0.0)[:, np.newaxis] * pairs.reshape(len(table), len(levels) ** 2)
        parts = np.column_stack([counts, pairs])
        return additive(parts, weight, _ordinal_alpha, reason)

    def of_many_levels(rows: FloatArray) -> FloatArray:
        totals = rows @ counts
        ranks = _centred_ranks(totals)
        values = np.where(present, ranks[:, codes], 0.0)
        within = 2 * (raters * np.sum(values**2, axis=2) - values.sum(axis=2) ** 2) / (raters - 1)
        return _alpha_of_ranks(np.sum(rows * within, axis=1), totals, ranks)

    return Measure(of_many_levels, weight, reason, 2 * len(levels))


def _table(ratings: Table) -> FloatArray:
    table = numbers(ratings)
    if table.ndim != 2:
        raise ValueError("Ratings need a row for each unit and a column for each rater.")
    return table


def _nominal_alpha(sums: FloatArray) -> FloatArray:
    total = sums[:, 1:].sum(axis=1)
    return 1 - ratio((total - 1) * sums[:, 0], total**2 - np.sum(sums[:, 1:] ** 2, axis=1))


def _interval_alpha(sums: FloatArray) -> FloatArray:
    total, first, second, observed = sums.T
    return 1 - ratio((total - 1) * observed, 2 * (total * second - first**2))


def _ordinal_alpha(sums: FloatArray) -> FloatArray:
    """From how often each level occurs, and how often each pair of levels occurs for the same unit."""
    levels = int(np.sqrt(sums.shape[1]))
    counts, pairs = sums[:, :levels], sums[:, levels:].reshape(-1, levels, levels)
    ranks = _centred_ranks(counts)
    squares = np.sum(pairs.sum(axis=2) * ranks**2, axis=1)
    return _alpha_of_ranks(2 * (squares - np.einsum("bi,bij,bj->b", ranks, pairs, ranks)), counts, ranks)


def _alpha_of_ranks(observed: FloatArray, counts: FloatArray, ranks: FloatArray) -> FloatArray:
    total = counts.sum(axis=1)
    return 1 - ratio((total - 1) * observed, 2 * total * np.sum(counts * ranks**2, axis=1))


def _centred_ranks(counts: FloatArray) -> FloatArray:
    """Middle ranks minus their mean, so that their squares lose no digits."""
    return np.asarray(midranks(counts) - counts.sum(axis=1, keepdims=True) / 2)


def rank_correlation(
    first: Values, second: Values, *, method: Rank = "spearman", weights: ArrayLike | None = None
) -> Measure:
    """Whether two sides put the units in the same order.

    Spearman's rho (1904) is the correlation of middle ranks. Kendall's tau-b (1945) is the number of concordant minus
    discordant pairs, over the geometric mean of the pairs that are untied on each side.
    """
    a, b, both = paired(first, second)
    weight = unit_weights(weights, both)
    # Units with the same two values count as one point.
    pairs, places = np.unique(np.column_stack([a, b])[both], axis=0, return_inverse=True)
    codes = np.zeros(len(a), dtype=np.intp)
    codes[both] = places.reshape(-1)
    of_first, of_second = pairs.T.reshape(2, -1)
    finish = _kendall(of_first, of_second) if method == "kendall" else _spearman(of_first, of_second)
    reason = "On one side all values are the same, so there is no correlation." if weight.any() else _NO_PAIR
    return additive(one_hot(codes, len(pairs), both), weight, finish, reason)


def _kendall(first: FloatArray, second: FloatArray) -> At:
    of_first, of_second = (np.sign(side[:, np.newaxis] - side) for side in (first, second))
    kinds = (of_first * of_second, of_first**2, of_second**2)

    def finish(counts: FloatArray) -> FloatArray:
        same, untied_first, untied_second = (np.sum((counts @ signs) * counts, axis=1) for signs in kinds)
        return ratio(same, np.sqrt(untied_first * untied_second))

    return finish


def _spearman(first: FloatArray, second: FloatArray) -> At:
    every = np.ones(len(first), dtype=bool)
    places = [coded(side, every)[1] for side in (first, second)]
    columns = [one_hot(codes, int(codes.max(initial=-1)) + 1, every) for codes in places]

    def finish(counts: FloatArray) -> FloatArray:
        a, b = (_centred_ranks(counts @ levels)[:, codes] for levels, codes in zip(columns, places, strict=True))
        squares = np.sum(counts * a * a, axis=1) * np.sum(counts * b * b, axis=1)
        return ratio(np.sum(counts * a * b, axis=1), np.sqrt(squares))

    return finish


@dataclass(frozen=True, slots=True, eq=False)
class Line:
    """The least-squares line of a judge's values on people's, and the mean of judge minus people."""

    bias: Measure
    slope: Measure
    intercept: Measure
    slope_on_truth: Measure | None  # the slope without the noise of the labels; None where that noise is unknown


def bias_and_slope(
    judge: Values, people: Values, *, label_noise: float | None = None, weights: ArrayLike | None = None
) -> Line:
    """The mean difference of a judge from people, and the least-squares line of the judge on people.

    Noise in the labels flattens the line by the factor (variance of the true values) / (variance of the labels)
    (Spearman 1904; Fuller 1987, section 1.2). ``slope_on_truth`` divides by the variance of the labels minus that
    noise, ``label_noise``. (Deming regression would also need the noise of the judge, which is unknown.)
    """
    y, x, both = paired(judge, people)
    weight = unit_weights(weights, both)
    parts = np.column_stack([np.ones(len(y)), y, x, x * y, x * x])
    no_line = "People gave all units the same value, so there is no line." if weight.any() else _NO_PAIR

    def slope_of(sums: FloatArray, noise: float = 0.0) -> FloatArray:
        total, of_y, of_x, products, squares = sums.T
        count = np.maximum(total, 1.0)
        spread = (squares - of_x**2 / count) / count
        # The noise is a variance by n - 1, the spread one by n.
        left = spread - noise * (count - 1) / count
        return np.where(left > 0, ratio((products - of_x * of_y / count) / count, left), np.nan)

    def intercept_of(sums: FloatArray) -> FloatArray:
        return ratio(sums[:, 1] - slope_of(sums) * sums[:, 2], sums[:, 0])

    on_truth = None
    if label_noise is not None:
        all_noise = "The labels of people differ no more between replies than between people."
        on_truth = additive(parts, weight, lambda sums: slope_of(sums, label_noise), all_noise)
    bias = additive(parts, weight, lambda sums: ratio(sums[:, 1] - sums[:, 2], sums[:, 0]), _NO_PAIR)
    slope, intercept = (additive(parts, weight, figure, no_line) for figure in (slope_of, intercept_of))
    return Line(bias, slope, intercept, on_truth)


def icc(
    ratings: Table, *, kind: Literal["absolute", "consistency"] = "absolute", weights: ArrayLike | None = None
) -> Measure:
    """The two-way intraclass correlation of single ratings (Shrout and Fleiss 1979; McGraw and Wong 1996).

    From the mean squares of units (R), raters (C) and error (E), with n units and k raters: consistency is (R - E) / (R
    + (k - 1) E), or ICC(3,1) and ICC(C,1); absolute agreement is (R - E) / (R + (k - 1) E + k (C - E) / n), or ICC(2,1)
    and ICC(A,1). A unit needs all ratings.
    """
    table = _table(ratings)
    raters = table.shape[1]
    whole: BoolArray = np.count_nonzero(~np.isnan(table), axis=1) == max(raters, 2)
    weight = unit_weights(weights, whole)
    values = np.where(whole[:, np.newaxis], table - (table[whole].mean() if whole.any() else 0.0), 0.0)
    means = values.mean(axis=1) if raters else np.zeros(len(table))
    parts = np.column_stack([np.ones(len(table)), np.sum(values**2, axis=1), means**2, values])
    reason = _ONE_VALUE if weight.any() else "No unit was rated by all of two or more raters."
    if np.count_nonzero(weight) == 1:
        reason = "One unit does not show how units differ."

    def finish(sums: FloatArray) -> FloatArray:
        (count, squares, of_means), columns = sums.T[:3], sums[:, 3:]
        centre = columns.sum(axis=1) / raters
        around = centre**2 / np.maximum(count, 1e-9)
        of_units = raters * (of_means - around)
        of_raters = np.sum(columns**2, axis=1) / np.maximum(count, 1e-9) - raters * around
        rest = squares - raters * around - of_units - of_raters
        freedom = np.where(count > 1 + 1e-9, count - 1, np.nan)
        unit, error = of_units / freedom, rest / (freedom * (raters - 1))
        below = unit + (raters - 1) * error
        if kind == "absolute":
            below = below + raters * (of_raters / (raters - 1) - error) / count
        return ratio(unit - error, below)

    return additive(parts, weight, finish, reason)
