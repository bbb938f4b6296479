"""A Python function as a model: ``python/module:function``, or a function that a Python program hands over."""

import importlib
import inspect
import os
import secrets
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

from iamhumans.errors import CommandError
from iamhumans.models.chat import FailureKind, Limits, ModelFailure, ModelIdentity, Reception
from iamhumans.models.json_fields import storable
from iamhumans.models.names import FUNCTION
from iamhumans.models.redaction import Redactor
from iamhumans.prompts import Answer, Request
from iamhumans.text import one_line

TIME_LIMIT = 600.0  # seconds that a function or a program has for a reply where no `timeout` is set
# Takes messages as {"role": ..., "content": ...} and returns the reply, or an awaitable of it.
Function = Callable[[list[dict[str, str]]], Any]


class CallableModel:
    """A Python function as a model. A plain one runs in a thread, a coroutine function in the loop."""

    def __init__(
        self, function: Function, *, name: str | None = None, version: str | None = None, timeout: float | None = None
    ) -> None:
        """A function from messages to a reply. Raises CommandError if it cannot be called.

        Name (by default its own) and ``version`` identify its results: change it when its answers may change. Without
        one, no result is used again in a later run. ``timeout`` is the seconds for one reply (by default 600).
        If the function raises, it is called again as any model is, unless the error is one of Python's own that means
        a mistake, such as TypeError.
        """
        name = name or getattr(function, "__name__", None) or type(function).__name__
        if not callable(function) or not name.strip() or not name.isprintable():
            advice = "Give a function from messages to text, and a name that can be printed."
            raise CommandError(f"`{one_line(name, 80)}` cannot be used as a model.", fix=advice)
        # Without a version, a random token makes its keys differ from those of every other run.
        settings = {"token": secrets.token_hex(16)} if version is None else {"version": version}
        limits, cacheable = Limits(timeout=timeout), version is not None
        self.identity = ModelIdentity(name, FUNCTION, name, settings, limits=limits, cacheable=cacheable)
        self._function, self._redactor = function, Redactor.of(os.environ)

    @classmethod
    def configured(cls, identity: ModelIdentity, function: Function, redactor: Redactor) -> "CallableModel":
        """A function that a config names."""
        model = cls(function)
        model.identity, model._redactor = identity, redactor
        return model

    async def send(self, request: Request) -> Reception:
        """Call the function once. Raises ModelFailure. A thread that takes too long is left behind."""
        import asyncio

        limit = self.identity.limits.timeout or TIME_LIMIT
        try:
            async with asyncio.timeout(limit) as deadline:
                text = await self._call(plain_messages(request))
        except (Exception, asyncio.CancelledError) as error:
            task = asyncio.current_task()
            if isinstance(error, asyncio.CancelledError) and (task is None or task.cancelling()):
                raise  # this call was cancelled; otherwise the function raised it
            if isinstance(error, TimeoutError) and deadline.expired():
                raise ModelFailure(FailureKind.TIMEOUT, f"The function gave no reply within {limit:g} s.") from None
            said = self._redactor.shown(f"{type(error).__name__}: {error}")
            raise ModelFailure(_kind_of(error), f"The function raised {said}") from None
        if not isinstance(text, str):
            raise ModelFailure(FailureKind.BAD_REQUEST, f"The function returned {type(text).__name__}, not a string.")
        return self._redactor.usable(Reception(Answer(storable(text))))

    async def close(self) -> None:
        """Nothing is open."""

    async def _call(self, messages: list[dict[str, str]]) -> Any:
        if inspect.iscoroutinefunction(self._function):
            return await self._function(messages)
        result = await _in_thread(self._function, messages)
        return await result if inspect.isawaitable(result) else result


def _kind_of(error: BaseException) -> FailureKind:
    """A connection may come back and a library's error may pass; Python's own errors, as TypeError, are mistakes."""
    if isinstance(error, ConnectionError):
        return FailureKind.CONNECTION
    own = type(error).__module__ == "builtins" and not isinstance(error, OSError)
    return FailureKind.BAD_REQUEST if own else FailureKind.SERVER_ERROR


def plain_messages(request: Request) -> list[dict[str, str]]:
    """The messages as plain data."""
    return [{"role": message.role, "content": message.content} for message in request.messages]


def load_function(words: str, folder: Path) -> Function:
    """The function that ``python/WORDS`` names, from the folder if it is not installed. Raises CommandError."""
    module_name, colon, attribute = words.partition(":")
    if not colon or not all(part.isidentifier() for part in f"{module_name}.{attribute}".split(".")):
        raise CommandError(f"`python/{words}` does not name a function.", fix="Write python/module:function.")
    # At the end: a file of the folder must not take the place of an installed library.
    if str(folder) not in sys.path:
        sys.path.append(str(folder))
        importlib.invalidate_caches()
    try:
        found: Any = importlib.import_module(module_name)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - a user's module can raise anything on import
        fix = f"It is searched for among the installed packages and in {folder}."
        said = one_line(f"{type(error).__name__}: {error}", 300)
        raise CommandError(f"`{module_name}` cannot be imported: {said}.", fix=fix) from None
    for part in attribute.split("."):
        found = getattr(found, part, None)
    if not callable(found):
        raise CommandError(f"`{module_name}` has no function `{attribute}`.", fix="Check the name after the colon.")
    return cast("Function", found)


async def _in_thread(function: Function, messages: list[dict[str, str]]) -> Any:
    """Call the function in a daemon thread: a pool would wait at exit for a function that hangs."""
    import asyncio

    loop = asyncio.get_running_loop()
    done: asyncio.Future[tuple[Any, BaseException | None]] = loop.create_future()

    def work() -> None:
        try:
            outcome: tuple[Any, BaseException | None] = (function(messages), None)
        except BaseException as error:  # noqa: BLE001 - it is raised again where the call is awaited
            outcome = (None, error)
        with suppress(RuntimeError):  # the loop is closed: the call was given up
            loop.call_soon_threadsafe(lambda: None if done.done() else done.set_result(outcome))

    threading.Thread(target=work, name="iamhumans-function", daemon=True).start()
    result, error = await done
    if error is None:
        return result
    # An exit or an interrupt inside the function is its failure, and does not end this program.
    raise error if isinstance(error, Exception) else RuntimeError(f"{type(error).__name__}: {error}")
