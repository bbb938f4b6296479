"""A report in blocks: headline, a row for each judgement, why replies failed, axis means, contradictions, cautions."""

from collections.abc import Iterator, Sequence

from iamhumans.reports.blocks import Block, Heading, Line, Paragraph, Span, Table
from iamhumans.reports.figures import NOTHING, counted, ending, number, of_cases, short_names
from iamhumans.reports.panel import panel_blocks
from iamhumans.reports.report import MOST_ROWS, Group, Report
from iamhumans.stats import AxisMean
from iamhumans.text import one_line
from iamhumans.verdicts import Judgement

RULES = "rules"
_MOST_GROUPS = 20
_MOST_REASONS = 12
_NAME_WIDTH = 20
_QUOTE_WIDTH = 150
_NOTES_WIDTH = 230
_LOW = 8
_MORE = "not shown here; --json holds them all."


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
    return blocks + (panel_blocks(report.panel) if report.panel is not None else [])


class _Names:
    """Short names of the subjects and judges of a report, and which of them its tables need."""

    def __init__(self, report: Report) -> None:
        self.judges = short_names(report.judges, _NAME_WIDTH)
        self.subjects = short_names((subject or NOTHING for subject in report.subjects), _NAME_WIDTH)
        both = (("subject", self.subjects), ("judge", self.judges))
        self.heads = tuple(head for head, several in both if len(several) > 1)

    def of(self, one: Group | Judgement) -> tuple[str, ...]:
        """The cells that say whose reply was judged by whom, where there is a choice."""
        cells = {"subject": self.subjects[one.subject or NOTHING], "judge": self.judges[one.judge]}
        return tuple(cells[head] for head in self.heads)

    def case_of(self, one: Judgement) -> str:
        """The case, with the numbers of the reply and the repeat where there are several."""
        numbered = f" #{one.number}" if one.number > 1 else ""
        repeat = f" ({one.repeat})" if one.repeat > 1 else ""
        return ending(f"{one.case_id or NOTHING}{numbered}{repeat}", _NAME_WIDTH)


def _headline(report: Report, names: _Names) -> Iterator[Block]:
    heads, unseen = (*names.heads, "cases zeroed", "mean of the rest", "pass", "judged"), report.digest.unseen
    rows = []
    for group in report.groups[:_MOST_GROUPS]:
        one = group.summary
        zeroed, rest = (
            of_cases(one.zero_rate, one.cases),
            (number(one.mean_of_rest, 1), of_cases(one.pass_rate, one.cases)),
        )
        if unseen.intersection(report.rubric.hard_fail_ids):
            zeroed = f"flagged: {one.zeroed} of {one.judged}"
        rows.append(
            (*names.of(group), zeroed, *((NOTHING, NOTHING) if unseen else rest), f"{one.judged} of {one.asked}")
        )
    yield Table(heads, tuple(rows), right=frozenset(range(len(names.heads), len(heads))))
    for short in (names.subjects, names.judges) if names.heads else ():
        yield from (Paragraph(Span(f"{look} is {name}", "faint")) for name, look in short.items() if name != look)
    if len(report.groups) > _MOST_GROUPS:
        more = len(report.groups) - _MOST_GROUPS
        yield Paragraph(Span(f"{more} more subjects and judges are {_MORE}", "faint"))


def _rows(report: Report, names: _Names) -> Iterator[Block]:
    digest, count = report.digest, report.summary.asked
    shown = digest.first if count <= MOST_ROWS else digest.failed
    heads = ("case", *names.heads, "total", "", "why")
    if shown:
        rows = tuple((names.case_of(one), *names.of(one), *_result(one), _why(one)) for one in shown)
        yield Table(heads, rows, right=frozenset((len(heads) - 3,)), note_column=len(heads) - 1)
    if count > len(shown):
        yield Paragraph(
            Span(f"{counted(count - len(shown), 'more judgement is', 'more judgements are')} {_MORE}", "faint")
        )


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
    failed = [one for one in report.digest.failed if one.judged][:_MOST_REASONS]
    if failed:
        yield Heading("Why they failed")
    for one in failed:
        head = [Span(" ".join((names.case_of(one), *names.of(one))), "strong")]
        yield Paragraph((*head, *([Span(f"  {one_line(one.title, 80)}", "faint")] if one.title else ())))
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
    left_out = report.digest.failures - report.summary.unjudged - len(failed)
    if failed and left_out:
        yield Paragraph(Span(f"and {left_out:,} more; --json holds them all.", "faint"))


def _axes(report: Report, names: _Names) -> Iterator[Block]:
    """Axis means over the cases in which the axis was at stake."""
    groups = report.groups[:_MOST_GROUPS]

    def mean(axis: AxisMean, cases: int) -> str:
        return number(axis.mean, 1) + ("" if axis.cases in (0, cases) else f" ({counted(axis.cases, 'case')})")

    heads = ("axis", *(" / ".join(names.of(group)) or "mean" for group in groups))
    rows = tuple(
        (name, *(mean(group.summary.axes[name], group.summary.cases) for group in groups))
        for name in report.rubric.axis_ids
    )
    yield Table(heads, rows, "Axis means, where at stake", right=frozenset(range(1, len(heads))))


def _contradictions(report: Report, names: _Names) -> Iterator[Block]:
    digest = report.digest
    if digest.differences:
        yield Heading(f"Totals that do not follow from the judge's own answers: {digest.differences}")
    for one in digest.differing[:_MOST_REASONS]:
        stated: Sequence[object] = (one.stated.total, one.stated.verdict) if one.stated else ()
        said = " ".join(str(part) for part in stated if part is not None)
        judge = f" {names.judges[one.judge]}" if "judge" in names.heads else ""
        without_na = ", without N/A in the mean" if "total_without_na" in (one.differences or ()) else ""
        gives = f"its own answers give {one.total} {one.verdict}"
        yield Paragraph(f"{names.case_of(one)}{judge}: the judge said {said}{without_na}; {gives}", 1)
    if digest.differences > _MOST_REASONS:
        yield Paragraph(Span(f"and {digest.differences - _MOST_REASONS} more", "faint"), 1)


def cautions(report: Report) -> Iterator[str]:
    """What a reader must know before using the figures."""
    summary, rubric = report.summary, report.rubric
    if summary.unconfirmed:
        yield (
            f"{counted(summary.unconfirmed, 'YES has', 'YES have')} no quote that is in the reply. They count; without"
            f" them the mean total is {number(summary.mean_total_confirmed, 1)} instead of"
            f" {number(summary.mean_total, 1)}."
        )
    if summary.repaired:
        yield f"{counted(summary.repaired, 'verdict was', 'verdicts were')} read after repairs to the form."
    yield from (f"{count:,} unjudged: {reason}." for reason, count in summary.reasons.items())
    unseen = [name for name in (*rubric.axis_ids, *rubric.hard_fail_ids) if name in report.digest.unseen]
    if unseen:
        yield f"Flags are counted by the criteria that the judge sees. It does not see {', '.join(unseen)}."
    if RULES in report.judges:
        yield "The rules judge sees only words and layout: a 10 means that it found nothing, not that a reply is good."
