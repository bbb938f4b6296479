"""What the engine works on: a job asks a model step by step until its machine says how it ends."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeAlias, TypeVar

from iamhumans.models.model import ChatModel
from iamhumans.prompts import Answer, Request
from iamhumans.runs.journal.entries import Entry
from iamhumans.verdicts import Reason, Unjudged

O = TypeVar("O")  # noqa: E741 - the outcome
Step: TypeAlias = Callable[[Sequence[Answer]], "Request | O | Unjudged"]
"""A state machine without input or output: given the answers so far, the next request, or how it ends."""

PASSING_REASONS = frozenset(
    {
        Reason.TIMEOUT,
        Reason.PROVIDER_ERROR,
        Reason.CONTEXT_LENGTH,
        Reason.CONTENT_FILTER,
        Reason.BUDGET,
        Reason.CANCELLED,
    }
)
"""Reasons that say nothing about the reply. Such an end is recorded, and the next invocation tries again."""


@dataclass(frozen=True, slots=True)
class Job(Generic[O]):
    """One thing to find out: a reply or a judgement.

    Attributes:
        entry: How its outcome is kept in the journal; its key is the job's.
        label: What it is, for people, as in ``GRF-003 judged by openai/gpt-5.1``.
        step: Its state machine. It is pure: the same answers always give the same step.
        model: Whom it asks; ``None`` where the machine never asks.
        then: The jobs that need its outcome. They come before any new job, and are pulled one by one.
        provisional: Whether even an outcome of the machine is to be sought again by the next invocation, as of a
            judgement whose reply failed.
    """

    entry: Entry[O]
    label: str
    step: Step[O]
    model: ChatModel | None = None
    then: Callable[[Ended[O]], Iterable[Job[Any]]] | None = None
    provisional: bool = False

    def is_final(self, outcome: O | Unjudged) -> bool:
        """Whether an outcome stands, so that the job is never worked on again."""
        return not self.provisional and not (isinstance(outcome, Unjudged) and outcome.reason in PASSING_REASONS)


@dataclass(frozen=True, slots=True)
class Ended(Generic[O]):
    """How a job ended. For every kind of job, ``Unjudged`` says that there is no result, and why."""

    job: Job[O]
    outcome: O | Unjudged
    final: bool
    """Whether it stands; otherwise the next invocation tries again."""
    from_journal: bool = False
    """Whether it was there already, and nothing had to be asked."""
