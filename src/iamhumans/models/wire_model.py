"""What the two wire formats share: settings that a server refuses are left out once and for all, answers are masked."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from iamhumans.models.failures import Refused, refuses_format, refuses_parameter
from iamhumans.models.model import ModelIdentity, Reception, Usage
from iamhumans.models.reading import storable, word
from iamhumans.models.wire import Wire
from iamhumans.prompts import Answer, Request

FORMAT = "response_format"
"""The name under which a refused output format is remembered."""


class Structured(StrEnum):
    """How a model is held to a schema."""

    AUTO = "auto"
    """Try the wire format's own way once; plain text from then on if the server refuses it."""
    JSON_SCHEMA = "json_schema"
    JSON_OBJECT = "json_object"
    """Any JSON object; the schema is told in words."""
    GRAMMAR = "grammar"
    """llama.cpp's own field, which it compiles into a grammar."""
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Sampling:
    """Settings that go out with each request; ``None`` leaves it to the server."""

    temperature: float | None = None
    top_p: float | None = None
    max_tokens: int | None = None
    seed: int | None = None
    structured: Structured = Structured.AUTO


class WireModel(ABC):
    """A model behind a wire. Subclasses write requests and read answers."""

    def __init__(self, identity: ModelIdentity, wire: Wire, sampling: Sampling) -> None:
        self.identity = identity
        self.sampling = sampling
        self._wire = wire
        self._refused: set[str] = set()
        self._unproven = self._tries_a_format()
        self._first = asyncio.Lock()

    async def send(self, request: Request) -> Reception:
        """Send one request. A setting that the server refuses by name is left out, now and in all later calls.

        Where it is not known yet whether the server can hold an answer to a schema, the first call finds out and the
        others wait for what it finds: one refused call, however many there are at once. That first call counts as
        done however it ends, so that a server that is down does not make the others queue.

        Raises:
            ModelFailure: There was no usable answer.
        """
        if self._unproven and request.schema is not None:
            async with self._first:
                if self._unproven:
                    try:
                        return await self._send(request)
                    finally:
                        self._unproven = False
        return await self._send(request)

    async def close(self) -> None:
        """Close the connections."""
        await self._wire.close()

    async def _send(self, request: Request) -> Reception:
        while True:
            payload = self._payload(request)
            try:
                data = await self._wire.post(payload)
            except Refused as refused:
                # Each round leaves out something that this payload still had, so the rounds come to an end.
                if not self._leave_out(refused, payload):
                    raise self._wire.failure(refused) from None
            else:
                return self._read(data)

    def _leave_out(self, refused: Refused, payload: Mapping[str, Any]) -> bool:
        for parameter in self._optional():
            if parameter in payload and refuses_parameter(refused, parameter):
                self._refused.add(parameter)
                return True
        if self._format_in(payload) and self.sampling.structured is Structured.AUTO and refuses_format(refused):
            self._refused.add(FORMAT)
            return True
        return False

    def _reception(self, text: str, finish_reason: str, usage: Usage, model: Any) -> Reception:
        clean = self._wire.server.redactor.answer
        return Reception(
            answer=Answer(clean(storable(text)), clean(word(finish_reason))),
            usage=usage,
            model=clean(word(model)),
            left_out=tuple(sorted(self._refused)) if self._refused else (),
        )

    @abstractmethod
    def _tries_a_format(self) -> bool:
        """Whether the first call with a schema is a trial."""

    @abstractmethod
    def _optional(self) -> tuple[str, ...]:
        """The fields of a request that can be left out or renamed, in the order in which they are given up."""

    @abstractmethod
    def _format_in(self, payload: Mapping[str, Any]) -> bool:
        """Whether this payload asks for a format."""

    @abstractmethod
    def _payload(self, request: Request) -> dict[str, Any]:
        """The request as JSON, without what the server refused."""

    @abstractmethod
    def _read(self, data: Mapping[str, Any]) -> Reception:
        """The answer in a response. Raises ModelFailure."""
