"""The built-in providers, and what the address of a server may be."""

import ipaddress
import re
from dataclasses import dataclass
from typing import Literal
from urllib.parse import SplitResult, parse_qsl, urlsplit

WireName = Literal["openai", "anthropic"]
_PATHS = {"openai": "/chat/completions", "anthropic": "/v1/messages"}
_SECRET = re.compile(r"key|token|secret|passw|auth|signature|^(?:sig|code|pwd)$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Provider:
    """A service that serves models."""

    name: str
    base_url: str
    wire: WireName
    key_variable: str | None  # the environment variable with its key; None where it needs none

    @property
    def base_url_variable(self) -> str:
        """The environment variable that can send its calls to another address."""
        return f"IAMHUMANS_{self.name.upper()}_BASE_URL"


PROVIDERS = {
    provider.name: provider
    for provider in (
        Provider("openai", "https://api.openai.com/v1", "openai", "OPENAI_API_KEY"),
        Provider("anthropic", "https://api.anthropic.com", "anthropic", "ANTHROPIC_API_KEY"),
        Provider("openrouter", "https://openrouter.ai/api/v1", "openai", "OPENROUTER_API_KEY"),
        Provider("ollama", "http://127.0.0.1:11434/v1", "openai", None),
    )
}


@dataclass(frozen=True, slots=True)
class Address:
    """A checked base URL, without a slash at its end."""

    url: str
    host: str  # and port, where it is not the usual one
    path: str
    encrypted: bool
    local: bool  # whether it is this machine
    query: str = ""  # sent with each request, such as the version that Azure wants

    @property
    def whole(self) -> str:
        """The URL with its query."""
        return f"{self.url}?{self.query}" if self.query else self.url

    def endpoint(self, wire: WireName) -> str:
        """The URL for chat requests. A base URL that names it already stays as it is."""
        ending, query = _PATHS[wire], f"?{self.query}" if self.query else ""
        if self.url.endswith(ending):
            return self.url + query
        return self.url + (ending.removeprefix("/v1") if self.url.endswith("/v1") else ending) + query


def read_address(base_url: str) -> Address:
    """The address that a base URL names. Raises ValueError, with what to do and no secret, unless it is a plain one."""
    if not base_url.isascii() or not base_url.isprintable() or " " in base_url or "\\" in base_url:
        raise ValueError("write it in plain ASCII without blanks (a domain with other letters in its xn-- form)")
    try:
        parts = urlsplit(base_url)
        port = parts.port
    except ValueError:
        raise ValueError("it is not a URL; write it like http://127.0.0.1:8080/v1") from None
    _check_parts(parts)
    name = (parts.hostname or "").rstrip(".")
    host, path = f"[{name}]" if ":" in name else name, parts.path.rstrip("/")
    usual = port in (None, {"http": 80, "https": 443}[parts.scheme])
    url = f"{parts.scheme}://{host}{'' if port is None else f':{port}'}{path}"
    shown = host if usual else f"{host}:{port}"
    return Address(url, shown, path, parts.scheme == "https", _is_local(name), parts.query)


def _check_parts(parts: SplitResult) -> None:
    if parts.scheme not in ("http", "https"):
        raise ValueError("it must begin with http:// or https://")
    if "@" in parts.netloc:
        raise ValueError("it must not hold a user name or password; put the key in an environment variable")
    if parts.fragment:
        raise ValueError("it must not hold a #")
    secret = next((name for name, _ in parse_qsl(parts.query, True) if _SECRET.search(name)), None)
    if secret is not None:
        raise ValueError(f"it must not hold a key (`{secret}` in its query); put it in an environment variable")
    if not parts.hostname or not parts.hostname.strip("."):
        raise ValueError("it names no host")


def _is_local(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.rpartition(".")[2] == "localhost"
