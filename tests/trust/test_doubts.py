"""Why the verdicts on a reply are in doubt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tests.builders import SEED, verdict_of
from tests.trust.labelled import TEXT

from iamhumans.trust.drawing import doubts_about
from iamhumans.verdicts import Asked, Judgement, Verdict, read_verdict, score_verdict


def judged(*, axes: Mapping[str, float] | float = 9, yes: Mapping[str, Sequence[str]] | None = None) -> Judgement:
    scores = dict.fromkeys(SEED.axis_ids, axes) if isinstance(axes, int | float) else {**axes}
    verdict = read_verdict(verdict_of(axes=scores, yes=yes), SEED)
    assert isinstance(verdict, Verdict)
    return score_verdict(verdict, SEED, Asked(reply=TEXT, single_turn=False, repair=True))


def reasons(*several: Judgement) -> list[str]:
    return [reason for _, reason in doubts_about(several, SEED)]


def doubt(*several: Judgement) -> int:
    return sum(points for points, _ in doubts_about(several, SEED))


def test_clear_verdicts_are_not_in_doubt() -> None:
    assert reasons(judged(), judged()) == []
    assert reasons(judged(yes={"pity": ["poppy rolls"]})) == []


def test_split_on_a_hard_fail_is_said_with_its_count() -> None:
    found = reasons(judged(), judged(), judged(yes={"pity": ["poppy rolls"]}))
    assert found == ["1 of 3 verdicts say YES to pity", "2 of 3 verdicts are PASS"]


def test_a_tie_counts_more_than_another_split() -> None:
    yes = judged(yes={"pity": ["poppy rolls"]})
    assert doubt(judged(), yes) > doubt(judged(), yes, yes)


def test_a_total_counts_more_the_nearer_it_is_to_the_pass_mark() -> None:
    assert reasons(judged(axes=7.8)) == ["a total of 78 is near the pass mark of 80"]
    assert doubt(judged(axes=8)) > doubt(judged(axes=7.6)) > doubt(judged(axes=7.4)) == 0


def test_zeroed_total_is_not_near_the_mark() -> None:
    assert reasons(judged(axes=8, yes={"pity": ["poppy rolls"]})) == []


def test_a_yes_without_a_quote_is_in_doubt() -> None:
    assert reasons(judged(yes={"pity": ["words of nobody"]})) == ["a YES to pity has no quote that is in the reply"]


def test_scores_that_are_far_apart_are_in_doubt() -> None:
    low = {**dict.fromkeys(SEED.axis_ids, 9), "naturalness": 6}
    assert reasons(judged(), judged(axes=low)) == ["the scores for naturalness range from 6 to 9"]
