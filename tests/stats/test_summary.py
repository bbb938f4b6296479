"""The headline figures, against a computation of their own."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.builders import FEW

from iamhumans.stats import AxisMean, Observation, Summary, Tally, summarise

AXES = ("warmth", "brevity")
FLAGS = ("pity", "lecturing")


def seen(
    case_id: str,
    total: int | None,
    *,
    number: int = 1,
    subject: str = "s",
    hard_fails: Sequence[str] = (),
    axes: dict[str, float] | None = None,
    applicable: int | None = None,
    confirmed: int | None = None,
    reason: str | None = None,
    unconfirmed: Sequence[str] = (),
    differences: Sequence[str] = (),
    repaired: bool = False,
) -> Observation:
    return Observation(
        case_id=case_id,
        reply=(subject, number),
        total=total,
        passed=total is not None and total >= 80,
        total_confirmed=total if confirmed is None else confirmed,
        applicable_total=applicable,
        axes=axes or {},
        hard_fails=tuple(hard_fails),
        unconfirmed=tuple(unconfirmed),
        differences=tuple(differences),
        repaired=repaired,
        reason=reason,
    )


def summary(*observations: Observation) -> Summary:
    return summarise(observations, AXES, FLAGS)


def test_nothing_asked_gives_no_figures() -> None:
    found = summary()

    assert (found.asked, found.judged, found.unjudged, found.cases) == (0, 0, 0, 0)
    assert (found.coverage, found.zero_rate, found.mean_of_rest, found.pass_rate, found.mean_total) == (None,) * 5
    assert found.axes == {"warmth": AxisMean(None, 0), "brevity": AxisMean(None, 0)}
    assert found.hard_fails == {"pity": 0, "lecturing": 0}


def test_unjudged_lowers_coverage_and_no_figure() -> None:
    found = summary(
        seen("A", 90),
        seen("B", None, reason="empty"),
        seen("C", None, reason="refused"),
        seen("D", None, reason="empty"),
    )

    assert (found.asked, found.judged, found.unjudged, found.cases) == (4, 1, 3, 1)
    assert (found.coverage, found.mean_total, found.zero_rate, found.pass_rate) == (0.25, 90, 0, 1)
    assert found.reasons == {"empty": 2, "refused": 1}


def test_nothing_judged_has_coverage_zero_and_no_figures() -> None:
    found = summary(seen("A", None, reason="timeout"))

    assert (found.coverage, found.mean_total, found.zero_rate) == (0, None, None)


def test_zeroes_and_the_rest_are_told_apart() -> None:
    found = summary(seen("A", 0, hard_fails=["pity"]), seen("B", 90), seen("C", 70), seen("D", 0))

    assert (found.zeroed, found.zero_rate) == (1, 0.25)
    # D got a total of 0 from its axes: no hard fail, so it is part of the rest.
    assert found.mean_of_rest == pytest.approx(160 / 3)
    assert found.mean_total == 40
    assert found.pass_rate == 0.25


def test_all_zeroed_leaves_no_rest() -> None:
    assert summary(seen("A", 0, hard_fails=["pity"])).mean_of_rest is None


def test_case_is_the_unit() -> None:
    found = summary(*(seen("A", 100, number=number) for number in range(1, 10)), seen("B", 0, hard_fails=["pity"]))

    assert (found.mean_total, found.zero_rate, found.cases, found.judged) == (50, 0.5, 2, 10)


def test_repeats_are_averaged_before_replies() -> None:
    found = summary(seen("A", 100), seen("A", 100), seen("A", 100), seen("A", 0, number=2))

    assert found.mean_total == 50


def test_replies_of_two_subjects_are_two_replies() -> None:
    found = summary(seen("A", 100), seen("A", 100), seen("A", 40, subject="t"))

    assert found.mean_total == 70


def test_mean_of_the_rest_goes_over_what_is_left_of_a_case() -> None:
    found = summary(seen("A", 0, hard_fails=["pity"]), seen("A", 90, number=2), seen("B", 70))

    assert found.mean_of_rest == 80
    assert found.zero_rate == 0.25


def test_axis_mean_goes_over_cases_in_which_it_is_at_stake() -> None:
    found = summary(seen("A", 80, axes={"warmth": 8, "brevity": 4}), seen("B", 60, axes={"warmth": 6}), seen("C", None))

    assert found.axes == {"warmth": AxisMean(7, 2), "brevity": AxisMean(4, 1)}


def test_applicable_total_goes_over_cases_that_have_one() -> None:
    assert summary(seen("A", 80, applicable=60), seen("B", 100)).mean_applicable_total == 60


def test_counts_are_of_judgements() -> None:
    found = summary(
        seen(
            "A",
            0,
            hard_fails=["pity", "lecturing"],
            unconfirmed=["pity"],
            confirmed=0,
            differences=["total", "verdict"],
        ),
        seen("A", 0, hard_fails=["pity"], unconfirmed=["pity"], confirmed=70, repaired=True),
        seen("B", 80, differences=["total"], repaired=True),
    )

    assert found.hard_fails == {"pity": 2, "lecturing": 1}
    assert (found.zeroed, found.unconfirmed, found.repaired) == (2, 2, 2)
    assert found.differences == {"total": 2, "verdict": 1}
    assert found.mean_total_confirmed == pytest.approx((35 + 80) / 2)


def test_reasons_are_in_a_fixed_order() -> None:
    found = summary(seen("A", None, reason="timeout"), seen("B", None, reason="empty"))

    assert list(found.reasons) == ["empty", "timeout"]


OBSERVATIONS = st.lists(
    st.builds(
        seen,
        st.sampled_from("ABCD"),
        st.one_of(st.none(), st.integers(0, 100)),
        number=st.integers(1, 3),
        subject=st.sampled_from("st"),
        hard_fails=st.lists(st.sampled_from(FLAGS), unique=True, max_size=2),
        axes=st.dictionaries(st.sampled_from(AXES), st.sampled_from([0, 3, 8.05, 9.1, 10])),
        applicable=st.one_of(st.none(), st.integers(0, 100)),
        confirmed=st.one_of(st.none(), st.integers(0, 100)),
    ),
    max_size=25,
)


def nested_mean(observations: Sequence[Observation], figure: Callable[[Observation], float | None]) -> Fraction | None:
    """The mean over cases of means over replies of means over judgements, in exact arithmetic."""
    values: dict[str, dict[tuple[str, int], list[Fraction]]] = {}
    for one in observations:
        value = figure(one)
        if one.total is not None and value is not None:
            values.setdefault(one.case_id, {}).setdefault(one.reply, []).append(Fraction(value))
    return mean([mean([mean(numbers) for numbers in replies.values()]) for replies in values.values()])


def mean(numbers: Sequence[Fraction | None]) -> Fraction | None:
    there = [number for number in numbers if number is not None]
    return sum(there, Fraction(0)) / len(there) if there else None


def same(found: float | None, exact: Fraction | None) -> bool:
    if found is None or exact is None:
        return found is None and exact is None
    return math.isclose(found, float(exact), rel_tol=1e-12, abs_tol=1e-12)


@given(OBSERVATIONS)
def test_figures_agree_with_exact_arithmetic(observations: list[Observation]) -> None:
    found = summary(*observations)

    assert same(found.mean_total, nested_mean(observations, lambda one: one.total))
    assert same(found.zero_rate, nested_mean(observations, lambda one: 1 if one.hard_fails else 0))
    assert same(found.pass_rate, nested_mean(observations, lambda one: 1 if one.passed else 0))
    assert same(found.mean_of_rest, nested_mean(observations, lambda one: None if one.hard_fails else one.total))
    assert same(found.mean_total_confirmed, nested_mean(observations, lambda one: one.total_confirmed))
    assert same(found.mean_applicable_total, nested_mean(observations, lambda one: one.applicable_total))
    for name in AXES:
        assert same(found.axes[name].mean, nested_mean(observations, lambda one, name=name: one.axes.get(name)))  # type: ignore[misc]  # the default binds the name
    assert found.judged + found.unjudged == found.asked == len(observations)


@given(OBSERVATIONS, st.randoms(use_true_random=False))
@FEW
def test_order_does_not_matter(observations: list[Observation], random: Random) -> None:
    shuffled = list(observations)
    random.shuffle(shuffled)
    one, other = summary(*observations), summary(*shuffled)

    assert (one.mean_total, one.zero_rate, one.reasons, one.hard_fails) == (
        other.mean_total,
        other.zero_rate,
        other.reasons,
        other.hard_fails,
    )


@given(st.lists(st.one_of(st.none(), st.integers(0, 100)), max_size=20))
def test_ungrouped_is_the_same_where_every_row_is_a_case(totals: list[int | None]) -> None:
    observations = [seen(f"row-{row}", total) for row, total in enumerate(totals)]
    tally = Tally(AXES, FLAGS, grouped=False)
    for one in observations:
        tally.add(one)

    assert tally.summary() == summary(*observations)
