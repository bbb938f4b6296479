"""Votes on one reply: means, majority, ties, quorum; repeats first, then judges."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.builders import SEED, verdict_of
from tests.decisions.made_up import FLAG, TIMEOUT, vote

from iamhumans.decisions.panel import Asked, Combined, PanelReply, Vote, VoteReader, combine_judges
from iamhumans.verdicts import Flag, Judgement, Reason, Unjudged, read_verdict, score_verdict

OTHER = "pity"
AXIS = SEED.axis_ids[0]
VOTES = st.builds(
    lambda axis, flags: vote(axis, *flags),
    st.integers(0, 10),
    st.lists(st.sampled_from((FLAG, OTHER)), max_size=2),
)


def judged_by(*judges: Sequence[Vote | Unjudged]) -> Combined | Unjudged:
    return combine_judges({f"j{index}": own for index, own in enumerate(judges)}, SEED)[0]


def combined(*judges: Sequence[Vote | Unjudged]) -> Combined:
    outcome = judged_by(*judges)
    assert isinstance(outcome, Combined), outcome
    return outcome


YES, NO = vote(9, FLAG), vote(9)
UNCONFIRMED = vote(9, FLAG, unconfirmed=[FLAG])


THIRD = "sycophancy"
SCATTERED = [vote(9, FLAG), vote(9, OTHER), vote(9, THIRD)]


@pytest.mark.parametrize(
    ("judges", "total", "confirmed"),
    [
        pytest.param([[vote(2)], [vote(9)], [vote(8)]], 63, 63, id="the mean of three"),
        pytest.param([[vote(8)], [vote(9)]], 85, 85, id="the mean of two"),
        pytest.param([[YES], [YES], [NO]], 0, 0, id="a majority zeroes"),
        pytest.param([[YES], [NO], [NO]], 90, 90, id="a minority does not"),
        pytest.param([[YES], [NO]], 0, 0, id="a tie zeroes"),
        pytest.param([[YES] * 5, [NO], [NO]], 90, 90, id="a judge that was asked often has one vote"),
        pytest.param([[YES, NO]], 0, 0, id="a tie of repeats zeroes"),
        pytest.param([[YES, NO], [NO], [NO]], 90, 90, id="a judge whose repeats are tied has one zero"),
        pytest.param([[YES, NO], [YES], [NO]], 0, 0, id="which counts with the others"),
        pytest.param([[UNCONFIRMED], [YES]], 0, 0, id="a tie of confirmed zeroes"),
        pytest.param([[UNCONFIRMED], [YES], [UNCONFIRMED]], 0, 90, id="a minority of confirmed zeroes"),
        pytest.param([[UNCONFIRMED], [UNCONFIRMED]], 0, 90, id="no quote confirms"),
        pytest.param([[vote(9)], [vote(9)], [TIMEOUT]], 90, 90, id="two of three judges are enough"),
        pytest.param([SCATTERED], 0, 0, id="each repeat zeroes for another flag"),
        pytest.param([[one] for one in SCATTERED], 0, 0, id="each judge zeroes for another flag"),
        pytest.param([SCATTERED, [NO]], 0, 0, id="a judge whose repeats wander ties with another"),
        pytest.param([SCATTERED, [NO], [NO]], 90, 90, id="and loses to two"),
    ],
)
def test_votes_are_combined(judges: list[list[Vote | Unjudged]], total: int, confirmed: int) -> None:
    found = combined(*judges)
    assert (found.total, found.total_confirmed) == (total, confirmed)
    assert found.outcome == ("PASS" if total >= 80 else "FAIL")
    assert (found.zeroed, found.zeroed_confirmed) == (total == 0, confirmed == 0)
    assert found.applicable_total is not None
    assert found.applicable_total > 0


def test_a_flag_is_present_by_majority_and_its_votes_are_counted() -> None:
    found = combined([YES], [vote(9, FLAG, OTHER)], [NO], [vote(9, THIRD)])
    assert (set(found.vote.flags), dict(found.yes)) == (set(), {FLAG: 2, OTHER: 1, THIRD: 1})
    assert found.named == (FLAG, OTHER, THIRD)  # zeroed without any one of them
    assert combined([YES], [vote(9, FLAG, OTHER)], [NO]).named == (FLAG,)
    assert combined([YES], [NO], [NO]).named == ()


def test_a_panel_that_is_zeroed_by_wandering_repeats_still_names_their_flags() -> None:
    found = combined(SCATTERED, SCATTERED)
    assert (found.total, found.named, set(found.yes.values())) == (0, (FLAG, OTHER, THIRD), {0})


def test_an_axis_is_the_mean_of_the_votes_that_scored_it() -> None:
    scored, default = vote([4, 8, 8, 8, 8, 8]), vote([10, 8, 8, 8, 8, 8])._replace(defaulted=frozenset([AXIS]))
    found = combined([scored], [default], [vote([5, 8, 8, 8, 8, 8])])
    assert (found.vote.axes[0], set(found.vote.defaulted)) == (4.5, set())
    both = combined([default], [default])
    assert (both.vote.axes[0], set(both.vote.defaulted), both.total, both.applicable_total) == (10, {AXIS}, 83, 80)


def test_half_a_point_is_rounded_up_whatever_floats_make_of_the_mean() -> None:
    assert combined([vote([one, 8, 8, 8, 8, 8]) for one in (7.6, 7.7, 7.8)]).total == 80  # 79.5


def test_the_mean_of_a_judges_repeats_is_one_value_of_the_panel() -> None:
    thirds = [vote([8, 8, 8, 8, 8, one]) for one in (7, 7, 8)]
    assert combined(thirds, [vote([8, 8, 8, 8, 8, 8])] * 3, [vote([8, 8, 8, 8, 8, 7])]).vote.axes[-1] == pytest.approx(
        67 / 9
    )


@pytest.mark.parametrize("judges", [[[vote()], [TIMEOUT]], [[vote(), TIMEOUT]]])
def test_half_of_the_votes_are_no_quorum(judges: list[list[Vote | Unjudged]]) -> None:
    outcome = judged_by(*judges)
    assert isinstance(outcome, Unjudged)
    assert outcome.reason is Reason.NO_QUORUM


def test_one_judgement_that_failed_keeps_its_own_reason() -> None:
    assert judged_by([TIMEOUT]) is TIMEOUT


@given(st.lists(VOTES, min_size=1, max_size=6))
def test_order_of_judges_does_not_matter(votes: list[Vote]) -> None:
    assert combined(*([one] for one in votes)) == combined(*([one] for one in reversed(votes)))


@given(st.lists(VOTES, min_size=1, max_size=6))
def test_a_present_flag_always_zeroes_and_the_confirmed_total_is_never_lower(votes: list[Vote]) -> None:
    found = combined(*([one] for one in votes))
    assert found.zeroed >= bool(found.vote.flags)
    assert found.total is not None
    assert found.total_confirmed is not None
    assert found.total <= found.total_confirmed


@given(VOTES, st.integers(1, 5))
def test_judges_who_agree_are_as_one(one: Vote, count: int) -> None:
    assert combined(*([one] for _ in range(count))).total == combined([one]).total


def row_of(row: int, judge: str, **changes: object) -> Judgement:
    text = verdict_of(case_id=f"C-{row}", **changes)  # type: ignore[arg-type]  # what tests give
    return score_verdict(read_verdict(text, SEED), SEED, row=row, judge=judge)


def read(*judgements: Judgement) -> PanelReply:
    return VoteReader(SEED).reply(judgements)


@pytest.mark.parametrize("judge", ["one", "two"])
def test_what_each_judge_says_is_available_beside_the_panel(judge: str) -> None:
    own = read(row_of(1, "one", axes={"naturalness": 2}), row_of(1, "two")).judges[judge]
    assert isinstance(own, Combined)
    assert own.vote.axes[0] == {"one": 2, "two": 8}[judge]


# --- criteria that a judge cannot see ---------------------------------------------------------------------------------

BLIND = vote([9, 9, None, 9, 9, 9], unseen=[FLAG])


def test_a_panel_does_not_see_what_one_of_its_judges_does_not_see() -> None:
    found = combined([BLIND], [vote(7)], [vote(7)])
    assert found.vote.axes[2] is None
    assert found.vote.unseen == {FLAG}
    assert (found.total, found.outcome) == (None, None)


def test_a_null_is_no_vote_against_a_yes() -> None:
    tied, zeroed = combined([BLIND], [vote(7, FLAG)], [vote(7)]), combined([BLIND], [vote(7, FLAG)])
    assert (tied.total, set(tied.vote.flags)) == (0, set())
    assert (zeroed.total, set(zeroed.vote.flags)) == (0, {FLAG})


def of_panel(*judges: Vote, counting: Sequence[str]) -> Combined:
    votes = {f"j{number}": [one] for number, one in enumerate(judges)}
    found, _ = combine_judges(votes, SEED, Asked(tuple(votes), 1, frozenset(counting)))
    assert isinstance(found, Combined)
    return found


def test_a_yes_that_not_all_judges_of_a_panel_can_give_is_shown_without_a_vote() -> None:
    found = of_panel(vote(7, OTHER), vote(7, OTHER), BLIND, counting=[FLAG])
    assert (found.zeroed, found.named, dict(found.uncounted)) == (False, (), {OTHER: 2})
    assert found.total is None
    counted = of_panel(vote(7, OTHER, FLAG), vote(7, OTHER), BLIND, counting=[FLAG])
    assert (counted.zeroed, counted.named, dict(counted.uncounted)) == (True, (FLAG,), {OTHER: 2})


def test_what_no_judge_sees_leaves_no_total_but_where_a_yes_zeroes_it() -> None:
    assert (combined([BLIND]).total, combined([BLIND]).outcome) == (None, None)
    zeroed = combined([BLIND._replace(flags=frozenset([OTHER]))])
    assert (zeroed.total, zeroed.outcome, zeroed.total_confirmed) == (0, "FAIL", 0)


def test_a_judgement_with_gaps_is_a_vote_with_gaps() -> None:
    whole = row_of(1, "one")
    gaps = replace(
        whole,
        axes={**(whole.axes or {}), "naturalness": None},
        hard_fails={**(whole.hard_fails or {}), FLAG: Flag(None)},
        total=None,
        total_confirmed=None,
        verdict=None,
    )
    reply = read(gaps)
    assert isinstance(reply.combined, Combined)
    assert (reply.combined.total, reply.combined.vote.axes[0], set(reply.combined.vote.unseen)) == (None, None, {FLAG})
