"""Reports of calibrations, and of figures that are corrected by them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, TypeAlias

from iamhumans.reports import figures as show
from iamhumans.reports.blocks import Block, Heading, Items, Paragraph, Table
from iamhumans.text import one_line

if TYPE_CHECKING:
    from iamhumans.trust.agreement import Criterion
    from iamhumans.trust.calibration import Calibration
    from iamhumans.trust.corrections import CorrectedMean, Corrections
    from iamhumans.trust.run_calibration import RunCalibration

FEW_YES = 5
"""With fewer replies that people say YES to, it is unknown what a judge misses."""
Columns: TypeAlias = "Mapping[str, Callable[[Criterion], str]]"


def _indices(of: str) -> Columns:
    """The prevalence and the bias index, which kappa depends on."""
    return {
        head: lambda one, name=name: show.number(getattr(one, of)[name].value, sign=True)  # type: ignore[misc]
        for head, name in (("prevalence", "prevalence_index"), ("bias", "bias_index"))
    }


_FLAGS_BETWEEN: Columns = {
    "twice": lambda one: str(one.rated_twice),
    "cases": lambda one: str(one.between_people["agreement"].n_cases),
    "YES": lambda one: show.rate(one.between_people["prevalence"]),
    "agree": lambda one: show.rate_with_interval(one.between_people["agreement"]),
    "kappa": lambda one: show.with_interval(one.between_people["kappa"]),
    **_indices("between_people"),
    "alpha, nominal": lambda one: show.with_interval(one.between_people["alpha_nominal"]),
}
_AXES_BETWEEN: Columns = {
    "twice": lambda one: str(one.rated_twice),
    "cases": lambda one: str(one.between_people["agreement"].n_cases),
    "agree": lambda one: show.rate_with_interval(one.between_people["agreement"]),
    "kappa, weighted": lambda one: show.with_interval(one.between_people["weighted_kappa"]),
    "alpha, ordinal": lambda one: show.with_interval(one.between_people["alpha_ordinal"]),
    "alpha, interval": lambda one: show.with_interval(one.between_people["alpha_interval"]),
}
_FLAGS_AGAINST: Columns = {
    "agree": lambda one: show.rate_with_interval(one.against_people["agreement"]),
    "kappa": lambda one: show.with_interval(one.against_people["kappa"]),
    **_indices("against_people"),
    "sensitivity": lambda one: show.rate_with_interval(one.against_people["sensitivity"]),
    "specificity": lambda one: show.rate_with_interval(one.against_people["specificity"]),
}
_AXES_AGAINST: Columns = {
    "both": lambda one: str(one.compared),
    "cases": lambda one: str(one.against_people["agreement"].n_cases),
    "kappa, weighted": lambda one: show.with_interval(one.against_people["weighted_kappa"]),
    "rank correlation": lambda one: show.with_interval(one.against_people["spearman"]),
    "bias": lambda one: show.with_interval(one.against_people["bias"], sign=True),
    "off by": lambda one: show.with_interval(one.against_people["absolute_error"]),
}
_AXIS_KINDS = ("axis", "pooled_axes")


def calibration_blocks(calibration: Calibration) -> list[Block]:
    """What a calibration found: a summary, the figures, and how to read them."""
    blocks: list[Block] = [Heading(f"{one_line(calibration.identity.judge, 80)} and people")]
    blocks += map(Paragraph, _about(calibration))
    blocks += _items("In short", in_short(calibration))
    blocks += _tables(calibration)
    return [*blocks, *_items("Notes", _notes(calibration))]


def _items(head: str, sentences: Iterable[str]) -> list[Block]:
    items = tuple(sentences)
    return [Heading(head, 3), Items(items)] if items else []


def _about(calibration: Calibration) -> Iterator[str]:
    labels, bound, counted = calibration.labels, calibration.identity, show.counted
    yield (
        f"{counted(labels.labels, 'label', 'labels')} by {counted(labels.raters, 'person', 'people')} on"
        f" {counted(labels.replies, 'reply', 'replies')} to {counted(labels.cases, 'case', 'cases')} of run"
        f" {calibration.run}. The judge judged {len(calibration.pairs)} of them."
    )
    if labels.random or labels.targeted:
        yield f"Drawn at random: {labels.random}. Drawn because the judges were in doubt: {labels.targeted}."
    prompt = f"prompt {bound.prompt[:12]}" if bound.prompt else "no prompt"
    rubric = f"rubric {calibration.rubric_name} {bound.rubric[:12]}"
    yield f"Valid for these settings of the judge, {rubric} and {prompt}. Labels {labels.hash[:12]}."


def yes_of_people(calibration: Calibration, one: Criterion) -> int:
    """How many of the compared replies people say YES to; for pooled hard fails, how many of their answers are YES."""
    if one.kind == "pooled_hard_fails":
        return sum(yes_of_people(calibration, flag) for flag in calibration.criteria if flag.kind == "hard_fail")
    if one.kind == "zeroed":
        return sum(pair.people.zeroed is True and pair.judge.zeroed is not None for pair in calibration.pairs)
    return sum(pair.people.flags.get(one.name) is True and one.name in pair.judge.flags for pair in calibration.pairs)


def in_short(calibration: Calibration) -> Iterator[str]:
    """A summary for readers who do not know statistics."""
    flags = [one for one in calibration.criteria if one.kind == "hard_fail" and one.compared]
    known = [one for one in flags if yes_of_people(calibration, one) >= FEW_YES]
    unknown = [_name(one) for one in flags if one not in known]
    if known:
        found = sorted(known, key=lambda one: one.against_people["sensitivity"].value or 0.0)
        shares = [f"{_name(one)} {show.rate_with_interval(one.against_people['sensitivity'])}" for one in found]
        yield f"Of the replies that people say YES to, the judge finds (least first): {'; '.join(shares)}."
    if unknown:
        of = show.listed(unknown) if known else "every hard fail"
        few = f"People say YES to fewer than {FEW_YES} of these replies"
        yield f"It is unknown what the judge misses of {of}. {few}{'' if known else ' each'}."
    if (zeroed := calibration.criterion("zeroed")) and zeroed.compared:
        yield from _zeroed(zeroed, yes_of_people(calibration, zeroed))
    yield from _scores([one for one in calibration.criteria if one.kind == "axis" and one.compared])


def _zeroed(zeroed: Criterion, yes: int) -> Iterator[str]:
    found, others = zeroed.against_people, zeroed.compared - yes
    counted = show.counted(zeroed.compared, "reply", "replies")
    finds, spares = (show.rate_with_interval(found[name]) for name in ("sensitivity", "specificity"))
    if yes:
        yield f"People zero {yes} of {counted}; the judge zeroes {finds} of those."
    else:
        yield f"People zero none of {counted}, so it is unknown what the judge misses."
    if others:
        yield f"Of the other {others} the judge leaves {spares} alone."
    kappas = zeroed.between_people["kappa"], found["kappa"]
    if all(one.value is not None for one in kappas):
        people, judge = map(show.with_interval, kappas)
        scale = "Kappa on zeroing (0 is chance, 1 is full agreement)"
        yield f"{scale}: {people} between people, {judge} between judge and people."


def _scores(axes: Sequence[Criterion]) -> Iterator[str]:
    more, fewer, same, opposite, unknown = [], [], [], [], []
    for one in axes:
        name, bias, rank = show.name_cell(one.name), one.against_people["bias"], one.against_people["spearman"]
        offset, order = f"{name} {show.number(bias.value, 1, sign=True)}", f"{name} {show.number(rank.value)}"
        more += [offset] if (bias.low or 0) > 0 else []
        fewer += [offset] if (bias.high or 0) < 0 else []
        same += [order] if (rank.low or 0) > 0 else []
        opposite += [order] if (rank.high or 0) < 0 else []
        unknown += [name] if (rank.low or 0) <= 0 <= (rank.high or 0) else []
    for found, sentence in (
        (more, "The judge gives more points than people on {}."),
        (fewer, "The judge gives fewer points than people on {}."),
        (same, "The judge ranks replies as people do on {} (rank correlation; 1 is the same order)."),
        (opposite, "The judge ranks replies in the opposite order on {}."),
    ):
        if found:
            yield sentence.format(", ".join(found))
    if unknown:
        yield f"These labels do not show whether the judge ranks replies as people do on {show.listed(unknown)}."


def _table(title: str, heads: Sequence[str], rows: Iterable[Sequence[str]]) -> Table:
    return Table(("", *heads), tuple(map(tuple, rows)), title, right=frozenset(range(1, len(heads) + 1)))


def _tables(calibration: Calibration) -> Iterator[Table]:
    axes = [one for one in calibration.criteria if one.kind in _AXIS_KINDS]
    flags = [one for one in calibration.criteria if one.kind not in _AXIS_KINDS]
    several, people, against = calibration.labels.raters > 1, "between people", "judge against people"
    yes: Columns = {
        "both": lambda one: str(one.compared),
        "cases": lambda one: str(one.against_people["agreement"].n_cases),
        "YES": lambda one: str(yes_of_people(calibration, one)),
    }
    for title, criteria, columns in (
        (f"{people}: hard fails", flags if several else [], _FLAGS_BETWEEN),
        (f"{people}: axes", axes if several else [], _AXES_BETWEEN),
        (f"{against}: hard fails (YES is people's)", flags, {**yes, **_FLAGS_AGAINST}),
        (f"{against}: axes (bias is judge minus people)", axes, _AXES_AGAINST),
    ):
        if criteria:
            rows = [(_name(one), *(cell(one) for cell in columns.values())) for one in criteria]
            yield _table(title, tuple(columns), rows)
    gains: list[Sequence[str]] = []
    for name, gain in ((show.name_cell(name), one.gain) for name, one in calibration.maps.items()):
        errors = show.number(gain.raw_error), show.number(gain.mapped_error)
        gains += [(name, *errors, show.with_interval(gain.gain, sign=True))] if gain.gain.value is not None else []
    if gains:
        yield _table("map of an axis, tested on other cases", ("off by", "mapped", "gain"), gains)


def _name(one: Criterion) -> str:
    return "zeroed (any hard fail)" if one.kind == "zeroed" else show.name_cell(one.name)


def _notes(calibration: Calibration) -> Iterator[str]:
    yield from calibration.notes
    single = [one for one in calibration.criteria if one.kind in ("hard_fail", "axis")]
    split = ", ".join(f"{_name(one)} {one.split}" for one in single if one.split)
    if split:
        yield f"Replies on which people are split are left out of the comparison with the judge: {split}."
    if (zeroed := calibration.criterion("zeroed")) and zeroed.split:
        replies = show.counted(zeroed.split, "reply", "replies")
        yield f"For {replies}, the labels do not show whether people zero them. The figures on zeroing leave them out."
    unsure = ", ".join(f"{_name(one)} {one.cannot_tell}" for one in single if one.cannot_tell)
    if unsure:
        yield f'Labels that say "cannot tell": {unsure}.'
    yield from show.said_once((_name(one), note) for one in calibration.criteria for note in one.notes)
    yield from show.said_once(_without_kappa(calibration))


def _without_kappa(calibration: Calibration) -> Iterator[tuple[str, str]]:
    for one in calibration.criteria:
        kappa = one.against_people["weighted_kappa" if one.kind in _AXIS_KINDS else "kappa"]
        if kappa.withheld and one.compared:
            yield (
                _name(one),
                f"no {'figure of agreement' if kappa.value is None else 'interval of kappa'}. {kappa.withheld}",
            )


def calibrated_blocks(found: RunCalibration, *, apply_map: bool = False) -> list[Block]:
    """Whether a run's judge is calibrated, and the figures of the run corrected by people's labels."""
    blocks: list[Block] = [Heading("Calibration"), Paragraph(one_line(found.status.sentence))]
    several = found.run is not None and len(found.run.subjects) > 1
    for subject, corrected in found.by_subject(apply_map=apply_map).items():
        blocks += _corrected_blocks(f", {one_line(subject, 60)}" if several else "", corrected)
    return blocks


def calibrated_document(found: RunCalibration, *, apply_map: bool = False) -> dict[str, Any]:
    """The same as part of a JSON document."""
    corrected = {subject: asdict(one) for subject, one in found.by_subject(apply_map=apply_map).items()}
    labels = asdict(found.calibration.labels) if found.calibration else None
    return {"status": found.status.state, "sentence": found.sentence, "labels": labels, "corrected": corrected}


def _corrected_blocks(whose: str, corrected: Corrections) -> list[Block]:
    rates = {"cases zeroed": corrected.zero_rate, **corrected.hard_fails}
    means = {"mean total": corrected.mean_total, **corrected.axes}
    order = ("cases zeroed", "mean total", *corrected.hard_fails, *corrected.axes)
    mapped = ("mapped",) if any(one.mapped is not None for one in corrected.axes.values()) else ()
    rows, reasons = [], []
    for name in order:
        best = rates[name].best if name in rates else means[name].powered
        raw, found = (rates[name] if name in rates else means[name]).raw, best.estimate
        shown = [show.rate(one) if name in rates else show.number(one.value, 1) for one in (raw, found)]
        value = best.state if found.value is None else shown[1]
        cells = (show.name_cell(name), shown[0], value, show.interval(found, as_rate=name in rates))
        rows.append((*cells, *(_mapped(means.get(name)) for _ in mapped)))
        reasons += [(name, why)] if (why := best.reason or found.withheld) else []
    own = "Based on labels of these very replies (prediction-powered inference)."
    other = (
        "Based on labels of other replies: rates by sensitivity and specificity. This assumes that the judge makes the"
        " same errors on these replies: the same mix of faults. Means are not corrected."
    )
    basis = own if corrected.own_labels else other
    table = _table(f"corrected by people's labels{whose}", ("judge", "corrected", "95 % interval", *mapped), rows)
    return [table, Items((*show.said_once(reasons), basis))]


def _mapped(one: CorrectedMean | None) -> str:
    beyond = f" ({one.unmapped} out of range)" if one and one.unmapped else ""
    return f"{show.number(one.mapped.value, 1)}{beyond}" if one and one.mapped else ""
