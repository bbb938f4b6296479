"""The judge that is a model: one question, and at most one re-ask that says what was wrong with the answer.

1. A malformed answer is asked again; malformed twice is unjudged, with the reason of the second.
2. A YES without a quote that stands in the reply is asked again; if it is still so, the flag is kept as unconfirmed.
   Where the second answer cannot be read, the first verdict stands.
3. An answer that the provider's filter stopped and a refusal to judge are not asked again: the same question would
   get the same answer.
4. A reply with nothing in it is not sent at all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from iamhumans.judges.model import JudgeTask
from iamhumans.prompts import Answer, Message, Request, Template, asks_for_token, encodable, fenced, judge_messages
from iamhumans.text import has_substance
from iamhumans.verdicts import (
    MaybeVerdict,
    Reason,
    Unjudged,
    Verdict,
    confirm_flags,
    read_verdict,
    verdict_schema,
)

_FINAL = (Reason.CONTENT_FILTER, Reason.REFUSED)
_MAX_ECHO = 8_000
"""How many characters of its own malformed answer a judge is shown."""


@dataclass(frozen=True, slots=True)
class LlmJudge:
    """Asks a model by the built-in prompt or by a user's template."""

    name: str
    template: Template | None = None

    @property
    def version(self) -> str:
        """Nothing: what it asks is in the prompt's hash, and whom it asks in the model's settings."""
        return ""

    def next(self, task: JudgeTask, history: Sequence[Answer]) -> Request | MaybeVerdict:
        """The question, the re-ask, or the judgement."""
        if not has_substance(task.reply.text):
            return Unjudged(Reason.NO_REPLY, "the reply has no words in it")
        if not history:
            return self._request(task, self._question(task))
        first = self._read(task, history[0])
        complaint = _complaint(task, first)
        if complaint is None:
            return first
        if len(history) == 1:
            said = encodable(history[0].text[:_MAX_ECHO])
            answered = Message("assistant", said if said.strip() else "(no text)")
            return self._request(task, (*self._question(task), answered, Message("user", complaint)))
        second = self._read(task, history[1])
        return first if isinstance(first, Verdict) and isinstance(second, Unjudged) else second

    def _question(self, task: JudgeTask) -> tuple[Message, ...]:
        return judge_messages(
            task.rubric,
            task.case,
            task.reply.text,
            template=self.template,
            persona=task.persona,
            token=self._token(task),
        )

    def _request(self, task: JudgeTask, messages: tuple[Message, ...]) -> Request:
        # A template with a format of its own may want another shape than ours.
        own_format = self.template is not None and self.template.has_own_format
        return Request(messages, schema=None if own_format else verdict_schema(task.rubric))

    def _token(self, task: JudgeTask) -> str | None:
        return task.token if asks_for_token(self.template) else None

    def _read(self, task: JudgeTask, answer: Answer) -> MaybeVerdict:
        asked = task.asked(answer.finish_reason, token=self._token(task))
        return read_verdict(answer.text, task.rubric, asked)


def _complaint(task: JudgeTask, judgement: MaybeVerdict) -> str | None:
    """What to tell the judge about its answer; ``None`` where there is nothing to ask again."""
    if isinstance(judgement, Unjudged):
        if judgement.reason in _FINAL:
            return None
        return (
            f"That answer cannot be used. What was found:\n\n{fenced(judgement.detail)}\n\nPrint the whole verdict once"
            " more, for the same reply, in the form that was asked for and with nothing outside of it."
        )
    unconfirmed = [name for name, confirmed in confirm_flags(judgement, task.reply.text).items() if confirmed is False]
    if not unconfirmed:
        return None
    points = "\n".join(f"- {_unconfirmed(name, judgement.flags[name].quotes)}" for name in unconfirmed)
    return (
        f"A YES needs words that stand in the reply. Here they are missing:\n\n{points}\n\nLook at the reply again."
        " Where such words are there, copy them exactly into `evidence`; where there are none, answer NO. Print"
        " the whole verdict once more, in the same form and with nothing outside of it."
    )


def _unconfirmed(name: str, quotes: Sequence[str]) -> str:
    if not quotes:
        return f"`{name}` has no evidence."
    listed = "\n".join(fenced(quote) for quote in quotes[:5])
    return f"`{name}`: none of the following stands in the reply.\n{listed}"
