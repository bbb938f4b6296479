"""The net preference of side-by-side choices."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import brentq, minimize_scalar
from scipy.special import xlogy

from iamhumans.stats.net_preference import net_preference, tango


def score_by_search(first: int, second: int, count: int, difference: float) -> float:
    """The score statistic with the restricted likelihood maximised by a general optimiser."""

    def loss(share: float) -> float:
        chances = np.array([share + difference, share, 1 - 2 * share - difference])
        return -float(np.sum(xlogy([first, second, count - first - second], np.maximum(chances, 1e-300))))

    ends = (max(0.0, -difference), (1 - difference) / 2)
    share = float(minimize_scalar(loss, bounds=ends, method="bounded", options={"xatol": 1e-12}).x)
    return float((first - second - count * difference) / np.sqrt(count * (2 * share + difference - difference**2)))


@pytest.mark.parametrize(
    ("first", "second", "count"), [(20, 5, 100), (3, 1, 28), (9, 1, 50), (1, 0, 30), (12, 43, 120)]
)
def test_the_interval_ends_where_the_score_test_rejects(first: int, second: int, count: int) -> None:
    low, high = tango(first, second, count)
    middle = (first - second) / count
    critical = 1.959963984540054
    assert low == pytest.approx(
        brentq(lambda d: score_by_search(first, second, count, d) - critical, -0.999, middle - 1e-9), abs=1e-6
    )
    assert high == pytest.approx(
        brentq(lambda d: score_by_search(first, second, count, d) + critical, middle + 1e-9, 0.999), abs=1e-6
    )


def test_all_ties_give_an_interval_around_zero() -> None:
    low, high = tango(0, 0, 20)
    assert low == pytest.approx(-high)
    assert 0.1 < high < 0.2


def test_one_side_that_always_wins_reaches_the_end_of_the_scale() -> None:
    assert tango(20, 0, 20)[1] == 1
    assert tango(0, 20, 20)[0] == -1


def test_many_ties_do_not_hide_a_preference() -> None:
    found = net_preference([1] * 20 + [-1] * 5 + [0] * 75)
    assert found.estimate.value == pytest.approx(0.15)
    assert found.estimate.low is not None
    assert found.estimate.low > 0
    assert found.test.p_value == pytest.approx(0.0041, abs=1e-4)  # binom.test(5, 25) of R


def test_means_over_several_pairs_have_an_interval_that_is_never_empty() -> None:
    found = net_preference([0.5, 0.5, 0.5, 0.5])
    assert found.estimate.method == "Gaffke's bounds"
    assert found.estimate.low is not None
    assert found.estimate.high is not None
    assert found.estimate.low < 0.5 < found.estimate.high


def test_no_case_gives_no_figure() -> None:
    assert net_preference([]).estimate.value is None


def test_the_interval_holds_zero_where_the_exact_test_keeps_it() -> None:
    found = net_preference([1] * 5 + [0] * 23)
    assert tango(5, 0, 28)[0] > 0
    assert found.test.p_value > 0.05
    assert found.estimate.low is not None
    assert found.estimate.low <= 0
