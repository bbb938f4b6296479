"""What figures need of a stored verdict is what reading the whole of it gives."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from iamhumans.rubrics import load_rubric
from iamhumans.runs.journal.entries import Judged, _verdict_json, read_judgement
from iamhumans.runs.journal.figures import _DIFFERENCES, _differences, read_said
from iamhumans.verdicts import Asked, Flag, Verdict, score_verdict

RUBRIC = load_rubric("iamhumans")
# Texts that try to look like what follows the flags.
texts = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=20),
    st.sampled_from([',"case_id":"', '"x","notes":"', ',"defaults":{"a":1}', ',"differences":["total"],', "}", '\\",']),
)
NOT_APPLICABLE = ("memory_coherence", "repair_quality")


@st.composite
def judged(draw: st.DrawFn) -> Judged:
    number = st.one_of(st.integers(0, 10), st.sampled_from([8.5, 0.5]))
    axes = {name: draw(st.one_of(st.none(), number) if name in NOT_APPLICABLE else number) for name in RUBRIC.axis_ids}
    quotes = st.lists(texts, max_size=2).map(tuple)
    flags = {
        name: draw(st.one_of(st.just(Flag(False)), st.builds(Flag, st.booleans(), quotes)))
        for name in RUBRIC.hard_fail_ids
    }
    verdict = Verdict(
        axes,
        flags,
        draw(st.one_of(st.none(), texts.filter(bool))),
        draw(texts),
        draw(st.one_of(st.none(), st.integers(0, 100))),
        draw(st.sampled_from([None, "PASS", "FAIL"])),
        tuple(draw(st.lists(st.sampled_from(["no_check", "code_fence"]), max_size=1))),
    )
    return Judged(verdict, score_verdict(verdict, RUBRIC, Asked(reply=draw(texts), single_turn=True, repair=False)))


@given(judged())
def test_what_is_said_is_what_the_whole_verdict_says(one: Judged) -> None:
    text = _verdict_json(one)
    said, score = read_said(text), one.score

    assert said.axes == score.axes
    assert said.defaulted == frozenset(score.defaulted)
    assert said.at_stake == {name: value for name, value in score.axes.items() if name not in score.defaulted}
    assert said.hard_fails == tuple(name for name, flag in one.verdict.flags.items() if flag.present)
    assert said.unconfirmed == score.unconfirmed
    assert (_differences(text) if _DIFFERENCES in text else ()) == score.differences
    assert (',"repairs":[' in text) == bool(one.verdict.repairs)


@given(judged())
def test_a_stored_verdict_is_read_back_as_it_was(one: Judged) -> None:
    text = _verdict_json(one)
    json.loads(text)
    score = one.score
    row: tuple[Any, ...] = (None, None, score.total, score.total_confirmed, score.axis_total, score.applicable_total)

    assert read_judgement((*row, score.outcome, text)) == one
