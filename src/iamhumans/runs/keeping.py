"""The journal's side of the engine: a job is opened, worked on by this process alone, and closed."""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from iamhumans.runs.jobs import Job
from iamhumans.runs.journal import claims
from iamhumans.runs.journal.attempts import Answered, Attempt, answered, keep_attempt
from iamhumans.runs.journal.entries import execute_all
from iamhumans.runs.journal.journal import Journal
from iamhumans.runs.journal.writer import Writer
from iamhumans.runs.stopping import Halt, HaltedError

_POLL_SECONDS = 0.5
"""How often to look whether another process has ended what it works on."""


@dataclass(slots=True)
class Opened:
    """What the journal says of a job before it begins."""

    outcome: Any = None
    """The outcome that stands, or ``None``."""
    busy: bool = False
    """Another process works on it."""
    answers: Answered = field(default_factory=dict)
    """What was paid for already, where there is no outcome."""


class Keeper:
    """Opens and closes jobs for one process."""

    def __init__(self, journal: Journal, writer: Writer, worker: int, halt: Halt) -> None:
        self._journal = journal
        self._writer = writer
        self._worker = worker
        self._halt = halt
        self._going_on = True
        """Whether jobs may well be in the journal; the writer looks them up in any case, but is slower at it."""

    @classmethod
    async def begin(cls, journal: Journal, writer: Writer, halt: Halt) -> Keeper:
        """Enter this process among those that work on the journal."""
        return cls(journal, writer, await writer.do(claims.register), halt)

    async def end(self) -> None:
        """Leave, and wait until everything is on the disk."""
        await self._writer.do(lambda connection: claims.leave(connection, self._worker))

    async def open(self, jobs: Sequence[Job[Any]]) -> list[Opened]:
        """Look jobs up, and claim those that have to ask; in their order. What another process has is ``busy``."""
        found = [Opened(self._journal.find(job.entry)) for job in jobs] if self._going_on else [Opened()] * len(jobs)
        there = [job.entry for job, opened in zip(jobs, found, strict=True) if opened.outcome is not None]
        missing = [job for job, opened in zip(jobs, found, strict=True) if opened.outcome is None]
        if there:
            # Nothing waits for this commit: a long run that goes on should be soon where it was.
            placed = [statement for entry in there for statement in entry.placed()]
            self._writer.submit(lambda connection: execute_all(connection, placed))
        if missing:
            looked = iter(await self._writer.do(lambda connection: [self._look(connection, job) for job in missing]))
            found = [opened if opened.outcome is not None else next(looked) for opened in found]
        self._going_on = any(opened.outcome is not None for opened in found)
        return found

    async def waited(self, job: Job[Any]) -> Opened:
        """The same, once no other process has the job any more. Still ``busy`` where the run is stopped before that."""
        opened = Opened(busy=True)
        with contextlib.suppress(HaltedError):
            while opened.busy:
                await self._halt.sleep(_POLL_SECONDS)
                opened = await self._writer.do(lambda connection: self._look(connection, job))
        return opened

    def _look(self, connection: sqlite3.Connection, job: Job[Any]) -> Opened:
        entry = job.entry
        outcome = entry.find(connection)
        if outcome is not None:
            execute_all(connection, entry.placed())
            return Opened(outcome)
        if job.model is None:
            return Opened()
        if not claims.claim(connection, entry.key, self._worker):
            return Opened(busy=True)
        return Opened(answers=answered(connection, entry.key))

    def keep(self, attempt: Attempt) -> None:
        """Hand over an attempt. It is on the disk before anything that is handed over later."""
        self._writer.submit(lambda connection: keep_attempt(connection, attempt))

    async def settle(self) -> None:
        """Wait until everything that was handed over is on the disk."""
        await self._writer.do(_nothing)

    async def close(self, job: Job[Any], outcome: Any, *, final: bool) -> None:
        """Keep an outcome, and give the job back."""
        statements = [*job.entry.kept(outcome, final=final), *job.entry.placed()]

        def write(connection: sqlite3.Connection) -> None:
            execute_all(connection, statements)
            if job.model is not None:
                claims.release(connection, job.entry.key, self._worker)

        await self._writer.do(write)

    async def show(self) -> None:
        """Give signs of life to other processes, for ever."""
        while True:
            await asyncio.sleep(claims.SHOW_EVERY)
            self._writer.submit(lambda connection: claims.show(connection, self._worker))


def _nothing(_: sqlite3.Connection) -> None:
    """An operation whose commit says that everything before it is on the disk."""
