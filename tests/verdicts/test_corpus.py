"""Every output of the corpus ends as the contract says."""

from __future__ import annotations

from collections import Counter

import pytest
from tests.verdicts.corpus import AXES, CORPUS, FLAGS, Output

from iamhumans.rubrics import Rubric, load_rubric
from iamhumans.verdicts import Unjudged, Verdict, read_verdict

REASONS = {
    "empty",
    "refused",
    "no_verdict",
    "conflicting_verdicts",
    "wrong_case",
    "wrong_token",
    "missing_axis",
    "missing_flag",
    "bad_flag",
    "out_of_range",
    "not_a_number",
    "truncated",
    "content_filter",
}
EVERY_OUTPUT = pytest.mark.parametrize("output", CORPUS, ids=[output.name for output in CORPUS])


@pytest.fixture(scope="module")
def rubric() -> Rubric:
    return load_rubric("iamhumans")


def told(outcome: Verdict | Unjudged) -> str | None:
    """The reason as plain text; None where it was judged. A failure then shows both reasons side by side."""
    return str(outcome.reason.value) if isinstance(outcome, Unjudged) else None


@EVERY_OUTPUT
def test_output_ends_as_expected(output: Output, rubric: Rubric) -> None:
    outcome = read_verdict(output.text, rubric, output.asked)

    assert told(outcome) == output.reason, str(getattr(outcome, "detail", outcome))[:500]
    if isinstance(outcome, Verdict):
        check_content(outcome, output)


def check_content(verdict: Verdict, output: Output) -> None:
    assert {name: verdict.axes[name] for name in output.axes or ()} == dict(output.axes or {})
    if output.yes is not None:
        assert {name for name, flag in verdict.flags.items() if flag.present} == set(output.yes)
    assert {name: verdict.flags[name].quotes for name in output.quotes or ()} == dict(output.quotes or {})
    assert (output.notes_contain or "") in verdict.notes
    if output.stated is not None:
        assert (verdict.stated_total, verdict.stated_verdict) == output.stated
    if output.repairs is not None:
        assert verdict.repairs == tuple(sorted(output.repairs))


@EVERY_OUTPUT
def test_verdict_is_whole_and_can_be_written(output: Output, rubric: Rubric) -> None:
    outcome = read_verdict(output.text, rubric, output.asked)

    if isinstance(outcome, Unjudged):
        outcome.detail.encode()
        return
    assert set(outcome.axes) == set(AXES)
    assert set(outcome.flags) == set(FLAGS)
    scores = [score for score in outcome.axes.values() if score is not None]
    assert all(type(score) in (int, float) and 0 <= score <= 10 for score in scores)
    assert all(type(flag.present) is bool for flag in outcome.flags.values())
    assert outcome.repairs == tuple(sorted(set(outcome.repairs)))
    texts = [outcome.notes, outcome.case_id or "", *(q for flag in outcome.flags.values() for q in flag.quotes)]
    assert all(text.encode() is not None for text in texts)


def test_names_are_unique() -> None:
    assert [name for name, count in Counter(output.name for output in CORPUS).items() if count > 1] == []


def test_corpus_is_large() -> None:
    assert len(CORPUS) >= 120


def test_every_reason_of_the_reader_occurs() -> None:
    assert {output.reason for output in CORPUS} - {None} == REASONS
