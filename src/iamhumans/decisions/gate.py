"""May it ship? Thresholds on a run, each settled by a one-sided 95 % bound.

1. A criterion is *met* where the bound is clear of the threshold on the good side, *missed* where it is clear on the
   bad side, and *open* where the threshold lies within what other cases might have given.
2. One criterion missed fails the gate. Else one open makes it inconclusive. Else it passes.
3. Many thresholds are many chances to fail by accident, so what is missed is shown at 95 % for all of them together
   (Bonferroni). To pass all must be met, so there each is held to 95 % by itself.
4. A tie of votes counts as the worse.
5. Without enough judgements nothing is decided, whatever the figures say; nor while a run is under way.
6. Corrected figures are decided on only where a calibration of the very judge fits; else nothing is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import partial
from math import ceil, log
from typing import TYPE_CHECKING, Literal, Protocol

from iamhumans.decisions.compare import compare
from iamhumans.decisions.outcomes import RunOutcomes
from iamhumans.errors import CommandError, Exit
from iamhumans.runs import RunStatus
from iamhumans.text import one_line

if TYPE_CHECKING:
    from iamhumans.decisions.compare import Comparison
    from iamhumans.stats import Corrected, Difference, Estimate

Settled = Literal["met", "missed", "open"]


class CorrectedFigures(Protocol):
    """The figures that people would give."""

    @property
    def mean_total(self) -> Corrected:
        """The mean total."""

    @property
    def zero_rate(self) -> Corrected:
        """The rate of zeroed cases."""


class Corrections(Protocol):
    """What is known about a run's judge from people."""

    @property
    def sentence(self) -> str:
        """Whether the judge is calibrated."""

    def figures(self, level: float, one_sided: bool) -> CorrectedFigures | None:
        """The corrected figures with intervals at this level; ``None`` where no calibration fits."""


class Decision(StrEnum):
    """What a gate decides."""

    PASS = "pass"  # noqa: S105 - no password
    FAIL = "fail"
    INCONCLUSIVE = "inconclusive"
    BROKEN = "broken"
    """There is nothing to decide on."""

    @property
    def exit_code(self) -> Exit:
        """What the command ends with."""
        return {
            Decision.PASS: Exit.DONE,
            Decision.FAIL: Exit.GATE_FAILED,
            Decision.INCONCLUSIVE: Exit.INCONCLUSIVE,
            Decision.BROKEN: Exit.COULD_NOT_RUN,
        }[self]


@dataclass(frozen=True, slots=True)
class Thresholds:
    """What is demanded of a run; ``None`` demands nothing."""

    min_mean: float | None = None
    max_zero_rate: float | None = None
    min_pass_rate: float | None = None
    max_hard_fails: int | None = None
    min_coverage: float = 1.0
    min_dimensions: Mapping[str, float] = field(default_factory=dict)
    """The least plain mean of a dimension, by its name; ``each`` stands for all of them."""
    margin: float = 3.0
    """How many points the mean of the rest may be below the baseline's."""
    zero_margin: float = 0.05
    """By how much the rate of zeroed cases may be above the baseline's."""
    corrected: bool = False
    """Whether the mean total and the zero rate are those that people would give."""

    @property
    def demands_anything(self) -> bool:
        """Whether there is a threshold besides coverage."""
        limits = (self.min_mean, self.max_zero_rate, self.min_pass_rate, self.max_hard_fails)
        return any(limit is not None for limit in limits) or bool(self.min_dimensions)


@dataclass(frozen=True, slots=True)
class Criterion:
    """One threshold and how it stands, in one sentence."""

    name: str
    settled: Settled
    sentence: str


@dataclass(frozen=True)
class GateResult:
    """A decision with its reasons."""

    run: RunOutcomes
    decision: Decision
    criteria: tuple[Criterion, ...]
    earlier: tuple[GateResult, ...] = ()
    """The same gate on the runs before, where several in a row are demanded."""
    corrections: Corrections | None = None
    """What is known about the judge from people, where that was looked up."""

    @property
    def reasons(self) -> tuple[str, ...]:
        """The sentences that decided, worst first."""
        deciding: Sequence[Settled] = ("missed", "open") if self.decision is not Decision.PASS else ("met",)
        return tuple(one.sentence for state in deciding for one in self.criteria if one.settled == state)


_AS_STATE: Mapping[Decision, Settled] = {
    Decision.PASS: "met",
    Decision.FAIL: "missed",
    Decision.INCONCLUSIVE: "open",
    Decision.BROKEN: "open",
}
_COVERAGE = "coverage"
_CALIBRATION = "calibration"
_MISS = 0.05
_SCALE = 100.0
_LEAST_UNCHANGED = 5
_UNSEEN = "none of these cases changed"
EACH = "each"
"""Stands for every dimension."""


def gate(
    run: RunOutcomes,
    thresholds: Thresholds,
    baseline: RunOutcomes | None = None,
    *,
    runs: int = 1,
    corrections: Corrections | None = None,
) -> GateResult:
    """Decide on a run.

    Args:
        run: What is to ship.
        thresholds: What is demanded.
        baseline: What it must be no worse than.
        runs: Of how many runs, any of which may fail the gate, this is one.
        corrections: What is known about its judge from people; needed where corrected figures are demanded.

    Raises:
        CommandError: Nothing is demanded, corrected figures without a threshold on one, a dimension does not exist,
            several subjects answered the same cases, or the baseline is the run itself, was judged differently, or has
            no case in common with it.
        CannotRunError: Nothing of the baseline is judged.
    """
    if not thresholds.demands_anything and baseline is None:
        raise CommandError(
            "The gate demands nothing.",
            fix="Name a threshold, such as --max-zero-rate 0.1 or --min-mean 85, or a --baseline.",
        )
    if thresholds.corrected and thresholds.min_mean is None and thresholds.max_zero_rate is None:
        raise CommandError(
            "There is nothing to correct.", fix="--corrected goes with --min-mean or --max-zero-rate, or with both."
        )
    run.of_one_subject()
    if not run.judged:
        sentence = f"Nothing of run {run.name} is judged, so there is nothing to decide on."
        return GateResult(run, Decision.BROKEN, (Criterion(_COVERAGE, "missed", sentence),), corrections=corrections)
    demanded = _demanded_dimensions(run, thresholds)
    limits = (thresholds.min_mean, thresholds.max_zero_rate, thresholds.min_pass_rate)
    tests = sum(limit is not None for limit in limits) + len(demanded) + (2 if baseline is not None else 0)
    level = 1 - _MISS / max(1, tests * runs)
    criteria = [_coverage(run, thresholds)]
    if thresholds.corrected:
        criteria += _corrected_limits(thresholds, corrections, level)
        criteria += _limits(run, replace(thresholds, min_mean=None, max_zero_rate=None), demanded, level)
    else:
        criteria += _limits(run, thresholds, demanded, level)
    if baseline is not None:
        comparison = compare(baseline, run)
        if baseline.coverage < thresholds.min_coverage:
            criteria.insert(0, _coverage(baseline, thresholds, f"{_COVERAGE} of the baseline"))
        criteria += _against(comparison, thresholds, level)
    return GateResult(run, _decide(criteria), tuple(criteria), corrections=corrections)


def _decide(criteria: Sequence[Criterion]) -> Decision:
    if any(one.settled != "met" for one in criteria if one.name.startswith((_COVERAGE, _CALIBRATION))):
        return Decision.INCONCLUSIVE
    states = {one.settled for one in criteria}
    if "missed" in states:
        return Decision.FAIL
    return Decision.INCONCLUSIVE if "open" in states else Decision.PASS


def in_a_row(results: Sequence[GateResult], wanted: int, *, sharing: int = 0) -> GateResult:
    """The decision on the newest of several runs, all of which must pass.

    Args:
        results: The same gate on independent runs, the newest first.
        wanted: How many are demanded.
        sharing: How many runs were passed over since they share replies or judgements with these.
    """
    newest, *earlier = results
    criteria = list(newest.criteria)
    worst = newest.decision
    for result in earlier:
        settled = _AS_STATE[result.decision]
        why = "" if result.decision is Decision.PASS else f" {result.reasons[0]}"
        sentence = f"The run {result.run.name} before it: {result.decision.value}.{why}"
        criteria.append(Criterion(f"run {result.run.name}", settled, sentence))
        if worst is Decision.BROKEN:
            continue
        if result.decision is Decision.FAIL:
            worst = Decision.FAIL
        elif result.decision is not Decision.PASS and worst is Decision.PASS:
            worst = Decision.INCONCLUSIVE
    if len(results) < wanted:
        criteria.append(Criterion("consecutive", "open", _too_few(len(results), wanted, sharing)))
        worst = Decision.INCONCLUSIVE if worst is Decision.PASS else worst
    return GateResult(newest.run, worst, tuple(criteria), tuple(earlier), newest.corrections)


def _too_few(found: int, wanted: int, sharing: int) -> str:
    there = "There is 1 run" if found == 1 else f"There are {found} runs"
    passed_over = ""
    if sharing:
        passed_over = f" ({sharing} {'shares' if sharing == 1 else 'share'} replies or judgements and cannot)"
    return (
        f"{there} of this suite, rubric and subject that can be counted, and {wanted} that share nothing are demanded"
        f"{passed_over}. `iamhumans run ... --fresh` makes another."
    )


def _coverage(run: RunOutcomes, thresholds: Thresholds, name: str = _COVERAGE) -> Criterion:
    demanded, there = thresholds.min_coverage, len(run.judged)
    sentence = f"{there} of {run.asked} replies are judged; {_percent(demanded)} % are demanded."
    if run.judgements_asked > run.asked:
        sentence += f" They rest on {run.judgements} of {run.judgements_asked} judgements."
    if run.status in (RunStatus.RUNNING, RunStatus.STOPPED):
        sentence += f" Run {run.name} did not come to its end, so nothing is decided. Give its command again."
        return Criterion(name, "open", sentence)
    if run.coverage < demanded:
        sentence += f" The rest may be the bad ones, so nothing is decided. Give the command of run {run.name} again."
        return Criterion(name, "open", sentence)
    return Criterion(name, "met", sentence)


@dataclass(frozen=True, slots=True)
class _Bounds:
    """A figure with the bounds that one threshold is held to, and with those that all are held to together."""

    each: Estimate
    together: Estimate

    def settled(self, threshold: float, *, at_least: bool) -> Settled:
        """Met by its own bounds, missed by the common ones."""
        from iamhumans.stats import settle

        if settle(self.each, threshold, at_least=at_least) == "met":
            return "met"
        return "missed" if settle(self.together, threshold, at_least=at_least) == "missed" else "open"


def _limits(
    run: RunOutcomes, thresholds: Thresholds, dimensions: Mapping[str, float], level: float
) -> Iterator[Criterion]:
    """The thresholds on the run alone."""
    from iamhumans.stats import cases_to_settle_mean, cases_to_settle_rate, rate_of, two_part

    parts = run.parts(worst=True)
    if thresholds.min_mean is not None:
        found = two_part(parts, one_sided=True)
        bounds = _Bounds(found.mean, two_part(parts, level=level, one_sided=True).mean)
        needed = partial(cases_to_settle_mean, found, parts.zeroed, thresholds.min_mean)
        yield _limit("mean", "The mean total", bounds, thresholds.min_mean, needed)
    if thresholds.max_zero_rate is not None:
        limit = thresholds.max_zero_rate
        bounds = _Bounds(*(rate_of(parts.zeroed, level=one, one_sided=True) for one in (1 - _MISS, level)))
        needed = partial(cases_to_settle_rate, parts.zeroed, limit)
        yield _limit("zero rate", "The rate of zeroed cases", bounds, limit, needed, at_least=False, rate=True)
    if thresholds.min_pass_rate is not None:
        passed, least = run.passed(worst=True), thresholds.min_pass_rate
        bounds = _Bounds(*(rate_of(passed, level=one, one_sided=True) for one in (1 - _MISS, level)))
        needed = partial(cases_to_settle_rate, passed, least)
        yield _limit("pass rate", "The rate of PASS", bounds, least, needed, rate=True)
    if thresholds.max_hard_fails is not None:
        yield _hard_fails(run, thresholds.max_hard_fails)
    for name, least in dimensions.items():
        own = parts.only(run.dimensions[name])
        found = two_part(own, one_sided=True)
        bounds = _Bounds(found.mean, two_part(own, level=level, one_sided=True).mean)
        needed = partial(cases_to_settle_mean, found, own.zeroed, least)
        yield _limit(f"dimension {name}", f"The mean total of {one_line(name, 60)}", bounds, least, needed)


def _corrected_limits(thresholds: Thresholds, corrections: Corrections | None, level: float) -> Iterator[Criterion]:
    """The thresholds on what people would say of the run."""
    each = corrections.figures(1 - _MISS, one_sided=True) if corrections else None
    together = corrections.figures(level, one_sided=True) if corrections else None
    if corrections is None or each is None or together is None:
        why = corrections.sentence if corrections else "It was not looked up whether the judge is calibrated."
        yield Criterion(_CALIBRATION, "open", f"{why} Without that no corrected figure can be decided on.")
        return
    yield Criterion(_CALIBRATION, "met", corrections.sentence)
    if thresholds.min_mean is not None:
        yield _corrected_limit(
            "mean, corrected",
            "The mean total that people would give",
            (each.mean_total, together.mean_total),
            thresholds.min_mean,
        )
    if thresholds.max_zero_rate is not None:
        yield _corrected_limit(
            "zero rate, corrected",
            "The rate of cases that people would zero",
            (each.zero_rate, together.zero_rate),
            thresholds.max_zero_rate,
            at_least=False,
            rate=True,
        )


def _corrected_limit(
    name: str,
    what: str,
    found: tuple[Corrected, Corrected],
    threshold: float,
    *,
    at_least: bool = True,
    rate: bool = False,
) -> Criterion:
    each, together = found
    bounds = _Bounds(each.estimate, together.estimate)
    settled = bounds.settled(threshold, at_least=at_least)
    shown = _as_rate if rate else _as_points
    estimate = bounds.together if settled == "missed" else bounds.each
    value = f"is {shown(estimate.value)}" if estimate.value is not None else "has no figure"
    sentence = f"{what} {value}; {'at least' if at_least else 'at most'} {shown(threshold)} is demanded"
    if estimate.low is None or estimate.high is None:
        return Criterion(name, settled, f"{sentence}. {estimate.withheld or each.reason or ''}".rstrip())
    between = f"{shown(estimate.low)} to {shown(estimate.high)}"
    more = f" {each.reason}" if each.reason else ""
    if settled == "open":
        more += " More labels narrow that, and so do more cases."
    return Criterion(name, settled, f"{sentence}, and by these labels it may be {between}.{more}")


def _limit(
    name: str,
    what: str,
    bounds: _Bounds,
    threshold: float,
    needed: Callable[[], int | None],
    *,
    at_least: bool = True,
    rate: bool = False,
) -> Criterion:
    from iamhumans.stats import say_needed

    settled = bounds.settled(threshold, at_least=at_least)
    shown = _as_rate if rate else _as_points
    found = bounds.together if settled == "missed" else bounds.each
    demanded = f"{'at least' if at_least else 'at most'} {shown(threshold)} is demanded"
    value = "unknown" if found.value is None else shown(found.value)
    sentence = f"{what} is {value} over {_cases(found.n_cases)}; {demanded}"
    if found.withheld or found.low is None or found.high is None:
        return Criterion(name, settled, f"{sentence}. {found.withheld or ''} {say_needed(needed())}")
    if settled != "open":
        low = at_least == (settled == "met")
        bound = f"at least {shown(found.low)}" if low else f"at most {shown(found.high)}"
        return Criterion(name, settled, f"{sentence}, and with other cases it is {bound}.")
    between = f"{shown(found.low)} to {shown(found.high)}"
    return Criterion(name, settled, f"{sentence}, and with other cases it may be {between}. {say_needed(needed())}")


def _hard_fails(run: RunOutcomes, limit: int) -> Criterion:
    """A count, which needs no interval: so many there are."""
    count = sum(combined.worst_zeroed for _, combined in run.judged)
    have = "has" if count == 1 else "have"
    sentence = f"{count} of {len(run.judged)} judged replies {have} a hard fail; at most {limit} may."
    if run.contested:
        sentence += f" In {run.contested} of them the votes are tied, which counts as a hard fail here."
    return Criterion("hard fails", "met" if count <= limit else "missed", sentence)


def _demanded_dimensions(run: RunOutcomes, thresholds: Thresholds) -> Mapping[str, float]:
    """The least mean of each dimension that is asked for."""
    demanded = dict(thresholds.min_dimensions)
    for_each = demanded.pop(EACH, None)
    unknown = [name for name in demanded if name not in run.dimensions]
    if unknown:
        known = ", ".join(one_line(name, 40) for name in run.dimensions)
        raise CommandError(
            f"No judged case of the run tests the dimension `{one_line(unknown[0], 60)}`.",
            fix=f"There are {known}." if known else "Its cases name no dimension.",
        )
    if for_each is not None:
        if not run.dimensions:
            raise CommandError("No case of the run names a dimension.", fix="Leave --min-dimension each=... out.")
        demanded = {**dict.fromkeys(run.dimensions, for_each), **demanded}
    return dict(sorted(demanded.items()))


def _against(comparison: Comparison, thresholds: Thresholds, level: float) -> Iterator[Criterion]:
    """No worse than the baseline by more than the margins."""
    from iamhumans.stats import two_part_difference

    ids = set(comparison.matching.ids)
    before, after = (run.only(ids).parts(worst=True) for run in (comparison.a, comparison.b))
    each, together = (two_part_difference(before, after, level=one, one_sided=True) for one in (1 - _MISS, level))
    name = comparison.a.name
    more = ""
    if comparison.matching.left_out:
        left_out = comparison.matching.left_out
        have = "1 case has no match" if left_out == 1 else f"{left_out} cases have no match"
        more = f" ({have} in the other run)"
    yield _no_worse(
        f"rest against {name}",
        "The mean of the replies without a hard fail",
        _Bounds(*(_even_if_unchanged(found.rest) for found in (each, together))),
        thresholds.margin,
        higher_is_better=True,
        more=more,
    )
    yield _no_worse(
        f"zero rate against {name}",
        "The rate of zeroed cases",
        _Bounds(each.zero_rate.difference, together.zero_rate.difference),
        thresholds.zero_margin,
        higher_is_better=False,
        more=more,
    )


def _no_worse(
    name: str, what: str, bounds: _Bounds, margin: float, *, higher_is_better: bool, more: str = ""
) -> Criterion:
    from iamhumans.stats import cases_to_settle_difference, say_needed

    threshold = -margin if higher_is_better else margin
    settled = bounds.settled(threshold, at_least=higher_is_better)
    found = bounds.together if settled == "missed" else bounds.each
    scale, unit = (1.0, "points") if higher_is_better else (100.0, "percentage points")
    change = "unknown" if found.value is None else f"{scale * found.value:+.1f} {unit}"
    borne = f"up to {scale * margin:g} {unit} worse is borne" if margin else "nothing worse is borne"
    sentence = f"{what} changed by {change} over {_cases(found.n_cases)}{more}; {borne}"
    if found.withheld or found.low is None or found.high is None:
        return Criterion(name, settled, f"{sentence}. {found.withheld or ''}".rstrip())
    low, high = scale * found.low, scale * found.high
    if settled != "open":
        from_below = higher_is_better == (settled == "met")
        bound = f"{low:+.1f} or more" if from_below else f"{high:+.1f} or less"
        return Criterion(name, settled, f"{sentence}, and with other cases it is {bound}.")
    needed = cases_to_settle_difference(bounds.each, threshold)
    if bounds.each.method == _UNSEEN:
        needed = _cases_to_settle_unseen(margin)
    between = f"{low:+.1f} to {high:+.1f}"
    return Criterion(name, settled, f"{sentence}, and with other cases it may be {between}. {say_needed(needed)}")


def _even_if_unchanged(found: Difference) -> Estimate:
    """The difference of two means, with bounds even where no case changed.

    Then nothing shows how far other cases would; but they are at most so many as can be missed by chance in all of
    these, and none of them can change by more than the whole scale.
    """
    estimate = found.difference
    if not estimate.withheld or found.rose or found.fell or estimate.n_cases < _LEAST_UNCHANGED:
        return estimate
    reach = _SCALE * (1 - (1 - estimate.level) ** (1 / estimate.n_cases))
    return replace(estimate, low=-reach, high=reach, method=_UNSEEN, withheld=None)


def _cases_to_settle_unseen(margin: float) -> int | None:
    return ceil(log(_MISS) / log(1 - margin / _SCALE)) if 0 < margin < _SCALE else None


def _cases(count: int) -> str:
    return "1 case" if count == 1 else f"{count} cases"


def _as_rate(value: float) -> str:
    return f"{_percent(value)} %"


def _as_points(value: float) -> str:
    return f"{value:.1f}"


def _percent(rate: float) -> str:
    return f"{100 * rate:.1f}".removesuffix(".0")
