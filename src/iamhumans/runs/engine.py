"""The engine: sends what the machines of jobs ask for, keeps each answer, and hands it back.

1. An answer is in the journal before anything that follows from it leaves the engine: a next request, an outcome.
2. What is in the journal is not asked again, whether a whole outcome or one step on the way to it.
3. Jobs are pulled one by one as there is room, and outcomes handed out as they come: nothing grows with their number.
4. Every job that was pulled ends, with an outcome or with the reason why there is none.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from iamhumans.prompts import Answer, Request
from iamhumans.runs.budget import Budget, Spending
from iamhumans.runs.calls import Caller, HangingCall
from iamhumans.runs.jobs import Ended, Job
from iamhumans.runs.journal.attempts import Answered
from iamhumans.runs.journal.journal import Journal
from iamhumans.runs.keeping import Keeper, Opened
from iamhumans.runs.settings import Settings
from iamhumans.runs.stopping import Halt, Stopping
from iamhumans.verdicts import Reason, Unjudged

_JOBS_A_CONNECTION = 2
"""While half of the jobs are on the wire, the other half is read, committed, and made ready."""
_RESULTS_AHEAD = 100


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
        self._halt = Halt()
        self._spending = Spending(budget)
        self._caller = Caller(settings, self._spending, self._halt, run, on_hanging)
        self._results: asyncio.Queue[Ended[Any] | None] = asyncio.Queue(_RESULTS_AHEAD)
        self._sources: list[Iterator[Job[Any]]] = []
        self._active: set[asyncio.Task[None]] = set()
        self._worked_on: dict[str, asyncio.Future[None]] = {}
        self._changed = asyncio.Event()
        self._error: BaseException | None = None
        self._ended = self._from_journal = self._failed = 0
        self._began = time.monotonic()

    @property
    def progress(self) -> Progress:
        """How far it is now."""
        caller, spending = self._caller, self._spending
        counts = (self._ended, self._from_journal, self._failed, caller.calls, caller.failed_calls, caller.in_flight)
        return Progress(*counts, spending.tokens, spending.cost, time.monotonic() - self._began)

    @property
    def stopped(self) -> Unjudged | None:
        """Why it ended early: by wish, which is ``cancelled``, or by ``budget``; ``None`` if it did not."""
        return self._halt.outcome if self._halt else None

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
        conductor = asyncio.create_task(self._conduct(jobs))
        try:
            while (ended := await self._results.get()) is not None:
                yield ended
            await conductor
        finally:
            conductor.cancel()
            await asyncio.gather(conductor, return_exceptions=True)

    async def _conduct(self, jobs: Iterable[Job[Any]]) -> None:
        self._began = time.monotonic()
        self._sources = [iter(jobs)]
        writer = self._journal.writer(self._fail)
        timer = self._start_timer()
        helpers: list[asyncio.Task[None]] = []
        try:
            keeper = await Keeper.begin(self._journal, writer, self._halt)
            helpers = [asyncio.create_task(self._caller.watch()), asyncio.create_task(keeper.show())]
            await self._feed(keeper)
            await keeper.end()
        except Exception as error:  # noqa: BLE001 - raised again, where the results are read
            self._fail(error)
        finally:
            timer.cancel()
            await _end_all([*helpers, *self._active])
            await writer.close()
        await self._results.put(None)
        if self._error is not None:
            raise self._error

    def _start_timer(self) -> asyncio.TimerHandle:
        minutes = self._spending.budget.max_minutes
        spent = Unjudged(Reason.BUDGET, f"the budget of {minutes or 0:g} minutes is spent")
        timer = asyncio.get_running_loop().call_later((minutes or 0) * 60, self._halt.finish, spent)
        if minutes is None:
            timer.cancel()
        return timer

    async def _feed(self, keeper: Keeper) -> None:
        """Begin jobs while there is room, until none is left and none is worked on."""
        while True:
            self._changed.clear()
            jobs = list(islice(self._next_jobs(), self._caller.connections * _JOBS_A_CONNECTION - len(self._active)))
            if jobs:
                await self._begin(jobs, keeper)
                continue
            if self._error is not None or not self._active:
                return
            await self._changed.wait()

    async def _begin(self, jobs: Sequence[Job[Any]], keeper: Keeper) -> None:
        """Look jobs up, all at once, and work on each."""
        # The same job may stand in the input twice: the second waits for the first.
        first = {job.entry.key: job for job in jobs if job.entry.key not in self._worked_on}
        self._worked_on |= {key: asyncio.get_running_loop().create_future() for key in first}
        opened = dict(zip(first, await keeper.open(tuple(first.values())), strict=True))
        for job in jobs:
            mine = first.get(job.entry.key) is job
            task = asyncio.create_task(self._work(job, opened[job.entry.key] if mine else None, keeper))
            self._active.add(task)
            task.add_done_callback(self._done)

    def _next_jobs(self) -> Iterator[Job[Any]]:
        """The next jobs: first of what follows from the last outcome, so that few jobs are open at a time."""
        while self._sources and self._error is None and not (self._halt and not self._halt.by_budget):
            job = next(self._sources[-1], None)
            if job is None:
                self._sources.pop()
            else:
                yield job

    def _done(self, task: asyncio.Task[None]) -> None:
        self._active.discard(task)
        self._changed.set()
        if not task.cancelled() and (error := task.exception()) is not None:
            self._fail(error)

    def _fail(self, error: BaseException) -> None:
        self._error = self._error or error
        self._changed.set()

    async def _work(self, job: Job[Any], opened: Opened | None, keeper: Keeper) -> None:
        key = job.entry.key
        if opened is None:
            while (other := self._worked_on.get(key)) is not None:
                await asyncio.wait([other])
            self._worked_on[key] = asyncio.get_running_loop().create_future()
        try:
            ended = await self._end(job, opened or (await keeper.open([job]))[0], keeper)
        finally:
            self._worked_on.pop(key).set_result(None)
        self._ended += 1
        self._from_journal += ended.from_journal
        self._failed += not ended.final
        if job.then is not None:
            self._sources.append(iter(job.then(ended)))
        await self._results.put(ended)

    async def _end(self, job: Job[Any], opened: Opened, keeper: Keeper) -> Ended[Any]:
        if opened.busy:
            opened = await keeper.waited(job)
        if opened.outcome is not None:
            return Ended(job, opened.outcome, final=True, from_journal=True)
        if opened.busy:  # and no time is left to wait for the other process
            return Ended(job, self._halt.outcome, final=False)
        outcome = await self._drive(job, opened.answers, keeper)
        final = job.is_final(outcome)
        await keeper.close(job, outcome, final=final)
        return Ended(job, outcome, final)

    async def _drive(self, job: Job[Any], answers: Answered, keeper: Keeper) -> Any:
        """Take a job's machine from step to step, until it says how it ends or an answer fails to come."""
        history: tuple[Answer, ...] = ()
        asking = None
        while True:
            step = job.step(history)
            if not isinstance(step, Request):
                return step
            if job.model is None:
                raise TypeError(f"{job.label}: it asks a model, and has none")
            asking = asking or self._caller.begin(job, job.model, keeper)
            answer = await asking.answer(step, answers)
            if isinstance(answer, Unjudged):
                return answer
            history = (*history, answer)


async def _end_all(tasks: list[asyncio.Task[None]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
