"""What a run learns of a server is said once, and the next run knows it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.builders import verdict_of
from tests.runs.working import table_named
from tests.servers import Behaviour, ChatServer, Received, refuse, say

import iamhumans as ih

ROWS = [{"input": f"i can't sleep, night {index}", "reply": "Again?"} for index in range(12)]


def without_system(received: Received) -> Behaviour:
    if received.messages[0]["role"] == "system":
        return refuse(400, "System role not supported")
    return judging_any(received)


def judging_any(received: Received) -> Behaviour:
    text = "\n".join(message["content"] for message in received.messages)
    case_id, token = re.search(r"ID: `([^`]+)`", text), re.search(r"Check token: `([a-z2-7]+)`", text)
    assert case_id is not None
    assert token is not None
    return say(verdict_of(case_id=case_id[1], check=token[1]))


def with_system(server: ChatServer) -> int:
    return sum(received.messages[0]["role"] == "system" for received in server.requests)


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    return tmp_path / "journal.db"


def test_a_refusal_is_learned_once_a_run_and_said_once(tmp_path: Path, journal: Path) -> None:
    with ChatServer(without_system) as server:
        run = ih.judge_all(ROWS, judge=table_named(tmp_path, server.openai_url), journal=journal)
    assert run.judged == len(ROWS)
    assert with_system(server) == 1
    assert [warning for warning in run.warnings if "system role" in warning] == list(run.warnings)
    assert len(run.warnings) == 1


def test_the_next_run_is_refused_nothing(tmp_path: Path, journal: Path) -> None:
    with ChatServer(without_system) as server:
        ih.judge_all(ROWS[:6], judge=table_named(tmp_path, server.openai_url), journal=journal)
        later = ih.judge_all(ROWS[6:], judge=table_named(tmp_path, server.openai_url), journal=journal)
    assert with_system(server) == 1
    assert any("system role" in warning for warning in later.warnings)


def test_a_fresh_run_finds_out_anew(tmp_path: Path, journal: Path) -> None:
    with ChatServer(without_system) as server:
        for _ in range(2):
            ih.judge_all(ROWS, judge=table_named(tmp_path, server.openai_url), journal=journal, fresh=True)
    assert with_system(server) == 2


def test_what_is_known_of_one_model_is_not_taken_for_another(tmp_path: Path, journal: Path) -> None:
    with ChatServer(without_system) as server:
        ih.judge_all(ROWS, judge=table_named(tmp_path, server.openai_url), journal=journal)
        ih.judge_all(ROWS, judge=table_named(tmp_path, server.openai_url, model="other"), journal=journal)
    assert with_system(server) == 2


def test_one_failed_generation_is_tried_again_and_changes_nothing(tmp_path: Path, journal: Path) -> None:
    first = iter([refuse(400, "Failed to generate JSON. Please adjust your prompt.", code="json_validate_failed")])

    def script(received: Received) -> Behaviour:
        return next(first, None) or judging_any(received)

    with ChatServer(script) as server:
        run = ih.judge_all(ROWS[:3], judge=table_named(tmp_path, server.openai_url), journal=journal)
    assert run.judged == 3
    assert all("response_format" in body for body in server.bodies)
    assert run.warnings == ()
