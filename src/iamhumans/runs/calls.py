"""Calls: from a request to a kept answer, through limits, deadlines, retries and the budget."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from iamhumans.models.model import ChatModel, FailureKind, ModelFailure, ModelIdentity, Reception
from iamhumans.prompts import Answer, Request
from iamhumans.runs.budget import Need, Spending, cost_of, counted, total_tokens
from iamhumans.runs.failures import OVERLOAD, REFUSES_ALL, unjudged_by
from iamhumans.runs.jobs import Job
from iamhumans.runs.journal.attempts import Answered, Attempt, storable_answer
from iamhumans.runs.journal.entries import now, storable
from iamhumans.runs.keeping import Keeper
from iamhumans.runs.keys import request_hash
from iamhumans.runs.limits import ProviderLimit, Slot
from iamhumans.runs.settings import Settings
from iamhumans.runs.stopping import Halt, HaltedError
from iamhumans.verdicts import Reason, Unjudged

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
    """For how many stretches of time it was named."""
    abandoned: bool = False


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
        self._known: set[str] = set()
        halt.on_halt(self._close)

    @property
    def in_flight(self) -> int:
        """How many calls are on the wire."""
        return len(self.flights)

    @property
    def connections(self) -> int:
        """How many calls all providers known so far may get at once."""
        known = sum(provider.limit.ceiling for provider in self._providers.values())
        return known or self.settings.max_connections

    def begin(self, job: Job[Any], model: ChatModel, keeper: Keeper) -> Asking:
        """Begin to ask for a job.

        Raises:
            CommandError: The cost is limited, and what this model costs is unknown.
        """
        identity = model.identity
        provider = self._providers.get(identity.provider)
        if provider is None:
            retry = self.settings.retry
            # Shorter than the pauses of a job, since every job that waits for its turn waits for them.
            first, longest = retry.first_pause / 4, retry.longest_pause / 2
            limit = ProviderLimit(self.settings.max_connections, first_pause=first, longest_pause=longest)
            provider = self._providers[identity.provider] = _Provider(limit)
            if self.halt:
                limit.close()
        if identity.name not in self._known:
            self.spending.budget.require_prices([identity])
            provider.limit.tighten(identity.limits.requests_per_minute, identity.limits.tokens_per_minute)
            self._known.add(identity.name)
        return Asking(self, keeper, job, model, identity, provider)

    def refusal(self, identity: ModelIdentity) -> Unjudged | None:
        """Why a model is not asked any more."""
        return self._refused.get(identity.name)

    def note_success(self, provider: _Provider) -> None:
        """The provider answered."""
        provider.last_success = time.monotonic()
        provider.failing_since = None
        provider.jobs_failed = 0

    def note_failed_job(
        self, identity: ModelIdentity, provider: _Provider, failure: ModelFailure, began: float
    ) -> None:
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
            if not flight.abandoned:
                flight.abandoned = True
                flight.task.cancel()

    def _close(self) -> None:
        for provider in self._providers.values():
            provider.limit.close()


@dataclass(frozen=True, slots=True)
class _Circumstances:
    """Of one call."""

    request: str
    number: int
    started: str
    milliseconds: int


@dataclass(slots=True)
class Asking:
    """The calls of one job, one step after the other."""

    caller: Caller
    keeper: Keeper
    job: Job[Any]
    model: ChatModel
    identity: ModelIdentity
    provider: _Provider
    step: int = 0
    began: float | None = None
    """When its first call was made, by the monotonic clock."""
    unkept: bool = False
    """Whether an answer was handed over to the writer and is not known to be on the disk."""

    async def answer(self, request: Request, paid: Answered) -> Answer | Unjudged:
        """The answer to the next step's request: from the journal, or from the model."""
        digest = request_hash(request)
        known = paid.get((self.step, digest))
        if known is None:
            if self.unkept:
                await self.keeper.settle()
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
        """One attempt: what it brought, handed over to the journal."""
        spending, prices, limit = self.caller.spending, self.identity.prices, self.provider.limit
        need = spending.need(request, prices)
        slot = await self._slot(need)
        if isinstance(slot, Unjudged):
            return slot
        self.began = slot.started if self.began is None else self.began
        started, used, result = now(), None, None
        try:
            result = await self._send(request, slot)
            used = counted(result, request) if isinstance(result, Reception) else None
        finally:
            spending.settle(need, prices, used)
            limit.release(slot, None if used is None else total_tokens(used))
        if result is None:
            return Unjudged(Reason.CANCELLED, "the run was stopped while this was asked")
        milliseconds = round((time.monotonic() - slot.started) * 1000)
        return self._keep(result, _Circumstances(digest, number, started, milliseconds))

    async def _slot(self, need: Need) -> Slot | Unjudged:
        """The right to make a call, with what it will need set aside; unjudged, if it is not to be made.

        Raises:
            HaltedError: No new call may be made.
        """
        caller, limit = self.caller, self.provider.limit
        while True:
            slot = await limit.acquire(need.tokens)
            refusal: Unjudged | None = self.provider.down or caller.refusal(self.identity)
            spent = None if refusal else caller.spending.spent(need)
            if spent is not None:
                caller.halt.finish(spent)
            if caller.halt or refusal or not caller.spending.reserve(need):
                limit.release(slot, 0)
            else:
                return slot
            if refusal is not None:
                return refusal
            if caller.halt:
                raise HaltedError
            # What is in flight may need all that is left; if it needs less, there is room again.
            await caller.spending.settled()

    async def _send(self, request: Request, slot: Slot) -> Reception | ModelFailure | None:
        """What the model makes of a request; ``None`` if the call was abandoned."""
        task = asyncio.current_task()
        if task is None:
            raise RuntimeError("a call is made outside of a task")
        flight = _Flight(self.job.label, self.identity.provider, slot.started, task)
        self.caller.flights[id(flight)] = flight
        allowed = self.identity.limits.timeout or self.caller.settings.attempt_seconds
        seconds = max(0.0, min(allowed, self._seconds_left()))
        result: Reception | ModelFailure
        try:
            async with asyncio.timeout(seconds):
                result = _bounded(await self.model.send(request))
        except ModelFailure as failure:
            result = failure
        except TimeoutError:
            result = ModelFailure(FailureKind.TIMEOUT, f"there was no answer within {seconds:.3g} s")
        except asyncio.CancelledError:
            # Abandoned, and not cancelled by anybody else as well.
            if not flight.abandoned or task.uncancel() > 0:
                raise
            return None
        finally:
            del self.caller.flights[id(flight)]
        self._tell_limit(result, slot)
        return result

    def _tell_limit(self, result: Reception | ModelFailure, slot: Slot) -> None:
        caller, limit = self.caller, self.provider.limit
        caller.calls += 1
        if isinstance(result, Reception):
            limit.succeeded(slot)
            caller.note_success(self.provider)
            return
        caller.failed_calls += 1
        wait = caller.settings.retry.bounded(result.retry_after)
        if result.kind in OVERLOAD:
            limit.overloaded(slot, wait)
        elif wait:
            limit.pause(wait)

    def _keep(self, result: Reception | ModelFailure, call: _Circumstances) -> Answer | ModelFailure:
        """Hand an attempt over to the journal."""
        facts = (self.job.entry.key, self.caller.run, self.step, call.number, call.request, self.identity.provider)
        times = (call.started, call.milliseconds)
        if isinstance(result, ModelFailure):
            error = (result.kind.value, storable(result.message))
            self.keeper.keep(Attempt(*facts, self.identity.model, *times, None, None, None, None, *error))
            return result
        answer, usage = storable_answer(result.answer), result.usage
        model = storable(result.model or self.identity.model)
        counts = (usage.prompt, usage.cached, usage.completion)
        cost = cost_of(usage, self.identity.prices)
        said = (answer.finish_reason, answer.text)
        self.keeper.keep(Attempt(*facts, model, *times, *counts, cost, None, None, *said))
        self.unkept = True
        return answer

    def _seconds_left(self) -> float:
        """Until the job's deadline."""
        whole = self.caller.settings.job_seconds
        return whole if self.began is None else whole - (time.monotonic() - self.began)


def _bounded(reception: Reception) -> Reception:
    if len(reception.answer.text) > _LARGEST_ANSWER:
        raise ModelFailure(
            FailureKind.BAD_ANSWER, f"the answer has {len(reception.answer.text):,} characters, which nobody asked for"
        )
    return reception
