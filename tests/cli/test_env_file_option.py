"""``--env-file``: keys of one invocation, from a file that the user names."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.judging_server import Bench, Roles
from tests.servers import ChatServer

import iamhumans as ih

FILE_KEY, SHELL_KEY = "sk-of-the-file-8Kq2Zr9LwXc4", "sk-of-the-shell-5Tq2Zr9LwXc4"
LINE = ("run", "suite", "--subject", "openai/tiny")


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with ChatServer(Roles()) as server:
        yield server


def bench_at(folder: Path, server: ChatServer, **environ: str) -> Bench:
    bench = Bench(folder, {"IAMHUMANS_OPENAI_BASE_URL": server.openai_url, **environ})
    bench.suite(1)
    bench.write("keys.env", f"export OPENAI_API_KEY='{FILE_KEY}'\n")
    return bench


def test_a_key_in_the_file_is_used(tmp_path: Path, server: ChatServer) -> None:
    bench = bench_at(tmp_path, server)
    assert bench.run(*LINE, "--env-file", "keys.env").code == 0
    assert server.requests[0].headers["authorization"] == f"Bearer {FILE_KEY}"
    assert FILE_KEY.encode() not in bench.db.read_bytes()


def test_a_file_that_is_not_named_is_not_read(tmp_path: Path, server: ChatServer) -> None:
    bench = bench_at(tmp_path, server)
    bench.write(".env", f"OPENAI_API_KEY={FILE_KEY}\n")
    printed = bench.run(*LINE)
    assert printed.code == 4
    assert "--env-file" in printed.err
    assert server.count == 0


def test_a_variable_of_the_shell_counts_before_the_file(tmp_path: Path, server: ChatServer) -> None:
    bench = bench_at(tmp_path, server, OPENAI_API_KEY=SHELL_KEY)
    assert bench.run(*LINE, "--env-file", "keys.env").code == 0
    assert server.requests[0].headers["authorization"] == f"Bearer {SHELL_KEY}"


def test_a_file_cannot_say_where_keys_are_sent(tmp_path: Path, server: ChatServer) -> None:
    bench = bench_at(tmp_path, server)
    bench.write("keys.env", "IAMHUMANS_OPENAI_BASE_URL=http://example.org\n")
    printed = bench.run(*LINE, "--env-file", "keys.env")
    assert printed.code == 2
    assert "is for keys alone" in printed.err


def test_a_program_does_not_get_the_file(tmp_path: Path, server: ChatServer) -> None:
    bench = bench_at(tmp_path, server)
    program = bench.write("reply.sh", '#!/bin/sh\ncat >/dev/null\necho "key: [${OPENAI_API_KEY}]"\n')
    program.chmod(0o755)
    line = ("reply", "suite", "--subject", "command/./reply.sh", "--env-file", "keys.env", "--json")
    (row,) = bench.run(*line).document["replies"]
    assert row["reply"] == "key: []"


def test_the_library_takes_the_file_in_the_same_words(
    tmp_path: Path, server: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench_at(tmp_path, server)
    monkeypatch.setenv("IAMHUMANS_OPENAI_BASE_URL", server.openai_url)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    ih.reply_all(tmp_path / "suite", subject="openai/tiny", env_file=tmp_path / "keys.env")
    assert server.requests[0].headers["authorization"] == f"Bearer {FILE_KEY}"
