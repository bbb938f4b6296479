"""``iamhumans.toml``: what is read, and mistakes told with their line."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from iamhumans.errors import InputError, Place
from iamhumans.models import Config, Limits, Prices, find_config, open_model, read_config

FULL = """\
[models.server]
base_url = "http://127.0.0.1:8080/v1/"
model = "qwen3-8b"
temperature = 0
max_tokens = 900
prices = { prompt = 0.5, completion = 2 }
requests_per_minute = 60
tokens_per_minute = 100000
timeout = 30

[models.careful]
model = "openai/gpt-5.1"
temperature = 0.2
"""


def config(folder: Path, text: str) -> Config:
    path = folder / "iamhumans.toml"
    path.write_text(text)
    return read_config(path)


def refused(folder: Path, text: str) -> InputError:
    with pytest.raises(InputError) as caught:
        config(folder, text)
    assert caught.value.message.isprintable()
    return caught.value


def test_prices_and_limits_of_a_table_are_the_model_s(tmp_path: Path) -> None:
    identity = open_model("server", config(tmp_path, FULL), environ={}).identity
    assert identity.prices == Prices(0.5, None, 2.0)
    assert identity.limits == Limits(60, 100_000, 30.0)


def test_a_table_is_named_by_itself_and_shares_the_limits_of_its_server(tmp_path: Path) -> None:
    identity = open_model("server", config(tmp_path, FULL), environ={}).identity
    assert (identity.name, identity.provider, identity.model) == ("server", "127.0.0.1:8080", "qwen3-8b")


def test_a_table_without_an_address_holds_settings_for_a_provider(tmp_path: Path) -> None:
    environ = {"OPENAI_API_KEY": "sk-something"}
    identity = open_model("careful", config(tmp_path, FULL), environ=environ).identity
    assert (identity.provider, identity.model, identity.settings["temperature"]) == ("openai", "gpt-5.1", 0.2)


def test_two_servers_behind_one_host_are_told_apart(tmp_path: Path) -> None:
    text = '[models.a]\nbase_url = "http://h/a/v1"\nmodel = "m"\n[models.b]\nbase_url = "http://h/b/v1"\nmodel = "m"'
    both = config(tmp_path, text)
    assert open_model("a", both, environ={}).identity.settings != open_model("b", both, environ={}).identity.settings


def test_an_empty_config_has_no_models(tmp_path: Path) -> None:
    assert config(tmp_path, "").models == {}


def test_the_nearest_config_is_found_upwards(tmp_path: Path) -> None:
    (tmp_path / "iamhumans.toml").write_text("")
    (tmp_path / "a" / "b").mkdir(parents=True)
    assert find_config(tmp_path / "a" / "b") == tmp_path / "iamhumans.toml"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("temprature = 0", "Did you mean `temperature`"),
        ('temperature = "0"', "valid number"),
        ("temperature = 3", "less than or equal to 2"),
        ("temperature = nan", "finite"),
        ("max_tokens = 0", "greater than or equal to 1"),
        ("max_tokens = true", "integer"),
        ("seed = 1.5", "integer"),
        ('structured = "yes"', "json_schema"),
        ('wire = "grpc"', "anthropic"),
        ("prices = { prompt = -1 }", "greater than or equal to 0"),
        ("prices = { promt = 1 }", "Did you mean `prompt`"),
        ("timeout = inf", "finite"),
        ("requests_per_minute = 0", "greater than or equal to 1"),
        ('api_key_env = "not a name"', "NAME of an environment variable"),
    ],
)
def test_a_mistake_is_told_with_its_line(tmp_path: Path, line: str, said: str) -> None:
    error = refused(tmp_path, f'# mine\n[models.server]\nmodel = "m"\nbase_url = "http://127.0.0.1:1"\n{line}\n')
    assert said in error.message
    assert error.where.line == 5


def test_text_that_is_not_toml_is_told_with_its_line(tmp_path: Path) -> None:
    assert refused(tmp_path, "[models.server]\nmodel = qwen\n").where.line == 2


def test_the_line_of_a_table_with_dots_in_its_name_is_found(tmp_path: Path) -> None:
    text = '[models.a]\nmodel = "m"\n\n[models."gpt-5.1"]\nmodel = "openai/gpt-5.1"\ntemperature = 9\n'
    assert refused(tmp_path, text).where.line == 6
    config(tmp_path, text.replace("= 9", "= 1"))


def test_a_table_without_a_model_is_told_with_its_line(tmp_path: Path) -> None:
    error = refused(tmp_path, '[models.a]\nmodel = "m"\n\n[models.b]\nbase_url = "http://127.0.0.1:1"\n')
    assert "models.b.model" in error.message
    assert error.where.line == 4


def test_an_unknown_table_is_an_error(tmp_path: Path) -> None:
    assert "Did you mean `models`" in refused(tmp_path, "[model.server]\n").message


@pytest.mark.parametrize(
    "url",
    [
        "file:///etc/passwd",
        "ftp://example.org",
        "example.org/v1",
        "http://",
        "http:///v1",
        "http://user:password@example.org/v1",
        "http://example.org@evil.example/v1",
        "https://example.org/v1?api_key=abc",
        "https://example.org/v1#abc",
        "https://ex\u0430mple.org/v1",
        "https://example.org\\\\@evil.example/v1",
        "https://example.org/v1 ",
        "http://example.org:port/v1",
        "http://example.org:99999/v1",
        "http://[::1/v1",
        "javascript:alert(1)",
    ],
)
def test_an_address_that_hides_something_is_refused(tmp_path: Path, url: str) -> None:
    error = refused(tmp_path, f'[models.server]\nmodel = "m"\nbase_url = "{url}"\n')
    assert error.where.line == 3
    assert "password" not in error.what.replace("user name or password", "")


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("local", "[models.server]"),
        ("Local", "[models.server]"),
        ("rules", "[models.server]"),
        ("recorded", "[models.server]"),
        ("openai", "[models.my-openai]"),
        ("OpenAI", "[models.my-openai]"),
        ("anthropic", "[models.my-anthropic]"),
        ("ollama", "[models.my-ollama]"),
        ("openrouter", "[models.my-openrouter]"),
        ("command", "[models.my-command]"),
        ("python", "[models.my-python]"),
    ],
)
def test_a_reserved_name_is_refused_with_a_name_that_works(tmp_path: Path, name: str, advice: str) -> None:
    text = f'\n[models.{name}]\nmodel = "m"\nbase_url = "https://evil.example/v1"\n'
    error = refused(tmp_path, text)
    assert "reserved" in error.message
    assert advice in error.message
    assert error.where == Place(tmp_path / "iamhumans.toml", 2)
    assert list(config(tmp_path, text.replace(f"[models.{name}]", advice)).models) == [advice[8:-1]]


@pytest.mark.parametrize(
    "name", ["\u043epenai", "ope\u200bnai", "openai\u0336", "openai/gpt-5.1", "a b", "-x", "x" * 65, "\\u001b[2J"]
)
def test_a_name_that_could_pass_for_another_is_refused(tmp_path: Path, name: str) -> None:
    refused(tmp_path, f'[models."{name}"]\nmodel = "m"\nbase_url = "https://evil.example/v1"\n')


@pytest.mark.parametrize(
    "line", ['api_key = "sk-proj-abcdef123"', 'api_key_env = "sk-proj-abcdef123"', 'key = "sk-proj-abcdef123"']
)
def test_a_key_in_the_file_is_refused_and_not_repeated(tmp_path: Path, line: str) -> None:
    message = refused(tmp_path, f'[models.server]\nmodel = "m"\n{line}\n').message
    assert "sk-proj" not in message
    assert "environment variable" in message


@pytest.mark.parametrize(
    "line",
    [
        'wire = "anthropic"\nseed = 1',
        'wire = "anthropic"\nstructured = "grammar"',
        'wire = "anthropic"\nstructured = "json_object"',
    ],
)
def test_a_setting_that_would_be_ignored_is_refused(tmp_path: Path, line: str) -> None:
    given = config(tmp_path, f'[models.server]\nmodel = "m"\nbase_url = "http://127.0.0.1:1"\n{line}\n')
    with pytest.raises(InputError, match="does nothing here") as caught:
        open_model("server", given, environ={})
    assert caught.value.where.line == 5


@pytest.mark.parametrize("model", ["qwen3-8b", "groq/llama", "rules", "openai/"])
def test_a_table_that_leads_nowhere_is_told(tmp_path: Path, model: str) -> None:
    given = config(tmp_path, f'[models.server]\nmodel = "{model}"\n')
    with pytest.raises(InputError) as caught:
        open_model("server", given, environ={})
    assert caught.value.where.line == 2


def test_a_table_is_used_without_a_slash(tmp_path: Path) -> None:
    with pytest.raises(Exception, match="its name is used alone"):
        open_model("server/other", config(tmp_path, FULL), environ={})


@pytest.mark.parametrize("kind", ["missing", "folder", "pipe", "large", "latin-1"])
def test_what_is_no_text_file_is_refused(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "iamhumans.toml"
    match kind:
        case "folder":
            path.mkdir()
        case "pipe":
            if not hasattr(os, "mkfifo"):
                pytest.skip("this system has no named pipes")
            os.mkfifo(path)
        case "large":
            path.write_bytes(b"#" * 1_000_001)
        case "latin-1":
            path.write_bytes(b"# caf\xe9")
    with pytest.raises(InputError):
        read_config(path)
