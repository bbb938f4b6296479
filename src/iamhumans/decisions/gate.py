"""May it ship? Thresholds on a run, each settled by a one-sided 95 % bound.

1. A criterion is *met* where the bound is clear of the threshold on the good side, *missed* where it is clear on the
   bad side, and *open* where the threshold lies within what other cases might have given.
2. One criterion missed fails the gate. Else one open makes it inconclusive. Else it passes.
3. A tie of votes counts as the worse.
4. Without enough judgements nothing is decided, whatever the figures say.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING, Literal

from iamhumans.decisions.compare import Comparison, compare
from iamhumans.decisions.outcomes import RunOutcomes
from iamhumans.errors import CommandError, Exit

if TYPE_CHECKING:
    from iamhumans.stats import Estimate

Settled = Literal["met", "missed", "open"]


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


def gate(run: RunOutcomes, thresholds: Thresholds, baseline: RunOutcomes | None = None) -> GateResult:
    """Decide on a run.

    Args:
        run: What is to ship.
        thresholds: What is demanded.
        baseline: What it must be no worse than.

    Raises:
        CommandError: Nothing is demanded, a dimension does not exist, or the baseline was judged differently.
    """
    if not thresholds.demands_anything and baseline is None:
        raise CommandError(
            "The gate demands nothing.",
            fix="Name a threshold, such as --max-zero-rate 0.1 or --min-mean 85, or a --baseline.",
        )
    if not run.judged:
        sentence = f"Nothing of run {run.name} is judged, so there is nothing to decide on."
        return GateResult(run, Decision.BROKEN, (Criterion("coverage", "missed", sentence),))
    criteria = [_coverage(run, thresholds), *_limits(run, thresholds)]
    if baseline is not None:
        criteria += _against(compare(baseline, run), run, thresholds)
    return GateResult(run, _decide(criteria), tuple(criteria))


def _decide(criteria: Sequence[Criterion]) -> Decision:
    coverage, *others = criteria
    if coverage.settled == "open":
        return Decision.INCONCLUSIVE
    states = {one.settled for one in others}
    if "missed" in states:
        return Decision.FAIL
    return Decision.INCONCLUSIVE if "open" in states else Decision.PASS


def in_a_row(results: Sequence[GateResult], wanted: int) -> GateResult:
    """The decision on the newest of several runs, all of which must pass.

    Args:
        results: The same gate on independent runs, the newest first.
        wanted: How many are demanded.
    """
    newest, *earlier = results
    criteria = list(newest.criteria)
    worst = newest.decision
    for result in earlier:
        settled = _AS_STATE[result.decision]
        sentence = f"The run before, {result.run.name}, ends as {result.decision.value}."
        criteria.append(Criterion(f"run {result.run.name}", settled, sentence))
        if result.decision is Decision.FAIL:
            worst = Decision.FAIL
        elif result.decision is not Decision.PASS and worst is Decision.PASS:
            worst = Decision.INCONCLUSIVE
    if len(results) < wanted:
        sentence = (
            f"There are {len(results)} finished runs of this suite, rubric and subject that share no reply and no"
            f" judgement, and {wanted} are demanded. `iamhumans run ... --fresh` makes another."
        )
        criteria.append(Criterion("consecutive", "open", sentence))
        worst = Decision.INCONCLUSIVE if worst is Decision.PASS else worst
    return GateResult(newest.run, worst, tuple(criteria), tuple(earlier))


def _coverage(run: RunOutcomes, thresholds: Thresholds) -> Criterion:
    demanded, there = thresholds.min_coverage, len(run.judged)
    enough = run.coverage >= demanded
    sentence = f"{there} of {run.asked} replies are judged; {_percent(demanded)} % are demanded."
    if not enough:
        sentence += " The rest may be the bad ones, so nothing is decided. Give the run's command again."
    return Criterion("coverage", "met" if enough else "open", sentence)


def _limits(run: RunOutcomes, thresholds: Thresholds) -> Iterator[Criterion]:
    """The thresholds on the run alone."""
    from iamhumans.stats import cases_to_settle_mean, cases_to_settle_rate, rate_of, two_part

    parts = run.parts(worst=True)
    if thresholds.min_mean is not None:
        found = two_part(parts, one_sided=True)
        yield _limit(
            "mean",
            "The mean total",
            found.mean,
            thresholds.min_mean,
            partial(cases_to_settle_mean, found, parts.zeroed, thresholds.min_mean),
        )
    if thresholds.max_zero_rate is not None:
        limit = thresholds.max_zero_rate
        yield _limit(
            "zero rate",
            "The rate of zeroed cases",
            rate_of(parts.zeroed, one_sided=True),
            limit,
            partial(cases_to_settle_rate, parts.zeroed, limit),
            at_least=False,
            rate=True,
        )
    if thresholds.min_pass_rate is not None:
        passed, least = run.passed(worst=True), thresholds.min_pass_rate
        yield _limit(
            "pass rate",
            "The rate of PASS",
            rate_of(passed, one_sided=True),
            least,
            partial(cases_to_settle_rate, passed, least),
            rate=True,
        )
    if thresholds.max_hard_fails is not None:
        yield _hard_fails(run, thresholds.max_hard_fails)
    yield from _dimensions(run, thresholds)


def _limit(
    name: str,
    what: str,
    found: Estimate,
    threshold: float,
    needed: Callable[[], int | None],
    *,
    at_least: bool = True,
    rate: bool = False,
) -> Criterion:
    from iamhumans.stats import say_needed, settle

    settled = settle(found, threshold, at_least=at_least)
    shown = _as_rate if rate else _as_points
    demanded = f"{'at least' if at_least else 'at most'} {shown(threshold)} is demanded"
    value = "unknown" if found.value is None else shown(found.value)
    sentence = f"{what} is {value} over {_cases(found.n_cases)}; {demanded}"
    bound = found.low if at_least == (settled != "missed") else found.high
    if found.withheld:
        return Criterion(name, settled, f"{sentence}. {found.withheld}")
    if settled != "open":
        side = "at least" if bound == found.low else "at most"
        return Criterion(name, settled, f"{sentence}, and with other cases it is {side} {shown(bound or 0.0)}.")
    between = f"{shown(found.low or 0.0)} to {shown(found.high or 0.0)}"
    return Criterion(name, settled, f"{sentence}, and with other cases it may be {between}. {say_needed(needed())}")


def _hard_fails(run: RunOutcomes, limit: int) -> Criterion:
    """A count, which needs no interval: so many there are."""
    count = sum(bool(combined.vote.flags | combined.vote.contested) for _, combined in run.judged)
    sentence = f"{count} of {len(run.judged)} replies have a hard fail; at most {limit} are allowed."
    return Criterion("hard fails", "met" if count <= limit else "missed", sentence)


def _dimensions(run: RunOutcomes, thresholds: Thresholds) -> Iterator[Criterion]:
    from iamhumans.stats import cases_to_settle_mean, two_part

    demanded = dict(thresholds.min_dimensions)
    for_each = demanded.pop("each", None)
    unknown = [name for name in demanded if name not in run.dimensions]
    if unknown:
        raise CommandError(
            f"No case of the run tests the dimension `{unknown[0]}`.", fix=f"It has {', '.join(run.dimensions)}."
        )
    if for_each is not None:
        demanded = {**dict.fromkeys(run.dimensions, for_each), **demanded}
    parts = run.parts(worst=True)
    for name, least in sorted(demanded.items()):
        own = parts.only(run.dimensions[name])
        found = two_part(own, one_sided=True)
        needed = partial(cases_to_settle_mean, found, own.zeroed, least)
        yield _limit(f"dimension {name}", f"The mean total of {name}", found.mean, least, needed)


def _against(comparison: Comparison, run: RunOutcomes, thresholds: Thresholds) -> Iterator[Criterion]:
    """No worse than the baseline by more than the margins."""
    from iamhumans.stats import two_part_difference

    baseline = comparison.a
    found = two_part_difference(baseline.parts(worst=True), run.parts(worst=True), one_sided=True)
    yield _no_worse(
        f"mean of the rest against {baseline.name}",
        "The mean of the replies without a hard fail",
        found.rest.difference,
        thresholds.margin,
        higher_is_better=True,
    )
    yield _no_worse(
        f"zero rate against {baseline.name}",
        "The rate of zeroed cases",
        found.zero_rate.difference,
        thresholds.zero_margin,
        higher_is_better=False,
    )


def _no_worse(name: str, what: str, found: Estimate, margin: float, *, higher_is_better: bool) -> Criterion:
    from iamhumans.stats import cases_to_settle_difference, no_worse, say_needed

    settled = no_worse(found, margin, higher_is_better=higher_is_better)
    scale, unit = (1.0, "points") if higher_is_better else (100.0, "percentage points")
    change = "unknown" if found.value is None else f"{scale * found.value:+.1f} {unit}"
    sentence = (
        f"{what} changed by {change} over {_cases(found.n_cases)}; up to {scale * margin:g} {unit} worse is borne"
    )
    if found.withheld:
        return Criterion(name, settled, f"{sentence}. {found.withheld}")
    low, high = scale * (found.low or 0.0), scale * (found.high or 0.0)
    if settled == "met":
        bound = f"not below {low:+.1f}" if higher_is_better else f"not above {high:+.1f}"
        return Criterion(name, settled, f"{sentence}, and with other cases it is {bound}.")
    if settled == "missed":
        return Criterion(name, settled, f"{sentence}, and it is worse than that with other cases, too.")
    threshold = -margin if higher_is_better else margin
    needed = say_needed(cases_to_settle_difference(found, threshold))
    return Criterion(name, settled, f"{sentence}, and with other cases it may be {low:+.1f} to {high:+.1f}. {needed}")


def _cases(count: int) -> str:
    return "1 case" if count == 1 else f"{count} cases"


def _as_rate(value: float) -> str:
    return f"{_percent(value)} %"


def _as_points(value: float) -> str:
    return f"{value:.1f}"


def _percent(rate: float) -> str:
    return f"{100 * rate:.1f}".removesuffix(".0")
