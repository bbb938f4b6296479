"""What a judged row is: which reply, who judged it, the judgement, and the score that follows from it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from iamhumans.errors import CannotRunError
from iamhumans.judges import Judge, JudgeTask
from iamhumans.prompts import Request
from iamhumans.verdicts import MaybeVerdict, Score, Verdict, score_verdict


@dataclass(frozen=True, slots=True)
class JudgedRow:
    """One judgement of one reply. ``row`` is the place of the reply in the input, from 1."""

    row: int
    case_id: str
    subject: str
    number: int
    judge: str
    repeat: int
    judgement: MaybeVerdict
    score: Score | None = None
    title: str = ""


def judged_row(row: int, task: JudgeTask, judge: str, judgement: MaybeVerdict) -> JudgedRow:
    """The row of a task, with its score where there is a verdict."""
    return JudgedRow(
        row=row,
        case_id=task.case.id,
        subject=task.reply.subject,
        number=task.reply.number,
        judge=judge,
        repeat=task.repeat,
        judgement=judgement,
        score=score_verdict(judgement, task.rubric, task.asked()) if isinstance(judgement, Verdict) else None,
        title=task.case.title,
    )


def judge_here(judge: Judge, tasks: Iterable[tuple[int, JudgeTask]]) -> Iterator[JudgedRow]:
    """Judge with a judge that asks no model, without a journal.

    Raises:
        CannotRunError: The judge asks for a model after all.
    """
    for row, task in tasks:
        step = judge.next(task, ())
        if isinstance(step, Request):
            raise CannotRunError(f"The judge {judge.name} needs a model.")
        yield judged_row(row, task, judge.name, step)
