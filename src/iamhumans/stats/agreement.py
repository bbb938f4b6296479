"""How far two or more who rated the same units agree.

Everything takes sampling weights and missing values, and is a :class:`~iamhumans.stats.measure.Measure`: its ``value``
is ``None``, with a ``reason`` in words, where the formula gives nothing. Intervals come from
:func:`iamhumans.stats.cluster_interval`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from iamhumans.stats.measure import (
    At,
    BoolArray,
    Measure,
    Table,
    Values,
    additive,
    coded,
    indicator,
    middles,
    numbers,
    paired,
    ratio,
    unit_weights,
)
from iamhumans.stats.quantiles import FloatArray, IntArray

Weighting = Literal["nominal", "linear", "quadratic"]
Scale = Literal["nominal", "ordinal", "interval"]
Rank = Literal["spearman", "kendall"]

NO_PAIR = "Nothing was rated by both."
ONE_VALUE = "All ratings are the same, so there is nothing that chance could not have given."
NO_SPREAD = "On one side all values are the same, so nothing can go with them."
_MOST_LEVELS = 40
"""Of an ordinal scale, for which a table of all two values is held for each unit."""

TOO_FEW_RATED_TWICE = "Nothing was rated by two or more."


def raw_agreement(first: Values, second: Values, *, weights: ArrayLike | None = None) -> Measure:
    """The share of the units on which two agree: the sum of the weights where both say the same over that of all.

    Args:
        first: The values of one side, NaN or ``None`` where missing; units that lack one side take no part.
        second: Those of the other.
        weights: How much each unit counts.
    """
    a, b, both = paired(first, second)
    parts = np.column_stack([(a == b).astype(np.float64), np.ones(len(a))])
    return additive(parts, unit_weights(weights, both), lambda sums: ratio(sums[:, 0], sums[:, 1]), NO_PAIR)


def cohen_kappa(
    first: Values,
    second: Values,
    *,
    weighting: Weighting = "nominal",
    weights: ArrayLike | None = None,
) -> Measure:
    """Cohen's kappa of two raters (Cohen 1960), weighted for degrees of disagreement (Cohen 1968).

    1 minus the mean disagreement over that of two who rate as often so and so, but independently of each other. A
    disagreement counts 1 (nominal), as the distance of the two values (linear), or as its square (quadratic). The
    distance is that of the values themselves, which on a scale in equal steps is the distance of the categories; a
    category that nobody used changes nothing. Undefined where both give one and the same value throughout.

    Args:
        first: The values of one side, NaN or ``None`` where missing; units that lack one side take no part.
        second: Those of the other.
        weighting: What a disagreement counts.
        weights: How much each unit counts.
    """
    a, b, both = paired(first, second)
    kept = unit_weights(weights, both)
    reason = ONE_VALUE if kept.any() else NO_PAIR
    if weighting == "quadratic":
        parts = np.column_stack([np.ones(len(a)), (a - b) ** 2, a, b, a * a + b * b])
        return additive(parts, kept, _quadratic_kappa, reason)
    levels, codes = coded(np.concatenate([a, b]), np.concatenate([both, both]))
    apart = np.abs(levels[:, np.newaxis] - levels)
    if weighting == "nominal":
        apart = (apart > 0).astype(np.float64)
    count = len(levels)
    of_a, of_b = codes[: len(a)], codes[len(a) :]
    seen = apart[of_a, of_b] if count else np.zeros(len(a))
    parts = np.column_stack([np.ones(len(a)), seen, indicator(of_a, count, both), indicator(of_b, count, both)])

    def finish(sums: FloatArray) -> FloatArray:
        total, disagreed = sums[:, 0], sums[:, 1]
        expected = np.sum((sums[:, 2 : 2 + count] @ apart) * sums[:, 2 + count :], axis=1)
        return 1 - ratio(disagreed * total, expected)

    return additive(parts, kept, finish, reason)


def _quadratic_kappa(sums: FloatArray) -> FloatArray:
    total, seen, of_a, of_b, squares = sums.T
    return 1 - ratio(seen * total, total * squares - 2 * of_a * of_b)


def krippendorff_alpha(ratings: Table, *, scale: Scale = "nominal", weights: ArrayLike | None = None) -> Measure:
    """Krippendorff's alpha of any number of raters with missing ratings (Krippendorff 2011; 2019, chapter 12).

    1 minus the disagreement seen over that expected if all ratings were dealt out anew among the units. A
    disagreement counts 1 (nominal), the squared difference of the values (interval), or that of their middle ranks
    among all ratings (ordinal, which is Krippendorff's metric for ranks written otherwise). Units with fewer than two
    ratings take no part. Undefined where all ratings are the same.

    Args:
        ratings: A row for each unit, a column for each rater, NaN or ``None`` where missing.
        scale: What a disagreement counts.
        weights: How much each unit counts.
    """
    table = _table(ratings)
    there = ~np.isnan(table)
    raters = there.sum(axis=1)
    rated = raters >= 2
    there &= rated[:, np.newaxis]
    kept = unit_weights(weights, rated)
    reason = ONE_VALUE if kept.any() else TOO_FEW_RATED_TWICE
    raters = np.where(rated, raters, 2).astype(np.float64)
    levels, codes = coded(table, there)
    counts = np.zeros((len(table), len(levels)))
    rows = np.broadcast_to(np.arange(len(table))[:, np.newaxis], table.shape)
    np.add.at(counts, (rows[there], codes[there]), 1.0)
    if scale == "nominal":
        seen = (raters**2 - np.sum(counts**2, axis=1)) / (raters - 1)
        parts = np.column_stack([np.where(rated, seen, 0.0), counts])
        return additive(parts, kept, _nominal_alpha, reason)
    if scale == "interval":
        # Distances do not change when all values move, and squares of large numbers lose digits.
        values = np.where(there, table - (table[there].mean() if there.any() else 0.0), 0.0)
        parts = np.column_stack(_sums_of_values(values, raters, there))
        return additive(parts, kept, _interval_alpha, reason)

    if len(levels) <= _MOST_LEVELS:
        pairs = counts[:, :, np.newaxis] * counts[:, np.newaxis, :] / (raters - 1)[:, np.newaxis, np.newaxis]
        parts = np.column_stack([counts, np.where(rated, 1.0, 0.0)[:, np.newaxis] * pairs.reshape(len(table), -1)])
        return additive(parts, kept, _ordinal_alpha, reason)
    return Measure(
        lambda rows: _ordinal_alpha_of_many(rows, counts, codes, there, raters), kept, reason, 2 * len(levels)
    )


def _table(ratings: Table) -> FloatArray:
    table = numbers(ratings)
    if table.ndim != 2:
        raise ValueError("Ratings have a row for each unit and a column for each rater.")
    return table


def _nominal_alpha(sums: FloatArray) -> FloatArray:
    seen, counts = sums[:, 0], sums[:, 1:]
    total = counts.sum(axis=1)
    return 1 - ratio((total - 1) * seen, total**2 - np.sum(counts**2, axis=1))


def _sums_of_values(values: FloatArray, raters: FloatArray, there: BoolArray) -> tuple[FloatArray, ...]:
    """For each unit: ratings, their sum, their squares' sum, and the disagreement within it."""
    first, second = values.sum(axis=1), np.sum(values**2, axis=1)
    return there.sum(axis=1).astype(np.float64), first, second, 2 * (raters * second - first**2) / (raters - 1)


def _interval_alpha(sums: FloatArray) -> FloatArray:
    total, first, second, seen = sums.T
    return 1 - ratio((total - 1) * seen, 2 * (total * second - first**2))


def _middle_ranks(shares: FloatArray) -> FloatArray:
    """Less their mean, which is half of all ratings whatever they are: about it the squares lose no digits."""
    ranks: FloatArray = middles(shares) - shares.sum(axis=1, keepdims=True) / 2
    return ranks


def _ordinal_alpha(sums: FloatArray) -> FloatArray:
    """From how often each value was given, and how often each two values for the same unit."""
    levels = int(np.sqrt(sums.shape[1]))
    shares, pairs = sums[:, :levels], sums[:, levels:].reshape(-1, levels, levels)
    ranks = _middle_ranks(shares)
    squares = np.sum(pairs.sum(axis=2) * ranks**2, axis=1)
    seen = 2 * (squares - np.einsum("bi,bij,bj->b", ranks, pairs, ranks))
    return _alpha_of_ranks(seen, shares, ranks)


def _alpha_of_ranks(seen: FloatArray, shares: FloatArray, ranks: FloatArray) -> FloatArray:
    total = shares.sum(axis=1)
    return 1 - ratio((total - 1) * seen, 2 * total * np.sum(shares * ranks**2, axis=1))


def _ordinal_alpha_of_many(
    rows: FloatArray, counts: FloatArray, codes: IntArray, there: BoolArray, raters: FloatArray
) -> FloatArray:
    """The same where there are so many values that a table of two of them would be larger than the ratings."""
    shares = rows @ counts
    ranks = _middle_ranks(shares)
    values = np.where(there, ranks[:, codes], 0.0)
    within = 2 * (raters * np.sum(values**2, axis=2) - values.sum(axis=2) ** 2) / (raters - 1)
    return _alpha_of_ranks(np.sum(rows * within, axis=1), shares, ranks)


def rank_correlation(
    first: Values, second: Values, *, method: Rank = "spearman", weights: ArrayLike | None = None
) -> Measure:
    """Whether two put the units in the same order, however far apart their values lie.

    Spearman's rho (1904) is the correlation of middle ranks; Kendall's tau-b (1945) the difference between the pairs in
    the same and in the opposite order, over the geometric mean of the pairs that are untied on each side. Undefined
    where one side has but one value.

    Args:
        first: The values of one side, NaN or ``None`` where missing; units that lack one side take no part.
        second: Those of the other.
        method: Which of the two.
        weights: How much each unit counts.
    """
    a, b, both = paired(first, second)
    kept = unit_weights(weights, both)
    reason = NO_SPREAD if kept.any() else NO_PAIR
    # Units with the same two values are one and the same to an order.
    pairs, places = np.unique(np.column_stack([a, b])[both], axis=0, return_inverse=True)
    codes = np.zeros(len(a), dtype=np.intp)
    codes[both] = places.reshape(-1)
    of_first, of_second = pairs.T.reshape(2, -1)
    finish = _kendall(of_first, of_second) if method == "kendall" else _spearman(of_first, of_second)
    return additive(indicator(codes, len(pairs), both), kept, finish, reason)


def _kendall(first: FloatArray, second: FloatArray) -> At:
    """From how often each pair of values occurs to tau-b."""
    ahead, above = (np.sign(side[:, np.newaxis] - side) for side in (first, second))
    kinds = (ahead * above, ahead**2, above**2)

    def finish(shares: FloatArray) -> FloatArray:
        same, free_first, free_second = (np.sum((shares @ signs) * shares, axis=1) for signs in kinds)
        return ratio(same, np.sqrt(free_first * free_second))

    return finish


def _spearman(first: FloatArray, second: FloatArray) -> At:
    """From how often each pair of values occurs to rho."""
    every = np.ones(len(first), dtype=bool)
    places = [coded(side, every)[1] for side in (first, second)]
    columns = [indicator(codes, int(codes.max(initial=-1)) + 1, every) for codes in places]

    def finish(shares: FloatArray) -> FloatArray:
        ranks = [_middle_ranks(shares @ levels)[:, codes] for levels, codes in zip(columns, places, strict=True)]
        return _correlation(shares, *ranks)

    return finish


def _correlation(shares: FloatArray, a: FloatArray, b: FloatArray) -> FloatArray:
    """The correlation of middle ranks less their mean, each row with its own shares."""
    return ratio(
        np.sum(shares * a * b, axis=1),
        np.sqrt(np.sum(shares * a * a, axis=1) * np.sum(shares * b * b, axis=1)),
    )


@dataclass(frozen=True, slots=True, eq=False)
class Line:
    """How a judge's values go with people's."""

    bias: Measure
    """The mean of judge minus people."""
    slope: Measure
    """How much the judge's value rises, on average, for one point that people give more."""
    intercept: Measure
    slope_on_truth: Measure | None
    """The slope with the noise of the labels taken out; ``None`` where that noise is not known."""


def bias_and_slope(
    judge: Values,
    people: Values,
    *,
    label_noise: float | None = None,
    weights: ArrayLike | None = None,
) -> Line:
    """The mean difference of a judge from people, and the least-squares line of the judge on people.

    A slope below 1 need not be the judge's fault. Labels are noisy: an extreme label is on average more extreme than
    what it stands for, so the line is flatter than the one on what people mean, by the factor (variance of what is
    meant) / (variance of the labels) (Spearman 1904; Fuller 1987, section 1.2). Where several people rated the same
    replies, their disagreement tells the variance of that noise, and ``slope_on_truth`` divides by the variance of the
    labels less the noise. Deming's regression would need the ratio of the judge's noise to the labels', which nothing
    here tells, so it is not offered.

    Args:
        judge: The judge's values, NaN or ``None`` where missing; units that lack one side take no part.
        people: What people say of the same units.
        label_noise: The variance of the error of ``people``, where it is known.
        weights: How much each unit counts.
    """
    y, x, both = paired(judge, people)
    kept = unit_weights(weights, both)
    parts = np.column_stack([np.ones(len(y)), y, x, x * y, x * x])
    no_line = NO_PAIR if not kept.any() else "People gave all of these the same value, so no line goes through them."

    def slope_of(sums: FloatArray, noise: float = 0.0) -> FloatArray:
        total, of_y, of_x, products, squares = sums.T
        count = np.maximum(total, 1.0)
        spread = (squares - of_x**2 / count) / count
        # Noise is a variance by n - 1, the spread here one by n.
        left = spread - noise * (count - 1) / count
        return np.where(left > 0, ratio((products - of_x * of_y / count) / count, left), np.nan)

    def intercept_of(sums: FloatArray) -> FloatArray:
        total, of_y, of_x = sums.T[:3]
        return ratio(of_y - slope_of(sums) * of_x, total)

    on_truth = None
    if label_noise is not None:
        noise = label_noise
        on_truth = additive(
            parts, kept, lambda sums: slope_of(sums, noise), "People differ among themselves as much as the replies do."
        )
    return Line(
        bias=additive(parts, kept, lambda sums: ratio(sums[:, 1] - sums[:, 2], sums[:, 0]), NO_PAIR),
        slope=additive(parts, kept, slope_of, no_line),
        intercept=additive(parts, kept, intercept_of, no_line),
        slope_on_truth=on_truth,
    )


def icc(
    ratings: Table, *, kind: Literal["absolute", "consistency"] = "absolute", weights: ArrayLike | None = None
) -> Measure:
    """The intraclass correlation of single ratings, two-way (Shrout and Fleiss 1979; McGraw and Wong 1996).

    From the mean squares of units (R), raters (C) and the rest (E), with n units and k raters: consistency is
    (R - E) / (R + (k - 1) E), their ICC(3,1) and ICC(C,1); absolute agreement is
    (R - E) / (R + (k - 1) E + k (C - E) / n), ICC(2,1) and ICC(A,1). The first asks for the same order and distances,
    the second for the same values: a judge who gives everything two points less is perfectly consistent. Units that any
    rater has not rated take no part.

    Args:
        ratings: A row for each unit, a column for each rater, NaN or ``None`` where missing.
        kind: Whether an offset between raters counts as disagreement.
        weights: How much each unit counts.
    """
    table = _table(ratings)
    raters = table.shape[1]
    whole: BoolArray = np.count_nonzero(~np.isnan(table), axis=1) == max(raters, 2)
    kept = unit_weights(weights, whole)
    values = np.where(whole[:, np.newaxis], table - (table[whole].mean() if whole.any() else 0.0), 0.0)
    means = values.mean(axis=1) if raters else np.zeros(len(table))
    parts = np.column_stack([np.ones(len(table)), np.sum(values**2, axis=1), means**2, values])
    reason = ONE_VALUE if kept.any() else "Nothing was rated by all of two or more raters."
    if np.count_nonzero(kept) == 1:
        reason = "One unit does not show how units differ."

    def finish(sums: FloatArray) -> FloatArray:
        count, squares, of_means = sums.T[:3]
        columns = sums[:, 3:]
        centre = columns.sum(axis=1) / raters
        around = centre**2 / np.maximum(count, 1e-9)
        of_units = raters * (of_means - around)
        of_raters = np.sum(columns**2, axis=1) / np.maximum(count, 1e-9) - raters * around
        rest = squares - raters * around - of_units - of_raters
        spare = np.where(count > 1 + 1e-9, count - 1, np.nan)
        unit, error = of_units / spare, rest / (spare * (raters - 1))
        below = unit + (raters - 1) * error
        if kind == "absolute":
            below = below + raters * (of_raters / (raters - 1) - error) / count
        return ratio(unit - error, below)

    return additive(parts, kept, finish, reason)
