"""Calibrations, and figures corrected by them, for people and programs: plain text, Markdown, JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from iamhumans.reports import words
from iamhumans.stats import Estimate
from iamhumans.text import for_markdown, one_line

if TYPE_CHECKING:
    from iamhumans.decisions.calibrated import Calibrated
    from iamhumans.stats import Corrected
    from iamhumans.trust.agreement import Criterion
    from iamhumans.trust.calibration import Calibration
    from iamhumans.trust.corrections import CorrectedMean, CorrectedRate, Corrections

__all__ = [
    "calibrated_document",
    "calibrated_lines",
    "calibrated_markdown",
    "calibration_document",
    "calibration_lines",
    "calibration_markdown",
]

_NAME_WIDTH = 38
_GAP = 2
_MOST_CHARACTERS = 600

_FLAG_KINDS = ("hard_fail", "zeroed", "pooled_hard_fails")
_AXIS_KINDS = ("axis", "pooled_axes")
_ZEROED = "zeroed (any hard fail)"


@dataclass(frozen=True, slots=True)
class _Table:
    """A table, before it is known how it will look."""

    title: str
    heads: Sequence[str]
    rows: Sequence[Sequence[str]]


# --- a calibration ----------------------------------------------------------------------------------------------------


def calibration_lines(calibration: Calibration) -> Iterator[str]:
    """A calibration, for a terminal."""
    yield from map(one_line, _about(calibration))
    for table in _tables(calibration):
        yield ""
        yield from _table_lines(table)
    notes = list(_notes(calibration))
    if notes:
        yield ""
        yield "to mind"
        yield from (f"  {one_line(note)}" for note in notes)


def calibration_markdown(calibration: Calibration) -> str:
    """A calibration, as Markdown."""
    lines = [f"## {for_markdown(one_line(calibration.identity.judge, 80))} and people", ""]
    lines += [f"- {for_markdown(one_line(line))}" for line in _about(calibration)]
    for table in _tables(calibration):
        lines += ["", *_table_markdown(table)]
    notes = list(_notes(calibration))
    if notes:
        lines += ["", "To mind:", "", *(f"- {_cell(note)}" for note in notes)]
    return "\n".join(lines) + "\n"


def calibration_document(calibration: Calibration) -> dict[str, Any]:
    """A calibration as one JSON document, the same that its file holds."""
    # What compares judges with people loads numpy, which a report without a calibration can do without.
    from iamhumans.trust.calibration_files import calibration_document as document

    return document(calibration)


def _about(calibration: Calibration) -> Iterator[str]:
    labels, bound = calibration.labels, calibration.identity
    replies = words.counted(labels.replies, "reply", "replies")
    yield (
        f"{bound.judge} and people: {words.counted(labels.labels, 'label', 'labels')} by"
        f" {words.counted(labels.raters, 'person', 'people')} on {replies} to"
        f" {words.counted(labels.cases, 'case', 'cases')} of run {calibration.run}, of which the judge judged"
        f" {len(calibration.pairs)}."
    )
    if labels.random or labels.targeted:
        yield f"{labels.random} replies were drawn at random, {labels.targeted} since a look at them is worth most."
    prompt = f"prompt {bound.prompt[:12]}" if bound.prompt else "no prompt"
    yield (
        f"Holds for rubric {calibration.rubric_name} {bound.rubric[:12]}, {prompt} and these settings of the judge;"
        f" labels {labels.hash[:12]}."
    )


def _tables(calibration: Calibration) -> Iterator[_Table]:
    """Per criterion first, pooled last within each table."""
    flags = [one for one in calibration.criteria if one.kind in _FLAG_KINDS]
    axes = [one for one in calibration.criteria if one.kind in _AXIS_KINDS]
    if calibration.labels.raters > 1:
        yield from _between(flags, axes)
    if flags:
        heads = ("compared", "agree", "kappa", "sensitivity", "specificity")
        rows = [
            (
                _name(one),
                str(one.compared),
                _rate(one.against_people["agreement"]),
                _with_interval(one.against_people["kappa"]),
                _rate_with_interval(one.against_people["sensitivity"]),
                _rate_with_interval(one.against_people["specificity"]),
            )
            for one in flags
        ]
        yield _Table("judge against people: hard fails", heads, rows)
    if axes:
        yield from _axes(calibration, axes)


def _between(flags: Sequence[Criterion], axes: Sequence[Criterion]) -> Iterator[_Table]:
    if flags:
        heads = ("twice", "YES", "split", "agree", "kappa", "alpha, nominal")
        rows = [
            (
                _name(one),
                str(one.rated_twice),
                _rate(one.between_people["prevalence"]),
                str(one.split) if one.split else "",
                _rate(one.between_people["agreement"]),
                _number(one.between_people["kappa"].value),
                _with_interval(one.between_people["alpha_nominal"]),
            )
            for one in flags
        ]
        yield _Table("between people: hard fails", heads, rows)
    if axes:
        heads_of_axes = ("twice", "agree", "kappa, weighted", "alpha, ordinal", "alpha, interval")
        rows_of_axes = [
            (
                _name(one),
                str(one.rated_twice),
                _rate(one.between_people["agreement"]),
                _number(one.between_people["weighted_kappa"].value),
                _with_interval(one.between_people["alpha_ordinal"]),
                _with_interval(one.between_people["alpha_interval"]),
            )
            for one in axes
        ]
        yield _Table("between people: axes", heads_of_axes, rows_of_axes)


def _axes(calibration: Calibration, axes: Sequence[Criterion]) -> Iterator[_Table]:
    heads = ("compared", "kappa, weighted", "rank correlation", "bias", "off by")
    rows = [
        (
            _name(one),
            str(one.compared),
            _with_interval(one.against_people["weighted_kappa"]),
            _with_interval(one.against_people["spearman"]),
            _with_interval(one.against_people["bias"], sign=True),
            _number(one.against_people["absolute_error"].value),
        )
        for one in axes
    ]
    yield _Table("judge against people: axes (bias is judge minus people)", heads, rows)
    mapped = [
        (
            one_line(name, _NAME_WIDTH - 1),
            _number(found.gain.raw_error),
            _number(found.gain.mapped_error),
            _with_interval(found.gain.gain, sign=True),
        )
        for name, found in calibration.maps.items()
        if found.gain.gain.value is not None
    ]
    if mapped:
        yield _Table("a map of the axis, tried on cases it has not seen", ("off by", "mapped", "gain"), mapped)


def _name(one: Criterion) -> str:
    return _ZEROED if one.kind == "zeroed" else one_line(one.name, _NAME_WIDTH - 1)


def _notes(calibration: Calibration) -> Iterator[str]:
    yield from calibration.notes
    for one in calibration.criteria:
        left_out = []
        if one.split and one.kind == "hard_fail":
            left_out.append(f"people are split on {words.counted(one.split, 'reply', 'replies')}, left out")
        if one.kind == "zeroed" and one.split:
            left_out.append(f"of {words.counted(one.split, 'reply', 'replies')} it is open, left out")
        if one.cannot_tell and one.kind in ("hard_fail", "axis"):
            left_out.append(f"{words.counted(one.cannot_tell, 'label says', 'labels say')} that one cannot tell")
        if left_out:
            yield f"{_name(one)}: {'; '.join(left_out)}."
        yield from (f"{_name(one)}: {note}" for note in one.notes)
        kappa = one.against_people.get("weighted_kappa" if one.kind in _AXIS_KINDS else "kappa")
        if kappa is not None and kappa.withheld and one.compared:
            yield f"{_name(one)}, kappa: {kappa.withheld}"


# --- a run beside its calibration -------------------------------------------------------------------------------------


def calibrated_lines(found: Calibrated, *, apply_map: bool = False) -> Iterator[str]:
    """How a run stands to people's labels, and its figures as people would have them, for a terminal."""
    yield one_line(found.standing.sentence)
    for subject, corrected in found.by_subject(apply_map=apply_map).items():
        yield ""
        yield from _table_lines(_corrected_table(subject, corrected, found))
        yield from (f"  {one_line(sentence)}" for sentence in _corrected_sentences(corrected))


def calibrated_markdown(found: Calibrated, *, apply_map: bool = False) -> str:
    """The same, fit for a pull-request comment."""
    lines = ["", for_markdown(one_line(found.standing.sentence))]
    for subject, corrected in found.by_subject(apply_map=apply_map).items():
        lines += ["", *_table_markdown(_corrected_table(subject, corrected, found))]
        sentences = list(_corrected_sentences(corrected))
        if sentences:
            lines += ["", *(f"- {_cell(sentence)}" for sentence in sentences)]
    return "\n".join(lines) + "\n"


def calibrated_document(found: Calibrated, *, apply_map: bool = False) -> dict[str, Any]:
    """The same, as part of a JSON document."""
    return {
        "standing": found.standing.state,
        "sentence": found.standing.sentence,
        "labels": asdict(found.calibration.labels) if found.calibration else None,
        "corrected": {
            subject: asdict(corrected) for subject, corrected in found.by_subject(apply_map=apply_map).items()
        },
    }


def _corrected_table(subject: str, corrected: Corrections, found: Calibrated) -> _Table:
    rows = [
        _rate_row("cases zeroed", corrected.zero_rate),
        _mean_row("mean total", corrected.mean_total),
        *(_rate_row(name, one) for name, one in corrected.hard_fails.items()),
        *(_mean_row(name, one) for name, one in corrected.axes.items()),
    ]
    mapped = any(one.mapped is not None for one in corrected.axes.values())
    heads = ("judge", "as people would", "95 % interval", *(("mapped",) if mapped else ()))
    whose = f", {one_line(subject, 60)}" if found.run is not None and len(found.run.subjects) > 1 else ""
    return _Table(f"as people would have it{whose}", heads, [row if mapped else row[:4] for row in rows])


def _rate_row(name: str, one: CorrectedRate) -> Sequence[str]:
    best = one.best
    cells = _rate(one.raw), _corrected_value(best, rate=True), _interval(best.estimate, rate=True)
    return (one_line(name, _NAME_WIDTH - 1), *cells, "")


def _mean_row(name: str, one: CorrectedMean) -> Sequence[str]:
    mapped = ""
    if one.mapped is not None:
        beyond = f" ({one.unmapped} beyond its range)" if one.unmapped else ""
        mapped = f"{_number(one.mapped.value, 1)}{beyond}"
    cells = _number(one.raw.value, 1), _corrected_value(one.powered), _interval(one.powered.estimate)
    return (one_line(name, _NAME_WIDTH - 1), *cells, mapped)


def _corrected_value(corrected: Corrected, *, rate: bool = False) -> str:
    if corrected.estimate.value is None:
        return corrected.state
    return _rate(corrected.estimate) if rate else _number(corrected.estimate.value, 1)


def _corrected_sentences(corrected: Corrections) -> Iterator[str]:
    """Where there is no figure, why; and what the figures rest on."""
    named: Mapping[str, Corrected] = {
        "cases zeroed": corrected.zero_rate.best,
        "mean total": corrected.mean_total.powered,
        **{name: one.best for name, one in corrected.hard_fails.items()},
        **{name: one.powered for name, one in corrected.axes.items()},
    }
    for name, one in named.items():
        why = one.reason or one.estimate.withheld
        if why:
            yield f"{name}: {why}"
    if corrected.own_labels:
        yield "By the labels of these very replies (prediction-powered)."
    else:
        yield (
            "By labels of other replies: rates by sensitivity and specificity, means by how far the judge was off"
            " there. That holds if the judge errs here as it did there."
        )


# --- tables and figures -----------------------------------------------------------------------------------------------


def _table_lines(table: _Table) -> Iterator[str]:
    cells: Sequence[Sequence[str]] = [["", *table.heads], *table.rows]
    widths = [max(len(row[column]) for row in cells) for column in range(1, len(table.heads) + 1)]
    width = max(_NAME_WIDTH, *(len(row[0]) + _GAP for row in table.rows)) if table.rows else _NAME_WIDTH
    heads = "".join(f"{head:>{size + _GAP}}" for head, size in zip(table.heads, widths, strict=True))
    if len(table.title) > width:
        yield table.title
        yield f"{'':<{width}}{heads}"
    else:
        yield f"{table.title:<{width}}{heads}"
    for name, *row in table.rows:
        cells = "".join(f"{cell:>{size + _GAP}}" for cell, size in zip(row, widths, strict=True))
        yield f"{name:<{width}}{cells}".rstrip()


def _table_markdown(table: _Table) -> Iterable[str]:
    yield f"| {for_markdown(table.title)} | {' | '.join(table.heads)} |"
    yield f"| --- |{' --- |' * len(table.heads)}"
    for name, *row in table.rows:
        yield f"| {for_markdown(name)} | {' | '.join(row)} |"


def _cell(text: str) -> str:
    return for_markdown(one_line(text, _MOST_CHARACTERS))


def _number(value: float | None, digits: int = 2, *, sign: bool = False) -> str:
    if value is None:
        return words.NOTHING
    # Plus zero, so that no minus stands before nothing.
    shown = round(value, digits) + 0.0
    return f"{shown:{'+' if sign and shown else ''}.{digits}f}"


def _rate(estimate: Estimate) -> str:
    return words.NOTHING if estimate.value is None else words.rate(estimate.value)


def _with_interval(estimate: Estimate, *, sign: bool = False) -> str:
    if estimate.value is None:
        return words.NOTHING
    if estimate.low is None or estimate.high is None:
        return _number(estimate.value, sign=sign)
    low, high = _number(estimate.low, sign=sign), _number(estimate.high, sign=sign)
    return f"{_number(estimate.value, sign=sign)} ({low} to {high})"


def _rate_with_interval(estimate: Estimate) -> str:
    interval = _interval(estimate, rate=True)
    return _rate(estimate) if interval == words.NOTHING else f"{_rate(estimate)} ({interval})"


def _interval(estimate: Estimate, *, rate: bool = False) -> str:
    if estimate.low is None or estimate.high is None:
        return words.NOTHING
    if rate:
        return f"{100 * estimate.low:.0f} to {100 * estimate.high:.0f} %"
    return f"{estimate.low:.1f} to {estimate.high:.1f}"
