"""``python/module:function``: a function as a model. It gets the messages and returns its reply."""

from __future__ import annotations

import asyncio
import importlib
import inspect
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from iamhumans.errors import CommandError
from iamhumans.models.model import FailureKind, ModelFailure, ModelIdentity, Reception
from iamhumans.models.programs import TIME_LIMIT, conversation
from iamhumans.models.reading import storable
from iamhumans.models.redaction import Redactor
from iamhumans.prompts import Answer, Request
from iamhumans.text import one_line

Function = Callable[[list[dict[str, str]]], Any]
"""Takes messages as ``{"role": ..., "content": ...}`` and returns the reply, or an awaitable of it."""


def load_function(words: str, folder: Path) -> Function:
    """The function that ``python/WORDS`` names; imports its module.

    Args:
        words: ``module:function``; dots lead into packages and attributes.
        folder: Where modules are looked for, after all that is installed.

    Raises:
        CommandError: Not of that form, no such module or function, the import fails, or it cannot be called.
    """
    module_name, colon, attribute = words.partition(":")
    if not colon or not _dotted(module_name) or not _dotted(attribute):
        raise CommandError(f"`python/{words}` names no function.", fix="Write python/module:function.")
    # At the end: a file of the folder must not take the place of a library that somebody else imports.
    if str(folder) not in sys.path:
        sys.path.append(str(folder))
        importlib.invalidate_caches()
    try:
        found: Any = importlib.import_module(module_name)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever a user's module does when it is imported
        raise CommandError(
            f"`{module_name}` cannot be imported: {one_line(f'{type(error).__name__}: {error}', 300)}.",
            fix=f"It is looked for among the installed packages and in {folder}.",
        ) from None
    for part in attribute.split("."):
        if not hasattr(found, part):
            raise CommandError(f"`{module_name}` has no `{attribute}`.", fix="Check the name after the colon.")
        found = getattr(found, part)
    if not callable(found):
        raise CommandError(f"`{words}` is no function.", fix="Name one that takes the messages and returns the reply.")
    function: Function = found
    return function


def _dotted(name: str) -> bool:
    return all(part.isidentifier() for part in name.split("."))


class FunctionModel:
    """A model that is a Python function. An ordinary one runs in a thread, a coroutine function in the loop."""

    def __init__(self, identity: ModelIdentity, function: Function, redactor: Redactor) -> None:
        self.identity = identity
        self._function = function
        self._redactor = redactor

    async def send(self, request: Request) -> Reception:
        """Call the function once.

        Raises:
            ModelFailure: It raised something, took too long, or returned something other than a string. A thread that
                takes too long cannot be stopped; it is left behind and its reply dropped.
        """
        limit = self.identity.limits.timeout or TIME_LIMIT
        try:
            async with asyncio.timeout(limit) as deadline:
                text = await self._call(conversation(request))
        except TimeoutError as error:
            if deadline.expired():
                raise ModelFailure(FailureKind.TIMEOUT, f"The function gave no reply within {limit:g} s.") from None
            raise self._raised(error) from None
        except Exception as error:  # noqa: BLE001 - whatever a user's function raises is a failed call
            raise self._raised(error) from None
        if not isinstance(text, str):
            raise ModelFailure(
                FailureKind.BAD_ANSWER, f"The function returned {type(text).__name__}; a string was expected."
            )
        return Reception(Answer(self._redactor.answer(storable(text))), model=self.identity.model)

    async def close(self) -> None:
        """Nothing is open."""

    async def _call(self, messages: list[dict[str, str]]) -> Any:
        if inspect.iscoroutinefunction(self._function):
            return await self._function(messages)
        result = await _in_thread(self._function, messages)
        return await result if inspect.isawaitable(result) else result

    def _raised(self, error: BaseException) -> ModelFailure:
        said = self._redactor.shown(f"{type(error).__name__}: {error}")
        return ModelFailure(FailureKind.SERVER_ERROR, f"The function raised {said}")


async def _in_thread(function: Function, messages: list[dict[str, str]]) -> Any:
    """What the function returns or raises.

    A daemon thread a call, and no pool: a pool would bound how many calls run at once, and make the program wait at its
    end for a function that hangs.
    """
    loop = asyncio.get_running_loop()
    done: asyncio.Future[tuple[Any, BaseException | None]] = loop.create_future()

    def settle(result: Any, error: BaseException | None) -> None:
        if not done.done():
            done.set_result((result, error))

    def work() -> None:
        try:
            outcome: tuple[Any, BaseException | None] = (function(messages), None)
        except BaseException as error:  # noqa: BLE001 - it is raised again where the call is awaited
            outcome = (None, error)
        with suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(settle, *outcome)

    threading.Thread(target=work, name="iamhumans-function", daemon=True).start()
    result, error = await done
    if error is None:
        return result
    # An exit or an interrupt inside of the function is its failure, and not the end of this program.
    raise error if isinstance(error, Exception) else RuntimeError(f"{type(error).__name__}: {error}")
