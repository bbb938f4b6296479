"""Asynchronous work for callers that do not wait by themselves."""

import asyncio
import threading
from collections.abc import Callable, Coroutine
from functools import wraps
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


def run_sync(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine to its end and return its result.

    It runs in a thread with an event loop of its own, so the caller may be in any thread, or inside a running loop (a
    notebook), which is blocked meanwhile. No signal handler is installed. If the caller is interrupted (Ctrl-C), the
    coroutine is cancelled and may clean up before the interrupt goes on.
    """
    outcome: list[tuple[T | None, BaseException | None]] = []
    started: list[tuple[asyncio.AbstractEventLoop, asyncio.Task[T]]] = []
    ready = threading.Event()

    def main() -> None:
        loop = _new_loop()
        try:
            task = loop.create_task(work)
            started.append((loop, task))
            ready.set()
            outcome.append((loop.run_until_complete(task), None))
        except BaseException as error:  # noqa: BLE001 - it is raised in the thread that waits
            outcome.append((None, error))
        finally:
            loop.run_until_complete(loop.shutdown_asyncgens())
            loop.run_until_complete(loop.shutdown_default_executor())
            loop.close()

    thread = threading.Thread(target=main, name="iamhumans", daemon=True)
    thread.start()
    try:
        while thread.is_alive():
            thread.join(0.5)  # on Windows a waiting thread notices Ctrl-C only in between
    except BaseException:
        ready.wait()
        loop, task = started[0]
        if not loop.is_closed():
            loop.call_soon_threadsafe(task.cancel)
        thread.join()
        raise
    result, error = outcome[0]
    if error is not None:
        raise error
    return result  # type: ignore[return-value]  # a coroutine may return None


def _new_loop() -> asyncio.AbstractEventLoop:
    """A loop of uvloop where it is installed: it saves a seventh of the CPU time."""
    try:
        from uvloop import new_event_loop
    except ImportError:
        return asyncio.new_event_loop()
    loop: asyncio.AbstractEventLoop = new_event_loop()
    return loop


def synchronous(work: Callable[P, Coroutine[Any, Any, T]]) -> Callable[P, T]:
    """The twin of an asynchronous function that waits for its result. It has the same parameters and docstring."""

    @wraps(work)
    def call(*arguments: P.args, **named: P.kwargs) -> T:
        return run_sync(work(*arguments, **named))

    call.__name__ = call.__qualname__ = work.__name__.removeprefix("a")
    return call
