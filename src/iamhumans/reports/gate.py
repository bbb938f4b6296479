"""The result of a gate in blocks. Each sentence follows from the figure and the bounds of its criterion."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from math import ceil
from typing import TYPE_CHECKING, Any

from iamhumans.decisions.gate import USUAL_MARGIN, Criterion, Decision, GateResult, Kind, Settled
from iamhumans.decisions.panel import Combined
from iamhumans.reports.blocks import Block, Heading, Items, Paragraph, Span, Table, Tone
from iamhumans.reports.checks import checks_counted
from iamhumans.reports.evidence import evidence_sentence, look_sentences
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
    "uncorrected_mean": "The mean total, as the judge gives it,",
    "corrected_zero_rate": "The rate of cases that people would zero",
    "quality_difference": "Quality (the mean total by the axes at stake)",
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
    looks = look_sentences(result)
    zeroed = [
        f"{one_line(reply.case_id, 80)}{f' #{reply.number}' if reply.number > 1 else ''}: {hard_fails_of(combined)}"
        for reply, combined in result.run.judged
        if combined.zeroed
    ]
    more = [f"and {len(zeroed) - _MOST_ZEROED} more"] if len(zeroed) > _MOST_ZEROED else []
    items: tuple[str, ...] = (*zeroed[:_MOST_ZEROED], *more)
    return [
        Heading(f"Gate of run {result.run.name}: {result.decision.value.upper()}", 1),
        Table(("state", "criterion", "why"), rows, note_column=2),
        *(Paragraph(sentence) for sentence in looks),
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
        "unconfirmed": run.unconfirmed,
        "criteria": [{**asdict(one), "sentence": criterion_sentence(one, result)} for one in result.criteria],
        "calibration": result.calibration and {"sentence": result.calibration, "corrected": corrected},
        "looked": result.looked and {**asdict(result.looked), "sentences": look_sentences(result)},
        "earlier": [gate_document(one) for one in result.earlier],
        "reasons": gate_reasons(result),
    }


def gate_reasons(result: GateResult) -> list[str]:
    """The sentences that decided, worst first."""
    deciding: Sequence[Settled] = ("met",) if result.decision is Decision.PASS else ("missed", "open")
    return [criterion_sentence(one, result) for state in deciding for one in result.criteria if one.settled == state]


def hard_fails_of(combined: Combined) -> str:
    """The hard fails that speak against a reply; where votes may differ, with the votes for each."""
    if combined.asked == 1:
        return ", ".join(combined.named)
    return ", ".join(f"{name} {combined.yes[name]} of {combined.asked}" for name in combined.named)


def criterion_sentence(one: Criterion, result: GateResult) -> str:
    """A criterion and its result as a sentence."""
    if one.evidence is not None:
        return evidence_sentence(one, one.evidence, _what(one))
    if one.estimate is not None and one.threshold is not None:
        return _estimated(one, one.estimate, one.threshold)
    counts = one.counts
    match one.kind:
        case "nothing_judged":
            return f"No reply of run {result.run.name} is judged, so there is nothing to decide on."
        case "judged":
            return _judged(one)
        case "lost":
            gone = counted(counts["cases"], "case has", "cases have")
            return f"{gone} fewer replies than at an earlier look, so nothing is decided. Were runs deleted?"
        case "imported":
            decided = "they were accepted" if one.settled == "met" else "nothing is decided without --accept-imported"
            return f"Run {one.run} has imported results; {decided}."
        case "calibration":
            return one.note if one.settled == "met" else f"{one.note} So nothing is decided by corrected figures."
        case "hard_fails" | "failed_checks":
            return _counted(one)
        case "earlier_run":
            earlier = next(other for other in result.earlier if other.run.name == one.run)
            why = "" if earlier.decision is Decision.PASS else f" {gate_reasons(earlier)[0]}"
            return f"The earlier run {one.run}: {earlier.decision.value}.{why}"
        case _:
            shared = counted(counts["sharing"], "more run shares", "more runs share")
            left_out = f" {shared} replies or judgements with them." if counts["sharing"] else ""
            return (
                f"{counted(counts['found'], 'independent run')} of this suite, rubric and subject found;"
                f" {counts['demanded']} are required.{left_out} `iamhumans run ... --fresh` makes another."
            )


def _counted(one: Criterion) -> str:
    """A count of these very replies and its limit."""
    counts = one.counts
    if one.kind == "failed_checks":
        return f"{checks_counted(counts)} The limit is {one.threshold}."
    have = "has" if counts["zeroed"] == 1 else "have"
    sentence = f"{counts['zeroed']} of {counts['judged']} judged replies {have} a hard fail"
    more = f" {counts['unjudged']} unjudged may have one too, so this is not decided." if one.turns else ""
    return f"{sentence}; the limit is {one.threshold}.{more}"


def _judged(one: Criterion) -> str:
    counts = one.counts
    sentence = f"{counts['judged']} of {counts['asked']} replies are judged; {share(one.threshold or 0)} is required."
    if counts["judgements_asked"] > counts["asked"]:
        sentence += f" They are based on {counts['judgements']} of {counts['judgements_asked']} judgements."
    if counts["unfinished"]:
        return f"{sentence} Run {one.run} is not finished, so nothing is decided. Run its command again to resume."
    if one.settled == "open":
        sentence += f" The missing ones may be bad, so nothing is decided. Run the command of run {one.run} again."
    return sentence


def _what(one: Criterion) -> str:
    return _FIGURES.get(one.kind) or f"The mean total of {one_line(one.name.removeprefix('dimension '), 60)}"


def _figure(kind: Kind, value: float) -> str:
    if kind.endswith("_difference"):
        return number(100 * value if "rate" in kind else value, 1, sign=True)
    return share(value) if "rate" in kind else number(value, 1)


def _estimated(one: Criterion, found: Estimate, threshold: float) -> str:
    """The figure, the threshold, and the bound that decided or the interval that leaves it open."""
    corrected = one.kind.startswith("corrected")
    what = _what(one)
    cases = "" if corrected else f" over {counted(found.n_cases, 'case')}"
    limit = f"the {'minimum' if one.at_least else 'limit'} is {_figure(one.kind, threshold)}"
    value = "is unknown" if found.value is None else f"is {_figure(one.kind, found.value)}"
    if one.kind.endswith("_difference"):
        default = f", the smallest whole number of points that {cases[6:]} can show" if _raised(one) else ""
        most = f"{_figure(one.kind, abs(threshold)).lstrip('+')} {_unit(one.kind)}"
        limit = f"the maximum tolerated {'drop' if one.at_least else 'rise'} is {most}{default}"
        if found.value is None:
            return f"{what} cannot be compared: no case has a value in both runs."
        value = f"changed by {_figure(one.kind, found.value)} {_unit(one.kind)}"
        unmatched = one.counts.get("unmatched", 0)
        cases += f" ({counted(unmatched, 'case has', 'cases have')} no match in the other run)" if unmatched else ""
    parts = [f"{what} {value}{cases}; {limit}.", _bounds(one, found), one.note, _unjudged(one)]
    if one.settled == "open" and not one.turns and one.kind != "uncorrected_mean":
        parts += [_too_small(one), _needed(one)]
    return " ".join(filter(None, parts))


def _unit(kind: Kind) -> str:
    return "percentage points" if "rate" in kind else "points"


def _raised(one: Criterion) -> bool:
    """Whether the margin is a default that is larger than usual, since the suite is small."""
    return bool(one.counts.get("default")) and one.threshold is not None and -one.threshold > USUAL_MARGIN


def _bounds(one: Criterion, found: Estimate) -> str:
    """The bound that decided, or both where none did; each is at the level that it says."""
    if found.low is None or found.high is None:
        return found.withheld or ""
    low, high, level = _figure(one.kind, found.low), _figure(one.kind, found.high), f"{100 * found.level:.4g} %"
    of = ""
    if one.kind == "corrected_zero_rate" and not one.counts["own_labels"]:
        of = " This assumes that the judge makes the same errors as on the labelled replies: the same mix of faults."
    if one.settled == "open" and not one.turns:
        unit = f" {_unit(one.kind)}" if one.kind.endswith("_difference") else ""
        return f"The {level} bounds are {low} and {high}{unit}.{of}"
    lower = one.settled == "met" if one.at_least else one.settled == "missed"
    if one.turns:
        return f"The {level} bounds are {low} and {high}.{of}"
    return f"The {level} {f'lower bound is {low}' if lower else f'upper bound is {high}'}.{of}"


def _unjudged(one: Criterion) -> str:
    """What the figure could be if all replies were judged."""
    if one.unjudged is None:
        return ""
    low, high = (_figure(one.kind, end) for end in one.unjudged)
    turns = " That could turn the result, so it is not decided. Judge the rest." if one.turns else ""
    return f"With the unjudged replies counted as the best or as the worst it is {low} to {high}.{turns}"


def _too_small(one: Criterion) -> str:
    """That a margin is too small for these cases, if it is."""
    if one.kind != "quality_difference" or one.estimate is None or one.threshold is None:
        return ""
    needed, cases = one.counts["cases_for_margin"], one.estimate.n_cases
    if 0 < needed <= cases:
        return ""
    from iamhumans.stats import least_margin

    least = ceil(10 * least_margin(cases) - 1e-9) / 10
    could = f"; {needed} could" if needed else ""
    margin = f"{_figure(one.kind, -one.threshold).lstrip('+')} points"
    return (
        f"{counted(cases, 'case')} cannot show a margin of {margin} unless B is better{could}."
        f" If no case changes, the smallest margin that {counted(cases, 'case')} can show is {least:g} points."
    )


def gate_warnings(result: GateResult) -> list[str]:
    """What makes a pass unlikely, however good the run is."""
    return [found for one in result.criteria if one.settled == "open" and (found := _too_small(one))]


def _needed(one: Criterion) -> str:
    """How many cases would decide an open criterion."""
    if one.kind.startswith("corrected"):
        return "More labels or more cases would narrow them."
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
    if run.unconfirmed:
        replies = counted(run.unconfirmed, "reply is", "replies are")
        yield f"{replies} zeroed only by hard fails without a quote that is in the reply."
    if result.calibration is None or any(one.kind == "calibration" for one in result.criteria):
        return
    yield result.calibration
    both: dict[Kind, Estimate] = {}
    if result.corrected is not None:
        both["corrected_zero_rate"] = result.corrected.zero_rate.estimate
        if result.corrected.own_labels:
            both["corrected_mean"] = result.corrected.mean_total.estimate
    for kind, found in both.items():
        if found.low is not None and found.high is not None:
            value = "unknown" if found.value is None else _figure(kind, found.value)
            between = f"{_figure(kind, found.low)} to {_figure(kind, found.high)}"
            yield f"{_FIGURES[kind]} is {value}; by these labels {between}."
