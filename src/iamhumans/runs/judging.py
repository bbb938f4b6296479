"""A judge and a task as a job of the engine."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from iamhumans.judges import Judge, JudgeTask
from iamhumans.models.model import ChatModel
from iamhumans.prompts import Answer, Request
from iamhumans.runs.jobs import Ended, Job
from iamhumans.runs.journal.entries import Judged, JudgementEntry
from iamhumans.verdicts import Unjudged, Verdict, score_verdict


def judgement_job(
    judge: Judge,
    task: JudgeTask,
    entry: JudgementEntry,
    *,
    model: ChatModel | None = None,
    then: Callable[[Ended[Judged]], Iterable[Job[Any]]] | None = None,
    provisional: bool = False,
) -> Job[Judged]:
    """The job of judging a reply once; its outcome is the verdict with its score.

    Args:
        judge: Who judges.
        task: What is judged.
        entry: Where the judgement is kept.
        model: Whom the judge asks; ``None`` for rules and recorded verdicts.
        then: The jobs that need the judgement.
        provisional: Whether the next invocation should judge again.
    """

    def step(history: Sequence[Answer]) -> Request | Judged | Unjudged:
        said = judge.next(task, history)
        if not isinstance(said, Verdict):
            return said
        return Judged(said, score_verdict(said, task.rubric, task.asked()))

    return Job(entry, f"{task.case.id} judged by {judge.name}", step, model, then, provisional)
