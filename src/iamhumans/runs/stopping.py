"""How an engine is stopped: first no new calls, then none at all."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import Callable, Iterator
from enum import Enum
from typing import Protocol

from iamhumans.verdicts import Reason, Unjudged


class Stopping(Enum):
    """How far an engine is on its way out."""

    RUNNING = "running"
    FINISHING = "finishing"
    """No new calls; what is in flight finishes."""
    NOW = "now"
    """What is in flight is given up."""


class HaltedError(Exception):
    """Raised in whatever waits for its turn to make a call when there will be none."""


class Halt:
    """The state that all jobs of an engine look at before they call."""

    def __init__(self) -> None:
        self.state = Stopping.RUNNING
        self._outcome = Unjudged(Reason.CANCELLED, "the run was stopped before this was asked")
        self._event = asyncio.Event()
        self._listeners: list[Callable[[], None]] = []

    def __bool__(self) -> bool:
        """Whether no new call may be made."""
        return self.state is not Stopping.RUNNING

    @property
    def outcome(self) -> Unjudged:
        """How a job ends that could not ask any more."""
        return self._outcome

    @property
    def by_budget(self) -> bool:
        """Whether the budget ended it, and nobody's wish to stop."""
        return bool(self) and self._outcome.reason is Reason.BUDGET

    def on_halt(self, listener: Callable[[], None]) -> None:
        """Have something called when no new call may be made."""
        self._listeners.append(listener)

    def finish(self, outcome: Unjudged | None = None) -> None:
        """Let what is in flight finish, and start nothing new."""
        if outcome is not None and not self:
            self._outcome = outcome
        if outcome is None:
            self._outcome = Unjudged(Reason.CANCELLED, "the run was stopped before this was asked")
        if self.state is Stopping.RUNNING:
            self.state = Stopping.FINISHING
            self._event.set()
            for listener in self._listeners:
                listener()

    def now(self) -> None:
        """Give up what is in flight as well."""
        self.finish()
        self.state = Stopping.NOW

    async def sleep(self, seconds: float) -> None:
        """Wait, but not beyond a halt.

        Raises:
            HaltedError: No new call may be made.
        """
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._event.wait()
        if self:
            raise HaltedError


class CanStop(Protocol):
    """What signals can stop."""

    def stop(self) -> Stopping:
        """Stop cleanly; the second time, at once."""


@contextlib.contextmanager
def stopped_by_signals(engine: CanStop, announce: Callable[[Stopping], None] | None = None) -> Iterator[None]:
    """Within it, the first Ctrl-C lets an engine finish what is in flight and the second ends it now.

    SIGTERM does the same. To be entered where an event loop runs.

    Args:
        engine: What to stop.
        announce: Told what was begun, to tell the user.
    """

    def stop() -> None:
        state = engine.stop()
        if announce is not None:
            announce(state)

    loop = asyncio.get_running_loop()
    signals = (signal.SIGINT, signal.SIGTERM)
    before = {number: signal.getsignal(number) for number in signals}
    for number in signals:
        try:
            loop.add_signal_handler(number, stop)
        except NotImplementedError:  # on Windows a loop handles no signals
            signal.signal(number, lambda *_: loop.call_soon_threadsafe(stop))
    try:
        yield
    finally:
        for number in signals:
            with contextlib.suppress(NotImplementedError):
                loop.remove_signal_handler(number)
            signal.signal(number, before[number])
