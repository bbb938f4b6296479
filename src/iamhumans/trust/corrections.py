"""What people would have said of a run, beside what the judge said.

1. Rates (zeroed, each hard fail) by sensitivity and specificity, which hold for other replies too, as long as the judge
   errs there as it did here.
2. Means (totals, axes), and rates of the very run that was labelled, by prediction-powered inference.
3. A map of an axis is applied only where it is asked for.
4. Raw figures stay beside corrected ones, and where the formula gives nothing possible, there is no figure.

Every case counts the same, as in the figures of a run; so a reply counts one over the number of replies of its case.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from iamhumans.rubrics import AXIS_MAXIMUM, Rubric
from iamhumans.stats import (
    LEVEL,
    Cases,
    Corrected,
    Estimate,
    Labelled,
    clustered_proportion,
    corrected_rate,
    mean_of,
    prediction_powered_mean,
    prediction_powered_rate,
    proportion_of,
    rate_of,
)
from iamhumans.trust.calibration import Answers, Calibration, Pair
from iamhumans.trust.people import Judged

Numbers = NDArray[np.float64]

TOTAL_SCALE = (0.0, 100.0)
AXIS_SCALE = (0.0, float(AXIS_MAXIMUM))
LEAST_OWN_CASES = 5
"""With so many labelled cases of the run itself, its own labels are used and no others."""

_NO_RATE = "People's labels settle it for no reply: whether one is zeroed takes an answer on every hard fail."
_NO_TOTAL = "People's labels settle it for no reply: a total takes an answer on every hard fail and axis at stake."
_NO_SCORE = "People gave no score to a labelled reply of these in which it was at stake."

Read = Callable[[Answers], float | None]


@dataclass(frozen=True, slots=True)
class CorrectedRate:
    """A rate as the judge has it, and as people would."""

    raw: Estimate
    by_errors: Corrected
    """By sensitivity and specificity."""
    powered: Corrected | None
    """By the labels of these very replies; ``None`` where too few of them were labelled."""

    @property
    def best(self) -> Corrected:
        """The one to decide by: from labels of these very replies where there are."""
        return self.by_errors if self.powered is None or self.powered.state == "undefined" else self.powered


@dataclass(frozen=True, slots=True)
class CorrectedMean:
    """A mean as the judge has it, and as people would."""

    raw: Estimate
    powered: Corrected
    mapped: Estimate | None = None
    """The judge's mean with each value mapped; ``None`` where that was not asked for or cannot be done."""
    unmapped: int = 0
    """Replies whose value lies outside the range that was labelled; they take no part in ``mapped``."""


@dataclass(frozen=True, slots=True)
class Corrections:
    """The figures of a run, corrected. ``own_labels`` says whether labels of these very replies made the means."""

    zero_rate: CorrectedRate
    mean_total: CorrectedMean
    hard_fails: Mapping[str, CorrectedRate]
    axes: Mapping[str, CorrectedMean]
    own_labels: bool


def corrections(
    judged: Sequence[Judged],
    calibration: Calibration,
    rubric: Rubric,
    *,
    level: float = LEVEL,
    one_sided: bool = False,
    apply_map: bool = False,
) -> Corrections:
    """The corrected figures of a run, or of one subject of it.

    Args:
        judged: What the judge said of its replies. Ties count as YES, as gates have it.
        calibration: One that fits the judge.
        rubric: What it judged by.
        level: Of the intervals.
        one_sided: Each bound at ``level`` by itself, for decisions.
        apply_map: Whether to give the means of mapped axes too.
    """
    run = _Run(tuple(judged), calibration, level, one_sided)
    return Corrections(
        zero_rate=run.rate(lambda said: said.zeroed, lambda one: one.zeroed is not False),
        mean_total=run.mean(lambda said: said.total, lambda one: 0.0 if one.zeroed is None else one.total, TOTAL_SCALE),
        hard_fails={
            name: run.rate(_flag(name), _judged_flag(name))
            for name in rubric.hard_fail_ids
            if any(name in pair.people.flags for pair in calibration.pairs)
        },
        axes={
            name: run.mean(_axis(name), _judged_axis(name), AXIS_SCALE, name if apply_map else None)
            for name in rubric.axis_ids
            if any(name in pair.people.axes for pair in calibration.pairs)
        },
        own_labels=run.own,
    )


def _flag(name: str) -> Read:
    return lambda said: said.flags.get(name)


def _judged_flag(name: str) -> Callable[[Judged], float | None]:
    return lambda one: one.flags.get(name) is not False


def _axis(name: str) -> Read:
    return lambda said: said.axes.get(name)


def _judged_axis(name: str) -> Callable[[Judged], float | None]:
    return lambda one: one.at_stake(name)


@dataclass(frozen=True)
class _Run:
    judged: tuple[Judged, ...]
    calibration: Calibration
    level: float
    one_sided: bool

    @cached_property
    def own(self) -> bool:
        """Whether enough of these very replies were labelled."""
        return len({pair.case for pair in self._own_pairs}) >= LEAST_OWN_CASES

    @cached_property
    def _own_pairs(self) -> tuple[Pair, ...]:
        keys = {one.reply_key for one in self.judged}
        return tuple(pair for pair in self.calibration.pairs if pair.reply in keys)

    def rate(self, read: Read, value: Callable[[Judged], float | None]) -> CorrectedRate:
        values, cases = self._values(value)
        if not len(values):
            nothing = self._undefined(0, "No case was judged.")
            return CorrectedRate(nothing.estimate, nothing, None)
        by_case = Cases.of(cases).means(values)
        raw = rate_of(by_case, level=self.level, one_sided=self.one_sided)
        pairs = self._both(self.calibration.pairs, read)
        if not pairs:
            return CorrectedRate(raw, self._undefined(raw.n_cases, _NO_RATE), None)
        clusters, weights = [pair.case for pair, _, _ in pairs], [pair.weight for pair, _, _ in pairs]
        found = clustered_proportion([said if true else None for _, said, true in pairs], clusters, weights=weights)
        spared = clustered_proportion(
            [None if true else 1 - said for _, said, true in pairs], clusters, weights=weights
        )
        if found is None or spared is None:
            by_errors = self._unknown(raw, "YES" if found is None else "NO")
        else:
            apparent = proportion_of(by_case)
            by_errors = corrected_rate(apparent, found, spared, level=self.level, one_sided=self.one_sided)
        powered = self._powered(values, cases, read, None, self._own_pairs) if self.own else None
        return CorrectedRate(raw, by_errors, powered)

    def _undefined(self, cases: int, reason: str) -> Corrected:
        estimate = Estimate(None, None, None, cases, "none", self.level, self.one_sided, reason)
        return Corrected(estimate, "undefined", reason=reason)

    def _unknown(self, raw: Estimate, missing: str) -> Corrected:
        share = "sensitivity" if missing == "YES" else "specificity"
        reason = (
            f"People said {missing} to none of the labelled replies, so {share} is not known and nothing is corrected."
        )
        return self._undefined(raw.n_cases, reason)

    def mean(
        self, read: Read, value: Callable[[Judged], float | None], scale: tuple[float, float], axis: str | None = None
    ) -> CorrectedMean:
        values, cases = self._values(value)
        raw = mean_of(Cases.of(cases).means(values), scale, level=self.level, one_sided=self.one_sided)
        pairs = self._own_pairs if self.own else self.calibration.pairs
        powered = self._undefined(raw.n_cases, _NO_TOTAL if scale == TOTAL_SCALE else _NO_SCORE)
        if self._both(pairs, read):
            powered = self._powered(values, cases, read, scale, pairs)
        found = self.calibration.maps.get(axis) if axis is not None else None
        if found is None:
            return CorrectedMean(raw, powered)
        mapped = found.map.of_all(values)
        inside = ~np.isnan(mapped)
        means = Cases.of(cases).means(np.where(inside, mapped, 0.0), where=inside)
        estimate = mean_of(means, scale, level=self.level, one_sided=self.one_sided) if len(means) else None
        return CorrectedMean(raw, powered, estimate, int(np.count_nonzero(~inside)))

    def _values(self, value: Callable[[Judged], float | None]) -> tuple[Numbers, list[str]]:
        """The judge's values of all replies, with the case of each."""
        found = [(given, self._case(one)) for one in self.judged if (given := value(one)) is not None]
        return np.array([float(given) for given, _ in found], dtype=np.float64), [case for _, case in found]

    def _case(self, one: Judged) -> str:
        """A reply's case; as the labels call it, where they call it otherwise."""
        return self._labelled_cases.get(one.reply_key, one.case_id)

    @cached_property
    def _labelled_cases(self) -> Mapping[str, str]:
        return {pair.reply: pair.case for pair in self.calibration.pairs}

    def _both(self, pairs: Sequence[Pair], read: Read) -> list[tuple[Pair, float, float]]:
        """The pairs of which both sides have an answer."""
        found = []
        for pair in pairs:
            said, true = read(pair.judge), read(pair.people)
            if said is not None and true is not None:
                found.append((pair, float(said), float(true)))
        return found

    def _powered(
        self, values: Numbers, cases: list[str], read: Read, scale: tuple[float, float] | None, pairs: Sequence[Pair]
    ) -> Corrected:
        """The mean that people would give on a scale; where there is none, the rate."""
        both = self._both(pairs, read)
        in_case, labelled_in_case = Counter(cases), Counter(pair.case for pair, _, _ in both)
        # A labelled reply stands for its case's share of the figure, as every reply of the run does.
        of_case = [in_case.get(pair.case, labelled_in_case[pair.case]) for pair, _, _ in both]
        labelled = Labelled(
            judge=np.array([said for _, said, _ in both], dtype=np.float64),
            people=np.array([true for _, _, true in both], dtype=np.float64),
            clusters=tuple(pair.case for pair, _, _ in both),
            weights=np.array(
                [pair.weight / n for (pair, _, _), n in zip(both, of_case, strict=True)], dtype=np.float64
            ),
        )
        weights = [1 / in_case[case] for case in cases]
        if scale is None:
            return prediction_powered_rate(
                values, cases, labelled, weights=weights, level=self.level, one_sided=self.one_sided
            )
        return prediction_powered_mean(
            values, cases, labelled, scale, weights=weights, level=self.level, one_sided=self.one_sided
        )
