"""What a judged row is: the task, who judged it, the judgement, and the score that follows from it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from iamhumans.errors import CannotRunError
from iamhumans.judges import Judge, JudgeTask
from iamhumans.prompts import Request
from iamhumans.verdicts import Judgement, Score, Verdict, score_verdict


@dataclass(frozen=True, slots=True)
class JudgedRow:
    """One judgement of one reply. ``row`` is the place of the reply in the input, from 1."""

    row: int
    task: JudgeTask
    judge: str
    judgement: Judgement
    score: Score | None = None

    @classmethod
    def of(cls, row: int, task: JudgeTask, judge: str, judgement: Judgement) -> JudgedRow:
        """The row with its score, where there is a verdict."""
        score = score_verdict(judgement, task.rubric, task.asked()) if isinstance(judgement, Verdict) else None
        return cls(row, task, judge, judgement, score)


def judge_here(judge: Judge, tasks: Iterable[tuple[int, JudgeTask]]) -> Iterator[JudgedRow]:
    """Judge with a judge that asks no model: rules, recorded verdicts.

    Raises:
        CannotRunError: The judge asks for a model after all.
    """
    for row, task in tasks:
        step = judge.next(task, ())
        if isinstance(step, Request):
            raise CannotRunError(f"The judge {judge.name} needs a model.")
        yield JudgedRow.of(row, task, judge.name, step)
