"""What cannot change a result costs nothing: a server counts the calls. And what `--fresh` replaced stays replaced."""

from __future__ import annotations

import json
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.judging_server import Bench, Roles, replies
from tests.servers import ChatServer, Received, say

CASES = 3
RUN = ("run", "suite", "--subject", "loop", "--skill", "warm.md", "--judge", "loop", "--judge", "rules", "--json")


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    bench = Bench(tmp_path)
    bench.suite(CASES)
    bench.write("warm.md", "Be warm.\n")
    return bench


@pytest.fixture
def server(bench: Bench) -> Iterator[ChatServer]:
    with ChatServer(Roles()) as server:
        bench.models(server.openai_url)
        yield server


def renamed_skill(bench: Bench, server: ChatServer) -> tuple[str, ...]:
    bench.write("renamed/SKILL.md", "---\nname: other\n---\n\nBe warm.\n")
    return tuple("renamed/SKILL.md" if word == "warm.md" else word for word in RUN)


def renamed_table(bench: Bench, server: ChatServer) -> tuple[str, ...]:
    bench.models(server.openai_url, name="renamed", mode="w")
    return tuple("renamed" if word == "loop" else word for word in RUN)


def other_order(bench: Bench, server: ChatServer) -> tuple[str, ...]:
    return ("run", "suite", "--json", "--judge", "rules", "--judge", "loop", "--skill", "warm.md", "--subject", "loop")


def written_defaults(bench: Bench, server: ChatServer) -> tuple[str, ...]:
    bench.models(server.openai_url, 'structured = "auto"', 'wire = "openai"', "timeout = 120", mode="w")
    return (*RUN, "--repeats", "1", "--replies", "1", "--max-connections", "10", "--rubric", "iamhumans")


def added_prices(bench: Bench, server: ChatServer) -> tuple[str, ...]:
    bench.models(server.openai_url, "requests_per_minute = 9000", "prices = { prompt = 1.0 }", mode="w")
    return RUN


def moved_suite(bench: Bench, server: ChatServer) -> tuple[str, ...]:
    for path in sorted((bench.folder / "suite" / "cases").iterdir()):
        path.rename(path.with_name(f"renamed-{path.name}"))
    (bench.folder / "suite").rename(bench.folder / "moved")
    return tuple("moved" if word == "suite" else word for word in RUN)


@pytest.mark.parametrize(
    "change", [renamed_skill, renamed_table, other_order, written_defaults, added_prices, moved_suite]
)
def test_what_cannot_change_a_result_costs_nothing(
    bench: Bench, server: ChatServer, change: Callable[[Bench, ChatServer], tuple[str, ...]]
) -> None:
    first = bench.run(*RUN)
    assert (first.code, server.count) == (0, 2 * CASES), first.err
    second = bench.run(*change(bench, server))
    assert (second.code, server.count) == (0, 2 * CASES), second.err
    said = [[(row["case_id"], row["total"]) for row in printed.judgements] for printed in (first, second)]
    assert sorted(said[0], key=repr) == sorted(said[1], key=repr)


def test_a_file_of_replies_and_its_subject_may_be_renamed(bench: Bench, server: ChatServer) -> None:
    for name, subject in (("a.jsonl", "a"), ("b.jsonl", "b")):
        rows = ({"case_id": f"C-00{n}", "reply": "Oh no.", "subject": subject} for n in (1, 2))
        bench.write(name, "\n".join(map(json.dumps, rows)))
        printed = bench.run("judge", name, "--suite", "suite", "--judge", "loop", "--json")
        assert [row["subject"] for row in printed.judgements] == [subject] * 2
    assert server.count == 2


class Changing:
    """Says something else each time that it is asked the same."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self, received: Received) -> object:
        self.count += 1
        return say(f"{replies(received)} {self.count}")


def texts_of(bench: Bench, *line: str) -> list[str]:
    """The replies that a run is about."""
    printed = bench.run(*line, "--json")
    exported = bench.run("runs", "export", printed.document["run"])
    return [json.loads(row)["reply"] for row in exported.out.splitlines()[1:]]


def test_after_fresh_older_results_never_come_back(bench: Bench) -> None:
    line = ("run", "suite", "--subject", "loop", "--judge", "rules")
    reply = ("reply", "suite", "--subject", "loop")
    with ChatServer(Roles(subject=Changing())) as server:  # type: ignore[arg-type]
        bench.models(server.openai_url)
        old = texts_of(bench, *line)
        new = texts_of(bench, *line, "--fresh")
        assert not set(old) & set(new)
        count = server.count
        assert texts_of(bench, *line) == new
        assert [json.loads(row)["reply"] for row in bench.run(*reply).out.splitlines()] == new
        assert set(new) < set(texts_of(bench, *line, "--replies", "2"))
        assert server.count == count + CASES
        # The new run of more judgements is made of the newest results as well.
        assert texts_of(bench, *line, "--repeats", "2")[::2] == new
        dry = bench.run(*line, "--dry-run", "--json").document
        assert (dry["jobs"], dry["in_journal"], dry["calls"]) == (2 * CASES, 2 * CASES, 0)
        assert server.count == count + CASES


def test_the_advice_after_fresh_and_ctrl_c_resumes_without_paying_again(bench: Bench) -> None:
    line = ("run", "suite", "--subject", "loop", "--judge", "loop", "--max-connections", "1", "--json")
    with ChatServer(Roles(delay=0.15)) as server:
        bench.models(server.openai_url)
        assert bench.run(*line).code == 0
        before = server.count
        process = bench.begin(*line, "--fresh")
        until = time.monotonic() + 30
        while server.count < before + 2:
            assert time.monotonic() < until
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=30)
        assert process.returncode == 4
        assert "Run the same command without --fresh to resume." in err
        dry = bench.run(*line, "--dry-run").document
        assert dry["in_journal"] == server.count - before
        assert bench.run(*line).code == 0
        assert server.count == 2 * before
