"""Working jobs off for a caller: how it ends, what it leaves, and what the caller hears meanwhile."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.builders import SEED, case
from tests.runs.working import judging, local_model
from tests.servers import ChatServer, refuse, say

import iamhumans as ih
from iamhumans.api.options import Work, Worked, work_off
from iamhumans.judges import LlmJudge
from iamhumans.models.chat import ChatModel, ModelIdentity, Reception
from iamhumans.prompts import Answer, Request
from iamhumans.runs import calls
from iamhumans.runs.halt import Stopping, StopRequest
from iamhumans.runs.jobs import Job
from iamhumans.runs.journal.journal import Journal
from iamhumans.runs.journal.queries import RunRecord, RunStatus
from iamhumans.runs.plan import Drawing, Judging, Planner, Seat
from iamhumans.subjects import LlmSubject

CASES = tuple(case(f"case {index}", case_id=f"C-{index}") for index in range(6))


class Loopback:
    """A model within this process: it replies, as a judge it declines, and at some call it does something else."""

    def __init__(self, *, at: int = 0, then: Callable[[], Any] | None = None) -> None:
        self.identity = ModelIdentity("m", "loopback", "tiny")
        self.calls = self.closed = 0
        self._at, self._then = at, then

    async def send(self, request: Request) -> Reception:
        self.calls += 1
        number = self.calls
        await asyncio.sleep(0.002)
        if number == self._at and self._then is not None:
            self._then()
            await asyncio.sleep(0.05)
        return Reception(Answer("I can't judge this." if request.schema else f"oh, {request.messages[-1].content}"))

    async def close(self) -> None:
        self.closed += 1


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    with Journal.open(tmp_path / "journal.db") as journal:
        yield journal


def jobs_of(journal: Journal, model: ChatModel, run: RunRecord | None = None) -> Iterator[Job[Any]]:
    judging_ = Judging(SEED, (Seat(LlmJudge("m"), model),), repeats=2)
    planner = Planner(journal.secret, judging_, (Drawing(LlmSubject("m"), model),), run=None if run is None else run.id)
    return planner.for_cases(CASES)


def worked(journal: Journal, model: ChatModel, **options: Any) -> tuple[Worked, RunRecord]:
    on_ended = options.pop("on_ended", None)
    run = journal.begin_run({"judges": [{"name": "m"}], "repeats": 2}, asked=12)
    work = Work(max_connections=2, **options)
    done = asyncio.run(work_off(journal, run.id, jobs_of(journal, model, run), [model], work, on_ended=on_ended))
    return done, journal.end_run(run, asked=12, stopped=done.stopped is not None)


def ends(journal: Journal, run: RunRecord) -> list[tuple[int, str | None, str | None]]:
    return [(one.row or 0, one.case_id, one.reason) for one in journal.judgements(run)]


def test_everything_is_done_and_the_models_are_closed(journal: Journal) -> None:
    model = Loopback()
    ended: list[Any] = []
    progress: list[ih.Progress] = []
    done, run = worked(journal, model, on_ended=ended.append, progress=progress.append)
    assert (done.stopped, run.status, model.closed, len(ended)) == (None, RunStatus.FINISHED, 1, 18)
    last = progress[-1]
    assert (last.ended, last.calls, last.in_flight) == (18, 18, 0)
    assert ends(journal, run) == [(row // 2 + 1, f"C-{row // 2}", "refused") for row in range(12)]


def test_a_stop_finishes_calls_in_flight_and_the_next_invocation_does_the_rest(journal: Journal) -> None:
    stop = StopRequest()
    first = Loopback(at=5, then=stop.stop)
    done, run = worked(journal, first, stop=stop)
    assert (done.stopped, run.status) == ("the run was stopped before it finished", RunStatus.STOPPED)
    found = ends(journal, run)
    assert len(found) == 12
    assert {reason for *_, reason in found} == {"refused", "cancelled"}
    second = Loopback()
    done, run = worked(journal, second)
    assert (done.stopped, run.status, first.calls + second.calls) == (None, RunStatus.FINISHED, 18)


def test_two_stops_give_up_calls_in_flight(journal: Journal) -> None:
    stop, said = StopRequest(), []
    model = Loopback(at=3, then=lambda: said.extend([stop.stop(), stop.stop()]))
    done, _ = worked(journal, model, stop=stop)
    assert said == [Stopping.FINISHING, Stopping.NOW]
    assert done.stopped is not None


def test_a_spent_budget_leaves_a_reason_in_every_row(journal: Journal) -> None:
    done, run = worked(journal, Loopback(), max_tokens=900)
    assert done.stopped == "the budget of 900 tokens is spent"
    assert len(ends(journal, run)) == 12
    assert ends(journal, run)[-1][2] == "budget"


def test_an_unknown_cost_is_refused_before_anything_is_sent(journal: Journal) -> None:
    model = Loopback()
    with pytest.raises(ih.CommandError, match="prices of `m` are not known"):
        worked(journal, model, max_cost=1.0)
    assert model.calls == 0


def test_an_error_of_a_callback_ends_the_work_and_closes_the_models(journal: Journal) -> None:
    def broken(_: object) -> None:
        raise ZeroDivisionError

    model, threads = Loopback(), threading.active_count()
    with pytest.raises(ZeroDivisionError):
        worked(journal, model, on_ended=broken)
    assert (model.closed, threading.active_count()) == (1, threads)
    assert worked(journal, Loopback())[1].status is RunStatus.FINISHED


def test_an_error_while_jobs_are_made_ends_the_work(journal: Journal) -> None:
    model = Loopback()

    def jobs() -> Iterator[Job[Any]]:
        yield next(jobs_of(journal, model))
        raise OSError("the input went away")

    with pytest.raises(OSError, match="the input went away"):
        asyncio.run(work_off(journal, None, jobs(), [model], Work()))
    assert model.closed == 1


ROWS = [{"id": f"ROW-{n:04d}", "input": "the bakery closed", "reply": "The poppy rolls?"} for n in range(30)]


def test_a_budget_does_not_stop_judges_that_cost_nothing() -> None:
    assert ih.judge_all(ROWS, judge="rules", max_tokens=1, max_cost=0.0).judged == 30


def test_a_server_that_asks_to_wait_ten_days_is_not_waited_for(tmp_path: Path) -> None:
    said: list[str] = []
    with ChatServer([refuse(429, retry_after="864000")]) as server:
        run = ih.judge_all(
            ROWS, judge=local_model(tmp_path, server.openai_url), progress=lambda p: said.append(p.message)
        )
        assert server.count <= 10
    assert {one.reason for one in run} == {"provider_error"}
    assert all("asks to wait 864,000 s; the longest wait allowed is 120 s" in (one.detail or "") for one in run)


def test_a_long_wait_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calls, "_LONG_PAUSE", 0.5)
    said: list[str] = []
    first = iter([refuse(429, retry_after="1")])
    with ChatServer(lambda received: next(first, judging(received))) as server:
        model = local_model(tmp_path, server.openai_url)
        run = ih.judge_all(ROWS[:3], judge=model, max_connections=1, progress=lambda p: said.append(p.message))
        assert run.judged == 3
    assert [message for message in said if message] == [
        f"waiting 1 s for {model.identity.provider}, as the server asks"
    ]


def test_a_shorter_longest_wait_is_obeyed(tmp_path: Path) -> None:
    with ChatServer([refuse(429, retry_after="3"), say("ok")]) as server:
        run = ih.judge_all(ROWS[:1], judge=local_model(tmp_path, server.openai_url), max_wait=2.0)
        assert server.count == 1
    assert "the longest wait allowed is 2 s" in (run.judgements[0].detail or "")
