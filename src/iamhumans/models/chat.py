"""What a chat model is, in any wire format: it takes a request and returns a reception, or fails in a known way."""

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
    BAD_ANSWER = "bad_answer"  # not what the wire format promises: not JSON, no message, too large
    FAILED_GENERATION = "failed_generation"  # one answer that the server threw away, since it did not fit the schema
    AUTHENTICATION = "authentication"
    UNKNOWN_MODEL = "unknown_model"
    BAD_REQUEST = "bad_request"
    CONTEXT_LENGTH = "context_length"
    CONTENT_FILTER = "content_filter"
    SECRET_ECHOED = "secret_echoed"  # noqa: S105 - the answer repeats one of the user's keys, and is dropped


_FINAL = {"authentication", "unknown_model", "bad_request", "context_length", "content_filter", "secret_echoed"}


class Usage(NamedTuple):
    """Tokens of one call, as the provider counted them; ``None`` where it did not say.

    ``cached`` and ``written`` (read from its prompt cache, and written to it) are among those of the prompt,
    ``reasoning`` among those of the completion.
    """

    prompt: int | None = None
    cached: int | None = None
    completion: int | None = None
    reasoning: int | None = None
    written: int | None = None


NOTHING_COUNTED = Usage()


class ModelFailure(Exception):  # noqa: N818 - an outcome of a call, which the engine records
    """A call without a usable answer. ``retry_after`` (seconds) is not shortened.

    ``usage`` was paid for all the same. ``may_be_billed``: the provider may bill the call, and did not say how much.
    """

    def __init__(
        self,
        kind: FailureKind,
        message: str,
        *,
        retry_after: float | None = None,
        usage: Usage | None = None,
        may_be_billed: bool = False,
    ) -> None:
        super().__init__(message)
        self.kind, self.message, self.retry_after = kind, message, retry_after
        self.usage, self.may_be_billed = usage, may_be_billed

    @property
    def may_pass(self) -> bool:
        """Whether the same call can succeed later."""
        return self.kind not in _FINAL


@dataclass(frozen=True, slots=True)
class Reception:
    """What a call returned."""

    answer: Answer
    usage: Usage = NOTHING_COUNTED
    model: str = ""  # the one that the server says it used


@dataclass(frozen=True, slots=True)
class Prices:
    """Prices in a currency per million tokens; ``None`` is unknown, not zero."""

    prompt: float | None = None
    cached: float | None = None  # of tokens that are read from the provider's prompt cache
    completion: float | None = None
    cache_write: float | None = None  # of tokens that are written to that cache


@dataclass(frozen=True, slots=True)
class Limits:
    """How fast the engine may ask a model. No part of any key."""

    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None
    timeout: float | None = None  # seconds for one attempt


@dataclass(frozen=True, slots=True)
class ModelIdentity:
    """The name of a model and what can change its answers; part of every key."""

    name: str  # as the user named it
    provider: str  # the endpoint whose limits it shares, such as `openai` or `127.0.0.1:8080`
    model: str  # the name on the wire
    settings: Mapping[str, Any] = field(default_factory=dict)  # temperature, max_tokens and the like, sorted by name
    prices: Prices = Prices()
    limits: Limits = Limits()
    cacheable: bool = True  # whether a later run may use its answers; not those of a function without a version


class ChatModel(Protocol):
    """Something that answers chat requests."""

    @property
    def identity(self) -> ModelIdentity:
        """Name, provider, settings."""

    async def send(self, request: Request) -> Reception:
        """Send one request, once. Raises ModelFailure. The caller retries and sets deadlines."""

    async def close(self) -> None:
        """Close connections or processes."""
