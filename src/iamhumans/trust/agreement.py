"""How far a judge agrees with people, and people with each other. Intervals are over cases, with weights."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from iamhumans import stats
from iamhumans.rubrics import Rubric
from iamhumans.stats import Estimate, MapGain, Measure, MonotoneMap
from iamhumans.stats.bootstrap import Method
from iamhumans.stats.detection import JUDGE_NO_YES, NO_NO, NO_YES
from iamhumans.stats.measure import At, additive, ratio, unit_weights
from iamhumans.trust.people import Judged, Kind, People, numbers

Numbers = NDArray[np.float64]
CriterionKind = Literal["hard_fail", "axis", "zeroed", "pooled_hard_fails", "pooled_axes"]

_AGREEMENT = ("agreement", "kappa", "weighted_kappa", "alpha", "icc")
"""How the names of the figures begin that are withheld where nearly all answers are the same."""
ZEROED = "zeroed"
POOLED_FLAGS = "all hard fails"
POOLED_AXES = "all axes"
FEW_YES = 5  # with fewer replies that people say YES to, sensitivity says little
_FEW_LABELS, _FEW_CASES = 25, 20
_RARE, _NARROW, _MOST_ALIKE = 0.05, 2.0, 0.8


@dataclass(frozen=True, slots=True)
class Criterion:
    """The figures of one hard fail or axis; those of agreement come by name."""

    name: str
    kind: CriterionKind
    replies: int  # labelled ones with a combined answer of people
    compared: int  # those that the judge has an answer for too
    rated_twice: int  # replies that at least two people have an answer for
    cannot_tell: int  # how many labels say so
    split: int  # replies on which people are split, or zeroing is open, which the judge is not compared on
    between_people: Mapping[str, Estimate]
    against_people: Mapping[str, Estimate]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AxisMap:
    """A map from the judge's scores to people's, and how much it gains on cases that it was not fitted to."""

    map: MonotoneMap
    gain: MapGain


@dataclass(frozen=True, slots=True)
class _Ratings:
    """The ratings of one criterion: a row for each reply, NaN where there is no answer."""

    name: str
    kind: CriterionKind
    table: Numbers  # with a column for each rater
    true: Numbers  # people combined
    said: Numbers  # the judge
    clusters: Sequence[str]
    weights: Numbers
    cannot_tell: int = 0
    split: int = 0
    silent: int = 0  # the replies on which the judge is silent
    badness: Numbers | None = None  # minus the judge's total, where it can be ranked against the answers

    def interval(self, measure: Measure, method: Method = "expanded") -> Estimate:
        return stats.cluster_bootstrap(measure, self.clusters, method=method)

    def rate(self, outcomes: Numbers, undefined: str) -> Estimate:
        return stats.clustered_rate(outcomes, self.clusters, weights=self.weights, undefined=undefined)

    def agreement(self) -> Estimate:
        same = np.where(np.isnan(self.said + self.true), np.nan, self.said == self.true)
        return self.rate(same, "No reply has an answer from both.")


def compare_with_people(
    people: People, judged: Mapping[str, Judged], rubric: Rubric
) -> tuple[tuple[Criterion, ...], dict[str, AxisMap], tuple[str, ...]]:
    """The figures of agreement of each criterion, the maps of axes, and notes; ``judged`` is by key."""
    flags = [one for name in rubric.hard_fail_ids if _count((one := _of(people, judged, "hard_fail", name)).table)]
    axes = [one for name in rubric.axis_ids if _count((one := _of(people, judged, "axis", name)).table)]
    several = list(flags)
    if any(reply.asked(rubric.hard_fail_ids) for reply in people.replies):
        several.append(_zeroed(people, judged, rubric.hard_fail_ids))
    several += axes
    if len(flags) > 1:
        several.append(_joined(POOLED_FLAGS, "pooled_hard_fails", flags))
    if len(axes) > 1:
        several.append(_joined(POOLED_AXES, "pooled_axes", axes))
    maps = {
        one.name: AxisMap(
            stats.monotone_map(one.said, one.true, weights=one.weights),
            stats.map_gain(one.said, one.true, one.clusters, weights=one.weights),
        )
        for one in axes
        if _count(one.said + one.true)
    }
    return tuple(map(_criterion, several)), maps, _notes_on_labels(people)


def _of(people: People, judged: Mapping[str, Judged], kind: Kind, name: str) -> _Ratings:
    found = [judged.get(reply.reply_key) for reply in people.replies]
    said = [
        None if one is None else one.flags.get(name) if kind == "hard_fail" else one.at_stake(name) for one in found
    ]
    table, true = people.table(kind, name), people.combined(kind, name)
    unsure = people.cannot_tell(kind, name), people.split(name) if kind == "hard_fail" else 0
    silent = sum(one is not None and name in one.silent for one in found)
    return _Ratings(name, kind, table, true, numbers(said), people.clusters, people.weights, *unsure, silent)


def _zeroed(people: People, judged: Mapping[str, Judged], hard_fails: Sequence[str]) -> _Ratings:
    found = [judged.get(reply.reply_key) for reply in people.replies]
    true = numbers([reply.zeroed(hard_fails) for reply in people.replies])
    # Whether each rater zeroes each reply; open where that rater left a hard fail out.
    tables = np.stack([people.table("hard_fail", name) for name in hard_fails])
    table = np.where(~np.isnan(tables).any(axis=0), np.any(tables == 1, axis=0), np.nan)
    said = numbers([None if one is None else one.zeroed for one in found])
    badness = numbers([None if one is None or one.total is None else -one.total for one in found])
    silent = sum(one is not None and bool(one.silent) and one.zeroed is False for one in found)
    split = sum(reply.asked(hard_fails) for reply in people.replies) - _count(true)
    return _Ratings(ZEROED, "zeroed", table, true, said, people.clusters, people.weights, 0, split, silent, badness)


def _joined(name: str, kind: CriterionKind, several: Sequence[_Ratings]) -> _Ratings:
    """Several criteria as one: each reply with each of them is a unit."""
    table, cases = np.vstack([one.table for one in several]), [case for one in several for case in one.clusters]
    true, said = (np.concatenate(part) for part in zip(*((one.true, one.said) for one in several), strict=True))
    weights = np.concatenate([one.weights for one in several])
    unsure = [sum(getattr(one, count) for one in several) for count in ("cannot_tell", "split", "silent")]
    return _Ratings(name, kind, table, true, said, cases, weights, *unsure)


def _criterion(one: _Ratings) -> Criterion:
    twice = int(np.count_nonzero(np.count_nonzero(~np.isnan(one.table), axis=1) >= 2))
    sides = np.column_stack([one.true, one.said])
    counts = _count(one.true), _count(one.true + one.said), twice, one.cannot_tell, one.split
    against = _scores_against(one) if one.kind in ("axis", "pooled_axes") else _answers_against(one)
    between, against = _without_agreement(_between_people(one), one.table), _without_agreement(against, sides)
    return Criterion(one.name, one.kind, *counts, between, against, tuple(_notes(one)))


def _without_agreement(figures: Mapping[str, Estimate], ratings: Numbers) -> dict[str, Estimate]:
    """The figures, without those of agreement where nearly all answers of one side are the same."""
    reason = stats.nearly_one_label(ratings)
    return {
        name: replace(found, value=None, low=None, high=None, withheld=reason)
        if reason and found.value is not None and name.startswith(_AGREEMENT)
        else found
        for name, found in figures.items()
    }


def _between_people(one: _Ratings) -> dict[str, Estimate]:
    table, weights, figures = one.table, one.weights, dict[str, Estimate]()
    measures = {
        "agreement": _mean_over_pairs(table, weights, stats.raw_agreement),
        "kappa": _mean_over_pairs(table, weights, stats.cohen_kappa),
    }
    if one.kind in ("axis", "pooled_axes"):
        if one.kind == "axis":
            figures["mean"] = one.interval(_mean_of(one.true, weights))
        squared = partial(stats.cohen_kappa, weighting="quadratic")
        measures |= {
            "weighted_kappa": _mean_over_pairs(table, weights, squared),
            "alpha_ordinal": stats.krippendorff_alpha(table, scale="ordinal", weights=weights),
            "alpha_interval": stats.krippendorff_alpha(table, scale="interval", weights=weights),
            "icc_absolute": stats.icc(table, weights=weights),
            "icc_consistency": stats.icc(table, kind="consistency", weights=weights),
        }
    else:
        figures["prevalence"] = one.rate(one.true, "No reply has an answer from people.")
        measures["alpha_nominal"] = stats.krippendorff_alpha(table, scale="nominal", weights=weights)
        measures["prevalence_index"] = _mean_over_pairs(table, weights, stats.prevalence_index)
        measures["bias_index"] = _mean_over_pairs(table, weights, stats.bias_index)
    # The intervals of alpha are the plain ones that studies print, so that they can be compared.
    methods: dict[str, Method] = {name: "percentile" for name in measures if name.startswith("alpha")}
    return figures | {name: one.interval(found, methods.get(name, "expanded")) for name, found in measures.items()}


def _answers_against(one: _Ratings) -> dict[str, Estimate]:
    true, said, weights = one.true, one.said, one.weights
    with_judge = stats.krippendorff_alpha(np.column_stack([one.table, said]), scale="nominal", weights=weights)
    figures = {
        "agreement": one.agreement(),
        "kappa": one.interval(stats.cohen_kappa(said, true, weights=weights)),
        "prevalence_index": one.interval(stats.prevalence_index(said, true, weights=weights)),
        "bias_index": one.interval(stats.bias_index(said, true, weights=weights)),
        "alpha_with_judge": one.interval(with_judge),
        "sensitivity": one.rate(np.where(true == 1, said, np.nan), NO_YES),
        "specificity": one.rate(np.where(true == 0, 1 - said, np.nan), NO_NO),
        "precision": one.rate(np.where(said == 1, true, np.nan), JUDGE_NO_YES),
        "f1": one.interval(stats.f1(said, true, weights=weights)),
        "judge_rate": one.rate(np.where(np.isnan(true), np.nan, said), "The judge judged none of these."),
    }
    ranking = {} if one.badness is None else {"auc": one.interval(stats.auc(one.badness, true, weights=weights))}
    return figures | ranking


def _scores_against(one: _Ratings) -> dict[str, Estimate]:
    true, said, weights = one.true, one.said, one.weights
    line = stats.bias_and_slope(said, true, label_noise=label_noise(one.table), weights=weights)
    both, with_judge = np.column_stack([said, true]), np.column_stack([one.table, said])
    measures = {
        "kappa": stats.cohen_kappa(said, true, weights=weights),
        "weighted_kappa": stats.cohen_kappa(said, true, weighting="quadratic", weights=weights),
        "alpha_with_judge": stats.krippendorff_alpha(with_judge, scale="ordinal", weights=weights),
        "alpha_interval_with_judge": stats.krippendorff_alpha(with_judge, scale="interval", weights=weights),
        "bias": line.bias,
        "slope": line.slope,
        "intercept": line.intercept,
        **({"slope_on_truth": line.slope_on_truth} if line.slope_on_truth is not None else {}),
        "spearman": stats.rank_correlation(said, true, weights=weights),
        "kendall": stats.rank_correlation(said, true, method="kendall", weights=weights),
        "icc_absolute": stats.icc(both, weights=weights),
        "icc_consistency": stats.icc(both, kind="consistency", weights=weights),
        "absolute_error": _mean_of(np.abs(said - true), weights),
    }
    return {"agreement": one.agreement(), **{name: one.interval(measure) for name, measure in measures.items()}}


def _count(values: Numbers) -> int:
    return int(np.count_nonzero(~np.isnan(values)))


def _mean_of(values: Numbers, weights: Numbers) -> Measure:
    there = ~np.isnan(values)
    parts = np.column_stack([np.where(there, values, 0.0), np.ones(len(values))])
    return additive(parts, unit_weights(weights, there), lambda s: ratio(s[:, 0], s[:, 1]), "Nothing was scored.")


def _mean_over_pairs(table: Numbers, weights: Numbers, of_two: Callable[..., Measure]) -> Measure:
    """The mean of a figure of two raters over all pairs of raters for which it is defined."""
    every = [of_two(table[:, a], table[:, b], weights=weights) for a, b in combinations(range(table.shape[1]), 2)]
    pairs = [pair for pair in every if pair.value is not None]
    taking = np.any([pair.weights > 0 for pair in pairs], axis=0) if pairs else np.zeros(len(table), dtype=bool)

    def mean_of(found: Sequence[Numbers], rows: Numbers) -> Numbers:
        figures = np.stack([np.full(len(rows), np.nan), *found])
        counted = np.count_nonzero(~np.isnan(figures), axis=0)
        mean: Numbers = np.where(counted > 0, np.nansum(figures, axis=0) / np.maximum(counted, 1), np.nan)
        return mean

    def by_cluster(clusters: NDArray[np.intp], count: int) -> At:
        of_pairs = [pair.of_clusters(clusters, count) for pair in pairs]
        return lambda rows: mean_of([figure(rows) for figure in of_pairs], rows)

    return Measure(
        # Each pair has its own weights; the rows are factors on them.
        lambda rows: mean_of([pair.at(rows * pair.weights) for pair in pairs], rows),
        taking.astype(np.float64),
        "No two people rated the same replies, or all their answers were the same.",
        by_cluster=by_cluster,
    )


def label_noise(table: Numbers) -> float | None:
    """The variance of the error of the combined label, treated as a mean; ``None`` if no reply was rated twice."""
    raters = np.count_nonzero(~np.isnan(table), axis=1)
    twice = raters >= 2
    if not twice.any():
        return None
    squares = np.sum(np.nanvar(table[twice], axis=1) * raters[twice])
    return float(squares / np.sum(raters[twice] - 1)) * float(np.mean(1 / raters[raters > 0]))


def _notes_on_labels(people: People) -> tuple[str, ...]:
    count, targeted, random, undrawn = len(people.replies), *map(people.of_part, ("targeted", "random", None))
    cases, drawn = len(set(people.clusters)), bool(random or targeted)
    alike = float(people.weights.sum() ** 2 / np.sum(people.weights**2))
    notes = {
        f"Few labels ({_counted(count, 'reply', 'replies')}): intervals are wide. Never quote a figure alone.": (
            count < _FEW_LABELS
        ),
        f"Few cases ({cases}): replies to one case are alike, so they carry less information than their number"
        " suggests. The plain percentile intervals of alpha between people are then too short: they hold in about 18 of"
        " 20 tries, not 19.": cases < _FEW_CASES,
        "Only one person labelled. It is unknown how far people agree, and how much of the difference from the judge is"
        " specific to that person.": len(people.raters) == 1,
        f"{_counted(targeted, 'reply is', 'replies are')} from the targeted part and {random} from the random part."
        f" Weights correct for that, and make {count} labels as informative as about {alike:.0f} at random.": targeted,
        f"{_counted(undrawn, 'reply was', 'replies were')} labelled without a draw and counted with weight 1. Leave"
        " out replies that were picked by hand.": undrawn and drawn,
        "The replies were not drawn at random. They represent the run only if they were not picked for their"
        " content.": not drawn,
    }
    return tuple(note for note, holds in notes.items() if holds)


def _notes(one: _Ratings) -> Iterator[str]:
    given = one.true[~np.isnan(one.true + one.said)]
    count, yes = len(given), int(np.count_nonzero(given == 1))
    if one.silent:
        yield "The judge may say YES here but never says NO. If it says nothing, the reply counts as not flagged."
    if one.kind == "pooled_hard_fails":
        yield "Pooled over hard fails: a judge that is blind to one of them can still look fine here."
    elif one.kind == "pooled_axes":
        yield "Pooled over axes: differences between axes raise agreement, and hide an offset on one of them."
    elif one.kind == "axis":
        low, high = (float(found) for found in np.quantile(given, [0.05, 0.95])) if count else (0.0, 0.0)
        if count > 1 and (high - low <= _NARROW or max(Counter(given.tolist()).values()) >= _MOST_ALIKE * count):
            yield (
                f"People scored nearly all of these {low:g} to {high:g}. In such a narrow range, correlation and"
                " kappa are low even for a good judge. Read bias and `off by` instead."
            )
    elif count and not yes:
        yield "People never said YES, so it is unknown what the judge misses (sensitivity)."
    elif count:
        if yes < FEW_YES:
            few = f"People said YES to fewer than {FEW_YES} of these"
            yield f"{few}, so sensitivity and kappa change a lot with each one."
        if not _RARE <= yes / count <= 1 - _RARE:
            yield (
                "Nearly all answers are the same, so two blind raters would agree too: raw agreement says little, and a"
                " few differences make kappa low."
            )


def _counted(count: int, one: str, several: str) -> str:
    return f"{count} {one if count == 1 else several}"
