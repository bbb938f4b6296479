"""Addresses of servers: what may stand in a ``base_url``, and where a call goes."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit

from iamhumans.models.providers import Wire

_PATHS = {"openai": "/chat/completions", "anthropic": "/v1/messages"}


@dataclass(frozen=True, slots=True)
class Address:
    """A checked base URL, without a slash at its end."""

    url: str
    host: str
    """Host and, where it is not the usual one, port."""
    encrypted: bool
    local: bool
    """Whether it is this machine."""

    @property
    def path(self) -> str:
        """What follows the host."""
        return urlsplit(self.url).path

    def endpoint(self, wire: Wire) -> str:
        """The URL that chat requests are posted to. A base URL that names it already is left as it is."""
        ending = _PATHS[wire]
        if self.url.endswith(ending):
            return self.url
        if ending.startswith("/v1") and self.url.endswith("/v1"):
            ending = ending.removeprefix("/v1")
        return self.url + ending


def read_address(base_url: str) -> Address:
    """The address that a base URL names.

    Raises:
        ValueError: It is no plain ``http`` or ``https`` URL: another scheme, no host, a user name, password, query or
            fragment in it, or characters outside printable ASCII. The text says what to do and repeats no secret.
    """
    if not base_url.isascii() or not base_url.isprintable() or " " in base_url or "\\" in base_url:
        raise ValueError("write it in plain ASCII without blanks (a domain with other letters in its xn-- form)")
    try:
        parts = urlsplit(base_url)
        port = parts.port
    except ValueError:
        raise ValueError("this is no URL; write it like http://127.0.0.1:8080/v1") from None
    _check_parts(parts)
    host = (parts.hostname or "").rstrip(".")
    shown = f"[{host}]" if ":" in host else host
    usual = {"http": 80, "https": 443}[parts.scheme]
    return Address(
        url=f"{parts.scheme}://{shown}{'' if port is None else f':{port}'}{parts.path.rstrip('/')}",
        host=shown if port in (None, usual) else f"{shown}:{port}",
        encrypted=parts.scheme == "https",
        local=_is_local(host),
    )


def _check_parts(parts: SplitResult) -> None:
    if parts.scheme not in ("http", "https"):
        raise ValueError("only http:// and https:// are understood")
    if "@" in parts.netloc:
        raise ValueError("a user name or password may not stand in a URL; put the key in an environment variable")
    if parts.query or parts.fragment:
        raise ValueError("nothing may follow a ? or # here; put the key in an environment variable")
    if not parts.hostname or not parts.hostname.strip("."):
        raise ValueError("it names no host")


def _is_local(host: str) -> bool:
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
