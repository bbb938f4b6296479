"""A report as Markdown, fit for a pull-request comment. Foreign text cannot act as markup in it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from iamhumans.reports import words
from iamhumans.reports.report import Group, Report
from iamhumans.runs.records import JudgedRow
from iamhumans.text import for_markdown, one_line


def markdown_report(report: Report) -> str:
    """The whole report."""
    return "\n".join(_lines(report)) + "\n"


def _lines(report: Report) -> Iterator[str]:
    rubric = report.rubric
    yield f"## {for_markdown(report.title)}"
    yield ""
    yield f"Rubric `{rubric.name}` `{rubric.hash[:12]}`, PASS from {rubric.scoring.pass_mark}."
    yield ""
    yield from _table(("Subject", "Judge", "Cases zeroed", "Mean of the rest", "Pass", "Judged"), _headline(report))
    if left_out := len(report.groups) - len(_groups(report)):
        yield f"\n{left_out} more subjects and judges are not shown."
    yield ""
    shown = _shown(report)
    if shown:
        yield from _table(("Case", "Subject", "Judge", "Total", "Verdict", "Why"), _rows(shown))
    if left_out := report.digest.count - len(shown):
        yield f"\n{left_out} more judgements are not shown."
    yield ""
    heads = [for_markdown(" / ".join(filter(None, (group.subject, group.judge)))) for group in _groups(report)]
    yield from _table(("Axis mean, where at stake", *heads), _axes(report))
    found = list(words.differences(report))
    if found:
        yield ""
        yield f"Totals that do not follow from the judge's own answers: {report.digest.differences}"
        yield ""
        yield from (f"- {for_markdown(words.name_of(row))}: {for_markdown(what)}" for row, what in found)
    for caution in words.cautions(report):
        yield ""
        yield for_markdown(caution)


def _groups(report: Report) -> Sequence[Group]:
    return report.groups[: words.MOST_GROUPS]


def _shown(report: Report) -> Sequence[JudgedRow]:
    """All rows; of very many only those that did not pass."""
    digest = report.digest
    return digest.rows if digest.count == len(digest.rows) else digest.failed


def _headline(report: Report) -> Iterator[Sequence[str]]:
    for group in _groups(report):
        summary = group.summary
        yield (
            for_markdown(group.subject or words.NOTHING),
            for_markdown(group.judge),
            words.of_cases(summary.zero_rate, summary.cases),
            words.mean(summary.mean_of_rest),
            words.of_cases(summary.pass_rate, summary.cases),
            words.coverage(summary),
        )


def _rows(rows: Iterable[JudgedRow]) -> Iterator[Sequence[str]]:
    for row in rows:
        total, outcome = (str(row.score.total), row.score.outcome) if row.score else (words.NOTHING, "unjudged")
        flags = [
            f"{for_markdown(name)}{': “' + for_markdown(one_line(quote, 150)) + '”' if quote else ''}"
            + ("" if confirmed else " (unconfirmed)")
            for name, quote, confirmed in words.flag_lines(row)
        ]
        why = "; ".join(flags) or for_markdown(words.unjudged_reason(row) or words.low_axes(row))
        yield (
            for_markdown(words.name_of(row)),
            for_markdown(row.subject or words.NOTHING),
            for_markdown(row.judge),
            total,
            outcome,
            why,
        )


def _axes(report: Report) -> Iterator[Sequence[str]]:
    for name in report.rubric.axis_ids:
        yield (
            for_markdown(name),
            *(words.axis_mean(group.summary.axes[name], group.summary.cases) for group in _groups(report)),
        )


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(heads)} |"
    yield f"|{' --- |' * len(heads)}"
    for row in rows:
        yield f"| {' | '.join(row)} |"
