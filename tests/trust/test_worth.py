"""What speaks for a person's look at a reply."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tests.builders import SEED, verdict_of
from tests.trust.labelled import TEXT

from iamhumans.runs import Judged
from iamhumans.trust.worth import signs_of
from iamhumans.verdicts import Asked, Verdict, read_verdict, score_verdict


def judged(*, axes: Mapping[str, float] | float = 9, yes: Mapping[str, Sequence[str]] | None = None) -> Judged:
    scores = dict.fromkeys(SEED.axis_ids, axes) if isinstance(axes, int | float) else {**axes}
    verdict = read_verdict(verdict_of(axes=scores, yes=yes), SEED)
    assert isinstance(verdict, Verdict)
    return Judged(verdict, score_verdict(verdict, SEED, Asked(reply=TEXT, single_turn=False, repair=True)))


def reasons(*several: Judged) -> list[str]:
    return [reason for _, reason in signs_of(several, SEED)]


def interest(*several: Judged) -> int:
    return sum(worth for worth, _ in signs_of(several, SEED))


def test_one_clear_verdict_is_not_worth_a_look() -> None:
    assert reasons(judged(), judged()) == []
    assert reasons(judged(yes={"pity": ["poppy rolls"]})) == []


def test_split_on_a_hard_fail_is_said_with_its_count() -> None:
    found = reasons(judged(), judged(), judged(yes={"pity": ["poppy rolls"]}))
    assert found == ["1 of 3 verdicts say YES to pity", "2 of 3 verdicts pass it"]


def test_tie_is_worth_more_than_another_split() -> None:
    yes = judged(yes={"pity": ["poppy rolls"]})
    assert interest(judged(), yes) > interest(judged(), yes, yes)


def test_total_near_the_pass_mark_is_worth_the_more_the_nearer() -> None:
    assert reasons(judged(axes=7.8)) == ["a total of 78 is near the pass mark of 80"]
    assert interest(judged(axes=8)) > interest(judged(axes=7.6)) > interest(judged(axes=7.4)) == 0


def test_zeroed_total_is_not_near_the_mark() -> None:
    assert reasons(judged(axes=8, yes={"pity": ["poppy rolls"]})) == []


def test_yes_without_words_of_the_reply_is_worth_a_look() -> None:
    assert reasons(judged(yes={"pity": ["words of nobody"]})) == ["a YES to pity has no words that stand in the reply"]


def test_scores_that_are_far_apart_are_worth_a_look() -> None:
    low = {**dict.fromkeys(SEED.axis_ids, 9), "naturalness": 6}
    assert reasons(judged(), judged(axes=low)) == ["the scores for naturalness go from 6 to 9"]
