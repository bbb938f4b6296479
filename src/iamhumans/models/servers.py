"""Opens models on servers: address, key, settings."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

from iamhumans.errors import CannotRunError, CommandError
from iamhumans.models.anthropic import API_VERSION, DEFAULT_MAX_TOKENS, AnthropicModel
from iamhumans.models.chat import ChatModel
from iamhumans.models.http_client import HttpClient, Server
from iamhumans.models.openai import OpenAIModel
from iamhumans.models.providers import Address, Provider, WireName, read_address

if TYPE_CHECKING:
    from iamhumans.models.opening import Target

_SETTINGS = ("max_tokens", "seed", "structured", "temperature", "top_p")


def open_server_model(target: Target, provider: Provider | None) -> ChatModel:
    """The model of a built-in provider, or at the ``base_url`` of its table. Raises what ``open_model`` raises."""
    if provider is not None:
        target.refuse(("wire",), f"{provider.name} has its own")
    wire: WireName = provider.wire if provider else (target.table and target.table.wire) or "openai"
    address = _address(target, provider)
    variable, key = _key(target, provider)
    headers = {"anthropic-version": API_VERSION} if wire == "anthropic" else {}
    if key is not None:
        headers |= {"x-api-key": key} if wire == "anthropic" else {"Authorization": f"Bearer {key}"}
    server = Server(
        url=address.endpoint(wire),
        host=address.host,
        headers=headers,
        redactor=target.redactor,
        key_variable=variable,
        advice=_advice(provider, address),
        model=target.model.rest,
    )
    at_home = provider is not None and address.url == read_address(provider.base_url).url
    identity = target.identity(
        provider.name if provider and at_home else address.host, _settings(target, wire, address)
    )
    return (AnthropicModel if wire == "anthropic" else OpenAIModel)(identity, HttpClient(server))


def _address(target: Target, provider: Provider | None) -> Address:
    if provider is None:
        return read_address((target.table and target.table.base_url) or "")
    try:
        return read_address(target.environ.get(provider.base_url_variable, "").strip() or provider.base_url)
    except ValueError as error:
        raise CommandError(f"The environment variable {provider.base_url_variable} cannot be used: {error}.") from None


def _key(target: Target, provider: Provider | None) -> tuple[str | None, str | None]:
    """The variable and the key in it. A table's own variable comes before that of its provider."""
    variable = (target.table and target.table.api_key_env) or (provider and provider.key_variable) or None
    if variable is None:
        return None, None
    key = target.environ.get(variable, "").strip()
    if not key:
        fix = f"Set it in the shell before you run this: export {variable}=..."
        raise CannotRunError(f"`{target.name}` needs a key, and the variable {variable} is not set.", fix=fix)
    if not key.isascii() or not key.isprintable() or " " in key:
        fix = "A key has no blanks, line breaks or letters outside of ASCII. Copy it again."
        raise CannotRunError(f"The environment variable {variable} does not hold a key.", fix=fix)
    return variable, key


def _settings(target: Target, wire: WireName, address: Address) -> dict[str, Any]:
    settings: dict[str, Any] = {"structured": "auto"}
    if wire == "anthropic":
        absent = "Anthropic's wire format has nothing like it"
        target.refuse(("seed",), absent)
        if target.table is not None and target.table.structured in ("json_object", "grammar"):
            target.refuse(("structured",), absent)
        settings["max_tokens"] = DEFAULT_MAX_TOKENS
    if address.path not in ("", "/v1"):
        # One host can have several servers. A path can hold a secret, so only its hash is stored.
        settings["path"] = hashlib.sha256(address.path.encode()).hexdigest()[:16]
    chosen = {name: getattr(target.table, name, None) for name in _SETTINGS}
    settings |= {name: value for name, value in chosen.items() if value is not None}
    return dict(sorted(settings.items()))


def _advice(provider: Provider | None, address: Address) -> str:
    if provider is not None and provider.name == "ollama":
        return "Start it with `ollama serve`"
    return "Is the server running, and is this its port?" if address.local else "Is the name right, and the network up?"
