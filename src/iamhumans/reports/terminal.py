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


def print_report(
    report: Report, file: IO[str] | None = None, *, width: int | None = None, color: bool | None = None
) -> None:
    """Print headline, a line for each judgement, the reasons of failures, axis means, and what the judge misclaimed.

    Args:
        report: What to print.
        file: Where to; standard output if not given.
        width: In characters; the terminal's own if not given.
        color: Whether to use colours; where not given, on a terminal only.
    """
    console = Console(file=file, width=width, highlight=False, soft_wrap=False, force_terminal=color)
    console.print(Text(one_line(report.title), style="bold"))
    console.print(Text(one_line(_under(report)), style="dim"))
    for part in (_headline(report), _rows(report), _failures(report), _axes(report), _misclaims(report)):
        if part is not None:
            console.print()
            console.print(part)
    _print_cautions(console, report)


def _headline(report: Report) -> RenderableType:
    heads = ("subject", *_judge_head(report), "cases zeroed", "mean of the rest", "pass", "judged")
    table = _table(*heads, right=set(range(len(heads) - 4, len(heads))))
    for group in report.groups:
        judge = (group.judge,) if _judge_head(report) else ()
        table.add_row(*(_plain(cell) for cell in (group.subject or words.NOTHING, *judge, *_headline_cells(group))))
    return table


def _under(report: Report) -> str:
    """By what it was judged."""
    rubric = report.rubric
    judges = f", judge {report.judges[0]}" if len(report.judges) == 1 else ""
    return f"rubric {rubric.name} {rubric.hash[:12]}, PASS from {rubric.scoring.pass_mark}{judges}"


def _judge_head(report: Report) -> tuple[str, ...]:
    """A column for the judge, where there are several."""
    return ("judge",) if len(report.judges) > 1 else ()


def _headline_cells(group: Group) -> Sequence[str]:
    summary = group.summary
    return (
        _of_cases(summary.zero_rate, summary.cases),
        words.mean(summary.mean_of_rest),
        _of_cases(summary.pass_rate, summary.cases),
        words.coverage(summary),
    )


def _of_cases(rate: float | None, cases: int) -> str:
    """A rate over cases, with the count where it is one: a case may also be zeroed in part of its replies."""
    if rate is None:
        return words.NOTHING
    count = rate * cases
    whole = f"{round(count)} of {cases}, " if abs(count - round(count)) < 1e-9 else ""
    return f"{whole}{words.rate(rate)}"


def _rows(report: Report) -> RenderableType | None:
    """A line for each judgement; of very many only those that did not pass."""
    digest = report.digest
    shown = digest.rows if digest.count <= _MOST_ROWS else digest.failed
    left_out = digest.count - len(shown)
    heads = ("case", "subject", *_judge_head(report), "total", "", "why")
    table = _table(*heads, right={len(heads) - 3})
    for row in shown:
        judge = (row.judge,) if _judge_head(report) else ()
        cells = (words.name_of(row), row.subject or words.NOTHING, *judge)
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
    failed = [row for row in report.digest.failed if row.score is not None]
    if not failed:
        return None
    parts: list[RenderableType] = [Text("Why they failed", style="bold")]
    parts.extend(_failure(row) for row in failed[:_MOST_REASONS])
    if report.digest.failures > _MOST_REASONS:
        parts.append(Text(f"and {report.digest.failures - _MOST_REASONS} more; --json holds them all.", style="dim"))
    return Stack(*parts)


def _failure(row: JudgedRow) -> RenderableType:
    head = Text(one_line(f"{words.name_of(row)} {row.subject}".strip()), style="bold")
    if row.title:
        head.append(f"  {one_line(row.title, 80)}", style="dim")
    details: list[Text] = []
    for name, quote, confirmed in words.flag_lines(row):
        line = Text(f"{name}: ", style="red")
        line.append(f"“{one_line(quote, _QUOTE_WIDTH)}”" if quote else "no words given", style="default")
        if quote and not confirmed:
            line.append("  does not stand in the reply", style="yellow")
        details.append(line)
    if low := words.low_axes(row):
        details.append(Text(f"low axes: {low}"))
    notes = row.judgement.notes if isinstance(row.judgement, Verdict) else ""
    if notes:
        details.append(Text(one_line(notes, 230), style="dim"))
    return Stack(head, *(Padding(detail, (0, 0, 0, 2), expand=False) for detail in details))


def _axes(report: Report) -> RenderableType:
    """Axis means over the cases in which the axis was at stake, a column for each group."""
    several = bool(_judge_head(report))
    heads = [
        " / ".join(filter(None, (group.subject, group.judge))) if several else group.subject or words.NOTHING
        for group in report.groups
    ]
    table = _table("axis means (where at stake)", *heads, right=set(range(1, len(heads) + 1)))
    for name in report.rubric.axis_ids:
        cells = (words.axis_mean(group.summary.axes[name], group.summary.cases) for group in report.groups)
        table.add_row(_plain(name), *(_plain(cell) for cell in cells))
    return table


def _misclaims(report: Report) -> RenderableType | None:
    found = list(words.differences(report))
    if not found:
        return None
    count = report.digest.differences
    lines = [Text(f"Totals that do not follow from the judge's own answers: {count}", style="bold")]
    for row, what in found[:_MOST_REASONS]:
        lines.append(Text(f"  {one_line(words.name_of(row))} {one_line(row.judge)}: {what}"))
    if count > _MOST_REASONS:
        lines.append(Text(f"  and {count - _MOST_REASONS} more", style="dim"))
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
