"""What a subject is: a state machine without input or output that answers a case, turn by turn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from iamhumans.cases import Case, Reply, Turn
from iamhumans.prompts import Answer, Message, Request
from iamhumans.verdicts import Reason, Unjudged


@dataclass(frozen=True, slots=True)
class Answered:
    """A reply, and the case as the judge is to see it: with the turns that the subject answered live filled in."""

    reply: Reply
    case: Case


SubjectOutcome: TypeAlias = Answered | Unjudged


@dataclass(frozen=True, slots=True)
class SubjectTask:
    """One reply to draw. ``number`` counts the replies of a case from 1."""

    case: Case
    number: int = 1


@dataclass(frozen=True, slots=True)
class LlmSubject:
    """A model with a skill. Live turns are answered one after the other, each seeing those before it."""

    name: str
    skill: str | None = None

    def next(self, task: SubjectTask, history: Sequence[Answer]) -> Request | SubjectOutcome:
        """The next turn to ask for, or the reply."""
        for answer in history:
            failure = _failure(answer)
            if failure is not None:
                return failure
        conversation, waiting = _filled(task.case.conversation, [answer.text for answer in history])
        if waiting:
            return Request((*self._system(), *(Message(turn.speaker, turn.text) for turn in conversation)))
        reply = Reply(task.case.id, history[-1].text.strip(), self.name, task.number)
        return Answered(reply, replace(task.case, conversation=conversation))

    def _system(self) -> tuple[Message, ...]:
        return (Message("system", self.skill),) if self.skill else ()


def _failure(answer: Answer) -> Unjudged | None:
    """Why an answer is no turn of a conversation."""
    if answer.finish_reason == "content_filter":
        return Unjudged(Reason.CONTENT_FILTER, "the provider's filter stopped the reply")
    if not answer.text.strip():
        return Unjudged(Reason.NO_REPLY, "the subject answered with nothing")
    if answer.finish_reason == "length":
        return Unjudged(Reason.TRUNCATED, "the reply was cut off by the subject's max_tokens")
    return None


def _filled(turns: Sequence[Turn], answers: list[str]) -> tuple[tuple[Turn, ...], bool]:
    """The conversation as far as it has got, and whether the subject is to speak next."""
    so_far: list[Turn] = []
    remaining = list(answers)
    for turn in turns:
        if turn.speaker == "assistant" and not turn.text.strip():
            if not remaining:
                return tuple(so_far), True
            so_far.append(Turn("assistant", remaining.pop(0).strip()))
        else:
            so_far.append(turn)
    return tuple(so_far), not remaining


def skill_text(text: str) -> str:
    """What of a skill file is the system prompt: all of it, less the front matter that a SKILL.md begins with."""
    if text.startswith("---\n"):
        _, closing, body = text[4:].partition("\n---\n")
        if closing:
            return body.strip()
    return text.strip()
