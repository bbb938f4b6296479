"""The result of a gate in blocks. Each sentence follows from the figure and the bounds of its criterion."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from iamhumans.decisions.gate import Criterion, Decision, GateResult, Kind, Settled
from iamhumans.decisions.panel import Combined
from iamhumans.reports.blocks import Block, Heading, Items, Paragraph, Span, Table, Tone
from iamhumans.reports.figures import counted, number, share
from iamhumans.text import one_line

if TYPE_CHECKING:
    from iamhumans.stats import Estimate

_STATES: Mapping[Settled, tuple[str, Tone]] = {
    "missed": ("MISSED", "bad"),
    "open": ("open", "caution"),
    "met": ("met", "good"),
}
"""Worst first."""
_RATES: tuple[Kind, ...] = ("zero_rate", "pass_rate", "corrected_zero_rate", "zero_rate_difference")
_FIGURES: Mapping[Kind, str] = {
    "mean": "The mean total",
    "zero_rate": "The rate of zeroed cases",
    "pass_rate": "The rate of PASS",
    "corrected_mean": "The mean total that people would give",
    "corrected_zero_rate": "The rate of cases that people would zero",
    "rest_difference": "The mean of the replies without a hard fail",
    "zero_rate_difference": "The rate of zeroed cases",
}
_MOST_ROWS = 40
_MOST_ZEROED = 20
_MOST_CASES = 10_000
"""More than anyone writes; a larger number says only that the figure is too close to the threshold."""


def gate_blocks(result: GateResult) -> list[Block]:
    """The decision, every criterion, cautions, and the zeroed replies."""
    worst_first = sorted(result.criteria, key=lambda one: list(_STATES).index(one.settled))
    rows = tuple(
        (Span(*_STATES[one.settled]), one_line(one.name, 38), one_line(criterion_sentence(one, result), 700))
        for one in worst_first[:_MOST_ROWS]
    )
    blocks: list[Block] = [
        Heading(f"Gate of run {result.run.name}: {result.decision.value.upper()}", 1),
        Table(("state", "criterion", "why"), rows, note_column=2),
    ]
    if len(worst_first) > _MOST_ROWS:
        blocks.append(Paragraph(f"{len(worst_first) - _MOST_ROWS} more criteria are not shown."))
    blocks += [Paragraph(Span(caution, "caution")) for caution in _cautions(result)]
    zeroed = [(reply, combined) for reply, combined in result.run.judged if combined.worst_zeroed]
    if zeroed:
        items = [
            f"{one_line(reply.case_id, 80)}{f' #{reply.number}' if reply.number > 1 else ''}: {hard_fails_of(combined)}"
            for reply, combined in zeroed[:_MOST_ZEROED]
        ]
        more = [f"and {len(zeroed) - _MOST_ZEROED} more"] if len(zeroed) > _MOST_ZEROED else []
        blocks += [Heading("Zeroed replies"), Items((*items, *more))]
    return blocks


def gate_document(result: GateResult) -> dict[str, Any]:
    """The result with its sentences, for JSON."""
    document = result.to_dict()
    for criterion, one in zip(document["criteria"], result.criteria, strict=True):
        criterion["sentence"] = criterion_sentence(one, result)
    return {**document, "reasons": gate_reasons(result), "earlier": [gate_document(one) for one in result.earlier]}


def gate_reasons(result: GateResult) -> list[str]:
    """The sentences that decided, worst first."""
    deciding: Sequence[Settled] = ("met",) if result.decision is Decision.PASS else ("missed", "open")
    return [criterion_sentence(one, result) for state in deciding for one in result.criteria if one.settled == state]


def hard_fails_of(combined: Combined) -> str:
    """The hard fails of a reply, contested ones marked."""
    return ", ".join(
        [*sorted(combined.vote.flags), *(f"{name} (contested)" for name in sorted(combined.vote.contested))]
    )


def criterion_sentence(one: Criterion, result: GateResult) -> str:
    """A criterion and its result as a sentence."""
    if one.estimate is not None and one.threshold is not None:
        return _estimated(one, one.estimate, one.threshold)
    match one.kind:
        case "nothing_judged":
            return f"No reply of run {result.run.name} is judged, so there is nothing to decide on."
        case "coverage":
            return _coverage(one)
        case "imported":
            decided = "they were accepted" if one.settled == "met" else "nothing is decided without --accept-imported"
            return f"Run {one.run} has imported results; {decided}."
        case "calibration":
            return one.note if one.settled == "met" else f"{one.note} So corrected figures decide nothing."
        case "hard_fails":
            have, counts = "has" if one.counts["zeroed"] == 1 else "have", one.counts
            sentence = f"{counts['zeroed']} of {counts['judged']} judged replies {have} a hard fail"
            tied = f" In {counts['contested']} of them the votes are tied, which counts." if counts["contested"] else ""
            return f"{sentence}; at most {one.threshold} may.{tied}"
        case "earlier_run":
            earlier = next(other for other in result.earlier if other.run.name == one.run)
            why = "" if earlier.decision is Decision.PASS else f" {gate_reasons(earlier)[0]}"
            return f"The earlier run {one.run}: {earlier.decision.value}.{why}"
        case _:
            found = f"{counted(one.counts['found'], 'independent run')} of this suite, rubric and subject found"
            shared = counted(one.counts["sharing"], "more run shares", "more runs share")
            left_out = f" {shared} replies or judgements with them." if one.counts["sharing"] else ""
            another = "`iamhumans run ... --fresh` makes another."
            return f"{found}; {one.counts['demanded']} are demanded.{left_out} {another}"


def _coverage(one: Criterion) -> str:
    counts = one.counts
    sentence = f"{counts['judged']} of {counts['asked']} replies are judged; {share(one.threshold or 0)} are demanded."
    if counts["judgements_asked"] > counts["asked"]:
        sentence += f" They are based on {counts['judgements']} of {counts['judgements_asked']} judgements."
    if counts["unfinished"]:
        return f"{sentence} Run {one.run} is not finished, so nothing is decided. Run its command again to resume."
    if one.settled == "open":
        sentence += f" The missing ones may be bad, so nothing is decided. Run the command of run {one.run} again."
    return sentence


def _estimated(one: Criterion, found: Estimate, threshold: float) -> str:
    """The figure, the threshold, and the bound that decided or the interval that leaves it open."""
    change = one.kind in ("rest_difference", "zero_rate_difference")

    def shown(value: float) -> str:
        if change:
            return number(100 * value if one.kind in _RATES else value, 1, sign=True)
        return share(value) if one.kind in _RATES else number(value, 1)

    what = _FIGURES.get(one.kind) or f"The mean total of {one_line(one.name.removeprefix('dimension '), 60)}"
    cases = "" if one.kind.startswith("corrected") else f" over {counted(found.n_cases, 'case')}"
    demand = f"{'at least' if one.at_least else 'at most'} {shown(threshold)} is demanded"
    value = "is unknown" if found.value is None else f"is {shown(found.value)}"
    if change:
        unit = "percentage points" if one.kind in _RATES else "points"
        demand = (
            f"the maximum tolerated {'drop' if one.at_least else 'rise'} is {shown(abs(threshold)).lstrip('+')} {unit}"
        )
        value = "changed by an unknown amount" if found.value is None else f"changed by {shown(found.value)} {unit}"
        unmatched = one.counts.get("unmatched", 0)
        cases += f" ({counted(unmatched, 'case has', 'cases have')} no match in the other run)" if unmatched else ""
    sentence = f"{what} {value}{cases}; {demand}."
    note = f" {one.note}" if one.note else ""
    needed = "" if one.settled != "open" else _needed(one)
    if found.low is None or found.high is None:
        return f"{sentence} {found.withheld or ''}{note}{needed}".replace("  ", " ").rstrip()
    other = "By these labels" if one.kind.startswith("corrected") else "With other cases"
    if one.settled == "open":
        return f"{sentence} {other} it may be {shown(found.low)} to {shown(found.high)}.{note}{needed}"
    low = one.at_least == (one.settled == "met")
    bound = f"at least {shown(found.low)}" if low else f"at most {shown(found.high)}"
    return f"{sentence} {other} it would be {bound}.{note}"


def _needed(one: Criterion) -> str:
    """How many cases would decide an open criterion."""
    if one.kind.startswith("corrected"):
        return " More labels or more cases would narrow that."
    if one.cases_needed is None:
        return " No number of cases would decide it at these figures."
    if one.cases_needed > _MOST_CASES:
        return f" Even {_MOST_CASES:,} cases would not decide it: the figure is too close to the threshold."
    size = int(10 ** max(0, len(str(one.cases_needed)) - 2))
    return (
        f" About {-(-one.cases_needed // size) * size} cases would decide it with a probability of 80 %, if the figures"
        " stay the same."
    )


def _cautions(result: GateResult) -> Iterator[str]:
    run = result.run
    if run.contested:
        replies = counted(run.contested, "reply has", "replies have")
        yield f"{replies} a hard fail on which the votes are tied; the gate counts it."
    if run.unconfirmed:
        replies = counted(run.unconfirmed, "reply is", "replies are")
        yield f"{replies} zeroed only by hard fails without a quote that is in the reply."
    if result.corrections is None or any(one.kind == "calibration" for one in result.criteria):
        return
    yield result.corrections.sentence
    found = result.corrections.figures(level=0.95, one_sided=False) if run.judged else None
    if found is not None:
        zero_rate, mean = found.zero_rate.estimate, found.mean_total.estimate
        yield from _as_people_would("corrected_zero_rate", zero_rate, share)
        yield from _as_people_would("corrected_mean", mean, lambda value: number(value, 1))


def _as_people_would(kind: Kind, found: Estimate, shown: Callable[[float], str]) -> Iterator[str]:
    if found.low is not None and found.high is not None:
        value = "unknown" if found.value is None else shown(found.value)
        yield f"{_FIGURES[kind]} is {value}; by these labels {shown(found.low)} to {shown(found.high)}."
