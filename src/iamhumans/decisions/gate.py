"""May it ship? Thresholds on a run, each decided by a one-sided 95 % bound.

1. A criterion is *met* or *missed* where the bound is on that side of the threshold, and *open* otherwise.
2. One missed criterion fails the gate. Otherwise one open criterion makes it inconclusive. Otherwise it passes.
3. Many thresholds are many chances to fail by accident, so all misses together are held to 95 % (Bonferroni). A pass
   needs every criterion, so each is held to 95 % alone.
4. A tie of votes counts as the worse.
5. Nothing is decided while judgements are missing, a run is unfinished, or its results were imported and not accepted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from functools import partial
from math import ceil, log
from typing import TYPE_CHECKING, Any, Literal, Protocol

from iamhumans.decisions.compare import Comparison, compare
from iamhumans.decisions.outcomes import RunOutcomes
from iamhumans.errors import CommandError, Exit
from iamhumans.runs.journal.queries import RunStatus
from iamhumans.text import one_line

if TYPE_CHECKING:
    from iamhumans.stats import CaseValues, Corrected, Difference, Estimate, TwoPartValues

Settled = Literal["met", "missed", "open"]
Kind = Literal[
    "nothing_judged", "coverage", "imported", "calibration", "mean", "zero_rate", "pass_rate", "hard_fails",
    "dimension", "corrected_mean", "corrected_zero_rate", "rest_difference", "zero_rate_difference", "earlier_run",
    "consecutive",
]  # fmt: skip
EACH = "each"
"""Names every dimension."""
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
    """What a gate demands of a run; ``None`` demands nothing. Rates go from 0 to 1, means from 0 to 100.

    Attributes:
        min_dimensions: The minimum mean total of a dimension, by its name; ``each`` is all of them.
        margin: Maximum tolerated drop in the mean of the rest against the baseline, in points.
        zero_margin: Maximum tolerated rise of the zero rate against the baseline.
        corrected: Whether ``min_mean`` and ``max_zero_rate`` apply to what people would say.
    """

    min_mean: float | None = None
    max_zero_rate: float | None = None
    min_pass_rate: float | None = None
    max_hard_fails: int | None = None
    min_coverage: float = 1.0
    min_dimensions: Mapping[str, float] = field(default_factory=dict)
    margin: float = 3.0
    zero_margin: float = 0.05
    corrected: bool = False


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
    """A decision with its criteria; where several runs in a row are demanded, with the results of the earlier ones."""

    run: RunOutcomes
    decision: Decision
    criteria: tuple[Criterion, ...]
    earlier: tuple[GateResult, ...] = ()
    corrections: Corrections | None = None

    def to_dict(self) -> dict[str, Any]:
        """The result as JSON holds it."""
        calibration = None
        if self.corrections is not None:
            found = self.corrections.figures(level=1 - _MISS, one_sided=False) if self.run.judged else None
            figures = {"mean_total": found.mean_total, "zero_rate": found.zero_rate} if found else {}
            corrected = {name: asdict(one) for name, one in figures.items()}
            calibration = {"sentence": self.corrections.sentence, "corrected": corrected or None}
        return {
            "run": self.run.name,
            "decision": self.decision.value,
            "exit_code": int(self.decision.exit_code),
            "asked": self.run.asked,
            "judged": len(self.run.judged),
            "contested": self.run.contested,
            "unconfirmed": self.run.unconfirmed,
            "criteria": [asdict(one) for one in self.criteria],
            "calibration": calibration,
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
    limits = (thresholds.min_mean, thresholds.max_zero_rate, thresholds.min_pass_rate)
    more = (thresholds.max_hard_fails, baseline, *thresholds.min_dimensions)
    if all(limit is None for limit in (*limits, *more)):
        fix = "Give a threshold, such as --max-zero-rate 0.1 or --min-mean 85, or a --baseline."
        raise CommandError("The gate demands nothing.", fix=fix)
    if thresholds.corrected and limits[:2] == (None, None):
        raise CommandError("There is nothing to correct.", fix="Use --corrected with --min-mean or --max-zero-rate.")
    run.of_one_subject()
    if not run.judged:
        nothing = Criterion("coverage", "missed", "nothing_judged")
        return GateResult(run, Decision.BROKEN, (nothing,), corrections=corrections)
    dimensions = _demanded_dimensions(run, thresholds)
    tests = sum(limit is not None for limit in limits) + len(dimensions) + (2 if baseline is not None else 0)
    level = 1 - _MISS / max(1, tests * runs)
    criteria = [*_usable(run, thresholds, accept_imported=accept_imported)]
    if thresholds.corrected:
        criteria += _corrected_limits(thresholds, corrections, level)
        thresholds = replace(thresholds, min_mean=None, max_zero_rate=None)
    _check_seen(run, thresholds, against=baseline is not None)
    criteria += _limits(run, thresholds, dimensions, level)
    if baseline is not None:
        comparison = compare(baseline, run)
        _check_seen(baseline, thresholds, against=True)
        usable = _usable(baseline, thresholds, " of the baseline", accept_imported=accept_imported)
        criteria = [*(one for one in usable if one.settled != "met"), *criteria]
        criteria += _against(comparison, thresholds, level)
    states = {one.settled for one in criteria}
    decision = Decision.INCONCLUSIVE if "open" in states else Decision.PASS
    if any(one.settled != "met" for one in criteria if one.kind in ("coverage", "imported", "calibration")):
        decision = Decision.INCONCLUSIVE
    elif "missed" in states:
        decision = Decision.FAIL
    return GateResult(run, decision, tuple(criteria), corrections=corrections)


def in_a_row(results: Sequence[GateResult], demanded: int, *, sharing: int = 0) -> GateResult:
    """The decision on the newest of several runs, all of which must pass.

    Args:
        results: The same gate on independent runs, the newest first.
        demanded: How many there must be.
        sharing: How many runs were left out since they share replies or judgements with these.
    """
    newest, *earlier = results
    criteria = list(newest.criteria)
    states: dict[Decision, Settled] = {Decision.PASS: "met", Decision.FAIL: "missed"}
    for one in earlier:
        state, name = states.get(one.decision, "open"), one.run.name
        criteria.append(Criterion(f"run {name}", state, "earlier_run", run=name))
    if len(results) < demanded:
        counts = {"found": len(results), "demanded": demanded, "sharing": sharing}
        criteria.append(Criterion("consecutive", "open", "consecutive", counts=counts))
    decision = newest.decision
    added = {one.settled for one in criteria[len(newest.criteria) :]}
    if decision is not Decision.BROKEN and "missed" in added:
        decision = Decision.FAIL
    elif decision is Decision.PASS and "open" in added:
        decision = Decision.INCONCLUSIVE
    return GateResult(newest.run, decision, tuple(criteria), tuple(earlier), newest.corrections)


def _usable(run: RunOutcomes, thresholds: Thresholds, of: str = "", *, accept_imported: bool) -> Iterator[Criterion]:
    """Whether anything can be decided on a run."""
    unfinished = run.status in (RunStatus.RUNNING, RunStatus.STOPPED)
    counts = {"judged": len(run.judged), "asked": run.asked, "unfinished": int(unfinished)}
    counts |= {"judgements": run.judgements, "judgements_asked": run.judgements_asked}
    limit = thresholds.min_coverage
    state: Settled = "open" if unfinished or run.coverage < limit else "met"
    yield Criterion(f"coverage{of}", state, "coverage", threshold=limit, counts=counts, run=run.name)
    if run.imported:
        yield Criterion(f"imported results{of}", "met" if accept_imported else "open", "imported", run=run.name)


def _check_seen(run: RunOutcomes, thresholds: Thresholds, *, against: bool) -> None:
    """Refuse a threshold on a figure that the judge does not see enough for."""
    limits = (thresholds.min_mean, thresholds.min_pass_rate, *thresholds.min_dimensions)
    needed = run.rubric.hard_fail_ids if (thresholds.max_zero_rate, thresholds.max_hard_fails) != (None, None) else ()
    if against or any(limit is not None for limit in limits):
        needed = run.unseen
    unseen = [name for name in run.unseen if name in needed]
    if unseen:
        problem = f"The gate demands figures that run {run.name} does not have: its judge cannot see"
        raise CommandError(f"{problem} {', '.join(unseen)}.", fix="Use a judge that covers them.")


def _settle(
    name: str,
    kind: Kind,
    bounds: Sequence[Estimate],
    threshold: float,
    needed: Callable[[], int | None] = lambda: None,
    **more: Any,
) -> Criterion:
    """A criterion that is met by the bounds for it alone, and missed by those for all criteria together."""
    from iamhumans.stats import settle

    (each, together), at_least = bounds, more.get("at_least", True)
    if settle(each, threshold, at_least=at_least) == "met":
        return Criterion(name, "met", kind, each, threshold, **more)
    if settle(together, threshold, at_least=at_least) == "missed":
        return Criterion(name, "missed", kind, together, threshold, **more)
    return Criterion(name, "open", kind, each, threshold, cases_needed=needed(), **more)


def _limits(
    run: RunOutcomes, thresholds: Thresholds, dimensions: Mapping[str, float], level: float
) -> Iterator[Criterion]:
    """The thresholds on the run alone."""
    from iamhumans.stats import cases_to_settle_mean, cases_to_settle_rate, rate_of, two_part

    levels = 1 - _MISS, level

    def mean(name: str, kind: Kind, values: TwoPartValues, limit: float) -> Criterion:
        found = [two_part(values, level=one, one_sided=True) for one in levels]
        needed = partial(cases_to_settle_mean, found[0], values.zeroed, limit)
        return _settle(name, kind, [one.mean for one in found], limit, needed)

    def rate(name: str, kind: Kind, values: CaseValues, limit: float, *, at_least: bool) -> Criterion:
        found = [rate_of(values, level=one, one_sided=True) for one in levels]
        return _settle(name, kind, found, limit, partial(cases_to_settle_rate, values, limit), at_least=at_least)

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
    yield Criterion("calibration", "met" if figures else "open", "calibration", note=note)
    if figures and thresholds.min_mean is not None:
        both = [one.mean_total for one in figures]
        bounds, note = [one.estimate for one in both], both[0].reason or ""
        yield _settle("mean, corrected", "corrected_mean", bounds, thresholds.min_mean, note=note)
    if figures and thresholds.max_zero_rate is not None:
        both = [one.zero_rate for one in figures]
        bounds, note, limit = [one.estimate for one in both], both[0].reason or "", thresholds.max_zero_rate
        yield _settle("zero rate, corrected", "corrected_zero_rate", bounds, limit, at_least=False, note=note)


def _demanded_dimensions(run: RunOutcomes, thresholds: Thresholds) -> Mapping[str, float]:
    """The minimum mean of each dimension that is demanded."""
    demanded = dict(thresholds.min_dimensions)
    for_each = demanded.pop(EACH, None)
    if for_each is not None and not run.dimensions:
        raise CommandError("No case of the run names a dimension.", fix="Remove --min-dimension each=... .")
    unknown = [name for name in demanded if name not in run.dimensions]
    if unknown:
        known = ", ".join(one_line(name, 40) for name in run.dimensions)
        fix = f"Its dimensions are {known}." if known else "Its cases name no dimension."
        raise CommandError(f"No judged case of the run has the dimension `{one_line(unknown[0], 60)}`.", fix=fix)
    each = {} if for_each is None else dict.fromkeys(run.dimensions, for_each)
    return dict(sorted({**each, **demanded}.items()))


def _against(comparison: Comparison, thresholds: Thresholds, level: float) -> Iterator[Criterion]:
    """No worse than the baseline by more than the margins."""
    from iamhumans.stats import cases_to_settle_difference, two_part_difference

    ids = set(comparison.matching.ids)
    before, after = (run.only(ids).parts(worst=True) for run in (comparison.a, comparison.b))
    found = [two_part_difference(before, after, level=one, one_sided=True) for one in (1 - _MISS, level)]
    name, counts, drop = comparison.a.name, {"unmatched": comparison.matching.left_out}, -thresholds.margin
    rests = [_even_if_unchanged(one.rest) for one in found]
    needed = partial(cases_to_settle_difference, rests[0], drop)
    if rests[0].method == _UNCHANGED:
        needed = partial(_cases_to_settle_unchanged, thresholds.margin)
    yield _settle(f"rest against {name}", "rest_difference", rests, drop, needed, counts=counts)
    rates, rise = [one.zero_rate.difference for one in found], thresholds.zero_margin
    needed = partial(cases_to_settle_difference, rates[0], rise)
    what = f"zero rate against {name}"
    yield _settle(what, "zero_rate_difference", rates, rise, needed, at_least=False, counts=counts)


def _cases_to_settle_unchanged(margin: float) -> int | None:
    return ceil(log(_MISS) / log(1 - margin / _SCALE)) if 0 < margin < _SCALE else None


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
