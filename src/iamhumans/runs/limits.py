"""How many calls a provider gets at a time, and how fast.

1. Never more calls in flight than the ceiling, nor than the limit, which moves below it.
2. An overload halves the limit, once for all calls that were in flight when it showed; a success adds one call a
   round trip.
3. When a server asks to wait, all calls to it wait.
4. First come, first served.

Only monotonic clocks are read, so a wall clock that jumps changes nothing.
"""

import asyncio
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from iamhumans.runs.halt import HaltedError

_MOST_DOUBLINGS = 20
_BURST_SECONDS = 5.0  # how much of an allowance may be spent at once. Servers count over a minute or less

Clock = Callable[[], float]


class Allowance:
    """A token bucket. An amount larger than the whole bucket waits until it is full, and puts it in debt."""

    def __init__(self, per_minute: float, clock: Clock) -> None:
        self.per_minute = per_minute
        self._rate = per_minute / 60
        self._capacity = max(1.0, self._rate * _BURST_SECONDS)
        self._level = self._capacity
        self._clock = clock
        self._seen = clock()

    def wait(self, amount: float) -> float:
        """Seconds until the amount may be taken."""
        now = self._clock()
        self._level = min(self._capacity, self._level + (now - self._seen) * self._rate)
        self._seen = now
        return max(0.0, (min(amount, self._capacity) - self._level) / self._rate)

    def take(self, amount: float) -> None:
        """Take it; a negative amount gives back."""
        self._level -= amount


@dataclass(slots=True)
class Slot:
    """The right to make one call, from when, and how many tokens it was thought to need."""

    started: float
    tokens: float


class ProviderLimit:
    """The limit of one provider: at most ``ceiling`` calls in flight.

    Where an overloaded server names no time, it is left alone for ``first_pause`` seconds, doubled each time in a row.
    """

    def __init__(
        self, ceiling: int, *, first_pause: float = 0.25, longest_pause: float = 30.0, clock: Clock = time.monotonic
    ) -> None:
        self.ceiling = max(1, ceiling)
        self.in_flight = 0
        self._limit = float(self.ceiling)
        self._clock = clock
        self._first_pause = first_pause
        self._longest_pause = longest_pause
        self._paused_until = clock()
        self._last_cut = clock() - 1.0
        self._cuts = 0
        self._waiters: deque[tuple[asyncio.Future[Slot], float]] = deque()
        self._timer: asyncio.TimerHandle | None = None
        self._closed = False
        self._requests: Allowance | None = None
        self._tokens: Allowance | None = None

    @property
    def limit(self) -> int:
        """How many calls may be in flight now."""
        return int(self._limit)

    @property
    def paused_for(self) -> float:
        """Seconds for which no call may begin."""
        return max(0.0, self._paused_until - self._clock())

    def tighten(self, requests_per_minute: float | None, tokens_per_minute: float | None) -> None:
        """Keep to these rates as well. All models of a provider share the lowest that any of them names."""
        self._requests = _lower(self._requests, requests_per_minute, self._clock)
        self._tokens = _lower(self._tokens, tokens_per_minute, self._clock)

    async def acquire(self, tokens: float = 0.0) -> Slot:
        """Wait for the right to make one call. Raises HaltedError."""
        if self._closed:
            raise HaltedError
        if not self._waiters and self.in_flight < self.limit and self._wait(tokens) <= 0:
            return self._grant(tokens)
        waiter: asyncio.Future[Slot] = asyncio.get_running_loop().create_future()
        self._waiters.append((waiter, tokens))
        self._wake()
        try:
            return await waiter
        except asyncio.CancelledError:
            if waiter.done() and not waiter.cancelled() and waiter.exception() is None:
                self.release(waiter.result())
            raise

    def release(self, slot: Slot, used_tokens: float | None = None) -> None:
        """Give the right back, whatever came of the call."""
        self.in_flight -= 1
        if self._tokens is not None and used_tokens is not None:
            self._tokens.take(used_tokens - slot.tokens)
        self._wake()

    def succeeded(self, slot: Slot) -> None:
        """The call brought an answer."""
        if slot.started > self._last_cut:
            self._cuts = 0
        if self._limit < self.ceiling:
            self._limit = min(self.ceiling, self._limit + 1 / self._limit)

    def overloaded(self, slot: Slot, retry_after: float = 0.0) -> None:
        """The provider said that this is too much, or asked to wait."""
        now = self._clock()
        if slot.started > self._last_cut:
            self._limit = max(1.0, self._limit / 2)
            self._last_cut = now
            if retry_after <= 0:
                # Only a server that names no time is given one of ours.
                own = min(self._longest_pause, self._first_pause * 2.0**self._cuts)
                self._cuts = min(self._cuts + 1, _MOST_DOUBLINGS)
                self._paused_until = max(self._paused_until, now + own)
        self.pause(retry_after)

    def pause(self, seconds: float) -> None:
        """Let no call begin for a while."""
        self._paused_until = max(self._paused_until, self._clock() + seconds)

    def close(self) -> None:
        """End every wait with a halt."""
        self._closed = True
        for waiter, _ in self._waiters:
            if not waiter.done():
                waiter.set_exception(HaltedError())
        self._waiters.clear()
        if self._timer is not None:
            self._timer.cancel()

    def _grant(self, tokens: float) -> Slot:
        self.in_flight += 1
        if self._requests is not None:
            self._requests.take(1)
        if self._tokens is not None:
            self._tokens.take(tokens)
        return Slot(self._clock(), tokens)

    def _wait(self, tokens: float) -> float:
        """Seconds until a call may begin, connections aside."""
        requests = self._requests.wait(1) if self._requests is not None else 0.0
        return max(self.paused_for, requests, self._tokens.wait(tokens) if self._tokens is not None else 0.0)

    def _wake(self) -> None:
        while self._waiters and self.in_flight < self.limit:
            waiter, tokens = self._waiters[0]
            wait = 0.0 if waiter.done() else self._wait(tokens)
            if wait > 0:
                if self._timer is not None:
                    self._timer.cancel()
                self._timer = asyncio.get_running_loop().call_later(wait, self._wake)
                return
            self._waiters.popleft()
            if not waiter.done():
                waiter.set_result(self._grant(tokens))


def _lower(known: Allowance | None, per_minute: float | None, clock: Clock) -> Allowance | None:
    if per_minute is None or (known is not None and known.per_minute <= per_minute):
        return known
    return Allowance(per_minute, clock)
