"""Case values for tests, and strategies that make them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from hypothesis import strategies as st

from iamhumans.stats import Cases, CaseValues, Pairs, TwoPartValues, pair, split_totals


def one_a_case(values: Sequence[float]) -> CaseValues:
    """Cases with one reply each."""
    return Cases.of([f"case-{number}" for number in range(len(values))]).means(values)


def many_a_case(replies: Sequence[Sequence[float]]) -> CaseValues:
    """Cases with these replies."""
    ids = [f"case-{number}" for number, of_case in enumerate(replies) for _ in of_case]
    return Cases.of(ids).means([value for of_case in replies for value in of_case])


def outcomes(yes: int, no: int) -> CaseValues:
    """One outcome a case."""
    return one_a_case([1.0] * yes + [0.0] * no)


def paired_outcomes(both: int, only_a: int, only_b: int, neither: int) -> Pairs:
    """A table of two outcomes a case."""
    a = [1.0] * (both + only_a) + [0.0] * (only_b + neither)
    b = [1.0] * both + [0.0] * only_a + [1.0] * only_b + [0.0] * neither
    return pair(one_a_case(a), one_a_case(b))


def totals(*replies: Sequence[float]) -> TwoPartValues:
    """Cases with these totals; a 0 is a zeroed reply."""
    ids = [f"case-{number}" for number, of_case in enumerate(replies) for _ in of_case]
    flat = np.array([value for of_case in replies for value in of_case], dtype=float)
    return split_totals(Cases.of(ids), flat == 0, flat)


def same_number_of_replies(most_cases: int = 30) -> st.SearchStrategy[list[list[float]]]:
    """Outcomes of cases with the same number of replies, two to five."""
    return st.integers(2, 5).flatmap(
        lambda replies: st.lists(
            st.lists(st.sampled_from([0.0, 1.0]), min_size=replies, max_size=replies), min_size=1, max_size=most_cases
        )
    )
