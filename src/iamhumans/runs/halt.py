"""How an engine is stopped: first it makes no new calls, then it gives up those in flight."""

import asyncio
import contextlib
import threading
from collections.abc import Callable
from enum import Enum

from iamhumans.verdicts import Reason, Unjudged

_STOPPED = Unjudged(Reason.CANCELLED, "the run was stopped before it finished")


class Stopping(Enum):
    """How far an engine is on its way out."""

    RUNNING = "running"
    FINISHING = "finishing"  # no new calls; calls in flight finish
    NOW = "now"  # calls in flight are given up


class StopRequest:
    """Stops work from outside, from any thread. Everything that was paid for is in the journal all the same."""

    def __init__(self) -> None:
        # A signal handler may interrupt the thread that holds it.
        self._lock = threading.RLock()
        self._count = 0
        self._listener: Callable[[], object] | None = None

    def stop(self) -> Stopping:
        """Ask for the work to stop. The first time lets calls in flight finish; the second gives them up."""
        with self._lock:
            self._count += 1
            if self._listener is not None:
                self._listener()
            return Stopping.FINISHING if self._count == 1 else Stopping.NOW

    def listen(self, listener: Callable[[], object]) -> None:
        """Have something called for each request, those before included."""
        with self._lock:
            self._listener = listener
            for _ in range(min(self._count, 2)):
                listener()


class HaltedError(Exception):
    """Raised in everything that waits for its turn to make a call, when there will be none."""


class Halt:
    """The state that all jobs of an engine check before they call."""

    def __init__(self) -> None:
        self.state = Stopping.RUNNING
        self.outcome = _STOPPED  # how a job ends that cannot ask any more
        self._event = asyncio.Event()
        self._listeners: list[Callable[[], None]] = []

    def __bool__(self) -> bool:
        """Whether no new call may be made."""
        return self.state is not Stopping.RUNNING

    @property
    def by_budget(self) -> bool:
        """Whether the budget ended it, and not the user."""
        return bool(self) and self.outcome.reason is Reason.BUDGET

    def on_halt(self, listener: Callable[[], None]) -> None:
        """Have something called when no new call may be made."""
        self._listeners.append(listener)

    def finish(self, outcome: Unjudged | None = None) -> None:
        """Let calls in flight finish, and start no new ones."""
        if outcome is None or not self:
            self.outcome = outcome or _STOPPED
        if self.state is Stopping.RUNNING:
            self.state = Stopping.FINISHING
            self._event.set()
            for listener in self._listeners:
                listener()

    def now(self) -> None:
        """Give up calls in flight as well."""
        self.finish()
        self.state = Stopping.NOW

    async def sleep(self, seconds: float) -> None:
        """Wait, but not beyond a halt. Raises HaltedError."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._event.wait()
        if self:
            raise HaltedError
