"""The headline figures, against exact arithmetic."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.builders import FEW

from iamhumans.stats import AxisMean, Summary, Tally
from iamhumans.verdicts import Flag, Judgement

AXES = ("warmth", "brevity")
FLAGS = ("pity", "lecturing")


def judged(
    case_id: str | None,
    total: int | None,
    *,
    number: int = 1,
    subject: str = "s",
    row: int = 1,
    yes: Sequence[str] = (),
    axes: Mapping[str, float] | None = None,
    defaulted: tuple[str, ...] = (),
    applicable: int | None = None,
    confirmed: int | None = None,
    unconfirmed: Sequence[str] = (),
    differences: Sequence[str] = (),
    repairs: Sequence[str] = (),
) -> Judgement:
    return Judgement(
        row=row,
        case_id=case_id,
        subject=subject,
        number=number,
        axes=axes or {},
        defaulted=defaulted,
        hard_fails={name: Flag(name in yes, (), False if name in unconfirmed else None) for name in FLAGS},
        total=total,
        total_confirmed=total if confirmed is None else confirmed,
        applicable_total=applicable,
        verdict=None if total is None else "PASS" if total >= 80 else "FAIL",
        differences=tuple(differences),
        repairs=tuple(repairs),
    )


def unjudged(case_id: str, reason: str = "empty") -> Judgement:
    return Judgement(case_id=case_id, status="unjudged", reason=reason)


def tallied(judgements: Sequence[Judgement], *, grouped: bool = True) -> Tally:
    tally = Tally(AXES, FLAGS, grouped=grouped)
    for one in judgements:
        tally.add(one)
    return tally


def summary(*judgements: Judgement) -> Summary:
    return tallied(judgements).summary()


def test_nothing_asked_gives_no_figures() -> None:
    found = summary()

    assert (found.asked, found.judged, found.unjudged, found.cases) == (0, 0, 0, 0)
    assert (found.judged_rate, found.zero_rate, found.mean_of_rest, found.pass_rate, found.mean_total) == (None,) * 5
    assert found.axes == {"warmth": AxisMean(None, 0), "brevity": AxisMean(None, 0)}
    assert found.hard_fails == found.answered == {"pity": 0, "lecturing": 0}


def test_unjudged_lowers_the_judged_rate_and_no_figure() -> None:
    found = summary(judged("A", 90), unjudged("B", "timeout"), unjudged("C", "refused"), unjudged("D", "timeout"))

    assert (found.asked, found.judged, found.unjudged, found.cases) == (4, 1, 3, 1)
    assert (found.judged_rate, found.mean_total, found.zero_rate, found.pass_rate) == (0.25, 90, 0, 1)
    assert list(found.reasons.items()) == [("refused", 1), ("timeout", 2)]


def test_nothing_judged_has_the_judged_rate_zero_and_no_figures() -> None:
    found = summary(unjudged("A"))

    assert (found.judged_rate, found.mean_total, found.zero_rate) == (0, None, None)


def test_zeroed_replies_are_not_part_of_the_rest() -> None:
    found = summary(judged("A", 0, yes=["pity"]), judged("B", 90), judged("C", 70), judged("D", 0))

    assert (found.zeroed, found.zero_rate) == (1, 0.25)
    # The axes of D give 0: no hard fail, so it is part of the rest.
    assert found.mean_of_rest == pytest.approx(160 / 3)
    assert (found.mean_total, found.pass_rate) == (40, 0.25)
    assert summary(judged("A", 0, yes=["pity"])).mean_of_rest is None


def test_case_is_the_unit() -> None:
    found = summary(*(judged("A", 100, number=number) for number in range(1, 10)), judged("B", 0, yes=["pity"]))

    assert (found.mean_total, found.zero_rate, found.cases, found.judged) == (50, 0.5, 2, 10)


def test_repeats_are_averaged_before_replies() -> None:
    assert summary(judged("A", 100), judged("A", 100), judged("A", 0, number=2)).mean_total == 50
    assert summary(judged("A", 100), judged("A", 100), judged("A", 40, subject="t")).mean_total == 70


def test_replies_without_a_case_are_a_case_for_each_row() -> None:
    found = summary(judged(None, 100, row=1), judged(None, 60, row=1), judged(None, 0, row=2))

    assert (found.cases, found.mean_total) == (2, 40)


def test_mean_of_the_rest_goes_over_the_clean_replies_of_a_case() -> None:
    found = summary(judged("A", 0, yes=["pity"]), judged("A", 90, number=2), judged("B", 70))

    assert (found.mean_of_rest, found.zero_rate) == (80, 0.25)


def test_axis_mean_goes_over_cases_in_which_it_is_at_stake() -> None:
    found = summary(
        judged("A", 80, axes={"warmth": 8, "brevity": 4}),
        judged("B", 60, axes={"warmth": 6, "brevity": 10}, defaulted=("brevity",)),
        unjudged("C"),
    )

    assert found.axes == {"warmth": AxisMean(7, 2), "brevity": AxisMean(4, 1)}


def test_one_mapping_of_axes_may_be_defaulted_in_one_judgement_only() -> None:
    axes = {"warmth": 8, "brevity": 10}
    found = summary(judged("A", 80, axes=axes), judged("B", 80, axes=axes, defaulted=("brevity",)))

    assert found.axes == {"warmth": AxisMean(8, 2), "brevity": AxisMean(10, 1)}


def test_applicable_total_is_not_zeroed() -> None:
    found = summary(judged("A", 0, yes=["pity"], applicable=60), judged("B", 100), judged("C", 90, applicable=80))

    assert (found.mean_applicable_total, found.counted["mean_applicable_total"]) == (70, 2)


def test_counts_are_of_judgements() -> None:
    found = summary(
        judged("A", 0, yes=FLAGS, unconfirmed=["pity"], confirmed=0, differences=["total", "verdict"]),
        judged("A", 0, yes=["pity"], unconfirmed=["pity"], confirmed=70, repairs=["fence"]),
        judged("B", 80, differences=["total"], repairs=["fence"]),
    )

    assert found.hard_fails == {"pity": 2, "lecturing": 1}
    assert found.answered == {"pity": 3, "lecturing": 3}
    assert (found.zeroed, found.unconfirmed, found.repaired) == (2, 2, 2)
    assert found.differences == {"total": 2, "total_without_na": 0, "verdict": 1}
    assert found.mean_total_confirmed == pytest.approx((35 + 80) / 2)


def seen(case_id: str, *, pity: bool | None, lecturing: bool | None = False, brevity: int | None = 8) -> Judgement:
    total = 0 if pity or lecturing else 80 if None not in (pity, lecturing, brevity) else None
    return Judgement(
        case_id=case_id,
        axes={"warmth": 8, "brevity": brevity},
        hard_fails={"pity": Flag(pity), "lecturing": Flag(lecturing)},
        total=total,
        total_confirmed=total,
        applicable_total=None if brevity is None else 80,
        verdict=None if total is None else "PASS" if total >= 80 else "FAIL",
    )


def test_what_a_judge_cannot_see_is_no_zero_and_no_no() -> None:
    found = summary(seen("A", pity=None, brevity=None), seen("B", pity=True, brevity=None))

    assert (found.judged, found.cases, found.zeroed, found.flagged_rate) == (2, 2, 1, 0.5)
    assert found.unseen == ("brevity", "pity")
    assert (found.zero_rate, found.mean_of_rest, found.pass_rate, found.mean_total) == (None,) * 4
    assert (found.mean_total_confirmed, found.mean_applicable_total) == (None, None)
    assert found.counted == {name: 2 * (name == "flagged_rate") for name in found.counted}
    assert found.axes == {"warmth": AxisMean(8, 2), "brevity": AxisMean(None, 0)}
    assert found.answered == {"pity": 1, "lecturing": 2}


def test_zero_rate_is_given_where_only_axes_are_unseen() -> None:
    found = summary(seen("A", pity=True, brevity=None), seen("B", pity=False, brevity=None))

    assert (found.zero_rate, found.pass_rate, found.mean_total) == (0.5, None, None)


def test_one_gap_withholds_the_figures_of_all() -> None:
    whole, gap = [seen(name, pity=False) for name in "ABC"], seen("D", pity=None)

    assert summary(*whole).pass_rate == 1
    assert summary(*whole, gap).pass_rate is None


def test_a_rubric_without_hard_fails_zeroes_nothing() -> None:
    tally = Tally(AXES, [])
    tally.add(Judgement(case_id="A", hard_fails={}, total=70))

    assert (tally.summary().zero_rate, tally.summary().mean_of_rest) == (0, 70)


JUDGEMENTS = st.lists(
    st.one_of(
        st.builds(unjudged, st.sampled_from("ABCD"), st.sampled_from(["empty", "timeout"])),
        st.builds(
            judged,
            st.sampled_from("ABCD"),
            st.one_of(st.none(), st.integers(0, 100)),
            number=st.integers(1, 3),
            subject=st.sampled_from("st"),
            yes=st.lists(st.sampled_from(FLAGS), unique=True, max_size=2),
            axes=st.dictionaries(st.sampled_from(AXES), st.sampled_from([0, 3, 8.05, 9.1, 10])),
            applicable=st.one_of(st.none(), st.integers(0, 100)),
            confirmed=st.one_of(st.none(), st.integers(0, 100)),
        ),
    ),
    max_size=25,
)


def nested_mean(judgements: Sequence[Judgement], figure: Callable[[Judgement], float | None]) -> Fraction | None:
    """The mean over cases of means over replies of means over judgements, in exact arithmetic."""
    values: dict[str | None, dict[tuple[str, int], list[Fraction]]] = {}
    for one in judgements:
        value = figure(one)
        if one.judged and value is not None:
            values.setdefault(one.case_id, {}).setdefault((one.subject, one.number), []).append(Fraction(value))
    return mean([mean([mean(numbers) for numbers in replies.values()]) for replies in values.values()])


def mean(numbers: Sequence[Fraction | None]) -> Fraction | None:
    present = [number for number in numbers if number is not None]
    return sum(present, Fraction(0)) / len(present) if present else None


def same(found: float | None, exact: Fraction | None) -> bool:
    if found is None or exact is None:
        return found is None and exact is None
    return math.isclose(found, float(exact), rel_tol=1e-12, abs_tol=1e-12)


def passed(one: Judgement) -> int | None:
    return None if one.verdict is None else int(one.verdict == "PASS")


@given(JUDGEMENTS)
def test_figures_agree_with_exact_arithmetic(judgements: list[Judgement]) -> None:
    found = summary(*judgements)

    assert same(found.mean_total, nested_mean(judgements, lambda one: one.total))
    assert same(found.zero_rate, nested_mean(judgements, lambda one: 1 if one.present else 0))
    assert same(found.pass_rate, nested_mean(judgements, passed))
    assert same(found.mean_of_rest, nested_mean(judgements, lambda one: None if one.present else one.total))
    assert same(found.mean_total_confirmed, nested_mean(judgements, lambda one: one.total_confirmed))
    assert same(found.mean_applicable_total, nested_mean(judgements, lambda one: one.applicable_total))
    for name in AXES:
        assert same(found.axes[name].mean, nested_mean(judgements, lambda one, name=name: one.at_stake.get(name)))  # type: ignore[misc]  # the default binds the name
    assert found.judged + found.unjudged == found.asked == len(judgements)


@given(JUDGEMENTS, st.randoms(use_true_random=False))
@FEW
def test_order_does_not_matter(judgements: list[Judgement], random: Random) -> None:
    shuffled = list(judgements)
    random.shuffle(shuffled)
    one, other = summary(*judgements), summary(*shuffled)

    assert (one.mean_total, one.zero_rate, one.reasons, one.hard_fails) == (
        other.mean_total,
        other.zero_rate,
        other.reasons,
        other.hard_fails,
    )


@given(st.lists(st.one_of(st.none(), st.integers(0, 100)), max_size=20))
def test_ungrouped_is_the_same_where_every_row_is_a_case(totals: list[int | None]) -> None:
    judgements = [judged(f"row-{row}", total) for row, total in enumerate(totals)]

    assert tallied(judgements, grouped=False).summary() == summary(*judgements)


@given(JUDGEMENTS, JUDGEMENTS, st.booleans())
@FEW
def test_taking_a_tally_is_counting_its_judgements(
    first: list[Judgement], second: list[Judgement], grouped: bool
) -> None:
    tally = tallied(first, grouped=grouped)
    tally.take(tallied(second, grouped=grouped))

    found, expected = tally.summary(), tallied([*first, *second], grouped=grouped).summary()
    assert replace(found, axes={}) == replace(expected, axes={})
    for name in AXES:  # Their sums depend on the order.
        assert (found.axes[name].mean or 0) == pytest.approx(expected.axes[name].mean or 0)


def test_a_grouped_tally_takes_no_other() -> None:
    with pytest.raises(TypeError, match="grouped"):
        Tally(AXES, FLAGS).take(Tally(AXES, FLAGS, grouped=False))


def test_more_judgements_than_are_held_are_counted_all_the_same() -> None:
    found = summary(*(judged(f"C-{row}", 90, yes=["pity"] if row % 2 else []) for row in range(2_500)))

    assert (found.judged, found.zeroed, found.hard_fails["pity"], found.answered["pity"]) == (
        2_500,
        1_250,
        1_250,
        2_500,
    )


def test_judgements_of_a_generator_are_not_mistaken_for_earlier_ones() -> None:
    """A mapping that was freed must not pass its identity, and with it its values, on to the next."""
    tally = Tally(AXES, FLAGS)
    for row in range(100):
        tally.add(judged(f"C-{row}", 90, axes={"warmth": row % 11}, yes=["pity"] if row % 4 == 0 else []))

    assert tally.summary().axes["warmth"].mean == pytest.approx(sum(row % 11 for row in range(100)) / 100)
    assert tally.summary().zeroed == 25


# --- unjudged replies -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("grouped", [True, False])
def test_figures_have_bounds_with_the_unjudged_as_the_worst_and_as_the_best(grouped: bool) -> None:
    given = [judged(f"C{n}", 0 if n < 2 else 90, yes=["pity"] if n < 2 else (), applicable=90) for n in range(8)]
    found = tallied([*given, unjudged("C8"), unjudged("C9")], grouped=grouped).summary().with_unjudged
    assert found["zero_rate"] == pytest.approx((0.2, 0.4))
    assert found["pass_rate"] == pytest.approx((0.6, 0.8))
    assert found["mean_total"] == pytest.approx((54, 74))
    assert found["mean_applicable_total"] == pytest.approx((72, 92))
    assert tallied(given, grouped=grouped).summary().with_unjudged == {}


def test_an_unjudged_reply_weighs_as_much_as_the_others_of_its_case() -> None:
    zeroed = [judged("A", 0, yes=["pity"], number=number) for number in (1, 2, 3)]
    found = tallied([*zeroed, unjudged("A"), judged("B", 90)]).summary().with_unjudged
    assert found["zero_rate"] == pytest.approx((0.375, 0.5))


def test_bounds_with_the_unjudged_are_the_same_where_tallies_are_added() -> None:
    rows = [judged("A", 0, yes=["pity"]), unjudged("A"), judged("B", 90), unjudged("C")]
    parts = [tallied(rows[:2]), tallied(rows[2:])]
    parts[0].take(parts[1])
    assert parts[0].summary().with_unjudged == tallied(rows).summary().with_unjudged
