"""A report as Markdown, fit for a pull-request comment. Foreign text cannot act as markup in it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from iamhumans.reports import words
from iamhumans.reports.report import Report
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
    yield ""
    yield from _table(("Case", "Subject", "Judge", "Total", "Verdict", "Why"), _rows(report))
    if report.digest.count > len(report.digest.rows):
        yield f"\n{report.digest.count - len(report.digest.rows)} more judgements are not shown."
    yield ""
    heads = [for_markdown(" / ".join(filter(None, (group.subject, group.judge)))) for group in report.groups]
    yield from _table(("Axis mean, where at stake", *heads), _axes(report))
    found = list(words.differences(report))
    if found:
        yield ""
        yield f"Totals that do not follow from the judge's own answers: {report.digest.differences}"
        yield ""
        yield from (f"- {for_markdown(words.name_of(row))}: {for_markdown(what)}" for row, what in found)
    for caution in words.cautions(report.summary):
        yield ""
        yield for_markdown(caution)


def _headline(report: Report) -> Iterator[Sequence[str]]:
    for group in report.groups:
        summary = group.summary
        yield (
            for_markdown(group.subject or words.NOTHING),
            for_markdown(group.judge),
            words.rate(summary.zero_rate),
            words.mean(summary.mean_of_rest),
            words.rate(summary.pass_rate),
            words.coverage(summary),
        )


def _rows(report: Report) -> Iterator[Sequence[str]]:
    for row in report.digest.rows:
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
            *(words.axis_mean(group.summary.axes[name], group.summary.cases) for group in report.groups),
        )


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(heads)} |"
    yield f"|{' --- |' * len(heads)}"
    for row in rows:
        yield f"| {' | '.join(row)} |"
