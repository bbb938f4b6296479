"""Opening models behind a wire: address, key, settings."""

from __future__ import annotations

import hashlib
from dataclasses import asdict
from typing import Any

from iamhumans.errors import CannotRunError, CommandError
from iamhumans.models.addresses import Address, read_address
from iamhumans.models.anthropic import API_VERSION, DEFAULT_MAX_TOKENS, AnthropicModel
from iamhumans.models.model import ChatModel, ModelIdentity
from iamhumans.models.openai import OpenAIModel
from iamhumans.models.providers import Provider
from iamhumans.models.providers import Wire as Format
from iamhumans.models.wanted import Wanted
from iamhumans.models.wire import Server, Wire
from iamhumans.models.wire_model import Sampling, Structured

_NOTHING_LIKE_IT = "Anthropic's wire format has nothing like it"


def open_remote(wanted: Wanted, provider: Provider | None) -> ChatModel:
    """The model behind a built-in provider, or behind the ``base_url`` of its table.

    Raises:
        CannotRunError: Its key is not set.
        CommandError: The environment gives the provider an address that cannot be used.
        InputError: The table sets something that this wire format does not have.
    """
    wire = _format(wanted, provider)
    address = _address(wanted, provider)
    variable, key = _key(wanted, provider)
    server = Server(
        url=address.endpoint(wire),
        host=address.host,
        headers=_headers(wire, key),
        redactor=wanted.redactor(),
        key_variable=variable,
        advice=_advice(provider, address),
        model=wanted.model.rest,
    )
    sampling = _sampling(wanted, wire)
    identity = ModelIdentity(
        name=wanted.name,
        provider=address.host if provider is None or _moved(provider, address) else provider.name,
        model=wanted.model.rest,
        settings=_settings(sampling, address),
        prices=wanted.prices,
        limits=wanted.limits,
    )
    kind = AnthropicModel if wire == "anthropic" else OpenAIModel
    return kind(identity, Wire(server), sampling)


def _format(wanted: Wanted, provider: Provider | None) -> Format:
    if provider is not None:
        wanted.refuse(("wire",), f"{provider.name} has its own")
        return provider.wire
    return (wanted.table and wanted.table.wire) or "openai"


def _address(wanted: Wanted, provider: Provider | None) -> Address:
    if provider is None:
        return read_address((wanted.table and wanted.table.base_url) or "")
    moved = wanted.environ.get(provider.base_url_variable, "").strip()
    try:
        return read_address(moved or provider.base_url)
    except ValueError as error:
        raise CommandError(f"The environment variable {provider.base_url_variable} cannot be used: {error}.") from None


def _moved(provider: Provider, address: Address) -> bool:
    return address.url != read_address(provider.base_url).url


def _key(wanted: Wanted, provider: Provider | None) -> tuple[str | None, str | None]:
    """The variable and the key in it. A table's own variable goes before that of its provider."""
    variable = (wanted.table and wanted.table.api_key_env) or (provider and provider.key_variable) or None
    if variable is None:
        return None, None
    key = wanted.environ.get(variable, "").strip()
    if not key:
        raise CannotRunError(
            f"`{wanted.name}` needs a key, and the environment variable {variable} is not set.",
            fix=f"Set it in the shell that starts this: export {variable}=...",
        )
    if not key.isascii() or not key.isprintable() or " " in key:
        raise CannotRunError(
            f"The environment variable {variable} holds something that is no key.",
            fix="A key has no blanks, line ends or letters outside of ASCII; copy it again.",
        )
    return variable, key


def _headers(wire: Format, key: str | None) -> dict[str, str]:
    if wire == "anthropic":
        return {"anthropic-version": API_VERSION, **({} if key is None else {"x-api-key": key})}
    return {} if key is None else {"Authorization": f"Bearer {key}"}


def _sampling(wanted: Wanted, wire: Format) -> Sampling:
    table = wanted.table
    limit = None if table is None else table.max_tokens
    if wire == "anthropic":
        wanted.refuse(("seed",), _NOTHING_LIKE_IT)
        limit = limit or DEFAULT_MAX_TOKENS
        if table is not None and table.structured in ("json_object", "grammar"):
            wanted.refuse(("structured",), _NOTHING_LIKE_IT)
    if table is None:
        return Sampling(max_tokens=limit)
    structured = Structured(table.structured or "auto")
    return Sampling(table.temperature, table.top_p, limit, table.seed, structured)


def _settings(sampling: Sampling, address: Address) -> dict[str, Any]:
    settings: dict[str, Any] = {**asdict(sampling), "structured": str(sampling.structured)}
    if address.path not in ("", "/v1"):
        # Behind one host there can be several servers. A path can hold a secret, so only its hash is kept.
        settings["path"] = hashlib.sha256(address.path.encode()).hexdigest()[:16]
    return {name: settings[name] for name in sorted(settings) if settings[name] is not None}


def _advice(provider: Provider | None, address: Address) -> str:
    if provider is not None and provider.name == "ollama":
        return "Start it with `ollama serve`"
    return "Is the server running, and is this its port?" if address.local else "Is the name right, and the network up?"
