"""The journal's side of the engine: jobs are looked up, claimed by this process, and stored."""

import asyncio
import contextlib
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Self

from iamhumans.runs.halt import Halt, HaltedError
from iamhumans.runs.jobs import Job
from iamhumans.runs.journal import claims
from iamhumans.runs.journal.entries import Answers, Attempt, Entry, Found, answers_of, store_attempt
from iamhumans.runs.journal.journal import Journal
from iamhumans.runs.journal.writer import Writer

_POLL_SECONDS = 0.5  # how often to check whether another process has ended its work on a job


class LostError(Exception):
    """Raised before a call is made for a job that another process has taken over."""


@dataclass(slots=True)
class LookedUp:
    """What the journal says of a job before it begins."""

    found: Found | None = None  # the final outcome, if there is one
    busy: bool = False  # another process works on it
    answers: Answers = field(default_factory=dict)  # the answers that were paid for already, if there is no outcome


class Store:
    """Looks jobs up and stores them for one process."""

    def __init__(self, journal: Journal, writer: Writer, worker: int, halt: Halt) -> None:
        self._journal = journal
        self._writer = writer
        self._worker = worker
        self._halt = halt
        self._seen = claims.clock()
        self._lease = 0  # counts how often this process was suspended for long
        self._claimed: dict[str, int] = {}  # in which lease each claim was made or confirmed
        self._resuming = True  # whether jobs may well be in the journal, so that a look without the writer saves time

    @classmethod
    async def begin(cls, journal: Journal, writer: Writer, halt: Halt) -> Self:
        """Enter this process among those that work on the journal."""
        return cls(journal, writer, await writer.do(claims.register), halt)

    def leave(self) -> None:
        """Release all jobs, also after an error or a cancellation: others need not wait for this worker."""
        self._writer.submit(lambda connection: claims.leave(connection, self._worker))

    async def look_up(self, jobs: Sequence[Job[Any]]) -> list[LookedUp]:
        """Look jobs up, in their order, and claim those that have to ask."""
        looked = [LookedUp()] * len(jobs)
        if self._resuming:
            looked = [LookedUp(self._journal.find(job.entry)) for job in jobs]
        there = [(job.entry, one.found.id) for job, one in zip(jobs, looked, strict=True) if one.found is not None]
        missing = [job for job, one in zip(jobs, looked, strict=True) if one.found is None]
        if there:
            # Nothing waits for this commit: a long run that is resumed should soon be where it was.
            self._writer.submit(lambda connection: _place(connection, there))
        if missing:
            self._claimed |= {job.entry.key: self._lease for job in missing if job.model is not None}
            again = iter(await self._writer.do(lambda connection: [self._look(connection, job) for job in missing]))
            looked = [one if one.found is not None else next(again) for one in looked]
        self._resuming = any(one.found is not None for one in looked)
        return looked

    async def released(self, job: Job[Any]) -> LookedUp:
        """The same once no other process has the job. It is still ``busy`` if the run is stopped before that."""
        looked = LookedUp(busy=True)
        with contextlib.suppress(HaltedError):
            while looked.busy:
                await self._halt.sleep(_POLL_SECONDS)
                self._beat()
                self._claimed[job.entry.key] = self._lease
                looked = await self._writer.do(lambda connection: self._look(connection, job))
        return looked

    def _look(self, connection: sqlite3.Connection, job: Job[Any]) -> LookedUp:
        entry = job.entry
        found = entry.find(connection)
        if found is not None:
            entry.place(connection, found.id)
            return LookedUp(found)
        if job.model is None:
            return LookedUp()
        if not claims.claim(connection, entry.key, self._worker):
            return LookedUp(busy=True)
        return LookedUp(answers=answers_of(connection, entry.key))

    async def confirm(self, job: Job[Any]) -> None:
        """Make sure, before a call, that this process still has the job. Raises LostError."""
        self._beat()
        key, worker = job.entry.key, self._worker
        if self._claimed.get(key) == self._lease:
            return
        entry, lease = job.entry, self._lease
        if not await self._writer.do(lambda db: entry.find(db) is None and claims.claim(db, key, worker)):
            raise LostError
        self._claimed[key] = lease

    async def renew(self) -> None:
        """Give signs of life to other processes, for ever."""
        while True:
            await asyncio.sleep(claims.RENEW_EVERY)
            self._beat()
            self._writer.submit(lambda connection: claims.renew(connection, self._worker))

    def _beat(self) -> None:
        """Notice that this process was suspended: then all its claims may be lost."""
        before, self._seen = self._seen, claims.clock()
        if self._seen - before > claims.LEASE:
            self._lease += 1
            self._writer.submit(lambda connection: claims.renew(connection, self._worker))

    def attempt(self, attempt: Attempt) -> None:
        """Hand over an attempt. It is on the disk before anything that is handed over later."""
        self._writer.submit(lambda connection: store_attempt(connection, attempt))

    async def written(self) -> None:
        """Wait until everything that was handed over is on the disk."""
        await self._writer.do(lambda _: None)

    async def store(self, job: Job[Any], outcome: Any, *, final: bool) -> None:
        """Store an outcome, and release the job."""

        def write(connection: sqlite3.Connection) -> None:
            job.entry.store(connection, outcome, final=final)
            job.entry.place(connection)
            if job.model is not None:
                claims.release(connection, job.entry.key, self._worker)

        await self._writer.do(write)
        self._claimed.pop(job.entry.key, None)


def _place(connection: sqlite3.Connection, found: Sequence[tuple[Entry[Any], int]]) -> None:
    for entry, number in found:
        entry.place(connection, number)
