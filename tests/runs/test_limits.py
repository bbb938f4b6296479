"""How many calls a provider gets, and when: with a clock that the test turns."""

from __future__ import annotations

import asyncio
from itertools import pairwise

import pytest

from iamhumans.models import FailureKind, ModelFailure
from iamhumans.runs.halt import HaltedError
from iamhumans.runs.limits import Allowance, ProviderLimit
from iamhumans.runs.settings import RetryPolicy


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


async def slots(limit: ProviderLimit, count: int) -> list[object]:
    return [await limit.acquire() for _ in range(count)]


def test_many_failures_of_one_round_trip_halve_the_limit_once(clock: Clock) -> None:
    async def run() -> None:
        limit = ProviderLimit(16, clock=clock)
        taken = [await limit.acquire() for _ in range(16)]
        clock.now += 1
        for slot in taken:
            limit.overloaded(slot)
            limit.release(slot)
        assert limit.limit == 8

    asyncio.run(run())


def test_it_climbs_back_by_one_a_round_trip_and_not_above_the_ceiling(clock: Clock) -> None:
    async def run() -> list[int]:
        limit = ProviderLimit(8, clock=clock)
        slot = await limit.acquire()
        limit.overloaded(slot)
        limit.release(slot)
        seen = [limit.limit]
        for _ in range(10):
            clock.now += 60
            for slot in [await limit.acquire() for _ in range(limit.limit)]:
                limit.succeeded(slot)
                limit.release(slot)
            seen.append(limit.limit)
        return seen

    seen = asyncio.run(run())
    assert seen[0] == 4
    assert seen[-1] == 8
    assert all(after - before in (0, 1) for before, after in pairwise(seen))


def test_it_never_falls_below_one(clock: Clock) -> None:
    async def run() -> None:
        limit = ProviderLimit(4, clock=clock)
        for _ in range(50):
            slot = await limit.acquire()
            limit.overloaded(slot)
            limit.release(slot)
            clock.now += 1000
        assert limit.limit == 1

    asyncio.run(run())


def test_what_a_server_asks_to_wait_all_calls_to_it_wait(clock: Clock) -> None:
    async def run() -> None:
        limit = ProviderLimit(6, clock=clock)
        first, second, third = [await limit.acquire() for _ in range(3)]
        limit.overloaded(first, 10.0)
        limit.release(first)
        waiting = asyncio.create_task(limit.acquire())
        await asyncio.sleep(0)
        clock.now += 9.0
        limit.release(second)
        await asyncio.sleep(0)
        assert not waiting.done()
        clock.now += 1.1
        limit.release(third)
        await asyncio.sleep(0)
        assert waiting.done()

    asyncio.run(run())


def test_who_came_first_goes_first(clock: Clock) -> None:
    async def run() -> list[int]:
        limit, order = ProviderLimit(1, clock=clock), []
        first = await limit.acquire()

        async def wait(number: int) -> None:
            slot = await limit.acquire()
            order.append(number)
            limit.release(slot)

        tasks = [asyncio.create_task(wait(number)) for number in range(5)]
        await asyncio.sleep(0)
        limit.release(first)
        await asyncio.gather(*tasks)
        return order

    assert asyncio.run(run()) == [0, 1, 2, 3, 4]


def test_one_that_is_cancelled_while_it_waits_takes_nothing(clock: Clock) -> None:
    async def run() -> None:
        limit = ProviderLimit(1, clock=clock)
        first = await limit.acquire()
        waiting = asyncio.create_task(limit.acquire())
        await asyncio.sleep(0)
        limit.release(first)  # it is given the slot,
        waiting.cancel()  # and cancelled before it can run
        with pytest.raises(asyncio.CancelledError):
            await waiting
        assert limit.in_flight == 0
        await limit.acquire()

    asyncio.run(run())


def test_nobody_waits_when_it_is_closed(clock: Clock) -> None:
    async def run() -> None:
        limit = ProviderLimit(1, clock=clock)
        await limit.acquire()
        waiting = asyncio.create_task(limit.acquire())
        await asyncio.sleep(0)
        limit.close()
        with pytest.raises(HaltedError):
            await waiting
        with pytest.raises(HaltedError):
            await limit.acquire()

    asyncio.run(run())


def test_requests_a_minute_are_kept(clock: Clock) -> None:
    allowance = Allowance(60, clock)
    taken = 0
    for _ in range(600):  # a minute, by tenths of a second
        clock.now += 0.1
        if allowance.wait(1) <= 0:
            allowance.take(1)
            taken += 1
    assert 60 <= taken <= 66


def test_an_amount_larger_than_the_burst_is_let_through_and_paid_for(clock: Clock) -> None:
    allowance = Allowance(600, clock)
    assert allowance.wait(1000) == 0
    allowance.take(1000)
    assert allowance.wait(1) == pytest.approx((1000 - 50 + 1) / 10)


def test_the_lowest_rate_of_a_provider_holds(clock: Clock) -> None:
    limit = ProviderLimit(100, clock=clock)
    limit.tighten(600, None)
    limit.tighten(60, None)
    limit.tighten(6000, None)

    async def run() -> None:
        await slots(limit, 5)
        waiting = asyncio.create_task(limit.acquire())
        await asyncio.sleep(0)
        assert not waiting.done()
        waiting.cancel()

    asyncio.run(run())


class TestRetries:
    def test_what_cannot_pass_is_not_tried_again(self) -> None:
        policy = RetryPolicy()
        passing = {kind for kind in FailureKind if policy.pause(ModelFailure(kind, "x"), 1) is not None}
        assert passing == {
            FailureKind.RATE_LIMITED,
            FailureKind.OVERLOADED,
            FailureKind.SERVER_ERROR,
            FailureKind.CONNECTION,
            FailureKind.TIMEOUT,
            FailureKind.BAD_ANSWER,
            FailureKind.FAILED_GENERATION,
        }

    def test_pauses_grow_and_stay_within_bounds(self) -> None:
        policy = RetryPolicy(attempts=20, first_pause=1, longest_pause=60)
        failure = ModelFailure(FailureKind.SERVER_ERROR, "x")
        for attempt in range(1, 20):
            pause = policy.pause(failure, attempt)
            assert pause is not None
            assert min(60, 2 ** (attempt - 1)) / 2 <= pause <= min(60, 2 ** (attempt - 1))

    def test_they_end(self) -> None:
        assert RetryPolicy(attempts=6).pause(ModelFailure(FailureKind.TIMEOUT, "x"), 6) is None

    def test_a_server_that_was_never_reached_is_tried_less_often(self) -> None:
        failure = ModelFailure(FailureKind.CONNECTION, "x")
        assert RetryPolicy().pause(failure, 3, in_contact=False) is None
        assert RetryPolicy().pause(failure, 3, in_contact=True) is not None

    @pytest.mark.parametrize(("asked", "waited"), [(30.0, 30.0), (120.0, 120.0), (864_000.0, None), (-5.0, 0.0)])
    def test_what_a_server_asks_is_obeyed_within_reason(self, asked: float, waited: float | None) -> None:
        failure = ModelFailure(FailureKind.RATE_LIMITED, "x", retry_after=asked)
        pause = RetryPolicy(first_pause=0).pause(failure, 1)
        assert pause == waited
