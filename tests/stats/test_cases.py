"""From replies to case values."""

from __future__ import annotations

import math
import subprocess
import sys
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.stats.figures import many_a_case, one_a_case

from iamhumans import stats
from iamhumans.stats import Cases, intervals, pair


def test_a_case_is_the_mean_of_its_replies() -> None:
    values = Cases.of(["a", "b", "a", "a"]).means([90, 70, 80, 100])

    assert values.ids == ("a", "b")
    assert values.values.tolist() == [90, 70]
    assert values.replies.tolist() == [3, 1]


def test_a_case_of_which_no_reply_counts_is_left_out() -> None:
    values = Cases.of(["a", "b", "b"]).means([1, 2, 4], where=[False, True, True])

    assert values.ids == ("b",)
    assert values.values.tolist() == [3]


def test_a_reply_that_does_not_count_may_be_missing() -> None:
    values = Cases.of(["a", "a"]).means([5, math.nan], where=[True, False])

    assert values.values.tolist() == [5]


@pytest.mark.parametrize("missing", [math.nan, math.inf])
def test_a_missing_value_is_refused(missing: float) -> None:
    with pytest.raises(ValueError, match="Leave out what was not judged"):
        Cases.of(["a", "b"]).means([1, missing])


def test_values_for_another_number_of_replies_are_refused() -> None:
    with pytest.raises(ValueError, match="2 replies"):
        Cases.of(["a", "b"]).means([1, 2, 3])


def test_no_reply_is_no_case() -> None:
    assert len(Cases.of([]).means([])) == 0


def test_fractions_are_not_one_outcome_a_case() -> None:
    assert one_a_case([0, 1, 1]).one_outcome
    assert not one_a_case([0, 0.5]).one_outcome
    assert not many_a_case([[0, 0], [1, 1]]).one_outcome


def test_a_dimension_keeps_its_cases() -> None:
    assert one_a_case([1, 2, 3]).only({"case-2", "case-0", "elsewhere"}).values.tolist() == [1, 3]


def test_runs_are_paired_by_case_whatever_their_order() -> None:
    a = Cases.of(["x", "y", "z"]).means([1, 2, 3])
    b = Cases.of(["z", "w", "x"]).means([30, 40, 10])

    pairs = pair(a, b)

    assert pairs.ids == ("x", "z")
    assert pairs.differences.tolist() == [9, 27]


def test_runs_without_a_shared_case_have_no_pairs() -> None:
    pairs = pair(Cases.of(["x"]).means([1]), Cases.of(["y"]).means([1]))

    assert len(pairs) == 0


@given(st.lists(st.tuples(st.sampled_from("abcd"), st.integers(0, 100)), min_size=1), st.randoms())
def test_the_order_of_the_replies_does_not_matter(replies: list[tuple[str, int]], random: Random) -> None:
    shuffled = list(replies)
    random.shuffle(shuffled)

    def by_case(rows: list[tuple[str, int]]) -> dict[str, float]:
        values = Cases.of([case for case, _ in rows]).means([value for _, value in rows])
        return dict(zip(values.ids, np.round(values.values, 9).tolist(), strict=True))

    assert by_case(replies) == by_case(shuffled)


def test_whoever_only_counts_does_not_wait_for_numpy() -> None:
    code = "import sys, iamhumans.stats; print(any(name in sys.modules for name in ('numpy', 'scipy')))"

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "False"


def test_names_that_need_numpy_are_found() -> None:
    assert stats.rate_of is intervals.rate_of
    assert stats.LEVEL == 0.95


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="median_of"):
        stats.median_of  # noqa: B018  # the look-up is what is tested
