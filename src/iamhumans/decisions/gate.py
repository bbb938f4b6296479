"""May it ship? Thresholds on a run, each decided by a one-sided 95 % bound.

Bounds of rates are exact, and bounds of means hold for any distribution of totals.

1. A criterion is *met* or *missed* where the bound is on that side of the threshold, and *open* otherwise.
2. One missed criterion fails the gate. Otherwise one open criterion makes it inconclusive. Otherwise it passes.
3. Many thresholds are many chances to fail by accident, so all misses together are held to 95 % (Bonferroni). A pass
   needs every criterion, so each is held to 95 % alone.
4. A tie of votes zeroes a reply.
5. What is met must also be met with the unjudged replies counted as the worst, and what is missed must also be missed
   with them counted as the best. Otherwise it is open.
6. Nothing is decided while judgements are missing, a run is unfinished, or its results were imported and not accepted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import partial
from math import ceil
from typing import TYPE_CHECKING, Any, Literal, Protocol

from iamhumans.decisions.asked import (
    TOP,
    Value,
    by_case,
    of_dimension,
    paired,
    passed,
    quality,
    total,
    unjudged_of,
    zeroed,
)
from iamhumans.decisions.compare import match
from iamhumans.decisions.outcomes import RunOutcomes
from iamhumans.errors import CommandError, Exit
from iamhumans.runs.journal.queries import RunStatus
from iamhumans.text import one_line

if TYPE_CHECKING:
    from iamhumans.decisions.looking import Evidence, Looked
    from iamhumans.stats import Corrected, Estimate

Settled = Literal["met", "missed", "open"]
Kind = Literal[
    "nothing_judged", "judged", "imported", "calibration", "mean", "zero_rate", "flagged_rate", "pass_rate",
    "hard_fails", "dimension", "corrected_mean", "uncorrected_mean", "corrected_zero_rate", "quality_difference",
    "zero_rate_difference", "earlier_run", "consecutive", "lost",
]  # fmt: skip
EACH = "each"
"""Names every dimension."""
USUAL_MARGIN = 3.0
"""Maximum tolerated drop in quality, in points, where none is given and the suite can show as little."""
_MISS = 0.05
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
    """What a gate requires of a run; ``None`` requires nothing. Rates go from 0 to 1, means from 0 to 100.

    ``min_dimensions`` is the minimum mean total by dimension. The margins are the maximum tolerated drop in quality and
    rise of the zero rate against the baseline; for the default of ``margin`` see :func:`default_margin`. With
    ``corrected``, ``min_mean`` and ``max_zero_rate`` apply to what people would say. ``max_flagged_rate`` applies to
    the hard fails that the judge sees, so it can be required of any run; every other figure needs a judge that sees all
    that it is made of.
    """

    min_mean: float | None = None
    max_zero_rate: float | None = None
    min_pass_rate: float | None = None
    max_hard_fails: int | None = None
    min_judged: float = 1.0
    min_dimensions: Mapping[str, float] = field(default_factory=dict)
    margin: float | None = None
    zero_margin: float = 0.05
    corrected: bool = False
    max_flagged_rate: float | None = None


@dataclass(frozen=True, slots=True)
class CorrectedFigures:
    """The figures of a run as people would give them.

    ``own_labels`` says whether they come from labels of the run's own replies, drawn by a recorded design. Without them
    there is no mean, and the zero rate assumes that the judge makes the same errors here as on the labelled replies.
    """

    mean_total: Corrected
    zero_rate: Corrected
    own_labels: bool


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
    open criterion; it is ``None`` where no number would. ``counts`` are other numbers that it depends on, ``note`` is
    what people's labels say about it, and ``run`` the run that it is about. Where replies are unjudged, ``unjudged`` is
    the lowest and the highest figure that they could give, and ``turns`` says whether that leaves the criterion open.
    ``evidence`` is that of a sequential gate.
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
    unjudged: tuple[float, float] | None = None
    turns: bool = False
    evidence: Evidence | None = None


@dataclass(frozen=True)
class GateResult:
    """A decision with its criteria; where several runs in a row are demanded, with the results of the earlier ones.

    ``calibration`` says whether people's labels fit the judge, ``corrected`` what they make of the figures.
    ``looked`` says which look at the question this was.
    """

    run: RunOutcomes
    decision: Decision
    criteria: tuple[Criterion, ...]
    earlier: tuple[GateResult, ...] = ()
    calibration: str | None = None
    corrected: CorrectedFigures | None = None
    looked: Looked | None = None


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
        CommandError: No threshold was given, a figure that it needs does not exist, several subjects answered the same
            cases, or the baseline is the run itself, was judged differently, or shares no case with it.
        CannotRunError: No reply of the baseline is judged.
    """
    limits = (
        *(thresholds.min_mean, thresholds.max_zero_rate, thresholds.min_pass_rate),
        thresholds.max_flagged_rate,
    )
    if all(one is None for one in (*limits, thresholds.max_hard_fails, baseline, *thresholds.min_dimensions)):
        fix = "Give a threshold, such as --max-zero-rate 0.1 or --min-mean 85, or a --baseline."
        raise CommandError("No threshold was given.", fix=fix)
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
        criteria += _corrected_limits(run, thresholds, corrections, levels)
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
        problem = f"The gate needs figures that run {run.name} does not have: its judge cannot see"
        fix = "Use a judge that sees them, such as a model, or use --max-flagged-rate alone."
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


Bounds = Callable[[float | None], Sequence["Estimate"]]
"""The bounds of a figure for one criterion alone and for all together, by what an unjudged reply counts as."""


@dataclass(frozen=True, slots=True)
class _Test:
    """A figure, and the threshold that it is held to. ``ends`` are what an unjudged reply is at worst and at best."""

    name: str
    kind: Kind
    bounds: Bounds
    limit: float
    at_least: bool = True
    ends: tuple[float, float] = (0.0, TOP)
    unjudged: int = 0
    needed: Callable[[], int | None] = lambda: None

    def criterion(self, **more: Any) -> Criterion:
        """The result: met by the bounds for this criterion alone, missed by those for all criteria together."""
        each, together = bounds = self.bounds(None)
        state, about = self._settled(bounds), {"at_least": self.at_least, **more}
        turns = False
        if self.unjudged:
            at_ends = [self.bounds(end) for end in self.ends]
            figures = sorted(one.value for one, _ in at_ends if one.value is not None)
            about["unjudged"] = (figures[0], figures[-1]) if figures else None
            turns = state != "open" and self._settled(at_ends[0 if state == "met" else 1]) != state
        if turns:
            return Criterion(self.name, "open", self.kind, each, self.limit, turns=True, **about)
        if state == "open":
            return Criterion(self.name, state, self.kind, each, self.limit, cases_needed=self.needed(), **about)
        return Criterion(self.name, state, self.kind, each if state == "met" else together, self.limit, **about)

    def _settled(self, bounds: Sequence[Estimate]) -> Settled:
        from iamhumans.stats import settle

        each, together = bounds
        if settle(each, self.limit, at_least=self.at_least) == "met":
            return "met"
        return "missed" if settle(together, self.limit, at_least=self.at_least) == "missed" else "open"


def _limits(
    run: RunOutcomes, thresholds: Thresholds, dimensions: Mapping[str, float], levels: Sequence[float]
) -> Iterator[Criterion]:
    """The thresholds on the run alone."""
    if thresholds.min_mean is not None:
        yield _mean(run, "mean", "mean", thresholds.min_mean, levels).criterion()
    if thresholds.max_zero_rate is not None:
        yield _rate(run, "zero rate", "zero_rate", zeroed, thresholds.max_zero_rate, levels, at_least=False)
    if thresholds.max_flagged_rate is not None:
        yield _rate(run, "flagged rate", "flagged_rate", zeroed, thresholds.max_flagged_rate, levels, at_least=False)
    if thresholds.min_pass_rate is not None:
        yield _rate(run, "pass rate", "pass_rate", passed, thresholds.min_pass_rate, levels)
    if thresholds.max_hard_fails is not None:
        yield _count(run, thresholds.max_hard_fails)
    for name, least in dimensions.items():
        ids = of_dimension(run, name)
        yield _mean(run, f"dimension {name}", "dimension", least, levels, ids).criterion()


def _mean(
    run: RunOutcomes, name: str, kind: Kind, limit: float, levels: Sequence[float], ids: frozenset[str] | None = None
) -> _Test:
    """The mean total is at least a threshold."""
    from iamhumans.stats import bounded_mean, cases_to_settle_bounded

    def bounds(unjudged: float | None) -> list[Estimate]:
        values = by_case(run, total, unjudged=unjudged, ids=ids)
        return [bounded_mean(values, level=level, one_sided=True) for level in levels]

    def needed() -> int | None:
        return cases_to_settle_bounded(by_case(run, total, ids=ids).values, limit)

    return _Test(name, kind, bounds, limit, unjudged=unjudged_of(run, ids), needed=needed)


def _rate(
    run: RunOutcomes,
    name: str,
    kind: Kind,
    value: Value,
    limit: float,
    levels: Sequence[float],
    *,
    at_least: bool = True,
) -> Criterion:
    """A rate is at least, or at most, a threshold."""
    from iamhumans.stats import cases_to_settle_rate, rate_of

    def bounds(unjudged: float | None) -> list[Estimate]:
        return [rate_of(by_case(run, value, unjudged=unjudged), level=level, one_sided=True) for level in levels]

    needed = partial(cases_to_settle_rate, by_case(run, value), limit)
    ends = (0.0, 1.0) if at_least else (1.0, 0.0)
    return _Test(name, kind, bounds, limit, at_least, ends, unjudged_of(run), needed).criterion()


def _count(run: RunOutcomes, limit: int) -> Criterion:
    """The number of zeroed replies is at most a threshold. A count of these very replies needs no interval."""
    found, unjudged = sum(one.zeroed for _, one in run.judged), unjudged_of(run)
    counts = {"zeroed": found, "judged": len(run.judged), "unjudged": unjudged}
    state: Settled = "missed" if found > limit else "open" if found + unjudged > limit else "met"
    return Criterion(
        "hard fails", state, "hard_fails", threshold=limit, at_least=False, counts=counts, turns=state == "open"
    )


def _corrected_limits(
    run: RunOutcomes, thresholds: Thresholds, corrections: Corrections | None, levels: Sequence[float]
) -> Iterator[Criterion]:
    """The thresholds on what people would say of the run."""
    note = corrections.sentence if corrections else "It was not checked whether the judge is calibrated."
    found = [corrections.figures(level=level, one_sided=True) for level in levels] if corrections else []
    figures = [one for one in found if one is not None]
    yield Criterion("calibration", "met" if figures else "open", "calibration", note=note)
    if not figures:
        return
    share = unjudged_of(run) / run.asked if run.asked else 0.0
    if thresholds.min_mean is not None and not figures[0].own_labels:
        # A judge's error on other replies says nothing about a mean here, since other faults have other totals.
        raw = _mean(run, "mean, corrected", "uncorrected_mean", thresholds.min_mean, levels).criterion()
        why = figures[0].mean_total.reason or ""
        yield replace(raw, settled="open", cases_needed=None, turns=False, note=why)
    elif thresholds.min_mean is not None:
        both = [one.mean_total for one in figures]
        bounds, why = partial(_with_unjudged, both, share), both[0].reason or ""
        test = _Test("mean, corrected", "corrected_mean", bounds, thresholds.min_mean, unjudged=unjudged_of(run))
        yield test.criterion(note=why)
    if thresholds.max_zero_rate is not None:
        both = [one.zero_rate for one in figures]
        bounds, why = partial(_with_unjudged, both, share), both[0].reason or ""
        name, limit, counts = "zero rate, corrected", thresholds.max_zero_rate, {"own_labels": figures[0].own_labels}
        test = _Test(name, "corrected_zero_rate", bounds, limit, False, (1.0, 0.0), unjudged_of(run))
        yield test.criterion(note=why, counts=counts)


def _with_unjudged(found: Sequence[Corrected], share: float, unjudged: float | None) -> list[Estimate]:
    """Corrected figures of the judged replies, and ``share`` of all replies that count as one value."""

    def mixed(end: float | None) -> float | None:
        return end if end is None or unjudged is None else (1 - share) * end + share * unjudged

    ends = ((one.estimate, one.estimate.value, one.estimate.low, one.estimate.high) for one in found)
    return [replace(one, value=mixed(value), low=mixed(low), high=mixed(high)) for one, value, low, high in ends]


def default_margin(cases: int) -> float:
    """The margin where none is given: 3 points, or the smallest whole number that so many cases can show."""
    from iamhumans.stats import least_margin

    return max(USUAL_MARGIN, float(ceil(least_margin(cases) - 1e-9)))


def _against(
    baseline: RunOutcomes, run: RunOutcomes, thresholds: Thresholds, levels: Sequence[float]
) -> Iterator[Criterion]:
    """No worse than the baseline by more than the margins (non-inferiority)."""
    from iamhumans.stats import (
        bounded_difference,
        cases_for_margin,
        cases_to_settle_difference,
        cases_to_settle_margin,
        rate_difference,
    )

    matching = match(baseline, run)
    _check_seen(baseline, thresholds, against=True)
    judged, asked = frozenset(matching.ids), frozenset(matching.asked)
    missing = sum(unjudged_of(one, asked) for one in (baseline, run))
    counts = {"unmatched": matching.left_out, "default": int(thresholds.margin is None)}
    margin = default_margin(len(judged)) if thresholds.margin is None else thresholds.margin
    counts["cases_for_margin"] = cases_for_margin(margin) or 0

    def pairs(value: Value, unjudged: float | None, top: float) -> Any:
        both = None if unjudged is None else (top - unjudged, unjudged)
        return paired(baseline, run, value, judged if unjudged is None else asked, both)

    def qualities(unjudged: float | None) -> list[Estimate]:
        found = pairs(quality, unjudged, TOP)
        return [bounded_difference(found, level=level, one_sided=True) for level in levels]

    def rates(unjudged: float | None) -> list[Estimate]:
        found = pairs(zeroed, unjudged, 1.0)
        return [rate_difference(found, level=level, one_sided=True).difference for level in levels]

    needed = partial(cases_to_settle_margin, pairs(quality, None, TOP), -margin)
    name = f"quality against {baseline.name}"
    test = _Test(name, "quality_difference", qualities, -margin, unjudged=missing, needed=needed)
    yield test.criterion(counts=counts)
    rise, name = thresholds.zero_margin, f"zero rate against {baseline.name}"
    counts = {"unmatched": matching.left_out}
    needed = partial(cases_to_settle_difference, rates(None)[0], rise)
    test = _Test(name, "zero_rate_difference", rates, rise, False, (1.0, 0.0), missing, needed)
    yield test.criterion(counts=counts)
