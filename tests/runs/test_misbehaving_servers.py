"""What servers do to a run: no job is lost, none is judged twice, every failure has its reason."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.runs.working import (
    asking_job,
    is_judged,
    judging,
    judging_jobs,
    local_model,
    outcomes,
    settings,
    verdict_for,
    work,
)
from tests.servers import Behaviour, ChatServer, Received, cut, drop, empty, hang, large, raw, refuse, say

from iamhumans.runs.journal.entries import Replied
from iamhumans.runs.journal.journal import Journal
from iamhumans.runs.journal.queries import RunStatus
from iamhumans.runs.settings import RetryPolicy
from iamhumans.verdicts import Reason

ROWS = 40


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    with Journal.open(tmp_path / "journal.db") as opened:
        yield opened


class Stormy:
    """Fails in some way, one call after the other, until it has done so often enough; judges from then on."""

    def __init__(self, failures: list[Behaviour], times: int) -> None:
        self._failures = failures
        self._left = times

    def __call__(self, received: Received) -> Behaviour:
        self._left -= 1
        return self._failures[self._left % len(self._failures)] if self._left >= 0 else judging(received)


class CountingServer(ChatServer):
    """Tells how many requests it has at once."""

    @property
    def at_once(self) -> int:
        return self._at_once


@pytest.mark.parametrize(
    ("failure", "times"),
    [
        pytest.param([refuse(429)], 30, id="429 storm"),
        pytest.param([refuse(429, retry_after="0.05")], 30, id="429 storm that says when"),
        pytest.param([refuse(503, retry_after="0.05"), refuse(529)], 20, id="overloaded"),
        pytest.param([refuse(500), refuse(502), refuse(504)], 20, id="server errors"),
        pytest.param([cut(), drop()], 20, id="connections cut in the middle"),
        pytest.param([raw("<html>busy</html>"), raw("{"), raw("[]"), empty()], 20, id="no JSON"),
        pytest.param([large()], 5, id="5 MB"),
    ],
)
def test_a_storm_passes_and_every_row_is_judged_once(
    journal: Journal, tmp_path: Path, failure: list[Behaviour], times: int
) -> None:
    with ChatServer(Stormy(failure, times)) as server:
        model, run = local_model(tmp_path, server.openai_url), journal.begin_run({})
        patient = settings(max_connections=8, retry=RetryPolicy(attempts=12, first_pause=0.02, longest_pause=0.3))
        jobs = judging_jobs(journal, run, model, range(1, ROWS + 1))
        ended = work(journal, jobs, model=model, run=run.id, settings=patient)
        assert server.count == ROWS + times
    assert len(ended) == ROWS
    assert all(is_judged(one) for one in ended)
    assert sorted(outcomes(journal, run)) == list(range(1, ROWS + 1))
    paid = journal.summary(run).paid
    assert (paid.calls, paid.failed) == (ROWS + times, times)


def test_what_a_server_asks_to_wait_is_waited(journal: Journal, tmp_path: Path) -> None:
    with ChatServer([refuse(429, retry_after="1"), say("ok")]) as server:
        model = local_model(tmp_path, server.openai_url)
        work(journal, [asking_job(model)], model=model)
        first, second = (request.at for request in server.requests)
    assert second - first > 0.95


def test_an_overload_halves_the_calls_at_once(journal: Journal, tmp_path: Path) -> None:
    """A server that can do four at a time gets all its work done, and most calls are not refused."""

    def four_at_once(received: Received) -> Behaviour:
        return judging(received) if server.at_once <= 4 else refuse(429)

    server = CountingServer(four_at_once)
    with server:
        model, run = local_model(tmp_path, server.openai_url), journal.begin_run({})
        patient = settings(max_connections=32, retry=RetryPolicy(attempts=20, first_pause=0.02, longest_pause=0.2))
        ended = work(journal, judging_jobs(journal, run, model, range(120)), model=model, run=run.id, settings=patient)
    assert all(is_judged(one) for one in ended)
    assert journal.summary(run).paid.failed < 120


@pytest.mark.parametrize(
    ("failure", "reason"),
    [
        (refuse(400, "bad request"), Reason.PROVIDER_ERROR),
        (refuse(400, "maximum context length is 10", code="context_length_exceeded"), Reason.CONTEXT_LENGTH),
        (refuse(400, "filtered", code="content_filter"), Reason.CONTENT_FILTER),
    ],
)
def test_what_cannot_pass_is_asked_once_and_tried_again_by_the_next_invocation(
    journal: Journal, tmp_path: Path, failure: Behaviour, reason: Reason
) -> None:
    with ChatServer([failure, say("ok")]) as server:
        model = local_model(tmp_path, server.openai_url)
        first = work(journal, [asking_job(model)], model=model)
        assert server.count == 1
        second = work(journal, [asking_job(model)], model=model)
    assert first[0].outcome.reason is reason
    assert not first[0].final
    assert second[0].final


def test_an_answer_that_a_filter_stopped_is_asked_for_anew_by_the_next_invocation(
    journal: Journal, tmp_path: Path
) -> None:
    def once(received: Received) -> Behaviour:
        return say("", finish_reason="content_filter") if server.count == 0 else judging(received)

    with ChatServer(once) as server:
        model = local_model(tmp_path, server.openai_url)
        first = work(journal, judging_jobs(journal, None, model, [1]), model=model)
        second = work(journal, judging_jobs(journal, None, model, [1]), model=model)
    assert first[0].outcome.reason is Reason.CONTENT_FILTER
    assert is_judged(second[0])


def test_a_server_that_never_answers_ends_as_timeout(journal: Journal, tmp_path: Path) -> None:
    with ChatServer([hang()]) as server:
        model = local_model(tmp_path, server.openai_url)
        quick = settings(attempt_seconds=0.1, retry=RetryPolicy(attempts=2, first_pause=0.01))
        ended = work(journal, [asking_job(model)], model=model, settings=quick)
        assert server.count == 2
    assert ended[0].outcome.reason is Reason.TIMEOUT


def test_a_job_has_a_deadline_of_its_own(journal: Journal, tmp_path: Path) -> None:
    with ChatServer([hang()]) as server:
        model = local_model(tmp_path, server.openai_url)
        quick = settings(attempt_seconds=30, job_seconds=0.2)
        ended = work(journal, [asking_job(model)], model=model, settings=quick)
        assert server.count == 1
    assert ended[0].outcome.reason is Reason.TIMEOUT


def test_calls_that_hang_are_named(journal: Journal, tmp_path: Path) -> None:
    reports: list[str] = []
    with ChatServer([hang(), say("ok")]) as server:
        model = local_model(tmp_path, server.openai_url)
        quick = settings(attempt_seconds=1.0, hanging_seconds=0.1)
        work(journal, [asking_job(model, "GRF-003")], model=model, settings=quick, report=reports.append)
        provider = model.identity.provider
    assert reports[0].startswith(f"GRF-003: {provider} has not answered for ")


@pytest.mark.parametrize("failure", [refuse(401), refuse(404, "no such model", code="model_not_found")])
def test_a_refused_key_or_model_ends_all_jobs_after_a_few_calls(
    journal: Journal, tmp_path: Path, failure: Behaviour
) -> None:
    with ChatServer([failure]) as server:
        model, run = local_model(tmp_path, server.openai_url), journal.begin_run({})
        jobs = judging_jobs(journal, run, model, range(200))
        ended = work(journal, jobs, model=model, run=run.id, settings=settings(max_connections=4))
        assert server.count <= 4
    assert len(ended) == 200
    assert {one.outcome.reason for one in ended} == {Reason.PROVIDER_ERROR}
    assert journal.end_run(run, asked=200).status is RunStatus.INCOMPLETE


def test_a_server_that_is_not_there_is_given_up_soon(journal: Journal, tmp_path: Path) -> None:
    model = local_model(tmp_path, "http://127.0.0.1:9/v1")
    ended = work(journal, judging_jobs(journal, None, model, range(100)), model=model)
    assert len(ended) == 100
    assert {one.outcome.reason for one in ended} == {Reason.PROVIDER_ERROR}


def test_texts_that_no_database_can_hold_are_kept_readable(journal: Journal, tmp_path: Path) -> None:
    body = b'{"choices": [{"message": {"content": "a\\ud800b\\u0000c"}, "finish_reason": "stop"}]}'
    with ChatServer([raw(body)]) as server:
        model = local_model(tmp_path, server.openai_url)
        job = asking_job(model)
        ended = work(journal, [job], model=model)
        again = work(journal, [job], model=model)
    first, second = ended[0].outcome, again[0].outcome
    assert isinstance(first, Replied)
    assert isinstance(second, Replied)
    assert first.text == second.text
    assert first.text.startswith("a")


def test_a_wall_clock_that_jumps_changes_nothing(
    journal: Journal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, chance = time.time, random.Random(7)

    def jumping() -> float:
        return real() + chance.uniform(-1e8, 1e8)

    monkeypatch.setattr(time, "time", jumping)
    monkeypatch.setattr(time, "time_ns", lambda: int(jumping() * 1e9))
    with ChatServer(Stormy([refuse(429, retry_after="0.02")], 10)) as server:
        model, run = local_model(tmp_path, server.openai_url), journal.begin_run({})
        ended = work(journal, judging_jobs(journal, run, model, range(1, ROWS + 1)), model=model, run=run.id)
        assert server.count == ROWS + 10
    assert all(is_judged(one) for one in ended)


def test_a_chaotic_server_loses_and_doubles_nothing(journal: Journal, tmp_path: Path) -> None:
    chance = random.Random(11)
    failures: list[Any] = [refuse(429), refuse(500), cut(), drop(), raw("no"), empty(), say("no verdict")]

    def chaos(received: Received) -> Behaviour:
        return chance.choice(failures) if chance.random() < 0.2 else say(verdict_for(received))

    with ChatServer(chaos) as server:
        model, run = local_model(tmp_path, server.openai_url), journal.begin_run({})
        for _ in range(4):
            jobs = judging_jobs(journal, run, model, range(150))
            work(journal, jobs, model=model, run=run.id, settings=settings(max_connections=16))
    found = outcomes(journal, run)
    assert sorted(found) == list(range(150))
    for row, outcome in found.items():
        if outcome.axes is not None:
            assert outcome.axes["naturalness"] == row % 11
        else:
            assert outcome.reason == Reason.NO_VERDICT
