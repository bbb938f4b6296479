"""A comparison of two runs in blocks. Its sentences follow from the intervals that the tables show."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from math import ceil
from typing import TYPE_CHECKING, Any

from iamhumans.decisions.compare import LEVEL, Change, Comparison, Margin, Moved
from iamhumans.reports.blocks import Block, Heading, Items, Paragraph, Span, Table
from iamhumans.reports.figures import NAME_WIDTH, NOTHING, counted, left_out, listed, number, share
from iamhumans.text import one_line

if TYPE_CHECKING:
    from iamhumans.stats import Detectable, Difference, Estimate

_ROUNDED = 0.05  # below it one decimal is 0.0
_REPLY_WIDTH = 400
_MOST_ROWS = 40
_HEADS = ("", "A", "B", "B − A", "interval", "p")


def comparison_blocks(found: Comparison) -> list[Block]:
    """What changed, what of that may be chance, and what these cases could have shown."""
    flags = {name: one for name, one in found.flags.items() if one.difference.rose or one.difference.fell}
    headline = (
        _row("cases zeroed", found.zero_rate, rate=True),
        _row("cases flagged", found.flagged_rate, rate=True),
        _row("quality", found.quality),
        _row("mean of the rest", found.rest, tested=False),
        _row("mean total", found.mean),
    )
    return [
        Heading(f"{found.b.name} against {found.a.name}", 1),
        Items(tuple(_legend(found))),
        *_table("", headline, always=True),
        Items(tuple(comparison_sentences(found))),
        *_table(
            _family("Hard fails, share of replies", found.flags, "hard fails"),
            (_row(name, one, rate=True) for name, one in flags.items()),
        ),
        *_table(
            _family("Axes, where at stake", found.axes, "axes"), (_row(name, one) for name, one in found.axes.items())
        ),
        *_table(
            _family("Mean total by dimension", found.dimension_means, "dimensions"),
            (_row(name, one) for name, one in found.dimension_means.items()),
        ),
        *([Paragraph(families)] if (families := _families(found)) else []),
        *([Heading("Cases that moved most")] if found.moved else []),
        *(block for moved in found.moved for block in _moved(moved)),
    ]


def comparison_document(found: Comparison) -> dict[str, Any]:
    """The comparison with its sentences, for JSON."""

    def tested(change: Change | None) -> dict[str, Any] | None:
        if change is None:
            return None
        more = {"corrected_p_value": change.p_value, "too_few_changed": change.too_few, "unjudged": change.unjudged}
        return {**asdict(change.difference), **more}

    left_out = asdict(found.matching)
    shared, _ = left_out.pop("ids"), left_out.pop("asked")
    return {
        "a": found.a.to_dict(),
        "b": found.b.to_dict(),
        "across": list(found.across),
        "cases": len(shared),
        "left_out": left_out,
        "zero_rate": tested(found.zero_rate),
        "flagged_rate": tested(found.flagged_rate),
        "flagged_by": list(found.flagged_by),
        "quality": tested(found.quality),
        "margin": found.margin and asdict(found.margin),
        "mean_of_rest": found.rest and asdict(found.rest),
        "pass_rate": found.passed and asdict(found.passed),
        "mean_total": found.mean and asdict(found.mean),
        "hard_fails": {name: tested(change) for name, change in found.flags.items()},
        "axes": {name: tested(change) for name, change in found.axes.items()},
        "dimensions": {
            name: asdict(parts) | {"mean": tested(found.dimension_means[name])}
            for name, parts in found.dimensions.items()
        },
        "smallest": {
            name: change and change.smallest and asdict(change.smallest)
            for name, change in (
                *(("quality", found.quality), ("zero_rate", found.zero_rate), ("flagged_rate", found.flagged_rate)),
            )
        },
        "moved": [asdict(one) for one in found.moved],
        "sentences": list(comparison_sentences(found)),
    }


def _legend(found: Comparison) -> Iterator[str]:
    for letter, run in (("A", found.a), ("B", found.b)):
        of = f" ({one_line(run.subjects[0], 60)})" if len(run.subjects) == 1 and ":" not in run.name else ""
        judgements = ""
        if run.judgements_asked > run.asked:
            judgements = f", by {run.judgements} of {run.judgements_asked} judgements"
        yield f"{letter} is run {run.name}{of}: {len(run.judged)} of {run.asked} replies judged{judgements}."
    matching = found.matching
    counts = {
        "whose text changed between the runs": len(matching.changed),
        "only in A": matching.only_a,
        "only in B": matching.only_b,
        "unjudged in A": matching.unjudged_a,
        "unjudged in B": matching.unjudged_b,
    }
    shared = f"{counted(len(matching.ids), 'case')} judged in both runs."
    yield " ".join((shared, *left_out(counts, "Not compared")))
    if found.across:
        yield f"The runs differ in {' and '.join(found.across)}, so the figures may not show progress."
    if found.zero_rate is None or found.quality is None:
        unseen = dict.fromkeys((*found.a.unseen, *found.b.unseen))
        yield f"Figures that need these criteria are not given, since a judge cannot see them: {', '.join(unseen)}."
    if found.flagged_rate is not None:
        flags = ", ".join(found.flagged_by)
        yield f"Cases flagged are those with a YES to {flags}. All intervals are 95 %, each alone."
        return
    levels = [
        f"{name} at {100 * one.difference.difference.level:g} %"
        for name, one in (("cases zeroed", found.zero_rate), ("quality", found.quality))
        if one is not None
    ]
    yield (
        "The changes of cases zeroed and quality are tested together (Holm), so the intervals are of"
        f" {' and '.join(levels)}; all others are at 95 %, each alone. pp is percentage points."
    )
    if found.quality is not None:
        yield (
            "Quality is the mean total by the axes at stake, over all judged replies, zeroed or not. The mean of the"
            " rest leaves zeroed replies out and is not tested: a run that zeroes its worst replies has a better rest."
        )


def comparison_sentences(found: Comparison) -> Iterator[str]:
    """Whether there is a change, and what could have been shown."""
    for name, change, up, down in (
        ("Cases zeroed", found.zero_rate, "B has more zeroed cases.", "B has fewer zeroed cases."),
        ("Cases flagged", found.flagged_rate, "B has more flagged cases.", "B has fewer flagged cases."),
        ("Quality", found.quality, "B is better.", "B is worse."),
    ):
        if change is not None:
            yield f"{name}: {_said(change, up, down, rate=change is not found.quality)}"
    if found.margin is not None:
        yield from _of_margin(found.margin)
    if found.rest is not None and not found.rest.difference.n_cases:
        yield "The mean of the rest cannot be compared: no case has a reply without a hard fail in both runs."
    for name, flag in found.flags.items():
        if flag.p_value is not None and flag.direction:
            more = "more" if flag.direction > 0 else "less"
            yield f"{name}: a change is shown ({_p(flag.p_value)}). B does it {more} often."
    yield from _smallest(found)
    if found.mean is not None and found.mean.difference.withheld:
        yield f"No interval for mean total: {found.mean.difference.withheld}"


def _said(change: Change, up: str, down: str, *, rate: bool) -> str:
    changed, estimate = change.difference.rose + change.difference.fell, change.difference.difference
    if change.p_value is None:
        return "it cannot be compared, since no case has a value in both runs."
    between = f"the {100 * estimate.level:g} % interval is {_between(estimate, rate=rate)}"
    if not changed:
        said = f"none of {counted(estimate.n_cases, 'case')} changed."
    elif change.direction:
        said = f"a change is shown ({between}; {_p(change.p_value)}). {up if change.direction > 0 else down}"
    elif 2 * 0.5**changed > 1 - LEVEL:
        few = f"only {counted(changed, 'case')} changed, too few to tell a change from chance"
        said = f"no change is shown: {few}. At least six must change in the same direction."
    else:
        said = f"no change is shown, since {between} and holds 0 ({_p(change.p_value)})."
    if change.unjudged is None:
        return said
    low, high = (_step(end, rate=rate) for end in change.unjudged)
    unit = " percentage points" if rate else " points"
    ends = f"With the unjudged replies counted as the best or as the worst, B − A is {low} to {high}{unit}."
    turns = change.direction and change.direction * (change.unjudged[0] if change.direction > 0 else change.unjudged[1])
    return f"{said} {ends}{' So the unjudged could make up the change.' if change.direction and turns <= 0 else ''}"


def _of_margin(found: Margin) -> Iterator[str]:
    """Which of superiority, non-inferiority and equivalence is shown."""
    points, cases = f"{found.points:g} {'point' if found.points == 1 else 'points'}", counted(found.cases, "case")
    claims = {
        "superiority": found.superiority,
        f"non-inferiority with a margin of {points}": found.non_inferiority,
        f"equivalence within {points}": found.equivalence,
    }
    yes, no = ([name for name, shown in claims.items() if shown is wanted] for wanted in (True, False))
    for names, shown in ((yes, "shown"), (no, "not shown")):
        if names:
            said = f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]
            yield f"{said[0].upper()}{said[1:]} {'are' if len(names) > 1 else 'is'} {shown}."
    low, high = (_step(end, rate=False) for end in (found.low, found.high))
    yield f"B − A of quality is at least {low} and at most {high} points: bounds for any distribution, 95 % each."
    if found.superiority and not found.non_inferiority:
        yield f"The rise is shown for cases like these {found.cases}. That a rare reply collapsed is not ruled out."
    if not found.non_inferiority and (found.cases_needed is None or found.cases_needed > found.cases):
        could = f"; {found.cases_needed} could" if found.cases_needed else ""
        yield f"{cases} cannot show a margin of {points} unless B is better{could}."


def _step(figure: float | None, *, rate: bool) -> str:
    """A difference with its sign; an end that is not 0 never reads as 0."""
    if figure is None:
        return NOTHING
    size = 100 * figure if rate else figure
    if 0 < abs(size) < _ROUNDED:
        return "> 0" if size > 0 else "< 0"
    return number(size, 1, sign=True)


def _between(estimate: Estimate, *, rate: bool) -> str:
    return f"{_step(estimate.low, rate=rate)} to {_step(estimate.high, rate=rate)}{' pp' if rate else ''}"


def _family(title: str, family: Mapping[str, Change], what: str) -> str:
    """The title of a table whose p-values are corrected together."""
    tested = sum(one.p_value is not None for one in family.values())
    return f"{title} (p corrected for {tested} {what})" if tested > 1 else title


def _families(found: Comparison) -> str:
    """What the p-values of the tables are corrected for, and which changes could not be tested."""
    families = (found.flags, found.axes, found.dimension_means)
    if not any(one.p_value is not None or one.too_few for family in families for one in family.values()):
        return ""
    said = (
        "Each table is a family: its p are corrected for each other (Holm), and not for the other tables. So each table"
        " shows a change by accident in at most one comparison of twenty."
    )
    few = [name for family in families for name, one in family.items() if one.too_few]
    if not few:
        return said
    tested = "It costs" if len(few) == 1 else "They cost"
    return f"{said} Too few cases changed to test {listed(few)}. {tested} the others nothing (Tarone)."


def _p(value: float) -> str:
    return "p < 0.001" if value < 0.001 else f"p = {value:.3f}"


def _smallest(found: Comparison) -> Iterator[str]:
    """The smallest changes that these cases could have shown."""
    quality = found.quality and found.quality.difference
    unchanged = quality and quality.difference.n_cases and not quality.rose + quality.fell
    for name, change, unit in (
        ("cases zeroed", found.zero_rate, "percentage points"),
        ("cases flagged", found.flagged_rate, "percentage points"),
        ("quality", found.quality, "points"),
    ):
        if change is None:
            continue
        cases = counted(change.difference.difference.n_cases, "case")
        smallest = change.smallest
        if smallest is None or smallest.value is None:
            what = (
                f"unknown, since none of {cases} changed"
                if change is found.quality and unchanged
                else f"{cases} cannot show any change"
            )
        else:
            about = _about(smallest, rate=change is not found.quality)
            what = f"{cases} show a change of about {about} {unit} with a probability of 80 %"
        yield f"Smallest change in {name}: {what}."


def _about(smallest: Detectable, *, rate: bool) -> str:
    """Such as ``12 (9 to 17)``, rounded up."""

    def size(value: float) -> str:
        return f"{min(100, ceil(100 * value - 1e-9))}" if rate else f"{ceil(10 * value - 1e-9) / 10}"

    shown = size(smallest.value or 0.0)
    if smallest.low is None or smallest.high is None:
        return f"{shown}, or much more," if smallest.high is None else shown
    low, high = size(smallest.low), size(smallest.high)
    return shown if low == high else f"{shown} ({low} to {high})"


def _table(title: str, rows: Iterable[tuple[str, ...]], *, always: bool = False) -> list[Block]:
    """The rows that have figures; without the column of p where none has one."""
    found = [row for row in rows if row][:_MOST_ROWS]
    width = len(_HEADS) - (not any(row[-1] for row in found))
    table = Table(_HEADS[:width], tuple(row[:width] for row in found), title, right=frozenset((1, 2, 3)))
    return [table] if found or always else []


def _row(name: str, found: Change | Difference | None, *, rate: bool = False, tested: bool = True) -> tuple[str, ...]:
    if found is None:
        return ()
    p_value, one = (found.p_value, found.difference) if isinstance(found, Change) else (None, found)
    estimate = one.difference

    def value(figure: float | None) -> str:
        return share(figure) if rate and figure is not None else number(figure, 1)

    between = "withheld" if estimate.withheld else NOTHING
    if not tested:
        between = "not tested"
    elif estimate.low is not None and estimate.high is not None:
        between = f"{_step(estimate.low, rate=rate)} to {_step(estimate.high, rate=rate)}"
    too_few = isinstance(found, Change) and found.too_few
    p_shown = "too few" if too_few else "" if p_value is None else _p(p_value).removeprefix("p ").removeprefix("= ")
    figures = (value(one.a), value(one.b), _step(estimate.value, rate=rate) + (" pp" if rate else ""))
    return (one_line(name, NAME_WIDTH), *figures, between, p_shown)


def _moved(moved: Moved) -> Iterator[Block]:
    totals = moved.flagged_a is None or moved.flagged_b is None
    values = (moved.total_a, moved.total_b) if totals else (moved.flagged_a, moved.flagged_b)
    a, b = (number(value, 0) if totals else share(value or 0.0) for value in values)
    head = f"{one_line(moved.case_id, 60)}  {a} → {b}{'' if totals else ' flagged'}"
    yield Paragraph((Span(head, "strong"), Span(f"  {one_line(moved.title, 80)}")))
    for letter, reply in (("A", moved.reply_a), ("B", moved.reply_b)):
        if reply.text is not None:
            fails = f" {', '.join(reply.hard_fails)}" if reply.hard_fails else ""
            number_of = f" #{reply.number}" if reply.number > 1 else ""
            total = "" if reply.total is None else f" {reply.total}"
            yield Paragraph(f"{letter}{number_of}{total}{fails}: {one_line(reply.text, _REPLY_WIDTH)}", 1)
    if moved.held_out and moved.title.startswith("sha256:"):
        yield Paragraph(Span("held out: its texts are shown only with --holdout --reason", "faint"), 1)
