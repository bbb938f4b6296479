"""Processes that are killed, that work side by side, that run out of disk: the journal loses and doubles nothing."""

from __future__ import annotations

import contextlib
import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Any

import pytest
from tests.runs.driver import CONNECTIONS
from tests.runs.working import asked_case, judging, judging_jobs, local_model, mostly_judging, outcomes, work
from tests.servers import ChatServer, hang

from iamhumans.errors import Exit
from iamhumans.runs.journal.journal import Journal
from iamhumans.runs.journal.queries import RunStatus

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="workers are forked")

ROOT = Path(__file__).parents[2]
PATIENCE = 60.0


class Driver:
    """Forks workers that resume a run."""

    def __init__(self, path: Path, url: str, rows: int) -> None:
        self._options = {"path": str(path), "url": url, "rows": rows}

    def __enter__(self) -> Driver:
        command = [sys.executable, "-m", "tests.runs.driver"]
        pipe = subprocess.PIPE
        self._begun: list[int] = []
        self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True, cwd=ROOT)
        assert self._line() == "ready"
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if error is not None:
            for worker in self._begun:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(worker, signal.SIGKILL)
        _, self.errors = self._process.communicate(timeout=PATIENCE)
        if error is not None:
            error.add_note(self.errors)

    def begin(self, *workers: dict[str, Any]) -> list[int]:
        """Begin workers with these options beside the usual ones; gives their numbers."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps([{**self._options, **worker} for worker in workers]) + "\n")
        self._process.stdin.flush()
        self._begun = list(json.loads(self._line()))
        return self._begun

    def ended(self) -> list[int]:
        """The exit codes of the workers, when all of them ended."""
        codes = list(json.loads(self._line()))
        self._begun = []
        return codes

    def _line(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()


def suspend(worker: int, path: Path) -> None:
    """Suspend a process while it does not write: the lock of SQLite would be held until it goes on."""
    while True:
        os.kill(worker, signal.SIGSTOP)
        with contextlib.suppress(sqlite3.OperationalError), contextlib.closing(sqlite3.connect(path, 0.1)) as other:
            other.execute("BEGIN IMMEDIATE")
            return
        os.kill(worker, signal.SIGCONT)
        time.sleep(0.002)


def wait_until(reached: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not reached():
        assert time.monotonic() < deadline, "this takes too long"
        time.sleep(0.001)


@pytest.fixture
def undisturbed(tmp_path: Path) -> Callable[[int], dict[int, Any]]:
    """What a run of so many rows comes to when nothing happens to it."""

    def run_all(rows: int) -> dict[int, Any]:
        with ChatServer(mostly_judging) as server, Journal.open(tmp_path / "undisturbed.db") as journal:
            run, model = journal.begin_run({}), local_model(tmp_path, server.openai_url)
            work(journal, judging_jobs(journal, run, model, range(1, rows + 1)), model=model, run=run.id)
            return outcomes(journal, run)

    return run_all


@pytest.fixture
def path(tmp_path: Path) -> Iterator[Path]:
    yield tmp_path / "killed.db"
    with Journal.open(tmp_path / "killed.db") as journal:
        assert journal.problems() == []


def test_a_run_that_is_killed_eight_times_comes_to_the_same(
    path: Path, undisturbed: Callable[[int], dict[int, Any]]
) -> None:
    rows, kills, chance = 400, 8, random.Random(3)
    with ChatServer(mostly_judging, delay=0.005) as server, Driver(path, server.openai_url, rows) as driver:
        killed = 0
        for _ in range(kills):
            before = server.count
            (worker,) = driver.begin({})
            moment = before + chance.randint(0, 60)
            wait_until(lambda moment=moment: server.count >= moment)  # type: ignore[misc]  # bound to this moment
            time.sleep(chance.uniform(0, 0.02))
            os.kill(worker, signal.SIGKILL)
            killed += driver.ended() == [-signal.SIGKILL]
        assert killed == kills
        driver.begin({})
        assert driver.ended() == [0]
        paid = Counter((asked_case(request), len(request.messages)) for request in server.requests)
    with Journal.open(path) as journal:
        (run,) = journal.runs()
        assert run.status is RunStatus.FINISHED
        assert outcomes(journal, run) == undisturbed(rows)
    # What was in flight, or answered and not yet written, may be asked again; two jobs a connection are open.
    again = sum(times - 1 for times in paid.values())
    assert len(paid) == rows + rows // 10
    assert again <= kills * CONNECTIONS * 2


def test_two_processes_on_one_run_pay_for_nothing_twice(
    path: Path, undisturbed: Callable[[int], dict[int, Any]]
) -> None:
    rows = 200
    with ChatServer(mostly_judging, delay=0.01) as server, Driver(path, server.openai_url, rows) as driver:
        driver.begin({}, {})
        ended = driver.ended()
    assert ended == [0, 0], driver.errors
    assert server.count == rows + rows // 10
    with Journal.open(path) as journal:
        (run,) = journal.runs()
        assert run.status is RunStatus.FINISHED
        assert outcomes(journal, run) == undisturbed(rows)


def test_what_a_killed_process_had_claimed_is_taken_over(path: Path) -> None:
    with ChatServer([hang()]) as silent, Driver(path, silent.openai_url, 5) as driver:
        (worker,) = driver.begin({})
        wait_until(lambda: silent.count >= 5)
        with ChatServer(judging) as server:
            os.kill(worker, signal.SIGKILL)
            driver.ended()
            driver.begin({"url": server.openai_url})
            assert driver.ended() == [0]
            assert server.count == 5


def test_a_suspended_process_pays_for_no_job_that_another_one_has_taken_over(
    path: Path, undisturbed: Callable[[int], dict[int, Any]]
) -> None:
    rows = 60
    with (
        ChatServer(mostly_judging, delay=0.05) as server,
        Driver(path, server.openai_url, rows) as one,
        Driver(path, server.openai_url, rows) as other,
    ):
        (suspended,) = one.begin({})
        wait_until(lambda: server.count >= 2 * CONNECTIONS)
        suspend(suspended, path)
        other.begin({})
        assert other.ended() == [0]
        finished = server.count
        os.kill(suspended, signal.SIGCONT)
        assert one.ended() == [0]
        # Calls that it was about to send when it was suspended; without the check it would pay for all that were left.
        assert server.count - finished <= CONNECTIONS
    # What was in flight, or answered and not yet written, may be asked again.
    assert server.count <= rows + rows // 10 + 3 * CONNECTIONS
    with Journal.open(path) as journal:
        (run,) = journal.runs()
        assert outcomes(journal, run) == undisturbed(rows)


def test_a_full_disk_stops_the_run_and_harms_nothing(path: Path, undisturbed: Callable[[int], dict[int, Any]]) -> None:
    rows = 150
    with ChatServer(mostly_judging, delay=0.005) as server, Driver(path, server.openai_url, rows) as driver:
        driver.begin({"largest_file": 200_000})
        assert driver.ended() == [Exit.COULD_NOT_RUN]
        first = server.count
        assert 0 < first < rows
        driver.begin({})
        assert driver.ended() == [0]
        assert server.count <= rows + rows // 10 + CONNECTIONS * 2
    assert "disk" in driver.errors
    with Journal.open(path) as journal:
        (run,) = journal.runs()
        assert outcomes(journal, run) == undisturbed(rows)
