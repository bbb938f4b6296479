"""McNemar, sign flips and Holm, against SciPy, statsmodels and a published example."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as scipy_stats
from statsmodels.stats.contingency_tables import mcnemar as reference_mcnemar
from statsmodels.stats.multitest import multipletests
from tests.stats.figures import many_a_case, paired_outcomes

from iamhumans.stats import changed_test, holm, mcnemar, pair, sign_flip, tarone_holm

# Darwin's maize, differences in eighths of an inch: Fisher (1935), The Design of Experiments, section 21, where 1726 of
# the 32768 ways give a sum as far from 0.
MAIZE = [49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48]


def enumerated(differences: list[float]) -> float:
    found = scipy_stats.permutation_test(
        (np.array(differences),), np.sum, permutation_type="samples", n_resamples=10_000, alternative="two-sided"
    )
    return float(found.pvalue)


def test_fishers_example_has_the_published_p_value() -> None:
    found = sign_flip(MAIZE)

    assert found.p_value == pytest.approx(1726 / 32768)
    assert (found.method, found.n_changed) == ("exact sign flip", 15)


def test_fishers_example_off_any_grid_is_enumerated_to_the_same() -> None:
    assert sign_flip(np.array(MAIZE) * math.pi).p_value == pytest.approx(1726 / 32768)


@given(st.lists(st.integers(-12, 12), min_size=2, max_size=9))
def test_whole_differences_agree_with_scipy(differences: list[int]) -> None:
    assert sign_flip(differences).p_value == pytest.approx(enumerated([float(one) for one in differences]), abs=1e-9)


@given(st.lists(st.floats(-5, 5).filter(lambda one: abs(one) > 1e-3), min_size=2, max_size=9))
def test_any_differences_agree_with_scipy(differences: list[float]) -> None:
    assert sign_flip(differences).p_value == pytest.approx(enumerated(differences), abs=1e-9)


@given(st.integers(0, 40), st.integers(0, 40))
def test_mcnemar_agrees_with_statsmodels(rose: int, fell: int) -> None:
    reference = reference_mcnemar([[3, fell], [rose, 5]], exact=True)

    assert mcnemar(rose, fell).p_value == pytest.approx(float(reference.pvalue), abs=1e-9)


@given(st.integers(0, 40), st.integers(0, 40))
def test_sign_flips_of_single_outcomes_are_mcnemars_test(rose: int, fell: int) -> None:
    assert sign_flip([1.0] * rose + [-1.0] * fell + [0.0]).p_value == pytest.approx(mcnemar(rose, fell).p_value)


@given(st.lists(st.integers(-30, 30), min_size=1, max_size=40))
def test_the_sign_of_everything_does_not_matter(differences: list[int]) -> None:
    assert sign_flip(differences).p_value == pytest.approx(sign_flip([-one for one in differences]).p_value)


@given(st.lists(st.integers(-30, 30), min_size=1, max_size=40), st.sampled_from([1 / 5, 1 / 12, 7.0]))
def test_the_unit_does_not_matter(differences: list[int], unit: float) -> None:
    assert sign_flip([one * unit for one in differences]).p_value == pytest.approx(sign_flip(differences).p_value)


@given(st.lists(st.integers(-30, 30), min_size=1, max_size=40), st.integers(1, 9))
def test_cases_that_did_not_change_do_not_matter(differences: list[int], same: int) -> None:
    assert sign_flip([*differences, *[0] * same]).p_value == pytest.approx(sign_flip(differences).p_value)


def test_nothing_changed_is_p_one() -> None:
    assert sign_flip([0.0, 0.0]).p_value == 1
    assert sign_flip([]).p_value == 1
    assert mcnemar(0, 0).p_value == 1


def test_a_missing_difference_is_refused() -> None:
    with pytest.raises(ValueError, match="NaN"):
        sign_flip([1.0, math.nan])


def test_draws_come_close_to_counting_and_are_the_same_each_time() -> None:
    differences = np.random.default_rng(5).normal(0.4, 1, 30)

    drawn = sign_flip(differences)

    assert drawn.method == "sign flip, 9999 draws"
    assert drawn == sign_flip(differences)
    assert drawn.p_value == pytest.approx(sign_flip(np.round(differences * 1000)).p_value, abs=0.02)


def test_no_draw_as_far_is_not_p_zero() -> None:
    assert sign_flip(np.linspace(1, 2, 60) ** math.pi).p_value == 1 / 10_000


def test_many_cases_go_by_the_normal_limit() -> None:
    differences = np.random.default_rng(6).integers(-9, 10, 6000) + (np.arange(6000) % 20 == 0)

    found = sign_flip(differences)

    wanted = 2 * scipy_stats.norm.sf(abs(differences.sum()) / math.sqrt(float(np.sum(differences.astype(float) ** 2))))
    assert found.method == "sign flip, normal limit"
    assert found.p_value == pytest.approx(wanted)


def test_the_normal_limit_is_close_to_counting() -> None:
    differences = np.random.default_rng(7).integers(-9, 10, 1500) + (np.arange(1500) % 15 == 0)

    counted = sign_flip(differences)
    limit = 2 * scipy_stats.norm.sf(abs(differences.sum()) / math.sqrt(float(np.sum(differences.astype(float) ** 2))))

    assert counted.method == "exact sign flip"
    assert counted.p_value == pytest.approx(limit, abs=2e-3)


def test_a_huge_change_is_not_p_zero() -> None:
    assert 0 < sign_flip([1.0] * 3000).p_value < 1e-300
    assert 0 < sign_flip([1.0] * 6000).p_value < 1e-300
    assert 0 < mcnemar(5000, 0).p_value < 1e-300


def test_one_outcome_a_case_is_tested_by_mcnemar_and_several_by_sign_flips() -> None:
    assert changed_test(paired_outcomes(5, 1, 6, 8)).method == "exact McNemar"
    several = pair(many_a_case([[0, 1], [0, 0]]), many_a_case([[1, 1], [0, 1]]))
    assert changed_test(several).method == "exact sign flip"


P_VALUES = st.dictionaries(st.text(max_size=3), st.floats(0, 1), min_size=1, max_size=12)


@pytest.mark.parametrize("p_values", [(0.01, 0.04, 0.03), (0.5, 0.001, 0.02, 0.02, 0.9, 0.011), (0.7, 0.6)])
def test_holm_agrees_with_statsmodels(p_values: tuple[float, ...]) -> None:
    wanted = multipletests(p_values, method="holm")[1]

    found = holm({str(place): one for place, one in enumerate(p_values)})

    assert list(found.values()) == pytest.approx(list(wanted))


@given(P_VALUES)
def test_the_order_of_the_tests_does_not_matter(p_values: dict[str, float]) -> None:
    assert holm(dict(reversed(p_values.items()))) == holm(p_values)


@given(P_VALUES)
def test_a_corrected_value_is_never_smaller(p_values: dict[str, float]) -> None:
    assert all(corrected >= p_values[name] for name, corrected in holm(p_values).items())


def test_flags_that_can_never_be_significant_cost_the_others_nothing() -> None:
    p_values = {"seen": 0.004, **{f"rare {number}": 0.5 for number in range(9)}}
    changed = {"seen": 9, **{f"rare {number}": 2 for number in range(9)}}
    assert holm(p_values)["seen"] == pytest.approx(0.04)
    corrected = tarone_holm(p_values, changed)
    assert corrected["seen"] == pytest.approx(0.004)
    assert corrected["rare 0"] is None


def test_tests_that_could_all_be_significant_are_corrected_as_by_holm() -> None:
    p_values = {"a": 0.01, "b": 0.02, "c": 0.5}
    assert tarone_holm(p_values, dict.fromkeys(p_values, 20)) == holm(p_values)


def test_which_way_cases_changed_decides_no_exclusion() -> None:
    # Eight changed cases, four each way: the p-value is 1, and still the test is one of two that count.
    corrected = tarone_holm({"a": 1.0, "b": 2.0**-9}, {"a": 10, "b": 10})
    assert corrected == {"a": 1.0, "b": 2 * 2.0**-9}
