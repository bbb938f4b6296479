"""Judgements as CSV, one in a row, with what all votes on its reply come to. No cell can act as a formula."""

import csv
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from operator import attrgetter

from iamhumans.cases import Turn
from iamhumans.reports.report import Report
from iamhumans.text import for_csv

_FIELDS = (
    *("row", "case_id", "subject", "number", "judge", "repeat", "id", "lang", "status", "reason"),
    *("zeroed", "total", "total_confirmed", "axis_total", "applicable_total", "verdict"),
)
_SPEAKERS = {"user": "User", "assistant": "Assistant"}
_fields_of = attrgetter(*_FIELDS)
_safe = lru_cache(maxsize=1_000)(for_csv)


class _Lines:
    """A file that hands each line back."""

    def write(self, line: str) -> str:
        return line


def csv_report(report: Report) -> Iterator[str]:
    """The lines, with a head: a column for each axis, and one for all hard fails that are present."""
    axes = report.rubric.axis_ids
    write: Callable[[Iterable[object]], str] = csv.writer(_Lines(), lineterminator="\n").writerow
    checks = [] if report.checks is None else ["failed_checks"]
    of_reply = ("reply_zeroed", "reply_total")
    yield write([*_FIELDS, *of_reply, "hard_fails", "unconfirmed", *checks, *axes, "notes", "input", "reply"])
    for reply in report.replies():
        failed = [one["check"] for one in report.checked(reply.combined).get("checks", ()) if one["passed"] is False]
        for one in reply.votes:
            scores = one.axes or {}
            cells = [*_fields_of(one), reply.combined.zeroed, reply.combined.total]
            cells += [" ".join(one.present), " ".join(one.unconfirmed), *([" ".join(failed)] if checks else [])]
            cells += [*map(scores.get, axes), one.notes if one.judged else one.detail]
            cells += [_transcript(one.conversation or ()), one.reply]
            yield write([_safe(cell) if isinstance(cell, str) else cell for cell in cells])


def _transcript(turns: Sequence[Turn]) -> str:
    """The user's message; of a longer conversation, every turn with its speaker."""
    if len(turns) == 1:
        return turns[0].text
    return "\n\n".join(f"{_SPEAKERS[turn.speaker]}: {turn.text}" for turn in turns)
