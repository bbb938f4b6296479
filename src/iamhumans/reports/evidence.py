"""What a gate says of its looks: evidence as a capital, and what to do next."""

from __future__ import annotations

from typing import TYPE_CHECKING

from iamhumans.decisions.gate import Criterion, Decision, GateResult, Kind
from iamhumans.decisions.looking import Evidence, Looked
from iamhumans.reports.figures import counted, number, share
from iamhumans.text import one_line

if TYPE_CHECKING:
    from iamhumans.stats import Estimate

_MOST_SHOWN = 1_000_000
_MOST_CASES = 10_000
_MOST_RUNS = 6


def evidence_sentence(one: Criterion, found: Evidence, what: str) -> str:
    """A threshold of a sequential gate: the figure, the evidence for both sides, and what may be expected.

    ``what`` is the figure at the beginning of a sentence.
    """
    limit = _figure(one.kind, one.threshold or 0.0)
    demand = f"at least {limit} is required" if one.at_least else f"the limit is {limit}"
    value = "unknown" if one.estimate is None or one.estimate.value is None else _figure(one.kind, one.estimate.value)
    begin = f"{what} is {value} over {counted(found.cases, 'case')}; {demand}."
    if one.settled == "open":
        met = f"The evidence that it is met is {_factor(found.met)} of the needed {_factor(found.needed_to_meet)}"
        missed = f"that it is missed {_factor(found.missed)} of {_factor(found.needed_to_miss)}"
        return f"{begin} {met}, {missed}. {_expected(one)}"
    side = "met" if one.settled == "met" else "missed"
    capital, needed = (found.met, found.needed_to_meet) if side == "met" else (found.missed, found.needed_to_miss)
    shown = f"That it is {side} was shown at look {found.look}, after {counted(found.settled_after or 0, 'case')}"
    if capital >= needed:
        bound = "" if one.estimate is None else _bound(one, one.estimate)
        return f"{begin} {shown}: the evidence is {_factor(capital)} of the needed {_factor(needed)}.{bound}"
    return f"{begin} {shown}. Later looks do not change that; the evidence is {_factor(capital)} now."


def look_sentences(result: GateResult) -> list[str]:
    """Which look it was, what it rests on, and what to do next."""
    found = result.looked
    if found is None:
        return []
    return _of_fixed(found, result) if found.kind == "fixed" else [*_of_sequential(found), *_next(found, result)]


def _of_fixed(found: Looked, result: GateResult) -> list[str]:
    if found.number > 1:
        return [
            f"This is look {found.number} at this question, with other results. Each look of a fixed gate may be wrong,"
            " so together they are wrong more often. --sequential holds its error however often one looks."
        ]
    if result.decision is Decision.INCONCLUSIVE and any(one.cases_needed for one in result.criteria):
        return ["To look again with more cases, use --sequential, which holds its error however often one looks."]
    return []


def _of_sequential(found: Looked) -> list[str]:
    which = f"Sequential gate, look {found.number}, {counted(found.cases, 'case')}"
    if len(found.runs) > 1:
        names = ", ".join(one_line(name, 60) for name in found.runs[-_MOST_RUNS:])
        which += f" of {len(found.runs)} runs, pooled by case (the last are {names})"
    rate = share(found.miss)
    holds = f"A pass and a fail are each wrong in at most {rate}, however often one looks within this journal."
    sentences = [f"{which}. {holds}"]
    if found.after_fixed:
        sentences.append(f"A fixed look came first and spent half of the error, so each side has {rate} here.")
    if found.waiting:
        cases = counted(found.waiting, "case has", "cases have")
        sentences.append(f"{cases} replies in a run that is not finished, and will count when it is their turn.")
    if found.stopped:
        sentences.append(f"No further cases were judged: {found.stopped}.")
    return sentences


def _next(found: Looked, result: GateResult) -> list[str]:
    if result.decision is not Decision.INCONCLUSIVE:
        return []
    if any(one.settled == "open" and one.evidence is None for one in result.criteria):
        return ["Next: judge what is missing, and look again."]
    if found.continues and not found.stopped:
        return ["Next: --until-decided judges further cases of the suite until it is decided."]
    if found.stopped and not found.exhausted:
        return ["Next: the same command with a larger limit or budget goes on from here."]
    return ["Next: add cases to the suite, judge them, and look again. More replies to the same cases help less."]


def _expected(one: Criterion) -> str:
    if one.cases_needed is None or one.cases_needed > _MOST_CASES:
        return f"With cases like these even {_MOST_CASES:,} would not settle it."
    step = int(10 ** max(0, len(str(one.cases_needed)) - 2))
    about = -(-one.cases_needed // step) * step
    return f"If further cases are like these, about {about} in all settle it; it may take more."


def _bound(one: Criterion, found: Estimate) -> str:
    is_low = one.at_least == (one.settled == "met")
    bound = found.low if is_low else found.high
    return (
        ""
        if bound is None
        else f" With other cases it would be at {'least' if is_low else 'most'} {_figure(one.kind, bound)}."
    )


def _figure(kind: Kind, value: float) -> str:
    return share(value) if "rate" in kind else number(value, 1)


def _factor(capital: float) -> str:
    if capital >= _MOST_SHOWN:
        return f"over {_MOST_SHOWN:,}"
    return f"{capital:,.0f}" if capital >= 10 else f"{capital:.2g}"
