"""What follows from a verdict by the rule, against a computation of the test."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import ROUND_HALF_UP, Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.builders import SEED, axis, own_rubric

from iamhumans.rubrics.rubric import AxisDefault, Rubric, Scoring
from iamhumans.verdicts import Asked, Flag, Judgement, Number, Outcome, Reason, Unjudged, Verdict, score_verdict

SIX = ("naturalness", "empathy_fit", "calibrated_uncertainty", "memory_coherence", "no_fabrication", "repair_quality")
MULTI = Asked(single_turn=False, repair=True)


def score(
    *values: Number | None,
    yes: Mapping[str, tuple[str, ...]] | None = None,
    asked: Asked = MULTI,
    rubric: Rubric = SEED,
    stated: tuple[Number | None, Outcome | None] = (None, None),
) -> Judgement:
    """The score of axes in the rubric's order, with these flags YES."""
    yes = yes or {}
    flags = {name: Flag(name in yes, yes.get(name, ())) for name in rubric.hard_fail_ids}
    verdict = Verdict(
        axes=dict(zip(rubric.axis_ids, values, strict=True)),
        flags=flags,
        stated_total=stated[0],
        stated_verdict=stated[1],
    )
    return score_verdict(verdict, rubric, asked)


def five_axes(*values: Number) -> Judgement:
    """Of ten axes, so that halves come about: the rest are what is given last."""
    rubric = Rubric(name="own", axes=tuple(axis(f"a{n}") for n in range(len(values))))
    return score(*values, rubric=rubric)


# --- the rule


@pytest.mark.parametrize(
    ("values", "total", "outcome"),
    [
        ((10, 10, 10, 10, 10, 10), 100, "PASS"),
        ((0, 0, 0, 0, 0, 0), 0, "FAIL"),
        ((8, 8, 8, 8, 8, 8), 80, "PASS"),
        ((5, 3, 7, 10, 10, 10), 75, "FAIL"),
        ((7, 8, 8, 8, 8, 8), 78, "FAIL"),
        ((8, 8, 8, 8, 8, 7.7), 80, "PASS"),
        ((8, 8, 8, 8, 8, 7.69), 79, "FAIL"),
        ((8.05, 8.05, 8.05, 8.05, 8.05, 8.05), 81, "PASS"),
        ((8.04, 8.05, 8.05, 8.05, 8.05, 8.05), 80, "PASS"),
        ((7.95, 7.95, 7.95, 7.95, 7.95, 7.95), 80, "PASS"),
        ((0.05, 0.05, 0.05, 0.05, 0.05, 0.05), 1, "FAIL"),
        ((1.1, 1.1, 1.1, 2.2, 2.2, 2.2), 17, "FAIL"),
    ],
)
def test_total_is_ten_times_the_mean_rounded_half_up(values: tuple[Number, ...], total: int, outcome: str) -> None:
    found = score(*values)

    assert (found.total, found.verdict, found.axis_total) == (total, outcome, total)
    assert type(found.total) is int


@pytest.mark.parametrize(
    ("values", "total", "outcome"),
    [
        ((7.95,), 80, "PASS"),
        ((7, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8), 80, "PASS"),  # 79.5
        ((7, 7) + (8,) * 18, 79, "FAIL"),
        ((0.25, 0.25), 3, "FAIL"),
        ((0.05,), 1, "FAIL"),
        ((0.15,), 2, "FAIL"),
        ((0.45,), 5, "FAIL"),
        ((1.005,), 10, "FAIL"),
        ((8.45,), 85, "PASS"),
    ],
)
def test_halves_go_up(values: tuple[Number, ...], total: int, outcome: str) -> None:
    assert (five_axes(*values).total, five_axes(*values).verdict) == (total, outcome)


DECIMALS = st.one_of(
    st.integers(0, 10), st.decimals(0, 10, places=2).map(float), st.decimals(0, 10, places=4).map(float)
)


@given(st.lists(DECIMALS, min_size=1, max_size=12))
def test_total_agrees_with_decimal_arithmetic(values: list[Number]) -> None:
    exact = sum((Decimal(str(value)) for value in values), Decimal(0)) * 10
    # Doubled before the division, so that a half is decided by whole numbers.
    doubled = (2 * exact / len(values)).quantize(Decimal("1e-12"))
    expected = int(((doubled + 1) / 2).to_integral_value(rounding="ROUND_FLOOR"))

    found = five_axes(*values)
    assert found.total == found.axis_total == found.total_confirmed == found.applicable_total == expected
    assert found.verdict == ("PASS" if expected >= 80 else "FAIL")


@given(st.lists(st.integers(0, 10), min_size=1, max_size=12))
def test_whole_scores_agree_with_decimal_arithmetic(values: list[int]) -> None:
    mean = Decimal(10 * sum(values)) / len(values)

    assert five_axes(*values).total == int(mean.quantize(Decimal(1), rounding=ROUND_HALF_UP))


@pytest.mark.parametrize(("mark", "outcome"), [(0, "PASS"), (75, "PASS"), (76, "FAIL"), (100, "FAIL")])
def test_pass_mark_is_the_rubric_s(mark: int, outcome: str) -> None:
    rubric = SEED.model_copy(update={"scoring": Scoring(pass_mark=mark)})

    assert score(5, 3, 7, 10, 10, 10, rubric=rubric).verdict == outcome


@pytest.mark.parametrize("name", SEED.hard_fail_ids)
def test_one_yes_zeroes(name: str) -> None:
    found = score(10, 10, 10, 10, 10, 10, yes={name: ()})

    assert (found.total, found.verdict, found.axis_total) == (0, "FAIL", 100)


def test_zeroed_case_passes_where_the_pass_mark_is_zero() -> None:
    rubric = own_rubric(hard_fails=["a"], pass_mark=0)

    assert score(10, 10, rubric=rubric, yes={"a": ()}).verdict == "PASS"


# --- defaults


@pytest.mark.parametrize(
    ("asked", "memory", "repair", "defaulted"),
    [
        pytest.param(Asked(single_turn=True, repair=False), 10, 10, ("memory_coherence",), id="ten in a single turn"),
        pytest.param(
            Asked(single_turn=True, repair=False),
            None,
            None,
            ("memory_coherence", "repair_quality"),
            id="both not applicable",
        ),
        pytest.param(Asked(single_turn=True, repair=False), 4, 4, (), id="lower ones stand"),
        pytest.param(Asked(single_turn=True, repair=False), 9.99, 10, (), id="nearly ten stands"),
        pytest.param(Asked(single_turn=False, repair=False), 10, None, ("repair_quality",), id="several turns"),
        pytest.param(
            Asked(single_turn=True, repair=True), 10, 10, ("memory_coherence",), id="a repair in a single turn"
        ),
        pytest.param(Asked(single_turn=False, repair=True), 10, 10, (), id="a repair in several turns"),
        pytest.param(Asked(), 10, 10, (), id="an unknown case with tens"),
        pytest.param(Asked(), None, None, ("memory_coherence", "repair_quality"), id="an unknown case without scores"),
    ],
)
def test_defaults(asked: Asked, memory: Number | None, repair: Number | None, defaulted: tuple[str, ...]) -> None:
    found = score(5, 5, 5, memory, 5, repair, asked=asked)

    assert found.defaulted == defaulted
    assert found.axes is not None
    assert found.axes["memory_coherence"] == (10 if memory is None else memory)
    assert found.axes["repair_quality"] == (10 if repair is None else repair)


def test_applicable_total_leaves_defaults_and_hard_fails_aside() -> None:
    found = score(5, 5, 5, None, 5, None, asked=Asked(single_turn=True, repair=False), yes={"pity": ()})

    assert (found.total, found.axis_total, found.applicable_total) == (0, 67, 50)


def test_nothing_at_stake_has_no_applicable_total() -> None:
    rubric = Rubric(name="own", axes=(axis("a", AxisDefault(value=3, when="always", reason="x")),))
    found = score(None, rubric=rubric)

    assert (found.total, found.applicable_total, found.defaulted) == (30, None, ("a",))


def test_default_of_a_rubric_of_ones_own_counts_as_it_says() -> None:
    found = score(10, None, rubric=own_rubric(), asked=Asked())

    assert found.axes == {"warmth": 10, "brevity": 7}
    assert (found.total, found.applicable_total, found.verdict) == (85, 100, "PASS")


def test_not_applicable_without_a_default_is_a_bug_of_the_caller() -> None:
    with pytest.raises(ValueError, match="naturalness"):
        score(None, 5, 5, 5, 5, 5)


# --- quotes


REPLY = Asked(single_turn=False, repair=True, reply="oh you poor thing")


def test_unconfirmed_yes_still_zeroes_and_is_counted_apart() -> None:
    found = score(9, 9, 9, 9, 9, 9, yes={"pity": ("you poor dear",)}, asked=REPLY)

    assert (found.total, found.total_confirmed, found.unconfirmed) == (0, 90, ("pity",))
    assert found.verdict == "FAIL"


def test_confirmed_yes_zeroes_both() -> None:
    found = score(9, 9, 9, 9, 9, 9, yes={"pity": ("poor thing",), "lecturing": ()}, asked=REPLY)

    assert (found.total, found.total_confirmed, found.unconfirmed) == (0, 0, ("lecturing",))


def test_yes_that_cannot_be_checked_zeroes_both() -> None:
    found = score(9, 9, 9, 9, 9, 9, yes={"pity": ()})

    assert (found.total, found.total_confirmed, found.unconfirmed) == (0, 0, ())
    assert {flag.confirmed for flag in (found.hard_fails or {}).values()} == {None}


# --- what the judge itself said


@pytest.mark.parametrize(
    ("stated", "differences"),
    [
        ((None, None), ()),
        ((75, "FAIL"), ()),
        ((75.0, "FAIL"), ()),
        ((74.5, "FAIL"), ()),
        ((74.99, None), ()),
        ((75.49, None), ()),
        ((75.5, None), ("total",)),
        ((74.49, None), ("total",)),
        ((80, "PASS"), ("total", "verdict")),
        ((75, "PASS"), ("verdict",)),
        ((-1, None), ("total",)),
        ((10**18, None), ("total",)),
    ],
)
def test_differences(stated: tuple[Number | None, Outcome | None], differences: tuple[str, ...]) -> None:
    found = score(5, 3, 7, 10, 10, 10, stated=stated)

    assert found.differences == differences
    assert found.total == 75


@pytest.mark.parametrize(
    ("total", "differences"),
    [
        pytest.param(73, (), id="with N/A as ten"),
        pytest.param(60, ("total_without_na",), id="without N/A"),
        pytest.param(59.5, ("total_without_na",), id="without N/A and not rounded"),
        pytest.param(61, ("total",), id="neither"),
    ],
)
def test_a_total_without_the_axes_that_are_not_applicable_is_a_difference_of_its_own_kind(
    total: float, differences: tuple[str, ...]
) -> None:
    found = score(6, 6, 6, None, 6, None, asked=Asked(), stated=(total, None))

    assert (found.total, found.applicable_total) == (73, 60)
    assert found.differences == differences


def test_a_total_that_ignores_a_hard_fail_is_no_matter_of_axes() -> None:
    found = score(6, 6, 6, None, 6, None, asked=Asked(), stated=(60, None), yes={"pity": ()})

    assert found.differences == ("total",)


def test_a_verdict_that_follows_from_a_total_without_na_differs_as_well() -> None:
    found = score(7, 8, 7, None, 8, None, asked=Asked(), stated=(75, "FAIL"))

    assert (found.total, found.differences) == (83, ("total_without_na", "verdict"))


@given(
    st.lists(DECIMALS, min_size=6, max_size=6),
    st.sets(st.sampled_from(SEED.hard_fail_ids), max_size=3),
    st.one_of(st.none(), st.integers(-5, 200)),
    st.sampled_from([None, "PASS", "FAIL"]),
    st.sampled_from([None, True, False]),
    st.sampled_from([None, True, False]),
    st.sampled_from([None, "", "some reply"]),
)
def test_what_always_holds(
    values: list[Number],
    yes: set[str],
    total: int | None,
    outcome: Outcome | None,
    single_turn: bool | None,
    repair: bool | None,
    reply: str | None,
) -> None:
    asked = Asked(single_turn=single_turn, repair=repair, reply=reply)
    flags = dict.fromkeys(yes, ("some reply",))
    found = score(*values, yes=flags, asked=asked, stated=(total, outcome))

    assert found.total == (0 if yes else found.axis_total)
    assert found.verdict == ("PASS" if (found.total or 0) >= 80 else "FAIL")
    assert None not in (found.total, found.total_confirmed, found.axis_total)
    assert found.total <= found.total_confirmed <= found.axis_total  # type: ignore[operator]  # none is None
    assert found.total_confirmed in (found.total, found.axis_total)
    assert set(found.axes or ()) == set(SIX)
    assert set(found.unconfirmed) <= yes
    assert (found.total == 0) or not yes
    # The judge's own figures change nothing but the differences.
    same = score(*values, yes=flags, asked=asked)
    assert (same.total, same.verdict, same.axes, same.applicable_total) == (
        found.total,
        found.verdict,
        found.axes,
        found.applicable_total,
    )


# --- what the judge cannot see


def partly(*unseen: str, **flags: bool | None) -> Judgement:
    """The judgement of tens by a judge that cannot see some axes, with these answers on hard fails."""
    answers = dict.fromkeys(SEED.hard_fail_ids, False) | flags
    verdict = Verdict(
        axes={name: 10 for name in SIX if name not in unseen},
        flags={name: Flag(answer) for name, answer in answers.items()},
        stated_total=50,
        stated_verdict="FAIL",
        unseen=frozenset(unseen),
    )
    return score_verdict(verdict, SEED, MULTI)


def test_unseen_axis_has_no_score_and_leaves_no_total() -> None:
    found = partly("memory_coherence", "naturalness")

    assert found.judged
    assert (found.total, found.total_confirmed, found.axis_total, found.applicable_total) == (None, None, None, None)
    assert (found.verdict, found.differences, found.defaulted) == (None, (), ())
    assert found.unseen == ("naturalness", "memory_coherence")
    assert found.axes is not None
    assert (found.axes["naturalness"], found.axes["empathy_fit"]) == (None, 10)


def test_unseen_hard_fail_leaves_no_total_but_the_mean_of_the_axes() -> None:
    found = partly(pity=None)

    assert (found.total, found.total_confirmed, found.verdict) == (None, None, None)
    assert (found.axis_total, found.applicable_total) == (100, 100)
    assert (found.unseen, found.present) == (("pity",), ())


def test_a_yes_zeroes_whatever_else_is_unseen() -> None:
    found = partly("naturalness", pity=None, lecturing=True)

    assert (found.total, found.total_confirmed, found.verdict, found.axis_total) == (0, 0, "FAIL", None)
    assert (found.present, found.differences) == (("lecturing",), ("total",))


def test_missing_axis_is_a_bug_of_the_caller() -> None:
    with pytest.raises(KeyError):
        score_verdict(Verdict(axes={}, flags={}), SEED)


def test_unjudged_keeps_its_reason_and_place() -> None:
    found = score_verdict(Unjudged(Reason.TIMEOUT, "120 s"), SEED, Asked(case_id="A"), row=7, judge="j")

    assert (found.status, found.reason, found.detail) == ("unjudged", "timeout", "120 s")
    assert (found.case_id, found.row, found.judge, found.axes, found.total) == ("A", 7, "j", None, None)
