"""Agreement of raters, against scikit-learn, SciPy, the ``krippendorff`` package, and published tables."""

from __future__ import annotations

from math import nan
from random import Random
from typing import Literal, get_args

import krippendorff
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats
from sklearn.metrics import cohen_kappa_score
from tests.stats.ratings import Numbers, both, pairs, ratings

from iamhumans.stats import (
    bias_and_slope,
    bias_index,
    cohen_kappa,
    icc,
    krippendorff_alpha,
    nearly_one_label,
    prevalence_index,
    rank_correlation,
    raw_agreement,
)
from iamhumans.stats.agreement import Scale, Weighting

EXACT = 1e-9
FEW = settings(max_examples=40)
SCALES = get_args(Scale)
WEIGHTINGS = get_args(Weighting)

# Krippendorff (2011), "Computing Krippendorff's Alpha-Reliability", section D: four observers, twelve units.
PUBLISHED = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, nan, nan, nan],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, nan, 3],
        [nan, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, nan],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, nan],
    ]
).T
# Shrout and Fleiss (1979), table 2: six targets, four judges.
TARGETS = np.array([[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]], dtype=float)


@pytest.mark.parametrize(("scale", "published"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)])
def test_alpha_is_the_published_one(scale: Scale, published: float) -> None:
    assert krippendorff_alpha(PUBLISHED, scale=scale).value == pytest.approx(published, abs=5e-4)


@pytest.mark.parametrize("scale", SCALES)
@FEW
@given(table=ratings())
def test_alpha_is_that_of_the_krippendorff_package(scale: Scale, table: Numbers) -> None:
    found = krippendorff_alpha(table, scale=scale).value
    if found is None:
        return
    reference = krippendorff.alpha(reliability_data=table.T, level_of_measurement=scale)
    assert found == pytest.approx(reference, abs=EXACT)


@pytest.mark.parametrize("scale", SCALES)
@FEW
@given(table=ratings(missing=False))
def test_alpha_of_perfect_agreement_is_1(scale: Scale, table: Numbers) -> None:
    alike = np.repeat(table[:, :1], 3, axis=1)
    found = krippendorff_alpha(alike, scale=scale)
    assert found.value == pytest.approx(1) if len(np.unique(alike)) > 1 else found.value is None


@pytest.mark.parametrize("scale", SCALES)
@FEW
@given(table=ratings(), random=st.randoms())
def test_it_does_not_matter_to_alpha_who_is_who(scale: Scale, table: Numbers, random: Random) -> None:
    order = list(range(table.shape[1]))
    random.shuffle(order)
    assert same(krippendorff_alpha(table[:, order], scale=scale).value, krippendorff_alpha(table, scale=scale).value)


@given(ratings(), st.permutations(range(5)))
def test_names_of_categories_do_not_matter_to_nominal_alpha(table: Numbers, names: list[int]) -> None:
    renamed = np.where(np.isnan(table), nan, np.array(names, dtype=float)[np.nan_to_num(table).astype(int)])
    assert same(krippendorff_alpha(renamed).value, krippendorff_alpha(table).value)


@given(ratings())
def test_a_rising_transformation_does_not_matter_to_ordinal_alpha(table: Numbers) -> None:
    risen = krippendorff_alpha(np.exp(table), scale="ordinal").value
    assert same(risen, krippendorff_alpha(table, scale="ordinal").value)


@pytest.mark.parametrize("scale", SCALES)
@FEW
@given(table=ratings(missing=False), times=st.integers(2, 4))
def test_a_unit_of_weight_two_is_two_units_in_alpha(scale: Scale, table: Numbers, times: int) -> None:
    weights = np.ones(len(table))
    weights[0] = times
    weighted = krippendorff_alpha(table, scale=scale, weights=weights).value
    more = krippendorff_alpha(np.vstack([table, *[table[:1]] * (times - 1)]), scale=scale).value
    if weighted is None or more is None:
        assert weighted is more
        return
    # Weights say nothing of how many units there are, so the correction for few ratings differs, and nothing else.
    ratings_of_one, ratings_of_other = table.size, table.size + (times - 1) * table.shape[1]
    correction = (1 - 1 / ratings_of_other) / (1 - 1 / ratings_of_one)
    assert 1 - more == pytest.approx((1 - weighted) * correction, abs=EXACT)


@pytest.mark.parametrize("table", [np.array([[1.0, nan], [nan, 2.0]]), np.array([[1.0]]), np.empty((0, 2))])
@pytest.mark.parametrize("scale", SCALES)
def test_alpha_without_two_ratings_of_anything_is_none_with_a_reason(scale: Scale, table: Numbers) -> None:
    found = krippendorff_alpha(table, scale=scale)
    assert (found.value, found.units) == (None, 0)
    assert found.reason == "No unit was rated by two or more raters."


@pytest.mark.parametrize("scale", SCALES)
def test_alpha_of_one_value_is_none_with_a_reason(scale: Scale) -> None:
    found = krippendorff_alpha([[3.0, 3.0], [3.0, 3.0], [3.0, nan]], scale=scale)
    assert (found.value, found.units) == (None, 2)
    assert "All ratings are the same" in (found.reason or "")


@pytest.mark.parametrize("weighting", WEIGHTINGS)
@FEW
@given(pair=pairs())
def test_kappa_is_that_of_scikit_learn(weighting: Weighting, pair: tuple[Numbers, Numbers]) -> None:
    found = cohen_kappa(*pair, weighting=weighting).value
    if found is None:
        return
    known = None if weighting == "nominal" else weighting
    a, b = both(*pair)
    assert found == pytest.approx(cohen_kappa_score(a, b, weights=known, labels=range(5)), abs=EXACT)


@pytest.mark.parametrize("weighting", WEIGHTINGS)
@FEW
@given(pair=pairs(missing=False), data=st.data())
def test_weighted_kappa_is_that_of_scikit_learn(
    weighting: Weighting, pair: tuple[Numbers, Numbers], data: st.DataObject
) -> None:
    weights = data.draw(st.lists(st.integers(1, 9), min_size=len(pair[0]), max_size=len(pair[0])))
    found = cohen_kappa(*pair, weighting=weighting, weights=weights).value
    if found is None:
        return
    known = None if weighting == "nominal" else weighting
    reference = cohen_kappa_score(*pair, weights=known, labels=range(5), sample_weight=weights)
    assert found == pytest.approx(reference, abs=EXACT)


@pytest.mark.parametrize("weighting", WEIGHTINGS)
@FEW
@given(pair=pairs())
def test_kappa_is_the_same_either_way_round(weighting: Weighting, pair: tuple[Numbers, Numbers]) -> None:
    a, b = pair
    assert same(cohen_kappa(b, a, weighting=weighting).value, cohen_kappa(a, b, weighting=weighting).value)


def test_kappa_is_the_published_one() -> None:
    # Cohen (1960), table 1: two judges, three categories, 200 patients.
    counts = [[88, 14, 18], [10, 40, 10], [2, 6, 12]]
    a = [i for i, row in enumerate(counts) for j, n in enumerate(row) for _ in range(n)]
    b = [j for i, row in enumerate(counts) for j, n in enumerate(row) for _ in range(n)]
    assert cohen_kappa(a, b).value == pytest.approx(0.492, abs=5e-4)


@pytest.mark.parametrize("weighting", WEIGHTINGS)
def test_kappa_of_one_category_is_none_with_a_reason(weighting: Weighting) -> None:
    found = cohen_kappa([0, 0, 0], [0, 0, 0], weighting=weighting)
    assert found.value is None
    assert "All ratings are the same" in (found.reason or "")


def test_kappa_follows_from_prevalence_bias_and_raw_agreement() -> None:
    """Kappa follows from raw agreement and these two (Byrt, Bishop and Carlin 1993)."""
    cells = {(1, 1): 118, (1, 0): 5, (0, 1): 2, (0, 0): 0}
    a, b = (np.array([pair[side] for pair, count in cells.items() for _ in range(count)], float) for side in (0, 1))
    assert prevalence_index(a, b).value == pytest.approx(118 / 125)
    assert bias_index(a, b).value == pytest.approx(3 / 125)
    found, kappa = raw_agreement(a, b).value, cohen_kappa(a, b).value
    assert found is not None
    assert kappa is not None
    pabak = 2 * found - 1
    prevalence, bias = 118 / 125, 3 / 125
    # Their equation: kappa from its prevalence- and bias-adjusted value.
    assert kappa == pytest.approx((pabak - prevalence**2 + bias**2) / (1 - prevalence**2 + bias**2))


def test_units_of_one_rater_do_not_decide_whether_a_label_is_absent() -> None:
    alike, differing = [[0.0, 0.0]] * 20, [[1.0, nan]] * 10
    assert nearly_one_label(alike + differing) is not None
    assert nearly_one_label([[0.0, 0.0]] * 5 + [[1.0, 1.0]] * 5) is None
    assert nearly_one_label([[0.0, nan]]) is None


def test_kappa_of_nothing_is_none_with_another_reason() -> None:
    assert cohen_kappa([1, nan], [nan, 0]).reason == "No unit was rated by both."


def test_none_is_a_missing_value() -> None:
    assert raw_agreement([1, None, 0, 1], [1, 1, None, 0]).value == 0.5


@given(pairs(levels=3))
def test_raw_agreement_is_the_share_of_equal_pairs(pair: tuple[Numbers, Numbers]) -> None:
    a, b = both(*pair)
    found = raw_agreement(*pair)
    assert found.units == len(a)
    assert found.value == (pytest.approx(float(np.mean(a == b))) if len(a) else None)


@FEW
@given(pairs())
def test_spearman_is_that_of_scipy(pair: tuple[Numbers, Numbers]) -> None:
    found = rank_correlation(*pair).value
    if found is None:
        return
    assert found == pytest.approx(scipy_stats.spearmanr(*both(*pair)).statistic, abs=EXACT)


@FEW
@given(pairs())
def test_kendall_is_that_of_scipy(pair: tuple[Numbers, Numbers]) -> None:
    found = rank_correlation(*pair, method="kendall").value
    if found is None:
        return
    assert found == pytest.approx(scipy_stats.kendalltau(*both(*pair)).statistic, abs=EXACT)


@pytest.mark.parametrize("method", ["spearman", "kendall"])
@FEW
@given(pair=pairs(missing=False), data=st.data())
def test_ranks_of_a_unit_of_weight_three_are_those_of_three_units(
    method: Literal["spearman", "kendall"], pair: tuple[Numbers, Numbers], data: st.DataObject
) -> None:
    weights = data.draw(st.lists(st.integers(1, 3), min_size=len(pair[0]), max_size=len(pair[0])))
    weighted = rank_correlation(*pair, method=method, weights=weights).value
    repeated = rank_correlation(*(np.repeat(side, weights) for side in pair), method=method).value
    assert same(weighted, repeated)


@pytest.mark.parametrize("method", ["spearman", "kendall"])
def test_ranks_without_spread_have_no_correlation(method: Literal["spearman", "kendall"]) -> None:
    found = rank_correlation([1, 1, 1], [1, 2, 3], method=method)
    assert found.value is None
    assert "all values are the same" in (found.reason or "")


@FEW
@given(pairs())
def test_slope_and_intercept_are_those_of_scipy(pair: tuple[Numbers, Numbers]) -> None:
    judge, people = both(*pair)
    line = bias_and_slope(*pair)
    if line.slope.value is None:
        assert len(np.unique(people)) < 2
        return
    reference = scipy_stats.linregress(people, judge)
    assert line.bias.value == pytest.approx(float(np.mean(judge - people)))
    assert (line.slope.value, line.intercept.value) == pytest.approx((reference.slope, reference.intercept), abs=EXACT)


def test_noise_of_the_labels_flattens_the_slope_and_can_be_taken_out() -> None:
    source = np.random.default_rng(3)
    meant = source.normal(6, 2, 20_000)
    people = meant + source.normal(0, 1, len(meant))
    line = bias_and_slope(meant - 1, people, label_noise=1.0)
    assert line.slope.value == pytest.approx(0.8, abs=0.02)
    assert line.slope_on_truth is not None
    assert line.slope_on_truth.value == pytest.approx(1.0, abs=0.02)


def test_labels_that_are_all_noise_give_no_slope_on_truth() -> None:
    line = bias_and_slope([1, 2, 3], [1, 2, 3], label_noise=5.0)
    assert line.slope_on_truth is not None
    assert line.slope_on_truth.value is None
    assert "no more between replies" in (line.slope_on_truth.reason or "")


@pytest.mark.parametrize(("kind", "published"), [("absolute", 0.29), ("consistency", 0.71)])
def test_icc_is_the_published_one(kind: Literal["absolute", "consistency"], published: float) -> None:
    assert icc(TARGETS, kind=kind).value == pytest.approx(published, abs=0.005)


@given(ratings(raters=(2, 4), missing=False))
def test_an_offset_between_raters_does_not_matter_to_consistency(table: Numbers) -> None:
    moved = table + np.arange(table.shape[1])
    assert same(icc(moved, kind="consistency").value, icc(table, kind="consistency").value)


def test_icc_leaves_out_units_that_a_rater_has_not_rated() -> None:
    more = np.vstack([TARGETS, [nan, 1, 2, 3]])
    assert icc(more).value == icc(TARGETS).value
    assert icc(more).units == 6


@pytest.mark.parametrize("table", [[[1.0], [2.0]], [[1, nan], [2, nan]], [[1, 2]], [[3, 3], [3, 3]]])
def test_icc_is_none_with_a_reason_where_nothing_gives_it(table: list[list[float]]) -> None:
    found = icc(table)
    assert found.value is None
    assert found.reason


def test_weights_that_are_no_weights_are_refused() -> None:
    with pytest.raises(ValueError, match="0 or more"):
        raw_agreement([1, 0], [1, 1], weights=[1, -1])
    with pytest.raises(ValueError, match="3 weights"):
        raw_agreement([1, 0], [1, 1], weights=[1, 1, 1])


def test_sides_of_different_length_are_refused() -> None:
    with pytest.raises(ValueError, match="2 values on one side and 1"):
        raw_agreement([1, 0], [1])


def same(first: float | None, second: float | None, *, within: float = EXACT) -> bool:
    if first is None or second is None:
        return first is second
    return abs(first - second) <= within
