"""A report in blocks: headline, a row for each judgement, why replies failed, axis means, contradictions, cautions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from iamhumans.reports.blocks import Block, Heading, Line, Paragraph, Span, Table
from iamhumans.reports.figures import NOTHING, counted, ending, mean, of_cases, short_names
from iamhumans.reports.panel import panel_blocks
from iamhumans.reports.report import MOST_ROWS, Group, Report
from iamhumans.stats import AxisMean, Summary
from iamhumans.text import one_line
from iamhumans.verdicts import Judgement

RULES = "rules"
_MOST_GROUPS = 20
_MOST_SHOWN = 60
"""With more judgements than this only those that failed are shown."""
_MOST_REASONS = 12
_NAME_WIDTH = 20
_QUOTE_WIDTH = 150
_NOTES_WIDTH = 230
_LOW = 8


def report_blocks(report: Report) -> list[Block]:
    """The report for people."""
    names = _Names(report)
    rubric = report.rubric
    about = [f"rubric {rubric.name} {rubric.hash[:12]}", f"PASS from {rubric.scoring.pass_mark}"]
    about += [f"judge {judge}" for judge in report.judges if len(report.judges) == 1]
    about += [f"subject {subject}" for subject in report.subjects if subject.strip() and len(report.subjects) == 1]
    blocks: list[Block] = [Heading(report.title, 1), Paragraph(Span(", ".join(about), "faint"))]
    for part in (_headline, _rows, _failures, _axes, _contradictions):
        blocks += part(report, names)
    blocks += [Paragraph(Span(caution, "caution")) for caution in cautions(report)]
    return [*blocks, *(panel_blocks(report.panel) if report.panel else ())]


class _Names:
    """Short names of the subjects and judges of a report, and which of them its tables need."""

    def __init__(self, report: Report) -> None:
        self.judges: Mapping[str, str] = short_names(report.judges, _NAME_WIDTH)
        self.subjects = short_names((subject or NOTHING for subject in report.subjects), _NAME_WIDTH)
        self.heads = tuple(
            head for head, several in (("subject", self.subjects), ("judge", self.judges)) if len(several) > 1
        )

    def of(self, one: Group | Judgement) -> tuple[str, ...]:
        """The cells that say whose reply was judged by whom, where there is a choice."""
        cells = {"subject": self.subjects[one.subject or NOTHING], "judge": self.judges[one.judge]}
        return tuple(cells[head] for head in self.heads)

    def case_of(self, one: Judgement) -> str:
        """The case, with the numbers of the reply and the repeat where there are several."""
        number = f" #{one.number}" if one.number > 1 else ""
        repeat = f" ({one.repeat})" if one.repeat > 1 else ""
        return ending(f"{one.case_id or NOTHING}{number}{repeat}", _NAME_WIDTH)


def _headline(report: Report, names: _Names) -> Iterator[Block]:
    heads = (*names.heads, "cases zeroed", "mean of the rest", "pass", "judged")
    rows = tuple(
        (
            *names.of(group),
            _zero_rate(report, group.summary),
            NOTHING if report.digest.unseen else mean(group.summary.mean_of_rest),
            NOTHING if report.digest.unseen else of_cases(group.summary.pass_rate, group.summary.cases),
            f"{group.summary.judged} of {group.summary.asked}",
        )
        for group in report.groups[:_MOST_GROUPS]
    )
    yield Table(heads, rows, right=frozenset(range(len(names.heads), len(heads))))
    for short in (names.subjects, names.judges) if names.heads else ():
        yield from (Paragraph(Span(f"{look} is {name}", "faint")) for name, look in short.items() if name != look)
    if len(report.groups) > _MOST_GROUPS:
        more = len(report.groups) - _MOST_GROUPS
        yield Paragraph(Span(f"{more} more subjects and judges are not shown here; --json holds them all.", "faint"))


def _zero_rate(report: Report, summary: Summary) -> str:
    if report.digest.unseen.intersection(report.rubric.hard_fail_ids):
        return f"flagged: {summary.zeroed} of {summary.judged}"
    return of_cases(summary.zero_rate, summary.cases)


def _rows(report: Report, names: _Names) -> Iterator[Block]:
    digest = report.digest
    all_shown = digest.count <= min(_MOST_SHOWN, MOST_ROWS)
    shown = digest.first if all_shown else digest.failed
    heads = ("case", *names.heads, "total", "", "why")
    rows = tuple((names.case_of(one), *names.of(one), *_result(one), _why(one)) for one in shown)
    if rows:
        yield Table(heads, rows, right=frozenset((len(heads) - 3,)), note_column=len(heads) - 1)
    if digest.count > len(shown):
        more = counted(digest.count - len(shown), "more judgement is", "more judgements are")
        yield Paragraph(Span(f"{more} not shown here; --json holds them all.", "faint"))


def _result(one: Judgement) -> tuple[Line, Line]:
    if not one.judged:
        return NOTHING, Span("unjudged", "caution")
    if one.verdict is None:
        return NOTHING, "no fault found"
    return str(one.total), Span(one.verdict, "good" if one.verdict == "PASS" else "bad")


def _why(one: Judgement) -> str:
    if not one.judged:
        return one_line(f"{one.reason}: {one.detail}" if one.detail else f"{one.reason}", _NOTES_WIDTH)
    unconfirmed = one.unconfirmed
    flags = [f"{name} (unconfirmed)" if name in unconfirmed else name for name in one.present]
    return ", ".join(flags) or _low_axes(one)


def _low_axes(one: Judgement) -> str:
    """The axes that pull a total down, lowest first."""
    low = sorted((value, name) for name, value in (one.axes or {}).items() if value is not None and value < _LOW)
    return ", ".join(f"{name} {value:g}" for value, name in low)


def _failures(report: Report, names: _Names) -> Iterator[Block]:
    """The quotes for which replies were zeroed, and the judge's notes."""
    digest = report.digest
    failed = [one for one in digest.failed if one.judged][:_MOST_REASONS]
    if failed:
        yield Heading("Why they failed")
    for one in failed:
        head = [Span(" ".join((names.case_of(one), *names.of(one))), "strong")]
        yield Paragraph((*head, Span(f"  {one_line(one.title, 80)}", "faint")) if one.title else tuple(head))
        yield from _reasons(one)
    left_out = digest.failures - digest.unjudged - len(failed)
    if failed and left_out:
        yield Paragraph(Span(f"and {left_out} more; --json holds them all.", "faint"))


def _reasons(one: Judgement) -> Iterator[Block]:
    for name in one.present:
        answer = (one.hard_fails or {})[name]
        quote = f"“{one_line(answer.quotes[0], _QUOTE_WIDTH)}”" if answer.quotes else "no quote"
        missing = (Span(" (not in the reply)", "caution"),) if answer.quotes and answer.confirmed is False else ()
        yield Paragraph((Span(f"{name}: ", "bad"), Span(quote), *missing), 1)
    if low := _low_axes(one):
        yield Paragraph(f"low axes: {low}", 1)
    # The notes of the rules repeat the lines above.
    if one.notes and one.judge != RULES:
        yield Paragraph(Span(one_line(one.notes, _NOTES_WIDTH), "faint"), 1)


def _axes(report: Report, names: _Names) -> Iterator[Block]:
    """Axis means over the cases in which the axis was at stake."""
    groups = report.groups[:_MOST_GROUPS]
    heads = ("axis", *(" / ".join(names.of(group)) or "mean" for group in groups))
    rows = tuple(
        (name, *(_axis_mean(group.summary.axes[name], group.summary.cases) for group in groups))
        for name in report.rubric.axis_ids
    )
    yield Table(heads, rows, "Axis means, where at stake", right=frozenset(range(1, len(heads))))


def _axis_mean(axis: AxisMean, cases: int) -> str:
    return mean(axis.mean) if axis.cases in (0, cases) else f"{mean(axis.mean)} ({counted(axis.cases, 'case')})"


def _contradictions(report: Report, names: _Names) -> Iterator[Block]:
    digest = report.digest
    if not digest.differences:
        return
    yield Heading(f"Totals that do not follow from the judge's own answers: {digest.differences}")
    for one in digest.differing[:_MOST_REASONS]:
        stated = (one.stated.total, one.stated.verdict) if one.stated else ()
        said = " ".join(str(part) for part in stated if part is not None)
        judge = f" {names.judges[one.judge]}" if "judge" in names.heads else ""
        gives = f"its own answers give {one.total} {one.verdict}"
        yield Paragraph(f"{names.case_of(one)}{judge}: the judge said {said}; {gives}", 1)
    if digest.differences > _MOST_REASONS:
        yield Paragraph(Span(f"and {digest.differences - _MOST_REASONS} more", "faint"), 1)


def cautions(report: Report) -> Iterator[str]:
    """What a reader must know before using the figures."""
    summary = report.summary
    if summary.unconfirmed:
        count = counted(summary.unconfirmed, "YES has", "YES have")
        yield (
            f"{count} no quote that is in the reply. They count; without them the mean total is"
            f" {mean(summary.mean_total_confirmed)} instead of {mean(summary.mean_total)}."
        )
    if summary.repaired:
        yield f"{counted(summary.repaired, 'verdict was', 'verdicts were')} read after repairs to the form."
    yield from (f"{count:,} unjudged: {reason}." for reason, count in summary.reasons.items())
    if summary.judged and summary.zero_rate is None:
        yield "The judge does not see every criterion: flags are counted by the criteria that it sees."
    if RULES in report.judges:
        yield "The rules judge sees only words and layout: a 10 means that it found nothing, not that a reply is good."
