"""The rows of a run as a report wants them, streamed from the journal as often as they are gone through."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from iamhumans.errors import CannotRunError
from iamhumans.rubrics import Rubric
from iamhumans.runs.journal import FigureRow, Journal, Judged, JudgementEntry, JudgementRecord, Run
from iamhumans.runs.records import JudgedRow
from iamhumans.verdicts import Unjudged


@dataclass(frozen=True)
class RunRows:
    """The judgements of a run, in the order of the input."""

    journal: Journal
    run: Run
    titles: Mapping[str, str] = field(default_factory=dict)

    def __iter__(self) -> Iterator[JudgedRow]:
        judgements = judgements_a_reply(self.run.plan)
        for record in self.journal.rows(self.run):
            yield _judged_row(record, judgements, self.titles.get(record.case_id, ""))

    def figures(self) -> Iterator[FigureRow]:
        """What figures need of each judgement, in the same order."""
        return self.journal.figure_rows(self.run)

    def row(self, number: int) -> JudgedRow:
        """The judgement with the number that its :class:`FigureRow` has."""
        record = self.journal.row(self.run, number)
        return _judged_row(record, judgements_a_reply(self.run.plan), self.titles.get(record.case_id, ""))


def row_of_entry(entry: JudgementEntry, outcome: Judged | Unjudged, judgements: int) -> JudgedRow:
    """The row of a judgement of a given reply that has just ended."""
    reply = entry.given[0] if entry.given else None
    judgement, score = (outcome.verdict, outcome.score) if isinstance(outcome, Judged) else (outcome, None)
    return JudgedRow(
        row=(entry.row - 1) // judgements + 1,
        case_id=reply.case_id if reply else "",
        subject=reply.subject if reply else "",
        number=reply.number if reply else 1,
        judge=entry.judge,
        repeat=entry.repeat,
        judgement=judgement,
        score=score,
    )


def judgements_a_reply(plan: Mapping[str, Any]) -> int:
    """How many judgements each reply of a run gets."""
    return max(1, len(plan.get("judges", ()))) * int(plan.get("repeats", 1))


def _judged_row(record: JudgementRecord, judgements: int, title: str) -> JudgedRow:
    outcome = record.outcome
    judgement, score = (outcome.verdict, outcome.score) if isinstance(outcome, Judged) else (outcome, None)
    return JudgedRow(
        row=(record.row - 1) // judgements + 1,
        case_id=record.case_id,
        subject=record.subject,
        number=record.number,
        judge=record.judge,
        repeat=record.repeat,
        judgement=judgement,
        score=score,
        title=title,
    )


def rubric_of(journal: Journal, run: Run) -> Rubric:
    """The rubric that a run was judged by, as it was then.

    Raises:
        CannotRunError: The journal does not hold it.
    """
    text = journal.text("rubric", run.plan["rubric"]["hash"])
    if text is None:
        raise CannotRunError(f"The rubric of run {run.name} is not in the journal.")
    return Rubric.model_validate_json(text)
