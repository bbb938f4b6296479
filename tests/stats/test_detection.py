"""F1 and AUC, against scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics
from tests.stats.ratings import Numbers, answers, pairs

from iamhumans.stats import auc, f1

EXACT = 1e-9
FEW = settings(max_examples=40)


@FEW
@given(pair=answers(missing=False), data=st.data())
def test_f1_is_that_of_scikit_learn(pair: tuple[Numbers, Numbers], data: st.DataObject) -> None:
    judge, people = pair
    weights = data.draw(st.lists(st.integers(1, 5), min_size=len(judge), max_size=len(judge)))
    found = f1(judge, people, weights=weights)
    reference = metrics.f1_score(people, judge, sample_weight=weights, zero_division=np.nan)
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


def test_an_answer_of_two_is_refused() -> None:
    with pytest.raises(ValueError, match="1 for YES or 0 for NO"):
        f1([2], [1])
