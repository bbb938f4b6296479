"""Names of models, and the help for those that do not exist."""

from __future__ import annotations

from pathlib import Path

import pytest

from iamhumans.errors import CannotRunError, CommandError
from iamhumans.models import open_model, read_config
from iamhumans.models.names import ModelName, parse_model_name


@pytest.mark.parametrize(
    ("text", "kind", "rest"),
    [
        ("openai/gpt-5.1", "openai", "gpt-5.1"),
        ("ollama/qwen3:8b", "ollama", "qwen3:8b"),
        ("openrouter/meta-llama/llama-3.1-8b", "openrouter", "meta-llama/llama-3.1-8b"),
        ("command/./program --fast 'a b'", "command", "./program --fast 'a b'"),
        ("command//usr/bin/cat", "command", "/usr/bin/cat"),
        ("python/package.module:function", "python", "package.module:function"),
        ("server", None, "server"),
    ],
)
def test_a_name_falls_into_its_parts(text: str, kind: str | None, rest: str) -> None:
    assert parse_model_name(text) == ModelName(text, kind, rest)


@pytest.mark.parametrize("name", ["local", "rules", "recorded/answers.jsonl"])
def test_a_judge_is_no_model(name: str) -> None:
    with pytest.raises(CommandError, match="judge"):
        open_model(name)


@pytest.mark.parametrize("name", ["", "  ", "openai/", "command/", "python/", "a\nb", "a\x1b[2J"])
def test_half_a_name_is_an_error_that_is_safe_to_print(name: str) -> None:
    with pytest.raises(CommandError) as caught:
        open_model(name)
    assert caught.value.message.isprintable()


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("opnai/gpt-5", "openai/gpt-5"),
        ("OpenAI/gpt-5", "openai/gpt-5"),
        ("olama/x", "ollama/x"),
        ("gpt-5.1", "openai/gpt-5.1"),
        ("o3-mini", "openai/o3-mini"),
        ("claude-sonnet-4-5", "anthropic/claude-sonnet-4-5"),
        ("qwen3:8b", "ollama/qwen3:8b"),
        ("meta-llama/llama-3.1-8b", "openrouter/meta-llama/llama-3.1-8b"),
        ("servr", "server"),
    ],
)
def test_the_name_that_was_probably_meant_is_offered_and_can_be_opened(tmp_path: Path, name: str, meant: str) -> None:
    path = tmp_path / "iamhumans.toml"
    path.write_text('[models.server]\nbase_url = "http://127.0.0.1:1/v1"\nmodel = "m"\n')
    environ = dict.fromkeys(("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "OPENROUTER_API_KEY"), "sk-something")
    with pytest.raises(CommandError, match=f"Did you mean `{meant}`"):
        open_model(name, read_config(path), environ=environ)
    assert open_model(meant, read_config(path), environ=environ).identity.name == meant


def test_the_table_that_is_advised_for_a_name_with_dots_is_toml_and_works(tmp_path: Path) -> None:
    with pytest.raises(CommandError) as caught:
        open_model("my-model.1")
    header = '[models."my-model.1"]'
    assert header in caught.value.fix
    path = tmp_path / "iamhumans.toml"
    path.write_text(f'{header}\nbase_url = "http://127.0.0.1:8080/v1"\nmodel = "its-name"\n')
    assert open_model("my-model.1", read_config(path), environ={}).identity.model == "its-name"


def test_an_unknown_name_is_told_which_table_to_write() -> None:
    with pytest.raises(CommandError) as caught:
        open_model("mine")
    assert "[models.mine]" in caught.value.message
    assert "base_url" in caught.value.message


def test_a_look_alike_is_unmasked() -> None:
    with pytest.raises(CommandError, match=r"u043e"):
        open_model("\u043epenai/gpt-5", environ={"OPENAI_API_KEY": "sk-something"})


@pytest.mark.parametrize(
    ("name", "variable"),
    [
        ("openai/gpt-5", "OPENAI_API_KEY"),
        ("anthropic/claude-sonnet-4-5", "ANTHROPIC_API_KEY"),
        ("openrouter/x/y", "OPENROUTER_API_KEY"),
    ],
)
@pytest.mark.parametrize("value", [None, "", "  "])
def test_a_missing_key_is_named_before_any_call(name: str, variable: str, value: str | None) -> None:
    environ = {} if value is None else {variable: value}
    with pytest.raises(CannotRunError, match=f"export {variable}="):
        open_model(name, environ=environ)


@pytest.mark.parametrize("value", ["sk-a\r\nX-Evil: 1", "sk-a b", "sk-ключ"])
def test_a_key_that_cannot_be_one_is_refused_and_not_shown(value: str) -> None:
    with pytest.raises(CannotRunError) as caught:
        open_model("openai/gpt-5", environ={"OPENAI_API_KEY": value})
    assert value not in caught.value.message


def test_ollama_needs_no_key() -> None:
    assert open_model("ollama/qwen3:8b", environ={}).identity.provider == "ollama"


def test_a_provider_at_another_address_is_another_provider() -> None:
    environ = {"IAMHUMANS_OLLAMA_BASE_URL": "http://127.0.0.1:9999/v1"}
    assert open_model("ollama/qwen3:8b", environ=environ).identity.provider == "127.0.0.1:9999"


@pytest.mark.parametrize(
    "url", ["file:///etc/passwd", "http://a:b@example.org/v1", "https://example.org/?key=1", "nonsense"]
)
def test_an_address_from_the_environment_is_checked(url: str) -> None:
    with pytest.raises(CommandError, match="IAMHUMANS_OPENAI_BASE_URL"):
        open_model("openai/gpt-5", environ={"OPENAI_API_KEY": "sk-something", "IAMHUMANS_OPENAI_BASE_URL": url})
