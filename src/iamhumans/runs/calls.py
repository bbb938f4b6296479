"""Calls: from a request to a kept answer, through limits, deadlines, retries and the budget."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from iamhumans.models.model import ChatModel, FailureKind, ModelFailure, ModelIdentity, Reception, Usage
from iamhumans.prompts import Answer, Request
from iamhumans.runs.budget import Spending, cost_of, counted
from iamhumans.runs.failures import OVERLOAD, REFUSES_ALL, unjudged_by
from iamhumans.runs.jobs import Job
from iamhumans.runs.journal.attempts import Answered, Attempt, keep_attempt, storable_answer
from iamhumans.runs.journal.entries import now, storable
from iamhumans.runs.journal.writer import Writer
from iamhumans.runs.keys import request_hash
from iamhumans.runs.limits import ProviderLimit, Slot
from iamhumans.runs.stopping import Halt, HaltedError, Stopping
from iamhumans.verdicts import Reason, Unjudged

if TYPE_CHECKING:
    from iamhumans.runs.engine import Settings

_LARGEST_ANSWER = 1_000_000
"""Characters; what a model says beyond that is no reply and no verdict."""
_JOBS_BEFORE_CONTACT = 3
_JOBS_IN_OUTAGE = 10


@dataclass(frozen=True, slots=True)
class HangingCall:
    """A call that has been in flight for long."""

    label: str
    provider: str
    seconds: float


@dataclass(slots=True)
class _Provider:
    """What is known of a provider: its limit, and whether it answers."""

    limit: ProviderLimit
    last_success: float | None = None
    failing_since: float | None = None
    jobs_failed: int = 0
    """In a row."""
    down: Unjudged | None = None


@dataclass(slots=True)
class _Flight:
    """A call in flight."""

    label: str
    provider: str
    started: float
    task: asyncio.Task[Any]
    named: int = 0


class Caller:
    """Makes the calls of one engine."""

    def __init__(
        self,
        settings: Settings,
        spending: Spending,
        halt: Halt,
        run: int | None,
        on_hanging: Callable[[HangingCall], None] | None,
    ) -> None:
        self.settings = settings
        self.spending = spending
        self.halt = halt
        self.run = run
        self.calls = self.failed_calls = 0
        self.flights: dict[int, _Flight] = {}
        self._on_hanging = on_hanging
        self._providers: dict[str, _Provider] = {}
        self._refused: dict[str, Unjudged] = {}
        self._priced: set[str] = set()
        self._writer: Writer | None = None
        halt.on_halt(self._close)

    @property
    def in_flight(self) -> int:
        """How many calls are on the wire."""
        return len(self.flights)

    @property
    def connections(self) -> int:
        """How many calls all providers known so far may get at once."""
        known = sum(provider.limit.ceiling for provider in self._providers.values())
        return known or self.settings.rates.max_connections

    @property
    def writer(self) -> Writer:
        """Where attempts are kept."""
        if self._writer is None:
            raise RuntimeError("a call was made before there was a journal to keep it in")
        return self._writer

    def keep_with(self, writer: Writer) -> None:
        """Keep attempts with a writer."""
        self._writer = writer

    def begin(self, job: Job[Any], model: ChatModel) -> Asking:
        """Begin to ask for a job.

        Raises:
            CommandError: The cost is limited, and what this model costs is unknown.
        """
        identity = model.identity
        if identity.name not in self._priced:
            self.spending.budget.require_prices([identity])
            self._priced.add(identity.name)
        provider = self._providers.get(identity.provider)
        if provider is None:
            rates = self.settings.provider_rates.get(identity.provider, self.settings.rates)
            provider = self._providers[identity.provider] = _Provider(ProviderLimit(rates))
            if self.halt:
                provider.limit.close()
        return Asking(self, job, model, identity, provider)

    def refusal(self, identity: ModelIdentity, provider: _Provider) -> Unjudged | None:
        """Why a model is not asked any more."""
        return provider.down or self._refused.get(identity.name)

    def note_success(self, provider: _Provider) -> None:
        """The provider answered."""
        provider.last_success = time.monotonic()
        provider.failing_since = None
        provider.jobs_failed = 0

    def note_failed_job(self, identity: ModelIdentity, provider: _Provider, failure: ModelFailure, began: float) -> None:
        """A job was given up. Where every other would end alike, none is tried."""
        if failure.kind in REFUSES_ALL:
            self._refused[identity.name] = unjudged_by(failure)
        if not failure.may_pass:
            return
        provider.jobs_failed += 1
        provider.failing_since = provider.failing_since or began
        silent = time.monotonic() - provider.failing_since
        never = provider.last_success is None and provider.jobs_failed >= _JOBS_BEFORE_CONTACT
        lasting = provider.jobs_failed >= _JOBS_IN_OUTAGE and silent >= self.settings.outage_seconds
        if never or lasting:
            provider.down = Unjudged(
                unjudged_by(failure).reason, f"{identity.provider} is not asked any more: {failure.message}"
            )

    async def watch(self) -> None:
        """Name calls that hang, once for each stretch of time that they do."""
        threshold = self.settings.hanging_seconds
        while True:
            await asyncio.sleep(min(1.0, threshold / 2))
            for flight in list(self.flights.values()):
                seconds = time.monotonic() - flight.started
                stretches = int(seconds / threshold)
                if stretches > flight.named:
                    flight.named = stretches
                    if self._on_hanging is not None:
                        self._on_hanging(HangingCall(flight.label, flight.provider, seconds))

    def abandon(self) -> None:
        """Give up the calls in flight."""
        for flight in self.flights.values():
            flight.task.cancel()

    def _close(self) -> None:
        for provider in self._providers.values():
            provider.limit.close()


@dataclass(slots=True)
class Asking:
    """The calls of one job, one step after the other."""

    caller: Caller
    job: Job[Any]
    model: ChatModel
    identity: ModelIdentity
    provider: _Provider
    step: int = 0
    began: float | None = None
    """When its first call was made, by the monotonic clock."""
    unkept: bool = False
    """Whether an answer was handed over to the writer and is not known to be on the disk."""
    label: str = field(init=False)

    def __post_init__(self) -> None:
        self.label = self.job.label

    async def answer(self, request: Request, paid: Answered) -> Answer | Unjudged:
        """The answer to the next step's request: from the journal, or from the model."""
        digest = request_hash(request)
        known = paid.get((self.step, digest))
        if known is None:
            if self.unkept:
                await self.caller.writer.do(_nothing)
                self.unkept = False
            found = await self._ask(request, digest)
            if isinstance(found, Unjudged):
                return found
            known = found
        self.step += 1
        return known

    async def _ask(self, request: Request, digest: str) -> Answer | Unjudged:
        number = 0
        while True:
            number += 1
            try:
                result = await self._call(request, digest, number)
                if isinstance(result, (Answer, Unjudged)):
                    return result
                pause = self._pause(result, number)
                if pause is None:
                    return self._given_up(result, number)
                await self.caller.halt.sleep(pause)
            except HaltedError:
                return self.caller.halt.outcome

    def _pause(self, failure: ModelFailure, number: int) -> float | None:
        """How long to wait before the next attempt, if there is to be one before the job's deadline."""
        in_contact = self.provider.last_success is not None
        pause = self.caller.settings.retry.pause(failure, number, in_contact=in_contact)
        if pause is None or pause >= self._seconds_left():
            return None
        return pause

    def _given_up(self, failure: ModelFailure, number: int) -> Unjudged:
        began = self.began if self.began is not None else time.monotonic()
        self.caller.note_failed_job(self.identity, self.provider, failure, began)
        return unjudged_by(failure, number)

    async def _call(self, request: Request, digest: str, number: int) -> Answer | Unjudged | ModelFailure:
        """One attempt: what it brought, and in the journal on its way."""
        caller, prices = self.caller, self.identity.prices
        slot = await self.provider.limit.acquire()
        used: Usage | None = None
        expected: Usage | Unjudged | None = None
        try:
            refusal = caller.refusal(self.identity, self.provider)
            if refusal is not None:
                return refusal
            expected = caller.spending.reserve(request, prices)
            if isinstance(expected, Unjudged):
                caller.halt.finish(expected)
                return expected
            slot.tokens = self._take_tokens(expected)
            self.began = self.began if self.began is not None else slot.started
            started, began = now(), time.perf_counter()
            result = await self._send(request, slot)
            if result is None:
                return Unjudged(Reason.CANCELLED, "the run was stopped while this was asked")
            milliseconds = round((time.perf_counter() - began) * 1000)
            if isinstance(result, Reception):
                used = counted(result, request)
        finally:
            if isinstance(expected, Usage):
                caller.spending.settle(expected, prices, used)
            tokens = None if used is None else (used.prompt or 0) + (used.completion or 0)
            self.provider.limit.release(slot, tokens)
        return self._kept(result, (digest, number, started, milliseconds), used)
