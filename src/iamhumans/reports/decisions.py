"""Comparisons and gates for people and programs: plain text, Markdown, JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from iamhumans.decisions.compare import Comparison
from iamhumans.decisions.gate import GateResult
from iamhumans.decisions.panel import Combined
from iamhumans.stats import say_change, say_smallest
from iamhumans.text import for_markdown, one_line

if TYPE_CHECKING:
    from iamhumans.stats import Difference, Estimate

_NOTHING = "–"
_NAME_WIDTH = 38
_STATES = {"met": "met", "missed": "MISSED", "open": "open"}


def gate_lines(result: GateResult) -> Iterator[str]:
    """A gate's decision with its reasons, for a terminal."""
    yield f"gate of run {result.run.name}: {result.decision.value.upper()}"
    width = max(len(one.name) for one in result.criteria)
    for one in result.criteria:
        yield f"  {_STATES[one.settled]:<6}  {one_line(one.name):<{width}}  {one_line(one.sentence)}"


def gate_markdown(result: GateResult) -> str:
    """A gate's decision, fit for a pull-request comment."""
    lines = [f"## Gate: {result.decision.value}", "", f"Run `{result.run.name}`.", ""]
    lines += ["| Criterion | State | Why |", "| --- | --- | --- |"]
    lines += [
        f"| {for_markdown(one.name)} | {_STATES[one.settled]} | {for_markdown(one.sentence)} |"
        for one in result.criteria
    ]
    return "\n".join([*lines, "", *_zeroed_lines(result)]) + "\n"


def _zeroed_lines(result: GateResult) -> list[str]:
    zeroed = [(reply, combined) for reply, combined in result.run.judged if combined.worst_total == 0]
    if not zeroed:
        return []
    shown = [
        f"- {for_markdown(reply.case_id)}: {for_markdown(', '.join(sorted(combined.vote.flags)) or 'contested')}"
        for reply, combined in zeroed[:20]
    ]
    more = [f"- and {len(zeroed) - 20} more"] if len(zeroed) > 20 else []
    return ["Zeroed replies:", "", *shown, *more]


def gate_document(result: GateResult) -> dict[str, Any]:
    """A gate's decision as one JSON document."""
    return {
        "run": result.run.name,
        "decision": result.decision.value,
        "asked": result.run.asked,
        "judged": len(result.run.judged),
        "criteria": [asdict(one) for one in result.criteria],
        "reasons": list(result.reasons),
        "earlier": [gate_document(one) for one in result.earlier],
    }


def comparison_lines(comparison: Comparison) -> Iterator[str]:
    """A comparison, for a terminal."""
    a, b = comparison.a, comparison.b
    yield one_line(f"{b.name} against {a.name}, {comparison.shared} cases that both judged")
    yield one_line(f"coverage {len(a.judged)} of {a.asked} and {len(b.judged)} of {b.asked}")
    if comparison.across:
        yield one_line(f"They were judged differently: {', '.join(comparison.across)}. Read no progress into this.")
    yield ""
    yield f"{'':<{_NAME_WIDTH}}{a.name:>9}{b.name:>9}{'change':>9}   95 % interval"
    for name, difference, rate in _headline(comparison):
        yield _line(name, difference, rate=rate)
    yield ""
    yield from _sentences(comparison)
    changed = [flag for flag in comparison.flags if flag.difference.rose or flag.difference.fell]
    if changed:
        yield ""
        yield "hard fails (share of replies)"
        yield from (_line(flag.name, flag.difference, rate=True, p_value=flag.corrected) for flag in changed)
    yield ""
    yield "axes (where at stake)"
    yield from (_line(name, difference) for name, difference in comparison.axes.items())
    if comparison.dimensions:
        yield ""
        yield "mean total by dimension"
        yield from (_line(name, parts.mean) for name, parts in comparison.dimensions.items())
    if comparison.moved:
        yield ""
        yield "cases that moved most"
        for moved in comparison.moved:
            change = f"{moved.total_a:.0f} -> {moved.total_b:.0f}"
            yield f"  {one_line(moved.case_id)}  {change}  {one_line(moved.title, 80)}".rstrip()


def _headline(comparison: Comparison) -> Iterator[tuple[str, Difference, bool]]:
    yield "cases zeroed", comparison.totals.zero_rate, True
    yield "mean of the rest", comparison.totals.rest, False
    yield "pass", comparison.passed, True
    yield "mean total", comparison.totals.mean, False


def _sentences(comparison: Comparison) -> Iterator[str]:
    """What the figures say, in words."""
    zeroed, rest = comparison.totals.zero_rate, comparison.totals.rest
    for name, found in (("Zeroed cases", zeroed), ("The rest", rest)):
        p_value = None if found.test is None else found.test.p_value
        yield f"{name}: {say_change(p_value, comparison.shared, found.rose + found.fell)}"
    yield say_smallest(comparison.smallest_rest, rest.difference.n_cases)
    yield say_smallest(comparison.smallest_zero_rate, comparison.shared, rate=True)
    withheld = [found.difference.withheld for found in (zeroed, rest, comparison.totals.mean)]
    yield from dict.fromkeys(reason for reason in withheld if reason)


def _line(name: str, found: Difference, *, rate: bool = False, p_value: float | None = None) -> str:
    estimate = found.difference
    figures = f"{_figure(found.a, rate):>9}{_figure(found.b, rate):>9}{_figure(estimate.value, rate, sign=True):>9}"
    chance = "" if p_value is None else f"   p {p_value:.3f} (Holm)"
    return f"{one_line(name, _NAME_WIDTH):<{_NAME_WIDTH}}{figures}   {_interval(estimate, rate)}{chance}".rstrip()


def _interval(estimate: Estimate, rate: bool) -> str:
    if estimate.low is None or estimate.high is None:
        return "withheld" if estimate.withheld else _NOTHING
    return f"{_figure(estimate.low, rate, sign=True)} to {_figure(estimate.high, rate, sign=True)}"


def _figure(value: float | None, rate: bool, *, sign: bool = False) -> str:
    if value is None:
        return _NOTHING
    shown = 100 * value if rate else value
    return f"{shown:{'+' if sign else ''}.1f}{' %' if rate else ''}"


def comparison_markdown(comparison: Comparison) -> str:
    """A comparison, fit for a pull-request comment."""
    a, b = comparison.a, comparison.b
    lines = [f"## {b.name} against {a.name}", "", f"{comparison.shared} cases that both judged.", ""]
    if comparison.across:
        lines += [f"**Judged differently:** {for_markdown(', '.join(comparison.across))}.", ""]
    rows = [(name, difference, rate) for name, difference, rate in _headline(comparison)]
    rows += [(flag.name, flag.difference, True) for flag in comparison.flags if _changed(flag.difference)]
    rows += [(name, difference, False) for name, difference in comparison.axes.items()]
    lines += [f"| | {a.name} | {b.name} | Change | 95 % interval |", "| --- | --- | --- | --- | --- |"]
    lines += [_markdown_row(*row) for row in rows]
    lines += ["", *(f"- {for_markdown(sentence)}" for sentence in _sentences(comparison))]
    return "\n".join(lines) + "\n"


def _changed(difference: Difference) -> bool:
    return bool(difference.rose or difference.fell)


def _markdown_row(name: str, found: Difference, rate: bool) -> str:
    cells: Sequence[str] = (
        for_markdown(name),
        _figure(found.a, rate),
        _figure(found.b, rate),
        _figure(found.difference.value, rate, sign=True),
        _interval(found.difference, rate),
    )
    return f"| {' | '.join(cells)} |"


def comparison_document(comparison: Comparison) -> dict[str, Any]:
    """A comparison as one JSON document."""
    return {
        "a": comparison.a.name,
        "b": comparison.b.name,
        "across": list(comparison.across),
        "cases": comparison.shared,
        "coverage": {"a": comparison.a.coverage, "b": comparison.b.coverage},
        "zero_rate": asdict(comparison.totals.zero_rate),
        "mean_of_rest": asdict(comparison.totals.rest),
        "pass_rate": asdict(comparison.passed),
        "mean_total": asdict(comparison.totals.mean),
        "hard_fails": {
            flag.name: {**asdict(flag.difference), "corrected_p_value": flag.corrected} for flag in comparison.flags
        },
        "axes": {name: asdict(difference) for name, difference in comparison.axes.items()},
        "dimensions": {name: asdict(parts) for name, parts in comparison.dimensions.items()},
        "smallest": {"mean_of_rest": comparison.smallest_rest, "zero_rate": comparison.smallest_zero_rate},
        "moved": [asdict(moved) for moved in comparison.moved],
        "sentences": list(_sentences(comparison)),
    }


def worst_of(combined: Combined) -> str:
    """The hard fails of a reply, contested ones marked."""
    named = sorted(combined.vote.flags) + [f"{name} (contested)" for name in sorted(combined.vote.contested)]
    return ", ".join(named)
