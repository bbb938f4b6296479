"""Anthropic's messages."""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from iamhumans.models.chat import Reception, Usage
from iamhumans.models.json_fields import mapping
from iamhumans.models.refusals import refusal_in
from iamhumans.models.server_model import ServerModel
from iamhumans.models.sse import AnthropicAssembly
from iamhumans.models.usage import anthropic_usage
from iamhumans.prompts import Request
from iamhumans.text import read_response

API_VERSION = "2023-06-01"
_TOOL = "answer"


class AnthropicModel(ServerModel):
    """A model behind ``/v1/messages``."""

    optional = ("stream", "stop_sequences", "output_config", "top_p", "temperature")
    tries_format = False
    assembly = AnthropicAssembly

    def _payload(self, request: Request) -> dict[str, Any]:
        messages = self._messages(request)
        system = [{"type": "text", "text": text} for role, text in messages if role == "system"]
        others = [{"role": role, "content": text} for role, text in messages if role != "system"]
        settings, left_out = self.identity.settings, self.habits.left_out
        payload: dict[str, Any] = {"model": self.identity.model, "messages": others}
        payload |= self._settings("max_tokens", "temperature", "top_p")
        if "stop" in settings and "stop_sequences" not in left_out:
            payload["stop_sequences"] = settings["stop"]
        if "reasoning_effort" in settings and "output_config" not in left_out:
            payload["output_config"] = {"effort": settings["reasoning_effort"]}
        if system:
            payload["system"] = [*system[:-1], {**system[-1], "cache_control": {"type": "ephemeral"}}]
        if request.schema is not None and self._structured == "json_schema":
            schema = dict(request.schema)
            payload["tools"] = [{"name": _TOOL, "description": "Gives the answer.", "input_schema": schema}]
            payload["tool_choice"] = {"type": "tool", "name": _TOOL}
        return payload

    def _streaming(self) -> dict[str, Any]:
        return {"stream": True}

    def _usage(self, data: Mapping[str, Any]) -> Usage:
        return anthropic_usage(data)

    def _read(self, data: Mapping[str, Any]) -> Reception:
        if data.get("type") == "error" or data.get("error"):
            raise self._failure(refusal_in(data, 200))
        blocks = data.get("content")
        if not isinstance(blocks, list):
            raise self._problem("the answer has no content")
        given = next((block for block in map(mapping, blocks) if _is_answer(block)), None)
        if given is None:
            return self._reception(read_response(data), data, empty=not blocks)
        found = read_response({**data, "content": [block for block in blocks if not _is_answer(mapping(block))]})
        said = json.dumps(given.get("input"), ensure_ascii=False)
        return self._reception(None if found is None else replace(found, text=said), data)


def _is_answer(block: Mapping[str, Any]) -> bool:
    """Whether a block calls the tool that carries an answer with a schema."""
    return block.get("type") == "tool_use" and block.get("name") == _TOOL
