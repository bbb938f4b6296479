"""Calls: from a request to a stored answer, through limits, deadlines, retries and the budget."""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from iamhumans.models.chat import NOTHING_COUNTED, ChatModel, FailureKind, ModelFailure, ModelIdentity, Reception
from iamhumans.prompts import Answer, Request
from iamhumans.runs.halt import Halt, HaltedError
from iamhumans.runs.jobs import Job
from iamhumans.runs.journal.entries import Answers, Attempt, now, storable, storable_answer
from iamhumans.runs.keys import request_hash
from iamhumans.runs.limits import ProviderLimit, Slot
from iamhumans.runs.settings import OVERLOAD, REFUSES_ALL, Settings, unjudged_by
from iamhumans.runs.spending import NO_COST, Cost, Need, Spending, cost_of_call, counted, total_tokens
from iamhumans.runs.store import Store
from iamhumans.verdicts import Reason, Unjudged

_LARGEST_ANSWER = 1_000_000  # characters; a longer answer is neither a reply nor a verdict
_JOBS_BEFORE_CONTACT = 3
_JOBS_IN_OUTAGE = 10
_LONG_PAUSE = 5.0  # seconds from which a pause that a server asks for is reported
_SHOWN_PAUSE = 1.0  # seconds from which it is shown with the progress
_CANCELLED = "the run was stopped during this call"

Report = Callable[[str], None]  # takes a sentence for the user about something that happens meanwhile


@dataclass(slots=True)
class _Provider:
    limit: ProviderLimit
    last_success: float | None = None
    failing_since: float | None = None
    jobs_failed: int = 0  # in a row
    down: Unjudged | None = None


@dataclass(slots=True)
class _Flight:
    label: str
    provider: str
    started: float
    task: asyncio.Task[Any]
    reported: int = 0  # for how many stretches of time it was reported
    abandoned: bool = False


class Caller:
    """Makes the calls of one engine."""

    def __init__(self, settings: Settings, spending: Spending, halt: Halt, run: int | None, report: Report) -> None:
        self.settings = settings
        self.spending = spending
        self.halt = halt
        self.run = run
        self.report = report
        self.calls = self.failed_calls = 0
        self.flights: dict[int, _Flight] = {}
        self._providers: dict[str, _Provider] = {}
        self.refused: dict[str, Unjudged] = {}
        self._known: set[str] = set()
        halt.on_halt(self._close)

    @property
    def connections(self) -> int:
        """How many calls all providers known so far may get at once."""
        return sum(each.limit.ceiling for each in self._providers.values()) or self.settings.max_connections

    @property
    def waiting(self) -> str:
        """For whom calls wait, and how long."""
        pauses = {name: each.limit.paused_for for name, each in self._providers.items()}
        return ", ".join(_waiting(name, pause) for name, pause in pauses.items() if pause >= _SHOWN_PAUSE)

    def begin(self, job: Job[Any], model: ChatModel, store: Store) -> Asking:
        """Begin to ask for a job. Raises CommandError."""
        identity = model.identity
        provider = self._providers.get(identity.provider)
        if provider is None:
            # Shorter than the pauses of a job, since every job that waits for its turn waits for them.
            first, longest = self.settings.retry.first_pause / 4, self.settings.retry.longest_pause / 2
            limit = ProviderLimit(self.settings.max_connections, first_pause=first, longest_pause=longest)
            provider = self._providers[identity.provider] = _Provider(limit)
            if self.halt:
                limit.close()
        if identity.name not in self._known:
            self.spending.budget.require_prices([identity])
            provider.limit.tighten(identity.limits.requests_per_minute, identity.limits.tokens_per_minute)
            self._known.add(identity.name)
        return Asking(self, store, job, model, identity, provider)

    def note_failed_job(
        self, identity: ModelIdentity, provider: _Provider, failure: ModelFailure, began: float
    ) -> None:
        """A job was given up. If every other job would end alike, none is tried."""
        if failure.kind in REFUSES_ALL:
            self.refused[identity.name] = unjudged_by(failure)
        if not failure.may_pass:
            return
        provider.jobs_failed += 1
        provider.failing_since = provider.failing_since or began
        silent = time.monotonic() - provider.failing_since
        never = provider.last_success is None and provider.jobs_failed >= _JOBS_BEFORE_CONTACT
        lasting = provider.jobs_failed >= _JOBS_IN_OUTAGE and silent >= self.settings.outage_seconds
        if never or lasting or self.settings.retry.is_too_long(failure):
            message = f"{identity.provider} gets no more calls: {failure.message}"
            provider.down = Unjudged(unjudged_by(failure).reason, message)

    async def watch(self) -> None:
        """Report calls that hang, once for each stretch of time that they do."""
        threshold = self.settings.hanging_seconds
        while True:
            await asyncio.sleep(min(1.0, threshold / 2))
            for flight in list(self.flights.values()):
                seconds = time.monotonic() - flight.started
                if int(seconds / threshold) > flight.reported:
                    flight.reported = int(seconds / threshold)
                    self.report(f"{flight.label}: {flight.provider} has not answered for {seconds:.0f} s")

    def abandon(self) -> None:
        """Give up the calls in flight."""
        for flight in self.flights.values():
            if not flight.abandoned:
                flight.abandoned = True
                flight.task.cancel()

    def _close(self) -> None:
        for provider in self._providers.values():
            provider.limit.close()


@dataclass(slots=True)
class Asking:
    """The calls of one job, one step after the other."""

    caller: Caller
    store: Store
    job: Job[Any]
    model: ChatModel
    identity: ModelIdentity
    provider: _Provider
    step: int = 0
    began: float | None = None  # when its first call was made, by the monotonic clock
    unwritten: bool = False  # whether an answer was handed to the writer and may not be on the disk yet

    async def answer(self, request: Request, paid: Answers) -> Answer | Unjudged:
        """The answer to the next step's request: from the journal, or from the model. Raises LostError."""
        digest = request_hash(request)
        known: Answer | Unjudged | None = paid.get((self.step, digest))
        if known is None:
            if self.unwritten:
                await self.store.written()
                self.unwritten = False
            known = await self._ask(request, digest)
            if isinstance(known, Unjudged):
                return known
        self.step += 1
        return known

    async def _ask(self, request: Request, digest: str) -> Answer | Unjudged:
        try:
            for number in itertools.count(1):
                result = await self._call(request, digest, number)
                if isinstance(result, (Answer, Unjudged)):
                    return result
                pause = self._pause(result, number)
                if pause is None:
                    return self._given_up(result, number)
                await self.caller.halt.sleep(pause)
        except HaltedError:
            pass
        return self.caller.halt.outcome

    def _pause(self, failure: ModelFailure, number: int) -> float | None:
        in_contact = self.provider.last_success is not None
        pause = self.caller.settings.retry.pause(failure, number, in_contact=in_contact)
        return None if pause is None or pause >= self._seconds_left() else pause

    def _given_up(self, failure: ModelFailure, number: int) -> Unjudged:
        retry = self.caller.settings.retry
        if retry.is_too_long(failure):
            asked, most = f"{failure.retry_after:,.0f} s", f"{retry.longest_retry_after:g} s"
            message = f"{failure.message} (the server asks to wait {asked}; the longest wait allowed is {most})"
            failure = ModelFailure(failure.kind, message, retry_after=failure.retry_after)
        self.caller.note_failed_job(self.identity, self.provider, failure, self.began or time.monotonic())
        return unjudged_by(failure, number)

    async def _call(self, request: Request, digest: str, number: int) -> Answer | Unjudged | ModelFailure:
        """One attempt: its result, handed to the journal."""
        spending, prices, limit = self.caller.spending, self.identity.prices, self.provider.limit
        allowed = await self._slot(request)
        if isinstance(allowed, Unjudged):
            return allowed
        slot, need = allowed
        started, used, cost = now(), None, NO_COST
        try:
            # A process that was suspended may have lost the job to another one, which then pays for it.
            await self.store.confirm(self.job)
            self.began = slot.started if self.began is None else self.began
            result = await self._send(request, slot)
            used = counted(result, request) if isinstance(result, Reception) else result.usage
            cost = cost_of_call(result, prices)
        finally:
            spending.settle(need, prices, used, cost)
            limit.release(slot, None if used is None else total_tokens(used))
        milliseconds = round((time.monotonic() - slot.started) * 1000)
        return self._store(result, cost, digest, number, started, milliseconds)

    async def _slot(self, request: Request) -> tuple[Slot, Need] | Unjudged:
        """The right to make a call, with what it will need set aside, or why it is not made. Raises HaltedError."""
        caller, limit, prices = self.caller, self.provider.limit, self.identity.prices
        while True:
            slot = await limit.acquire(caller.spending.need(request, prices).tokens)
            # The calls before it, for which it waited, have shown better what it will need.
            need = caller.spending.need(request, prices)
            refusal: Unjudged | None = self.provider.down or caller.refused.get(self.identity.name)
            spent = None if refusal else caller.spending.spent(need)
            if spent is not None:
                caller.halt.finish(spent)
            if caller.halt or refusal or not caller.spending.reserve(need):
                limit.release(slot, 0)
            else:
                return slot, need
            if refusal is not None:
                return refusal
            if caller.halt:
                raise HaltedError
            # Calls in flight may need everything that is left; if they need less, there is room again.
            await caller.spending.settled()

    async def _send(self, request: Request, slot: Slot) -> Reception | ModelFailure:
        """The model's answer or failure; :class:`_Abandoned` if the call was given up."""
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
            said = f"there was no answer within {seconds:.3g} s"
            result = ModelFailure(FailureKind.TIMEOUT, said, may_be_billed=True)
        except asyncio.CancelledError:
            # Abandoned, and not cancelled from elsewhere as well.
            if not flight.abandoned or task.uncancel() > 0:
                raise
            return _Abandoned(FailureKind.CONNECTION, _CANCELLED, may_be_billed=True)
        finally:
            del self.caller.flights[id(flight)]
        self._adapt_limit(result, slot)
        return result

    def _adapt_limit(self, result: Reception | ModelFailure, slot: Slot) -> None:
        caller, limit = self.caller, self.provider.limit
        caller.calls += 1
        if isinstance(result, Reception):
            limit.succeeded(slot)
            self.provider.last_success = time.monotonic()
            self.provider.failing_since = None
            self.provider.jobs_failed = 0
            return
        caller.failed_calls += 1
        wait = 0.0 if caller.settings.retry.is_too_long(result) else max(result.retry_after or 0.0, 0.0)
        if wait >= _LONG_PAUSE and limit.paused_for < wait / 2:
            caller.report(f"{_waiting(self.identity.provider, wait)}, as the server asks")
        if result.kind in OVERLOAD:
            limit.overloaded(slot, wait)
        elif wait:
            limit.pause(wait)

    def _store(
        self, result: Reception | ModelFailure, cost: Cost, digest: str, number: int, started: str, milliseconds: int
    ) -> Answer | Unjudged | ModelFailure:
        asked, usage = storable(self.identity.model), result.usage or NOTHING_COUNTED
        attempt = Attempt(
            *(self.job.entry.key, self.caller.run, self.step, number, digest, self.identity.provider, asked),
            *(started, milliseconds, usage.prompt, usage.cached, usage.completion, cost.known),
            asked_model=asked,
            written_tokens=usage.written,
            reasoning_tokens=usage.reasoning,
            at_least=int(cost.at_least),
        )
        if isinstance(result, ModelFailure):
            abandoned = isinstance(result, _Abandoned)
            kind = Reason.CANCELLED.value if abandoned else result.kind.value
            self.store.attempt(attempt._replace(error=kind, error_text=storable(result.message)))
            return Unjudged(Reason.CANCELLED, _CANCELLED) if abandoned else result
        answer = storable_answer(result.answer)
        said: dict[str, Any] = {name: getattr(answer, name) or None for name in ("reasoning", "beside", "note")}
        model, reason = storable(result.model) or asked, answer.finish_reason
        self.store.attempt(attempt._replace(model=model, finish_reason=reason, answer=answer.text, **said))
        self.unwritten = True
        return answer

    def _seconds_left(self) -> float:
        whole = self.caller.settings.job_seconds
        return whole if self.began is None else whole - (time.monotonic() - self.began)


class _Abandoned(ModelFailure):
    """A call in flight that was given up when the run was stopped. The provider may bill it."""


def _waiting(provider: str, seconds: float) -> str:
    return f"waiting {seconds:.0f} s for {provider}"


def _bounded(reception: Reception) -> Reception:
    text = reception.answer.text
    if len(text) <= _LARGEST_ANSWER:
        return reception
    words = text.strip()
    if len(words) > _LARGEST_ANSWER:
        message = f"the answer has {len(text):,} characters; at most {_LARGEST_ANSWER:,} are read"
        raise ModelFailure(FailureKind.BAD_REQUEST, message, usage=reception.usage)
    return replace(reception, answer=replace(reception.answer, text=words))
