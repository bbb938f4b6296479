"""Which proxy a call goes through. One from the environment is used only where a table says so."""

import ipaddress
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

FROM_ENVIRONMENT = "env"


@dataclass(frozen=True, slots=True)
class EnvironmentProxy:
    """The proxy that the environment names for an address, and the variable that does."""

    variable: str
    url: str


def proxy_in(environ: Mapping[str, str], url: str) -> EnvironmentProxy | None:
    """The proxy of ``HTTPS_PROXY``, ``HTTP_PROXY`` or ``ALL_PROXY`` for a URL, unless ``NO_PROXY`` excludes it."""
    parts = urlsplit(url)
    if _is_excluded(parts.hostname or "", parts.port, environ.get("no_proxy") or environ.get("NO_PROXY") or ""):
        return None
    for name in (f"{parts.scheme}_proxy", "all_proxy"):
        for variable in (name, name.upper()):
            if value := environ.get(variable, "").strip():
                return EnvironmentProxy(variable, value if "://" in value else f"http://{value}")
    return None


def read_proxy(address: str) -> str:
    """The URL of a proxy as a table may name it. Raises ValueError with what to do."""
    if address == FROM_ENVIRONMENT:
        return address
    try:
        parts = urlsplit(address)
        host, _ = parts.hostname, parts.port
    except ValueError:
        host, parts = None, urlsplit("")
    if not address.isascii() or not address.isprintable() or " " in address or not host:
        raise ValueError('write it like http://proxy.example.com:3128, or "env" for the one in HTTPS_PROXY')
    if "@" in parts.netloc:
        raise ValueError('it must not hold a user name or password; put the address in HTTPS_PROXY, and write "env"')
    if parts.scheme not in ("http", "https"):
        raise ValueError("it must begin with http:// or https:// (SOCKS is not supported)")
    return address.rstrip("/")


def _is_excluded(host: str, port: int | None, no_proxy: str) -> bool:
    return any(_excludes(entry.strip().lower(), host.lower(), port) for entry in no_proxy.split(",") if entry.strip())


def _excludes(entry: str, host: str, port: int | None) -> bool:
    if entry == "*":
        return True
    if "/" in entry:
        try:
            return ipaddress.ip_address(host) in ipaddress.ip_network(entry, strict=False)
        except ValueError:
            return False
    name, colon, number = entry.rpartition(":")
    if colon and number.isdigit() and not name.endswith(":"):
        if int(number) != port:
            return False
        entry = name
    entry = entry.removeprefix("*").removeprefix(".").strip("[]")
    return host == entry or host.endswith(f".{entry}")
