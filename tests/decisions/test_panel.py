"""Votes on one reply: median, majority, ties, quorum; repeats first, then judges."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.builders import SEED, verdict_of
from tests.decisions.made_up import FLAG, TIMEOUT, vote

from iamhumans.decisions.panel import Combined, PanelReply, Vote, VoteReader, combine_judges
from iamhumans.verdicts import Flag, Judgement, Reason, Unjudged, read_verdict, score_verdict

OTHER = "pity"
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


@pytest.mark.parametrize(
    ("judges", "total", "worst", "confirmed"),
    [
        pytest.param([[vote(2)], [vote(9)], [vote(8)]], 80, 80, 80, id="the median of three"),
        pytest.param([[vote(8)], [vote(9)]], 85, 85, 85, id="the mean of the middle two"),
        pytest.param([[YES], [YES], [NO]], 0, 0, 0, id="a majority zeroes"),
        pytest.param([[YES], [NO], [NO]], 90, 90, 90, id="a minority does not"),
        pytest.param([[YES], [NO]], 90, 0, 90, id="a tie zeroes the worse total only"),
        pytest.param([[YES] * 5, [NO], [NO]], 90, 90, 90, id="a judge that was asked often has one vote"),
        pytest.param([[YES, NO]], 90, 0, 90, id="a tie of repeats"),
        pytest.param([[YES, NO], [NO], [NO]], 90, 90, 90, id="no opinion against two that say no"),
        pytest.param([[YES, NO], [YES], [NO]], 90, 0, 90, id="no opinion, where its yes would decide"),
        pytest.param([[UNCONFIRMED], [YES]], 0, 0, 0, id="one quote confirms"),
        pytest.param([[UNCONFIRMED], [UNCONFIRMED]], 0, 0, 90, id="no quote confirms"),
        pytest.param([[vote(9)], [vote(9)], [TIMEOUT]], 90, 90, 90, id="two of three judges are enough"),
    ],
)
def test_votes_are_combined(judges: list[list[Vote | Unjudged]], total: int, worst: int, confirmed: int) -> None:
    found = combined(*judges)
    assert (found.total, found.worst_total, found.total_confirmed) == (total, worst, confirmed)
    assert (found.outcome, found.worst_outcome) == tuple("PASS" if one >= 80 else "FAIL" for one in (total, worst))
    assert bool(found.vote.contested) == (total != worst)


def test_each_axis_has_its_own_median() -> None:
    high, low = vote([10, 0, 10, 10, 10, 10]), vote([0, 10, 10, 10, 10, 10])
    assert combined([high], [low], [vote(10)]).vote.axes == (10, 10, 10, 10, 10, 10)


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
def test_worse_is_never_better(votes: list[Vote]) -> None:
    found = combined(*([one] for one in votes))
    assert found.worst_total is not None
    assert found.total is not None
    assert found.total_confirmed is not None
    assert found.worst_total <= found.total <= found.total_confirmed


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
    assert tied.vote.contested == {FLAG}
    assert tied.vote.unseen == frozenset()
    assert zeroed.vote.flags == {FLAG}
    assert zeroed.total == 0


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
