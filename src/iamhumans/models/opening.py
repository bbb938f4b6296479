"""From a name to a model that can be asked. Every mistake that can be found before the first call is found here."""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from iamhumans.errors import CannotRunError, CommandError, InputError
from iamhumans.models.chat import ChatModel, Limits, ModelIdentity, Prices
from iamhumans.models.config import CONFIG_NAME, Config
from iamhumans.models.names import COMMAND, FUNCTION, KINDS, ModelName, parse_model_name, table_header, unknown_model
from iamhumans.models.providers import PROVIDERS, Address, Provider, WireName, read_address
from iamhumans.models.proxies import FROM_ENVIRONMENT, proxy_in
from iamhumans.models.redaction import Redactor, is_secret
from iamhumans.models.trust import require_allowed, secret_variables

if TYPE_CHECKING:
    import ssl

    from iamhumans.models.tables import ModelTable

_SETTINGS = ("max_tokens", "reasoning_effort", "seed", "structured", "system_role", "temperature", "top_p")
_ONLY_SERVERS = (
    *("wire", "api_key_env", "key_header", "proxy", "ca_file", "stream", "extra_body", "extra_headers", "stop"),
    *("max_completion_tokens", *_SETTINGS),
)


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
            prices = Prices(**table.prices.model_dump())
            limits = Limits(table.requests_per_minute, table.tokens_per_minute, table.timeout)
        return ModelIdentity(self.name, provider, self.model.rest, settings, prices, limits)

    @property
    def header(self) -> str:
        """The header of the table that holds its settings, or could."""
        return table_header(self.name)

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
    variables = {name for table in config.models.values() for name in secret_variables(table)}
    redactor = Redactor.of({**config.keys, **environ}, {*variables, *config.keys})
    if model.kind == COMMAND:
        from iamhumans.models.programs import ProgramModel, read_program, without_keys

        target.refuse(_ONLY_SERVERS, "a program gets the conversation and nothing else")
        words = read_program(model.rest, folder, environ)
        identity = target.identity(COMMAND, _hash_of(folder / word for word in words))
        return ProgramModel(identity, words, folder, without_keys(environ, variables), redactor)
    if model.kind == FUNCTION:
        from iamhumans.models.functions import CallableModel, load_function

        target.refuse(_ONLY_SERVERS, "a function gets the messages and nothing else")
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
    from iamhumans.models.anthropic import AnthropicModel
    from iamhumans.models.openai import OpenAIModel
    from iamhumans.models.server_model import Server

    if provider is not None:
        target.refuse(("wire",), f"{provider.name} has its own")
    table = target.table
    wire: WireName = provider.wire if provider else (table and table.wire) or "openai"
    address = _address(target, provider)
    variable, key = _key(target, provider)
    extra = _extra_headers(target)
    advice = "Is the name right, and the network up?"
    if provider is not None and provider.name == "ollama":
        advice = "Start it with `ollama serve`"
    elif address.local:
        advice = "Is the server running, and is this its port?"
    host = address.host
    at_home = provider is not None and address.url == read_address(provider.base_url).url
    settings = _settings(target, wire, address)
    if given := _given_headers(target):
        settings["extra_headers"] = _digest(_canonical(given))
    identity = target.identity(provider.name if provider and at_home else host, dict(sorted(settings.items())))
    proxy, proxy_advice = _proxy(target, address)
    server = Server(
        address.endpoint(wire),
        host,
        _headers(target, wire, key) | extra,
        redactor.with_secrets([*extra.values(), address.query]),
        variable,
        advice,
        body=(table and table.extra_body) or {},
        streams=bool(table and table.stream),
        limit_name="max_completion_tokens" if table and table.max_completion_tokens else "max_tokens",
        proxy=proxy,
        proxy_advice=proxy_advice,
        trusted=_trusted(target),
    )
    return AnthropicModel(identity, server) if wire == "anthropic" else OpenAIModel(identity, server)


def _headers(target: _Target, wire: WireName, key: str | None) -> dict[str, str]:
    """The headers of the format, with the key in the one that the server wants."""
    from iamhumans.models.anthropic import API_VERSION

    headers = {"anthropic-version": API_VERSION} if wire == "anthropic" else {}
    name = (target.table and target.table.key_header) or ("x-api-key" if wire == "anthropic" else "Authorization")
    if key is None:
        target.refuse(("key_header",), "no key is sent; name its variable as api_key_env")
        return headers
    return headers | {name: f"Bearer {key}" if name.lower() == "authorization" else key}


def _given_headers(target: _Target) -> dict[str, str]:
    """The extra headers that can change an answer. Those from variables are secrets, as a key is, and are not here."""
    given = (target.table and target.table.extra_headers) or {}
    return {name.lower(): value for name, value in given.items() if isinstance(value, str)}


def _extra_headers(target: _Target) -> dict[str, str]:
    given = (target.table and target.table.extra_headers) or {}
    return {
        name: value if isinstance(value, str) else _secret(target, value.env, f"The header {name} of")
        for name, value in given.items()
    }


def _proxy(target: _Target, address: Address) -> tuple[str | None, str]:
    """The proxy to use, or else what to say about one that the environment names when there is no connection."""
    chosen = target.table and target.table.proxy
    found = proxy_in(target.environ, address.url)
    if chosen and chosen != FROM_ENVIRONMENT:
        return chosen, ""
    if found is None:
        return None, ""
    if chosen:
        if not found.url.startswith(("http://", "https://")):
            fix = "Use an HTTP proxy."
            raise CannotRunError(f"The proxy in {found.variable} is not an HTTP proxy.", fix=fix)
        return found.url, ""
    return None, (
        f"{found.variable} is set, and is not used: proxies are used only where a table says so."
        f' To use it, write proxy = "env" into {target.header} of {CONFIG_NAME}'
    )


def _trusted(target: _Target) -> ssl.SSLContext | None:
    """Certificates of the system and of ``ca_file``. Raises InputError if there are none in it."""
    if target.table is None or target.table.ca_file is None:
        return None
    import ssl

    path, place = target.folder / target.table.ca_file, target.config.place("models", target.name, "ca_file")
    context = ssl.create_default_context()
    try:
        context.load_verify_locations(cafile=path)
    except FileNotFoundError:
        raise InputError(f"There is no file {path}.", fix="Check the path of `ca_file`.", where=place) from None
    except (OSError, ValueError):
        fix = "It must be a PEM file: lines between -----BEGIN CERTIFICATE----- and -----END CERTIFICATE-----."
        raise InputError(f"{path} holds no certificate.", fix=fix, where=place) from None
    return context


def _address(target: _Target, provider: Provider | None) -> Address:
    if provider is None:
        return read_address((target.table and target.table.base_url) or "")
    try:
        return read_address(target.environ.get(provider.base_url_variable, "").strip() or provider.base_url)
    except ValueError as error:
        raise CommandError(f"The environment variable {provider.base_url_variable} cannot be used: {error}.") from None


def _key(target: _Target, provider: Provider | None) -> tuple[str | None, str | None]:
    variable = (target.table and target.table.api_key_env) or (provider and provider.key_variable) or None
    return (None, None) if variable is None else (variable, _secret(target, variable))


def _secret(target: _Target, variable: str, what: str = "") -> str:
    """What an environment variable holds, fit for a header. The shell's counts before that of an env file."""
    key = target.environ.get(variable, "").strip() or target.config.keys.get(variable, "").strip()
    if not key and not target.config.keys_needed:
        return "not-needed"
    if not key:
        fix = f"Set it in the shell first: export {variable}=... Or put it in a file (--env-file, or `env_file`)."
        problem = f"{what} `{target.name}` needs a key, and the variable {variable} is not set.".strip()
        raise CannotRunError(problem, fix=fix)
    if not key.isascii() or not key.isprintable() or " " in key:
        fix = "A key has no blanks, line breaks or letters outside of ASCII. Copy it again."
        raise CannotRunError(f"The environment variable {variable} does not hold a key.", fix=fix)
    return key


def _settings(target: _Target, wire: WireName, address: Address) -> dict[str, Any]:
    """What can change an answer, fit to be stored."""
    settings: dict[str, Any] = {"structured": "auto"}
    table = target.table
    if wire == "anthropic":
        absent = "Anthropic's wire format has no equivalent"
        target.refuse(("seed",), absent)
        target.refuse(("max_completion_tokens",), "in Anthropic's wire format this is called max_tokens")
        if table is not None and table.structured in ("json_object", "grammar"):
            target.refuse(("structured",), absent)
        if table is not None and table.system_role == "developer":
            target.refuse(("system_role",), absent)
        settings["max_tokens"] = 4096  # where none is set: the format demands a limit
    if address.path not in ("", "/v1") or address.query:
        # One host can have several servers. A path can hold a secret, so only its hash is stored.
        query = f"?{address.query}" if address.query else ""
        settings["path"] = _digest(f"{address.path}{query}")
    chosen = {name: getattr(table, name, None) for name in _SETTINGS}
    settings |= {name: value for name, value in chosen.items() if value is not None}
    if table is not None:
        # One limit under two names: which of them is sent changes nothing.
        settings |= {"max_tokens": table.max_completion_tokens} if table.max_completion_tokens else {}
        settings |= {"stop": [table.stop] if isinstance(table.stop, str) else table.stop} if table.stop else {}
        settings |= {"extra_body": _concealed(table.extra_body)} if table.extra_body else {}
    return settings


def _concealed(value: Any) -> Any:
    """The value with hashes in place of texts that may be secrets."""
    if isinstance(value, dict):
        return {name: _concealed(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return list(map(_concealed, value))
    return f"sha256:{_digest(value)}" if isinstance(value, str) and is_secret(value) else value


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _canonical(value: Any) -> str:
    """One spelling of a JSON value."""
    return json.dumps(value, sort_keys=True)
