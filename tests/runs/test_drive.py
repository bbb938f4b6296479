"""Driving a run from outside of any loop: how it ends, what it leaves, whom it tells."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.builders import SEED, case

from iamhumans.cases import Case
from iamhumans.errors import CommandError
from iamhumans.judges import LlmJudge
from iamhumans.models.chat import ChatModel, FailureKind, ModelFailure, ModelIdentity, Reception
from iamhumans.prompts import Answer, Message, Request
from iamhumans.runs import Budget, Ended, Job, Journal, Progress, Run, RunStatus, Settings, Stopping
from iamhumans.runs.drive import Driven, Watch, drive
from iamhumans.runs.opening import NotingModel
from iamhumans.runs.plan import Drawing, Judging, Place, Planner, Seat
from iamhumans.subjects import LlmSubject
from iamhumans.verdicts import Reason, Unjudged

HELLO = Request((Message("user", "hello"),))
CASES = tuple(case(f"case {index}", case_id=f"C-{index}") for index in range(6))


class Loopback:
    """A model within this process: it replies, as a judge it declines, and after some calls it does something else."""

    def __init__(
        self, name: str = "m", *, after: int = 1_000_000, then: Any = None, left_out: tuple[str, ...] = ()
    ) -> None:
        self.identity = ModelIdentity(name, "loopback", "tiny")
        self.calls = 0
        self.closed = 0
        self._after = after
        self._then = then
        self._left_out = left_out

    async def send(self, request: Request) -> Reception:
        self.calls += 1
        number = self.calls
        await asyncio.sleep(0.002)
        if number == self._after:
            await self._then()
        text = "I can't judge this." if request.schema else f"oh, {request.messages[-1].content}"
        return Reception(Answer(text), left_out=self._left_out)

    async def close(self) -> None:
        self.closed += 1


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    with Journal.open(tmp_path / "journal.db") as journal:
        yield journal


def parts(model: ChatModel) -> tuple[Judging, Drawing]:
    return Judging(SEED, (Seat(LlmJudge("m"), model),), repeats=2), Drawing(LlmSubject("m"), model)


def drive_all(
    journal: Journal,
    model: ChatModel,
    *,
    watch: Watch = Watch(),  # noqa: B008 - it is frozen
    budget: Budget = Budget(),  # noqa: B008 - it is frozen
    cases: tuple[Case, ...] = CASES,
) -> tuple[Driven, Run]:
    judging, drawing = parts(model)
    journal.keep_texts([*judging.texts(), *drawing.texts()])
    asked = len(cases) * judging.judgements
    run = journal.begin_run({**judging.described(), **drawing.described()}, asked=asked)
    jobs = Planner(Place(journal.secret, run.id), judging, drawing).for_cases(cases)
    settings = Settings(max_connections=2)
    driven = drive(journal, run, jobs, [model], settings=settings, budget=budget, watch=watch)
    return driven, journal.end_run(run, asked=asked, stopped=driven.stopped is not None)


def rows(journal: Journal, run: Run) -> list[tuple[int, str, str]]:
    """Row, case, and how it ended."""
    found = []
    for record in journal.rows(run):
        outcome = record.outcome
        found.append((record.row, record.case_id, outcome.reason.value if isinstance(outcome, Unjudged) else "judged"))
    return found


async def interrupt() -> None:
    """As Ctrl-C does."""
    os.kill(os.getpid(), signal.SIGINT)
    await asyncio.sleep(0.05)


def test_everything_is_done_and_the_models_are_closed(journal: Journal) -> None:
    model = Loopback()
    driven, run = drive_all(journal, model)
    assert (driven.stopped, run.status, model.closed) == (None, RunStatus.FINISHED, 1)
    assert (driven.progress.ended, driven.progress.calls, driven.progress.in_flight) == (18, 18, 0)
    assert rows(journal, run) == [(row, f"C-{(row - 1) // 2}", "refused") for row in range(1, 13)]


def test_each_end_and_the_last_progress_are_told(journal: Journal) -> None:
    ended: list[Ended[Any]] = []
    progress: list[Progress] = []
    drive_all(journal, Loopback(), watch=Watch(on_ended=ended.append, on_progress=progress.append))
    assert len(ended) == 18
    assert progress[-1].ended == 18


def test_an_interrupt_finishes_what_is_in_flight_and_notes_all_else_as_undone(journal: Journal) -> None:
    told: list[Stopping] = []
    model = Loopback(after=5, then=interrupt)
    driven, run = drive_all(journal, model, watch=Watch(on_stopping=told.append))
    assert told == [Stopping.FINISHING]
    assert driven.stopped is not None
    assert driven.stopped.reason is Reason.CANCELLED
    assert run.status is RunStatus.STOPPED
    found = rows(journal, run)
    assert [(row, case_id) for row, case_id, _ in found] == [(row, f"C-{(row - 1) // 2}") for row in range(1, 13)]
    assert {reason for _, _, reason in found} == {"refused", "cancelled"}
    assert found[-1][2] == "cancelled"


def test_what_was_undone_is_done_by_the_next_invocation_and_nothing_else(journal: Journal) -> None:
    first = Loopback(after=5, then=interrupt)
    drive_all(journal, first)
    second = Loopback()
    driven, run = drive_all(journal, second)
    assert (driven.stopped, run.status) == (None, RunStatus.FINISHED)
    assert first.calls + second.calls == 18
    assert {reason for _, _, reason in rows(journal, run)} == {"refused"}


def test_two_interrupts_give_up_what_is_in_flight(journal: Journal) -> None:
    told: list[Stopping] = []

    async def twice() -> None:
        await interrupt()
        await interrupt()
        await asyncio.sleep(60)

    driven, run = drive_all(journal, Loopback(after=3, then=twice), watch=Watch(on_stopping=told.append))
    assert told == [Stopping.FINISHING, Stopping.NOW]
    assert driven.stopped is not None
    assert len(rows(journal, run)) == 12


def test_an_interrupt_is_again_what_it_was(journal: Journal) -> None:
    before = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)
    drive_all(journal, Loopback())
    assert (signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)) == before


def test_a_spent_budget_leaves_a_reason_in_every_row(journal: Journal) -> None:
    driven, run = drive_all(journal, Loopback(), budget=Budget(max_tokens=900))
    assert driven.stopped is not None
    assert driven.stopped.reason is Reason.BUDGET
    assert len(rows(journal, run)) == 12
    assert rows(journal, run)[-1][2] == "budget"


def test_a_cost_that_cannot_be_known_is_refused_before_anything_is_sent(journal: Journal) -> None:
    model = Loopback()
    with pytest.raises(CommandError, match="What `m` costs is not known"):
        drive_all(journal, model, budget=Budget(max_cost=1.0))
    assert model.calls == 0


def test_what_a_watcher_raises_ends_the_work_and_closes_the_models(journal: Journal) -> None:
    model = Loopback()

    def broken(_: Ended[Any]) -> None:
        raise ZeroDivisionError

    threads = threading.active_count()
    with pytest.raises(ZeroDivisionError):
        drive_all(journal, model, watch=Watch(on_ended=broken))
    assert model.closed == 1
    assert threading.active_count() == threads
    assert drive_all(journal, Loopback())[1].status is RunStatus.FINISHED


def test_jobs_that_cannot_be_made_end_the_work(journal: Journal) -> None:
    model = Loopback()

    def jobs() -> Iterator[Job[Any]]:
        judging, drawing = parts(model)
        yield from Planner(Place(journal.secret), judging, drawing).for_cases(CASES[:1])
        raise OSError("the input went away")

    watch, settings = Watch(), Settings()
    with pytest.raises(OSError, match="the input went away"):
        drive(journal, None, jobs(), [model], settings=settings, budget=Budget(), watch=watch)
    assert model.closed == 1


def test_settings_that_were_left_out_are_noted() -> None:
    models = [NotingModel(Loopback(left_out=left_out)) for left_out in ((), ("temperature",))]
    for model in models:
        asyncio.run(model.send(HELLO))
    assert [model.left_out for model in models] == [(), ("temperature",)]


def test_a_failure_goes_through_a_noting_model() -> None:
    async def fail() -> None:
        raise ModelFailure(FailureKind.TIMEOUT, "late")

    with pytest.raises(ModelFailure, match="late"):
        asyncio.run(NotingModel(Loopback(after=1, then=fail)).send(HELLO))
