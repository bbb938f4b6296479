"""What a judge is: given a task and the answers so far, it says what to ask next or how it ends. It sends nothing."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from iamhumans.cases import Case, Reply
from iamhumans.prompts import Answer, Request
from iamhumans.rubrics import Rubric
from iamhumans.verdicts import EVERYTHING, Asked, Coverage, MaybeVerdict


@dataclass(frozen=True, slots=True)
class JudgeTask:
    """One reply to judge once. ``repeat`` counts the independent judgements of the same reply from 1."""

    rubric: Rubric
    case: Case
    reply: Reply
    persona: str | None = None  # what is true of the speaker that the skill plays
    repeat: int = 1
    token: str | None = None  # the check token that the verdict should carry

    def asked(self, finish_reason: str | None = None, *, token: str | None = None) -> Asked:
        """What the reader of an answer knows of this task. ``token`` is the one that the prompt asked for."""
        case = self.case
        texts = tuple([turn.text for turn in case.conversation])
        single_turn, repair = (len(texts) == 1, case.repair) if texts else (None, None)
        return Asked(case.id, token, self.reply.text, texts, single_turn, repair, finish_reason)


class Judge(Protocol):
    """Turns a task into a judgement, one step at a time. Any object with these members is one: see docs/python.md.

    It may have a ``coverage`` as well: see :func:`coverage_of`.
    """

    @property
    def name(self) -> str:
        """What reports and keys call it."""

    @property
    def version(self) -> str:
        """What can change its judgements besides its name and its model; empty where nothing can."""

    @property
    def asks_model(self) -> bool:
        """Whether its requests go to the model of its name. A judge that never returns a request says no."""

    def next(self, task: JudgeTask, history: Sequence[Answer]) -> Request | MaybeVerdict:
        """The next request or how it ends, given the answers so far. The same arguments give the same result."""


def coverage_of(judge: Judge) -> Coverage:
    """What a judge sees: its ``coverage``, or everything if it has none, as models and recorded verdicts have not."""
    found: Coverage = getattr(judge, "coverage", EVERYTHING)
    return found
