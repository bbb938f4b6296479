"""The thread that writes: what arrives within some milliseconds becomes one transaction.

1. Operations are committed in the order in which they were handed over.
2. A future is resolved only when its operation is on the disk.
3. After one failure nothing more is written: the file stays as the last commit left it, and every later operation fails
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
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, cast

if TYPE_CHECKING:
    from iamhumans.runs.journal.journal import Journal

Operation: TypeAlias = Callable[[sqlite3.Connection], Any]
_Item: TypeAlias = tuple[Operation, asyncio.Future[Any] | None]
T = TypeVar("T")

_GATHER_SECONDS = 0.03
_LARGEST_GROUP = 1000


class Writer:
    """Writes to a journal for one event loop, in which ``on_failure`` is called once nothing more can be written."""

    def __init__(self, journal: Journal, on_failure: Callable[[BaseException], None]) -> None:
        self._journal = journal
        self._loop = asyncio.get_running_loop()
        self._queue: queue.SimpleQueue[_Item | None] = queue.SimpleQueue()
        self._failure: BaseException | None = None
        self._on_failure = on_failure
        self._thread = threading.Thread(target=self._serve, name="iamhumans-journal", daemon=True)
        self._thread.start()

    def submit(self, operation: Operation) -> None:
        """Hand over an operation without waiting for its commit."""
        self._queue.put((operation, None))

    async def do(self, operation: Callable[[sqlite3.Connection], T]) -> T:
        """Run an operation; returns its result when it is committed. Raises JournalError."""
        future: asyncio.Future[Any] = self._loop.create_future()
        self._queue.put((operation, future))
        return cast("T", await future)

    async def close(self) -> None:
        """Write what was handed over, and end."""
        self._queue.put(None)
        await asyncio.shield(self._loop.run_in_executor(None, self._thread.join))

    def _serve(self) -> None:
        with self._journal.second_connection() as connection:
            while (first := self._queue.get()) is not None:
                time.sleep(_GATHER_SECONDS)
                group = [first]
                with contextlib.suppress(queue.Empty):
                    while len(group) < _LARGEST_GROUP:
                        item = self._queue.get_nowait()
                        if item is None:
                            self._queue.put(None)
                            break
                        group.append(item)
                self._write(group, connection)

    def _write(self, group: list[_Item], connection: sqlite3.Connection) -> None:
        results: list[tuple[asyncio.Future[Any], Any]] = []
        if self._failure is None:
            try:
                with self._journal.transaction(connection):
                    done = [(future, operation(connection)) for operation, future in group]
                results = [(future, result) for future, result in done if future is not None]
            except BaseException as error:  # noqa: BLE001 - it is handed to everything that waits
                self._failure = error
                self._call(self._on_failure, error)
        if self._failure is not None:
            self._call(_fail, [future for _, future in group if future is not None], self._failure)
        elif results:
            self._call(_resolve, results)

    def _call(self, function: Callable[..., None], *values: Any) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed and nothing waits any more
            self._loop.call_soon_threadsafe(function, *values)


def _resolve(results: list[tuple[asyncio.Future[Any], Any]]) -> None:
    for future, result in results:
        if not future.done():
            future.set_result(result)


def _fail(futures: list[asyncio.Future[Any]], error: BaseException) -> None:
    for future in futures:
        if not future.done():
            future.set_exception(error)
