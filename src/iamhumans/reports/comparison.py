"""A comparison of two runs in blocks. Its sentences follow from the p-values that the tables show."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict
from math import ceil
from typing import TYPE_CHECKING, Any

from iamhumans.decisions.compare import HEADLINE_LEVEL, Change, Comparison, Moved
from iamhumans.reports.blocks import Block, Heading, Items, Paragraph, Span, Table
from iamhumans.reports.figures import NAME_WIDTH, NOTHING, counted, left_out, number, share
from iamhumans.text import one_line

if TYPE_CHECKING:
    from iamhumans.stats import Detectable, Difference

_SHOWN_BELOW = 0.05
_REPLY_WIDTH = 400
_MOST_ROWS = 40
_HEADS = ("", "A", "B", "B − A", "interval", "p")


def comparison_blocks(found: Comparison) -> list[Block]:
    """What changed, what of that may be chance, and what these cases could have shown."""
    flags = {name: one for name, one in found.flags.items() if one.difference.rose or one.difference.fell}
    headline = (
        _row("cases zeroed", found.zero_rate, rate=True),
        _row("cases flagged", found.flagged_rate, rate=True),
        _row("mean of the rest", found.rest),
        _row("mean total", found.mean),
    )
    return [
        Heading(f"{found.b.name} against {found.a.name}", 1),
        Items(tuple(_legend(found))),
        *_table("", headline, always=True),
        Items(tuple(comparison_sentences(found))),
        *_table(
            f"Hard fails, share of replies (p corrected for {len(found.flags)} hard fails)",
            (_row(name, one, rate=True) for name, one in flags.items()),
        ),
        *_table("Axes, where at stake", (_row(name, one) for name, one in found.axes.items())),
        *_table("Mean total by dimension", (_row(name, parts.mean) for name, parts in found.dimensions.items())),
        *([Heading("Cases that moved most")] if found.moved else []),
        *(block for moved in found.moved for block in _moved(moved)),
    ]


def comparison_document(found: Comparison) -> dict[str, Any]:
    """The comparison with its sentences, for JSON."""

    def tested(change: Change | None) -> dict[str, Any] | None:
        return {**asdict(change.difference), "corrected_p_value": change.p_value} if change else None

    left_out = asdict(found.matching)
    shared = left_out.pop("ids")
    return {
        "a": found.a.to_dict(),
        "b": found.b.to_dict(),
        "across": list(found.across),
        "cases": len(shared),
        "left_out": left_out,
        "zero_rate": tested(found.zero_rate),
        "flagged_rate": tested(found.flagged_rate),
        "flagged_by": list(found.flagged_by),
        "mean_of_rest": tested(found.rest),
        "pass_rate": found.passed and asdict(found.passed),
        "mean_total": found.mean and asdict(found.mean),
        "hard_fails": {name: tested(change) for name, change in found.flags.items()},
        "axes": {name: asdict(difference) for name, difference in found.axes.items()},
        "dimensions": {name: asdict(parts) for name, parts in found.dimensions.items()},
        "smallest": {
            name: change and change.smallest and asdict(change.smallest)
            for name, change in (
                *(("mean_of_rest", found.rest), ("zero_rate", found.zero_rate), ("flagged_rate", found.flagged_rate)),
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
    if found.zero_rate is None or found.rest is None:
        unseen = dict.fromkeys((*found.a.unseen, *found.b.unseen))
        yield f"Figures that need these criteria are not given, since a judge cannot see them: {', '.join(unseen)}."
    if found.flagged_rate is not None:
        flags = ", ".join(found.flagged_by)
        yield f"Cases flagged are those with a YES to {flags}. All intervals are 95 %, each alone."
        return
    yield (
        f"The intervals of cases zeroed and mean of the rest are {100 * HEADLINE_LEVEL:g} % each, so that both hold"
        " together with 95 %; all others are 95 %, each alone. The p of those two is corrected for two tests. pp is"
        " percentage points."
    )


def comparison_sentences(found: Comparison) -> Iterator[str]:
    """Whether there is a change, and what could have been shown."""
    zeroed, rest = found.zero_rate, found.rest
    if zeroed is not None:
        yield f"Cases zeroed: {_said(zeroed, 'B has more zeroed cases.', 'B has fewer zeroed cases.')}"
    if found.flagged_rate is not None:
        yield f"Cases flagged: {_said(found.flagged_rate, 'B has more flagged cases.', 'B has fewer flagged cases.')}"
    if rest is not None and rest.difference.difference.n_cases:
        yield f"Mean of the rest: {_said(rest, 'B is better.', 'B is worse.')}"
    elif rest is not None:
        yield "Mean of the rest: no case has a reply without a hard fail in both runs, so there is nothing to compare."
    for name, flag in found.flags.items():
        if flag.p_value is not None and flag.p_value <= _SHOWN_BELOW:
            more = "more" if (flag.difference.difference.value or 0.0) > 0 else "less"
            yield f"{name}: a change is shown ({_p(flag.p_value)}). B does it {more} often."
    yield from _smallest(found)
    headline = (
        *(("cases zeroed", zeroed), ("cases flagged", found.flagged_rate)),
        *(("mean of the rest", rest), ("mean total", found.mean)),
    )
    for name, one in headline:
        estimate = one and (one.difference if isinstance(one, Change) else one).difference
        if estimate and estimate.withheld and (estimate.n_cases or one is not rest):
            yield f"No interval for {name}: {estimate.withheld}"


def _said(change: Change, up: str, down: str) -> str:
    changed, estimate = change.difference.rose + change.difference.fell, change.difference.difference
    if change.p_value is None:
        return "there is nothing to compare."
    if not changed:
        return f"none of {counted(estimate.n_cases, 'case')} changed."
    if change.p_value <= _SHOWN_BELOW:
        return f"a change is shown ({_p(change.p_value)}). {up if (estimate.value or 0.0) > 0 else down}"
    if 2 * 0.5**changed > _SHOWN_BELOW:
        few = f"only {counted(changed, 'case')} changed, too few to tell a change from chance"
        return f"{few}. At least six must change in the same direction."
    return f"no change is shown: {_p(change.p_value)} is above {_SHOWN_BELOW}, so it may be chance."


def _p(value: float) -> str:
    return "p < 0.001" if value < 0.001 else f"p = {value:.3f}"


def _smallest(found: Comparison) -> Iterator[str]:
    """The smallest changes that these cases could have shown."""
    rest = found.rest and found.rest.difference
    unchanged = rest and rest.difference.n_cases and not rest.rose + rest.fell
    for name, change, unit in (
        ("cases zeroed", found.zero_rate, "percentage points"),
        ("cases flagged", found.flagged_rate, "percentage points"),
        ("the mean of the rest", found.rest, "points"),
    ):
        if change is None:
            continue
        cases = counted(change.difference.difference.n_cases, "case")
        smallest = change.smallest
        if smallest is None or smallest.value is None:
            what = (
                f"unknown, since none of {cases} changed"
                if change is found.rest and unchanged
                else f"{cases} cannot show any change"
            )
        else:
            about = _about(smallest, rate=change is not found.rest)
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


def _row(name: str, found: Change | Difference | None, *, rate: bool = False) -> tuple[str, ...]:
    if found is None:
        return ()
    p_value, one = (found.p_value, found.difference) if isinstance(found, Change) else (None, found)
    estimate = one.difference

    def value(figure: float | None) -> str:
        return share(figure) if rate and figure is not None else number(figure, 1)

    def step(figure: float | None) -> str:
        return number(100 * figure if rate and figure is not None else figure, 1, sign=True)

    between = "withheld" if estimate.withheld else NOTHING
    if estimate.low is not None and estimate.high is not None:
        between = f"{step(estimate.low)} to {step(estimate.high)}"
    p_shown = "" if p_value is None else _p(p_value).removeprefix("p ").removeprefix("= ")
    figures = (value(one.a), value(one.b), step(estimate.value) + (" pp" if rate else ""))
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
