"""A model on a server: what both wire formats share. It follows no redirect and uses no proxy."""

import asyncio
import json
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import aiohttp
from yarl import URL

from iamhumans import __version__
from iamhumans.models.chat import FailureKind, ModelFailure, ModelIdentity, Reception, Usage
from iamhumans.models.receptions import reception_of
from iamhumans.models.redaction import Redactor
from iamhumans.models.refusals import Refused, kind_of, read_refusal, refuses_format, refuses_parameter
from iamhumans.prompts import Request
from iamhumans.text import Ending, SeenReply

FORMAT = "response_format"
LARGEST_BODY, _LARGEST_REFUSAL, _CONNECT_SECONDS = 4_000_000, 64_000, 15.0

encode = json.JSONEncoder(separators=(",", ":")).encode

# The first that fits decides: some are kinds of others.
_PROBLEMS = (
    (aiohttp.ServerTimeoutError, f"no connection within {_CONNECT_SECONDS:g} s"),
    (aiohttp.ClientConnectorDNSError, "there is no such host. {advice}"),
    (aiohttp.ClientSSLError, "no secure connection (its certificate is not accepted, or it is not a TLS server)"),
    (aiohttp.ClientConnectorError, "nothing answers there. {advice}"),
    (aiohttp.ClientConnectionError, "the connection was cut before the answer was complete"),
    (aiohttp.ClientPayloadError, "the connection was cut before the answer was complete"),
)


class Json(str):
    """A value that is JSON already: a text that repeats in each call is encoded only once."""


@dataclass(frozen=True, slots=True)
class Server:
    """Where requests go, and what errors say about it."""

    url: str
    host: str
    headers: Mapping[str, str] = field(repr=False)  # sent with each request; the key is one of them
    redactor: Redactor
    key_variable: str | None = None
    advice: str = ""  # what to do when nothing answers


class ServerModel(ABC):
    """A model on a server, used in one event loop. Subclasses write requests and read answers."""

    optional: ClassVar[tuple[str, ...]]  # fields that can be left out or renamed, in the order in which that is tried
    tries_format: ClassVar[bool]  # whether `structured = "auto"` asks for a format at all

    def __init__(self, identity: ModelIdentity, server: Server) -> None:
        self.identity = identity
        self._server, self._url = server, URL(server.url)
        self._session: aiohttp.ClientSession | None = None
        self._structured = identity.settings.get("structured", "auto")
        self._refused: set[str] = set()
        self._untested = self.tries_format and self._structured == "auto"
        self._first = asyncio.Lock()

    async def send(self, request: Request) -> Reception:
        """Send one request. The first call finds out whether the server takes a schema, and the others wait for it."""
        if self._untested and request.schema is not None:
            async with self._first:
                if self._untested:
                    try:
                        return await self._send(request)
                    finally:
                        self._untested = False
        return await self._send(request)

    async def close(self) -> None:
        """Close the connections."""
        if self._session is not None:
            session, self._session = self._session, None
            await session.close()

    async def _send(self, request: Request) -> Reception:
        while True:
            payload = self._payload(request)
            try:
                data = await self._post(payload)
            except Refused as refused:
                # Each round leaves out something that this payload still had, so the rounds end.
                if not self._leave_out(refused, payload):
                    raise self._failure(refused) from None
            else:
                return self._read(data)

    def _leave_out(self, refused: Refused, payload: Mapping[str, Any]) -> bool:
        for parameter in self.optional:
            if parameter in payload and refuses_parameter(refused, parameter):
                self._refused.add(parameter)
                return True
        if FORMAT in payload and self._structured == "auto" and refuses_format(refused):
            self._refused.add(FORMAT)
            return True
        return False

    @abstractmethod
    def _payload(self, request: Request) -> dict[str, Any]:
        """The request as JSON, without what the server refused."""

    @abstractmethod
    def _read(self, data: Mapping[str, Any]) -> Reception:
        """The answer in a response. Raises ModelFailure."""

    def _settings(self, *names: str) -> dict[str, Any]:
        settings = self.identity.settings
        return {name: settings[name] for name in names if name in settings and name not in self._refused}

    def _reception(
        self, found: SeenReply | None, usage: Usage, data: Mapping[str, Any], *, empty: bool = False
    ) -> Reception:
        """What was found in a response. Raises ModelFailure where that is nothing, or the provider broke it off.

        ``empty`` says that the response has a text, even if it is empty.
        """
        if found is None:
            raise self._problem("the answer has no choices and no content")
        if found.ending is Ending.ERROR:
            said = self._server.redactor.shown(found.word)
            message = f"{self._server.host} broke the answer off: its finish reason is `{said}`."
            raise ModelFailure(FailureKind.SERVER_ERROR, message, usage=usage)
        nothing = not (empty or found.text or found.reasoning or found.beside or usage.completion)
        if nothing and found.ending in (Ending.WHOLE, Ending.ABSENT, Ending.UNKNOWN):
            raise self._problem("the answer has no text")
        received = reception_of(found, usage, data.get("model"), self.identity)
        return self._server.redactor.usable(replace(received, left_out=tuple(sorted(self._refused))))

    async def _post(self, payload: Mapping[str, Any]) -> dict[str, Any]:
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
            raise self._problem(f"the connection broke ({type(error).__name__})", FailureKind.CONNECTION) from None
        if response.status >= 400:
            raise read_refusal(response.status, bytes(raw[:_LARGEST_REFUSAL]), response.headers)
        return self._object(response, raw)

    def _open(self) -> aiohttp.ClientSession:
        self._session = aiohttp.ClientSession(
            headers={
                "Accept": "application/json",
                "Accept-Encoding": "identity",  # answers are small: compression costs more than it saves
                "Content-Type": "application/json",
                "User-Agent": f"iamhumans/{__version__}",
                **self._server.headers,
            },
            connector=aiohttp.TCPConnector(limit=0, ttl_dns_cache=300),
            cookie_jar=aiohttp.DummyCookieJar(),
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=_CONNECT_SECONDS),
            trust_env=False,
        )
        return self._session

    def _object(self, response: aiohttp.ClientResponse, raw: bytearray) -> dict[str, Any]:
        shown = self._server.redactor.shown
        if response.status >= 300:
            to = shown(response.headers.get("Location", "nowhere"))
            advice = "Redirects are not followed, since a key must not follow one. Make it the base_url if it is right"
            raise self._problem(f"it answered {response.status} and points to {to}. {advice}", FailureKind.BAD_REQUEST)
        if len(raw) > LARGEST_BODY:
            raise self._problem(f"the answer is larger than {LARGEST_BODY:,} bytes")
        if not raw.strip():
            raise self._problem("the answer is empty")
        try:
            data = json.loads(raw)
        except (ValueError, RecursionError):
            start = shown(raw[:1000].decode("utf-8", "replace"))[:80]
            raise self._problem(f"the answer ({shown(response.content_type)}) is not JSON: {start}") from None
        if not isinstance(data, dict):
            raise self._problem("the answer is JSON, but not an object")
        return data

    def _unreachable(self, error: aiohttp.ClientError) -> ModelFailure:
        for kinds, problem in _PROBLEMS:
            if isinstance(error, kinds):
                return self._problem(problem.format(advice=self._server.advice), FailureKind.CONNECTION)
        return self._problem(f"the answer is not valid HTTP ({type(error).__name__})")

    def _problem(self, problem: str, kind: FailureKind = FailureKind.BAD_ANSWER) -> ModelFailure:
        said = problem.rstrip(". ")
        return ModelFailure(kind, f"{self._server.host}: {said}{'' if said.endswith(('?', '!')) else '.'}")

    def _failure(self, refused: Refused, usage: Usage | None = None) -> ModelFailure:
        kind, server = kind_of(refused), self._server
        message = f"{server.host} answered {refused.status}: {server.redactor.shown(refused.message) or '(no text)'}"
        if kind is FailureKind.AUTHENTICATION and server.key_variable:
            message += f" (Is the key in {server.key_variable} the right one, and may it use this model?)"
        elif kind is FailureKind.AUTHENTICATION:
            message += " (No key was sent. Name its variable as `api_key_env` in the model's table.)"
        elif kind is FailureKind.UNKNOWN_MODEL:
            model = server.redactor.shown(self.identity.model)
            message += f" (Is there a model `{model}`, and is {server.url} the right address?)"
        elif kind is FailureKind.BAD_REQUEST and refused.status in (402, 429):
            message += " (Waiting does not help: the account has no credit left.)"
        return ModelFailure(kind, message, retry_after=refused.wait, usage=usage)
