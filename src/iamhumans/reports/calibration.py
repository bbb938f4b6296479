"""Calibrations, and figures corrected by them, for people and programs: plain text, Markdown, JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from iamhumans.reports import words
from iamhumans.reports.figure_tables import (
    WIDTH,
    Table,
    interval,
    item,
    name_cell,
    number,
    rate,
    rate_with_interval,
    said_once,
    table_lines,
    table_markdown,
    with_interval,
    wrapped,
)
from iamhumans.reports.in_short import in_short, yes_of_people
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

_FLAG_KINDS = ("hard_fail", "zeroed", "pooled_hard_fails")
_AXIS_KINDS = ("axis", "pooled_axes")
_ZEROED = "zeroed (any hard fail)"


# --- a calibration ----------------------------------------------------------------------------------------------------


def calibration_lines(calibration: Calibration, *, width: int = WIDTH) -> Iterator[str]:
    """A calibration, for a terminal of so many columns."""
    for sentence in _about(calibration):
        yield from wrapped(sentence, width)
    for head, sentences in (("in short", in_short(calibration)), ("to mind", _notes(calibration))):
        if head == "to mind":
            for table in _tables(calibration):
                yield ""
                yield from table_lines(table, width)
        lines = [line for sentence in sentences for line in wrapped(sentence, width, indent="  ")]
        yield from ("", head, *lines) if lines else ()


def calibration_markdown(calibration: Calibration) -> str:
    """A calibration, as Markdown."""
    lines = [f"## {for_markdown(one_line(calibration.identity.judge, 80))} and people", ""]
    lines += [f"- {for_markdown(one_line(line))}" for line in (*_about(calibration), *in_short(calibration))]
    for table in _tables(calibration):
        lines += ["", *table_markdown(table)]
    notes = list(_notes(calibration))
    if notes:
        lines += ["", "To mind:", "", *(item(note) for note in notes)]
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
        were = "reply was" if labels.random == 1 else "replies were"
        yield f"{labels.random} {were} drawn at random, {labels.targeted} since a look at them is worth most."
    prompt = f"prompt {bound.prompt[:12]}" if bound.prompt else "no prompt"
    yield (
        f"Holds for rubric {calibration.rubric_name} {bound.rubric[:12]}, {prompt} and these settings of the judge;"
        f" labels {labels.hash[:12]}."
    )


def _tables(calibration: Calibration) -> Iterator[Table]:
    """Per criterion first, pooled last within each table."""
    flags = [one for one in calibration.criteria if one.kind in _FLAG_KINDS]
    axes = [one for one in calibration.criteria if one.kind in _AXIS_KINDS]
    if calibration.labels.raters > 1:
        yield from _between(flags, axes)
    if flags:
        heads = ("both", "YES", "agree", "kappa", "sensitivity", "specificity")
        rows = [
            (
                _name(one),
                str(one.compared),
                str(yes_of_people(calibration, one)),
                rate(one.against_people["agreement"]),
                with_interval(one.against_people["kappa"]),
                rate_with_interval(one.against_people["sensitivity"]),
                rate_with_interval(one.against_people["specificity"]),
            )
            for one in flags
        ]
        yield Table("judge against people: hard fails (YES is people's)", heads, rows)
    if axes:
        yield from _axes(calibration, axes)


def _between(flags: Sequence[Criterion], axes: Sequence[Criterion]) -> Iterator[Table]:
    if flags:
        heads = ("twice", "YES", "agree", "kappa", "alpha, nominal")
        rows = [
            (
                _name(one),
                str(one.rated_twice),
                rate(one.between_people["prevalence"]),
                rate(one.between_people["agreement"]),
                number(one.between_people["kappa"].value),
                with_interval(one.between_people["alpha_nominal"]),
            )
            for one in flags
        ]
        yield Table("between people: hard fails", heads, rows)
    if axes:
        heads_of_axes = ("twice", "agree", "kappa, weighted", "alpha, ordinal", "alpha, interval")
        rows_of_axes = [
            (
                _name(one),
                str(one.rated_twice),
                rate(one.between_people["agreement"]),
                number(one.between_people["weighted_kappa"].value),
                with_interval(one.between_people["alpha_ordinal"]),
                with_interval(one.between_people["alpha_interval"]),
            )
            for one in axes
        ]
        yield Table("between people: axes", heads_of_axes, rows_of_axes)


def _axes(calibration: Calibration, axes: Sequence[Criterion]) -> Iterator[Table]:
    heads = ("both", "kappa, weighted", "rank correlation", "bias", "off by")
    rows = [
        (
            _name(one),
            str(one.compared),
            with_interval(one.against_people["weighted_kappa"]),
            with_interval(one.against_people["spearman"]),
            with_interval(one.against_people["bias"], sign=True),
            number(one.against_people["absolute_error"].value),
        )
        for one in axes
    ]
    yield Table("judge against people: axes (bias is judge minus people)", heads, rows)
    mapped = [
        (
            name_cell(name),
            number(found.gain.raw_error),
            number(found.gain.mapped_error),
            with_interval(found.gain.gain, sign=True),
        )
        for name, found in calibration.maps.items()
        if found.gain.gain.value is not None
    ]
    if mapped:
        yield Table("a map of the axis, tried on cases it has not seen", ("off by", "mapped", "gain"), mapped)


def _name(one: Criterion) -> str:
    return _ZEROED if one.kind == "zeroed" else name_cell(one.name)


def _notes(calibration: Calibration) -> Iterator[str]:
    yield from calibration.notes
    yield from _left_out(calibration)
    yield from said_once((_name(one), note) for one in calibration.criteria for note in one.notes)
    yield from said_once(_without_kappa(calibration))


def _left_out(calibration: Calibration) -> Iterator[str]:
    """What takes no part, with how often."""
    split = [f"{_name(one)} {one.split}" for one in calibration.criteria if one.kind == "hard_fail" and one.split]
    if split:
        yield f"Replies on which people are split are left out where the judge is compared: {', '.join(split)}."
    open_still = [one.split for one in calibration.criteria if one.kind == "zeroed" and one.split]
    if open_still:
        replies = words.counted(open_still[0], "reply", "replies")
        yield f"Of {replies} it is open whether people zero them; that leaves them out there."
    named = [one for one in calibration.criteria if one.kind in ("hard_fail", "axis") and one.cannot_tell]
    if named:
        counts = ", ".join(f"{_name(one)} {one.cannot_tell}" for one in named)
        yield f"Labels that say that one cannot tell: {counts}."


def _without_kappa(calibration: Calibration) -> Iterator[tuple[str, str]]:
    """Why a kappa, or its interval, is not there."""
    for one in calibration.criteria:
        kappa = one.against_people.get("weighted_kappa" if one.kind in _AXIS_KINDS else "kappa")
        if kappa is not None and kappa.withheld and one.compared:
            yield f"{_name(one)}", f"no {'kappa' if kappa.value is None else 'interval of kappa'}. {kappa.withheld}"


# --- a run beside its calibration -------------------------------------------------------------------------------------


def calibrated_lines(found: Calibrated, *, apply_map: bool = False, width: int = WIDTH) -> Iterator[str]:
    """How a run stands to people's labels, and its figures as people would have them, for a terminal."""
    yield from wrapped(found.standing.sentence, width)
    for subject, corrected in found.by_subject(apply_map=apply_map).items():
        yield ""
        yield from table_lines(_corrected_table(subject, corrected, found), width)
        for sentence in _corrected_sentences(corrected):
            yield from wrapped(sentence, width, indent="  ")


def calibrated_markdown(found: Calibrated, *, apply_map: bool = False) -> str:
    """The same, fit for a pull-request comment."""
    lines = ["", for_markdown(one_line(found.standing.sentence))]
    for subject, corrected in found.by_subject(apply_map=apply_map).items():
        lines += ["", *table_markdown(_corrected_table(subject, corrected, found))]
        sentences = list(_corrected_sentences(corrected))
        if sentences:
            lines += ["", *(item(sentence) for sentence in sentences)]
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


def _corrected_table(subject: str, corrected: Corrections, found: Calibrated) -> Table:
    rows = [
        _rate_row("cases zeroed", corrected.zero_rate),
        _mean_row("mean total", corrected.mean_total),
        *(_rate_row(name, one) for name, one in corrected.hard_fails.items()),
        *(_mean_row(name, one) for name, one in corrected.axes.items()),
    ]
    mapped = any(one.mapped is not None for one in corrected.axes.values())
    heads = ("judge", "as people would", "95 % interval", *(("mapped",) if mapped else ()))
    whose = f", {one_line(subject, 60)}" if found.run is not None and len(found.run.subjects) > 1 else ""
    return Table(f"as people would have it{whose}", heads, [row if mapped else row[:4] for row in rows])


def _rate_row(name: str, one: CorrectedRate) -> Sequence[str]:
    best = one.best
    cells = rate(one.raw), _corrected_value(best, as_rate=True), interval(best.estimate, as_rate=True)
    return (name_cell(name), *cells, "")


def _mean_row(name: str, one: CorrectedMean) -> Sequence[str]:
    mapped = ""
    if one.mapped is not None:
        beyond = f" ({one.unmapped} beyond its range)" if one.unmapped else ""
        mapped = f"{number(one.mapped.value, 1)}{beyond}"
    cells = number(one.raw.value, 1), _corrected_value(one.powered), interval(one.powered.estimate)
    return (name_cell(name), *cells, mapped)


def _corrected_value(corrected: Corrected, *, as_rate: bool = False) -> str:
    if corrected.estimate.value is None:
        return corrected.state
    return rate(corrected.estimate) if as_rate else number(corrected.estimate.value, 1)


def _corrected_sentences(corrected: Corrections) -> Iterator[str]:
    """Where there is no figure, why; and what the figures rest on."""
    named: Mapping[str, Corrected] = {
        "cases zeroed": corrected.zero_rate.best,
        "mean total": corrected.mean_total.powered,
        **{name: one.best for name, one in corrected.hard_fails.items()},
        **{name: one.powered for name, one in corrected.axes.items()},
    }
    yield from said_once((name, why) for name, one in named.items() if (why := one.reason or one.estimate.withheld))
    if corrected.own_labels:
        yield "By the labels of these very replies (prediction-powered)."
    else:
        yield (
            "By labels of other replies: rates by sensitivity and specificity, means by how far the judge was off"
            " there. That holds if the judge errs here as it did there."
        )
