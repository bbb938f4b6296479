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
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import partial
from math import ceil, log
from typing import TYPE_CHECKING, Any, Literal, Protocol

from iamhumans.decisions.compare import match
from iamhumans.decisions.outcomes import RunOutcomes
from iamhumans.errors import CommandError, Exit
from iamhumans.runs.journal.queries import RunStatus
from iamhumans.text import one_line

if TYPE_CHECKING:
    from iamhumans.stats import CasesNeeded, CaseValues, Corrected, Difference, Estimate, TwoPartValues

Settled = Literal["met", "missed", "open"]
Kind = Literal[
    "nothing_judged", "judged", "imported", "calibration", "mean", "zero_rate", "flagged_rate", "pass_rate",
    "hard_fails", "dimension", "corrected_mean", "corrected_zero_rate", "rest_difference", "zero_rate_difference",
    "earlier_run", "consecutive",
]  # fmt: skip
EACH = "each"
"""Names every dimension."""
_MISS = 0.05
_SCALE = 100.0
_LEAST_UNCHANGED = 5
_REQUIRED = ("judged", "imported", "calibration")
"""Without these nothing is decided."""


class Decision(StrEnum):
    """The decision of a gate; ``broken`` where nothing is judged."""

    PASS = "pass"  # noqa: S105 - no password
    FAIL = "fail"
    INCONCLUSIVE = "inconclusive"
    BROKEN = "broken"

    @property
    def exit_code(self) -> Exit:
        """The exit code of the command."""
        return (Exit.DONE, Exit.GATE_FAILED, Exit.INCONCLUSIVE, Exit.COULD_NOT_RUN)[list(Decision).index(self)]


@dataclass(frozen=True, slots=True)
class Thresholds:
    """What a gate demands of a run; ``None`` demands nothing. Rates go from 0 to 1, means from 0 to 100.

    ``min_dimensions`` is the minimum mean total by dimension. The margins are the maximum tolerated drop in the mean of
    the rest and rise of the zero rate against the baseline. With ``corrected``, ``min_mean`` and ``max_zero_rate``
    apply to what people would say. ``max_flagged_rate`` applies to the hard fails that the judge sees, so it can be
    demanded of any run; every other figure needs a judge that sees all that it is made of.
    """

    min_mean: float | None = None
    max_zero_rate: float | None = None
    min_pass_rate: float | None = None
    max_hard_fails: int | None = None
    min_judged: float = 1.0
    min_dimensions: Mapping[str, float] = field(default_factory=dict)
    margin: float = 3.0
    zero_margin: float = 0.05
    corrected: bool = False
    max_flagged_rate: float | None = None


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
    """One threshold and its result: the figure, with the bounds that decide.

    With ``at_least`` the figure must not be below the threshold, or else not above it. ``cases_needed`` would decide an
    open criterion; it is ``None`` where nothing is known about that. ``counts`` are other numbers that it depends on,
    ``note`` is what people's labels say about it, and ``run`` the run that it is about.
    """

    name: str
    settled: Settled
    kind: Kind
    estimate: Estimate | None = None
    threshold: float | None = None
    at_least: bool = True
    cases_needed: CasesNeeded | None = None
    counts: Mapping[str, int] = field(default_factory=dict)
    note: str = ""
    run: str = ""


@dataclass(frozen=True)
class GateResult:
    """A decision with its criteria; where several runs in a row are demanded, with the results of the earlier ones.

    ``calibration`` says whether people's labels fit the judge, ``corrected`` what they make of the figures.
    """

    run: RunOutcomes
    decision: Decision
    criteria: tuple[Criterion, ...]
    earlier: tuple[GateResult, ...] = ()
    calibration: str | None = None
    corrected: CorrectedFigures | None = None


def gate(
    run: RunOutcomes,
    thresholds: Thresholds,
    baseline: RunOutcomes | None = None,
    *,
    runs: int = 1,
    corrections: Corrections | None = None,
    accept_imported: bool = False,
) -> GateResult:
    """Decide on a run, which must not be worse than the ``baseline``. ``runs`` is how many are gated together.

    Raises:
        CommandError: Nothing is demanded, a figure that is demanded does not exist, several subjects answered the same
            cases, or the baseline is the run itself, was judged differently, or shares no case with it.
        CannotRunError: No reply of the baseline is judged.
    """
    limits = (
        *(thresholds.min_mean, thresholds.max_zero_rate, thresholds.min_pass_rate),
        thresholds.max_flagged_rate,
    )
    if all(one is None for one in (*limits, thresholds.max_hard_fails, baseline, *thresholds.min_dimensions)):
        fix = "Give a threshold, such as --max-zero-rate 0.1 or --min-mean 85, or a --baseline."
        raise CommandError("The gate demands nothing.", fix=fix)
    if thresholds.corrected and limits[:2] == (None, None):
        raise CommandError("There is nothing to correct.", fix="Use --corrected with --min-mean or --max-zero-rate.")
    sentence = None if corrections is None else corrections.sentence
    if not run.of_one_subject().judged:
        nothing = Criterion("judged", "missed", "nothing_judged")
        return GateResult(run, Decision.BROKEN, (nothing,), calibration=sentence)
    dimensions = _demanded_dimensions(run, thresholds)
    tests = sum(limit is not None for limit in limits) + len(dimensions) + (2 if baseline is not None else 0)
    levels = 1 - _MISS, 1 - _MISS / max(1, tests * runs)
    criteria = [*_usable(run, thresholds, accept_imported=accept_imported)]
    if thresholds.corrected:
        criteria += _corrected_limits(thresholds, corrections, levels)
        thresholds = replace(thresholds, min_mean=None, max_zero_rate=None)
    _check_seen(run, thresholds, against=baseline is not None)
    criteria += _limits(run, thresholds, dimensions, levels)
    if baseline is not None:
        criteria += _against(baseline, run, thresholds, levels)
        usable = _usable(baseline, thresholds, " of the baseline", accept_imported=accept_imported)
        criteria = [*(one for one in usable if one.settled != "met"), *criteria]
    states = {one.settled for one in criteria}
    decision = Decision.INCONCLUSIVE if "open" in states else Decision.PASS
    if "missed" in states and all(one.settled == "met" for one in criteria if one.kind in _REQUIRED):
        decision = Decision.FAIL
    corrected = None if corrections is None else corrections.figures(level=levels[0], one_sided=False)
    return GateResult(run, decision, tuple(criteria), (), sentence, corrected)


def in_a_row(results: Sequence[GateResult], demanded: int, *, sharing: int = 0) -> GateResult:
    """The decision on the newest of several runs, all of which must pass the same gate.

    There must be ``demanded`` runs, the newest first. ``sharing`` others share replies or judgements with these.
    """
    newest, *earlier = results
    states: dict[Decision, Settled] = {Decision.PASS: "met", Decision.FAIL: "missed"}
    added = [
        Criterion(f"run {one.run.name}", states.get(one.decision, "open"), "earlier_run", run=one.run.name)
        for one in earlier
    ]
    if len(results) < demanded:
        counts = {"found": len(results), "demanded": demanded, "sharing": sharing}
        added.append(Criterion("consecutive", "open", "consecutive", counts=counts))
    decision, found = newest.decision, {one.settled for one in added}
    if decision is not Decision.BROKEN and "missed" in found:
        decision = Decision.FAIL
    elif decision is Decision.PASS and "open" in found:
        decision = Decision.INCONCLUSIVE
    return replace(newest, decision=decision, criteria=(*newest.criteria, *added), earlier=tuple(earlier))


def _usable(run: RunOutcomes, thresholds: Thresholds, of: str = "", *, accept_imported: bool) -> Iterator[Criterion]:
    """Whether anything can be decided on a run."""
    unfinished = run.status in (RunStatus.RUNNING, RunStatus.STOPPED)
    counts = {"judged": len(run.judged), "asked": run.asked, "unfinished": int(unfinished)}
    counts |= {"judgements": run.judgements, "judgements_asked": run.judgements_asked}
    limit = thresholds.min_judged
    state: Settled = "open" if unfinished or run.judged_rate < limit else "met"
    yield Criterion(f"judged{of}", state, "judged", threshold=limit, counts=counts, run=run.name)
    if run.imported:
        yield Criterion(f"imported results{of}", "met" if accept_imported else "open", "imported", run=run.name)


def _check_seen(run: RunOutcomes, thresholds: Thresholds, *, against: bool) -> None:
    """Refuse a threshold on a figure that the judge does not see enough for."""
    unseen = [*run.unseen]
    if not against and (thresholds.min_mean, thresholds.min_pass_rate, *thresholds.min_dimensions) == (None, None):
        zeroes = (thresholds.max_zero_rate, thresholds.max_hard_fails) != (None, None)
        unseen = [name for name in unseen if zeroes and name in run.rubric.hard_fail_ids]
    if unseen:
        problem = f"The gate demands figures that run {run.name} does not have: its judge cannot see"
        fix = "Use a judge that sees them, such as a model, or demand --max-flagged-rate alone."
        raise CommandError(f"{problem} {', '.join(unseen)}.", fix=fix)


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


def _settle(
    bounds: Sequence[Estimate],
    needed: Callable[[], CasesNeeded | None],
    name: str,
    kind: Kind,
    limit: float,
    **more: Any,
) -> Criterion:
    """A criterion that is met by the bounds for it alone, and missed by those for all criteria together."""
    from iamhumans.stats import settle

    (each, together), at_least = bounds, more.get("at_least", True)
    if settle(each, limit, at_least=at_least) == "met":
        return Criterion(name, "met", kind, each, limit, **more)
    if settle(together, limit, at_least=at_least) == "missed":
        return Criterion(name, "missed", kind, together, limit, **more)
    return Criterion(name, "open", kind, each, limit, cases_needed=needed(), **more)


def _limits(
    run: RunOutcomes, thresholds: Thresholds, dimensions: Mapping[str, float], levels: Sequence[float]
) -> Iterator[Criterion]:
    """The thresholds on the run alone."""
    from iamhumans.stats import cases_to_settle_mean, cases_to_settle_rate, rate_of, two_part

    def mean(name: str, kind: Kind, values: TwoPartValues, limit: float) -> Criterion:
        found = [two_part(values, level=level, one_sided=True) for level in levels]
        needed = partial(cases_to_settle_mean, found[0], values.zeroed, limit)
        return _settle([one.mean for one in found], needed, name, kind, limit)

    def rate(name: str, kind: Kind, values: CaseValues, limit: float, *, at_least: bool = True) -> Criterion:
        found = [rate_of(values, level=level, one_sided=True) for level in levels]
        needed = partial(cases_to_settle_rate, values, limit, at_least=at_least, levels=(levels[0], levels[1]))
        return _settle(found, needed, name, kind, limit, at_least=at_least)

    if thresholds.min_mean is not None:
        yield mean("mean", "mean", run.parts(worst=True), thresholds.min_mean)
    if thresholds.max_zero_rate is not None:
        yield rate(
            "zero rate", "zero_rate", run.share(lambda one: one.worst_zeroed), thresholds.max_zero_rate, at_least=False
        )
    if thresholds.max_flagged_rate is not None:
        values = run.share(lambda one: one.worst_zeroed)
        yield rate("flagged rate", "flagged_rate", values, thresholds.max_flagged_rate, at_least=False)
    if thresholds.min_pass_rate is not None:
        yield rate(
            "pass rate", "pass_rate", run.share(lambda one: one.worst_outcome == "PASS"), thresholds.min_pass_rate
        )
    if thresholds.max_hard_fails is not None:
        # A count of these very replies needs no interval.
        zeroed, limit = sum(one.worst_zeroed for _, one in run.judged), thresholds.max_hard_fails
        counts = {"zeroed": zeroed, "judged": len(run.judged), "contested": run.contested}
        state: Settled = "met" if zeroed <= limit else "missed"
        yield Criterion("hard fails", state, "hard_fails", threshold=limit, at_least=False, counts=counts)
    for name, least in dimensions.items():
        yield mean(f"dimension {name}", "dimension", run.parts(worst=True).only(run.dimensions[name]), least)


def _corrected_limits(
    thresholds: Thresholds, corrections: Corrections | None, levels: Sequence[float]
) -> Iterator[Criterion]:
    """The thresholds on what people would say of the run."""
    note = corrections.sentence if corrections else "It was not checked whether the judge is calibrated."
    found = [corrections.figures(level=level, one_sided=True) for level in levels] if corrections else []
    figures = [one for one in found if one is not None]
    yield Criterion("calibration", "met" if figures else "open", "calibration", note=note)
    demands: tuple[tuple[str, Kind, list[Corrected], float | None, bool], ...] = (
        ("mean", "corrected_mean", [one.mean_total for one in figures], thresholds.min_mean, True),
        ("zero rate", "corrected_zero_rate", [one.zero_rate for one in figures], thresholds.max_zero_rate, False),
    )
    for name, kind, both, limit, at_least in demands:
        if both and limit is not None:
            bounds, why = [one.estimate for one in both], both[0].reason or ""
            yield _settle(bounds, lambda: None, f"{name}, corrected", kind, limit, at_least=at_least, note=why)


def _against(
    baseline: RunOutcomes, run: RunOutcomes, thresholds: Thresholds, levels: Sequence[float]
) -> Iterator[Criterion]:
    """No worse than the baseline by more than the margins."""
    from iamhumans.stats import cases_to_settle_difference, two_part_difference

    matching = match(baseline, run)
    _check_seen(baseline, thresholds, against=True)
    before, after = (one.only(set(matching.ids)).parts(worst=True) for one in (baseline, run))
    found = [two_part_difference(before, after, level=level, one_sided=True) for level in levels]
    counts, drop, rise = {"unmatched": matching.left_out}, -thresholds.margin, thresholds.zero_margin
    rests, rates = [_even_if_unchanged(one.rest) for one in found], [one.zero_rate.difference for one in found]
    needed = partial(cases_to_settle_difference, rests[0], drop)
    if rests[0] is not found[0].rest.difference:
        needed = partial(_cases_if_unchanged, thresholds.margin)
    yield _settle(rests, needed, f"rest against {baseline.name}", "rest_difference", drop, counts=counts)
    needed, name = partial(cases_to_settle_difference, rates[0], rise), f"zero rate against {baseline.name}"
    yield _settle(rates, needed, name, "zero_rate_difference", rise, at_least=False, counts=counts)


def _cases_if_unchanged(margin: float) -> CasesNeeded | None:
    from iamhumans.stats import CasesNeeded

    if not 0 < margin < _SCALE:
        return None
    cases = ceil(log(_MISS) / log(1 - margin / _SCALE))
    return CasesNeeded(cases, cases)


def _even_if_unchanged(found: Difference) -> Estimate:
    """The difference of two means, with bounds even where no case changed.

    Then the spread is unknown. But the share of cases that would change is bounded by chance having missed it in all
    of these, and none can change by more than the whole scale.
    """
    estimate = found.difference
    if not estimate.withheld or found.rose or found.fell or estimate.n_cases < _LEAST_UNCHANGED:
        return estimate
    reach = _SCALE * (1 - (1 - estimate.level) ** (1 / estimate.n_cases))
    return replace(estimate, low=-reach, high=reach, method="none of these cases changed", withheld=None)
