"""``iamhumans doctor`` from the outside."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from tests.judging_server import KEY, Bench, Printed
from tests.servers import Behaviour, ChatServer, Received, echo_headers, raw, refuse, say


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def found(printed: Printed) -> dict[str, tuple[str, bool | None]]:
    rows: list[dict[str, Any]] = printed.document["found"]
    return {row["what"]: (row["state"], row["well"]) for row in rows}


def test_without_config_and_journal_all_is_well(bench: Bench) -> None:
    printed = bench.run("doctor", "--json")
    assert printed.code == 0
    assert found(printed)["config"] == ("none (not needed)", None)
    assert found(printed)["journal"] == (f"none yet; it will be created at {bench.db}", None)
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


def test_without_a_model_nothing_is_sent(bench: Bench) -> None:
    with ChatServer([say("hello")]) as server:
        bench.models(server.openai_url)
        bench.models(server.openai_url, 'api_key_env = "NOT_SET_API_KEY"', name="other")
        printed = bench.run("doctor", "--json")
        assert server.count == 0
    assert printed.code == 0
    assert found(printed)["model loop"] == ("can be called; `iamhumans doctor loop` makes one call", True)
    assert "iamhumans allow" in found(printed)["model other"][0]


def test_a_proxy_that_would_not_be_used_is_named(bench: Bench) -> None:
    behind = Bench(bench.folder, {"HTTPS_PROXY": "http://127.0.0.1:9"})
    assert 'proxy = "env"' in found(behind.run("doctor", "--json"))["proxy"][0]


def facts(printed: Printed) -> dict[str, str]:
    return {fact["what"]: fact["state"] for fact in printed.document["models"][0]["facts"]}


ANSWER = '{"secret": "marmalade", "word": "apple"}'


def test_a_model_is_asked_once_and_the_cost_comes_first(bench: Bench) -> None:
    with ChatServer([say(ANSWER)]) as server:
        bench.models(server.openai_url, "prices = { prompt = 1, completion = 1000 }")
        printed = bench.run("doctor", "loop")
        assert server.count == 1
    assert printed.code == 0
    assert printed.out.startswith("One call to loop (127.0.0.1:")
    assert "at most 1" in printed.out.splitlines()[0]
    assert "cost of this call: 0.0201" in printed.out


def test_one_call_shows_what_a_model_takes(bench: Bench) -> None:
    headers = {"x-ratelimit-limit-requests": "500"}
    body = {"model": "tiny", "choices": [{"message": {"content": ANSWER}, "finish_reason": "stop"}], "usage": USAGE}
    with ChatServer([raw(json.dumps(body), headers=headers)]) as server:
        bench.models(server.openai_url)
        shown = facts(bench.run("doctor", "loop", "--json"))
    assert shown["model"] == "tiny"
    assert shown["system role"] == "accepted; followed: yes"
    assert shown["temperature"] == "0 is accepted"
    assert shown["schema"] == "json_schema is accepted; the answer follows it"
    assert shown["reasoning"].startswith("30 of 40 tokens")
    assert shown["usage"] == "10 prompt, 40 completion tokens"
    assert shown["prices"].startswith("unknown")
    assert shown["limits"] == "x-ratelimit-limit-requests: 500"


USAGE = {"prompt_tokens": 10, "completion_tokens": 40, "completion_tokens_details": {"reasoning_tokens": 30}}


def choosy(received: Received) -> Behaviour:
    """Refuse, one after the other, all that can be refused, before anything is paid for."""
    body = received.body
    if "temperature" in body:
        return refuse(400, "temperature is not supported with this model", param="temperature")
    if "response_format" in body:
        return refuse(400, "response_format is not supported", param="response_format")
    if "max_tokens" in body:
        return refuse(400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens'.", param="max_tokens")
    if body["messages"][0]["role"] == "system":
        return refuse(400, "System role not supported")
    return say(ANSWER)


def test_the_table_that_it_prints_can_be_pasted_and_is_refused_nothing(bench: Bench) -> None:
    with ChatServer(choosy) as server:
        bench.models(server.openai_url, "max_tokens = 900")
        printed = bench.run("doctor", "loop", "--json")
        table = printed.document["models"][0]["table"]
        paid = [body for body in server.bodies if choosy(Received("", {}, body, 0)).kind == "say"]
        assert len(paid) == 1
        bench.write("iamhumans.toml", table)
        count = server.count
        bench.run("doctor", "loop")
    assert {"system_role", "structured", "max_completion_tokens"} <= set(tomllib.loads(table)["models"]["loop"])
    # Only the temperature that the check itself sends is refused again.
    assert server.count == count + 2


@pytest.mark.parametrize(
    ("behaviour", "fact", "said"),
    [
        (refuse(401, "bad key"), "key", "authentication: "),
        (refuse(404, "gone"), "model", "Is there a model `tiny`"),
        (refuse(500, "broken"), "answers", "server_error: "),
    ],
)
def test_how_a_model_fails_is_told(bench: Bench, behaviour: Behaviour, fact: str, said: str) -> None:
    with ChatServer([behaviour]) as server:
        bench.models(server.openai_url)
        printed = bench.run("doctor", "loop", "--json")
        assert server.count == 1
    assert said in facts(printed)[fact]
    assert printed.code == 4


def test_a_server_that_is_down_ends_with_4_and_the_others_are_asked(bench: Bench) -> None:
    with ChatServer() as gone:
        bench.models(gone.openai_url)
    with ChatServer([say("hello")]) as server:
        bench.models(server.openai_url, name="other")
        printed = bench.run("doctor", "loop", "other")
    assert printed.code == 4
    assert "bad reachable: connection: " in printed.out
    assert "ok  model: tiny" in printed.out


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
    assert "can be opened" in facts(printed)


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
        assert "\x1b" not in bench.run("doctor", "loop").out
