"""The engine: sends what the machines of jobs ask for, keeps each answer, and hands it back.

1. An answer is in the journal before anything that follows from it leaves this file: a next request, an outcome.
2. What is in the journal is not asked again, whether a whole outcome or one step on the way to it.
3. Jobs are pulled one by one as there is room, and outcomes handed out as they come: nothing grows with their number.
4. Every job that was pulled ends, with an outcome or with the reason why there is none.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from iamhumans.runs.budget import Budget, Spending
from iamhumans.runs.calls import Caller, HangingCall
from iamhumans.runs.jobs import Ended, Job
from iamhumans.runs.journal import claims
from iamhumans.runs.journal.attempts import Answered, answered
from iamhumans.runs.journal.entries import execute_all
from iamhumans.runs.journal.journal import Journal
from iamhumans.runs.journal.writer import Writer
from iamhumans.runs.limits import Rates
from iamhumans.runs.retry import RetryPolicy
from iamhumans.runs.stopping import Halt, HaltedError, Stopping
from iamhumans.prompts import Answer, Request
from iamhumans.verdicts import Reason, Unjudged

_JOBS_A_CONNECTION = 2
"""While half of the jobs are on the wire, the other half is read, committed, and made ready."""
_RESULTS_AHEAD = 100
_POLL_SECONDS = 0.5
"""How often to look whether another process has ended what it works on."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How an engine works. All times are seconds.

    Attributes:
        rates: What a provider may be sent that ``provider_rates`` does not name.
        provider_rates: By ``ModelIdentity.provider``.
        retry: When failed calls are tried again.
        attempt_seconds: How long one call may take.
        job_seconds: How long one job may take from its first call on.
        outage_seconds: A provider that only fails for so long is asked nothing more.
        hanging_seconds: From when on a call in flight is named to the watchdog.
    """

    rates: Rates = Rates()
    provider_rates: Mapping[str, Rates] = field(default_factory=dict)
    retry: RetryPolicy = RetryPolicy()
    attempt_seconds: float = 120.0
    job_seconds: float = 900.0
    outage_seconds: float = 300.0
    hanging_seconds: float = 60.0


@dataclass(frozen=True, slots=True)
class Progress:
    """How far an engine is."""

    ended: int
    from_journal: int
    failed: int
    """Jobs that ended without a standing outcome."""
    calls: int
    failed_calls: int
    in_flight: int
    tokens: int
    cost: float | None
    """``None`` where some price is unknown."""
    seconds: float


@dataclass(slots=True)
class _Opened:
    """What the journal says of a job before it begins."""

    outcome: object = None
    ended: bool = False
    busy: bool = False
    """Another process works on it."""
    answers: Answered = field(default_factory=dict)


class Engine:
    """Works jobs off, once.

    Args:
        journal: Where answers and outcomes are kept.
        run: ``Run.id``, to which calls are charged; ``None`` for calls that belong to no run.
        settings: Limits, deadlines, retries.
        budget: What may be spent.
        on_hanging: Told of calls that take long, again and again while they do.
    """

    def __init__(
        self,
        journal: Journal,
        *,
        run: int | None = None,
        settings: Settings = Settings(),  # noqa: B008 - it is frozen
        budget: Budget = Budget(),  # noqa: B008 - it is frozen
        on_hanging: Callable[[HangingCall], None] | None = None,
    ) -> None:
        self._journal = journal
        self._settings = settings
        self._halt = Halt()
        self._spending = Spending(budget)
        self._caller = Caller(settings, self._spending, self._halt, run, on_hanging)
        self._sources: list[Iterator[Job[Any]]] = []
        self._active: set[asyncio.Task[None]] = set()
        self._alone: dict[str, asyncio.Future[None]] = {}
        self._changed = asyncio.Event()
        self._error: BaseException | None = None
        self._ended = self._from_journal = self._failed = 0
        self._began = time.monotonic()

    @property
    def progress(self) -> Progress:
        """How far it is now."""
        caller, spending = self._caller, self._spending
        seconds = time.monotonic() - self._began
        counts = (self._ended, self._from_journal, self._failed, caller.calls, caller.failed_calls, caller.in_flight)
        return Progress(*counts, spending.tokens, spending.cost, seconds)

    @property
    def stopped(self) -> bool:
        """Whether it ended early, by wish or by budget."""
        return bool(self._halt)

    def stop(self) -> Stopping:
        """Make no new calls, and let those in flight finish; the second time, give them up as well."""
        if self._halt and not self._halt.by_budget:
            self._halt.now()
            self._caller.abandon()
        else:
            self._halt.finish()
        self._changed.set()
        return self._halt.state

    async def run(self, jobs: Iterable[Job[Any]]) -> AsyncIterator[Ended[Any]]:
        """Work jobs off; gives each as it ends.

        After :meth:`stop`, jobs that were not begun are not given. When the budget is spent, they are, as unjudged.

        Args:
            jobs: Pulled as there is room, in this thread; must not be slow.

        Raises:
            JournalError: Something could not be written. What was written before stands.
            CommandError: The cost is limited and a price unknown.
        """
        results: asyncio.Queue[Ended[Any] | None] = asyncio.Queue(_RESULTS_AHEAD)
        conductor = asyncio.create_task(self._conduct(jobs, results))
        try:
            while (ended := await results.get()) is not None:
                yield ended
            await conductor
        finally:
            conductor.cancel()
            await asyncio.gather(conductor, return_exceptions=True)

    async def _conduct(self, jobs: Iterable[Job[Any]], results: asyncio.Queue[Ended[Any] | None]) -> None:
        self._began = time.monotonic()
        self._sources = [iter(jobs)]
        writer = self._journal.writer(self._fail)
        self._caller.keep_with(writer)
        helpers: list[asyncio.Task[None]] = []
        timer = self._start_clock()
        try:
            worker = await writer.do(claims.register)
            helpers = [asyncio.create_task(self._caller.watch()), asyncio.create_task(_show(writer, worker))]
            await self._feed(writer, worker, results)
            await writer.do(lambda connection: claims.leave(connection, worker))
        finally:
            timer.cancel()
            await _end_all([*helpers, *self._active])
            await writer.close()
            # Whoever reads results must learn of the end, even if nothing more is read.
            with contextlib.suppress(asyncio.QueueFull):
                results.put_nowait(None)
        if results.full():
            await results.put(None)

    def _start_clock(self) -> asyncio.TimerHandle:
        minutes = self._spending.budget.max_minutes
        spent = Unjudged(Reason.BUDGET, f"the budget of {minutes} minutes is spent")
        seconds = 10**8 if minutes is None else minutes * 60
        return asyncio.get_running_loop().call_later(seconds, self._halt.finish, spent)

    async def _feed(self, writer: Writer, worker: int, results: asyncio.Queue[Ended[Any] | None]) -> None:
        """Begin jobs while there is room, until none is left and none is worked on."""
        while True:
            self._changed.clear()
            while len(self._active) < self._caller.connections * _JOBS_A_CONNECTION:
                job = self._next_job()
                if job is None:
                    break
                task = asyncio.create_task(self._work(job, writer, worker, results))
                self._active.add(task)
                task.add_done_callback(self._done)
            if self._error is not None:
                raise self._error
            if not self._active:
                return
            await self._changed.wait()

    def _next_job(self) -> Job[Any] | None:
        """The next job: of what ended last first, so that few are open at a time."""
        if self._halt and not self._halt.by_budget:
            return None
        while self._sources:
            job = next(self._sources[-1], None)
            if job is not None:
                return job
            self._sources.pop()
        return None

    def _done(self, task: asyncio.Task[None]) -> None:
        self._active.discard(task)
        self._changed.set()
        if not task.cancelled() and (error := task.exception()) is not None:
            self._fail(error)

    def _fail(self, error: BaseException) -> None:
        self._error = self._error or error
        self._changed.set()

    async def _work(
        self, job: Job[Any], writer: Writer, worker: int, results: asyncio.Queue[Ended[Any] | None]
    ) -> None:
        key = job.entry.key
        while (other := self._alone.get(key)) is not None:  # the same job stands in the input twice
            await asyncio.wait([other])
        mine = self._alone[key] = asyncio.get_running_loop().create_future()
        try:
            ended = await self._end(job, writer, worker)
        finally:
            del self._alone[key]
            mine.set_result(None)
        self._ended += 1
        self._from_journal += ended.from_journal
        self._failed += not ended.final
        if job.then is not None:
            self._sources.append(iter(job.then(ended)))
        await results.put(ended)

    async def _end(self, job: Job[Any], writer: Writer, worker: int) -> Ended[Any]:
        opened = await self._open(job, writer, worker)
        if opened.busy:  # and there is no time left to wait for the other process
            return Ended(job, self._halt.outcome, final=False)
        if opened.ended:
            return Ended(job, opened.outcome, final=True, from_journal=True)
        outcome = await self._drive(job, opened.answers, writer)
        final = job.is_final(outcome)
        statements = [*job.entry.kept(outcome, final=final), *job.entry.placed()]

        def close(connection: Any) -> None:  # noqa: ANN401 - a connection
            execute_all(connection, statements)
            if job.model is not None:
                claims.release(connection, job.entry.key, worker)

        await writer.do(close)
        return Ended(job, outcome, final)

    async def _open(self, job: Job[Any], writer: Writer, worker: int) -> _Opened:
        """Look a job up and claim it; wait while another process has it."""

        def look(connection: Any) -> _Opened:  # noqa: ANN401 - a connection
            entry = job.entry
            outcome = entry.find(connection)
            if outcome is not None:
                execute_all(connection, entry.placed())
                return _Opened(outcome, ended=True)
            if job.model is None:
                return _Opened()
            if not claims.claim(connection, entry.key, worker):
                return _Opened(busy=True)
            return _Opened(answers=answered(connection, entry.key))

        opened = await writer.do(look)
        with contextlib.suppress(HaltedError):
            while opened.busy:
                await self._halt.sleep(_POLL_SECONDS)
                opened = await writer.do(look)
        return opened

    async def _drive(self, job: Job[Any], answers: Answered, writer: Writer) -> Any:  # noqa: ANN401 - the job's outcome
        history: tuple[Answer, ...] = ()
        asking = None
        while True:
            step = job.step(history)
            if not isinstance(step, Request):
                return step
            if job.model is None:
                raise TypeError(f"{job.label} asks for a model and has none")
            asking = asking or self._caller.begin(job, job.model)
            answer = await asking.answer(step, answers)
            if isinstance(answer, Unjudged):
                return answer
            history = (*history, answer)


async def _show(writer: Writer, worker: int) -> None:
    """Give signs of life to other processes."""
    while True:
        await asyncio.sleep(claims.SHOW_EVERY)
        writer.submit(lambda connection: claims.show(connection, worker))


async def _end_all(tasks: list[asyncio.Task[None]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
