"""From the jobs of a run to its end: opens the loop, works the jobs off, and notes how far the run got."""

from __future__ import annotations

import asyncio
import gc
import sqlite3
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterable, Iterator, Sequence
from contextlib import AsyncExitStack, contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from iamhumans.models.model import ChatModel
from iamhumans.runs.budget import Budget
from iamhumans.runs.calls import HangingCall
from iamhumans.runs.engine import Engine, Progress
from iamhumans.runs.jobs import Ended, Job
from iamhumans.runs.journal import Journal, Run
from iamhumans.runs.journal.entries import execute_all
from iamhumans.runs.settings import Settings
from iamhumans.runs.stopping import Stopping, stopped_by_signals
from iamhumans.verdicts import Unjudged

_SHOW_EVERY = 0.25
_UNDONE_AT_ONCE = 500
"""How many jobs are noted as undone in one transaction, so that nobody waits long for the journal."""


@dataclass(frozen=True, slots=True)
class Watch:
    """Who is told what happens meanwhile."""

    on_ended: Callable[[Ended[Any]], None] | None = None
    on_progress: Callable[[Progress], None] | None = None
    on_hanging: Callable[[HangingCall], None] | None = None
    on_stopping: Callable[[Stopping], None] | None = None


@dataclass(frozen=True, slots=True)
class Driven:
    """How the work on a run ended."""

    progress: Progress
    stopped: Unjudged | None
    """Why it ended early: ``cancelled`` by the user, or ``budget``; ``None`` where it did not."""


def drive(
    journal: Journal,
    run: Run | None,
    jobs: Iterable[Job[Any]],
    models: Sequence[ChatModel],
    *,
    settings: Settings,
    budget: Budget,
    watch: Watch,
) -> Driven:
    """Work the jobs off, from outside of any event loop. The models are closed in the end.

    Raises:
        JournalError: Something could not be written. What was written before stands.
        CommandError: A cost is limited and a price unknown.
    """
    budget.require_prices([model.identity for model in models])
    sources = _Sources()
    with _less_garbage_collection():
        driven = _run(_drive(journal, run, sources.watched(jobs), models, settings, budget, watch))
    if driven.stopped is not None:
        _keep_undone(journal, sources.left(), driven.stopped)
    return driven


def _run(driving: Coroutine[Any, Any, Driven]) -> Driven:
    """Run it in a loop of its own: uvloop's, which spares a seventh of the processor time, where there is one."""
    try:
        from uvloop import new_event_loop
    except ImportError:
        return asyncio.run(driving)
    with asyncio.Runner(loop_factory=new_event_loop) as runner:
        return runner.run(driving)


@contextmanager
def _less_garbage_collection() -> Iterator[None]:
    """Look for cycles seldom, and not among what was there before: that took a tenth of the processor time."""
    before = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()


async def _drive(
    journal: Journal,
    run: Run | None,
    jobs: Iterable[Job[Any]],
    models: Sequence[ChatModel],
    settings: Settings,
    budget: Budget,
    watch: Watch,
) -> Driven:
    engine = Engine(
        journal,
        run=None if run is None else run.id,
        settings=settings,
        budget=budget,
        on_hanging=watch.on_hanging,
    )
    reporter = asyncio.create_task(_report(engine, watch.on_progress)) if watch.on_progress else None
    async with AsyncExitStack() as stack:
        for model in models:
            stack.push_async_callback(model.close)
        if reporter is not None:
            stack.callback(reporter.cancel)
        results = engine.run(jobs)
        if isinstance(results, AsyncGenerator):
            stack.push_async_callback(results.aclose)
        stack.enter_context(stopped_by_signals(engine, watch.on_stopping))
        async for ended in results:
            if watch.on_ended is not None:
                watch.on_ended(ended)
    if watch.on_progress is not None:
        watch.on_progress(engine.progress)
    return Driven(engine.progress, engine.stopped)


class _Sources:
    """Everything that jobs are pulled from, so that those which nobody pulled can be told in the end."""

    def __init__(self) -> None:
        self._open: dict[int, Iterator[Job[Any]]] = {}

    def watched(self, jobs: Iterable[Job[Any]]) -> Iterator[Job[Any]]:
        """The same jobs, and whatever follows from them is watched as well."""
        source = iter(jobs)
        self._open[id(source)] = source
        return self._pulled(source)

    def left(self) -> Iterator[Job[Any]]:
        """The jobs that were not pulled."""
        while self._open:
            yield from self._open.popitem()[1]

    def _pulled(self, source: Iterator[Job[Any]]) -> Iterator[Job[Any]]:
        for job in source:
            yield self._with_watched_sequel(job)
        self._open.pop(id(source), None)

    def _with_watched_sequel(self, job: Job[Any]) -> Job[Any]:
        then = job.then
        return job if then is None else replace(job, then=lambda ended: self.watched(then(ended)))


def _keep_undone(journal: Journal, jobs: Iterator[Job[Any]], why: Unjudged) -> None:
    """Note the jobs that were never begun as undone, so that a run that was stopped counts all that it asked.

    What stands in the journal stands; what is noted is sought again by the next invocation.
    """
    while several := list(islice(jobs, _UNDONE_AT_ONCE)):
        with journal.transaction() as connection:
            for job in several:
                _note_undone(connection, job, why)


def _note_undone(connection: sqlite3.Connection, job: Job[Any], why: Unjudged) -> None:
    there = job.entry.find(connection)
    if there is None:
        execute_all(connection, job.entry.kept(why, final=False))
    execute_all(connection, job.entry.placed())
    if job.then is not None:
        outcome = why if there is None else there
        for sequel in job.then(Ended(job, outcome, final=there is not None)):
            _note_undone(connection, sequel, why)


async def _report(engine: Engine, on_progress: Callable[[Progress], None]) -> None:
    while True:
        await asyncio.sleep(_SHOW_EVERY)
        on_progress(engine.progress)
