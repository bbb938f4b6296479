"""What is ahead, before anything is paid: jobs, calls, tokens, cost, and what the journal already holds."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from iamhumans.models.model import Usage
from iamhumans.prompts import Request
from iamhumans.runs.budget import cost_of, prompt_tokens
from iamhumans.runs.jobs import Job
from iamhumans.runs.journal.journal import Journal


@dataclass(frozen=True, slots=True)
class Outlook:
    """An estimate. Re-asks, retries, and the jobs that follow from outcomes are not among the calls."""

    jobs: int = 0
    held: int = 0
    """Jobs whose outcome stands in the journal."""
    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float | None = 0.0
    """``None`` where a price is unknown, which is never zero."""


def look_ahead(jobs: Iterable[Job[Any]], journal: Journal | None, *, answer_tokens: int = 400) -> Outlook:
    """What jobs would come to.

    Args:
        jobs: The jobs, pulled one by one.
        journal: Where outcomes may be already; ``None`` if there is no journal yet.
        answer_tokens: How long an answer is taken to be.
    """
    count = held = calls = prompt = 0
    cost: float | None = 0.0
    for job in jobs:
        count += 1
        if journal is not None and journal.find(job.entry) is not None:
            held += 1
            continue
        request = job.step(()) if job.model is not None else None
        if job.model is None or not isinstance(request, Request):
            continue
        calls += 1
        usage = Usage(prompt=prompt_tokens(request), completion=answer_tokens)
        prompt += usage.prompt or 0
        price = cost_of(usage, job.model.identity.prices)
        cost = None if cost is None or price is None else cost + price
    return Outlook(count, held, calls, prompt, calls * answer_tokens, cost)
