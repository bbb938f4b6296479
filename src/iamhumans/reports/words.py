"""Figures as words, the same in every report."""

from __future__ import annotations

from collections.abc import Iterator

from iamhumans.reports.report import Report, hard_fails_of
from iamhumans.runs.records import JudgedRow
from iamhumans.stats import AxisMean, Summary
from iamhumans.verdicts import Unjudged, Verdict

NOTHING = "–"
RULES = "rules"
MOST_GROUPS = 20
"""How many subjects under how many judges a report for people shows at most."""


def rate(value: float | None) -> str:
    """A rate as a whole percentage; a few per mille are not shown as nothing."""
    if value is None:
        return NOTHING
    percent = 100 * value
    return f"{percent:.1f} %" if 0 < percent < 1 or 99 < percent < 100 else f"{percent:.0f} %"


def mean(value: float | None) -> str:
    """A mean with one decimal."""
    return NOTHING if value is None else f"{value:.1f}"


def of_cases(value: float | None, cases: int) -> str:
    """A rate over cases, with the count where it is one: a case may also be zeroed in part of its replies."""
    if value is None:
        return NOTHING
    count = value * cases
    whole = f"{round(count)} of {cases}, " if abs(count - round(count)) < 1e-9 else ""
    return f"{whole}{rate(value)}"


def coverage(summary: Summary) -> str:
    """How many of the judgements asked for there are."""
    return f"{summary.judged} of {summary.asked}"


def axis_mean(axis: AxisMean, cases: int) -> str:
    """The mean of an axis, with its number of cases where that is not all of them."""
    if axis.cases in (0, cases):
        return mean(axis.mean)
    return f"{mean(axis.mean)} ({axis.cases} case{'' if axis.cases == 1 else 's'})"


def name_of(row: JudgedRow) -> str:
    """The case of a row, with the numbers that tell its replies and repeats apart where there are several."""
    number = f" #{row.number}" if row.number > 1 else ""
    repeat = f" ({row.repeat})" if row.repeat > 1 else ""
    return f"{row.case_id}{number}{repeat}"


def flag_lines(row: JudgedRow) -> Iterator[tuple[str, str, bool]]:
    """For each YES its id, its words (empty where there are none), and whether they stand in the reply."""
    if not isinstance(row.judgement, Verdict) or row.score is None:
        return
    for name in hard_fails_of(row.judgement):
        quotes = row.judgement.flags[name].quotes
        yield name, quotes[0] if quotes else "", row.score.confirmed[name] is not False


def low_axes(row: JudgedRow, below: float = 8) -> str:
    """The axes that pulled a total down, lowest first."""
    if row.score is None:
        return ""
    low = sorted((value, name) for name, value in row.score.axes.items() if value < below)
    return ", ".join(f"{name} {value:g}" for value, name in low)


def differences(report: Report) -> Iterator[tuple[JudgedRow, str]]:
    """The first rows whose judge claimed something else than its own axes and flags give."""
    for row in report.digest.differing:
        if isinstance(row.judgement, Verdict) and row.score is not None and row.score.differences:
            said = row.judgement
            claimed = " ".join(str(part) for part in (said.stated_total, said.stated_verdict) if part is not None)
            yield row, f"the judge said {claimed}; its own answers give {row.score.total} {row.score.outcome}"


def unjudged_reason(row: JudgedRow) -> str:
    """Why a row has no verdict."""
    judgement = row.judgement
    return f"{judgement.reason.value}: {judgement.detail}" if isinstance(judgement, Unjudged) else ""


def cautions(report: Report) -> Iterator[str]:
    """What a reader of the figures must know before using them."""
    summary = report.summary
    if summary.unconfirmed:
        yield (
            f"{counted(summary.unconfirmed, 'YES', 'YES')} without words that stand in the reply. They count; without"
            f" them the mean total is {mean(summary.mean_total_confirmed)} instead of {mean(summary.mean_total)}."
        )
    if summary.repaired:
        was = "was" if summary.repaired == 1 else "were"
        yield f"{counted(summary.repaired, 'verdict', 'verdicts')} {was} read after repairs to the form."
    for reason, count in summary.reasons.items():
        yield f"{count} unjudged: {reason}."
    if RULES in report.judges:
        yield (
            "The judge rules sees words and layout only: a 10 from it means that nothing was found, not that a reply"
            " is good."
        )


def counted(count: int, one: str, several: str) -> str:
    """A number with its noun."""
    return f"{count:,} {one if count == 1 else several}"
