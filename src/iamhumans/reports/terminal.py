"""A report for a terminal. Foreign text is made harmless before it is printed, and never read as markup."""

from __future__ import annotations

from collections.abc import Sequence
from typing import IO

from rich.console import Console, RenderableType
from rich.console import Group as Stack
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from iamhumans.reports import words
from iamhumans.reports.report import Group, Report
from iamhumans.runs.records import JudgedRow
from iamhumans.text import one_line
from iamhumans.verdicts import Verdict

_MOST_ROWS = 60
_MOST_REASONS = 12
_QUOTE_WIDTH = 150


def print_report(report: Report, file: IO[str] | None = None, *, width: int | None = None) -> None:
    """Print headline, a line for each judgement, the reasons of failures, axis means, and what the judge misclaimed."""
    console = Console(file=file, width=width, highlight=False, soft_wrap=False)
    console.print(Text(one_line(report.title), style="bold"))
    rubric = report.rubric
    console.print(Text(f"rubric {rubric.name} {rubric.hash[:12]}, PASS from {rubric.scoring.pass_mark}", style="dim"))
    for part in (_headline(report), _rows(report), _failures(report), _axes(report), _misclaims(report)):
        if part is not None:
            console.print()
            console.print(part)
    _print_cautions(console, report)


def _headline(report: Report) -> RenderableType:
    table = _table("subject", "judge", "cases zeroed", "mean of the rest", "pass", "judged", right={2, 3, 4, 5})
    for group in report.groups:
        table.add_row(*(_plain(cell) for cell in _headline_cells(group)))
    return table


def _headline_cells(group: Group) -> Sequence[str]:
    summary = group.summary
    return (
        group.subject or words.NOTHING,
        group.judge,
        words.rate(summary.zero_rate),
        words.mean(summary.mean_of_rest),
        words.rate(summary.pass_rate),
        words.coverage(summary),
    )


def _rows(report: Report) -> RenderableType | None:
    """A line for each judgement; of very many only those that did not pass."""
    shown = report.rows
    left_out = 0
    if len(shown) > _MOST_ROWS:
        shown = [row for row in report.rows if row.score is None or row.score.outcome == "FAIL"][:_MOST_ROWS]
        left_out = len(report.rows) - len(shown)
    several_judges = len({row.judge for row in report.rows}) > 1
    table = _table(
        "case", "subject", *(["judge"] if several_judges else []), "total", "", "why", right={2 + several_judges}
    )
    for row in shown:
        cells = [words.name_of(row), row.task.reply.subject or words.NOTHING, *([row.judge] if several_judges else [])]
        total, outcome = _outcome(row)
        table.add_row(*(_plain(cell) for cell in cells), total, outcome, _plain(_why(row)))
    if not left_out:
        return table
    return Stack(table, Text(f"{left_out} more judgements are not shown here; --json holds them all.", style="dim"))


def _outcome(row: JudgedRow) -> tuple[Text, Text]:
    if row.score is None:
        return Text(words.NOTHING), Text("unjudged", style="yellow")
    style = "green" if row.score.outcome == "PASS" else "red"
    return Text(str(row.score.total), style=style), Text(row.score.outcome, style=style)


def _why(row: JudgedRow) -> str:
    if row.score is None:
        return words.unjudged_reason(row)
    flags = [name if confirmed else f"{name} (unconfirmed)" for name, _, confirmed in words.flag_lines(row)]
    return ", ".join(flags) or words.low_axes(row)


def _failures(report: Report) -> RenderableType | None:
    """The words that the zeroed replies were zeroed for, and the judge's notes."""
    failed = [row for row in report.rows if row.score is not None and row.score.outcome == "FAIL"]
    if not failed:
        return None
    parts: list[RenderableType] = [Text("Why they failed", style="bold")]
    parts.extend(_failure(row) for row in failed[:_MOST_REASONS])
    if len(failed) > _MOST_REASONS:
        parts.append(Text(f"and {len(failed) - _MOST_REASONS} more; --json holds them all.", style="dim"))
    return Stack(*parts)


def _failure(row: JudgedRow) -> RenderableType:
    head = Text(one_line(f"{words.name_of(row)} {row.task.reply.subject}".strip()), style="bold")
    if row.task.case.title:
        head.append(f"  {one_line(row.task.case.title, 80)}", style="dim")
    lines = [head]
    for name, quote, confirmed in words.flag_lines(row):
        line = Text(f"  {name}: ", style="red")
        shown = f"“{one_line(quote, _QUOTE_WIDTH)}”" if quote else "no words given"
        line.append(shown, style="default")
        if not confirmed:
            line.append("  does not stand in the reply", style="yellow")
        lines.append(line)
    if low := words.low_axes(row):
        lines.append(Text(f"  low axes: {low}"))
    notes = row.judgement.notes if isinstance(row.judgement, Verdict) else ""
    parts: list[RenderableType] = list(lines)
    if notes:
        parts.append(Padding(Text(one_line(notes, 400), style="dim"), (0, 0, 0, 2)))
    return Stack(*parts)


def _axes(report: Report) -> RenderableType:
    """Axis means over the cases in which the axis was at stake, a column for each group."""
    heads = [" / ".join(part for part in (group.subject, group.judge) if part) for group in report.groups]
    one_judge = len({group.judge for group in report.groups}) == 1
    if one_judge and len(report.groups) > 1:
        heads = [group.subject or words.NOTHING for group in report.groups]
    table = _table("axis means (where at stake)", *heads, right=set(range(1, len(heads) + 1)))
    for name in report.rubric.axis_ids:
        cells = []
        for group in report.groups:
            axis = group.summary.axes[name]
            cells.append(
                words.mean(axis.mean) if axis.cases == group.summary.cases else _partial(axis.mean, axis.cases)
            )
        table.add_row(_plain(name), *(_plain(cell) for cell in cells))
    return table


def _partial(value: float | None, cases: int) -> str:
    return words.NOTHING if value is None else f"{words.mean(value)} ({cases} cases)"


def _misclaims(report: Report) -> RenderableType | None:
    found = list(words.differences(report))
    if not found:
        return None
    lines = [Text(f"Totals that do not follow from the judge's own answers: {len(found)}", style="bold")]
    for row, what in found[:_MOST_REASONS]:
        lines.append(Text(f"  {one_line(words.name_of(row))} {one_line(row.judge)}: {what}"))
    if len(found) > _MOST_REASONS:
        lines.append(Text(f"  and {len(found) - _MOST_REASONS} more", style="dim"))
    return Stack(*lines)


def _print_cautions(console: Console, report: Report) -> None:
    found = list(words.cautions(report.summary))
    if found:
        console.print()
    for caution in found:
        console.print(Text(caution, style="yellow"))


def _table(*heads: str, right: set[int]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))
    for index, head in enumerate(heads):
        last = index == len(heads) - 1
        table.add_column(
            Text(one_line(head)),
            justify="right" if index in right else "left",
            overflow="fold" if last else "ellipsis",
            no_wrap=not last,
        )
    return table


def _plain(text: str) -> Text:
    return Text(one_line(text))
