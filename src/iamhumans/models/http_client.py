"""One server over HTTP. No redirect is followed, no proxy of the environment is used, and every answer is bounded."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import aiohttp
from yarl import URL

from iamhumans import __version__
from iamhumans.models.chat import FailureKind, ModelFailure
from iamhumans.models.redaction import Redactor
from iamhumans.models.refusals import Refused, kind_of, read_refusal

LARGEST_BODY, _LARGEST_REFUSAL, _CONNECT_SECONDS = 4_000_000, 64_000, 15.0

encode = json.JSONEncoder(separators=(",", ":")).encode


class Json(str):
    """A value that is JSON already: a text that repeats in each call is encoded only once."""


@lru_cache(maxsize=32)
def json_message(role: str, content: str) -> str:
    """A message as JSON. The first message of a run is long and always the same."""
    return encode({"role": role, "content": content})


# The first that fits decides: some are kinds of others.
_PROBLEMS = (
    (aiohttp.ServerTimeoutError, f"no connection within {_CONNECT_SECONDS:g} s"),
    (aiohttp.ClientConnectorDNSError, "there is no such host. {advice}"),
    (aiohttp.ClientSSLError, "no secure connection (its certificate is not accepted, or it is not a TLS server)"),
    (aiohttp.ClientConnectorError, "nothing answers there. {advice}"),
    (aiohttp.ClientConnectionError, "the connection was cut before the answer was complete"),
    (aiohttp.ClientPayloadError, "the connection was cut before the answer was complete"),
)


@dataclass(frozen=True, slots=True)
class Server:
    """Where requests go, and what errors say about it."""

    url: str
    host: str
    headers: Mapping[str, str] = field(repr=False)  # sent with each request; the key is one of them
    redactor: Redactor
    key_variable: str | None = None
    advice: str = ""  # what to do when nothing answers
    model: str = ""  # the one that is asked for


class HttpClient:
    """A session with one server. Made outside of a loop, opened by the first call, used in one loop only."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self._url = URL(server.url)
        self._session: aiohttp.ClientSession | None = None

    async def post(self, payload: Mapping[str, Any]) -> dict[str, Any]:
        """Send a JSON object, once, and return the one that comes back. Raises Refused or ModelFailure."""
        fields = (f'"{name}":{value if isinstance(value, Json) else encode(value)}' for name, value in payload.items())
        body = f"{{{','.join(fields)}}}".encode()
        session = self._session or self._open()
        try:
            async with session.post(self._url, data=body, allow_redirects=False) as response:
                raw = bytearray()
                async for chunk in response.content.iter_any():
                    raw += chunk
                    if len(raw) > LARGEST_BODY:
                        response.close()
                        break
        except aiohttp.ClientError as error:
            raise self._unreachable(error) from None
        except (TimeoutError, OSError) as error:
            raise self._failure(FailureKind.CONNECTION, f"the connection broke ({type(error).__name__})") from None
        if response.status >= 400:
            raise read_refusal(response.status, bytes(raw[:_LARGEST_REFUSAL]), response.headers)
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
        return ModelFailure(kind, f"{problem}{self._advice(kind, refused)}", retry_after=refused.wait)

    def bad_answer(self, problem: str) -> ModelFailure:
        """The failure of an answer that is not what the wire format promises."""
        return self._failure(FailureKind.BAD_ANSWER, problem)

    def _open(self) -> aiohttp.ClientSession:
        self._session = aiohttp.ClientSession(
            headers={
                "Accept": "application/json",
                "Accept-Encoding": "identity",  # answers are small: compression costs more than it saves
                "Content-Type": "application/json",
                "User-Agent": f"iamhumans/{__version__}",
                **self.server.headers,
            },
            connector=aiohttp.TCPConnector(limit=0, ttl_dns_cache=300),
            cookie_jar=aiohttp.DummyCookieJar(),
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=_CONNECT_SECONDS),
            trust_env=False,
        )
        return self._session

    def _answer(self, response: aiohttp.ClientResponse, raw: bytearray) -> dict[str, Any]:
        shown = self.server.redactor.shown
        if response.status >= 300:
            to = shown(response.headers.get("Location", "nowhere"))
            advice = "Redirects are not followed, since a key must not follow one. Make it the base_url if it is right"
            raise self._failure(FailureKind.BAD_REQUEST, f"it answered {response.status} and points to {to}. {advice}")
        if len(raw) > LARGEST_BODY:
            raise self.bad_answer(f"the answer is larger than {LARGEST_BODY:,} bytes")
        if not raw.strip():
            raise self.bad_answer("the answer is empty")
        try:
            data = json.loads(raw)
        except (ValueError, RecursionError):
            start = shown(raw[:1000].decode("utf-8", "replace"))[:80]
            raise self.bad_answer(f"the answer ({shown(response.content_type)}) is not JSON: {start}") from None
        if not isinstance(data, dict):
            raise self.bad_answer("the answer is JSON, but not an object")
        return data

    def _unreachable(self, error: aiohttp.ClientError) -> ModelFailure:
        for kinds, problem in _PROBLEMS:
            if isinstance(error, kinds):
                return self._failure(FailureKind.CONNECTION, problem.format(advice=self.server.advice))
        return self.bad_answer(f"the answer is not valid HTTP ({type(error).__name__})")

    def _failure(self, kind: FailureKind, problem: str) -> ModelFailure:
        said = problem.rstrip(". ")
        return ModelFailure(kind, f"{self.server.host}: {said}{'' if said.endswith(('?', '!')) else '.'}")

    def _advice(self, kind: FailureKind, refused: Refused) -> str:
        server = self.server
        if kind is FailureKind.AUTHENTICATION and server.key_variable:
            return f" (Is the key in {server.key_variable} the right one, and may it use this model?)"
        if kind is FailureKind.AUTHENTICATION:
            return " (No key was sent. Name its variable as `api_key_env` in the model's table.)"
        if kind is FailureKind.UNKNOWN_MODEL:
            return (
                f" (Is there a model `{server.redactor.shown(server.model)}`, and is {server.url} the right address?)"
            )
        no_credit = kind is FailureKind.BAD_REQUEST and refused.status in (402, 429)
        return " (Waiting does not help: the account has no credit left.)" if no_credit else ""
