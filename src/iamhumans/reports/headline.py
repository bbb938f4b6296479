"""The headline of a report, the same in every output: a sentence, a table, the profile of the axes, and what it cost.

A mean total never comes alone: free tens hide what matters, so the applicable total and the axes are beside it.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from iamhumans.reports.blocks import Block, Paragraph, Span, Table
from iamhumans.reports.figures import NOTHING, counted, interval, number, rate
from iamhumans.reports.report import Group, Report
from iamhumans.runs.journal.spent import Spent
from iamhumans.stats import Estimate, Summary

FIGURES: Mapping[str, tuple[str, bool]] = {
    "flagged_rate": ("flagged", True),
    "zero_rate": ("zero rate", True),
    "pass_rate": ("pass rate", True),
    "mean_applicable_total": ("applicable total", False),
    "mean_total": ("total", False),
}
"""The figures of the headline, in its order: the name, and whether it is a rate.

The flagged rate is shown only where a judge cannot see every criterion, since it is the zero rate elsewhere.
"""
COUNTS = ("asked", "judged", "replies_asked", "replies_judged", "cases", "zeroed")
_UNJUDGED = (
    "With the unjudged: the figure if every unjudged reply had the lowest or the highest value. A judge may refuse bad"
    " replies more often than good ones."
)
_MOST_GROUPS = 20
_WIDE = 3.0  # points; the ends of a wider interval need no decimals


class Names:
    """How subjects and judges are called in tables, and which of them a table needs."""

    def __init__(self, report: Report) -> None:
        both = (("subject", report.subjects), ("judge", report.judges))
        self.heads = tuple(head for head, several in both if len(several) > 1)

    def of(self, one: Any) -> tuple[str, ...]:
        """The cells that say whose reply was judged by whom, where there is a choice."""
        return tuple(getattr(one, head) or NOTHING for head in self.heads)


def headline_sentence(report: Report) -> str:
    """The headline in a sentence."""
    groups = report.digest.panels or report.groups
    if not groups:
        return "Nothing was judged."
    if len(groups) == 1:
        panel = f" by a panel of {counted(len(report.judges), 'judge')}" if report.digest.panels else ""
        return _sentence(groups[0], report, panel)
    summary = report.summary
    several = [
        counted(len(names), noun)
        for noun, names in (("subject", report.subjects), ("judge", report.judges))
        if len(names) > 1
    ]
    lows = "; ".join(
        f"{name} {_between(values, as_rate)}"
        for key, (name, as_rate) in _figures(report).items()
        if len(values := [shown for group in groups if (shown := _given(group, key)) is not None])
    )
    seen = ", by the criteria that the judge sees" if summary.unseen else ""
    counts = f"{_judged(summary)} judged, {' and '.join(several)}"
    return f"{counts}: {lows or 'no figure is given'}{seen}."


def _figures(report: Report) -> Mapping[str, tuple[str, bool]]:
    unseen = report.summary.unseen
    return {key: figure for key, figure in FIGURES.items() if unseen or key != "flagged_rate"}


def _between(values: Sequence[float], as_rate: bool) -> str:
    ends = [rate(value) if as_rate else number(value, 1) for value in (min(values), max(values))]
    return ends[0] if ends[0] == ends[1] else f"{ends[0]} to {ends[1]}"


def _judged(summary: Summary) -> str:
    """How many replies are judged; where they have several votes, of how many judgements."""
    replies = f"{summary.replies_judged:,} of {summary.replies_asked:,}"
    if summary.asked == summary.replies_asked:
        return replies
    return f"{replies} replies ({summary.judged:,} of {summary.asked:,} judgements)"


def _sentence(group: Group, report: Report, panel: str) -> str:
    summary = group.summary
    judged = f"{_judged(summary)} judged{panel} ({counted(*_units(summary))})"
    if summary.unseen and summary.zero_rate is None:
        seen = "by the criteria that this judge sees"
        return f"{judged}. Flagged: {summary.zeroed:,} of {summary.replies_judged:,}, {seen}."
    figures = {key: name for key, (name, _) in _figures(report).items() if _given(group, key) is not None}
    given = ", ".join(f"{name} {_figure(group, key, long=True)}" for key, name in figures.items())
    return f"{judged}: {given}." if given else f"{judged}."


def _units(summary: Summary) -> tuple[int, str]:
    """What intervals go over, and how many there are: cases, or the conversations of replies without a case."""
    return (summary.clusters, "conversation") if summary.clusters else (summary.cases, "case")


def _given(group: Group, key: str) -> float | None:
    """The value of a figure, where it is given: a mean needs every axis, the zero rate every hard fail."""
    return group.summary.estimates[key].value


def _figure(group: Group, key: str, *, long: bool = False) -> str:
    """A figure with its interval, and with its own number of cases where it goes over fewer."""
    summary = group.summary
    if _given(group, key) is None:
        return "not covered" if summary.unseen else NOTHING
    found, as_rate = summary.estimates[key], FIGURES[key][1]
    value = rate(found) if as_rate else number(found.value, 1)
    between = _interval(found, as_rate=as_rate, short=not long)
    units, noun = _units(summary)
    fewer = f"; {counted(found.n_cases, noun)}" if long and found.n_cases != units else ""
    if not long and as_rate:
        value = value.removesuffix(" %")
    return f"{value} ({between}{fewer})" if between else value + (f" ({fewer.removeprefix('; ')})" if fewer else "")


def _interval(found: Estimate, *, as_rate: bool, short: bool) -> str:
    """The interval alone; a ``short`` one is for a cell, and has whole numbers where it is wide."""
    if found.low is None or found.high is None:
        return ""
    if short and not as_rate and found.high - found.low >= _WIDE:
        return f"{found.low:.0f}–{found.high:.0f}"
    between = interval(found, as_rate=as_rate).removesuffix(" %")
    return between.replace(" to ", "–") if short else between


def headline_blocks(report: Report, names: Names) -> Iterator[Block]:
    """The sentence, and the table: a row for each figure, or for each subject and judge where there are several."""
    yield Paragraph(Span(headline_sentence(report), "strong"))
    if len(report.groups) == 1:
        yield _of_one(report)
    else:
        yield _of_several(report, names)
        yield from _unjudged_of_several(report, names)
    if any(group.summary.with_unjudged for group in report.headline_groups):
        yield Paragraph(Span(_UNJUDGED, "faint"))
    for judge in report.judges:
        own = [group.summary for group in report.groups if group.judge == judge]
        if any(one.unseen for one in own):
            yield Paragraph(unseen_sentence(own, report, judge if len(report.judges) > 1 else "This judge"))
    if len(report.headline_groups) > _MOST_GROUPS:
        more = len(report.headline_groups) - _MOST_GROUPS
        yield Paragraph(Span(f"{more} more subjects and judges are not shown; use --json to see all.", "faint"))


def unseen_sentence(summaries: Sequence[Summary], report: Report, judge: str) -> str:
    """What a judge cannot see, so that its silence is not taken for praise."""
    unseen = {name for one in summaries for name in one.unseen}
    rubric = report.rubric
    axes, flags = ([name for name in ids if name in unseen] for ids in (rubric.axis_ids, rubric.hard_fail_ids))
    parts = [f"cannot score {', '.join(axes)}"] if axes else []
    parts += [f"does not see every {', '.join(flags)}: where it finds none, there may still be one"] if flags else []
    return f"{judge} {'; it '.join(parts)}."


def _of_one(report: Report) -> Table:
    group = report.groups[0]
    summary, rows = group.summary, []
    for key, (name, as_rate) in _figures(report).items():
        found, given = summary.estimates[key], _given(group, key) is not None
        value = (rate(found) if as_rate else number(found.value, 1)) if given else "not covered"
        if found.value is None and not group.summary.unseen:
            value = NOTHING
        between = interval(found, as_rate=as_rate) if given else NOTHING
        ends = _with_unjudged(summary, key) if given else NOTHING
        rows.append((name, value, between, ends, f"{found.n_cases:,}" if given else NOTHING))
    units, noun = _units(summary)
    rows.append(("judged", f"{summary.replies_judged:,} of {summary.replies_asked:,}", "", "", f"{units:,}"))
    if summary.asked != summary.replies_asked:
        rows.append(("judgements", f"{summary.judged:,} of {summary.asked:,}", "", "", ""))
    heads = ("", "", "95 % interval", "with the unjudged", f"{noun}s")
    columns = range(len(heads)) if summary.with_unjudged else (0, 1, 2, 4)
    heads_and_rows = [tuple(row[column] for column in columns) for row in (heads, *rows)]
    return Table(heads_and_rows[0], tuple(heads_and_rows[1:]), right=frozenset(range(1, len(columns))))


def _with_unjudged(summary: Summary, key: str) -> str:
    """A figure with the unjudged replies counted as the lowest and as the highest value."""
    low, high = summary.with_unjudged.get(key, (None, None))
    if low is None or high is None:
        return NOTHING
    if FIGURES[key][1]:
        return f"{rate(low).removesuffix(' %')} to {rate(high)}"
    return f"{number(low, 1)} to {number(high, 1)}"


def _of_several(report: Report, names: Names) -> Table:
    keys = [key for key in _figures(report) if any(_given(group, key) is not None for group in report.headline_groups)]
    figures = [name + (" %" if as_rate else "") for name, as_rate in (FIGURES[key] for key in keys)]
    units = f"{_units(report.summary)[1]}s"
    heads = (*names.heads, "judged", units, *figures)
    rows = []
    for group in report.headline_groups[:_MOST_GROUPS]:
        one = group.summary
        counts = (f"{one.replies_judged}/{one.replies_asked}", f"{_units(one)[0]:,}")
        rows.append((*names.of(group), *counts, *(_figure(group, key) for key in keys)))
    count = len(names.heads)
    title = f"With 95 % intervals, over {units}"
    return Table(heads, tuple(rows), title, right=frozenset(range(count, len(heads))), names=count)


def _unjudged_of_several(report: Report, names: Names) -> Iterator[Table]:
    """The figures of each subject and judge with the unjudged replies, where some are unjudged."""
    groups = [one for one in report.headline_groups[:_MOST_GROUPS] if one.summary.with_unjudged]
    keys = [key for key in _figures(report) if any(key in one.summary.with_unjudged for one in groups)]
    heads, count = (*names.heads, *(FIGURES[key][0] for key in keys)), len(names.heads)
    rows = tuple((*names.of(one), *(_with_unjudged(one.summary, key) for key in keys)) for one in groups)
    if rows:
        title = "With the unjudged replies"
        yield Table(heads, rows, title, right=frozenset(range(count, len(heads))), names=count)


def axes_blocks(report: Report, names: Names) -> Iterator[Block]:
    """The profile of the axes: their means over the cases in which they were at stake."""
    if any(set(report.rubric.axis_ids) - set(group.summary.unseen) for group in report.groups):
        yield _axes_table(report, names)


def _axes_table(report: Report, names: Names) -> Table:
    title = "Axis profile (0 to 10; cases where the axis applies)"
    groups = report.headline_groups[:_MOST_GROUPS]
    if len(groups) == 1:
        rows = [(name, *_axis(groups[0], name)) for name in report.rubric.axis_ids]
        return Table(("axis", "mean", "95 % interval", "cases"), tuple(rows), title, right=frozenset((1, 2, 3)))
    several = tuple((*names.of(group), *(_axis(group, name)[0] for name in report.rubric.axis_ids)) for group in groups)
    heads, count = (*names.heads, *(axis.title.lower() for axis in report.rubric.axes)), len(names.heads)
    return Table(heads, several, title, right=frozenset(range(count, len(heads))), names=count)


def _axis(group: Group, name: str) -> tuple[str, str, str]:
    found = group.summary.estimates[name]
    if found.value is None:
        return "not covered" if name in group.summary.unseen else NOTHING, "", ""
    return number(found.value, 1), interval(found), f"{found.n_cases:,}"


def spent_blocks(spent: Sequence[Spent]) -> Iterator[Block]:
    """Tokens, cost and time, for each subject and each judge that asked a model."""
    if not spent:
        return
    heads = ("", "calls", "prompt tokens", "of them cached", "completion tokens", "cost", "a call")
    rows = tuple(
        (
            f"{one.role} {one.name}",
            f"{one.calls:,}" + (f" ({one.failed:,} failed)" if one.failed else ""),
            _least(f"{one.prompt_tokens:,}", one.tokens_at_least),
            f"{one.cached_tokens:,}",
            _least(f"{one.completion_tokens:,}", one.tokens_at_least),
            cost_text(one),
            f"{one.seconds / max(one.calls, 1):.2g} s",
        )
        for one in spent
    )
    yield Table(heads, rows, "Tokens, cost and time", right=frozenset(range(1, len(heads))), names=1)


def cost_text(one: Spent) -> str:
    """What calls cost, with "at least" where a price is not known."""
    if one.cost_at_least and not one.cost:
        return "unknown"
    return _least(f"{one.cost:.4g}", one.cost_at_least)


def _least(text: str, at_least: bool) -> str:
    return f"at least {text}" if at_least else text


def headline_document(report: Report) -> dict[str, Any]:
    """The headline for programs: the sentence, and for each subject and judge the figures that are given."""
    return {
        "sentence": headline_sentence(report),
        "groups": [
            {
                "subject": group.subject,
                "judge": group.judge,
                **{name: getattr(group.summary, name) for name in COUNTS},
                **{
                    key: asdict(group.summary.estimates[key]) if _given(group, key) is not None else None
                    for key in FIGURES
                },
            }
            for group in report.headline_groups
        ],
    }
