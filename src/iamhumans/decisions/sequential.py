"""A gate that may be looked at as often as one likes: each threshold is decided by bets over cases.

1. For each threshold somebody bets that it is met, and somebody that it is missed. If that is wrong, the chance that
   their capital ever multiplies by 20 is at most 5 % (Ville 1939; Waudby-Smith and Ramdas 2024, "Estimating means of
   bounded random variables by betting"). So a pass and a fail are each wrong with at most 5 %, at all looks together.
2. A pass needs every criterion, so each has the whole 5 %. One missed criterion fails the gate, so all misses share 5 %
   (Bonferroni): with k criteria a miss needs 20 k.
3. What was settled at one look stays settled.
4. Replies of the same case are pooled: its value is the mean over all of them. But to ask again just where it looked
   bad, and to keep what looked good, makes any mean better than it is. So the capital is the smaller one of two: of
   bets on the replies with which the cases entered, a martingale whatever is asked again, and of bets on all replies.
   Fresh replies make the figures better known, and a wrong pass never more likely.
5. A reply that is not judged counts as the worst in a bet that a threshold is met, and as the best in the other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from math import exp, log
from typing import TYPE_CHECKING, Any, TypeAlias

from iamhumans.decisions.asked import TOP, Value, of_dimension, passed, total, zeroed
from iamhumans.decisions.gate import (
    _REQUIRED,
    Criterion,
    Decision,
    GateResult,
    Kind,
    Settled,
    Thresholds,
    _check_seen,
    _count,
    _demanded_dimensions,
    _usable,
)
from iamhumans.decisions.looking import Evidence, Looked, earlier_evidence, number_of_look
from iamhumans.decisions.outcomes import RunOutcomes
from iamhumans.decisions.panel import Combined, PanelReply
from iamhumans.decisions.pooling import Pool
from iamhumans.errors import CommandError
from iamhumans.runs.journal.looks import Look, Question

if TYPE_CHECKING:
    from iamhumans.stats.quantiles import FloatArray

_Both: TypeAlias = "Sequence[FloatArray]"
"""Values by case: of the replies with which the cases entered, and of all replies."""
_MOST_CASES = 20_000
_LARGEST = 1e300
"""Of a capital: a larger one is infinite in some readers of JSON."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure with a threshold. ``of`` gives the value of a reply, from 0 to 1, and ``scale`` that of people."""

    name: str
    kind: Kind
    of: Value
    threshold: float
    at_least: bool
    scale: float = 1.0
    cases: frozenset[str] | None = None


@dataclass(frozen=True, slots=True)
class Levels:
    """How often all passes, and a miss of one criterion, may be wrong."""

    pass_miss: float
    fail_miss: float


def refuse_unfit(thresholds: Thresholds, *, baseline: bool, consecutive: int) -> None:
    """Refuse what a sequential gate cannot decide. Raises CommandError."""
    unfit = {"--baseline": baseline, "--corrected": thresholds.corrected, "--consecutive": consecutive > 1}
    unfit["--max-failed-checks"] = thresholds.max_failed_checks is not None
    for name in (name for name, wrong in unfit.items() if wrong):
        raise CommandError(f"A sequential gate has no {name}.", fix=f"Leave {name} out, or gate without --sequential.")
    rates = (thresholds.max_zero_rate, thresholds.max_flagged_rate, thresholds.min_pass_rate, thresholds.min_mean)
    if all(one is None for one in rates) and not thresholds.min_dimensions:
        fix = "Give a threshold on a rate or a mean, such as --max-zero-rate 0.1 or --min-mean 80."
        raise CommandError("A sequential gate needs a threshold that cases can show.", fix=fix)


def gate_sequentially(
    pool: Pool,
    thresholds: Thresholds,
    looks: Sequence[Look],
    *,
    miss: float,
    accept_imported: bool = False,
    continues: bool = False,
) -> GateResult:
    """Decide on the pooled replies; ``looks`` are the earlier ones at the same question, and ``miss`` the error.

    Raises:
        CommandError: A figure that is demanded does not exist, or several subjects answered the same cases.
    """
    run, number = pool.run, number_of_look(looks, "sequential", pool.data)
    facts: dict[str, Any] = {"waiting": pool.waiting, "continues": continues}
    facts |= {"cases": len(pool.seen), "after_fixed": any(one.kind == "fixed" for one in looks)}
    looked = Looked("sequential", number, miss, runs=pool.runs, **facts)
    usable = [*_usable(run, thresholds, accept_imported=accept_imported)]
    if not run.of_one_subject().judged:
        nothing = Criterion("judged", "missed", "nothing_judged")
        broken = pool.seen or not any(one.counts.get("unfinished") for one in usable)
        decision = Decision.BROKEN if broken else Decision.INCONCLUSIVE
        return GateResult(run, decision, (nothing,) if broken else tuple(usable), looked=looked)
    if any(reply.cluster for reply in run.replies):
        fix = "Judge replies to the cases of a suite, or gate without --sequential."
        raise CommandError("A sequential gate counts cases, and these replies have none.", fix=fix)
    figures = [*_figures(run, thresholds)]
    _check_seen(run, thresholds, against=False)
    levels = Levels(miss, miss / len(figures))
    if pool.lost:
        usable.append(Criterion("earlier results", "open", "lost", counts={"cases": pool.lost}))
    found = [_criterion(pool, one, levels, looks, number) for one in figures]
    counted = () if thresholds.max_hard_fails is None else (_count(run, thresholds.max_hard_fails),)
    criteria = (*usable, *found, *counted)
    return GateResult(run, _decision(criteria), criteria, looked=looked)


def look_of(result: GateResult, pool: Pool, question: Question, *, run_name: str) -> Look:
    """The look that the journal is to remember."""
    evidence = {
        one.name: {**asdict(one.evidence), "settled": one.settled}
        for one in result.criteria
        if one.evidence is not None
    }
    return Look(
        question, "sequential", True, run_name, pool.suite_hash, pool.data, result.decision.value, pool.seen, evidence
    )


def blocked(result: GateResult) -> bool:
    """Whether something other than the number of cases keeps the gate from deciding."""
    return result.decision is Decision.BROKEN or any(
        one.settled != "met" for one in result.criteria if one.kind in (*_REQUIRED, "lost", "nothing_judged")
    )


def _decision(criteria: Sequence[Criterion]) -> Decision:
    states = {one.settled for one in criteria}
    if any(one.settled != "met" for one in criteria if one.kind in (*_REQUIRED, "lost")):
        return Decision.INCONCLUSIVE
    if "missed" in states:
        return Decision.FAIL
    return Decision.INCONCLUSIVE if "open" in states else Decision.PASS


def _figures(run: RunOutcomes, thresholds: Thresholds) -> Iterator[Figure]:
    if thresholds.min_mean is not None:
        yield Figure("mean", "mean", _share_of_total, thresholds.min_mean / TOP, True, TOP)
    if thresholds.max_zero_rate is not None:
        yield Figure("zero rate", "zero_rate", zeroed, thresholds.max_zero_rate, False)
    if thresholds.max_flagged_rate is not None:
        yield Figure("flagged rate", "flagged_rate", zeroed, thresholds.max_flagged_rate, False)
    if thresholds.min_pass_rate is not None:
        yield Figure("pass rate", "pass_rate", passed, thresholds.min_pass_rate, True)
    for name, least in _demanded_dimensions(run, thresholds).items():
        yield Figure(f"dimension {name}", "dimension", _share_of_total, least / TOP, True, TOP, of_dimension(run, name))


def _share_of_total(one: Combined) -> float:
    return total(one) / TOP


def _criterion(pool: Pool, figure: Figure, levels: Levels, earlier: Sequence[Look], number: int) -> Criterion:
    from iamhumans.stats import CasesNeeded, Estimate

    replies, entry = (
        [one for one in some if figure.cases is None or one.case_id in figure.cases]
        for some in (pool.run.replies, pool.entry)
    )
    worst, best = (0.0, 1.0) if figure.at_least else (1.0, 0.0)
    for_pass, for_fail = (
        tuple(_values(some, figure.of, unjudged) for some in (entry, replies)) for unjudged in (worst, best)
    )
    state, evidence = _settled(for_pass, for_fail, figure, levels, number)
    known = earlier_evidence(earlier, figure.name)
    if known is not None:
        state = known["settled"]
        evidence = replace(evidence, look=int(known["look"]), settled_after=int(known["settled_after"]))
    better, worse = (for_pass, levels.pass_miss), (for_fail, levels.fail_miss)
    low = _low(*(better if figure.at_least else worse))
    from_above, miss = worse if figure.at_least else better
    high = 1 - _low([1 - some for some in from_above], miss)
    judged = [one for one in replies if isinstance(one.combined, Combined)]
    scale, mean = figure.scale, float(_values(judged, figure.of, worst).mean()) if judged else None
    value = None if mean is None else mean * scale
    cases = len(for_pass[0])
    bounds = Estimate(value, low * scale, high * scale, cases, "betting", 1 - levels.pass_miss, one_sided=True)
    needed = _cases_to_settle(for_pass, for_fail, figure, levels) if state == "open" else None
    limit = figure.threshold * scale
    in_all = None if needed is None else CasesNeeded(needed, needed)
    return Criterion(
        figure.name, state, figure.kind, bounds, limit, figure.at_least, cases_needed=in_all, evidence=evidence
    )


def _low(values: Sequence[FloatArray], miss: float) -> float:
    """The lower bound that both bets give."""
    from iamhumans.stats import betting_low

    return min(betting_low(some, miss, at_the_end=True) for some in values)


def _values(replies: Sequence[PanelReply], of: Value, unjudged: float) -> FloatArray:
    """The mean of each case, in the order in which they entered."""
    from iamhumans.stats import Cases

    numbers = [of(one.combined) if isinstance(one.combined, Combined) else unjudged for one in replies]
    return Cases.of([one.case_id for one in replies]).means(numbers).values


def _settled(for_pass: _Both, for_fail: _Both, figure: Figure, levels: Levels, number: int) -> tuple[Settled, Evidence]:
    """Which side the evidence has reached."""
    both = [_capitals(*values, figure) for values in zip(for_pass, for_fail, strict=True)]
    met, missed = (min(some) for some in zip(*both, strict=True))
    cases, needed = len(for_pass[0]), (1 / levels.pass_miss, 1 / levels.fail_miss)
    evidence = Evidence(met, missed, *needed, cases)
    state: Settled = "met" if met >= needed[0] else "missed" if missed >= needed[1] else "open"
    return state, evidence if state == "open" else replace(evidence, look=number, settled_after=cases)


def _capitals(for_pass: FloatArray, for_fail: FloatArray, figure: Figure) -> tuple[float, float]:
    """What 1 has grown to in bets that the threshold is met, and in bets that it is missed."""
    lowest = figure.threshold <= 0
    if not lowest and figure.threshold < 1:
        return (
            _capital(for_pass, figure.threshold, above=figure.at_least),
            _capital(for_fail, figure.threshold, above=not figure.at_least),
        )
    if lowest == figure.at_least:
        return _LARGEST, 0.0  # every mean meets it
    # Only a mean at the end of the scale meets it: no number of cases shows that, and one case shows that it is missed.
    beyond = for_fail < 1 if figure.at_least else for_fail > 0
    return 0.0, _LARGEST if bool(beyond.any()) else 1.0


def _capital(values: FloatArray, threshold: float, *, above: bool) -> float:
    from iamhumans.stats import log_capital

    grown = float(log_capital(values, threshold, "above" if above else "below")[-1])
    return min(exp(min(grown, 690.0)), _LARGEST)


def _cases_to_settle(for_pass: _Both, for_fail: _Both, figure: Figure, levels: Levels) -> int | None:
    """How many cases would settle it if further ones were like these; ``None`` if no number would, or very many."""
    sides = (
        (for_pass, figure.at_least, levels.pass_miss),
        (for_fail, not figure.at_least, levels.fail_miss),
    )
    needed = [[_cases_until(one, figure.threshold, above, miss) for one in both] for both, above, miss in sides]
    # Both bets of a side must be won.
    found = [max(one for one in some if one is not None) for some in needed if None not in some]
    return min(found, default=None)


def _cases_until(values: FloatArray, threshold: float, above: bool, miss: float) -> int | None:
    from iamhumans.stats import log_capital

    if not len(values) or not 0 < threshold < 1:
        return None
    # The capital does not depend on the order, so the cases so far are repeated.
    low, high = 0, 1
    side: Any = "above" if above else "below"

    def shown(times: int) -> bool:
        return bool(log_capital(_repeated(values, times), threshold, side)[-1] >= -log(miss))

    most = max(1, _MOST_CASES // len(values))
    while not shown(high):
        low, high = high, high * 2
        if low >= most:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if shown(middle) else (middle, high)
    return high * len(values)


def _repeated(values: FloatArray, times: int) -> FloatArray:
    import numpy as np

    return np.tile(values, times)
