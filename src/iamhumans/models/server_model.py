"""A model on a server: what both wire formats share. It follows no redirect."""

from __future__ import annotations

import asyncio
import json
import ssl
from abc import ABC, abstractmethod
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, ClassVar

import aiohttp
from yarl import URL

from iamhumans import __version__
from iamhumans.models.adapting import Sent, adapted
from iamhumans.models.chat import FailureKind, ModelFailure, ModelIdentity, Reception, Usage
from iamhumans.models.habits import Habits, Role, shaped
from iamhumans.models.incoming import LARGEST_BODY, Incoming
from iamhumans.models.receptions import reception_of
from iamhumans.models.redaction import Redactor
from iamhumans.models.refusals import Refused, kind_of, read_refusal, refusal_in
from iamhumans.models.sse import Assembly
from iamhumans.prompts import Request
from iamhumans.text import Ending, SeenReply

_LARGEST_REFUSAL, _CONNECT_SECONDS = 64_000, 15.0
_TRIAL_SECONDS = 0.05  # how long others wait for what the first call finds out; later refusals cost nothing
_CLOSING_SECONDS = 1.0  # for what follows the last event, so that the connection can be used again

encode = json.JSONEncoder(separators=(",", ":")).encode

# The first that fits decides: some are kinds of others.
_PROBLEMS = (
    (aiohttp.ServerTimeoutError, f"no connection within {_CONNECT_SECONDS:g} s"),
    (aiohttp.ClientProxyConnectionError, "its proxy does not answer. Is the address of the proxy right?"),
    (aiohttp.ClientConnectorDNSError, "there is no such host. {advice}"),
    (
        aiohttp.ClientSSLError,
        "no secure connection (its certificate is not accepted, or it is not a TLS server)."
        " For a certificate of your own, name the file of its authority as `ca_file`",
    ),
    (aiohttp.ClientConnectorError, "nothing answers there. {advice}"),
    (aiohttp.ClientConnectionError, "the connection was cut before the answer was complete"),
    (aiohttp.ClientPayloadError, "the connection was cut before the answer was complete"),
)
_NO_CONNECTION = (aiohttp.ClientConnectorError, aiohttp.ServerTimeoutError)


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
    body: Mapping[str, Any] = field(default_factory=dict)  # more fields of each request
    streams: bool = False  # whether a stream is asked for
    limit_name: str = "max_tokens"  # under which the limit of tokens is sent first
    proxy: str | None = field(default=None, repr=False)  # its address can hold a password
    proxy_advice: str = ""  # which variable names a proxy that is not used, and how to use it
    trusted: ssl.SSLContext | None = None  # certificates; those of the system if None


@dataclass(frozen=True, slots=True)
class Seen:
    """What a response showed besides its answer."""

    headers: Mapping[str, str]
    streamed: bool


class ServerModel(ABC):
    """A model on a server, used in one event loop. Subclasses write requests and read answers.

    Attributes:
        habits: What the server was found to take.
        seen: What the last response showed.
    """

    optional: ClassVar[tuple[str, ...]]  # fields that can be left out or renamed, in the order in which that is tried
    tries_format: ClassVar[bool]  # whether `structured = "auto"` asks for a format at all
    assembly: ClassVar[type[Assembly]]

    def __init__(self, identity: ModelIdentity, server: Server) -> None:
        self.identity = identity
        self.habits = Habits()
        self.seen: Seen | None = None
        self._server, self._url = server, URL(server.url, encoded=True)
        self._session: aiohttp.ClientSession | None = None
        self._structured = identity.settings.get("structured", "auto")
        self._system_role: Role = identity.settings.get("system_role", "system")
        self._trials: dict[bool, asyncio.Event] = {}

    @property
    def address(self) -> str:
        """Where it is, fit to be shown."""
        return self._server.redactor.shown(self._server.url)

    @property
    def key_variable(self) -> str | None:
        """The environment variable whose key is sent; ``None`` if none is."""
        return self._server.key_variable

    def recall(self, habits: Habits) -> None:
        """Begin with what an earlier run has learned."""
        self.habits = habits

    async def send(self, request: Request) -> Reception:
        """Send one request. The first call finds out what the server takes, and the others wait for it a little."""
        kind = request.schema is not None
        trial = self._trials.get(kind)
        if trial is None and not self.habits and self._may_learn(request):
            trial = self._trials[kind] = asyncio.Event()
            asyncio.get_running_loop().call_later(_TRIAL_SECONDS, trial.set)
            try:
                return await self._send(request)
            finally:
                trial.set()
        if trial is not None and not trial.is_set():
            await trial.wait()
        return await self._send(request)

    async def close(self) -> None:
        """Close the connections."""
        if self._session is not None:
            session, self._session = self._session, None
            await session.close()

    def _may_learn(self, request: Request) -> bool:
        asks_format = self.tries_format and self._structured == "auto" and request.schema is not None
        has_system = any(message.role == "system" for message in request.messages)
        return asks_format or has_system or not self.identity.settings.keys() <= {"structured", "path"}

    async def _send(self, request: Request) -> Reception:
        while True:
            habits = self.habits
            payload = self._whole(request)
            try:
                data = await self._post(payload)
            except Refused as refused:
                if habits is not self.habits:
                    continue  # another call has learned something meanwhile, perhaps this
                # Each round leaves out something that this payload still had, so the rounds end.
                learned = adapted(habits, refused, self._sent(request, payload))
                if learned is None:
                    raise self._failure(refused) from None
                self.habits = learned
            else:
                return self._received(data)

    def _whole(self, request: Request) -> dict[str, Any]:
        payload = {**self._payload(request), **self._server.body}
        if "stream" not in self.habits.left_out and (self._server.streams or self.habits.streams):
            payload |= {name: value for name, value in self._streaming().items() if name not in self.habits.left_out}
        return payload

    def _sent(self, request: Request, payload: Mapping[str, Any]) -> Sent:
        has_system = any(message.role == "system" for message in request.messages)
        role = (self.habits.role or self._system_role) if has_system else None
        loose = shaped(request.messages, role or "system", alternates=False)
        joinable = loose != shaped(request.messages, role or "system", alternates=True)
        return Sent(payload, self.optional, role, joinable, self._structured == "auto")

    def _messages(self, request: Request) -> list[tuple[str, str]]:
        role = self.habits.role or self._system_role
        return shaped(request.messages, role, alternates=self.habits.alternates)

    @abstractmethod
    def _payload(self, request: Request) -> dict[str, Any]:
        """The request as JSON, without what the server refused."""

    @abstractmethod
    def _streaming(self) -> dict[str, Any]:
        """The fields that ask for a stream."""

    @abstractmethod
    def _read(self, data: Mapping[str, Any]) -> Reception:
        """The answer in a response. Raises ModelFailure."""

    @abstractmethod
    def _usage(self, data: Mapping[str, Any]) -> Usage:
        """The tokens that a response counts."""

    def _received(self, data: Mapping[str, Any]) -> Reception:
        """The same; a failure knows what was paid for it."""
        try:
            return self._read(data)
        except ModelFailure as failure:
            raise self._paid(failure, data, certain=_has_answer(data)) from None

    def _paid(self, failure: ModelFailure, data: Mapping[str, Any], *, certain: bool) -> ModelFailure:
        """The failure with the usage in a body; without one, it may be billed if the model was ``certain`` to run."""
        usage = self._usage(data)
        if failure.usage is None and usage != Usage():
            failure.usage = usage
        failure.may_be_billed = failure.may_be_billed or (certain and failure.usage is None)
        return failure

    def _settings(self, *names: str) -> dict[str, Any]:
        settings, habits = self.identity.settings, self.habits
        kept = {name: settings[name] for name in names if name in settings and name not in habits.left_out}
        return {**kept, **{name: value for name, value in habits.fixed.items() if name in kept}}

    def _reception(self, found: SeenReply | None, data: Mapping[str, Any], *, empty: bool = False) -> Reception:
        """What was found in a response. Raises ModelFailure where that is nothing, or the provider broke it off.

        ``empty`` says that the response has a text, even if it is empty.
        """
        usage = self._usage(data)
        if found is None:
            raise self._problem("the answer has no choices and no content")
        if found.ending is Ending.ERROR:
            said = self._server.redactor.shown(found.word)
            message = f"{self._server.host} cut the answer off: its finish reason is `{said}`."
            raise ModelFailure(FailureKind.SERVER_ERROR, message)
        nothing = not (empty or found.text or found.reasoning or found.beside or usage.completion)
        if nothing and found.ending in (Ending.WHOLE, Ending.ABSENT, Ending.UNKNOWN):
            raise self._problem("the answer has no text")
        return self._server.redactor.usable(reception_of(found, usage, data.get("model"), self.identity))

    async def _post(self, payload: Mapping[str, Any]) -> dict[str, Any]:
        """Send a JSON object, once, and return the one that comes back. Raises Refused or ModelFailure."""
        fields = (f'"{name}":{value if isinstance(value, Json) else encode(value)}' for name, value in payload.items())
        body = f"{{{','.join(fields)}}}".encode()
        session = self._session or self._open()
        incoming: Incoming | None = None
        try:
            async with session.post(self._url, data=body, allow_redirects=False, proxy=self._server.proxy) as response:
                incoming = Incoming(self.assembly, response.content_type, may_stream=response.status < 300)
                await _take(response, incoming)
        except aiohttp.ClientHttpProxyError as error:
            said = f"its proxy answered {error.status}: {self._server.redactor.shown(error.message)}"
            raise self._problem(said, FailureKind.AUTHENTICATION) from None
        except aiohttp.ClientError as error:
            raise self._cut(self._unreachable(error), error, incoming) from None
        except (TimeoutError, OSError) as error:
            problem = f"the connection broke ({type(error).__name__})"
            raise self._cut(self._problem(problem, FailureKind.CONNECTION), error, incoming) from None
        self.seen = Seen(response.headers, streamed=incoming.assembly is not None)
        if response.status >= 400:
            raise read_refusal(response.status, bytes(incoming.raw[:_LARGEST_REFUSAL]), response.headers)
        assembly = incoming.assembly
        data = self._object(response, incoming) if assembly is None else self._assembled(assembly)
        if data.get("error") and not _has_answer(data):
            raise refusal_in(data, 200)  # gateways report errors of the servers behind them with a status of 200
        return data

    def _assembled(self, assembly: Assembly) -> dict[str, Any]:
        data = assembly.body()
        if assembly.error is not None and not _has_answer(data):
            return assembly.error
        if assembly.error is not None:
            raise self._paid(self._failure(refusal_in(assembly.error, 200)), data, certain=True)
        if not assembly.ended:
            broken = self._problem("the stream broke off before the answer was complete", FailureKind.CONNECTION)
            raise self._paid(broken, data, certain=True)
        return data

    def _cut(self, failure: ModelFailure, error: BaseException, incoming: Incoming | None) -> ModelFailure:
        """A connection that broke. Once the request was out, the answer may be billed."""
        data = {} if incoming is None else incoming.so_far()
        return self._paid(failure, data, certain=not isinstance(error, _NO_CONNECTION))

    def _open(self) -> aiohttp.ClientSession:
        trusted = self._server.trusted
        self._session = aiohttp.ClientSession(
            headers={
                "Accept": "application/json, text/event-stream;q=0.9",
                "Accept-Encoding": "identity",  # answers are small: compression costs more than it saves
                "Content-Type": "application/json",
                "User-Agent": f"iamhumans/{__version__}",
                **self._server.headers,
            },
            connector=aiohttp.TCPConnector(limit=0, ttl_dns_cache=300, ssl=True if trusted is None else trusted),
            cookie_jar=aiohttp.DummyCookieJar(),
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=_CONNECT_SECONDS),
            trust_env=False,
        )
        return self._session

    def _object(self, response: aiohttp.ClientResponse, incoming: Incoming) -> dict[str, Any]:
        raw = incoming.raw
        shown = self._server.redactor.shown
        if response.status >= 300:
            to = shown(response.headers.get("Location", "nowhere"))
            advice = "Redirects are not followed, to protect your key. If the new address is right, use it as base_url"
            raise self._problem(f"it answered {response.status} and points to {to}. {advice}", FailureKind.BAD_REQUEST)
        if incoming.is_too_large:
            raise self._unreadable(f"the answer is larger than {LARGEST_BODY:,} bytes")
        if not raw.strip():
            raise self._unreadable("the answer is empty")
        try:
            data = json.loads(raw)
        except (ValueError, RecursionError):
            start = shown(raw[:1000].decode("utf-8", "replace"))[:80]
            raise self._unreadable(f"the answer ({shown(response.content_type)}) is not JSON: {start}") from None
        if not isinstance(data, dict):
            raise self._unreadable("the answer is JSON, but not an object")
        return data

    def _unreadable(self, problem: str) -> ModelFailure:
        failure = self._problem(problem)
        failure.may_be_billed = True
        return failure

    def _unreachable(self, error: aiohttp.ClientError) -> ModelFailure:
        for kinds, problem in _PROBLEMS:
            if isinstance(error, kinds):
                # A network that wants its proxy used may also cut connections that do not.
                proxy = self._server.proxy_advice if isinstance(error, aiohttp.ClientConnectionError) else ""
                said = f"{problem.format(advice=self._server.advice).rstrip('. ')}{'' if not proxy else f'. {proxy}'}"
                return self._problem(said.replace("?. ", "? "), FailureKind.CONNECTION)
        return self._problem(f"the answer is not valid HTTP ({type(error).__name__})")

    def _problem(self, problem: str, kind: FailureKind = FailureKind.BAD_ANSWER) -> ModelFailure:
        said = problem.rstrip(". ")
        return ModelFailure(kind, f"{self._server.host}: {said}{'' if said.endswith(('?', '!')) else '.'}")

    def _failure(self, refused: Refused) -> ModelFailure:
        kind, server = kind_of(refused), self._server
        message = f"{server.host} answered {refused.status}: {server.redactor.shown(refused.message) or '(no text)'}"
        if refused.status == 407:
            message += " (That is its proxy, which wants a name and password: put them in HTTPS_PROXY.)"
        elif kind is FailureKind.AUTHENTICATION and server.key_variable:
            message += f" (Is the key in {server.key_variable} the right one, and may it use this model?)"
        elif kind is FailureKind.AUTHENTICATION:
            message += " (No key was sent. Name its variable as `api_key_env` in the model's table.)"
        elif kind is FailureKind.UNKNOWN_MODEL:
            model = server.redactor.shown(self.identity.model)
            message += f" (Is there a model `{model}`, and is {self.address} the right address?)"
        elif kind is FailureKind.BAD_REQUEST and (refused.status in (402, 429) or "credit balance" in refused.words):
            message += " (Waiting does not help: the account has no credit left.)"
        failure = ModelFailure(kind, message, retry_after=refused.wait)
        return self._paid(failure, refused.body, certain=False)


def _has_answer(data: Mapping[str, Any]) -> bool:
    """Whether a body holds something that a model said, in either format."""
    return bool(data.get("choices") or data.get("content"))


async def _take(response: aiohttp.ClientResponse, incoming: Incoming) -> None:
    """Read a body to its end, or as far as it matters."""
    async for piece in response.content.iter_any():
        incoming.feed(piece)
        if incoming.is_too_large:
            response.close()
            break
        if incoming.is_complete:
            with suppress(TimeoutError, aiohttp.ClientError):
                async with asyncio.timeout(_CLOSING_SECONDS):
                    await response.read()
            break
    incoming.end()
