"""May it ship? Thresholds on a run, each decided by a one-sided 95 % bound.

1. A criterion is *met* where the bound is on the good side of the threshold, *missed* where it is on the bad side, and
   *open* where the threshold is inside the interval.
2. One missed criterion fails the gate. Otherwise one open criterion makes it inconclusive. Otherwise it passes.
3. Many thresholds are many chances to fail by accident, so all misses together are held to 95 % (Bonferroni). A pass
   needs every criterion, so each is held to 95 % alone.
4. A tie of votes counts as the worse.
5. Nothing is decided while judgements are missing, a run is unfinished, or its results were imported and not accepted.
6. Corrected figures need a calibration that fits the judge.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from functools import partial
from math import ceil, log
from typing import TYPE_CHECKING, Any, Literal, Protocol

from iamhumans.decisions.compare import compare
from iamhumans.decisions.outcomes import RunOutcomes
from iamhumans.errors import CommandError, Exit
from iamhumans.runs import RunStatus
from iamhumans.text import one_line

if TYPE_CHECKING:
    from iamhumans.decisions.compare import Comparison
    from iamhumans.stats import Corrected, Difference, Estimate, TwoPartValues
    from iamhumans.stats.cases import CaseValues

Settled = Literal["met", "missed", "open"]
Kind = Literal[
    "nothing_judged", "coverage", "imported", "calibration", "mean", "zero_rate", "pass_rate", "hard_fails",
    "dimension", "corrected_mean", "corrected_zero_rate", "rest_difference", "zero_rate_difference", "earlier_run",
    "consecutive",
]  # fmt: skip
EACH = "each"
"""Names every dimension."""
_BLOCKING: tuple[Kind, ...] = ("coverage", "imported", "calibration")
_MISS = 0.05
_SCALE = 100.0
_LEAST_UNCHANGED = 5
_UNCHANGED = "none of these cases changed"


class Decision(StrEnum):
    """The decision of a gate; ``broken`` where nothing is judged."""

    PASS = "pass"  # noqa: S105 - no password
    FAIL = "fail"
    INCONCLUSIVE = "inconclusive"
    BROKEN = "broken"

    @property
    def exit_code(self) -> Exit:
        """The exit code of the command."""
        codes = {"pass": Exit.DONE, "fail": Exit.GATE_FAILED, "inconclusive": Exit.INCONCLUSIVE}
        return codes.get(self.value, Exit.COULD_NOT_RUN)


@dataclass(frozen=True, slots=True)
class Thresholds:
    """What a gate demands of a run; ``None`` demands nothing."""

    min_mean: float | None = None
    max_zero_rate: float | None = None
    min_pass_rate: float | None = None
    max_hard_fails: int | None = None
    min_coverage: float = 1.0
    min_dimensions: Mapping[str, float] = field(default_factory=dict)
    """The minimum mean total of a dimension, by its name; ``each`` is all of them."""
    margin: float = 3.0
    """Maximum tolerated drop in the mean of the rest against the baseline, in points."""
    zero_margin: float = 0.05
    """Maximum tolerated rise of the rate of zeroed cases against the baseline, from 0 to 1."""
    corrected: bool = False
    """Whether the thresholds on mean and zero rate apply to what people would say."""

    @property
    def demands_anything(self) -> bool:
        """Whether there is a threshold besides coverage."""
        limits = (self.min_mean, self.max_zero_rate, self.min_pass_rate, self.max_hard_fails)
        return any(limit is not None for limit in limits) or bool(self.min_dimensions)


@dataclass(frozen=True, slots=True)
class CorrectedFigures:
    """The figures of a run as people would give them."""

    mean_total: Corrected
    zero_rate: Corrected


class Corrections(Protocol):
    """What people's labels say about the judge of a run."""

    @property
    def sentence(self) -> str:
        """Whether a calibration fits the judge."""

    def figures(self, *, level: float, one_sided: bool) -> CorrectedFigures | None:
        """The corrected figures; ``None`` where no calibration fits."""


@dataclass(frozen=True, slots=True)
class Criterion:
    """One threshold and its result.

    Attributes:
        estimate: The figure, with the bounds that decide.
        threshold: The limit. Of a difference, B minus A may be no worse than this.
        at_least: Whether the figure must not be below the threshold, or not above it.
        cases_needed: How many cases would decide an open criterion; ``None`` where no number would.
        counts: Other numbers that it depends on, by name.
        note: What people's labels say about it.
        run: The run that it is about, where that may be another one.
    """

    name: str
    settled: Settled
    kind: Kind
    estimate: Estimate | None = None
    threshold: float | None = None
    at_least: bool = True
    cases_needed: int | None = None
    counts: Mapping[str, int] = field(default_factory=dict)
    note: str = ""
    run: str = ""


@dataclass(frozen=True)
class GateResult:
    """A decision with its criteria."""

    run: RunOutcomes
    decision: Decision
    criteria: tuple[Criterion, ...]
    earlier: tuple[GateResult, ...] = ()
    """The same gate on the runs before, where several in a row are demanded."""
    corrections: Corrections | None = None

    def to_dict(self) -> dict[str, Any]:
        """The result as JSON holds it."""
        found = self.corrections.figures(level=1 - _MISS, one_sided=False) if self.corrections else None
        return {
            "run": self.run.name,
            "decision": self.decision.value,
            "exit_code": int(self.decision.exit_code),
            "asked": self.run.asked,
            "judged": len(self.run.judged),
            "contested": self.run.contested,
            "unconfirmed": self.run.unconfirmed,
            "criteria": [asdict(one) for one in self.criteria],
            "calibration": {"sentence": self.corrections.sentence, "corrected": asdict(found) if found else None}
            if self.corrections
            else None,
            "earlier": [one.to_dict() for one in self.earlier],
        }


def gate(
    run: RunOutcomes,
    thresholds: Thresholds,
    baseline: RunOutcomes | None = None,
    *,
    runs: int = 1,
    corrections: Corrections | None = None,
    accept_imported: bool = False,
) -> GateResult:
    """Decide on a run.

    Args:
        run: The run under test.
        thresholds: What is demanded.
        baseline: A run that it must not be worse than.
        runs: How many runs are gated together, any of which may fail.
        corrections: What people's labels say about the judge; needed for corrected figures.
        accept_imported: Decide on results that come from another journal.

    Raises:
        CommandError: Nothing is demanded, a figure that is demanded does not exist, several subjects answered the same
            cases, or the baseline is the run itself, was judged differently, or shares no case with it.
        CannotRunError: No reply of the baseline is judged.
    """
    _check_demands(thresholds, baseline)
    run.of_one_subject()
    if not run.judged:
        nothing = Criterion("coverage", "missed", "nothing_judged")
        return GateResult(run, Decision.BROKEN, (nothing,), corrections=corrections)
    dimensions = _demanded_dimensions(run, thresholds)
    limits = (thresholds.min_mean, thresholds.max_zero_rate, thresholds.min_pass_rate)
    tests = sum(limit is not None for limit in limits) + len(dimensions) + (2 if baseline is not None else 0)
    level = 1 - _MISS / max(1, tests * runs)
    criteria = [_coverage(run, thresholds), *_imported(run, accept=accept_imported)]
    if thresholds.corrected:
        criteria += _corrected_limits(thresholds, corrections, level)
        thresholds = replace(thresholds, min_mean=None, max_zero_rate=None)
    _check_seen(run, thresholds, against=baseline is not None)
    criteria += _limits(run, thresholds, dimensions, level)
    if baseline is not None:
        comparison = compare(baseline, run)
        _check_seen(baseline, Thresholds(), against=True)
        if baseline.coverage < thresholds.min_coverage:
            criteria.insert(0, _coverage(baseline, thresholds, of_baseline=True))
        criteria += _imported(baseline, accept=accept_imported, of_baseline=True)
        criteria += _against(comparison, thresholds, level)
    return GateResult(run, _decide(criteria), tuple(criteria), corrections=corrections)


def _check_demands(thresholds: Thresholds, baseline: RunOutcomes | None) -> None:
    if not thresholds.demands_anything and baseline is None:
        raise CommandError(
            "The gate demands nothing.",
            fix="Give a threshold, such as --max-zero-rate 0.1 or --min-mean 85, or a --baseline.",
        )
    if thresholds.corrected and thresholds.min_mean is None and thresholds.max_zero_rate is None:
        raise CommandError("There is nothing to correct.", fix="Use --corrected with --min-mean or --max-zero-rate.")


def _check_seen(run: RunOutcomes, thresholds: Thresholds, *, against: bool) -> None:
    """Refuse a threshold on a figure that the judge does not see enough for."""
    limits = (thresholds.min_mean, thresholds.min_pass_rate)
    needs_all = against or bool(thresholds.min_dimensions) or any(limit is not None for limit in limits)
    needs_flags = thresholds.max_zero_rate is not None or thresholds.max_hard_fails is not None
    needed = set(run.unseen if needs_all else run.rubric.hard_fail_ids if needs_flags else ())
    unseen = [name for name in run.unseen if name in needed]
    if unseen:
        raise CommandError(
            f"The gate demands figures that run {run.name} does not have: its judge cannot see {', '.join(unseen)}.",
            fix="Use a judge that covers them.",
        )


def _decide(criteria: Sequence[Criterion]) -> Decision:
    states = {one.settled for one in criteria}
    if any(one.settled != "met" for one in criteria if one.kind in _BLOCKING):
        return Decision.INCONCLUSIVE
    if "missed" in states:
        return Decision.FAIL
    return Decision.INCONCLUSIVE if "open" in states else Decision.PASS


def in_a_row(results: Sequence[GateResult], demanded: int, *, sharing: int = 0) -> GateResult:
    """The decision on the newest of several runs, all of which must pass.

    Args:
        results: The same gate on independent runs, the newest first.
        demanded: How many there must be.
        sharing: How many runs were left out since they share replies or judgements with these.
    """
    newest, *earlier = results
    decision = newest.decision
    criteria = list(newest.criteria)
    states: dict[Decision, Settled] = {Decision.PASS: "met", Decision.FAIL: "missed"}
    for one in earlier:
        criteria.append(
            Criterion(f"run {one.run.name}", states.get(one.decision, "open"), "earlier_run", run=one.run.name)
        )
        if one.decision is Decision.FAIL and decision is not Decision.BROKEN:
            decision = Decision.FAIL
        elif one.decision is not Decision.PASS and decision is Decision.PASS:
            decision = Decision.INCONCLUSIVE
    if len(results) < demanded:
        counts = {"found": len(results), "demanded": demanded, "sharing": sharing}
        criteria.append(Criterion("consecutive", "open", "consecutive", counts=counts))
        decision = Decision.INCONCLUSIVE if decision is Decision.PASS else decision
    return GateResult(newest.run, decision, tuple(criteria), tuple(earlier), newest.corrections)


def _coverage(run: RunOutcomes, thresholds: Thresholds, *, of_baseline: bool = False) -> Criterion:
    unfinished = run.status in (RunStatus.RUNNING, RunStatus.STOPPED)
    return Criterion(
        "coverage of the baseline" if of_baseline else "coverage",
        "open" if unfinished or run.coverage < thresholds.min_coverage else "met",
        "coverage",
        threshold=thresholds.min_coverage,
        counts={
            "judged": len(run.judged),
            "asked": run.asked,
            "judgements": run.judgements,
            "judgements_asked": run.judgements_asked,
            "unfinished": int(unfinished),
        },
        run=run.name,
    )


def _imported(run: RunOutcomes, *, accept: bool, of_baseline: bool = False) -> Iterator[Criterion]:
    if run.imported:
        name = "imported results of the baseline" if of_baseline else "imported results"
        yield Criterion(name, "met" if accept else "open", "imported", run=run.name)


def _settle(
    name: str,
    kind: Kind,
    bounds: tuple[Estimate, Estimate],
    threshold: float,
    needed: Callable[[], int | None] = lambda: None,
    *,
    at_least: bool = True,
    **more: Any,
) -> Criterion:
    """A criterion that is met by the bounds for it alone, and missed by those for all criteria together."""
    from iamhumans.stats import settle

    each, together = bounds
    settled: Settled = "open"
    if settle(each, threshold, at_least=at_least) == "met":
        settled = "met"
    elif settle(together, threshold, at_least=at_least) == "missed":
        settled = "missed"
    estimate = together if settled == "missed" else each
    return Criterion(
        name, settled, kind, estimate, threshold, at_least, needed() if settled == "open" else None, **more
    )


def _limits(
    run: RunOutcomes, thresholds: Thresholds, dimensions: Mapping[str, float], level: float
) -> Iterator[Criterion]:
    """The thresholds on the run alone."""
    from iamhumans.stats import cases_to_settle_mean, cases_to_settle_rate, rate_of, two_part

    def mean(name: str, kind: Kind, values: TwoPartValues, limit: float) -> Criterion:
        each, together = (two_part(values, level=one, one_sided=True) for one in (1 - _MISS, level))
        needed = partial(cases_to_settle_mean, each, values.zeroed, limit)
        return _settle(name, kind, (each.mean, together.mean), limit, needed)

    def rate(name: str, kind: Kind, values: CaseValues, limit: float, *, at_least: bool) -> Criterion:
        each, together = (rate_of(values, level=one, one_sided=True) for one in (1 - _MISS, level))
        return _settle(
            name, kind, (each, together), limit, partial(cases_to_settle_rate, values, limit), at_least=at_least
        )

    if thresholds.min_mean is not None:
        yield mean("mean", "mean", run.parts(worst=True), thresholds.min_mean)
    if thresholds.max_zero_rate is not None:
        yield rate("zero rate", "zero_rate", run.zeroed(worst=True), thresholds.max_zero_rate, at_least=False)
    if thresholds.min_pass_rate is not None:
        yield rate("pass rate", "pass_rate", run.passed(worst=True), thresholds.min_pass_rate, at_least=True)
    if thresholds.max_hard_fails is not None:
        # A count of these very replies needs no interval.
        zeroed, limit = sum(one.worst_zeroed for _, one in run.judged), thresholds.max_hard_fails
        counts = {"zeroed": zeroed, "judged": len(run.judged), "contested": run.contested}
        state: Settled = "met" if zeroed <= limit else "missed"
        yield Criterion("hard fails", state, "hard_fails", threshold=limit, at_least=False, counts=counts)
    for name, least in dimensions.items():
        yield mean(f"dimension {name}", "dimension", run.parts(worst=True).only(run.dimensions[name]), least)


def _corrected_limits(thresholds: Thresholds, corrections: Corrections | None, level: float) -> Iterator[Criterion]:
    """The thresholds on what people would say of the run."""
    note = corrections.sentence if corrections else "It was not checked whether the judge is calibrated."
    found = [corrections.figures(level=one, one_sided=True) for one in (1 - _MISS, level)] if corrections else []
    figures = [one for one in found if one is not None]
    yield Criterion("calibration", "met" if len(figures) == 2 else "open", "calibration", note=note)
    if len(figures) < 2:
        return
    limits: tuple[tuple[str, Kind, float | None, list[Corrected]], ...] = (
        ("mean, corrected", "corrected_mean", thresholds.min_mean, [one.mean_total for one in figures]),
        ("zero rate, corrected", "corrected_zero_rate", thresholds.max_zero_rate, [one.zero_rate for one in figures]),
    )
    for name, kind, limit, (each, together) in limits:
        if limit is not None:
            bounds, note = (each.estimate, together.estimate), each.reason or ""
            yield _settle(name, kind, bounds, limit, at_least=kind == "corrected_mean", note=note)


def _demanded_dimensions(run: RunOutcomes, thresholds: Thresholds) -> Mapping[str, float]:
    """The minimum mean of each dimension that is demanded."""
    demanded = dict(thresholds.min_dimensions)
    for_each = demanded.pop(EACH, None)
    unknown = [name for name in demanded if name not in run.dimensions]
    if unknown:
        known = ", ".join(one_line(name, 40) for name in run.dimensions)
        raise CommandError(
            f"No judged case of the run has the dimension `{one_line(unknown[0], 60)}`.",
            fix=f"Its dimensions are {known}." if known else "Its cases name no dimension.",
        )
    if for_each is not None:
        if not run.dimensions:
            raise CommandError("No case of the run names a dimension.", fix="Remove --min-dimension each=... .")
        demanded = {**dict.fromkeys(run.dimensions, for_each), **demanded}
    return dict(sorted(demanded.items()))


def _against(comparison: Comparison, thresholds: Thresholds, level: float) -> Iterator[Criterion]:
    """No worse than the baseline by more than the margins."""
    from iamhumans.stats import cases_to_settle_difference, two_part_difference

    ids = set(comparison.matching.ids)
    before, after = (run.only(ids).parts(worst=True) for run in (comparison.a, comparison.b))
    each, together = (two_part_difference(before, after, level=one, one_sided=True) for one in (1 - _MISS, level))
    name, counts = comparison.a.name, {"unmatched": comparison.matching.left_out}

    def no_worse(
        what: str, kind: Kind, bounds: tuple[Estimate, Estimate], limit: float, *, at_least: bool
    ) -> Criterion:
        def needed() -> int | None:
            if bounds[0].method != _UNCHANGED:
                return cases_to_settle_difference(bounds[0], limit)
            return ceil(log(_MISS) / log(1 + limit / _SCALE)) if 0 < -limit < _SCALE else None

        return _settle(f"{what} against {name}", kind, bounds, limit, needed, at_least=at_least, counts=counts)

    rests = _even_if_unchanged(each.rest), _even_if_unchanged(together.rest)
    yield no_worse("rest", "rest_difference", rests, -thresholds.margin, at_least=True)
    rates = each.zero_rate.difference, together.zero_rate.difference
    yield no_worse("zero rate", "zero_rate_difference", rates, thresholds.zero_margin, at_least=False)


def _even_if_unchanged(found: Difference) -> Estimate:
    """The difference of two means, with bounds even where no case changed.

    Then the spread is unknown. But the share of cases that would change is bounded by chance having missed it in all
    of these, and none can change by more than the whole scale.
    """
    estimate = found.difference
    if not estimate.withheld or found.rose or found.fell or estimate.n_cases < _LEAST_UNCHANGED:
        return estimate
    reach = _SCALE * (1 - (1 - estimate.level) ** (1 / estimate.n_cases))
    return replace(estimate, low=-reach, high=reach, method=_UNCHANGED, withheld=None)
