"""Comparisons and gates for people and programs: plain text, Markdown, JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from iamhumans.decisions.compare import REST, ZEROED, Comparison, Moved, ShownReply
from iamhumans.decisions.gate import GateResult
from iamhumans.decisions.outcomes import RunOutcomes
from iamhumans.decisions.panel import Combined
from iamhumans.reports.calibration import calibrated_document
from iamhumans.stats import say_change, say_smallest
from iamhumans.text import for_markdown, one_line
from iamhumans.trust.run_calibration import RunCalibration

if TYPE_CHECKING:
    from iamhumans.stats import Difference, Estimate

MOST_CHARACTERS = 60_000
"""What a pull-request comment holds, with some room: GitHub takes 65,536."""

_NOTHING = "–"
_NAME_WIDTH = 38
_STATES = {"met": "met", "missed": "MISSED", "open": "open"}
_REPLY_WIDTH = 400
_SENTENCE_WIDTH = 700
_MOST_ROWS = 40
_MOST_ZEROED = 20
_SHOWN_BELOW = 0.05
_EACH_BY_ITSELF = "each interval by itself: of twenty, one misses by chance"


# --- gates ------------------------------------------------------------------------------------------------------------


def gate_lines(result: GateResult) -> Iterator[str]:
    """A gate's decision with its reasons, for a terminal."""
    yield one_line(f"gate of run {result.run.name}: {result.decision.value.upper()}")
    width = max(len(one_line(one.name, _NAME_WIDTH)) for one in result.criteria)
    for one in result.criteria:
        yield f"  {_STATES[one.settled]:<6}  {one_line(one.name, _NAME_WIDTH):<{width}}  {one_line(one.sentence)}"
    for caution in _cautions(result):
        yield f"  {caution}"


def gate_markdown(result: GateResult) -> str:
    """A gate's decision, fit for a pull-request comment."""
    lines = [f"## Gate: {result.decision.value}", "", f"Run {for_markdown(one_line(result.run.name, 80))}.", ""]
    lines += ["| Criterion | State | Why |", "| --- | --- | --- |"]
    worst_first = sorted(result.criteria, key=lambda one: ("missed", "open", "met").index(one.settled))
    lines += [
        f"| {_cell(one.name)} | {_STATES[one.settled]} | {_cell(one.sentence, _SENTENCE_WIDTH)} |"
        for one in worst_first[:_MOST_ROWS]
    ]
    if len(worst_first) > _MOST_ROWS:
        lines += ["", f"{len(worst_first) - _MOST_ROWS} more criteria are not shown."]
    lines += [f"\n{for_markdown(caution)}" for caution in _cautions(result)]
    return _fitted([*lines, "", *_zeroed_lines(result)])


def _cautions(result: GateResult) -> Iterator[str]:
    run = result.run
    if run.contested:
        yield f"{_replies(run.contested)} with a hard fail on which the votes are tied; the gate counts it."
    if run.unconfirmed:
        yield f"{_replies(run.unconfirmed)} zeroed by hard fails for which the judge has no words of the reply."
    if result.corrections is not None:
        if not any(one.name == "calibration" for one in result.criteria):
            yield one_line(result.corrections.sentence)
        yield from map(one_line, _as_people_would(result))


def _as_people_would(result: GateResult) -> Iterator[str]:
    """The two headline figures as people would have them, where a calibration fits and the gate has not said them."""
    known = result.corrections if result.run.judged else None
    found = None if known is None else known.figures(0.95, one_sided=False)
    if found is None or any(one.name.endswith(", corrected") for one in result.criteria):
        return
    rate, mean = found.zero_rate.estimate, found.mean_total.estimate
    for what, estimate, as_rate in (("zero rate", rate, True), ("mean total", mean, False)):
        if estimate.low is None or estimate.high is None:
            continue
        value = "no figure" if estimate.value is None else _figure(estimate.value, as_rate)
        between = f"{_figure(estimate.low, as_rate)} to {_figure(estimate.high, as_rate)}"
        yield f"As people would have it, {what}: {value}, by these labels {between}."


def _replies(count: int) -> str:
    return "1 reply" if count == 1 else f"{count} replies"


def _zeroed_lines(result: GateResult) -> list[str]:
    zeroed = [(reply, combined) for reply, combined in result.run.judged if combined.worst_zeroed]
    if not zeroed:
        return []
    shown = [
        f"- {_cell(reply.case_id if reply.number == 1 else f'{reply.case_id} #{reply.number}')}:"
        f" {_cell(worst_of(combined), _REPLY_WIDTH)}"
        for reply, combined in zeroed[:_MOST_ZEROED]
    ]
    more = [f"- and {len(zeroed) - _MOST_ZEROED} more"] if len(zeroed) > _MOST_ZEROED else []
    return ["Zeroed replies:", "", *shown, *more]


def gate_document(result: GateResult) -> dict[str, Any]:
    """A gate's decision as one JSON document."""
    return {
        "run": result.run.name,
        "decision": result.decision.value,
        "exit_code": int(result.decision.exit_code),
        "asked": result.run.asked,
        "judged": len(result.run.judged),
        "contested": result.run.contested,
        "unconfirmed": result.run.unconfirmed,
        "criteria": [asdict(one) for one in result.criteria],
        "reasons": list(result.reasons),
        "calibration": calibrated_document(known) if isinstance(known := result.corrections, RunCalibration) else None,
        "earlier": [gate_document(one) for one in result.earlier],
    }


def worst_of(combined: Combined) -> str:
    """The hard fails of a reply, contested ones marked."""
    named = sorted(combined.vote.flags) + [f"{name} (contested)" for name in sorted(combined.vote.contested)]
    return ", ".join(named)


# --- comparisons ------------------------------------------------------------------------------------------------------


def comparison_lines(comparison: Comparison) -> Iterator[str]:
    """A comparison, for a terminal."""
    yield from map(one_line, _legend(comparison))
    yield ""
    yield f"{'':<{_NAME_WIDTH}}{'A':>9}{'B':>9}{'B - A':>10}   95 % interval"
    for name, difference, rate in _headline(comparison):
        yield _line(name, difference, rate=rate)
    yield ""
    yield from map(one_line, _sentences(comparison))
    changed = [flag for flag in comparison.flags if _changed(flag.difference)]
    if changed:
        yield ""
        yield "hard fails (share of replies; tested together)"
        yield from (_line(flag.name, flag.difference, rate=True, p_value=flag.corrected) for flag in changed)
    yield ""
    yield f"axes, where at stake ({_EACH_BY_ITSELF})"
    yield from (_line(name, difference) for name, difference in comparison.axes.items())
    if comparison.dimensions:
        yield ""
        yield f"mean total by dimension ({_EACH_BY_ITSELF})"
        yield from (_line(name, parts.mean) for name, parts in comparison.dimensions.items())
    if comparison.moved:
        yield ""
        yield "cases that moved most"
        for moved in comparison.moved:
            yield f"  {_moved_head(moved)}"
            yield from (f"    {one_line(line)}" for line in _moved_replies(moved))


def _legend(comparison: Comparison) -> Iterator[str]:
    for letter, run in (("A", comparison.a), ("B", comparison.b)):
        judged = f"{len(run.judged)} of {run.asked} replies judged"
        if run.judgements_asked > run.asked:
            judged += f", by {run.judgements} of {run.judgements_asked} judgements"
        subjects = [one_line(name, 60) for name in run.subjects]
        of = f" ({subjects[0]})" if len(subjects) == 1 and not run.name.endswith(f":{run.subjects[0]}") else ""
        yield f"{letter} is run {run.name}{of}: {judged}"
    yield f"{_cases(comparison.shared).capitalize()} that both judged take part.{_left_out(comparison)}"
    if comparison.across:
        yield f"They differ in {' and '.join(comparison.across)}. Read no progress into the figures."


def _left_out(comparison: Comparison) -> str:
    matching = comparison.matching
    parts = [
        f"{len(matching.changed)} whose text changed between the runs" if matching.changed else "",
        f"{matching.only_a} that only A has" if matching.only_a else "",
        f"{matching.only_b} that only B has" if matching.only_b else "",
        f"{matching.unjudged_a} unjudged in A" if matching.unjudged_a else "",
        f"{matching.unjudged_b} unjudged in B" if matching.unjudged_b else "",
    ]
    said = [part for part in parts if part]
    return f" Left out: {', '.join(said)}." if said else ""


def _headline(comparison: Comparison) -> Iterator[tuple[str, Difference, bool]]:
    yield "cases zeroed", comparison.totals.zero_rate, True
    yield "mean of the rest", comparison.totals.rest, False
    yield "pass", comparison.passed, True
    yield "mean total", comparison.totals.mean, False


def _sentences(comparison: Comparison) -> Iterator[str]:
    """What the figures say, in words: first whether there is a change, then what could have shown."""
    zeroed, rest = comparison.totals.zero_rate, comparison.totals.rest
    yield f"Cases zeroed: {_said(zeroed, comparison.corrected.get(ZEROED), 'More are zeroed in B.', 'Fewer are.')}"
    if rest.difference.n_cases:
        said = _said(rest, comparison.corrected.get(REST), "B is better.", "B is worse.")
        yield f"Mean of the rest: {said}"
    else:
        yield "Mean of the rest: no case has a reply without a hard fail in both runs, so there is nothing to compare."
    for flag in comparison.flags:
        if flag.corrected is not None and flag.corrected <= _SHOWN_BELOW:
            more = "more" if (flag.difference.difference.value or 0.0) > 0 else "less"
            yield f"{flag.name}: a change is shown, B does it {more} often."
    smallest = say_smallest(comparison.smallest_zero_rate, comparison.shared, rate=True)
    yield f"What could have shown, cases zeroed: {smallest}"
    yield f"What could have shown, mean of the rest: {_smallest_rest(comparison)}"
    for name, found, _ in _headline(comparison):
        if found.difference.withheld and (found.difference.n_cases or name != "mean of the rest"):
            yield f"No interval for {name}: {found.difference.withheld}"


def _said(found: Difference, p_value: float | None, up: str, down: str) -> str:
    """Whether a change was shown, and which way."""
    sentence = say_change(p_value, found.difference.n_cases, found.rose + found.fell)
    if p_value is None or p_value > _SHOWN_BELOW or not _changed(found):
        return sentence
    return f"{sentence} {up if (found.difference.value or 0.0) > 0 else down}"


def _smallest_rest(comparison: Comparison) -> str:
    rest = comparison.totals.rest
    count = rest.difference.n_cases
    if comparison.smallest_rest is None and count and not _changed(rest):
        return f"{_cases(count).capitalize()} that do not differ at all do not tell."
    return say_smallest(comparison.smallest_rest, count)


def _changed(difference: Difference) -> bool:
    return bool(difference.rose or difference.fell)


def _line(name: str, found: Difference, *, rate: bool = False, p_value: float | None = None) -> str:
    estimate = found.difference
    figures = f"{_figure(found.a, rate):>9}{_figure(found.b, rate):>9}{_figure(estimate.value, rate, sign=True):>10}"
    chance = ""
    if p_value is not None:
        chance = f"   {'shown' if p_value <= _SHOWN_BELOW else 'may be chance'}, p {p_value:.3f}"
    return f"{one_line(name, _NAME_WIDTH - 1):<{_NAME_WIDTH}}{figures}   {_interval(estimate, rate)}{chance}".rstrip()


def _interval(estimate: Estimate, rate: bool) -> str:
    if estimate.low is None or estimate.high is None:
        return "withheld" if estimate.withheld else _NOTHING
    return f"{_figure(estimate.low, rate, sign=True)} to {_figure(estimate.high, rate, sign=True)}"


def _figure(value: float | None, rate: bool, *, sign: bool = False) -> str:
    if value is None:
        return _NOTHING
    # Plus zero, so that no minus stands before nothing.
    shown = round(100 * value if rate else value, 1) + 0.0
    return f"{shown:{'+' if sign and shown else ''}.1f}{' %' if rate else ''}"


def _moved_head(moved: Moved) -> str:
    title = "" if moved.held_out else one_line(moved.title, 80)
    return f"{one_line(moved.case_id, 60)}  {moved.total_a:.0f} -> {moved.total_b:.0f}  {title}".rstrip()


def _moved_replies(moved: Moved) -> Iterator[str]:
    if moved.held_out:
        yield "held out: its replies are not shown"
        return
    for letter, shown in (("A", moved.reply_a), ("B", moved.reply_b)):
        if shown.text is not None:
            yield f"{letter}{_why(shown)}: {one_line(shown.text, _REPLY_WIDTH)}"


def _why(shown: ShownReply) -> str:
    number = f" #{shown.number}" if shown.number > 1 else ""
    return f"{number} {shown.total}{' ' + ', '.join(shown.hard_fails) if shown.hard_fails else ''}"


def comparison_markdown(comparison: Comparison) -> str:
    """A comparison, fit for a pull-request comment."""
    a, b = (for_markdown(one_line(run.name, 60)) for run in (comparison.a, comparison.b))
    lines = [f"## {b} against {a}", "", *(f"- {_cell(line, _SENTENCE_WIDTH)}" for line in _legend(comparison)), ""]
    lines += [f"- {_cell(sentence, _SENTENCE_WIDTH)}" for sentence in _sentences(comparison)]
    lines += ["", "| | A | B | B − A | 95 % interval |", "| --- | --- | --- | --- | --- |"]
    lines += [_markdown_row(name, difference, rate) for name, difference, rate in _headline(comparison)]
    lines += [
        _markdown_row(flag.name, flag.difference, True, flag.corrected)
        for flag in comparison.flags[:_MOST_ROWS]
        if _changed(flag.difference)
    ]
    lines += [_markdown_row(name, found, False) for name, found in list(comparison.axes.items())[:_MOST_ROWS]]
    lines += [
        _markdown_row(f"{name} (dimension)", found.mean, False)
        for name, found in list(comparison.dimensions.items())[:_MOST_ROWS]
    ]
    if comparison.moved:
        lines += ["", "Cases that moved most:", ""]
    for moved in comparison.moved:
        lines.append(f"- {for_markdown(_moved_head(moved))}")
        lines += [f"  - {_cell(line, _SENTENCE_WIDTH)}" for line in _moved_replies(moved)]
    return _fitted(lines)


def _markdown_row(name: str, found: Difference, rate: bool, p_value: float | None = None) -> str:
    chance = "" if p_value is None else f"; {'shown' if p_value <= _SHOWN_BELOW else 'may be chance'}, p {p_value:.3f}"
    cells: Sequence[str] = (
        _cell(name),
        _figure(found.a, rate),
        _figure(found.b, rate),
        _figure(found.difference.value, rate, sign=True),
        f"{_interval(found.difference, rate)}{chance}",
    )
    return f"| {' | '.join(cells)} |"


def _cell(text: str, limit: int = 80) -> str:
    return for_markdown(one_line(text, limit))


def _fitted(lines: Iterable[str]) -> str:
    """As many of the lines as a comment holds."""
    kept: list[str] = []
    size = 0
    for line in lines:
        size += len(line) + 1
        if size > MOST_CHARACTERS:
            kept += ["", "More did not fit; --json holds all of it."]
            break
        kept.append(line)
    return "\n".join(kept).rstrip("\n") + "\n"


def comparison_document(comparison: Comparison) -> dict[str, Any]:
    """A comparison as one JSON document."""
    return {
        "a": _run_document(comparison.a),
        "b": _run_document(comparison.b),
        "across": list(comparison.across),
        "cases": comparison.shared,
        "left_out": {
            "changed": list(comparison.matching.changed),
            "only_a": comparison.matching.only_a,
            "only_b": comparison.matching.only_b,
            "unjudged_a": comparison.matching.unjudged_a,
            "unjudged_b": comparison.matching.unjudged_b,
        },
        "zero_rate": {
            **asdict(comparison.totals.zero_rate),
            "corrected_p_value": comparison.corrected.get(ZEROED),
        },
        "mean_of_rest": {**asdict(comparison.totals.rest), "corrected_p_value": comparison.corrected.get(REST)},
        "pass_rate": asdict(comparison.passed),
        "mean_total": asdict(comparison.totals.mean),
        "hard_fails": {
            flag.name: {**asdict(flag.difference), "corrected_p_value": flag.corrected} for flag in comparison.flags
        },
        "axes": {name: asdict(difference) for name, difference in comparison.axes.items()},
        "dimensions": {name: asdict(parts) for name, parts in comparison.dimensions.items()},
        "smallest": {"mean_of_rest": comparison.smallest_rest, "zero_rate": comparison.smallest_zero_rate},
        "moved": [_moved_document(moved) for moved in comparison.moved],
        "sentences": list(_sentences(comparison)),
    }


def _run_document(run: RunOutcomes) -> dict[str, Any]:
    return {"run": run.name, "asked": run.asked, "judged": len(run.judged), "coverage": run.coverage}


def _moved_document(moved: Moved) -> dict[str, Any]:
    document = asdict(moved)
    for side in ("reply_a", "reply_b"):
        del document[side]["key"]
    if moved.held_out:
        document["title"] = ""
    return document


def _cases(count: int) -> str:
    return "1 case" if count == 1 else f"{count} cases"
