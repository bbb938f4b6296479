"""A comparison of two runs in blocks. Its sentences follow from the p-values that the tables show."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil
from typing import TYPE_CHECKING, Any

from iamhumans.decisions.compare import HEADLINE_LEVEL, REST, ZEROED, Comparison, Moved
from iamhumans.reports.blocks import Block, Heading, Items, Paragraph, Span, Table
from iamhumans.reports.figures import NOTHING, counted, number, share
from iamhumans.text import one_line

if TYPE_CHECKING:
    from iamhumans.stats import Difference

_SHOWN_BELOW = 0.05
_NAME_WIDTH = 38
_REPLY_WIDTH = 400
_MOST_ROWS = 40
_HEADS = ("", "A", "B", "B − A", "interval", "p")


def comparison_blocks(comparison: Comparison) -> list[Block]:
    """What changed, what of that may be chance, and what these cases could have shown."""
    a, b = comparison.a.name, comparison.b.name
    blocks: list[Block] = [Heading(f"{b} against {a}", 1), Items(tuple(_legend(comparison)))]
    headline = [
        ("cases zeroed", comparison.zero_rate, True, comparison.corrected.get(ZEROED)),
        ("mean of the rest", comparison.rest, False, comparison.corrected.get(REST)),
        ("mean total", comparison.mean, False, None),
    ]
    rows = tuple(_row(name, found, rate, p_value) for name, found, rate, p_value in headline if found is not None)
    blocks += [_table("", rows), Items(tuple(comparison_sentences(comparison)))]
    flags = [flag for flag in comparison.flags if flag.difference.rose or flag.difference.fell]
    parts = (
        (
            f"Hard fails, share of replies (p corrected for {len(comparison.flags)} hard fails)",
            tuple(_row(flag.name, flag.difference, True, flag.p_value) for flag in flags),
        ),
        ("Axes, where at stake", tuple(_row(name, found) for name, found in comparison.axes.items())),
        ("Mean total by dimension", tuple(_row(name, parts.mean) for name, parts in comparison.dimensions.items())),
    )
    for title, rows in parts:
        blocks += [_table(title, rows[:_MOST_ROWS])] if rows else []
    if comparison.moved:
        blocks.append(Heading("Cases that moved most"))
    for moved in comparison.moved:
        blocks += _moved(moved)
    return blocks


def comparison_document(comparison: Comparison) -> dict[str, Any]:
    """The comparison with its sentences, for JSON."""
    return {**comparison.to_dict(), "sentences": list(comparison_sentences(comparison))}


def _legend(comparison: Comparison) -> Iterator[str]:
    for letter, run in (("A", comparison.a), ("B", comparison.b)):
        of = f" ({one_line(run.subjects[0], 60)})" if len(run.subjects) == 1 and ":" not in run.name else ""
        judgements = ""
        if run.judgements_asked > run.asked:
            judgements = f", by {run.judgements} of {run.judgements_asked} judgements"
        yield f"{letter} is run {run.name}{of}: {len(run.judged)} of {run.asked} replies judged{judgements}."
    yield f"{counted(comparison.shared, 'case')} judged in both runs.{_left_out(comparison)}"
    if comparison.across:
        yield f"The runs differ in {' and '.join(comparison.across)}, so the figures may not show progress."
    if comparison.zero_rate is None or comparison.rest is None:
        unseen = dict.fromkeys((*comparison.a.unseen, *comparison.b.unseen))
        yield f"Figures that need these criteria are not given, since a judge cannot see them: {', '.join(unseen)}."
    yield (
        f"The intervals of cases zeroed and mean of the rest are {100 * HEADLINE_LEVEL:g} % each, so that both hold"
        " together with 95 %; all others are 95 %, each alone. The p of those two is corrected for two tests. pp is"
        " percentage points."
    )


def _left_out(comparison: Comparison) -> str:
    matching = comparison.matching
    counts = {
        "whose text changed between the runs": len(matching.changed),
        "only in A": matching.only_a,
        "only in B": matching.only_b,
        "unjudged in A": matching.unjudged_a,
        "unjudged in B": matching.unjudged_b,
    }
    parts = [f"{count} {what}" for what, count in counts.items() if count]
    return f" Not compared: {', '.join(parts)}." if parts else ""


def comparison_sentences(comparison: Comparison) -> Iterator[str]:
    """Whether there is a change, and what could have been shown."""
    zeroed, rest = comparison.zero_rate, comparison.rest
    if zeroed is not None:
        said = _change(
            zeroed, comparison.corrected.get(ZEROED), "B has more zeroed cases.", "B has fewer zeroed cases."
        )
        yield f"Cases zeroed: {said}"
    if rest is not None and rest.difference.n_cases:
        said = _change(rest, comparison.corrected.get(REST), "B is better.", "B is worse.")
        yield f"Mean of the rest: {said}"
    elif rest is not None:
        yield "Mean of the rest: no case has a reply without a hard fail in both runs, so there is nothing to compare."
    for flag in comparison.flags:
        if flag.p_value is not None and flag.p_value <= _SHOWN_BELOW:
            more = "more" if (flag.difference.difference.value or 0.0) > 0 else "less"
            yield f"{flag.name}: a change is shown ({_p(flag.p_value)}). B does it {more} often."
    if zeroed is not None:
        smallest = _smallest(comparison.smallest_zero_rate, comparison.shared, rate=True)
        yield f"Smallest change in cases zeroed: {smallest}"
    if rest is not None:
        yield f"Smallest change in the mean of the rest: {_smallest_rest(rest, comparison.smallest_rest)}"
    for name, found in (("cases zeroed", zeroed), ("mean of the rest", rest), ("mean total", comparison.mean)):
        if found and found.difference.withheld and (found.difference.n_cases or found is not rest):
            yield f"No interval for {name}: {found.difference.withheld}"


def _change(found: Difference, p_value: float | None, up: str, down: str) -> str:
    changed = found.rose + found.fell
    if p_value is None:
        return "there is nothing to compare."
    if not changed:
        return f"none of {counted(found.difference.n_cases, 'case')} changed."
    if p_value <= _SHOWN_BELOW:
        return f"a change is shown ({_p(p_value)}). {up if (found.difference.value or 0.0) > 0 else down}"
    if 2 * 0.5**changed > _SHOWN_BELOW:
        few = f"only {counted(changed, 'case')} changed, too few to tell a change from chance"
        return f"{few}. At least six must change in the same direction."
    return f"no change is shown: {_p(p_value)} is above {_SHOWN_BELOW}, so it may be chance."


def _p(value: float) -> str:
    return "p < 0.001" if value < 0.001 else f"p = {value:.3f}"


def _smallest(smallest: float | None, cases: int, *, rate: bool = False) -> str:
    if smallest is None:
        return f"{counted(cases, 'case')} cannot show any change."
    size = f"{min(100, ceil(100 * smallest - 1e-9))} percentage points" if rate else f"{_up(smallest):.1f} points"
    return f"{counted(cases, 'case')} show a change of {size} or more with a probability of at least 80 %."


def _up(value: float) -> float:
    return ceil(value * 10 - 1e-9) / 10


def _smallest_rest(rest: Difference, smallest: float | None) -> str:
    count = rest.difference.n_cases
    if smallest is None and count and not (rest.rose or rest.fell):
        return f"unknown, since none of {counted(count, 'case')} changed."
    return _smallest(smallest, count)


def _table(title: str, rows: tuple[tuple[str, ...], ...]) -> Table:
    with_p = any(row[-1] for row in rows)
    width = len(_HEADS) if with_p else len(_HEADS) - 1
    return Table(_HEADS[:width], tuple(row[:width] for row in rows), title, right=frozenset((1, 2, 3)))


def _row(name: str, found: Difference, rate: bool = False, p_value: float | None = None) -> tuple[str, ...]:
    estimate = found.difference
    if estimate.low is not None and estimate.high is not None:
        between = f"{_step(estimate.low, rate)} to {_step(estimate.high, rate)}"
    else:
        between = "withheld" if estimate.withheld else NOTHING
    figures = (_value(found.a, rate), _value(found.b, rate), _step(estimate.value, rate) + (" pp" if rate else ""))
    return (
        one_line(name, _NAME_WIDTH),
        *figures,
        between,
        "" if p_value is None else _p(p_value).removeprefix("p ").removeprefix("= "),
    )


def _value(value: float | None, rate: bool) -> str:
    return share(value) if rate and value is not None else number(value, 1)


def _step(value: float | None, rate: bool) -> str:
    return number(100 * value if rate and value is not None else value, 1, sign=True)


def _moved(moved: Moved) -> Iterator[Block]:
    head = f"{one_line(moved.case_id, 60)}  {moved.total_a:.0f} → {moved.total_b:.0f}"
    yield Paragraph((Span(head, "strong"), Span(f"  {one_line(moved.title, 80)}")))
    for letter, reply in (("A", moved.reply_a), ("B", moved.reply_b)):
        if reply.text is not None:
            fails = f" {', '.join(reply.hard_fails)}" if reply.hard_fails else ""
            number_of = f" #{reply.number}" if reply.number > 1 else ""
            yield Paragraph(f"{letter}{number_of} {reply.total}{fails}: {one_line(reply.text, _REPLY_WIDTH)}", 1)
    if moved.held_out and moved.title.startswith("sha256:"):
        yield Paragraph(Span("held out: its texts are shown only with --holdout --reason", "faint"), 1)
