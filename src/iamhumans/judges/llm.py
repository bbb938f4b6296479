"""The judge that is a model: one question, and at most one more after an answer that cannot be read or has no quote.

It does not ask again after a refusal, or after an answer that a filter or a limit cut. A reply with nothing in it is
not sent.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, TypeVar

from iamhumans.judges.judge import JudgeTask
from iamhumans.prompts import Answer, Message, Request, Template, asks_for_token, encodable, fenced, judge_messages
from iamhumans.text import Ending, ending_of, has_substance, one_line
from iamhumans.verdicts import MaybeVerdict, Reason, Unjudged, Verdict, confirm_flags, read_verdict, verdict_schema
from iamhumans.verdicts.reader import AT_LIMIT

Outcome = TypeVar("Outcome")
_FINAL = (Reason.CONTENT_FILTER, Reason.REFUSED, Reason.UNKNOWN_ENDING)
_EXPLAINED = (Reason.EMPTY, Reason.NO_VERDICT, Reason.TRUNCATED)  # reasons that a note on the answer can explain
_MAX_ECHO, _MAX_QUOTES = 8_000, 5  # how many characters and quotes of its own answer a judge is shown again
_AGAIN = "Print the whole answer again, in the form that was asked for, with nothing before or after it."
QUOTE_RULE = (
    "A quote is copied exactly from the reply. It has at least two words, or one word of at least four letters, or two"
    " characters in a script without spaces."
)


def next_step(
    question: Callable[[], Request],
    history: Sequence[Answer],
    read: Callable[[Answer], Outcome | Unjudged],
    missing_quotes: Callable[[Outcome], str | None],
) -> Request | Outcome | Unjudged:
    """Ask, read, complain once, read again. Where only the first answer can be read, it counts.

    ``missing_quotes`` is what to tell the judge about an answer without valid quotes, or ``None`` where it has them.
    """
    if not history:
        return question()
    first = _read(history[0], read)
    if isinstance(first, Unjudged):
        if first.reason in _FINAL or _would_come_again(history[0]):
            return first
        complaint = f"Your answer cannot be used. The problem:\n\n{fenced(first.detail)}"
    elif (missing := missing_quotes(first)) is None:
        return first
    else:
        complaint = missing
    if len(history) == 1:
        asked, said = question(), encodable(history[0].text[:_MAX_ECHO])
        answered = Message("assistant", said if said.strip() else "(no text)")
        return replace(asked, messages=(*asked.messages, answered, Message("user", f"{complaint}\n\n{_AGAIN}")))
    second = _read(history[1], read)
    return first if isinstance(second, Unjudged) and not isinstance(first, Unjudged) else second


def _read(answer: Answer, read: Callable[[Answer], Outcome | Unjudged]) -> Outcome | Unjudged:
    """What an answer says. Where it says nothing, its note says why and which setting to change."""
    if ending_of(answer.finish_reason)[0] is Ending.UNKNOWN:
        word = one_line(answer.finish_reason, 80)
        return Unjudged(Reason.UNKNOWN_ENDING, f"the answer ended with `{word}`, which may not be whole")
    said = read(answer)
    if not (isinstance(said, Unjudged) and answer.note and said.reason in _EXPLAINED):
        return said
    if said.reason is Reason.EMPTY:
        return replace(said, detail=answer.note)
    if said.reason is Reason.TRUNCATED and not said.detail.endswith(AT_LIMIT):
        return said  # it names a loop already
    return replace(said, detail=f"{said.detail.removesuffix(AT_LIMIT)}: {answer.note}")


def _would_come_again(answer: Answer) -> bool:
    """Whether a second answer would be as useless: it was cut by a limit, or no text came though something else did."""
    return answer.finish_reason == Ending.LENGTH or (bool(answer.note) and not answer.text.strip())


def no_quote(key: str, quotes: Sequence[str], source: str) -> str:
    """That an answer has no valid quote under a key: ``source`` is where the quotes should come from."""
    if not quotes:
        return f"`{key}` has no quote."
    listed = "\n".join([fenced(quote) for quote in quotes[:_MAX_QUOTES]])
    return f"`{key}` has no valid quote from {source}, only:\n{listed}"


@dataclass(frozen=True, slots=True)
class LlmJudge:
    """Asks a model with the built-in prompt or with a user's template."""

    name: str
    template: Template | None = None
    version: ClassVar[str] = ""  # keys hold the hash of the prompt and the settings of the model already
    asks_model: ClassVar[bool] = True

    def next(self, task: JudgeTask, history: Sequence[Answer]) -> Request | MaybeVerdict:
        """The question, the second question, or the judgement."""
        if not has_substance(task.reply.text):
            return Unjudged(Reason.NO_REPLY, "the reply has no words in it")
        token = task.token if asks_for_token(self.template) else None

        def question() -> Request:
            messages = judge_messages(
                task.rubric, task.case, task.reply.text, template=self.template, persona=task.persona, token=token
            )
            # A template may describe its own format, which our schema would not fit.
            own_format = self.template is not None and self.template.has_own_format
            return Request(messages, schema=None if own_format else verdict_schema(task.rubric))

        def read(answer: Answer) -> MaybeVerdict:
            return read_verdict(answer.text, task.rubric, task.asked(answer.finish_reason, token=token))

        def missing_quotes(verdict: Verdict) -> str | None:
            flags = confirm_flags(verdict.flags, task.reply.text)
            missing = [name for name, flag in flags.items() if flag.confirmed is False]
            if not missing:
                return None
            listed = "\n".join([f"- {no_quote(name, verdict.flags[name].quotes, 'the reply')}" for name in missing])
            return (
                f"Each YES needs a quote from the reply under `evidence`. These have none:\n\n{listed}\n\n{QUOTE_RULE}"
                " Read the reply again. If it has such words, copy them into `evidence`. If it has none, answer NO."
            )

        return next_step(question, history, read, missing_quotes)
