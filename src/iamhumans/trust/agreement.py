"""How far a judge agrees with people, and people with each other.

Per criterion first: each hard fail, whether a reply is zeroed, each axis. Pooled figures come last, since a judge that
is right on nine hard fails and blind to the tenth looks fine pooled. Intervals go over cases and use the weights of the
draw. Where a figure does not mean what it seems to (a hard fail that hardly occurs, an axis on which all got an 8), it
is said in words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from iamhumans.rubrics import Rubric
from iamhumans.stats import (
    Estimate,
    MapGain,
    Measure,
    MonotoneMap,
    auc,
    bias_and_slope,
    cluster_bootstrap,
    clustered_rate,
    cohen_kappa,
    f1,
    icc,
    krippendorff_alpha,
    map_gain,
    monotone_map,
    rank_correlation,
    raw_agreement,
)
from iamhumans.stats.detection import JUDGE_NO_YES, NO_NO, NO_YES
from iamhumans.stats.measure import At, additive, ratio, unit_weights
from iamhumans.trust.notes import notes_on_answers, notes_on_labels, notes_on_scores
from iamhumans.trust.people import Judged, Kind, People

if TYPE_CHECKING:
    from iamhumans.stats.agreement import Scale
    from iamhumans.stats.bootstrap import Method

Numbers = NDArray[np.float64]
CriterionKind = Literal["hard_fail", "axis", "zeroed", "pooled_hard_fails", "pooled_axes"]

ZEROED = "zeroed"
POOLED_FLAGS = "all hard fails"
POOLED_AXES = "all axes"


@dataclass(frozen=True, slots=True)
class Criterion:
    """One hard fail or axis: what people say among themselves, and how the judge goes with them.

    Attributes:
        name: Its id.
        kind: What it is.
        replies: Labelled replies that people as one have an answer for.
        compared: Those of them that the judge has an answer for too.
        rated_twice: Replies that two people or more have an answer for.
        cannot_tell: Labels that say so.
        split: Replies on which as many people say YES as NO, and of ``zeroed`` those that it leaves open; they take no
            part in what compares the judge.
        between_people: Figures by name.
        against_people: Figures of the judge by name.
        notes: What to mind when reading them.
    """

    name: str
    kind: CriterionKind
    replies: int
    compared: int
    rated_twice: int
    cannot_tell: int
    split: int
    between_people: Mapping[str, Estimate]
    against_people: Mapping[str, Estimate]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AxisMap:
    """A map of one axis, with what it is worth on cases that it has not seen."""

    map: MonotoneMap
    gain: MapGain


@dataclass(frozen=True, slots=True)
class Compared:
    """What comparing a judge with people gives."""

    criteria: tuple[Criterion, ...]
    maps: Mapping[str, AxisMap]
    notes: tuple[str, ...]


def compare_with_people(people: People, judged: Mapping[str, Judged], rubric: Rubric) -> Compared:
    """All figures of agreement.

    Args:
        people: What people said.
        judged: What the judge said of the same replies, by reply; of some it may have said nothing.
        rubric: What the judge judged by. Labels of anything else are not looked at.
    """
    looking = _Looking(people, judged, rubric)
    flags = [looking.hard_fail(name) for name in rubric.hard_fail_ids if looking.labelled("hard_fail", name)]
    axes = [looking.axis(name) for name in rubric.axis_ids if looking.labelled("axis", name)]
    zeroed = [looking.zeroed()] if any(reply.asked(rubric.hard_fail_ids) for reply in people.replies) else []
    pooled = [*([looking.pooled_flags(flags)] if len(flags) > 1 else []), *looking.pooled_axes(axes)]
    maps = {one.name: looking.map_of(one.name) for one in axes}
    return Compared(
        criteria=(*flags, *zeroed, *axes, *pooled),
        maps={name: found for name, found in maps.items() if found is not None},
        notes=tuple(notes_on_labels(people)),
    )


@dataclass(frozen=True, slots=True)
class _Looking:
    people: People
    judged: Mapping[str, Judged]
    rubric: Rubric

    def labelled(self, kind: Kind, name: str) -> bool:
        """Whether anybody answered."""
        return bool(np.any(~np.isnan(self.people.table(kind, name))))

    def judge(self, kind: Kind, name: str) -> Numbers:
        """What the judge says of each labelled reply; NaN where nothing."""
        found = [self.judged.get(reply.reply_key) for reply in self.people.replies]
        said = [
            None if one is None else one.flags.get(name) if kind == "hard_fail" else one.at_stake(name) for one in found
        ]
        return np.array([np.nan if one is None else float(one) for one in said], dtype=np.float64)

    def judge_zeroed(self) -> Numbers:
        found = [self.judged.get(reply.reply_key) for reply in self.people.replies]
        said = [None if one is None else one.zeroed for one in found]
        return np.array([np.nan if one is None else float(one) for one in said], dtype=np.float64)

    def interval(self, measure: Measure, *, method: Method = "expanded") -> Estimate:
        return cluster_bootstrap(measure, self.people.clusters, method=method)

    def rate(self, outcomes: Numbers, undefined: str) -> Estimate:
        people = self.people
        return clustered_rate(outcomes, people.clusters, weights=people.weights, undefined=undefined)

    # Hard fails.

    def hard_fail(self, name: str) -> Criterion:
        people = self.people
        table, true, said = (
            people.table("hard_fail", name),
            people.combined("hard_fail", name),
            self.judge("hard_fail", name),
        )
        return Criterion(
            name=name,
            kind="hard_fail",
            replies=_count(true),
            compared=_count(true + said),
            rated_twice=_rated_twice(table),
            cannot_tell=people.cannot_tell("hard_fail", name),
            split=people.split(name),
            between_people={
                "prevalence": self.rate(true, "No reply has an answer of people."),
                **self._between(table, ("nominal",)),
            },
            against_people=self._detected(said, true, table),
            notes=tuple(notes_on_answers(true, said)),
        )

    def zeroed(self) -> Criterion:
        people = self.people
        true, said = people.zeroed(self.rubric.hard_fail_ids), self.judge_zeroed()
        table = self._zeroed_by_each()
        totals = [self.judged.get(reply.reply_key) for reply in people.replies]
        badness = np.array([np.nan if one is None else -float(one.total) for one in totals], dtype=np.float64)
        return Criterion(
            name=ZEROED,
            kind="zeroed",
            replies=_count(true),
            compared=_count(true + said),
            rated_twice=_rated_twice(table),
            cannot_tell=0,
            split=sum(reply.asked(self.rubric.hard_fail_ids) for reply in people.replies) - _count(true),
            between_people={
                "prevalence": self.rate(true, "Of no reply it is settled whether people zero it."),
                **self._between(table, ("nominal",)),
            },
            against_people={
                **self._detected(said, true, table),
                "auc": self.interval(auc(badness, true, weights=people.weights)),
            },
            notes=tuple(notes_on_answers(true, said)),
        )

    def _zeroed_by_each(self) -> Numbers:
        """Whether each rater zeroes each reply; NaN where that rater left a hard fail out."""
        tables = np.stack([self.people.table("hard_fail", name) for name in self.rubric.hard_fail_ids])
        whole = ~np.isnan(tables).any(axis=0)
        found: Numbers = np.where(whole, np.any(tables == 1, axis=0), np.nan)
        return found

    def _between(self, table: Numbers, scales: Sequence[Scale]) -> dict[str, Estimate]:
        """Between people; the intervals of alpha are the plain ones that studies print, to be held beside theirs."""
        weights = self.people.weights
        axis = "interval" in scales
        found = {
            "agreement": self.interval(_mean_over_pairs(table, weights, raw_agreement)),
            "kappa": self.interval(_mean_over_pairs(table, weights, cohen_kappa)),
        }
        if axis:
            squared = partial(cohen_kappa, weighting="quadratic")
            found["weighted_kappa"] = self.interval(_mean_over_pairs(table, weights, squared))
        for scale in scales:
            alpha = krippendorff_alpha(table, scale=scale, weights=weights)
            found[f"alpha_{scale}"] = self.interval(alpha, method="percentile")
        if axis:
            found["icc_absolute"] = self.interval(icc(table, weights=weights))
            found["icc_consistency"] = self.interval(icc(table, kind="consistency", weights=weights))
        return found

    def _detected(self, said: Numbers, true: Numbers, table: Numbers) -> dict[str, Estimate]:
        weights = self.people.weights
        same = np.where(np.isnan(said + true), np.nan, (said == true).astype(np.float64))
        return {
            "agreement": self.rate(same, "No reply has an answer of both."),
            "kappa": self.interval(cohen_kappa(said, true, weights=weights)),
            "alpha_with_judge": self.interval(
                krippendorff_alpha(np.column_stack([table, said]), scale="nominal", weights=weights)
            ),
            "sensitivity": self.rate(np.where(true == 1, said, np.nan), NO_YES),
            "specificity": self.rate(np.where(true == 0, 1 - said, np.nan), NO_NO),
            "precision": self.rate(np.where(said == 1, true, np.nan), JUDGE_NO_YES),
            "f1": self.interval(f1(said, true, weights=weights)),
            "judge_rate": self.rate(np.where(np.isnan(true), np.nan, said), "The judge judged none of these."),
        }

    def pooled_flags(self, flags: Sequence[Criterion]) -> Criterion:
        """All hard fails together: each reply with each of them is a unit."""
        people = self.people
        names = [one.name for one in flags]
        true = np.concatenate([people.combined("hard_fail", name) for name in names])
        said = np.concatenate([self.judge("hard_fail", name) for name in names])
        table = np.vstack([people.table("hard_fail", name) for name in names])
        pooled = _Looking(_repeated(people, len(names)), self.judged, self.rubric)
        return Criterion(
            name=POOLED_FLAGS,
            kind="pooled_hard_fails",
            replies=_count(true),
            compared=_count(true + said),
            rated_twice=_rated_twice(table),
            cannot_tell=sum(one.cannot_tell for one in flags),
            split=sum(one.split for one in flags),
            between_people={
                "prevalence": pooled.rate(true, "No reply has an answer of people."),
                **pooled._between(table, ("nominal",)),
            },
            against_people=pooled._detected(said, true, table),
            notes=("Pooled over hard fails: a judge that is blind to one of them can still look fine here.",),
        )

    # Axes.

    def axis(self, name: str) -> Criterion:
        people = self.people
        table, true, said = people.table("axis", name), people.combined("axis", name), self.judge("axis", name)
        return Criterion(
            name=name,
            kind="axis",
            replies=_count(true),
            compared=_count(true + said),
            rated_twice=_rated_twice(table),
            cannot_tell=people.cannot_tell("axis", name),
            split=0,
            between_people={
                "mean": self.interval(_mean_of(true, people.weights)),
                **self._between(table, ("ordinal", "interval")),
            },
            against_people=self._measured(said, true, table),
            notes=tuple(notes_on_scores(true, said)),
        )

    def _measured(self, said: Numbers, true: Numbers, table: Numbers) -> dict[str, Estimate]:
        weights = self.people.weights
        line = bias_and_slope(said, true, label_noise=label_noise(table), weights=weights)
        both = np.column_stack([said, true])
        with_judge = np.column_stack([table, said])
        same = np.where(np.isnan(said + true), np.nan, (said == true).astype(np.float64))
        measures = {
            "kappa": cohen_kappa(said, true, weights=weights),
            "weighted_kappa": cohen_kappa(said, true, weighting="quadratic", weights=weights),
            "alpha_with_judge": krippendorff_alpha(with_judge, scale="ordinal", weights=weights),
            "alpha_interval_with_judge": krippendorff_alpha(with_judge, scale="interval", weights=weights),
            "bias": line.bias,
            "slope": line.slope,
            "intercept": line.intercept,
            **({"slope_on_truth": line.slope_on_truth} if line.slope_on_truth is not None else {}),
            "spearman": rank_correlation(said, true, weights=weights),
            "kendall": rank_correlation(said, true, method="kendall", weights=weights),
            "icc_absolute": icc(both, weights=weights),
            "icc_consistency": icc(both, kind="consistency", weights=weights),
            "absolute_error": _mean_of(np.abs(said - true), weights),
        }
        return {
            "agreement": self.rate(same, "No reply has a score of both."),
            **{name: self.interval(measure) for name, measure in measures.items()},
        }

    def pooled_axes(self, axes: Sequence[Criterion]) -> Iterator[Criterion]:
        """All axes together, where there are several."""
        if len(axes) < 2:
            return
        people = self.people
        names = [one.name for one in axes]
        true = np.concatenate([people.combined("axis", name) for name in names])
        said = np.concatenate([self.judge("axis", name) for name in names])
        table = np.vstack([people.table("axis", name) for name in names])
        pooled = _Looking(_repeated(people, len(names)), self.judged, self.rubric)
        yield Criterion(
            name=POOLED_AXES,
            kind="pooled_axes",
            replies=_count(true),
            compared=_count(true + said),
            rated_twice=_rated_twice(table),
            cannot_tell=sum(one.cannot_tell for one in axes),
            split=0,
            between_people=pooled._between(table, ("ordinal", "interval")),
            against_people=pooled._measured(said, true, table),
            notes=(
                "Pooled over axes: that axes differ from each other raises agreement, and an offset on one is hidden.",
            ),
        )

    def map_of(self, name: str) -> AxisMap | None:
        """The map of an axis, where anything was compared."""
        people = self.people
        said, true = self.judge("axis", name), people.combined("axis", name)
        if not _count(said + true):
            return None
        return AxisMap(
            monotone_map(said, true, weights=people.weights),
            map_gain(said, true, people.clusters, weights=people.weights),
        )


def _repeated(people: People, times: int) -> People:
    return People(people.replies * times, people.raters)


def _count(values: Numbers) -> int:
    return int(np.count_nonzero(~np.isnan(values)))


def _rated_twice(table: Numbers) -> int:
    return int(np.count_nonzero(np.count_nonzero(~np.isnan(table), axis=1) >= 2))


def _mean_of(values: Numbers, weights: Numbers) -> Measure:
    """The weighted mean of the values that there are."""
    there = ~np.isnan(values)
    parts = np.column_stack([np.where(there, values, 0.0), np.ones(len(values))])
    kept = unit_weights(weights, there)
    return additive(parts, kept, lambda sums: ratio(sums[:, 0], sums[:, 1]), "Nothing was scored.")


def _mean_over_pairs(table: Numbers, weights: Numbers, of_two: Callable[..., Measure]) -> Measure:
    """The mean of a figure of two over all pairs of raters for which it is defined."""
    pairs = [of_two(table[:, a], table[:, b], weights=weights) for a, b in combinations(range(table.shape[1]), 2)]
    pairs = [pair for pair in pairs if pair.value is not None]
    taking = np.any([pair.weights > 0 for pair in pairs], axis=0) if pairs else np.zeros(len(table), dtype=bool)
    reason = "No two people rated the same replies, or all that they said was one and the same."

    def mean_of(found: Sequence[Numbers], rows: Numbers) -> Numbers:
        if not found:
            return np.full(len(rows), np.nan)
        figures = np.stack(found)
        there = ~np.isnan(figures)
        sums, counted = np.where(there, figures, 0.0).sum(axis=0), there.sum(axis=0)
        mean: Numbers = np.where(counted > 0, sums / np.maximum(counted, 1), np.nan)
        return mean

    def by_cluster(clusters: NDArray[np.intp], count: int) -> At:
        of_pairs = [pair.of_clusters(clusters, count) for pair in pairs]
        return lambda rows: mean_of([figure(rows) for figure in of_pairs], rows)

    # The weights of each pair are its own; what comes here are factors on them.
    return Measure(
        lambda rows: mean_of([pair.at(rows * pair.weights) for pair in pairs], rows),
        taking.astype(np.float64),
        reason,
        by_cluster=by_cluster,
    )


def label_noise(table: Numbers) -> float | None:
    """The variance of the error of what people say as one, from how far they differ on the same replies.

    ``None`` where no reply was rated twice. It takes the combined label for a mean, whose noise is the variance of one
    person's over the number of people; a median of three or more has rather more.
    """
    there = ~np.isnan(table)
    raters = there.sum(axis=1)
    twice = raters >= 2
    if not twice.any():
        return None
    rows = np.where(there, table, 0.0)[twice]
    count = raters[twice]
    squares = np.sum(rows**2, axis=1) - rows.sum(axis=1) ** 2 / count
    of_one = float(squares.sum() / np.sum(count - 1))
    return of_one * float(np.mean(1 / raters[raters > 0]))
