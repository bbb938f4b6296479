"""Anthropic's messages."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from iamhumans.models.failures import refusal_in
from iamhumans.models.model import Reception, Usage
from iamhumans.models.reading import count, mapping, word
from iamhumans.models.wire_model import Structured, WireModel
from iamhumans.prompts import Request

API_VERSION = "2023-06-01"
DEFAULT_MAX_TOKENS = 4096
"""The limit that is sent where none is set; the format demands one."""

_TOOL = "answer"

# A refusal here is the provider's own filter stepping in: what text there is breaks off, and nobody said it all.
_REASONS = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "tool_use": "stop",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "content_filter",
}


class AnthropicModel(WireModel):
    """A model behind ``/v1/messages``."""

    def _tries_a_format(self) -> bool:
        return False

    def _optional(self) -> tuple[str, ...]:
        return ("top_p", "temperature")

    def _format_in(self, payload: Mapping[str, Any]) -> bool:
        return "tools" in payload

    def _payload(self, request: Request) -> dict[str, Any]:
        sampling = self.sampling
        system = [{"type": "text", "text": part.content} for part in request.messages if part.role == "system"]
        payload: dict[str, Any] = {
            "model": self.identity.model,
            "max_tokens": sampling.max_tokens or DEFAULT_MAX_TOKENS,
            "messages": [
                {"role": message.role, "content": message.content}
                for message in request.messages
                if message.role != "system"
            ],
        }
        if system:
            payload["system"] = [*system[:-1], {**system[-1], "cache_control": {"type": "ephemeral"}}]
        settings = {"temperature": sampling.temperature, "top_p": sampling.top_p}
        payload |= {name: value for name, value in settings.items() if value is not None and name not in self._refused}
        if request.schema is not None and sampling.structured is Structured.JSON_SCHEMA:
            payload["tools"] = [
                {"name": _TOOL, "description": "Gives the answer.", "input_schema": dict(request.schema)}
            ]
            payload["tool_choice"] = {"type": "tool", "name": _TOOL}
        return payload

    def _read(self, data: Mapping[str, Any]) -> Reception:
        if data.get("type") == "error":
            raise self._wire.failure(refusal_in(data, 200))
        blocks = data.get("content")
        if not isinstance(blocks, list):
            raise self._wire.bad_answer("the answer has no content")
        said = word(data.get("stop_reason")) or "end_turn"
        text = _text([mapping(block) for block in blocks])
        if text is None:
            if said not in _REASONS:
                raise self._wire.bad_answer("the answer has no text")
            text = ""
        return self._reception(text, _REASONS.get(said, said), _usage(data), data.get("model"))


def _text(blocks: list[dict[str, Any]]) -> str | None:
    """The input of the forced tool where it was called, else the text; ``None`` if there is neither."""
    for block in blocks:
        if block.get("type") == "tool_use" and block.get("name") == _TOOL:
            return json.dumps(block.get("input"), ensure_ascii=False)
    texts = [block["text"] for block in blocks if block.get("type") == "text" and isinstance(block.get("text"), str)]
    return "".join(texts) if texts else None


def _usage(data: Mapping[str, Any]) -> Usage:
    """Anthropic counts cached tokens apart from the others; here ``prompt`` is all of them."""
    usage = mapping(data.get("usage"))
    fresh = count(usage.get("input_tokens"))
    read = count(usage.get("cache_read_input_tokens"))
    written = count(usage.get("cache_creation_input_tokens"))
    return Usage(
        prompt=None if fresh is None else fresh + (read or 0) + (written or 0),
        cached=read,
        completion=count(usage.get("output_tokens")),
    )
