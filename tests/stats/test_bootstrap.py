"""Intervals of clustered units."""

from __future__ import annotations

from math import nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.stats.figures import outcomes
from tests.stats.ratings import four_raters_eight_scenarios

from iamhumans.stats import (
    Estimate,
    cluster_bootstrap,
    clustered_rate,
    cohen_kappa,
    krippendorff_alpha,
    rate_of,
    raw_agreement,
)
from iamhumans.stats.measure import additive


def width(estimate: Estimate) -> float:
    assert estimate.low is not None
    assert estimate.high is not None
    return estimate.high - estimate.low


def test_percentiles_are_those_of_drawing_whole_clusters_with_replacement() -> None:
    table, clusters = four_raters_eight_scenarios()
    found = cluster_bootstrap(krippendorff_alpha(table, scale="ordinal"), clusters, method="percentile")
    # The same by hand: a drawn scenario comes with all its units, as often as it is drawn.
    source = np.random.default_rng(1)
    names = sorted(set(clusters))
    of = {name: table[[one == name for one in clusters]] for name in names}
    drawn = [
        krippendorff_alpha(np.vstack([of[name] for name in source.choice(names, len(names))]), scale="ordinal").value
        for _ in range(1_000)
    ]
    low, high = np.quantile([one for one in drawn if one is not None], [0.025, 0.975])
    assert (found.low, found.high) == pytest.approx((low, high), abs=0.03)
    assert found.n_cases == 8


def test_the_interval_is_the_same_every_time() -> None:
    table, clusters = four_raters_eight_scenarios()
    measure = krippendorff_alpha(table)
    assert cluster_bootstrap(measure, clusters) == cluster_bootstrap(measure, clusters)


def test_allowing_for_few_clusters_makes_it_wider() -> None:
    table, clusters = four_raters_eight_scenarios()
    measure = krippendorff_alpha(table)
    assert width(cluster_bootstrap(measure, clusters)) > width(
        cluster_bootstrap(measure, clusters, method="percentile")
    )


def test_units_that_go_together_widen_it() -> None:
    source = np.random.default_rng(2)
    yes = np.repeat(source.random(20) < 0.5, 5).astype(float)
    measure = raw_agreement(yes, np.ones(100))
    together = [f"case-{number // 5}" for number in range(100)]
    apart = [f"case-{number}" for number in range(100)]
    assert width(cluster_bootstrap(measure, together)) > 1.7 * width(cluster_bootstrap(measure, apart))


def test_the_interval_of_a_mean_is_about_the_textbook_one() -> None:
    values = np.random.default_rng(4).normal(0, 1, 200)
    parts = np.column_stack([values, np.ones(200)])
    mean = additive(parts, np.ones(200), lambda sums: sums[:, 0] / sums[:, 1], "")
    found = cluster_bootstrap(mean, [str(one) for one in range(200)])
    assert width(found) == pytest.approx(2 * 1.97 * values.std(ddof=1) / np.sqrt(200), rel=0.07)


def test_four_clusters_are_too_few_to_say() -> None:
    found = cluster_bootstrap(raw_agreement([1, 0, 1, 1], [1, 1, 1, 0]), list("abcd"))
    assert (found.value, found.low, found.high) == (0.5, None, None)
    assert "4 cases are too few" in (found.withheld or "")


def test_a_figure_that_most_draws_lack_has_no_interval() -> None:
    judge = [1.0] + [0.0] * 9
    found = cluster_bootstrap(cohen_kappa(judge, judge), [str(one) for one in range(10)])
    assert found.value == pytest.approx(1)
    assert "undefined in more than 5 %" in (found.withheld or "")


def test_perfect_agreement_has_no_interval_of_zero_width() -> None:
    found = cluster_bootstrap(raw_agreement([1, 0] * 10, [1, 0] * 10), [str(one) for one in range(20)])
    assert (found.value, found.low) == (1, None)
    assert "Every draw" in (found.withheld or "")


def test_an_undefined_figure_keeps_its_reason() -> None:
    found = cluster_bootstrap(cohen_kappa([0, 0], [0, 0]), ["a", "b"])
    assert found.value is None
    assert "All ratings are the same" in (found.withheld or "")


def test_clusters_in_which_nothing_takes_part_do_not_count() -> None:
    judge = [1, 0, 1, 1, 0, 1, nan, nan]
    found = cluster_bootstrap(raw_agreement(judge, [1, 1, 1, 0, 0, 1, 0, 0]), list("abcdefgh"))
    assert found.n_cases == 6


@given(st.integers(0, 40), st.integers(0, 40))
def test_one_unit_a_cluster_has_wilsons_interval(yes: int, no: int) -> None:
    if yes + no == 0:
        return
    found = clustered_rate([1.0] * yes + [0.0] * no, [str(one) for one in range(yes + no)])
    reference = rate_of(outcomes(yes, no))
    assert found.method == "Wilson"
    assert (found.low, found.high) == pytest.approx((reference.low, reference.high), abs=1e-9)


def test_unequal_weights_widen_a_rate() -> None:
    values, clusters = [1.0, 0.0] * 20, [str(one) for one in range(40)]
    weights = [1.0, 1.0, 9.0, 9.0] * 10
    assert width(clustered_rate(values, clusters, weights=weights)) > 1.2 * width(clustered_rate(values, clusters))


def test_all_found_in_a_few_clusters_leaves_much_open() -> None:
    found = clustered_rate([1.0] * 30, [f"case-{one % 3}" for one in range(30)])
    assert found.value == 1
    assert found.low is not None
    assert found.low < 0.5


def test_no_answer_gives_no_rate_with_the_reason_given() -> None:
    found = clustered_rate([nan, nan], ["a", "b"], undefined="Nobody said so.")
    assert (found.value, found.withheld) == (None, "Nobody said so.")


@given(
    st.lists(st.tuples(st.sampled_from([0.0, 1.0]), st.integers(0, 6), st.integers(1, 5)), min_size=1, max_size=40),
)
def test_a_rate_lies_in_its_interval_within_0_and_1(units: list[tuple[float, int, int]]) -> None:
    values, clusters, weights = zip(*units, strict=True)
    found = clustered_rate(values, [str(one) for one in clusters], weights=weights)
    assert found.value is not None
    assert found.low is not None
    assert found.high is not None
    assert -1e-12 <= found.low <= found.value + 1e-9
    assert found.value - 1e-9 <= found.high <= 1 + 1e-12


def test_ninety_five_of_a_hundred_intervals_of_alpha_hold_it() -> None:
    source = np.random.default_rng(8)

    def ratings(count: int) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
        meant = source.normal(0, 1, (count, 1))
        return np.round(meant + source.normal(0, 0.7, (count, 3)))

    true = krippendorff_alpha(ratings(30_000), scale="interval").value
    assert true is not None
    names = [str(one) for one in range(40)]
    found = [cluster_bootstrap(krippendorff_alpha(ratings(40), scale="interval"), names, draws=300) for _ in range(120)]
    held = sum((one.low or 1) <= true <= (one.high or 0) for one in found)
    assert held >= 108


def test_thousands_of_clusters_are_put_together_without_a_change_of_the_interval() -> None:
    source = np.random.default_rng(5)
    values = source.normal(0.0, 1.0, 4_500)
    names = [f"c{number}" for number in range(len(values))]
    parts = np.column_stack([values, np.ones(len(values))])
    mean = additive(parts, np.ones(len(values)), lambda sums: sums[:, 0] / sums[:, 1], "Nothing.")
    found = cluster_bootstrap(mean, names)
    assert found.n_cases == 4_500
    assert width(found) == pytest.approx(2 * 1.96 * float(np.std(values)) / np.sqrt(len(values)), rel=0.1)
