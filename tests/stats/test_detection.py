"""Sensitivity, specificity and their kin, against scikit-learn."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics
from tests.stats.ratings import Numbers, answers, pairs

from iamhumans.stats import Measure, auc, f1, precision, prevalence, sensitivity, specificity

EXACT = 1e-9
FEW = settings(max_examples=40)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (sensitivity, lambda y, x, w: metrics.recall_score(y, x, sample_weight=w, zero_division=np.nan)),
        (specificity, lambda y, x, w: metrics.recall_score(y, x, pos_label=0, sample_weight=w, zero_division=np.nan)),
        (precision, lambda y, x, w: metrics.precision_score(y, x, sample_weight=w, zero_division=np.nan)),
        (f1, lambda y, x, w: metrics.f1_score(y, x, sample_weight=w, zero_division=np.nan)),
    ],
)
@FEW
@given(pair=answers(missing=False), data=st.data())
def test_figures_are_those_of_scikit_learn(
    ours: Callable[..., Measure],
    theirs: Callable[[Numbers, Numbers, list[int]], float],
    pair: tuple[Numbers, Numbers],
    data: st.DataObject,
) -> None:
    judge, people = pair
    weights = data.draw(st.lists(st.integers(1, 5), min_size=len(judge), max_size=len(judge)))
    found = ours(judge, people, weights=weights)
    reference = theirs(people, judge, weights)
    if found.value is None:
        assert np.isnan(reference)
        assert found.reason
    else:
        assert found.value == pytest.approx(reference, abs=EXACT)


@FEW
@given(pairs(levels=4, missing=False), st.data())
def test_auc_with_ties_is_that_of_scikit_learn(pair: tuple[Numbers, Numbers], data: st.DataObject) -> None:
    scores, other = pair
    people = (other >= 2).astype(float)
    weights = data.draw(st.lists(st.integers(1, 5), min_size=len(scores), max_size=len(scores)))
    found = auc(scores, people, weights=weights)
    if len(np.unique(people)) < 2:
        assert found.value is None
        assert "People said" in (found.reason or "")
        return
    assert found.value == pytest.approx(metrics.roc_auc_score(people, scores, sample_weight=weights), abs=EXACT)


def test_no_positive_is_no_sensitivity_and_says_so() -> None:
    found = sensitivity([1, 0, 0], [0, 0, 0])
    assert found.value is None
    assert "People said YES to none" in (found.reason or "")


def test_prevalence_counts_only_answers() -> None:
    assert prevalence([1, None, 0, 0]).value == pytest.approx(1 / 3)


def test_an_answer_of_two_is_refused() -> None:
    with pytest.raises(ValueError, match="1 for YES or 0 for NO"):
        sensitivity([2], [1])
