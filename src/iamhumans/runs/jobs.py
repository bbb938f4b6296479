"""What the engine works on: a job asks a model, step by step, until its machine says how it ends."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeAlias, TypeVar

from iamhumans.models.chat import ChatModel
from iamhumans.prompts import Answer, Request
from iamhumans.runs.journal.entries import Entry
from iamhumans.verdicts import Judgement, Reason, Unjudged

O = TypeVar("O")  # noqa: E741 - the outcome
Step: TypeAlias = Callable[[Sequence[Answer]], "Request | O | Unjudged"]
"""A state machine without input or output: given the answers so far, the next request, or how it ends."""

_PROVIDERS = (Reason.TIMEOUT, Reason.PROVIDER_ERROR, Reason.CONTEXT_LENGTH, Reason.CONTENT_FILTER)
PASSING_REASONS = frozenset({*_PROVIDERS, Reason.BUDGET, Reason.CANCELLED})
"""Reasons that say nothing about the reply. Such an end is recorded, and the next invocation tries again."""


@dataclass(frozen=True, slots=True)
class Job(Generic[O]):
    """One reply or judgement to get.

    Attributes:
        entry: The place of its outcome in the journal; its key is the job's.
        label: What it is, for people, as in ``GRF-003 judged by openai/gpt-5.1``.
        step: Its state machine. It is pure: the same answers always give the same step.
        model: The model that it asks; ``None`` where the machine never asks.
        then: The jobs that need its outcome. They come before any new job, and are pulled one by one.
        provisional: Whether the next invocation looks for a new outcome in any case, as after a failed reply.
    """

    entry: Entry[O]
    label: str
    step: Step[O]
    model: ChatModel | None = None
    then: Callable[[Ended[O]], Iterable[Job[Any]]] | None = None
    provisional: bool = False
    cache_failures: bool = True  # whether an unreadable answer is final, or the next invocation asks again
    settled: bool = False  # whether every outcome is final, as for a message of a log that was cut

    def is_final(self, outcome: Any) -> bool:
        """Whether an outcome is final, so that the job is never worked on again."""
        if self.settled:
            return True
        reason = outcome.reason if isinstance(outcome, Unjudged | Judgement) else None
        if self.provisional or (reason is not None and not self.cache_failures):
            return False
        return reason not in PASSING_REASONS


@dataclass(frozen=True, slots=True)
class Ended(Generic[O]):
    """How a job ended. For every kind of job, ``Unjudged`` says that there is no result, and why."""

    job: Job[O]
    outcome: O | Unjudged
    final: bool  # whether it is final; otherwise the next invocation tries again
    from_journal: bool = False  # whether it was in the journal already, and nothing had to be asked
