"""Anthropic's messages."""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from iamhumans.models.chat import Reception, Usage
from iamhumans.models.json_fields import count, mapping
from iamhumans.models.refusals import refusal_in
from iamhumans.models.server_model import ServerModel
from iamhumans.prompts import Request
from iamhumans.text import read_response

API_VERSION = "2023-06-01"
_TOOL = "answer"


class AnthropicModel(ServerModel):
    """A model behind ``/v1/messages``."""

    optional = ("top_p", "temperature")
    tries_format = False

    def _payload(self, request: Request) -> dict[str, Any]:
        system = [{"type": "text", "text": part.content} for part in request.messages if part.role == "system"]
        others = [{"role": part.role, "content": part.content} for part in request.messages if part.role != "system"]
        payload: dict[str, Any] = {"model": self.identity.model, "messages": others}
        payload |= self._settings("max_tokens", "temperature", "top_p")
        if system:
            payload["system"] = [*system[:-1], {**system[-1], "cache_control": {"type": "ephemeral"}}]
        if request.schema is not None and self._structured == "json_schema":
            schema = dict(request.schema)
            payload["tools"] = [{"name": _TOOL, "description": "Gives the answer.", "input_schema": schema}]
            payload["tool_choice"] = {"type": "tool", "name": _TOOL}
        return payload

    def _read(self, data: Mapping[str, Any]) -> Reception:
        usage = _usage(data)
        if data.get("type") == "error" or data.get("error"):
            raise self._failure(refusal_in(data, 200), usage)
        blocks = data.get("content")
        if not isinstance(blocks, list):
            raise self._problem("the answer has no content")
        given = next((block for block in map(mapping, blocks) if _is_answer(block)), None)
        if given is None:
            return self._reception(read_response(data), usage, data, empty=not blocks)
        found = read_response({**data, "content": [block for block in blocks if not _is_answer(mapping(block))]})
        said = json.dumps(given.get("input"), ensure_ascii=False)
        return self._reception(None if found is None else replace(found, text=said), usage, data)


def _is_answer(block: Mapping[str, Any]) -> bool:
    """Whether a block calls the tool that carries an answer with a schema."""
    return block.get("type") == "tool_use" and block.get("name") == _TOOL


def _usage(data: Mapping[str, Any]) -> Usage:
    """Anthropic counts cached tokens apart from the others; here ``prompt`` is all of them."""
    usage = mapping(data.get("usage"))
    kinds = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
    fresh, read, written = (count(usage.get(kind)) for kind in kinds)
    prompt = None if fresh is None else fresh + (read or 0) + (written or 0)
    return Usage(prompt, read, count(usage.get("output_tokens")))
