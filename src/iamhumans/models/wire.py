"""One server over HTTP: requests out, bounded answers in, every way to fail named. The only code that opens a socket.

1. Redirects are not followed: a key must not follow one. Proxies and ``.netrc`` of the environment are not used.
2. A body is read up to a limit, and expanded up to the same limit.
3. No text of a server is shown but through the redactor.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import aiohttp
from yarl import URL

from iamhumans import __version__
from iamhumans.models.failures import Refused, kind_of, read_refusal
from iamhumans.models.model import FailureKind, ModelFailure
from iamhumans.models.redaction import Redactor

LARGEST_BODY = 4_000_000
"""Bytes of an answer that are read; a reply of this length is nobody's."""

_LARGEST_REFUSAL = 64_000
_CONNECT_SECONDS = 15.0


FIXED_PART = "response_format"
_MOST_TEXTS = 64
_texts: dict[int, tuple[Mapping[str, Any], str]] = {}
# Made once: json.dumps would make one for each call.
_encode = json.JSONEncoder(separators=(",", ":")).encode


@dataclass(frozen=True, slots=True)
class Server:
    """Where requests go and what people know about it."""

    url: str
    host: str
    headers: Mapping[str, str] = field(repr=False)
    """What goes with each request, the key among it."""
    redactor: Redactor
    key_variable: str | None = None
    advice: str = ""
    """What to do when nothing answers there."""
    model: str = ""
    """The model that is asked for, for errors."""


def encoded(payload: Mapping[str, Any]) -> bytes:
    """A JSON object as bytes. What is the same in every call of a run is written once and its text used again.

    That is a schema of several kilobytes under ``response_format``, and the first message, which is longer still.
    """
    parts = [f'"{name}":{_part(name, value)}' for name, value in payload.items()]
    return f"{{{','.join(parts)}}}".encode()


def _part(name: str, value: Any) -> str:
    if name == FIXED_PART:
        return _text_of(value)
    if name == "messages":
        return f"[{','.join(_message(message, first=index == 0) for index, message in enumerate(value))}]"
    if name == "system" and isinstance(value, str):
        return _remembered(value)
    return _encode(value)


def _message(message: Mapping[str, Any], *, first: bool) -> str:
    content = message.get("content")
    if len(message) != 2 or not isinstance(content, str):
        return _encode(message)
    return f'{{"role":{_encode(message["role"])},"content":{_remembered(content) if first else _encode(content)}}}'


@lru_cache(maxsize=16)
def _remembered(text: str) -> str:
    return _encode(text)


def _text_of(value: Mapping[str, Any]) -> str:
    known = _texts.get(id(value))
    if known is None:
        if len(_texts) >= _MOST_TEXTS:
            _texts.clear()
        # The value is held as well, or another one could come to have its id.
        known = _texts[id(value)] = (value, _encode(value))
    return known[1]


class Wire:
    """A session with one server. Made outside of a loop, opened by the first call, used in one loop only."""

    def __init__(self, server: Server, *, connect_seconds: float = _CONNECT_SECONDS) -> None:
        self.server = server
        self._url = URL(server.url)
        self._connect_seconds = connect_seconds
        self._session: aiohttp.ClientSession | None = None

    async def post(self, payload: Mapping[str, Any]) -> dict[str, Any]:
        """Send a JSON object, once, and return the one that comes back.

        Raises:
            Refused: The server answered with a status of 400 or more.
            ModelFailure: There was no answer, or it was none that can be read.
        """
        body = encoded(payload)
        session = self._session or self._open()
        try:
            async with session.post(self._url, data=body, allow_redirects=False) as response:
                raw = await _bounded(response)
        except aiohttp.ClientError as error:
            raise self._unreachable(error) from None
        except (TimeoutError, OSError) as error:
            raise self._failure(FailureKind.CONNECTION, f"the connection broke ({type(error).__name__})") from None
        if response.status >= 400:
            raise read_refusal(response.status, (raw or b"")[:_LARGEST_REFUSAL], response.headers)
        return self._answer(response, raw)

    async def close(self) -> None:
        """Close the connections."""
        if self._session is not None:
            session, self._session = self._session, None
            await session.close()

    def failure(self, refused: Refused) -> ModelFailure:
        """A refusal as the failure of a call, fit for people."""
        kind = kind_of(refused)
        said = self.server.redactor.shown(refused.message) or "(no text)"
        problem = f"{self.server.host} answered {refused.status}: {said}"
        return ModelFailure(kind, f"{problem}{self._fix(kind, refused)}", retry_after=refused.wait)

    def bad_answer(self, problem: str) -> ModelFailure:
        """The failure of an answer that is not what the wire format promises."""
        return self._failure(FailureKind.BAD_ANSWER, problem)

    def _open(self) -> aiohttp.ClientSession:
        self._session = aiohttp.ClientSession(
            headers={
                "Accept": "application/json",
                "Accept-Encoding": "identity",  # answers are small, and expanding them costs more than sending them
                "Content-Type": "application/json",
                "User-Agent": f"iamhumans/{__version__}",
                **self.server.headers,
            },
            connector=aiohttp.TCPConnector(limit=0, ttl_dns_cache=300),
            cookie_jar=aiohttp.DummyCookieJar(),
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=self._connect_seconds),
            auto_decompress=False,
            trust_env=False,
        )
        return self._session

    def _answer(self, response: aiohttp.ClientResponse, raw: bytes | None) -> dict[str, Any]:
        if response.status >= 300:
            raise self._redirected(response)
        raw = None if raw is None else _expanded(raw, response.headers.get("Content-Encoding", ""))
        if raw is None:
            raise self.bad_answer(f"the answer is larger than {LARGEST_BODY:,} bytes")
        if not raw.strip():
            raise self.bad_answer("the answer is empty")
        try:
            data = json.loads(raw)
        except (ValueError, RecursionError):
            kind = self.server.redactor.shown(response.content_type)
            start = self.server.redactor.shown(raw[:1000].decode("utf-8", "replace"))
            raise self.bad_answer(f"the answer ({kind}) is not JSON: {start[:80]}") from None
        if not isinstance(data, dict):
            raise self.bad_answer("the answer is JSON, but no object")
        return data

    def _redirected(self, response: aiohttp.ClientResponse) -> ModelFailure:
        to = self.server.redactor.shown(response.headers.get("Location", "nowhere"))
        return self._failure(
            FailureKind.BAD_REQUEST,
            f"it answered {response.status} and points to {to}. Redirects are not followed, since a key must not "
            "follow one; if that is the right place, make it the base_url",
        )

    def _unreachable(self, error: aiohttp.ClientError) -> ModelFailure:
        match error:
            case aiohttp.ConnectionTimeoutError():
                problem = f"no connection within {self._connect_seconds:g} s"
            case aiohttp.ServerTimeoutError():
                return self._failure(FailureKind.TIMEOUT, "no answer in time")
            case aiohttp.ClientConnectorDNSError():
                problem = f"there is no such host. {self.server.advice}"
            case aiohttp.ClientConnectorCertificateError() | aiohttp.ClientSSLError():
                problem = "no secure connection could be made (its certificate is not accepted, or it is no TLS server)"
            case aiohttp.ClientConnectorError():
                problem = f"nothing answers there. {self.server.advice}"
            case aiohttp.ServerDisconnectedError() | aiohttp.ClientPayloadError() | aiohttp.ClientOSError():
                problem = "the connection was cut before the answer was complete"
            case _:
                return self.bad_answer(f"the answer is no proper HTTP ({type(error).__name__})")
        return self._failure(FailureKind.CONNECTION, problem)

    def _failure(self, kind: FailureKind, problem: str) -> ModelFailure:
        said = problem.rstrip(". ")
        return ModelFailure(kind, f"{self.server.host}: {said}{'' if said.endswith(('?', '!')) else '.'}")

    def _fix(self, kind: FailureKind, refused: Refused) -> str:
        match kind:
            case FailureKind.AUTHENTICATION if self.server.key_variable:
                return f" (Is the key in {self.server.key_variable} the right one, and may it use this model?)"
            case FailureKind.AUTHENTICATION:
                return " (No key was sent; name its variable as `api_key_env` in the model's table.)"
            case FailureKind.UNKNOWN_MODEL:
                model = self.server.redactor.shown(self.server.model)
                return f" (Is there a model `{model}`, and is {self.server.url} the right place?)"
            case FailureKind.BAD_REQUEST if refused.status in (402, 429):
                return " (Waiting does not mend this: the account has no credit left.)"
        return ""


async def _bounded(response: aiohttp.ClientResponse) -> bytes | None:
    """The body, or ``None`` if it is longer than what is read; the connection is given up then."""
    chunks: list[bytes] = []
    size = 0
    async for chunk in response.content.iter_any():
        chunks.append(chunk)
        size += len(chunk)
        if size > LARGEST_BODY:
            response.close()
            return None
    return chunks[0] if len(chunks) == 1 else b"".join(chunks)


def _expanded(raw: bytes, encoding: str) -> bytes | None:
    """The body without its compression, which was not asked for; ``None`` if it grows beyond what is read."""
    if encoding.lower() not in ("gzip", "x-gzip", "deflate"):
        return raw
    try:
        expanded = zlib.decompressobj(zlib.MAX_WBITS | 32).decompress(raw, LARGEST_BODY + 1)
    except zlib.error:
        return raw
    return None if len(expanded) > LARGEST_BODY else expanded
