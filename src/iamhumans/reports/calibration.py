"""Reports of calibrations, and of figures that are corrected by them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, TypeAlias

from iamhumans.reports import words
from iamhumans.reports.blocks import Block, Heading, Items, Paragraph, Table
from iamhumans.reports.figure_tables import (
    interval,
    listed,
    name_cell,
    number,
    rate,
    rate_with_interval,
    said_once,
    with_interval,
)
from iamhumans.text import one_line

if TYPE_CHECKING:
    from iamhumans.stats import Corrected, Estimate
    from iamhumans.trust.agreement import Criterion
    from iamhumans.trust.calibration import Calibration
    from iamhumans.trust.corrections import CorrectedMean, CorrectedRate, Corrections
    from iamhumans.trust.run_calibration import RunCalibration

FEW_YES = 5
"""With fewer replies that people say YES to, it is unknown what a judge misses."""
Show: TypeAlias = "Callable[[Estimate], str]"
Cell: TypeAlias = "Callable[[Criterion], str]"
_FLAGS_BETWEEN: Mapping[str, tuple[str, Show]] = {
    "YES": ("prevalence", rate),
    "agree": ("agreement", rate),
    "kappa": ("kappa", lambda one: number(one.value)),
    "alpha, nominal": ("alpha_nominal", with_interval),
}
_AXES_BETWEEN: Mapping[str, tuple[str, Show]] = {
    "agree": ("agreement", rate),
    "kappa, weighted": ("weighted_kappa", lambda one: number(one.value)),
    "alpha, ordinal": ("alpha_ordinal", with_interval),
    "alpha, interval": ("alpha_interval", with_interval),
}
_FLAGS_AGAINST: Mapping[str, tuple[str, Show]] = {
    "agree": ("agreement", rate),
    "kappa": ("kappa", with_interval),
    "sensitivity": ("sensitivity", rate_with_interval),
    "specificity": ("specificity", rate_with_interval),
}
_AXES_AGAINST: Mapping[str, tuple[str, Show]] = {
    "kappa, weighted": ("weighted_kappa", with_interval),
    "rank correlation": ("spearman", with_interval),
    "bias": ("bias", lambda one: with_interval(one, sign=True)),
    "off by": ("absolute_error", lambda one: number(one.value)),
}
_FLAG_KINDS = ("hard_fail", "zeroed", "pooled_hard_fails")
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
    labels, bound = calibration.labels, calibration.identity
    yield (
        f"{words.counted(labels.labels, 'label', 'labels')} by {words.counted(labels.raters, 'person', 'people')} on"
        f" {words.counted(labels.replies, 'reply', 'replies')} to {words.counted(labels.cases, 'case', 'cases')} of run"
        f" {calibration.run}. The judge judged {len(calibration.pairs)} of them."
    )
    if labels.random or labels.targeted:
        yield f"Drawn at random: {labels.random}. Drawn because the judges were in doubt: {labels.targeted}."
    prompt = f"prompt {bound.prompt[:12]}" if bound.prompt else "no prompt"
    yield (
        f"Valid for these settings of the judge, rubric {calibration.rubric_name} {bound.rubric[:12]} and {prompt}."
        f" Labels {labels.hash[:12]}."
    )


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
    unknown = [name_cell(one.name) for one in flags if one not in known]
    if known:
        found = sorted(known, key=lambda one: one.against_people["sensitivity"].value or 0.0)
        shares = [f"{name_cell(one.name)} {rate_with_interval(one.against_people['sensitivity'])}" for one in found]
        yield f"Of the replies that people say YES to, the judge finds (least first): {'; '.join(shares)}."
    if unknown:
        of = listed(unknown) if known else "every hard fail"
        few = f"People say YES to fewer than {FEW_YES} of these replies"
        yield f"It is unknown what the judge misses of {of}. {few}{'' if known else ' each'}."
    zeroed = calibration.criterion("zeroed")
    if zeroed is not None and zeroed.compared:
        yield from _zeroed(zeroed, yes_of_people(calibration, zeroed))
    yield from _scores([one for one in calibration.criteria if one.kind == "axis" and one.compared])


def _zeroed(zeroed: Criterion, yes: int) -> Iterator[str]:
    found, others = zeroed.against_people, zeroed.compared - yes
    counted = words.counted(zeroed.compared, "reply", "replies")
    if yes:
        yield f"People zero {yes} of {counted}; the judge zeroes {rate_with_interval(found['sensitivity'])} of those."
    else:
        yield f"People zero none of {counted}, so it is unknown what the judge misses."
    if others:
        yield f"Of the other {others} the judge leaves {rate_with_interval(found['specificity'])} alone."
    between = zeroed.between_people["kappa"]
    if between.value is not None and found["kappa"].value is not None:
        yield (
            f"Kappa on zeroing (0 is chance, 1 is full agreement): {with_interval(between)} between people,"
            f" {with_interval(found['kappa'])} between judge and people."
        )


def _scores(axes: Sequence[Criterion]) -> Iterator[str]:
    """Where the judge is too kind or too strict, and whether it ranks replies as people do."""
    higher, lower, same, opposite, unknown = [], [], [], [], []
    for one in axes:
        name, bias, rank = name_cell(one.name), one.against_people["bias"], one.against_people["spearman"]
        if bias.low is not None and bias.low > 0:
            higher.append(f"{name} {number(bias.value, 1, sign=True)}")
        elif bias.high is not None and bias.high < 0:
            lower.append(f"{name} {number(bias.value, 1, sign=True)}")
        if rank.low is not None and rank.low > 0:
            same.append(f"{name} {number(rank.value)}")
        elif rank.high is not None and rank.high < 0:
            opposite.append(f"{name} {number(rank.value)}")
        else:
            unknown.append(name)
    for found, sentence in (
        (higher, "The judge gives more points than people on {}."),
        (lower, "The judge gives fewer points than people on {}."),
        (same, "The judge ranks replies as people do on {} (rank correlation; 1 is the same order)."),
        (opposite, "The judge ranks replies in the opposite order on {}."),
    ):
        if found:
            yield sentence.format(", ".join(found))
    if unknown:
        yield f"These labels do not show whether the judge ranks replies as people do on {listed(unknown)}."


def _table(title: str, heads: Sequence[str], rows: Iterable[Sequence[str]]) -> Table:
    return Table(("", *heads), tuple(map(tuple, rows)), title, right=frozenset(range(1, len(heads) + 1)))


def _tables(calibration: Calibration) -> Iterator[Table]:
    """The figures of each criterion, pooled ones last within each table."""
    flags = [one for one in calibration.criteria if one.kind in _FLAG_KINDS]
    axes = [one for one in calibration.criteria if one.kind in _AXIS_KINDS]
    twice: dict[str, Cell] = {"twice": lambda one: str(one.rated_twice)}
    both: dict[str, Cell] = {"both": lambda one: str(one.compared)}
    yes: dict[str, Cell] = {"YES": lambda one: str(yes_of_people(calibration, one))}
    people, against = "between people", "judge against people"
    several = calibration.labels.raters > 1
    for title, criteria, columns in (
        (f"{people}: hard fails", flags if several else [], twice | _columns("between_people", _FLAGS_BETWEEN)),
        (f"{people}: axes", axes if several else [], twice | _columns("between_people", _AXES_BETWEEN)),
        (f"{against}: hard fails (YES is people's)", flags, both | yes | _columns("against_people", _FLAGS_AGAINST)),
        (f"{against}: axes (bias is judge minus people)", axes, both | _columns("against_people", _AXES_AGAINST)),
    ):
        if criteria:
            yield _table(
                title, tuple(columns), [(_name(one), *(cell(one) for cell in columns.values())) for one in criteria]
            )
    gains = [(name, found.gain) for name, found in calibration.maps.items() if found.gain.gain.value is not None]
    if gains:
        rows = [
            (name_cell(name), number(one.raw_error), number(one.mapped_error), with_interval(one.gain, sign=True))
            for name, one in gains
        ]
        yield _table("map of an axis, tested on other cases", ("off by", "mapped", "gain"), rows)


def _columns(side: str, shown: Mapping[str, tuple[str, Show]]) -> dict[str, Cell]:
    """Columns by their heads: each shows one figure of a criterion."""

    def cell(name: str, show: Show) -> Cell:
        return lambda one: show(getattr(one, side)[name])

    return {head: cell(name, show) for head, (name, show) in shown.items()}


def _name(one: Criterion) -> str:
    return "zeroed (any hard fail)" if one.kind == "zeroed" else name_cell(one.name)


def _notes(calibration: Calibration) -> Iterator[str]:
    yield from calibration.notes
    split = [f"{_name(one)} {one.split}" for one in calibration.criteria if one.kind == "hard_fail" and one.split]
    if split:
        yield f"Replies on which people are split are left out of the comparison with the judge: {', '.join(split)}."
    zeroed = calibration.criterion("zeroed")
    if zeroed is not None and zeroed.split:
        replies = words.counted(zeroed.split, "reply", "replies")
        yield f"For {replies} it is open whether people zero them. They are left out of the figures on zeroing."
    named = [one for one in calibration.criteria if one.kind in ("hard_fail", "axis") and one.cannot_tell]
    if named:
        yield f'Labels that say "cannot tell": {", ".join(f"{_name(one)} {one.cannot_tell}" for one in named)}.'
    yield from said_once((_name(one), note) for one in calibration.criteria for note in one.notes)
    yield from said_once(_without_kappa(calibration))


def _without_kappa(calibration: Calibration) -> Iterator[tuple[str, str]]:
    for one in calibration.criteria:
        kappa = one.against_people.get("weighted_kappa" if one.kind in _AXIS_KINDS else "kappa")
        if kappa is not None and kappa.withheld and one.compared:
            yield _name(one), f"no {'kappa' if kappa.value is None else 'interval of kappa'}. {kappa.withheld}"


def calibrated_blocks(found: RunCalibration, *, apply_map: bool = False) -> list[Block]:
    """Whether a run's judge is calibrated, and the figures of the run corrected by people's labels."""
    blocks: list[Block] = [Heading("Calibration"), Paragraph(one_line(found.status.sentence))]
    several = found.run is not None and len(found.run.subjects) > 1
    for subject, corrected in found.by_subject(apply_map=apply_map).items():
        blocks.append(_corrected_table(f", {one_line(subject, 60)}" if several else "", corrected))
        blocks.append(Items(tuple(_corrected_sentences(corrected))))
    return blocks


def calibrated_document(found: RunCalibration, *, apply_map: bool = False) -> dict[str, Any]:
    """The same as part of a JSON document."""
    corrected = found.by_subject(apply_map=apply_map)
    return {
        "status": found.status.state,
        "sentence": found.status.sentence,
        "labels": asdict(found.calibration.labels) if found.calibration else None,
        "corrected": {subject: asdict(one) for subject, one in corrected.items()},
    }


def _corrected_table(whose: str, corrected: Corrections) -> Table:
    rates = {"cases zeroed": corrected.zero_rate, **corrected.hard_fails}
    means = {"mean total": corrected.mean_total, **corrected.axes}
    cells = {name: _rate_cells(one) for name, one in rates.items()} | {
        name: _mean_cells(one) for name, one in means.items()
    }
    order = ("cases zeroed", "mean total", *corrected.hard_fails, *corrected.axes)
    mapped = any(one.mapped is not None for one in corrected.axes.values())
    heads = ("judge", "corrected", "95 % interval", *(("mapped",) if mapped else ()))
    rows = [(name_cell(name), *cells[name][: len(heads)]) for name in order]
    return _table(f"corrected by people's labels{whose}", heads, rows)


def _rate_cells(one: CorrectedRate) -> tuple[str, ...]:
    best = one.best
    value = best.state if best.estimate.value is None else rate(best.estimate)
    return rate(one.raw), value, interval(best.estimate, as_rate=True), ""


def _mean_cells(one: CorrectedMean) -> tuple[str, ...]:
    best = one.powered
    value = best.state if best.estimate.value is None else number(best.estimate.value, 1)
    beyond = f" ({one.unmapped} out of range)" if one.unmapped else ""
    mapped = "" if one.mapped is None else f"{number(one.mapped.value, 1)}{beyond}"
    return number(one.raw.value, 1), value, interval(best.estimate), mapped


def _corrected_sentences(corrected: Corrections) -> Iterator[str]:
    """Why a figure is missing, and what the figures are based on."""
    named: dict[str, Corrected] = {
        "cases zeroed": corrected.zero_rate.best,
        "mean total": corrected.mean_total.powered,
        **{name: one.best for name, one in corrected.hard_fails.items()},
        **{name: one.powered for name, one in corrected.axes.items()},
    }
    yield from said_once((name, why) for name, one in named.items() if (why := one.reason or one.estimate.withheld))
    if corrected.own_labels:
        yield "Based on labels of these very replies (prediction-powered inference)."
    else:
        yield (
            "Based on labels of other replies: rates by sensitivity and specificity, means by the average error."
            " This holds if the judge makes the same errors on these replies."
        )
