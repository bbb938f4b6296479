"""Corrected rates and prediction-powered means."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.stats.ratings import Numbers

from iamhumans.stats import (
    Corrected,
    Labelled,
    Proportion,
    corrected_rate,
    prediction_powered_mean,
    prediction_powered_rate,
)


def known(rate: float, tries: float) -> Proportion:
    return Proportion(rate, tries, None, int(tries))


def width(found: Corrected) -> float:
    assert found.estimate.low is not None
    assert found.estimate.high is not None
    return found.estimate.high - found.estimate.low


def test_a_rate_is_corrected_by_the_formula_of_rogan_and_gladen() -> None:
    # Rogan and Gladen (1978): what a test with errors finds, and what there is.
    found = corrected_rate(known(0.25, 400), known(0.8, 100), known(0.9, 100))
    assert found.state == "given"
    assert found.estimate.value == pytest.approx((0.25 + 0.9 - 1) / (0.8 + 0.9 - 1))


def test_a_perfect_judge_known_for_certain_leaves_the_rate_as_it_is() -> None:
    found = corrected_rate(known(0.3, 200), known(1.0, 1e9), known(1.0, 1e9))
    assert found.estimate.value == pytest.approx(0.3)
    assert (found.estimate.low, found.estimate.high) == pytest.approx((0.2407, 0.3668), abs=0.002)


def test_fewer_labels_make_it_wider() -> None:
    few = corrected_rate(known(0.25, 400), known(0.8, 10), known(0.9, 40))
    many = corrected_rate(known(0.25, 400), known(0.8, 100), known(0.9, 400))
    assert width(few) > 1.5 * width(many)


@pytest.mark.parametrize(("found", "spared"), [(0.5, 0.5), (0.2, 0.7), (1.0, 0.0)])
def test_a_judge_no_better_than_chance_corrects_nothing_and_says_so(found: float, spared: float) -> None:
    corrected = corrected_rate(known(0.4, 100), known(found, 50), known(spared, 50))
    assert (corrected.state, corrected.estimate.value, corrected.estimate.low) == ("undefined", None, None)
    assert "do not exceed 100 % together" in (corrected.reason or "")


def test_an_estimate_below_zero_is_outside_and_not_zero() -> None:
    found = corrected_rate(known(0.05, 100), known(0.8, 50), known(0.9, 50))
    assert (found.state, found.estimate.value) == ("outside", None)
    assert found.formula == pytest.approx(-0.0714, abs=1e-4)
    assert "below 0" in (found.reason or "")
    assert found.estimate.low == 0
    assert found.estimate.high is not None
    assert 0 < found.estimate.high < 0.2


def test_an_estimate_that_chance_does_not_explain_has_no_interval_either() -> None:
    found = corrected_rate(known(0.0, 5_000), known(0.9, 5_000), known(0.6, 5_000))
    assert (found.state, found.estimate.low) == ("outside", None)
    assert "not chance" in (found.estimate.withheld or "")


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1), st.integers(5, 500), st.integers(2, 200), st.integers(2, 200))
def test_what_is_given_lies_in_its_interval(
    rate: float, found: float, spared: float, run: int, yes: int, no: int
) -> None:
    corrected = corrected_rate(known(rate, run), known(found, yes), known(spared, no))
    if corrected.state == "given":
        assert corrected.estimate.value is not None
        assert corrected.estimate.low is not None
        assert corrected.estimate.high is not None
        assert 0 <= corrected.estimate.low <= corrected.estimate.value <= corrected.estimate.high <= 1
    else:
        assert corrected.estimate.value is None
        assert corrected.reason


def test_nineteen_of_twenty_intervals_of_a_corrected_rate_hold_it() -> None:
    source = np.random.default_rng(6)
    held = 0
    for _ in range(1_000):
        yes, no = 20, 80
        found, spared = source.binomial(yes, 0.8) / yes, source.binomial(no, 0.9) / no
        rate = source.binomial(300, 0.2 * 0.8 + 0.8 * 0.1) / 300
        estimate = corrected_rate(known(rate, 300), known(found, yes), known(spared, no)).estimate
        held += estimate.low is not None and estimate.high is not None and estimate.low <= 0.2 <= estimate.high
    assert 930 <= held <= 985


def made(count: int, labelled: int, source: np.random.Generator, noise: float) -> tuple[Numbers, Labelled, float]:
    people = np.clip(source.normal(6, 2, count), 0, 10)
    judge = np.clip(people + 1 + source.normal(0, noise, count), 0, 10)
    names = tuple(f"case-{number}" for number in range(labelled))
    return judge, Labelled(judge[:labelled], people[:labelled], names, np.ones(labelled)), float(people.mean())


def cases(count: int) -> list[str]:
    return [f"case-{number}" for number in range(count)]


def test_a_good_judge_makes_the_mean_surer_than_labels_alone() -> None:
    judge, labelled, _ = made(1_000, 50, np.random.default_rng(1), 0.4)
    powered = prediction_powered_mean(judge, cases(1_000), labelled, (0, 10))
    alone = prediction_powered_mean(np.zeros(1_000), cases(1_000), silent(labelled), (0, 10))
    assert width(powered) < 0.45 * width(alone)


def test_a_judge_that_says_nothing_leaves_the_mean_of_the_labels() -> None:
    _, labelled, _ = made(500, 40, np.random.default_rng(2), 0.4)
    found = prediction_powered_mean(
        np.full(500, 7.0),
        cases(500),
        Labelled(np.full(40, 7.0), labelled.people, labelled.clusters, labelled.weights),
        (0, 10),
    )
    assert found.estimate.value == pytest.approx(labelled.people.mean())


def test_a_judge_that_guesses_costs_next_to_nothing() -> None:
    source = np.random.default_rng(3)
    _, labelled, _ = made(500, 60, source, 0.4)
    guesses = source.uniform(0, 10, 500)
    guessing = Labelled(guesses[:60], labelled.people, labelled.clusters, labelled.weights)
    powered = prediction_powered_mean(guesses, cases(500), guessing, (0, 10))
    alone = prediction_powered_mean(np.zeros(500), cases(500), silent(labelled), (0, 10))
    assert width(powered) < 1.05 * width(alone)


def silent(labelled: Labelled) -> Labelled:
    return Labelled(np.zeros(len(labelled.people)), labelled.people, labelled.clusters, labelled.weights)


def test_the_bias_of_the_judge_is_taken_out() -> None:
    judge, labelled, true = made(2_000, 100, np.random.default_rng(4), 0.4)
    found = prediction_powered_mean(judge, cases(2_000), labelled, (0, 10)).estimate
    assert found.low is not None
    assert found.high is not None
    assert found.low <= true <= found.high
    assert judge.mean() > found.high


def test_where_all_is_labelled_the_mean_is_that_of_people() -> None:
    judge, labelled, true = made(60, 60, np.random.default_rng(5), 1.0)
    assert prediction_powered_mean(judge, cases(60), labelled, (0, 10)).estimate.value == pytest.approx(true)


def test_replies_of_one_case_are_worth_less_than_replies_of_several() -> None:
    judge, labelled, _ = made(400, 80, np.random.default_rng(6), 1.0)
    few = tuple(f"case-{number // 8}" for number in range(80))
    alike = np.repeat(labelled.people[:10], 8)
    grouped = Labelled(labelled.judge, alike, few, labelled.weights)
    apart = Labelled(labelled.judge, alike, labelled.clusters, labelled.weights)
    together = prediction_powered_mean(judge, [f"case-{number // 8}" for number in range(400)], grouped, (0, 10))
    assert width(together) > 1.5 * width(prediction_powered_mean(judge, cases(400), apart, (0, 10)))


def test_four_labelled_cases_give_a_value_without_an_interval() -> None:
    judge, labelled, _ = made(50, 4, np.random.default_rng(7), 1.0)
    found = prediction_powered_mean(judge, cases(50), labelled, (0, 10))
    assert found.estimate.value is not None
    assert (found.estimate.low, found.estimate.high) == (None, None)
    assert "too few" in (found.estimate.withheld or "")


def test_nothing_labelled_gives_nothing() -> None:
    none = Labelled(np.empty(0), np.empty(0), (), np.empty(0))
    found = prediction_powered_mean([1.0, 2.0], ["a", "b"], none, (0, 10))
    assert (found.state, found.estimate.value) == ("undefined", None)
    assert found.reason == "No judged reply was labelled."


def test_a_value_off_the_scale_is_refused() -> None:
    with pytest.raises(ValueError, match="0 to 10"):
        prediction_powered_mean([11.0], ["a"], Labelled(np.ones(1), np.ones(1), ("a",), np.ones(1)), (0, 10))


def test_nineteen_of_twenty_intervals_of_a_powered_mean_hold_it() -> None:
    source = np.random.default_rng(9)
    names, held = cases(200), 0
    for _ in range(400):
        judge, labelled, _ = made(200, 30, source, 1.0)
        estimate = prediction_powered_mean(judge, names, labelled, (0, 10)).estimate
        held += estimate.low is not None and estimate.high is not None and estimate.low <= 5.968 <= estimate.high
    assert 365 <= held <= 396


def answers(said: list[float], true: list[float]) -> Labelled:
    count = len(said)
    names = tuple(f"c{number}" for number in range(count))
    return Labelled(np.array(said), np.array(true), names, np.ones(count))


@pytest.mark.parametrize(("answer", "ends"), [(0.0, (0.0, 0.1135)), (1.0, (0.8865, 1.0))])
def test_a_rate_whose_labels_are_all_alike_has_the_interval_of_so_many_tries(
    answer: float, ends: tuple[float, float]
) -> None:
    found = prediction_powered_rate(
        [0.0] * 60, [f"c{number}" for number in range(60)], answers([0.0] * 30, [answer] * 30)
    )
    assert (found.state, found.estimate.value) == ("given", answer)
    assert (found.estimate.low, found.estimate.high) == pytest.approx(ends, abs=1e-4)


def test_a_rate_whose_labels_differ_is_the_prediction_powered_mean() -> None:
    labelled = answers([0.0, 1.0] * 10, [0.0, 1.0, 1.0, 1.0] * 5)
    judged, names = [0.0, 1.0] * 20, [f"c{number}" for number in range(40)]
    assert prediction_powered_rate(judged, names, labelled) == prediction_powered_mean(
        judged, names, labelled, (0.0, 1.0)
    )
