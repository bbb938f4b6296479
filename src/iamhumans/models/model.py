"""What a chat model is, free of any wire format: it takes a request and gives a reception, or fails in a known way."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, NamedTuple, Protocol

from iamhumans.prompts import Answer, Request


class FailureKind(StrEnum):
    """How a call can fail."""

    RATE_LIMITED = "rate_limited"
    OVERLOADED = "overloaded"
    SERVER_ERROR = "server_error"
    CONNECTION = "connection"
    TIMEOUT = "timeout"
    BAD_ANSWER = "bad_answer"
    """The body is not what the wire format promises: not JSON, no message, too large."""
    AUTHENTICATION = "authentication"
    UNKNOWN_MODEL = "unknown_model"
    BAD_REQUEST = "bad_request"
    CONTEXT_LENGTH = "context_length"
    CONTENT_FILTER = "content_filter"


_PASSING = {
    FailureKind.RATE_LIMITED,
    FailureKind.OVERLOADED,
    FailureKind.SERVER_ERROR,
    FailureKind.CONNECTION,
    FailureKind.TIMEOUT,
    FailureKind.BAD_ANSWER,
}


class ModelFailure(Exception):  # noqa: N818 - an outcome of a call, which the engine records, and not a mistake of the user
    """A call that brought no answer.

    ``message`` is for people: cut to a sensible length, control characters shown, keys redacted.
    """

    def __init__(self, kind: FailureKind, message: str, *, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.retry_after = retry_after
        """Seconds that the server asked to wait."""

    @property
    def may_pass(self) -> bool:
        """Whether the same call can succeed later."""
        return self.kind in _PASSING


class Usage(NamedTuple):
    """Tokens of one call, as the provider counted them; ``None`` where it did not say."""

    prompt: int | None = None
    cached: int | None = None
    completion: int | None = None


NOTHING_COUNTED = Usage()


@dataclass(frozen=True, slots=True)
class Reception:
    """What came back from a call."""

    answer: Answer
    usage: Usage = NOTHING_COUNTED
    model: str = ""
    """The model that the server says it used."""
    left_out: tuple[str, ...] = ()
    """Settings that were not sent, or sent in another way, since this server had refused a request with them."""


@dataclass(frozen=True, slots=True)
class Prices:
    """Prices in a currency per million tokens; ``None`` is unknown and never zero."""

    prompt: float | None = None
    cached: float | None = None
    completion: float | None = None


@dataclass(frozen=True, slots=True)
class Limits:
    """How fast a model may be asked; kept by whoever schedules the calls. No part of any key."""

    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None
    timeout: float | None = None
    """Seconds for one attempt."""


@dataclass(frozen=True, slots=True)
class ModelIdentity:
    """What a model is called and what can change its answers; part of every key."""

    name: str
    """As the user named it."""
    provider: str
    """The endpoint whose limits it shares, such as ``openai`` or ``127.0.0.1:8080``."""
    model: str
    """The name on the wire."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Temperature, max_tokens and the like, sorted by name."""
    prices: Prices = Prices()
    limits: Limits = Limits()


class ChatModel(Protocol):
    """Something that answers chat requests."""

    @property
    def identity(self) -> ModelIdentity:
        """Name, provider, settings."""

    async def send(self, request: Request) -> Reception:
        """Send one request, once. Raises ModelFailure; retries and deadlines are the caller's."""

    async def close(self) -> None:
        """Close connections or processes."""
