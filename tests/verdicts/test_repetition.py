"""An answer that ends in a loop says so, and one that was cut off names the limit."""

from __future__ import annotations

from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.builders import SEED, verdict_of

from iamhumans.verdicts import Asked, Reason, Unjudged, read_verdict
from iamhumans.verdicts.repetition import repeated_ending

WHOLE = verdict_of()
HALF = WHOLE[: WHOLE.index("hard_fails:")]
LOOP = "The reply is warm and the reply is short.\n"


def detail_of(text: str, finish_reason: str | None = "length") -> str:
    outcome = read_verdict(text, SEED, Asked(finish_reason=finish_reason))
    assert isinstance(outcome, Unjudged)
    assert outcome.reason is Reason.TRUNCATED
    return outcome.detail


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(LOOP * 50, id="sentences"),
        pytest.param(HALF + LOOP * 50, id="after half a verdict"),
        pytest.param(f"<think>{LOOP * 50}", id="in reasoning"),
        pytest.param(LOOP * 50 + LOOP[:13], id="cut in the middle"),
    ],
)
def test_a_loop_until_the_limit_is_named_with_the_setting(text: str) -> None:
    detail = detail_of(text)

    assert "repeats `The reply is warm and the reply is short.`" in detail or "the reply is short" in detail
    assert "50 times" in detail or "51 times" in detail
    assert "max_tokens" in detail


def test_a_key_that_is_written_again_and_again_is_named() -> None:
    detail = detail_of(HALF + "  repair_quality: 8\n" * 200)

    assert "repeats `repair_quality: 8`" in detail
    assert "max_tokens" in detail


def test_blanks_without_end_are_named() -> None:
    assert "repeats blanks" in detail_of(HALF + " \n" * 4_000)


def test_an_answer_that_was_cut_off_without_a_loop_names_the_limit() -> None:
    assert detail_of(HALF) == "the answer breaks off after repair_quality: max_tokens was reached, so raise it"


def test_an_answer_that_breaks_off_by_itself_names_no_limit() -> None:
    assert "max_tokens" not in detail_of(HALF, "stop")


@given(st.text(alphabet="abc \n", min_size=1, max_size=40), st.integers(130, 300), st.text(alphabet="xyz", max_size=30))
def test_what_is_repeated_is_found(unit: str, times: int, before: str) -> None:
    found = repeated_ending(before + unit * times)

    assert found is not None
    assert len(found[0]) * found[1] >= len(unit) * (times - 1)
    assert len(unit) % len(found[0]) == 0


@given(st.lists(st.integers(), unique=True, min_size=1, max_size=100))
def test_a_text_without_a_loop_has_none(numbers: list[int]) -> None:
    assert repeated_ending(" ".join(map(str, numbers)) + " end") is None


def test_a_long_text_is_looked_at_in_no_time() -> None:
    started = process_time()
    repeated_ending("ab " * 1_000_000)

    assert process_time() - started < 1
