"""``iamhumans doctor`` from the outside."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.judging_server import KEY, Bench, Printed
from tests.servers import ChatServer, echo_headers, refuse, say


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def found(printed: Printed) -> dict[str, tuple[str, bool | None]]:
    rows: list[dict[str, Any]] = printed.document["found"]
    return {row["what"]: (row["state"], row["well"]) for row in rows}


def test_without_config_and_journal_all_is_well(bench: Bench) -> None:
    printed = bench.run("doctor", "--json")
    assert printed.code == 0
    assert found(printed)["config"] == ("none, and none is needed", None)
    assert found(printed)["journal"] == (f"none yet; it will be {bench.db}", None)
    assert found(printed)["aiohttp"][1] is True
    assert not bench.db.exists()


def test_it_says_which_keys_are_set_and_never_their_values(bench: Bench) -> None:
    bench.models("http://127.0.0.1:9/v1", 'api_key_env = "LOOP_API_KEY"')
    keyed = Bench(bench.folder, {"OPENAI_API_KEY": KEY, "LOOP_API_KEY": KEY})
    for printed in (keyed.run("doctor"), keyed.run("doctor", "--json")):
        assert KEY not in printed.out + printed.err
    state = found(keyed.run("doctor", "--json"))
    assert state["provider openai"][0] == "OPENAI_API_KEY is set"
    assert state["provider anthropic"][0] == "ANTHROPIC_API_KEY is not set"
    assert state["provider ollama"][0] == "needs no key"
    assert state["key of loop"][0] == "LOOP_API_KEY is set"


def test_models_of_the_config_and_those_that_are_named_are_asked_once(bench: Bench) -> None:
    with ChatServer([say("hello")]) as server:
        bench.models(server.openai_url)
        bench.models(server.openai_url, name="other")
        printed = bench.run("doctor", "loop", "--json")
        assert server.count == 2
    assert printed.code == 0
    assert found(printed)["model loop"] == ("answers (loopback-1)", True)


@pytest.mark.parametrize(
    ("behaviour", "said"),
    [
        (refuse(401, "bad key"), "authentication: "),
        (refuse(404, "gone"), "Is there a model `tiny`"),
        (say(""), "answers"),
    ],
)
def test_how_a_model_fails_is_told(bench: Bench, behaviour: Any, said: str) -> None:
    with ChatServer([behaviour]) as server:
        bench.models(server.openai_url)
        printed = bench.run("doctor", "--json")
    state, well = found(printed)["model loop"]
    assert said in state
    assert printed.code == (0 if well else 4)


def test_a_server_that_is_down_ends_with_4_and_the_others_are_asked(bench: Bench) -> None:
    with ChatServer() as gone:
        bench.models(gone.openai_url)
    with ChatServer([say("hello")]) as server:
        bench.models(server.openai_url, name="other")
        printed = bench.run("doctor")
    assert printed.code == 4
    assert "bad model loop: connection: " in printed.out
    assert "ok  model other: answers" in printed.out


def test_a_server_that_plays_a_key_back_is_not_repeated(bench: Bench) -> None:
    with ChatServer([echo_headers(400)]) as server:
        keyed = Bench(bench.folder, {"OPENAI_API_KEY": KEY, "IAMHUMANS_OPENAI_BASE_URL": server.openai_url})
        printed = keyed.run("doctor", "openai/tiny")
    assert printed.code == 4
    assert KEY not in printed.out + printed.err


@pytest.mark.parametrize("name", ["nobody", "rules", "openai/tiny"])
def test_a_name_that_cannot_be_asked_is_told(bench: Bench, name: str) -> None:
    printed = bench.run("doctor", name, "--json")
    assert printed.code == 4
    assert found(printed)[f"model {name}"][1] is False


def test_a_broken_config_ends_with_2(bench: Bench) -> None:
    bench.write("iamhumans.toml", "[models.loop\n")
    printed = bench.run("doctor", "--json")
    assert printed.code == 2
    assert found(printed)["config"][1] is False


def test_a_damaged_journal_ends_with_2_and_stays_as_it_is(bench: Bench) -> None:
    bench.write("journal.db", "no database at all, but long enough to be looked at " * 30)
    before = bench.db.read_bytes()
    printed = bench.run("doctor", "--json")
    assert printed.code == 2
    assert found(printed)["journal"][1] is False
    assert bench.db.read_bytes() == before


def test_a_sound_journal_is_well(bench: Bench) -> None:
    bench.suite(1)
    bench.write("replies.jsonl", '{"case_id": "C-001", "reply": "Oh no."}')
    bench.run("judge", "replies.jsonl", "--suite", "suite")
    state, well = found(bench.run("doctor", "--json"))["journal"]
    assert (state, well) == (f"{bench.db}, 1 run", True)


def test_what_a_server_calls_its_model_cannot_reach_the_terminal_raw(bench: Bench) -> None:
    with ChatServer([say("hello", model="\x1b[31mred\x1b[0m")]) as server:
        bench.models(server.openai_url)
        assert "\x1b" not in bench.run("doctor").out
