"""What a subject is: a state machine without input or output that answers a case, turn by turn."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol, TypeAlias

from iamhumans.cases import Case, Reply, Turn
from iamhumans.prompts import Answer, Message, Request
from iamhumans.text import SeenReply, ending_of
from iamhumans.verdicts import Reason, Unjudged

_RULE = "---"
_KEY = re.compile(r"[A-Za-z_][\w-]*:(?:\s|$)")


@dataclass(frozen=True, slots=True)
class Skill:
    """A system prompt under test, with the name that reports give it. The name is no part of any key."""

    text: str
    name: str = ""


@dataclass(frozen=True, slots=True)
class Answered:
    """A reply, and the case as the judge is to see it: with the turns that the subject answered live filled in."""

    reply: Reply
    case: Case


SubjectOutcome: TypeAlias = Answered | Unjudged


@dataclass(frozen=True, slots=True)
class SubjectTask:
    """One reply to draw. ``number`` counts the replies to a case from 1."""

    case: Case
    number: int = 1


class Subject(Protocol):
    """Answers a case, one step at a time. ``next`` is pure: the same answers always give the same step."""

    @property
    def name(self) -> str:
        """The name that reports use."""

    @property
    def skill(self) -> str | None:
        """Its system prompt."""

    @property
    def version(self) -> str:
        """What can change its replies, besides its skill and its model; empty if nothing can."""

    def next(self, task: SubjectTask, history: Sequence[Answer]) -> Request | SubjectOutcome:
        """The next turn to ask its model for, or how it ends, given the answers so far."""


@dataclass(frozen=True, slots=True)
class LlmSubject:
    """A model with a skill. It answers live turns one after the other, and sees those before."""

    name: str
    skill: str | None = None
    version = ""

    def next(self, task: SubjectTask, history: Sequence[Answer]) -> Request | SubjectOutcome:
        """The next turn to ask for, or the reply."""
        seen = [seen_answer(answer) for answer in history]
        for answer, reply in zip(history, seen, strict=True):
            if (failure := failure_of(reply, answer.note)) is not None:
                return failure
        conversation, waiting = _filled(task.case.conversation, [reply.text for reply in seen])
        if waiting:
            system = (Message("system", self.skill),) if self.skill else ()
            return Request((*system, *(Message(turn.speaker, turn.text) for turn in conversation)))
        last = seen[-1]
        drawn = Reply(task.case.id, last.text, self.name, task.number, last.reasoning, "; ".join(last.beside))
        return Answered(drawn, replace(task.case, conversation=conversation))


@dataclass(frozen=True, slots=True)
class RecordedSubject:
    """Answers each case with the reply that a file has for it, by case and number. It never asks."""

    name: str
    version: str  # a hash of all that is recorded
    replies: Mapping[tuple[str, int], SubjectOutcome] = field(repr=False)
    skill = None

    def next(self, task: SubjectTask, history: Sequence[Answer]) -> Request | SubjectOutcome:
        """The recorded reply."""
        del history
        if (there := self.replies.get((task.case.id, task.number))) is None:
            return Unjudged(Reason.NO_REPLY, f"{self.name} has no reply {task.number} to {task.case.id}")
        return there if isinstance(there, Unjudged) else Answered(replace(there.reply, subject=self.name), there.case)


def seen_answer(answer: Answer) -> SeenReply:
    """What a user would see of a model's answer."""
    beside = tuple(answer.beside.split("; ")) if answer.beside else ()
    reply = SeenReply(answer.text, answer.reasoning, "", beside, *ending_of(answer.finish_reason))
    seen = reply.without_reasoning()
    return replace(seen, text=seen.text.strip())


def failure_of(reply: SeenReply, note: str = "") -> Unjudged | None:
    """Why a message is no whole reply. ``note`` says more, such as which setting to change."""
    if (problem := reply.problem) is None:
        return None
    reason, detail = problem
    if reason == "content_filter" and note:
        detail = f"the provider's filter stopped the reply ({note})"
    elif note and note not in detail:
        detail = note if reason == "no_reply" else f"{detail}: {note}"
    return Unjudged(Reason(reason), detail)


def _filled(turns: Sequence[Turn], answers: list[str]) -> tuple[tuple[Turn, ...], bool]:
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
    """The system prompt in a skill file: all of it, without the front matter that a SKILL.md begins with."""
    lines = text.split("\n")
    if lines[0].rstrip() == _RULE:
        closing = next((index for index, line in enumerate(lines[1:], start=1) if line.rstrip() == _RULE), None)
        if closing is not None and _is_front_matter(lines[1:closing]):
            lines = lines[closing + 1 :]
    return "\n".join(lines).strip()


def _is_front_matter(lines: Sequence[str]) -> bool:
    """Whether lines are keys with values. It is not read as YAML: unquoted colons in descriptions are common."""
    written = [line for line in lines if line.strip()]
    return not written or (
        _KEY.match(written[0]) is not None and all(_KEY.match(line) or line[0] in " \t#-" for line in written)
    )
