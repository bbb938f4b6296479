"""From the jobs of a run to its end: opens the loop, works the jobs off, and notes how far the run got."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from iamhumans.models.model import ChatModel
from iamhumans.runs.budget import Budget
from iamhumans.runs.calls import HangingCall
from iamhumans.runs.engine import Engine, Progress
from iamhumans.runs.jobs import Ended, Job
from iamhumans.runs.journal import Journal, Run
from iamhumans.runs.settings import Settings
from iamhumans.runs.stopping import Stopping, stopped_by_signals
from iamhumans.verdicts import Unjudged

_SHOW_EVERY = 0.25


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
    return asyncio.run(_drive(journal, run, jobs, models, settings, budget, watch))


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
    try:
        with stopped_by_signals(engine, watch.on_stopping):
            async for ended in engine.run(jobs):
                if watch.on_ended is not None:
                    watch.on_ended(ended)
    finally:
        if reporter is not None:
            reporter.cancel()
        for model in models:
            await model.close()
    if watch.on_progress is not None:
        watch.on_progress(engine.progress)
    return Driven(engine.progress, engine.stopped)


async def _report(engine: Engine, on_progress: Callable[[Progress], None]) -> None:
    while True:
        await asyncio.sleep(_SHOW_EVERY)
        on_progress(engine.progress)
