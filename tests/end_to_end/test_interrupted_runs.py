"""Runs that are killed, interrupted, or worked on by two processes come to what an undisturbed one comes to."""

from __future__ import annotations

import json
import os
import pty
import random
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.judging_server import Bench, Printed, Roles, first_refused, judges_after_a_re_ask, never_judges
from tests.servers import ChatServer, Received

RUN = ("run", "suite", "--subject", "loop", "--judge", "loop", "--judge", "rules", "--replies", "2", "--repeats", "2")
CONNECTIONS = 4
LINE = (*RUN, "--max-connections", str(CONNECTIONS), "--json")
CASES = 8


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """Cases of one turn, one with live turns, and judges that need to be asked again for some."""
    bench = Bench(tmp_path)
    bench.suite(CASES)
    bench.case("L-001", "my bakery closed", "", "the one with the rolls", "", "and now?")
    return bench


@pytest.fixture
def server(bench: Bench) -> Iterator[ChatServer]:
    cases = {"C-003": judges_after_a_re_ask, "C-005": never_judges}
    with ChatServer(Roles(cases=cases, delay=0.02)) as server:
        bench.models(server.openai_url)
        yield server


def asked(server: ChatServer, start: int = 0) -> Counter[str]:
    """How often each request came in."""
    return Counter(_body(received) for received in server.requests[start:])


def _body(received: Received) -> str:
    return json.dumps(received.body, sort_keys=True)


def wait_for(what: Callable[[], bool], seconds: float = 30) -> None:
    until = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < until, "it did not come to that"
        time.sleep(0.005)


def killed_after(bench: Bench, server: ChatServer, requests: int) -> Printed:
    """The run, killed when so many more requests have come in, unless it has ended by then."""
    until = server.count + requests
    path = bench.folder / "printed.json"
    with path.open("wb") as file:  # what is printed is more than a pipe holds
        process = bench.begin(*LINE, stdout=file)
        wait_for(lambda: server.count >= until or process.poll() is not None)
        process.kill()
        process.communicate()
    return Printed(process.returncode, path.read_text(), "")


def undisturbed(bench: Bench) -> Printed:
    return bench.run(*LINE, "--db", str(bench.folder / "undisturbed.db"))


def test_a_run_that_is_killed_again_and_again_ends_like_an_undisturbed_one(bench: Bench, server: ChatServer) -> None:
    expected = undisturbed(bench)
    calls = server.count
    moments = random.Random(7)
    kills = 0
    # Killed when so many more requests have come in, so at any stage of the run however fast the machine is.
    while (last := killed_after(bench, server, moments.randrange(1, 25))).code == -signal.SIGKILL:
        kills += 1
    assert (last.code, last.out) == (expected.code, expected.out)
    assert kills >= 3
    again = server.count - calls - calls
    # What was on the wire, or had come in and was not on the disk yet: no more than the jobs that are open at once.
    assert 0 <= again <= kills * CONNECTIONS * 2
    count = server.count
    assert bench.run(*LINE).out == expected.out
    assert server.count == count


def test_ctrl_c_finishes_calls_in_flight_and_the_run_is_resumed_later(bench: Bench, server: ChatServer) -> None:
    expected = undisturbed(bench)
    calls = server.count
    process = bench.begin(*LINE)
    wait_for(lambda: server.count >= calls + 20)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    stopped = Printed(process.returncode, out, err)
    assert stopped.code == 4
    assert err.startswith("Finishing the calls in flight; press Ctrl-C again to cancel them.\n")
    assert "Run the same command again to resume." in err
    rows = [(row["row"], row["judge"], row["repeat"]) for row in stopped.judgements]
    assert rows == [(row["row"], row["judge"], row["repeat"]) for row in expected.judgements]
    assert "cancelled" in stopped.document["summary"]["reasons"]
    done = bench.run(*LINE)
    assert (done.code, done.out) == (expected.code, expected.out)
    assert server.count == 2 * calls


def test_ctrl_c_twice_gives_up_and_the_run_is_resumed_later(bench: Bench) -> None:
    slow = [True]
    roles, patient = Roles(), Roles(delay=60)
    with ChatServer(lambda received: (patient if slow[0] else roles)(received)) as server:
        bench.models(server.openai_url)
        process = bench.begin(*LINE)
        wait_for(lambda: server.count >= CONNECTIONS)
        process.send_signal(signal.SIGINT)
        assert process.stderr
        assert process.stderr.readline() == "Finishing the calls in flight; press Ctrl-C again to cancel them.\n"
        process.send_signal(signal.SIGINT)
        assert process.stderr.readline() == "Cancelling the calls in flight.\n"
        process.communicate(timeout=30)
        assert process.returncode == 4
        slow[0] = False
        count = server.count
        assert bench.run(*LINE).code == 0
        assert server.count - count == (CASES + 1) * 2 * 3 + 4


def test_sigterm_stops_like_ctrl_c(bench: Bench, server: ChatServer) -> None:
    process = bench.begin(*LINE)
    wait_for(lambda: server.count >= 10)
    process.terminate()
    _, err = process.communicate(timeout=30)
    assert process.returncode == 4
    assert err.startswith("Finishing the calls in flight")


def test_two_runs_at_once_on_one_journal_share_the_work(bench: Bench, server: ChatServer) -> None:
    expected = undisturbed(bench)
    calls = server.count
    first, second = bench.begin(*LINE), bench.begin(*LINE)
    outputs = [process.communicate(timeout=120) for process in (first, second)]
    assert [process.returncode for process in (first, second)] == [expected.code] * 2
    assert [out for out, _ in outputs] == [expected.out] * 2
    assert server.count == 2 * calls
    assert max(asked(server, calls).values()) <= 2  # the two replies to a case are asked for alike


def test_a_storm_of_429_in_two_processes_loses_nothing(bench: Bench) -> None:
    with ChatServer(first_refused(4, retry_after="0.05")) as server:
        bench.models(server.openai_url)
        processes = [bench.begin(*LINE) for _ in range(2)]
        outputs = [process.communicate(timeout=120)[0] for process in processes]
    assert [process.returncode for process in processes] == [0, 0]
    assert outputs[0] == outputs[1]


@pytest.mark.parametrize("limit", [("--max-minutes", "0.01"), ()])
def test_a_run_that_ends_while_another_process_has_its_jobs_leaves_them_to_it(
    bench: Bench, limit: tuple[str, ...]
) -> None:
    slow = [True]
    roles, patient = Roles(), Roles(delay=60)
    with ChatServer(lambda received: (patient if slow[0] else roles)(received)) as server:
        bench.models(server.openai_url)
        first = bench.begin(*LINE)
        wait_for(lambda: server.count >= CONNECTIONS)
        second = bench.begin(*LINE, *limit)
        if not limit:
            wait_for(lambda: len(bench.sql("SELECT id FROM workers")) == 2)
            second.send_signal(signal.SIGINT)
        out, _ = second.communicate(timeout=60)
        assert second.returncode == 4
        assert len(json.loads(out)["judgements"]) == (CASES + 1) * 2 * 4
        first.kill()
        first.communicate()
        slow[0] = False
        done = bench.run(*LINE)
        assert (done.code, done.document["summary"]["unjudged"]) == (0, 0)


def test_progress_is_shown_on_a_terminal_and_only_there(bench: Bench, server: ChatServer) -> None:
    controller, terminal = pty.openpty()
    process = bench.begin(*LINE, stderr=terminal, stdout=subprocess.DEVNULL)
    os.close(terminal)
    shown = b""
    try:
        while data := os.read(controller, 65536):
            shown += data
    except OSError:  # what Linux says at the end of a terminal
        pass
    finally:
        os.close(controller)
    process.communicate(timeout=60)
    last = shown.decode().split("\x1b[2K")[-2]
    total = (CASES + 1) * 2 * 5
    assert f"{total} done" in last
    assert "in flight" in last
    assert "tokens" in last
    assert "cost unknown" in last


def test_quiet_shows_no_progress(bench: Bench, server: ChatServer) -> None:
    controller, terminal = pty.openpty()
    try:
        process = bench.begin(*LINE, "--quiet", stderr=terminal, stdout=subprocess.DEVNULL)
        process.communicate(timeout=60)
        os.set_blocking(controller, False)
        with pytest.raises(BlockingIOError):
            os.read(controller, 1)
    finally:
        os.close(terminal)
        os.close(controller)
