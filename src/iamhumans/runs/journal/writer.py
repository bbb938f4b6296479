"""The thread that writes: what arrives within some milliseconds is one transaction.

1. Operations are committed in the order in which they were handed over.
2. A future is resolved only when its operation is on the disk.
3. After one failure nothing more is written: the file is as the last commit left it, and every later operation fails
   with the same error.
"""

from __future__ import annotations

import asyncio
import contextlib
import queue
import sqlite3
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias, TypeVar, cast

from iamhumans.runs.journal.database import connect
from iamhumans.runs.journal.errors import explaining

Operation: TypeAlias = Callable[[sqlite3.Connection], Any]
T = TypeVar("T")

_GATHER_SECONDS = 0.03
_LARGEST_GROUP = 1000


class Writer:
    """Writes to a journal for one event loop.

    Args:
        path: The journal, which is open and checked elsewhere.
        patience: How long to wait for other programs' locks.
        on_failure: Called in the loop, once, when nothing more can be written.
    """

    def __init__(self, path: Path, *, patience: float, on_failure: Callable[[BaseException], None]) -> None:
        self._path = path
        self._loop = asyncio.get_running_loop()
        self._connection = connect(path, patience=patience)
        self._queue: queue.SimpleQueue[tuple[Operation, asyncio.Future[Any] | None] | None] = queue.SimpleQueue()
        self._failure: BaseException | None = None
        self._on_failure = on_failure
        self._thread = threading.Thread(target=self._serve, name="journal", daemon=True)
        self._thread.start()

    def submit(self, operation: Operation) -> None:
        """Hand over an operation whose commit nobody waits for by itself; a later one's waits for it."""
        self._queue.put((operation, None))

    async def do(self, operation: Callable[[sqlite3.Connection], T]) -> T:
        """Run an operation; returns its result when it is committed.

        Raises:
            JournalError: It could not be written.
        """
        future: asyncio.Future[Any] = self._loop.create_future()
        self._queue.put((operation, future))
        return cast("T", await future)

    async def close(self) -> None:
        """Write what was handed over, and end."""
        self._queue.put(None)
        await asyncio.shield(self._loop.run_in_executor(None, self._thread.join))
        self._connection.close()

    def _serve(self) -> None:
        while True:
            first = self._queue.get()
            if first is None:
                return
            time.sleep(_GATHER_SECONDS)
            group = [first]
            with contextlib.suppress(queue.Empty):
                while len(group) < _LARGEST_GROUP:
                    item = self._queue.get_nowait()
                    if item is None:
                        self._queue.put(None)
                        break
                    group.append(item)
            self._write(group)

    def _write(self, group: list[tuple[Operation, asyncio.Future[Any] | None]]) -> None:
        results: list[tuple[asyncio.Future[Any], Any]] = []
        if self._failure is None:
            try:
                with explaining(self._path):
                    results = self._commit(group)
            except BaseException as error:  # noqa: BLE001 - it is handed to whoever waits
                self._failure = error
                self._call(self._on_failure, error)
        if self._failure is not None:
            futures = [future for _, future in group if future is not None]
            self._call(_fail, futures, self._failure)
        elif results:
            self._call(_resolve, results)

    def _commit(
        self, group: list[tuple[Operation, asyncio.Future[Any] | None]]
    ) -> list[tuple[asyncio.Future[Any], Any]]:
        connection = self._connection
        results = []
        connection.execute("BEGIN IMMEDIATE")
        try:
            for operation, future in group:
                result = operation(connection)
                if future is not None:
                    results.append((future, result))
            connection.execute("COMMIT")
        except BaseException:
            # A full disk may have ended the transaction already.
            with contextlib.suppress(sqlite3.Error):
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
            raise
        return results

    def _call(self, function: Callable[..., None], *values: Any) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits any more
            self._loop.call_soon_threadsafe(function, *values)


def _resolve(results: list[tuple[asyncio.Future[Any], Any]]) -> None:
    for future, result in results:
        if not future.done():
            future.set_result(result)


def _fail(futures: list[asyncio.Future[Any]], error: BaseException) -> None:
    for future in futures:
        if not future.done():
            future.set_exception(error)
