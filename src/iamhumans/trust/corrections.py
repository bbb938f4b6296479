"""What people would have said about a run, beside what the judge said.

Rates (zeroed, each hard fail) are corrected by sensitivity and specificity. That also holds for other replies, if the
judge makes the same errors there: if they have the same mix of faults. Means (totals, axes), and rates of the labelled
run, use prediction-powered inference. It needs labels of the run's own replies, drawn by a recorded design (or of all
of them): the judge's error on a mean depends on how many faults there are. So labels of other replies correct no mean.
Every case counts the same, so a reply counts one over the number of replies of its case.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from iamhumans import stats
from iamhumans.rubrics import AXIS_MAXIMUM, Rubric
from iamhumans.stats import Corrected, Estimate
from iamhumans.trust.calibration import Answers, Calibration, Pair
from iamhumans.trust.people import Judged

Numbers = NDArray[np.float64]
Read = Callable[[Answers], float | None]
Value = Callable[[Judged], float | None]

TOTAL_SCALE = (0.0, 100.0)
AXIS_SCALE = (0.0, float(AXIS_MAXIMUM))
LEAST_OWN_CASES = 5  # the fewest labelled cases of the run itself
_LEAST_COVERED = 0.9  # the share of the run's replies that a draw from another run must cover
_NO_RATE = "No label decides whether people zero a reply. That takes an answer on every hard fail."
_NO_TOTAL = "No label gives people's total. That takes an answer on every hard fail and every axis that applies."
_NOT_OWN = (
    "People's labels cannot correct this mean: they are not labels of at least 5 cases of this run, drawn at random"
    " with their weights recorded. Draw replies of this run (`iamhumans calibrate RUN --sample 50 -o draw.jsonl`),"
    " label them (`iamhumans label RUN --from draw.jsonl --rater NAME`), and run `iamhumans calibrate RUN`."
)
_NO_FIGURE = "The judge gives no such figure."
_NO_SCORE = "People scored no labelled reply where this axis applies."


@dataclass(frozen=True, slots=True)
class CorrectedRate:
    """The judge's rate; corrected by sensitivity and specificity; and by labels of the run, where there are enough."""

    raw: Estimate
    by_errors: Corrected
    powered: Corrected | None

    @property
    def best(self) -> Corrected:
        """The one to decide by: from labels of the run itself where there are enough."""
        return self.by_errors if self.powered is None or self.powered.state == "undefined" else self.powered


@dataclass(frozen=True, slots=True)
class CorrectedMean:
    """The judge's mean, and the mean that people would give."""

    raw: Estimate
    powered: Corrected
    mapped: Estimate | None = None  # the judge's mean after the map of the axis, if there is one and it was asked for
    unmapped: int = 0  # the replies outside the range of the map


@dataclass(frozen=True, slots=True)
class Corrections:
    """The corrected figures of a run. ``own_labels`` says whether they come from labels of the run itself."""

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
    level: float = stats.LEVEL,
    one_sided: bool = False,
    apply_map: bool = False,
    drawn_elsewhere: bool = False,
) -> Corrections:
    """The corrected figures of a run or subject. ``one_sided`` gives each bound the level.

    With ``drawn_elsewhere`` the labels are from another run, which may share replies with this one. Then they are
    labels of this run only if their weights add up to nine in ten of its replies.
    """
    run = _Run(tuple(judged), calibration, {"level": level, "one_sided": one_sided}, drawn_elsewhere)
    people = [pair.people for pair in calibration.pairs]
    flags = [name for name in rubric.hard_fail_ids if any(name in said.flags for said in people)]
    axes = [name for name in rubric.axis_ids if any(name in said.axes for said in people)]
    return Corrections(
        zero_rate=run.rate(lambda said: said.zeroed, lambda one: one.zeroed),
        mean_total=run.mean(lambda said: said.total, lambda one: one.total),
        hard_fails={name: run.hard_fail(name) for name in flags},
        axes={name: run.axis(name, apply_map=apply_map) for name in axes},
        own_labels=run.own,
    )


@dataclass(frozen=True)
class _Run:
    judged: tuple[Judged, ...]
    calibration: Calibration
    bounds: Mapping[str, Any]  # the level of intervals, and whether each bound has it by itself
    drawn_elsewhere: bool

    @cached_property
    def own(self) -> bool:
        """Whether enough cases of this run are labelled, and drawn from it."""
        found = self._own_pairs
        if self.drawn_elsewhere and sum(pair.weight for pair in found) < _LEAST_COVERED * len(self.judged):
            return False
        return len({pair.case for pair in found}) >= LEAST_OWN_CASES

    @cached_property
    def _own_pairs(self) -> tuple[Pair, ...]:
        keys = {one.reply_key for one in self.judged}
        found = tuple(pair for pair in self.calibration.pairs if pair.reply in keys)
        # Where all replies are labelled, there was nothing to draw.
        return found if len(found) == len(keys) else tuple(pair for pair in found if pair.drawn)

    def hard_fail(self, name: str) -> CorrectedRate:
        return self.rate(lambda said: said.flags.get(name), lambda one: one.flags.get(name, False))

    def axis(self, name: str, *, apply_map: bool) -> CorrectedMean:
        found = self.mean(lambda said: said.axes.get(name), lambda one: one.at_stake(name), AXIS_SCALE)
        known = self.calibration.maps.get(name) if apply_map else None
        if known is None:
            return found
        values, cases = self._values(lambda one: one.at_stake(name))
        mapped = known.map.of_all(values)
        inside = ~np.isnan(mapped)
        means = stats.Cases.of(cases).means(np.where(inside, mapped, 0.0), where=inside)
        estimate = stats.mean_of(means, AXIS_SCALE, **self.bounds) if len(means) else None
        return CorrectedMean(found.raw, found.powered, estimate, int(np.count_nonzero(~inside)))

    def rate(self, read: Read, value: Value) -> CorrectedRate:
        values, cases = self._values(value)
        if not len(values):
            nothing = self._undefined(0, "No case was judged.")
            return CorrectedRate(nothing.estimate, nothing, None)
        by_case = stats.Cases.of(cases).means(values)
        raw = stats.rate_of(by_case, **self.bounds)
        pairs = _both(self.calibration.pairs, read)
        if not pairs:
            return CorrectedRate(raw, self._undefined(raw.n_cases, _NO_RATE), None)
        clusters, weights = [pair.case for pair, _, _ in pairs], [pair.weight for pair, _, _ in pairs]
        of_yes = [said if true else None for _, said, true in pairs]
        of_no = [None if true else 1 - said for _, said, true in pairs]
        found, spared = (stats.clustered_proportion(one, clusters, weights=weights) for one in (of_yes, of_no))
        if found is None or spared is None:
            answer, share = ("YES", "sensitivity") if found is None else ("NO", "specificity")
            reason = f"People said {answer} to none of the labelled replies, so {share} is unknown."
            by_errors = self._undefined(raw.n_cases, reason)
        else:
            by_errors = stats.corrected_rate(stats.proportion_of(by_case), found, spared, **self.bounds)
        powered = self._powered(values, cases, read, None, self._own_pairs) if self.own else None
        return CorrectedRate(raw, by_errors, powered)

    def mean(self, read: Read, value: Value, scale: tuple[float, float] = TOTAL_SCALE) -> CorrectedMean:
        values, cases = self._values(value)
        if self.judged and not len(values):
            nothing = self._undefined(0, _NO_FIGURE)
            return CorrectedMean(nothing.estimate, nothing)
        raw = stats.mean_of(stats.Cases.of(cases).means(values), scale, **self.bounds)
        if not self.own:
            return CorrectedMean(raw, self._undefined(raw.n_cases, _NOT_OWN))
        if _both(self._own_pairs, read):
            return CorrectedMean(raw, self._powered(values, cases, read, scale, self._own_pairs))
        return CorrectedMean(raw, self._undefined(raw.n_cases, _NO_TOTAL if scale == TOTAL_SCALE else _NO_SCORE))

    def _undefined(self, cases: int, reason: str) -> Corrected:
        estimate = Estimate(None, None, None, cases, "none", **self.bounds, withheld=reason)
        return Corrected(estimate, "undefined", reason=reason)

    def _values(self, value: Value) -> tuple[Numbers, list[str]]:
        # A label file may name the case of a reply differently.
        named = {pair.reply: pair.case for pair in self.calibration.pairs}
        found = [(given, one) for one in self.judged if (given := value(one)) is not None]
        cases = [named.get(one.reply_key, one.case_id) for _, one in found]
        return np.array([float(given) for given, _ in found], dtype=np.float64), cases

    def _powered(
        self, values: Numbers, cases: list[str], read: Read, scale: tuple[float, float] | None, pairs: Sequence[Pair]
    ) -> Corrected:
        """The mean that people would give on a scale; without a scale, the rate."""
        both = _both(pairs, read)
        in_case, labelled_in_case = Counter(cases), Counter(pair.case for pair, _, _ in both)
        # A labelled reply counts one over the number of replies of its case, as every reply of the run does.
        of_case = [in_case.get(pair.case, labelled_in_case[pair.case]) for pair, _, _ in both]
        labelled = stats.Labelled(
            judge=np.array([said for _, said, _ in both], dtype=np.float64),
            people=np.array([true for _, _, true in both], dtype=np.float64),
            clusters=tuple(pair.case for pair, _, _ in both),
            weights=np.array([pair.weight / n for (pair, _, _), n in zip(both, of_case, strict=True)]),
        )
        weights = [1 / in_case[case] for case in cases]
        if scale is None:
            return stats.prediction_powered_rate(values, cases, labelled, weights=weights, **self.bounds)
        return stats.prediction_powered_mean(values, cases, labelled, scale=scale, weights=weights, **self.bounds)


def _both(pairs: Sequence[Pair], read: Read) -> list[tuple[Pair, float, float]]:
    found = ((pair, read(pair.judge), read(pair.people)) for pair in pairs)
    return [(pair, float(said), float(true)) for pair, said, true in found if said is not None and true is not None]
