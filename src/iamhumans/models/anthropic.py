"""Anthropic's messages."""

import json
from collections.abc import Mapping
from typing import Any

from iamhumans.models.chat import Reception, Usage
from iamhumans.models.json_fields import mapping, word
from iamhumans.models.refusals import refusal_in
from iamhumans.models.server_model import ServerModel
from iamhumans.models.sse import AnthropicAssembly
from iamhumans.models.usage import anthropic_usage
from iamhumans.prompts import Request

API_VERSION = "2023-06-01"
_TOOL = "answer"
_REASONS = {
    **dict.fromkeys(("end_turn", "stop_sequence", "tool_use"), "stop"),
    **dict.fromkeys(("max_tokens", "model_context_window_exceeded"), "length"),
    "refusal": "content_filter",  # the provider's own filter, which breaks the text off
}


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
        if data.get("type") == "error":
            raise self._failure(refusal_in(data, 200))
        blocks = data.get("content")
        if not isinstance(blocks, list):
            raise self._problem("the answer has no content")
        reason = word(data.get("stop_reason")) or "end_turn"
        text = _text([mapping(block) for block in blocks])
        if text is None and reason not in _REASONS:
            raise self._problem("the answer has no text")
        return self._reception(text or "", _REASONS.get(reason, reason), self._usage(data), data.get("model"))


def _text(blocks: list[dict[str, Any]]) -> str | None:
    for block in blocks:
        if block.get("type") == "tool_use" and block.get("name") == _TOOL:
            return json.dumps(block.get("input"), ensure_ascii=False)
    texts = [block["text"] for block in blocks if block.get("type") == "text" and isinstance(block.get("text"), str)]
    return "".join(texts) if texts else None
