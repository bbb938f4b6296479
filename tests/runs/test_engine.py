"""The engine with a server that behaves: order, chains, resuming, repeats, budgets, stopping."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.runs.working import (
    asking_job,
    by_row,
    is_judged,
    judging,
    judging_jobs,
    local_model,
    mostly_judging,
    outcomes,
    question,
    row_of,
    settings,
    work,
)
from tests.servers import ChatServer, hang, refuse, say

from iamhumans.errors import CommandError
from iamhumans.prompts import Answer, Request
from iamhumans.runs.engine import Engine
from iamhumans.runs.halt import Stopping
from iamhumans.runs.jobs import Ended, Job
from iamhumans.runs.journal.entries import Replied
from iamhumans.runs.journal.journal import Journal
from iamhumans.runs.journal.queries import RunStatus
from iamhumans.runs.plan import estimate
from iamhumans.runs.settings import Budget
from iamhumans.verdicts import Reason, Unjudged

PRICED = "prices = { prompt = 1.0, completion = 1.0 }"


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    with Journal.open(tmp_path / "journal.db") as opened:
        yield opened


def test_every_job_ends_once_and_is_in_the_journal(journal: Journal, tmp_path: Path) -> None:
    with ChatServer(judging) as server:
        model, run = local_model(tmp_path, server.openai_url), journal.begin_run({})
        ended = work(journal, judging_jobs(journal, run, model, range(60)), model=model, run=run.id)
    assert sorted(map(row_of, ended)) == list(range(60))
    assert outcomes(journal, run) == by_row(ended)
    assert journal.end_run(run, asked=60).status is RunStatus.FINISHED


def test_a_stored_outcome_is_not_asked_for_again(journal: Journal, tmp_path: Path) -> None:
    with ChatServer(judging) as server:
        model = local_model(tmp_path, server.openai_url)
        work(journal, judging_jobs(journal, None, model, range(10)), model=model)
        again = work(journal, judging_jobs(journal, None, model, range(10)), model=model)
        assert server.count == 10
    assert all(one.from_journal and is_judged(one) for one in again)


def test_an_outcome_that_was_there_gets_its_row_in_a_new_run(journal: Journal, tmp_path: Path) -> None:
    with ChatServer(judging) as server:
        model = local_model(tmp_path, server.openai_url)
        for plan in ({"a": 1}, {"a": 2}):
            run = journal.begin_run(plan)
            work(journal, judging_jobs(journal, run, model, range(5)), model=model, run=run.id)
    assert sorted(outcomes(journal, run)) == list(range(5))


def test_the_same_job_twice_in_the_input_is_asked_once(journal: Journal, tmp_path: Path) -> None:
    with ChatServer(judging, delay=0.05) as server:
        model = local_model(tmp_path, server.openai_url)
        ended = work(journal, judging_jobs(journal, None, model, [1, 1, 1, 2]), model=model)
        assert server.count == 2
    assert len(ended) == 4


def test_a_job_is_resumed_in_the_middle(journal: Journal, tmp_path: Path) -> None:
    """Its first answer was stored, its second call failed: the next invocation asks only the second."""

    def two(history: Sequence[Answer]) -> Request | Replied:
        texts = [answer.text for answer in history]
        return Replied(" ".join(texts)) if len(history) == 2 else question(f"step {len(history)}")

    with ChatServer([say("one"), refuse(400), say("two")]) as server:
        model = local_model(tmp_path, server.openai_url)
        first = work(journal, [asking_job(model, step=two)], model=model)
        second = work(journal, [asking_job(model, step=two)], model=model)
        assert server.count == 3
    assert isinstance(first[0].outcome, Unjudged)
    assert second[0].outcome == Replied("one two")


def test_another_request_at_the_same_step_is_asked_anew(journal: Journal, tmp_path: Path) -> None:
    def step(text: str) -> Any:
        return lambda history: Replied(history[-1].text) if len(history) == 2 else question(f"{text} {len(history)}")

    with ChatServer([say("one"), refuse(400), say("changed"), say("two")]) as server:
        model = local_model(tmp_path, server.openai_url)
        work(journal, [asking_job(model, step=step("old"))], model=model)
        work(journal, [asking_job(model, step=step("new"))], model=model)
        assert server.count == 4


def test_judgements_follow_their_reply_at_once(journal: Journal, tmp_path: Path) -> None:
    order: list[str] = []

    def then(ended: Ended[Replied]) -> Iterable[Job[Any]]:
        assert isinstance(ended.outcome, Replied)
        return [asking_job(model, f"{ended.job.label}-{number}") for number in (1, 2)]

    with ChatServer() as server:
        model = local_model(tmp_path, server.openai_url)
        jobs = (asking_job(model, f"R{number}", then=then) for number in range(20))
        ended = work(journal, jobs, model=model, settings=settings(max_connections=1))
    order = [one.job.label for one in ended]
    assert len(order) == 60
    # Two jobs a connection are open at a time, so what follows from the first comes long before the last.
    assert max(order.index("R0-1"), order.index("R0-2")) < order.index("R5")


def test_jobs_are_pulled_as_there_is_room(journal: Journal, tmp_path: Path) -> None:
    pulled = 0

    def endless() -> Iterator[Job[Any]]:
        nonlocal pulled
        while True:
            pulled += 1
            yield asking_job(model, f"J{pulled}")

    ahead = []

    def watch(engine: Engine, _: object) -> None:
        ahead.append(pulled - engine.progress.ended)
        if len(ahead) == 50:
            engine.stop()

    with ChatServer() as server:
        model = local_model(tmp_path, server.openai_url)
        work(journal, endless(), model=model, watch=watch, settings=settings(max_connections=4), drain=False)
    assert max(ahead) <= 2 * 4 + 1


def test_a_job_without_a_model_asks_nothing(journal: Journal) -> None:
    ended = work(journal, [asking_job(None, step=lambda _: Replied("at once"))])
    assert ended[0].outcome == Replied("at once")


def test_a_mistake_in_a_machine_ends_the_run_and_loses_no_answer(journal: Journal, tmp_path: Path) -> None:
    def broken(history: Sequence[Answer]) -> Request | Replied:
        if history:
            raise ZeroDivisionError
        return question("x")

    with ChatServer() as server:
        model = local_model(tmp_path, server.openai_url)
        job = asking_job(model, step=broken)
        with pytest.raises(ZeroDivisionError):
            work(journal, [job], model=model)
    assert [attempt.answer for attempt in journal.attempts(job.entry.key)] == ["ok"]


def test_no_more_calls_at_once_than_allowed(journal: Journal, tmp_path: Path) -> None:
    with ChatServer(judging, delay=0.01) as server:
        model = local_model(tmp_path, server.openai_url)
        jobs = judging_jobs(journal, None, model, range(40))
        work(journal, jobs, model=model, settings=settings(max_connections=3))
        assert server.most_at_once == 3


def test_a_judge_that_always_answers_the_same_is_unjudged_row_by_row(journal: Journal, tmp_path: Path) -> None:
    with ChatServer([say("All good, 10 out of 10.")]) as server:
        model, run = local_model(tmp_path, server.openai_url), journal.begin_run({})
        ended = work(journal, judging_jobs(journal, run, model, range(12)), model=model, run=run.id)
        assert server.count == 24  # each asked again once
    assert {one.outcome.reason for one in ended} == {Reason.NO_VERDICT}
    assert journal.end_run(run, asked=12).status is RunStatus.FINISHED  # these are answers, so they are final


def test_a_tenth_of_malformed_verdicts_is_asked_again(journal: Journal, tmp_path: Path) -> None:
    with ChatServer(mostly_judging) as server:
        model = local_model(tmp_path, server.openai_url)
        ended = work(journal, judging_jobs(journal, None, model, range(40)), model=model)
        assert server.count == 44
    assert all(is_judged(one) for one in ended)


class TestBudgets:
    def test_tokens_end_a_run_cleanly(self, journal: Journal, tmp_path: Path) -> None:
        """Each call uses 120 tokens; those in flight finish, the rest ends as unjudged and can be resumed."""
        with ChatServer(judging) as server:
            model, run = local_model(tmp_path, server.openai_url), journal.begin_run({})
            jobs = judging_jobs(journal, run, model, range(30))
            limited = Budget(max_tokens=3_000)
            ended = work(journal, jobs, model=model, run=run.id, budget=limited, settings=settings(max_connections=2))
            paid = server.count
            assert 0 < paid < 30
            assert len(ended) == 30
            rest = [one for one in ended if isinstance(one.outcome, Unjudged)]
            assert {one.outcome.reason for one in rest} == {Reason.BUDGET}
            assert len(rest) == 30 - paid
            assert journal.end_run(run, asked=30, stopped=True).status is RunStatus.STOPPED
            work(journal, judging_jobs(journal, run, model, range(30)), model=model, run=run.id)
            assert server.count == 30
        assert all(outcome.judged for outcome in outcomes(journal, run).values())

    def test_cost_ends_a_run(self, journal: Journal, tmp_path: Path) -> None:
        with ChatServer(judging) as server:
            model = local_model(tmp_path, server.openai_url, PRICED)
            jobs = judging_jobs(journal, None, model, range(30))
            ended = work(
                journal, jobs, model=model, budget=Budget(max_cost=0.003), settings=settings(max_connections=2)
            )
            assert 0 < server.count < 30
        assert any(isinstance(one.outcome, Unjudged) and one.outcome.reason is Reason.BUDGET for one in ended)

    def test_a_cost_limit_without_a_price_is_refused_before_the_first_call(
        self, journal: Journal, tmp_path: Path
    ) -> None:
        with ChatServer(judging) as server:
            model = local_model(tmp_path, server.openai_url)
            with pytest.raises(CommandError, match="not known"):
                work(journal, judging_jobs(journal, None, model, [1]), model=model, budget=Budget(max_cost=1))
            assert server.count == 0

    def test_minutes_end_a_run(self, journal: Journal, tmp_path: Path) -> None:
        with ChatServer(judging, delay=0.2) as server:
            model = local_model(tmp_path, server.openai_url)
            jobs = judging_jobs(journal, None, model, range(50))
            limited = Budget(max_minutes=0.5 / 60)
            ended = work(journal, jobs, model=model, budget=limited, settings=settings(max_connections=2))
            assert server.count < 50
        assert len(ended) == 50

    def test_a_call_in_flight_may_leave_room_for_another(self, journal: Journal, tmp_path: Path) -> None:
        """While it is not known what those in flight will use, nothing is given up that may still fit."""
        with ChatServer(delay=0.02) as server:
            model = local_model(tmp_path, server.openai_url)
            jobs = [asking_job(model, f"J{number}") for number in range(8)]
            ended = work(journal, jobs, model=model, budget=Budget(max_tokens=1_500))
            assert server.count == 8  # 120 tokens each, though 400 and more were set aside for the first
        assert all(one.final for one in ended)


class TestStopping:
    def test_once_lets_calls_in_flight_finish(self, journal: Journal, tmp_path: Path) -> None:
        with ChatServer(judging, delay=0.1) as server:
            model, run = local_model(tmp_path, server.openai_url), journal.begin_run({})

            def watch(engine: Engine, _: object) -> None:
                if engine.stopped is None:
                    assert engine.stop() is Stopping.FINISHING

            jobs = judging_jobs(journal, run, model, range(100))
            ended = work(journal, jobs, model=model, run=run.id, watch=watch, settings=settings(max_connections=5))
            paid = server.count
            assert paid < 100
            assert sum(is_judged(one) for one in ended) == paid
            work(journal, judging_jobs(journal, run, model, range(100)), model=model, run=run.id)
            assert server.count == 100

    def test_twice_gives_up_what_is_in_flight(self, journal: Journal, tmp_path: Path) -> None:
        async def run(engine: Engine, jobs: list[Job[Any]]) -> list[Ended[Any]]:
            async def stop() -> None:
                while engine.progress.in_flight < 2:
                    await asyncio.sleep(0.01)
                engine.stop()
                await asyncio.sleep(0.05)
                assert engine.progress.in_flight == 2
                assert engine.stop() is Stopping.NOW

            stopping = asyncio.create_task(stop())
            ended = [one async for one in engine.run(jobs)]
            await stopping
            await model.close()
            return ended

        with ChatServer([hang()]) as server:
            model = local_model(tmp_path, server.openai_url)
            engine = Engine(journal, settings=settings(max_connections=2))
            ended = asyncio.run(run(engine, [asking_job(model, "A"), asking_job(model, "B")]))
        assert {one.outcome.reason for one in ended} == {Reason.CANCELLED}
        assert not any(one.final for one in ended)

    def test_a_reader_that_stops_reading_stops_the_calls(self, journal: Journal, tmp_path: Path) -> None:
        async def run() -> None:
            results = Engine(journal, settings=settings(max_connections=2)).run(
                asking_job(model, f"J{n}") for n in range(10_000)
            )
            async for _ in results:
                break
            await results.aclose()  # type: ignore[attr-defined]  # a generator has it
            await model.close()

        with ChatServer() as server:
            model = local_model(tmp_path, server.openai_url)
            asyncio.run(run())
            assert server.count < 500


def test_an_estimate_is_known_before_anything_is_paid(journal: Journal, tmp_path: Path) -> None:
    with ChatServer(judging) as server:
        model = local_model(tmp_path, server.openai_url, PRICED)
        work(journal, judging_jobs(journal, None, model, range(3)), model=model)
        ahead = estimate(judging_jobs(journal, None, model, range(10)), journal)
        assert server.count == 3
    assert (ahead.jobs, ahead.in_journal, ahead.calls) == (10, 3, 7)
    assert ahead.cost is not None
    assert ahead.cost > 0


def test_an_unknown_price_makes_an_unknown_cost(journal: Journal, tmp_path: Path) -> None:
    with ChatServer() as server:
        model = local_model(tmp_path, server.openai_url)
        assert estimate(judging_jobs(journal, None, model, [1]), journal).cost is None


def test_progress_counts_calls_tokens_and_cost(journal: Journal, tmp_path: Path) -> None:
    seen = []
    with ChatServer(judging) as server:
        model = local_model(tmp_path, server.openai_url, PRICED)
        jobs = judging_jobs(journal, None, model, range(5))
        work(journal, jobs, model=model, watch=lambda engine, _: seen.append(engine.progress))
    last = seen[-1]
    assert (last.ended, last.calls, last.tokens, last.in_flight) == (5, 5, 600, 0)
    assert last.cost == pytest.approx(600 / 1_000_000)
