"""A model on a server: what both wire formats share. A setting that the server refuses is left out from then on."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

from iamhumans.models.chat import ModelIdentity, Reception, Usage
from iamhumans.models.http_client import HttpClient
from iamhumans.models.json_fields import storable, word
from iamhumans.models.refusals import Refused, refuses_format, refuses_parameter
from iamhumans.prompts import Answer, Request

FORMAT = "response_format"


class ServerModel(ABC):
    """A model on a server. Subclasses write requests and read answers; settings are those of the identity."""

    optional: ClassVar[tuple[str, ...]]  # fields that can be left out or renamed, in the order in which that is tried
    tries_format: ClassVar[bool]  # whether `structured = "auto"` asks for a format at all

    def __init__(self, identity: ModelIdentity, client: HttpClient) -> None:
        self.identity = identity
        self._structured = identity.settings.get("structured", "auto")
        self._client = client
        self._refused: set[str] = set()
        self._untested = self.tries_format and self._structured == "auto"
        self._first = asyncio.Lock()

    async def send(self, request: Request) -> Reception:
        """Send one request. A setting that the server refuses by name is left out, now and in all later calls.

        The first call finds out whether the server takes a schema, and the others wait for it, however it ends.
        """
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
        await self._client.close()

    async def _send(self, request: Request) -> Reception:
        while True:
            payload = self._payload(request)
            try:
                data = await self._client.post(payload)
            except Refused as refused:
                # Each round leaves out something that this payload still had, so the rounds end.
                if not self._leave_out(refused, payload):
                    raise self._client.failure(refused) from None
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

    def _settings(self, *names: str) -> dict[str, Any]:
        """Those of these settings that are set and that the server takes."""
        settings = self.identity.settings
        return {name: settings[name] for name in names if name in settings and name not in self._refused}

    def _reception(self, text: str, finish_reason: str, usage: Usage, model: Any) -> Reception:
        answer = Answer(storable(text), word(finish_reason))
        return self._client.server.redactor.usable(Reception(answer, usage, word(model), tuple(sorted(self._refused))))

    @abstractmethod
    def _payload(self, request: Request) -> dict[str, Any]:
        """The request as JSON, without what the server refused."""

    @abstractmethod
    def _read(self, data: Mapping[str, Any]) -> Reception:
        """The answer in a response. Raises ModelFailure."""
