"""The result of a gate in blocks. Each sentence follows from the figure and the bounds of its criterion."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from iamhumans.decisions.gate import Criterion, Decision, GateResult, Kind, Settled
from iamhumans.decisions.panel import Combined
from iamhumans.reports.blocks import Block, Heading, Items, Paragraph, Span, Table, Tone
from iamhumans.reports.figures import NAME_WIDTH, counted, number, share
from iamhumans.text import one_line

if TYPE_CHECKING:
    from iamhumans.stats import Estimate

_STATES: Mapping[Settled, tuple[str, Tone]] = {
    "missed": ("MISSED", "bad"),
    "open": ("open", "caution"),
    "met": ("met", "good"),
}
"""Worst first."""
_FIGURES: Mapping[Kind, str] = {
    "mean": "The mean total",
    "zero_rate": "The rate of zeroed cases",
    "flagged_rate": "The rate of cases that are flagged, by the criteria that the judge sees,",
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
        (Span(*_STATES[one.settled]), one_line(one.name, NAME_WIDTH), one_line(criterion_sentence(one, result), 700))
        for one in worst_first[:_MOST_ROWS]
    )
    left_out = len(worst_first) - len(rows)
    zeroed = [
        f"{one_line(reply.case_id, 80)}{f' #{reply.number}' if reply.number > 1 else ''}: {hard_fails_of(combined)}"
        for reply, combined in result.run.judged
        if combined.worst_zeroed
    ]
    more = [f"and {len(zeroed) - _MOST_ZEROED} more"] if len(zeroed) > _MOST_ZEROED else []
    items: tuple[str, ...] = (*zeroed[:_MOST_ZEROED], *more)
    return [
        Heading(f"Gate of run {result.run.name}: {result.decision.value.upper()}", 1),
        Table(("state", "criterion", "why"), rows, note_column=2),
        *([Paragraph(f"{left_out} more criteria are not shown.")] if left_out else []),
        *(Paragraph(Span(caution, "caution")) for caution in _cautions(result)),
        *((Heading("Zeroed replies"), Items(items)) if zeroed else ()),
    ]


def gate_document(result: GateResult) -> dict[str, Any]:
    """The result with its sentences, for JSON."""
    run, corrected = result.run, asdict(result.corrected) if result.corrected else None
    return {
        "run": run.name,
        "decision": result.decision.value,
        "exit_code": int(result.decision.exit_code),
        "asked": run.asked,
        "judged": len(run.judged),
        "contested": run.contested,
        "unconfirmed": run.unconfirmed,
        "criteria": [{**asdict(one), "sentence": criterion_sentence(one, result)} for one in result.criteria],
        "calibration": result.calibration and {"sentence": result.calibration, "corrected": corrected},
        "earlier": [gate_document(one) for one in result.earlier],
        "reasons": gate_reasons(result),
    }


def gate_reasons(result: GateResult) -> list[str]:
    """The sentences that decided, worst first."""
    deciding: Sequence[Settled] = ("met",) if result.decision is Decision.PASS else ("missed", "open")
    return [criterion_sentence(one, result) for state in deciding for one in result.criteria if one.settled == state]


def hard_fails_of(combined: Combined) -> str:
    """The hard fails of a reply, contested ones marked."""
    contested = (f"{name} (contested)" for name in sorted(combined.vote.contested))
    return ", ".join([*sorted(combined.vote.flags), *contested])


def criterion_sentence(one: Criterion, result: GateResult) -> str:
    """A criterion and its result as a sentence."""
    if one.estimate is not None and one.threshold is not None:
        return _estimated(one, one.estimate, one.threshold)
    counts = one.counts
    match one.kind:
        case "nothing_judged":
            return f"No reply of run {result.run.name} is judged, so there is nothing to decide on."
        case "judged":
            return _judged(one)
        case "imported":
            decided = "they were accepted" if one.settled == "met" else "nothing is decided without --accept-imported"
            return f"Run {one.run} has imported results; {decided}."
        case "calibration":
            return one.note if one.settled == "met" else f"{one.note} So corrected figures decide nothing."
        case "hard_fails":
            have = "has" if counts["zeroed"] == 1 else "have"
            tied = f" In {counts['contested']} of them the votes are tied, which counts." if counts["contested"] else ""
            sentence = f"{counts['zeroed']} of {counts['judged']} judged replies {have} a hard fail"
            return f"{sentence}; at most {one.threshold} may.{tied}"
        case "earlier_run":
            earlier = next(other for other in result.earlier if other.run.name == one.run)
            why = "" if earlier.decision is Decision.PASS else f" {gate_reasons(earlier)[0]}"
            return f"The earlier run {one.run}: {earlier.decision.value}.{why}"
        case _:
            shared = counted(counts["sharing"], "more run shares", "more runs share")
            left_out = f" {shared} replies or judgements with them." if counts["sharing"] else ""
            return (
                f"{counted(counts['found'], 'independent run')} of this suite, rubric and subject found;"
                f" {counts['demanded']} are demanded.{left_out} `iamhumans run ... --fresh` makes another."
            )


def _judged(one: Criterion) -> str:
    counts = one.counts
    sentence = f"{counts['judged']} of {counts['asked']} replies are judged; {share(one.threshold or 0)} are demanded."
    if counts["judgements_asked"] > counts["asked"]:
        sentence += f" They are based on {counts['judgements']} of {counts['judgements_asked']} judgements."
    if counts["unfinished"]:
        return f"{sentence} Run {one.run} is not finished, so nothing is decided. Run its command again to resume."
    if one.settled == "open":
        sentence += f" The missing ones may be bad, so nothing is decided. Run the command of run {one.run} again."
    return sentence


def _figure(kind: Kind, value: float) -> str:
    if kind.endswith("_difference"):
        return number(100 * value if "rate" in kind else value, 1, sign=True)
    return share(value) if "rate" in kind else number(value, 1)


def _estimated(one: Criterion, found: Estimate, threshold: float) -> str:
    """The figure, the threshold, and the bound that decided or the interval that leaves it open."""
    corrected = one.kind.startswith("corrected")
    what = _FIGURES.get(one.kind) or f"The mean total of {one_line(one.name.removeprefix('dimension '), 60)}"
    cases = "" if corrected else f" over {counted(found.n_cases, 'case')}"
    demand = f"{'at least' if one.at_least else 'at most'} {_figure(one.kind, threshold)} is demanded"
    value = "is unknown" if found.value is None else f"is {_figure(one.kind, found.value)}"
    if one.kind.endswith("_difference"):
        unit = "percentage points" if "rate" in one.kind else "points"
        most = _figure(one.kind, abs(threshold)).lstrip("+")
        demand = f"the maximum tolerated {'drop' if one.at_least else 'rise'} is {most} {unit}"
        value = "changed by an unknown amount"
        if found.value is not None:
            value = f"changed by {_figure(one.kind, found.value)} {unit}"
        unmatched = one.counts.get("unmatched", 0)
        cases += f" ({counted(unmatched, 'case has', 'cases have')} no match in the other run)" if unmatched else ""
    parts = [f"{what} {value}{cases}; {demand}."]
    if found.low is None or found.high is None:
        parts.append(found.withheld or "")
    else:
        low, high = _figure(one.kind, found.low), _figure(one.kind, found.high)
        other = "By these labels" if corrected else "With other cases"
        bound = f"at least {low}" if one.at_least == (one.settled == "met") else f"at most {high}"
        parts.append(f"{other} it {f'may be {low} to {high}' if one.settled == 'open' else f'would be {bound}'}.")
    parts += [one.note, _needed(one) if one.settled == "open" else ""]
    return " ".join(filter(None, parts))


def _needed(one: Criterion) -> str:
    """How many cases would decide an open criterion."""
    if one.kind.startswith("corrected"):
        return "More labels or more cases would narrow that."
    if one.cases_needed is None:
        return ""
    low, high = one.cases_needed.low, one.cases_needed.high
    if low is None or low > _MOST_CASES:
        return f"Even {_MOST_CASES:,} cases would not decide it: the figure is too close to the threshold."
    if high is None or high > _MOST_CASES:
        return (
            f"It takes at least {_rounded(low):,} cases to decide it. How many more cannot be told yet: with other"
            " cases the figure may be on either side of the threshold."
        )
    many = [f"{_rounded(end):,}" for end in dict.fromkeys((low, high))]
    return f"About {' to '.join(dict.fromkeys(many))} cases would decide it with a probability of 80 %."


def _rounded(cases: int) -> int:
    """Rounded up to two digits."""
    size = int(10 ** max(0, len(str(cases)) - 2))
    return -(-cases // size) * size


def _cautions(result: GateResult) -> Iterator[str]:
    run = result.run
    if run.contested:
        replies = counted(run.contested, "reply has", "replies have")
        yield f"{replies} a hard fail on which the votes are tied; the gate counts it."
    if run.unconfirmed:
        replies = counted(run.unconfirmed, "reply is", "replies are")
        yield f"{replies} zeroed only by hard fails without a quote that is in the reply."
    if result.calibration is None or any(one.kind == "calibration" for one in result.criteria):
        return
    yield result.calibration
    both: dict[Kind, Estimate] = {}
    if result.corrected is not None:
        both["corrected_zero_rate"] = result.corrected.zero_rate.estimate
        both["corrected_mean"] = result.corrected.mean_total.estimate
    for kind, found in both.items():
        if found.low is not None and found.high is not None:
            value = "unknown" if found.value is None else _figure(kind, found.value)
            between = f"{_figure(kind, found.low)} to {_figure(kind, found.high)}"
            yield f"{_FIGURES[kind]} is {value}; by these labels {between}."
