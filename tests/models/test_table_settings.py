"""Settings of a table: what they send, and which of them are part of a key."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from tests.models.asking import KEY, STRUCTURED, ask, habits_of, table
from tests.servers import ChatServer, refuse, say

from iamhumans.errors import CannotRunError, InputError
from iamhumans.models import open_model, read_config
from iamhumans.runs.keys import model_settings


def sent(folder: Path, *lines: str) -> dict[str, Any]:
    """The body of one request."""
    with ChatServer() as server:
        ask(table(folder, server.openai_url, *lines))
    return dict(server.bodies[0])


def settings(folder: Path, *lines: str, url: str = "http://127.0.0.1:9/v1") -> str:
    return json.dumps(model_settings(table(folder, url, *lines, environ={"T_API_KEY": KEY, "T_SECRET": KEY}).identity))


@pytest.mark.parametrize(
    ("line", "name", "value"),
    [
        ('reasoning_effort = "low"', "reasoning_effort", "low"),
        ("max_completion_tokens = 50", "max_completion_tokens", 50),
        ('stop = "END"', "stop", ["END"]),
        ('stop = ["END", "###"]', "stop", ["END", "###"]),
        (
            "extra_body = { chat_template_kwargs = { enable_thinking = false } }",
            "chat_template_kwargs",
            {"enable_thinking": False},
        ),
    ],
)
def test_a_setting_goes_out_and_is_in_the_key(tmp_path: Path, line: str, name: str, value: Any) -> None:
    assert sent(tmp_path, line)[name] == value
    assert settings(tmp_path, line) != settings(tmp_path)


@pytest.mark.parametrize(("role", "expected"), [("developer", ["developer", "user"]), ("user", ["user"])])
def test_the_role_of_the_system_text_can_be_set(tmp_path: Path, role: str, expected: list[str]) -> None:
    line = f'system_role = "{role}"'
    assert [message["role"] for message in sent(tmp_path, line)["messages"]] == expected
    assert settings(tmp_path, line) != settings(tmp_path)


def test_the_limit_of_tokens_is_one_limit_under_both_names(tmp_path: Path) -> None:
    assert settings(tmp_path, "max_completion_tokens = 50") == settings(tmp_path, "max_tokens = 50")


def test_the_newer_name_of_the_limit_gives_way_to_the_older(tmp_path: Path) -> None:
    with ChatServer([refuse(400, "Unrecognized request argument supplied: max_completion_tokens"), say()]) as server:
        ask(table(tmp_path, server.openai_url, "max_completion_tokens = 50"))
    assert server.bodies[1]["max_tokens"] == 50


def test_headers_go_out_and_only_a_hash_of_them_is_in_the_key(tmp_path: Path) -> None:
    line = 'extra_headers = { "X-Team" = "kitchen-table" }'
    with ChatServer() as server:
        ask(table(tmp_path, server.openai_url, line))
    assert server.requests[0].headers["x-team"] == "kitchen-table"
    assert settings(tmp_path, line) != settings(tmp_path)
    assert "kitchen-table" not in settings(tmp_path, line)


def test_a_header_from_a_variable_goes_out_and_is_in_no_key(tmp_path: Path) -> None:
    line = 'extra_headers = { "X-Gate" = { env = "T_SECRET" } }'
    path = tmp_path / "iamhumans.toml"
    with ChatServer() as server:
        path.write_text(f'[models.server]\nbase_url = "{server.openai_url}"\nmodel = "tiny"\n{line}')
        config = read_config(path)
        with pytest.raises(InputError, match="T_SECRET"):
            open_model("server", config, environ={"T_SECRET": KEY, "XDG_CONFIG_HOME": str(tmp_path)})


def test_a_text_of_the_body_that_looks_like_a_key_is_only_hashed(tmp_path: Path) -> None:
    line = f'extra_body = {{ search = {{ key = "{KEY}" }} }}'
    assert KEY not in settings(tmp_path, line)
    assert sent(tmp_path, line)["search"] == {"key": KEY}


@pytest.mark.parametrize("line", ['proxy = "http://127.0.0.1:3128"', "stream = true", "timeout = 5", 'proxy = "env"'])
def test_how_a_call_travels_is_in_no_key(tmp_path: Path, line: str) -> None:
    assert settings(tmp_path, line) == settings(tmp_path)


def test_the_query_of_an_address_goes_out_and_is_in_the_key(tmp_path: Path) -> None:
    with ChatServer() as server:
        ask(table(tmp_path, f"{server.url}/openai/deployments/x?api-version=2024-10-21"))
    assert server.requests[0].path == "/openai/deployments/x/chat/completions?api-version=2024-10-21"
    a, b = (settings(tmp_path, url=f"http://h/v1?api-version={version}") for version in (1, 2))
    assert a != b


@pytest.mark.parametrize("name", ["key", "api_key", "api-key", "access_token", "sig", "subscription-key"])
def test_a_key_in_the_query_of_an_address_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match="environment variable"):
        table(tmp_path, f"http://127.0.0.1:9/v1?{name}=abc")


def test_the_key_goes_out_in_the_header_that_the_server_wants(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("IAMHUMANS_OPENAI_BASE_URL", "")
    with ChatServer() as server:
        path = tmp_path / "iamhumans.toml"
        path.write_text('[models."openai/gpt-test"]\nkey_header = "api-key"\n')
        environ = {"OPENAI_API_KEY": KEY, "IAMHUMANS_OPENAI_BASE_URL": server.openai_url}
        ask(open_model("openai/gpt-test", read_config(path), environ=environ))
    headers = server.requests[0].headers
    assert (headers["api-key"], "authorization" in headers) == (KEY, False)


def test_a_key_header_without_a_key_does_nothing_and_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="api_key_env"):
        table(tmp_path, "http://127.0.0.1:9/v1", 'key_header = "api-key"')


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('extra_headers = { Authorization = "Bearer x" }', "api_key_env"),
        ('extra_headers = { Host = "x" }', "set by this program"),
        ('extra_headers = { "X-A" = "a\\nb" }', "printable"),
        ("extra_body = { messages = [] }", "set by this program"),
        ("extra_body = { temperature = 1 }", "key of the table"),
        ("extra_body = { response_format = {} }", "structured"),
        ("extra_body = { a = nan }", "nan"),
        ('reasoning_effort = "very high"', "low, medium or high"),
        ('proxy = "socks5://127.0.0.1:1"', "SOCKS"),
        ('proxy = "http://me:secret@127.0.0.1:1"', "HTTPS_PROXY"),
        ('ca_file = "missing.pem"', "no file"),
        ("max_tokens = 5\nmax_completion_tokens = 5", "two names"),
    ],
)
def test_a_setting_that_cannot_be_used_is_an_error_with_its_line(tmp_path: Path, line: str, said: str) -> None:
    with pytest.raises(InputError, match=said) as caught:
        table(tmp_path, "http://127.0.0.1:9/v1", line)
    assert re.search(r":[45]: ", caught.value.message)


@pytest.mark.parametrize("line", ["max_completion_tokens = 5", 'system_role = "developer"', "seed = 1"])
def test_what_anthropic_s_format_does_not_have_is_an_error(tmp_path: Path, line: str) -> None:
    with pytest.raises(InputError, match="does nothing here"):
        table(tmp_path, "http://127.0.0.1:9", 'wire = "anthropic"', line)


def test_settings_in_anthropic_s_format(tmp_path: Path) -> None:
    lines = ('wire = "anthropic"', 'reasoning_effort = "high"', 'stop = "END"', 'system_role = "user"')
    with ChatServer() as server:
        ask(table(tmp_path, server.anthropic_url, *lines))
    body = server.bodies[0]
    assert (body["output_config"], body["stop_sequences"], "system" in body) == ({"effort": "high"}, ["END"], False)
    assert body["messages"] == [{"role": "user", "content": "You judge.\n\nhello"}]


# Tables that are named after a model of a provider


def named_after(folder: Path, *lines: str, name: str = "openai/gpt-5.1") -> Any:
    path = folder / "iamhumans.toml"
    path.write_text("\n".join([f'[models."{name}"]', *lines]))
    return open_model(name, read_config(path), environ={"OPENAI_API_KEY": KEY})


def test_a_table_can_have_the_name_of_a_provider_s_model(tmp_path: Path) -> None:
    identity = named_after(tmp_path, 'reasoning_effort = "low"', "prices = { prompt = 1, completion = 2 }").identity
    assert (identity.name, identity.provider, identity.model) == ("openai/gpt-5.1", "openai", "gpt-5.1")
    assert (identity.settings["reasoning_effort"], identity.prices.prompt) == ("low", 1.0)


@pytest.mark.parametrize("line", ['base_url = "http://h/v1"', 'model = "x"', 'wire = "openai"'])
def test_such_a_table_decides_neither_the_address_nor_the_model(tmp_path: Path, line: str) -> None:
    with pytest.raises(InputError, match="cannot be in"):
        named_after(tmp_path, line)


@pytest.mark.parametrize("line", ['proxy = "http://127.0.0.1:1"', 'ca_file = "ca.pem"'])
def test_what_could_read_a_key_on_its_way_needs_to_be_allowed(tmp_path: Path, line: str) -> None:
    with pytest.raises(InputError, match="iamhumans allow"):
        named_after(tmp_path, line)


def test_other_names_with_a_slash_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot name a model"):
        named_after(tmp_path, name="acme/gpt-5.1")


def test_a_missing_variable_of_a_header_is_named(tmp_path: Path) -> None:
    path = tmp_path / "iamhumans.toml"
    path.write_text('[models.s]\nbase_url = "http://h/v1"\nmodel = "m"\nextra_headers = { "X-G" = { env = "GATE" } }')
    config = read_config(path)
    from iamhumans.models import allow

    environ = {"XDG_CONFIG_HOME": str(tmp_path / "config")}
    allow(config, environ)
    with pytest.raises(CannotRunError, match="GATE is not set"):
        open_model("s", config, environ=environ)
    with ChatServer() as server:
        path.write_text(path.read_text().replace("http://h/v1", server.openai_url))
        config = read_config(path)
        allow(config, environ)
        model = open_model("s", config, environ={**environ, "GATE": KEY})
        ask(model, STRUCTURED)
    assert server.requests[0].headers["x-g"] == KEY
    assert KEY not in json.dumps(model_settings(model.identity))
    assert habits_of(model) == {}
