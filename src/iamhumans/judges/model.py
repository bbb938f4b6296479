"""What a judge is: a state machine without input or output.

Given a task and the answers that came so far, it says what to ask next or how it ends. Whoever drives it sends the
request, keeps the answer, and hands it back. So a judge can be tested without a network, replayed, and resumed in the
middle.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from iamhumans.cases import Case, Reply
from iamhumans.prompts import Answer, Request
from iamhumans.rubrics import Rubric
from iamhumans.verdicts import Asked, MaybeVerdict


@dataclass(frozen=True, slots=True)
class JudgeTask:
    """One reply to judge once. ``repeat`` counts the independent judgements of the same reply from 1."""

    rubric: Rubric
    case: Case
    reply: Reply
    persona: str | None = None
    """What is true of the speaker that the skill plays."""
    repeat: int = 1
    token: str | None = None
    """The check token that the verdict should carry."""

    def asked(self, finish_reason: str | None = None, *, token: str | None = None) -> Asked:
        """What the reader of an answer knows of this task. ``token`` is what the prompt really asked for."""
        return Asked(
            case_id=self.case.id,
            token=token,
            reply=self.reply.text,
            conversation=self.case.texts,
            single_turn=self.case.single_turn if self.case.conversation else None,
            repair=self.case.repair if self.case.conversation else None,
            finish_reason=finish_reason,
        )


class Judge(Protocol):
    """Turns a task into a judgement, one step at a time."""

    @property
    def name(self) -> str:
        """How the user named it."""

    @property
    def version(self) -> str:
        """What besides its name and its model can change its judgements; empty where nothing can."""

    def next(self, task: JudgeTask, history: Sequence[Answer]) -> Request | MaybeVerdict:
        """The next request, or how it ends, given the answers so far."""
