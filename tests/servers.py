"""A real chat server on the loopback for tests: it speaks both wire formats and misbehaves as it is told.

It runs in a thread with a loop of its own, so that ordinary tests, coroutines and other processes can all call it::

    with ChatServer([refuse(429, retry_after="1"), say("hello")]) as server:
        ...  # the first request is refused, all others are answered with "hello"
        assert server.count == 2

A script is a list of behaviours, one a request in the order of their coming, whose last stays; or a function of the
request. Behaviours are made by ``say``, ``refuse``, ``cut``, ``hang``, ``raw`` and ``redirect``.
"""

from __future__ import annotations

import asyncio
import json
import ssl
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any

from aiohttp import web

Text = str | Callable[["Received"], str]


@dataclass(frozen=True)
class Received:
    """A request as it came in."""

    path: str
    headers: Mapping[str, str]
    """Names in lower case."""
    body: Any
    """The JSON of the request; its bytes if it is none."""
    at: float
    """Seconds of ``time.monotonic``."""

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The messages, a system text of Anthropic's format first."""
        system = self.body.get("system")
        texts = [part["text"] for part in system] if isinstance(system, list) else []
        return [{"role": "system", "content": text} for text in texts] + list(self.body["messages"])


@dataclass(frozen=True)
class Behaviour:
    """What the server does with one request."""

    kind: str = "say"
    delay: float = 0.0
    text: Text = "ok"
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    changes: Mapping[str, Any] = field(default_factory=dict)


Script = Sequence[Behaviour] | Callable[[Received], Behaviour]


def say(text: Text = "ok", *, delay: float = 0.0, **changes: Any) -> Behaviour:
    """Answer with a text, in the format of the request.

    Args:
        text: What the model says, or a function of the request.
        delay: Seconds before the answer.
        changes: ``finish_reason`` (OpenAI) or ``stop_reason`` (Anthropic), ``content``, ``refusal``, ``usage``,
            ``model``, in place of what the format usually has there; ``message`` (OpenAI) has more of its fields.
    """
    return Behaviour("say", delay, text, changes=changes)


def refuse(
    status: int,
    message: str = "no",
    *,
    retry_after: str | None = None,
    delay: float = 0.0,
    headers: Mapping[str, str] | None = None,
    **error: Any,
) -> Behaviour:
    """Answer with an error; ``error`` are more fields of its object, such as ``code`` and ``param``."""
    said = {"error": {"message": message, **error}}
    more = {} if retry_after is None else {"Retry-After": retry_after}
    return raw(json.dumps(said).encode(), status=status, delay=delay, headers={**(headers or {}), **more})


def raw(
    body: bytes | str,
    *,
    status: int = 200,
    content_type: str = "application/json",
    delay: float = 0.0,
    headers: Mapping[str, str] | None = None,
) -> Behaviour:
    """Answer with exactly these bytes."""
    data = body.encode() if isinstance(body, str) else body
    return Behaviour("raw", delay, status=status, body=data, headers={"Content-Type": content_type, **(headers or {})})


def empty() -> Behaviour:
    """Answer 200 with nothing."""
    return raw(b"")


def large(size: int = 5_000_000) -> Behaviour:
    """Answer with a text of this many bytes."""
    return say("x" * size)


def cut(*, delay: float = 0.0) -> Behaviour:
    """Promise a body, send the half of it, and close the connection."""
    return Behaviour("cut", delay)


def drop(*, delay: float = 0.0) -> Behaviour:
    """Close the connection without a word."""
    return Behaviour("drop", delay)


def hang() -> Behaviour:
    """Accept the request and never answer."""
    return Behaviour("hang")


def redirect(to: str, *, status: int = 307) -> Behaviour:
    """Point elsewhere."""
    return raw(b"", status=status, headers={"Location": to})


def echo_headers(status: int = 401) -> Behaviour:
    """Play the headers of the request back in an error, as a hostile server does."""
    return Behaviour("echo", status=status)


class ChatServer:
    """The server; a context manager. ``openai_url`` and ``anthropic_url`` are what a ``base_url`` is set to."""

    def __init__(
        self, script: Script = (Behaviour(),), *, delay: float = 0.0, tls: ssl.SSLContext | None = None
    ) -> None:
        """Behave as ``script`` says; ``delay`` is added to each request. With ``tls`` it speaks https."""
        self.requests: list[Received] = []
        self.most_at_once = 0
        self.port = 0
        self._script = script
        self._delay = delay
        self._tls = tls
        self._at_once = 0
        self._ready = threading.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop: asyncio.Event | None = None
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()), daemon=True)

    @property
    def url(self) -> str:
        return f"{'http' if self._tls is None else 'https'}://127.0.0.1:{self.port}"

    @property
    def openai_url(self) -> str:
        return f"{self.url}/v1"

    @property
    def anthropic_url(self) -> str:
        return self.url

    @property
    def count(self) -> int:
        """How many requests came in."""
        return len(self.requests)

    @property
    def bodies(self) -> list[Any]:
        return [request.body for request in self.requests]

    def __enter__(self) -> ChatServer:
        self._thread.start()
        assert self._ready.wait(10), "the server did not start"
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._loop is not None and self._stop is not None:
            self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(10)

    async def _serve(self) -> None:
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        application = web.Application(client_max_size=50_000_000)
        application.router.add_route("*", "/{path:.*}", self._handle)
        runner = web.AppRunner(application, access_log=None, shutdown_timeout=0.01, handler_cancellation=True)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0, backlog=1024, ssl_context=self._tls)
        await site.start()
        self.port = runner.addresses[0][1]
        self._ready.set()
        await self._stop.wait()
        await runner.cleanup()

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        self._at_once += 1
        self.most_at_once = max(self.most_at_once, self._at_once)
        try:
            data = await request.read()
            received = _received(request, data)
            behaviour = self._next(received)
            self.requests.append(received)
            if pause := self._delay + behaviour.delay:
                await asyncio.sleep(pause)
            return await _answer(behaviour, received, request)
        finally:
            self._at_once -= 1

    def _next(self, received: Received) -> Behaviour:
        if callable(self._script):
            return self._script(received)
        return self._script[min(self.count, len(self._script) - 1)]


def _received(request: web.Request, data: bytes) -> Received:
    try:
        body: Any = json.loads(data)
    except ValueError:
        body = data
    headers = {name.lower(): value for name, value in request.headers.items()}
    return Received(request.path_qs, headers, body, time.monotonic())


async def _answer(behaviour: Behaviour, received: Received, request: web.Request) -> web.StreamResponse:
    match behaviour.kind:
        case "hang":
            await asyncio.Event().wait()
        case "cut":
            await _send_half(request)
        case "drop":
            _close(request)
        case "echo":
            said = json.dumps({"error": {"message": f"bad headers: {json.dumps(dict(received.headers))}"}})
            return web.Response(status=behaviour.status, text=said, content_type="application/json")
        case "raw":
            return web.Response(status=behaviour.status, body=behaviour.body, headers=behaviour.headers)
    return _said(behaviour, received)


async def _send_half(request: web.Request) -> None:
    response = web.StreamResponse(headers={"Content-Type": "application/json", "Content-Length": "1000"})
    await response.prepare(request)
    await response.write(b'{"choices": [{"message": {"content": "half of')
    _close(request)


def _close(request: web.Request) -> None:
    if request.transport is not None:
        request.transport.close()


def _said(behaviour: Behaviour, received: Received) -> web.Response:
    text = behaviour.text(received) if callable(behaviour.text) else behaviour.text
    asked = received.body.get("model") if isinstance(received.body, dict) else None
    named = {"model": asked or "loopback-1"}
    write = _anthropic if received.path.endswith("/messages") else _openai
    return web.Response(
        body=json.dumps(write(text, {**named, **behaviour.changes})).encode(), content_type="application/json"
    )


def _openai(text: str, changes: Mapping[str, Any]) -> dict[str, Any]:
    message = {"role": "assistant", "content": changes.get("content", text)}
    if "refusal" in changes:
        message["refusal"] = changes["refusal"]
    message |= changes.get("message", {})
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "model": changes["model"],
        "choices": [{"index": 0, "message": message, "finish_reason": changes.get("finish_reason", "stop")}],
        "usage": changes.get("usage", {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}),
    }


def _anthropic(text: str, changes: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": changes["model"],
        "content": changes.get("content", [{"type": "text", "text": text}]),
        "stop_reason": changes.get("stop_reason", "end_turn"),
        "usage": changes.get("usage", {"input_tokens": 100, "output_tokens": 20}),
    }
