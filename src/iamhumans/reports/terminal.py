"""A report for a terminal. Foreign text is made harmless before it is printed, and never read as markup."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import IO

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from iamhumans.reports import words
from iamhumans.reports.columns import columns, with_remarks
from iamhumans.reports.names import ending, short_names
from iamhumans.reports.report import Group, Report
from iamhumans.runs.records import JudgedRow
from iamhumans.text import one_line
from iamhumans.verdicts import Verdict

_MOST_ROWS = 60
_MOST_REASONS = 12
_QUOTE_WIDTH = 150
_NOTES_WIDTH = 230
_FIGURES = ("cases zeroed", "mean of the rest", "pass", "judged")
_AXES = "axis means (where at stake)"


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
    file = file or sys.stdout
    console = Console(file=file, width=width, highlight=False, soft_wrap=False, force_terminal=color)
    # What is printed is collected first: rich would pad lines with blanks, and end the program where nobody reads on.
    with console.capture() as captured:
        _Printer(report, console).print_all()
    text = captured.get()
    if not console.is_terminal:
        text = "\n".join(line.rstrip() for line in text.split("\n"))
    file.write(text)


@dataclass(frozen=True)
class _Printer:
    """Prints the parts of one report."""

    report: Report
    console: Console

    def print_all(self) -> None:
        self._paragraph(Text(one_line(self.report.title), style="bold"))
        self._paragraph(Text(one_line(self._by_what()), style="dim"))
        parts = (self._headline, self._rows, self._failures, self._axes, self._misclaims, self._cautions)
        for part in parts:
            self._part(part())

    def _part(self, lines: Iterator[Text | Padding]) -> None:
        for index, line in enumerate(lines):
            if index == 0:
                self.console.print()
            self._paragraph(line)

    def _paragraph(self, text: Text | Padding) -> None:
        self.console.print(text)

    # Who is who.

    @cached_property
    def _groups(self) -> Sequence[Group]:
        return self.report.groups[: words.MOST_GROUPS]

    @cached_property
    def _limit(self) -> int:
        """How long a name may be in a column."""
        width = self.console.width
        return 28 if width >= 100 else 20 if width >= 80 else 14

    @cached_property
    def _judges(self) -> Mapping[str, str]:
        return short_names(self.report.judges, self._limit)

    @cached_property
    def _subjects(self) -> Mapping[str, str]:
        return short_names((subject or words.NOTHING for subject in self.report.subjects), self._limit)

    def _who(self, subject: str, judge: str) -> tuple[str, ...]:
        """The cells that say whose reply was judged by whom, as far as there is a choice."""
        cells = (self._subjects[subject or words.NOTHING],) if self._several_subjects else ()
        return (*cells, self._judges[judge]) if self._several_judges else cells

    def _full(self, group: Group) -> tuple[str, ...]:
        """The names that :meth:`_who` may shorten."""
        subject = (one_line(group.subject) or words.NOTHING,) if self._several_subjects else ()
        return (*subject, one_line(group.judge)) if self._several_judges else subject

    def _name(self, row: JudgedRow) -> tuple[str, ...]:
        return (ending(words.name_of(row), self._limit), *self._who(row.subject, row.judge))

    @property
    def _who_heads(self) -> tuple[str, ...]:
        heads = ("subject",) if self._several_subjects else ()
        return (*heads, "judge") if self._several_judges else heads

    @property
    def _several_subjects(self) -> bool:
        return len(self.report.subjects) > 1

    @property
    def _several_judges(self) -> bool:
        return len(self.report.judges) > 1

    def _by_what(self) -> str:
        rubric = self.report.rubric
        parts = [f"rubric {rubric.name} {rubric.hash[:12]}", f"PASS from {rubric.scoring.pass_mark}"]
        parts += [f"judge {judge}" for judge in self.report.judges if not self._several_judges]
        parts += [
            f"subject {subject}" for subject in self.report.subjects if subject.strip() and not self._several_subjects
        ]
        return ", ".join(parts)

    # The parts.

    def _headline(self) -> Iterator[Text | Padding]:
        heads = (*self._who_heads, *_FIGURES)
        rows = [
            tuple(map(Text, (*self._who(group.subject, group.judge), *_figures(group, colon=False))))
            for group in self._groups
        ]
        table = columns(heads, rows, right=range(len(self._who_heads), len(heads)), room=self.console.width)
        if table is None:
            yield from self._headline_in_words()
        else:
            yield from table
            yield from self._legend()
        left_out = len(self.report.groups) - len(self._groups)
        if left_out:
            yield Text(f"{left_out} more subjects and judges are not shown here; --json holds them all.", style="dim")

    def _headline_in_words(self) -> Iterator[Text | Padding]:
        """For a narrow terminal: a paragraph for each group."""
        for group in self._groups:
            if self._who_heads:
                yield Text(" / ".join(self._full(group)), style="bold")
            yield _inset(Text(", ".join(_figures(group, colon=True))))

    def _legend(self) -> Iterator[Text]:
        """What the shortened names of judges stand for."""
        if self._several_judges:
            for name, look in self._judges.items():
                if name != look:
                    yield Text(f"{look} is {one_line(name)}", style="dim")

    def _rows(self) -> Iterator[Text | Padding]:
        """A line for each judgement; of very many only those that did not pass."""
        digest = self.report.digest
        shown = digest.rows if digest.count <= _MOST_ROWS else digest.failed
        heads = ("case", *self._who_heads, "total", "")
        rows = [(*map(Text, self._name(row)), *_outcome(row)) for row in shown]
        room = self.console.width
        table = columns(heads, rows, right=(len(heads) - 2,), room=room) or columns(
            heads, rows, right=(len(heads) - 2,), room=2 * room
        )
        if shown and table is not None:
            yield from with_remarks(table, ("why", *(one_line(_why(row)) for row in shown)), self.console)
        if left_out := digest.count - len(shown):
            yield Text(f"{left_out} more judgements are not shown here; --json holds them all.", style="dim")

    def _failures(self) -> Iterator[Text | Padding]:
        """The words that the zeroed replies were zeroed for, and the judge's notes."""
        failed = [row for row in self.report.digest.failed if row.score is not None][:_MOST_REASONS]
        if failed:
            yield Text("Why they failed", style="bold")
        for row in failed:
            yield from self._failure(row)
        left_out = self.report.digest.zeroed_or_low - len(failed)
        if left_out:
            yield Text(f"and {left_out} more; --json holds them all.", style="dim")

    def _failure(self, row: JudgedRow) -> Iterator[Text | Padding]:
        head = Text(" ".join(self._name(row)), style="bold")
        if row.title:
            head.append(f"  {one_line(row.title, 80)}", style="not bold dim")
        yield head
        for name, quote, confirmed in words.flag_lines(row):
            line = Text(f"{name}: ", style="red")
            line.append(f"“{one_line(quote, _QUOTE_WIDTH)}”" if quote else "no words given", style="default")
            if quote and not confirmed:
                line.append("  does not stand in the reply", style="yellow")
            yield _inset(line)
        if low := words.low_axes(row):
            yield _inset(Text(f"low axes: {low}"))
        # The notes of the rules say once more what stands above.
        if isinstance(row.judgement, Verdict) and row.judgement.notes and row.judge != words.RULES:
            yield _inset(Text(one_line(row.judgement.notes, _NOTES_WIDTH), style="dim"))

    def _axes(self) -> Iterator[Text | Padding]:
        """Axis means over the cases in which the axis was at stake: a column for each group, or a paragraph."""
        names = self.report.rubric.axis_ids
        groups = [(self._who(group.subject, group.judge), group) for group in self._groups]
        means = {
            name: [words.axis_mean(group.summary.axes[name], group.summary.cases) for _, group in groups]
            for name in names
        }
        heads = (_AXES, *(" / ".join(who) or "mean" for who, _ in groups))
        rows = [tuple(map(Text, (name, *means[name]))) for name in names]
        table = columns(heads, rows, right=range(1, len(heads)), room=self.console.width)
        if table is not None:
            yield from table
            return
        yield Text(_AXES, style="dim")
        for index, (who, _) in enumerate(groups):
            if who:
                yield Text(" / ".join(who), style="bold")
            yield _inset(Text(", ".join(f"{name} {means[name][index]}" for name in names)))

    def _misclaims(self) -> Iterator[Text | Padding]:
        found = list(words.differences(self.report))
        count = self.report.digest.differences
        if found:
            yield Text(f"Totals that do not follow from the judge's own answers: {count}", style="bold")
        for row, what in found[:_MOST_REASONS]:
            judge = f" {self._judges[row.judge]}" if self._several_judges else ""
            yield _inset(Text(f"{ending(words.name_of(row), self._limit)}{judge}: {what}"))
        if count > _MOST_REASONS:
            yield _inset(Text(f"and {count - _MOST_REASONS} more", style="dim"))

    def _cautions(self) -> Iterator[Text | Padding]:
        for caution in words.cautions(self.report):
            yield Text(caution, style="yellow")


def _figures(group: Group, *, colon: bool) -> Sequence[str]:
    """The figures of the headline; with their names where there are no heads."""
    summary = group.summary
    figures = (
        words.of_cases(summary.zero_rate, summary.cases),
        words.mean(summary.mean_of_rest),
        words.of_cases(summary.pass_rate, summary.cases),
        words.coverage(summary),
    )
    return tuple(f"{name} {figure}" for name, figure in zip(_FIGURES, figures, strict=True)) if colon else figures


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


def _inset(text: Text) -> Padding:
    return Padding(text, (0, 0, 0, 2), expand=False)
