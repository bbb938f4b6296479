"""The engine: sends what the machines of jobs ask for, stores each answer, and hands it back.

1. An answer is in the journal before anything that follows from it leaves the engine: a next request, an outcome.
2. What is in the journal is not asked again, whether a whole outcome or one step on the way to it.
3. Jobs are pulled as there is room, and outcomes are handed out as they come: nothing grows with their number.
4. Every job that was pulled ends, with an outcome or with the reason why there is none.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from iamhumans.prompts import Answer, Request
from iamhumans.runs.calls import Caller
from iamhumans.runs.halt import Halt, Stopping
from iamhumans.runs.jobs import Ended, Job
from iamhumans.runs.journal.entries import Answers, stored_keys
from iamhumans.runs.journal.journal import Journal
from iamhumans.runs.settings import Budget, Settings
from iamhumans.runs.spending import Spending, cost_in_words
from iamhumans.runs.store import LookedUp, LostError, Store
from iamhumans.verdicts import Reason, Unjudged

_JOBS_A_CONNECTION = 2  # while half of the jobs are in flight, the other half is read, committed, and prepared
_RESULTS_AHEAD = 100
_BATCH = 500  # how many jobs that ask nothing are stored in one transaction


@dataclass(frozen=True, slots=True)
class Progress:
    """How far the work is. Times are seconds."""

    ended: int = 0
    from_journal: int = 0  # of them, found in the journal
    failed: int = 0  # of them, without a final outcome
    calls: int = 0
    failed_calls: int = 0
    in_flight: int = 0
    tokens: int = 0
    cost: float | None = 0.0  # as far as it is known; `None` if nothing is
    seconds: float = 0.0
    at_least: bool = False  # whether the cost may be higher, since a price or a count is unknown
    waiting: str = ""  # for whom it waits and how long, as in "waiting 20 s for openai"; empty while it works
    message: str = ""  # something that the user should know, such as a call that hangs; empty most of the time

    @property
    def cost_in_words(self) -> str:
        """The cost; ``at least ...`` where there may be more, ``unknown`` where none of it is known."""
        return cost_in_words(self.cost, at_least=self.at_least)


class Engine:
    """Works jobs off, once. Calls are charged to ``run``; ``report`` gets sentences about calls that hang and the like.

    Without ``drain``, jobs that were not begun before a stop are left out instead of ended as cancelled.
    """

    def __init__(
        self,
        journal: Journal,
        *,
        run: int | None = None,
        settings: Settings = Settings(),  # noqa: B008 - it is frozen
        budget: Budget = Budget(),  # noqa: B008 - it is frozen
        report: Callable[[str], None] = lambda _: None,
        drain: bool = True,
    ) -> None:
        self._journal = journal
        self._halt = Halt()
        self._spending = Spending(budget)
        self._caller = Caller(settings, self._spending, self._halt, run, report)
        self._drain = drain
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
        counts = (self._ended, self._from_journal, self._failed, caller.calls, caller.failed_calls, len(caller.flights))
        seconds = time.monotonic() - self._began
        return Progress(*counts, spending.tokens, spending.cost, seconds, spending.at_least, caller.waiting)

    @property
    def stopped(self) -> Unjudged | None:
        """Why it ended early: ``cancelled`` by the user, or ``budget``; ``None`` if it did not."""
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
        """Work jobs off; gives each as it ends. They are pulled as there is room. Raises JournalError, CommandError."""
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
        minutes = self._spending.budget.max_minutes
        spent = Unjudged(Reason.BUDGET, f"the budget of {minutes or 0:g} minutes is spent")
        timer = asyncio.get_running_loop().call_later((minutes or 0) * 60, self._halt.finish, spent)
        if minutes is None:
            timer.cancel()
        helpers: list[asyncio.Task[None]] = []
        store: Store | None = None
        try:
            store = await Store.begin(self._journal, writer, self._halt)
            helpers = [asyncio.create_task(self._caller.watch()), asyncio.create_task(store.renew())]
            await self._feed(store)
        except Exception as error:  # noqa: BLE001 - raised again where the results are read
            self._fail(error)
        finally:
            timer.cancel()
            tasks = [*helpers, *self._active]
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            if store is not None:
                store.leave()
            await writer.close()
        await self._results.put(None)
        if self._error is not None:
            raise self._error

    async def _feed(self, store: Store) -> None:
        """Begin jobs while there is room, until none is left and none is worked on."""
        while True:
            self._changed.clear()
            jobs = list(islice(self._next_jobs(), self._caller.connections * _JOBS_A_CONNECTION - len(self._active)))
            if jobs:
                await self._begin(jobs, store)
            elif self._error is not None or not self._active:
                return
            else:
                await self._changed.wait()

    async def _begin(self, jobs: Sequence[Job[Any]], store: Store) -> None:
        # The same job may be in the input twice: the second waits for the first.
        first = {job.entry.key: job for job in jobs if job.entry.key not in self._worked_on}
        self._worked_on |= {key: asyncio.get_running_loop().create_future() for key in first}
        looked_up = dict(zip(first, await store.look_up(tuple(first.values())), strict=True))
        for job in jobs:
            is_first = first.get(job.entry.key) is job
            task = asyncio.create_task(self._work(job, looked_up[job.entry.key] if is_first else None, store))
            self._active.add(task)
            task.add_done_callback(self._done)

    def _next_jobs(self) -> Iterator[Job[Any]]:
        """The next jobs: first those that follow from the last outcome, so that few jobs are open at a time."""
        while self._sources and self._error is None:
            if self._halt and not (self._drain and self._halt.state is not Stopping.NOW):
                return
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

    async def _work(self, job: Job[Any], looked_up: LookedUp | None, store: Store) -> None:
        key = job.entry.key
        if looked_up is None:
            while (other := self._worked_on.get(key)) is not None:
                await asyncio.wait([other])
            self._worked_on[key] = asyncio.get_running_loop().create_future()
        try:
            ended = await self._end(job, looked_up or (await store.look_up([job]))[0], store)
        finally:
            self._worked_on.pop(key).set_result(None)
        self._ended += 1
        self._from_journal += ended.from_journal
        self._failed += not ended.final
        if job.then is not None:
            self._sources.append(iter(job.then(ended)))
        await self._results.put(ended)

    async def _end(self, job: Job[Any], looked_up: LookedUp, store: Store) -> Ended[Any]:
        while True:
            if looked_up.busy:
                looked_up = await store.released(job)
            if looked_up.found is not None:
                return Ended(job, looked_up.found.outcome, final=True, from_journal=True)
            if looked_up.busy:  # and the run is stopped before the other process ends the job
                return Ended(job, self._halt.outcome, final=False)
            try:
                outcome = await self._drive(job, looked_up.answers, store)
            except LostError:
                looked_up = LookedUp(busy=True)
                continue
            final = job.is_final(outcome)
            await store.store(job, outcome, final=final)
            return Ended(job, outcome, final)

    async def _drive(self, job: Job[Any], answers: Answers, store: Store) -> Any:
        history: tuple[Answer, ...] = ()
        asking = None
        while isinstance(step := job.step(history), Request):
            if job.model is None:
                raise TypeError(f"{job.label}: the judge asks a model but has none")
            asking = asking or self._caller.begin(job, job.model, store)
            answer = await asking.answer(step, answers)
            if isinstance(answer, Unjudged):
                return answer
            history = (*history, answer)
        return step


def work_directly(
    journal: Journal, jobs: Iterable[Job[Any]], *, stopped: Callable[[], bool] = lambda: False
) -> Iterator[Ended[Any]]:
    """Work off jobs that ask no model, many in one transaction until ``stopped`` says so. Raises JournalError."""
    sources = [iter(jobs)]
    while sources and not stopped():
        batch: list[tuple[Ended[Any], int | None]] = []
        with journal.reading() as connection:
            while sources and len(batch) < _BATCH:
                job = next(sources[-1], None)
                if job is None:
                    sources.pop()
                    continue
                # The jobs that follow one with further jobs wait for these; all others are looked up together.
                taken = [job] if job.then else [job, *islice(sources[-1], _BATCH - len(batch) - 1)]
                keys = [one.entry.key for one in taken]
                known = stored_keys(connection, keys) if len(keys) > 1 else keys
                for job in taken:
                    found = job.entry.find(connection) if job.entry.key in known else None
                    outcome = job.step(()) if found is None else found.outcome
                    final = found is not None or job.is_final(outcome)
                    ended = Ended(job, outcome, final, from_journal=found is not None)
                    batch.append((ended, None if found is None else found.id))
                    if job.then is not None:
                        sources.append(iter(job.then(ended)))
        with journal.transaction() as connection:
            for ended, found_id in batch:
                entry = ended.job.entry
                if found_id is None:
                    entry.store(connection, ended.outcome, final=ended.final)
                entry.place(connection, found_id)
        yield from (ended for ended, _ in batch)
