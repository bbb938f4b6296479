"""The examples of docs/models.md are right."""

from __future__ import annotations

import re
import sys
from pathlib import Path

from tests.models.asking import ask

from iamhumans.models import PROVIDERS, FailureKind, open_model, powers, read_config
from iamhumans.models.tables import ModelTable

DOCUMENT = (Path(__file__).parents[2] / "docs" / "models.md").read_text()


def example(language: str, number: int = 0) -> str:
    return [found.group(1) for found in re.finditer(rf"```{language}\n(.*?)```", DOCUMENT, re.DOTALL)][number]


def test_the_config_opens(tmp_path: Path) -> None:
    path = tmp_path / "iamhumans.toml"
    path.write_text(example("toml"))
    config = read_config(path)
    assert open_model("server", config, environ={}).identity.provider == "127.0.0.1:8080"
    assert open_model("careful", config, environ={"OPENAI_API_KEY": "sk-something"}).identity.prices.prompt == 2.0
    assert str(powers(config)[0]) in DOCUMENT


def test_the_program_replies(tmp_path: Path) -> None:
    path = tmp_path / "bot.py"
    path.write_text(example("python").replace("/usr/bin/env python3", sys.executable))
    path.chmod(0o755)
    assert ask(open_model("command/./bot.py", environ={}, folder=tmp_path)).answer.text == "You said: hello"


def test_the_function_replies(tmp_path: Path) -> None:
    (tmp_path / "bot_of_the_docs.py").write_text(example("python", 1))
    model = open_model("python/bot_of_the_docs:reply", environ={}, folder=tmp_path)
    assert ask(model).answer.text == "You said: hello"


def test_every_key_provider_and_kind_of_failure_is_described() -> None:
    names = [*ModelTable.model_fields, *(kind.value for kind in FailureKind)]
    names += [provider.base_url_variable for provider in PROVIDERS.values()]
    names += [provider.key_variable for provider in PROVIDERS.values() if provider.key_variable]
    assert [name for name in names if f"`{name}`" not in DOCUMENT] == []
