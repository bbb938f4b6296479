"""From a name to a model that can be asked. Every mistake that can be found before the first call is found here."""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from iamhumans.errors import CommandError, InputError
from iamhumans.models.chat import ChatModel, Limits, ModelIdentity, Prices
from iamhumans.models.config import Config
from iamhumans.models.names import COMMAND, FUNCTION, KINDS, ModelName, parse_model_name, unknown_model
from iamhumans.models.providers import PROVIDERS
from iamhumans.models.redaction import Redactor
from iamhumans.models.trust import require_allowed

if TYPE_CHECKING:
    from iamhumans.models.tables import ModelTable

_SERVER_SETTINGS = ("wire", "api_key_env", "temperature", "top_p", "max_tokens", "seed", "structured")


@dataclass(frozen=True, slots=True)
class Target:
    """A model to open, and everything that is known about it."""

    name: str
    model: ModelName  # what the name means; without a kind, a model at the base_url of the table
    table: ModelTable | None
    config: Config
    environ: Mapping[str, str] = field(repr=False)
    folder: Path  # where relative paths start from

    def identity(self, provider: str, settings: Mapping[str, Any]) -> ModelIdentity:
        """Its identity, with the prices and limits of the table."""
        prices, limits, table = Prices(), Limits(), self.table
        if table is not None:
            prices = Prices(table.prices.prompt, table.prices.cached, table.prices.completion)
            limits = Limits(table.requests_per_minute, table.tokens_per_minute, table.timeout)
        return ModelIdentity(self.name, provider, self.model.rest, settings, prices, limits)

    def refuse(self, keys: Iterable[str], because: str) -> None:
        """Raise InputError if the table sets one of these keys: no setting is ignored silently."""
        for key in keys:
            if self.table is not None and getattr(self.table, key) is not None:
                place = self.config.place("models", self.name, key)
                raise InputError(f"`{key}` does nothing here: {because}.", fix="Remove the line.", place=place)

    @property
    def key_variables(self) -> set[str]:
        """The variables that the config says hold keys."""
        return {table.api_key_env for table in self.config.models.values() if table.api_key_env}

    @property
    def redactor(self) -> Redactor:
        """Knows every key that is set, not only the one for this model."""
        return Redactor.of(self.environ, self.key_variables)


def open_model(
    name: str, config: Config | None = None, *, environ: Mapping[str, str] | None = None, folder: Path | None = None
) -> ChatModel:
    """The model of a name. Nothing is sent, and no connection made, before its first call.

    Keys are in ``environ`` (this process's if not given). A typed program or module is searched for in ``folder`` (the
    working folder if not given), that of a table in the folder of its config.
    Raises CommandError if there is no such model, InputError for what a table may not do, CannotRunError without a key.
    """
    config, environ = config or Config(), os.environ if environ is None else environ
    typed = parse_model_name(name)
    table = config.models.get(name)
    if table is not None:
        require_allowed(config, name, environ)
        return _open(Target(name, _model_of(name, table, config), table, config, environ, config.folder))
    if typed.kind not in KINDS:
        raise unknown_model(typed, config.models, str(config))
    return _open(Target(name, typed, None, config, environ, folder or Path.cwd()))


def _model_of(name: str, table: ModelTable, config: Config) -> ModelName:
    """The model of a table. Without a ``base_url``, the table holds settings for a model that has its own name."""
    if table.base_url is not None:
        return ModelName(table.model, None, table.model)
    place = config.place("models", name, "model")
    try:
        model = parse_model_name(table.model)
    except CommandError as error:
        raise InputError(error.problem, fix=error.fix, place=place) from None
    if model.kind not in KINDS:
        problem = f"`{name}` has no base_url, and `{table.model}` names no built-in provider."
        fix = f"Add base_url, or write provider/model with one of {', '.join(sorted(PROVIDERS))}."
        raise InputError(problem, fix=fix, place=place)
    return model


def _open(target: Target) -> ChatModel:
    # Imported here: most commands need not wait for aiohttp and asyncio.
    kind, rest = target.model.kind, target.model.rest
    if kind == COMMAND:
        from iamhumans.models.programs import ProgramModel, read_program, without_keys

        target.refuse(_SERVER_SETTINGS, "a program gets the conversation and nothing else")
        words = read_program(rest, target.folder, target.environ)
        identity = target.identity(COMMAND, _hash_of(target.folder / word for word in words))
        environ = without_keys(target.environ, target.key_variables)
        return ProgramModel(identity, words, target.folder, environ, target.redactor)
    if kind == FUNCTION:
        from iamhumans.models.functions import CallableModel, load_function

        target.refuse(_SERVER_SETTINGS, "a function gets the messages and nothing else")
        function = load_function(rest, target.folder)
        source = getattr(sys.modules.get(rest.partition(":")[0]), "__file__", None)
        return CallableModel.configured(
            target.identity(FUNCTION, _hash_of([Path(source or "")])), function, target.redactor
        )
    from iamhumans.models.servers import open_server_model

    return open_server_model(target, PROVIDERS[kind] if kind else None)


def _hash_of(files: Iterable[Path]) -> dict[str, str]:
    """The files of a program are part of its identity: a changed program is another subject."""
    digest = hashlib.sha256()
    for path in files:
        if path.is_file():
            digest.update(hashlib.sha256(path.read_bytes()).digest())
    return {"files": digest.hexdigest()}
