"""Holm's correction, against statsmodels."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from iamhumans.stats import holm

P_VALUES = st.dictionaries(st.text(max_size=3), st.floats(0, 1), min_size=1, max_size=12)


@pytest.mark.parametrize("p_values", [(0.01, 0.04, 0.03), (0.5, 0.001, 0.02, 0.02, 0.9, 0.011), (0.7, 0.6)])
def test_holm_agrees_with_statsmodels(p_values: tuple[float, ...]) -> None:
    wanted = multipletests(p_values, method="holm")[1]

    found = holm({str(place): one for place, one in enumerate(p_values)})

    assert list(found.values()) == pytest.approx(list(wanted))


@given(P_VALUES)
def test_the_order_of_the_tests_does_not_matter(p_values: dict[str, float]) -> None:
    assert holm(dict(reversed(p_values.items()))) == holm(p_values)


@given(P_VALUES)
def test_a_corrected_value_is_never_smaller(p_values: dict[str, float]) -> None:
    assert all(corrected >= p_values[name] for name, corrected in holm(p_values).items())


def test_a_single_test_needs_no_correction() -> None:
    assert holm({"pity": 0.03}) == {"pity": 0.03}


def test_no_tests_give_nothing() -> None:
    assert holm({}) == {}


@pytest.mark.parametrize("wrong", [-0.1, 1.1, float("nan")])
def test_what_is_no_probability_is_refused(wrong: float) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        holm({"pity": wrong})
