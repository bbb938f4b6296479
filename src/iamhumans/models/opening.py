"""From a name to a model that can be asked. Every mistake that can be found before the first call is found here."""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from iamhumans.errors import CannotRunError, CommandError, InputError
from iamhumans.models.chat import ChatModel, Limits, ModelIdentity, Prices
from iamhumans.models.config import Config
from iamhumans.models.names import COMMAND, FUNCTION, KINDS, ModelName, parse_model_name, unknown_model
from iamhumans.models.providers import PROVIDERS, Address, Provider, WireName, read_address
from iamhumans.models.redaction import Redactor
from iamhumans.models.trust import require_allowed

if TYPE_CHECKING:
    from iamhumans.models.tables import ModelTable

_SETTINGS = ("max_tokens", "seed", "structured", "temperature", "top_p")


@dataclass(frozen=True, slots=True)
class _Target:
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
                raise InputError(f"`{key}` does nothing here: {because}.", fix="Remove the line.", where=place)


def open_model(
    name: str, config: Config | None = None, *, environ: Mapping[str, str] | None = None, folder: Path | None = None
) -> ChatModel:
    """The model of a name. Nothing is sent before its first call. Keys are in ``environ`` (of this process if None)."""
    config, environ = config or Config(), os.environ if environ is None else environ
    model, table, folder = parse_model_name(name), config.models.get(name), folder or Path.cwd()
    if table is not None:
        require_allowed(config, name, environ)
        model, folder = _model_of(name, table, config), config.folder
    elif model.kind not in KINDS:
        raise unknown_model(model, config.models, str(config))
    target = _Target(name, model, table, config, environ, folder)
    # Every key that is set is masked, not only the one for this model.
    variables = {table.api_key_env for table in config.models.values() if table.api_key_env}
    redactor = Redactor.of({**config.keys, **environ}, {*variables, *config.keys})
    if model.kind == COMMAND:
        from iamhumans.models.programs import ProgramModel, read_program, without_keys

        target.refuse(("wire", "api_key_env", *_SETTINGS), "a program gets the conversation and nothing else")
        words = read_program(model.rest, folder, environ)
        identity = target.identity(COMMAND, _hash_of(folder / word for word in words))
        return ProgramModel(identity, words, folder, without_keys(environ, variables), redactor)
    if model.kind == FUNCTION:
        from iamhumans.models.functions import CallableModel, load_function

        target.refuse(("wire", "api_key_env", *_SETTINGS), "a function gets the messages and nothing else")
        function = load_function(model.rest, folder)
        source = getattr(sys.modules.get(model.rest.partition(":")[0]), "__file__", None)
        return CallableModel.configured(target.identity(FUNCTION, _hash_of([Path(source or "")])), function, redactor)
    return _server_model(target, PROVIDERS[model.kind] if model.kind else None, redactor)


def _model_of(name: str, table: ModelTable, config: Config) -> ModelName:
    """The model of a table. Without a ``base_url``, the table holds settings for a model that has its own name."""
    if table.base_url is not None:
        return ModelName(table.model, None, table.model)
    place = config.place("models", name, "model")
    try:
        model = parse_model_name(table.model)
    except CommandError as error:
        raise InputError(error.what, fix=error.fix, where=place) from None
    if model.kind not in KINDS:
        problem = f"`{name}` has no base_url, and `{table.model}` names no built-in provider."
        fix = f"Add base_url, or write provider/model with one of {', '.join(sorted(PROVIDERS))}."
        raise InputError(problem, fix=fix, where=place)
    return model


def _hash_of(files: Iterable[Path]) -> dict[str, str]:
    """The files of a program are part of its identity: a changed program is another subject."""
    hashes = [hashlib.sha256(path.read_bytes()).digest() for path in files if path.is_file()]
    return {"files": hashlib.sha256(b"".join(hashes)).hexdigest()}


def _server_model(target: _Target, provider: Provider | None, redactor: Redactor) -> ChatModel:
    # aiohttp and asyncio are slow to import, and most commands need neither.
    from iamhumans.models.anthropic import API_VERSION, AnthropicModel
    from iamhumans.models.openai import OpenAIModel
    from iamhumans.models.server_model import Server

    if provider is not None:
        target.refuse(("wire",), f"{provider.name} has its own")
    wire: WireName = provider.wire if provider else (target.table and target.table.wire) or "openai"
    address = _address(target, provider)
    variable, key = _key(target, provider)
    headers = {"anthropic-version": API_VERSION} if wire == "anthropic" else {}
    if key is not None:
        headers |= {"x-api-key": key} if wire == "anthropic" else {"Authorization": f"Bearer {key}"}
    advice = "Is the name right, and the network up?"
    if provider is not None and provider.name == "ollama":
        advice = "Start it with `ollama serve`"
    elif address.local:
        advice = "Is the server running, and is this its port?"
    url, host = address.endpoint(wire), address.host
    at_home = provider is not None and address.url == read_address(provider.base_url).url
    identity = target.identity(provider.name if provider and at_home else host, _settings(target, wire, address))
    server = Server(url, host, headers, redactor, variable, advice)
    return AnthropicModel(identity, server) if wire == "anthropic" else OpenAIModel(identity, server)


def _address(target: _Target, provider: Provider | None) -> Address:
    if provider is None:
        return read_address((target.table and target.table.base_url) or "")
    try:
        return read_address(target.environ.get(provider.base_url_variable, "").strip() or provider.base_url)
    except ValueError as error:
        raise CommandError(f"The environment variable {provider.base_url_variable} cannot be used: {error}.") from None


def _key(target: _Target, provider: Provider | None) -> tuple[str | None, str | None]:
    variable = (target.table and target.table.api_key_env) or (provider and provider.key_variable) or None
    if variable is None:
        return None, None
    # A variable of the shell counts before the same one in a file.
    key = target.environ.get(variable, "").strip() or target.config.keys.get(variable, "").strip()
    if not key:
        fix = f"Set it in the shell before you run this: export {variable}=... Or name a file with it: --env-file FILE."
        raise CannotRunError(f"`{target.name}` needs a key, and the variable {variable} is not set.", fix=fix)
    if not key.isascii() or not key.isprintable() or " " in key:
        fix = "A key has no blanks, line breaks or letters outside of ASCII. Copy it again."
        raise CannotRunError(f"The environment variable {variable} does not hold a key.", fix=fix)
    return variable, key


def _settings(target: _Target, wire: WireName, address: Address) -> dict[str, Any]:
    settings: dict[str, Any] = {"structured": "auto"}
    if wire == "anthropic":
        absent = "Anthropic's wire format has nothing like it"
        target.refuse(("seed",), absent)
        if target.table is not None and target.table.structured in ("json_object", "grammar"):
            target.refuse(("structured",), absent)
        settings["max_tokens"] = 4096  # where none is set: the format demands a limit
    if address.path not in ("", "/v1"):
        # One host can have several servers. A path can hold a secret, so only its hash is stored.
        settings["path"] = hashlib.sha256(address.path.encode()).hexdigest()[:16]
    chosen = {name: getattr(target.table, name, None) for name in _SETTINGS}
    settings |= {name: value for name, value in chosen.items() if value is not None}
    return dict(sorted(settings.items()))
