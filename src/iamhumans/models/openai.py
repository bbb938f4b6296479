"""OpenAI's chat completions, as it and most other servers speak them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from iamhumans.models.failures import refusal_in
from iamhumans.models.model import Reception, Usage
from iamhumans.models.reading import count, mapping, word
from iamhumans.models.wire import FIXED_PART
from iamhumans.models.wire_model import FORMAT, Structured, WireModel
from iamhumans.prompts import Request

_FINISHED = {"length", "content_filter"}
_STOPPED = {"stop", "eos", "end_turn", "stop_sequence", "", "tool_calls"}


_MOST_FORMATS = 64
_formats: dict[int, tuple[Mapping[str, Any], dict[str, Any]]] = {}


class OpenAIModel(WireModel):
    """A model behind ``/chat/completions``."""

    def _tries_a_format(self) -> bool:
        return self.sampling.structured is Structured.AUTO

    def _optional(self) -> tuple[str, ...]:
        return ("max_tokens", "max_completion_tokens", "seed", "top_p", "temperature")

    def _format_in(self, payload: Mapping[str, Any]) -> bool:
        return "response_format" in payload

    def _payload(self, request: Request) -> dict[str, Any]:
        messages = [{"role": message.role, "content": message.content} for message in request.messages]
        payload = {"model": self.identity.model, "messages": messages, **self._settings()}
        if request.schema is not None and FORMAT not in self._refused:
            _ask_for(self.sampling.structured, request.schema, payload)
        return payload

    def _settings(self) -> dict[str, Any]:
        sampling = self.sampling
        # Newer models of OpenAI know the limit by its second name only, older servers by its first.
        limit = "max_completion_tokens" if "max_tokens" in self._refused else "max_tokens"
        settings = {
            "temperature": sampling.temperature,
            "top_p": sampling.top_p,
            limit: sampling.max_tokens,
            "seed": sampling.seed,
        }
        return {name: value for name, value in settings.items() if value is not None and name not in self._refused}

    def _read(self, data: Mapping[str, Any]) -> Reception:
        choices = data.get("choices")
        choice = mapping(choices[0]) if isinstance(choices, list) and choices else {}
        # OpenRouter reports what goes wrong behind it with a status of 200.
        error = choice.get("error") or (None if choice else data.get("error"))
        if error:
            raise self._wire.failure(refusal_in({"error": error}, 200))
        if not choice:
            raise self._wire.bad_answer("the answer has no choices")
        reason = word(choice.get("finish_reason"))
        text = _text(mapping(choice.get("message")))
        if text is None:
            if reason not in _FINISHED:
                raise self._wire.bad_answer("the answer has a choice without a text")
            text = ""
        return self._reception(text, "stop" if reason in _STOPPED else reason, _usage(data), data.get("model"))


def _ask_for(structured: Structured, schema: Mapping[str, Any], payload: dict[str, Any]) -> None:
    match structured:
        case Structured.AUTO | Structured.JSON_SCHEMA:
            payload[FIXED_PART] = _format_for(schema)
        case Structured.JSON_OBJECT:
            payload["response_format"] = {"type": "json_object"}
            _tell(schema, payload["messages"])
        case Structured.GRAMMAR:
            payload["json_schema"] = dict(schema)
        case Structured.NONE:
            pass


def _format_for(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The format that asks for a schema: the same object for the same schema, which is written out only once."""
    known = _formats.get(id(schema))
    if known is None:
        if len(_formats) >= _MOST_FORMATS:
            _formats.clear()
        described = {"name": "answer", "strict": True, "schema": dict(schema)}
        # The schema is held as well, or another one could come to have its id.
        known = _formats[id(schema)] = (schema, {"type": "json_schema", "json_schema": described})
    return known[1]


def _tell(schema: Mapping[str, Any], messages: list[dict[str, str]]) -> None:
    """Put the schema into words, at the end of the system message: it is the same each time and can be cached."""
    told = f"Answer with one JSON object and nothing else. It follows this JSON schema:\n{json.dumps(dict(schema))}"
    if messages and messages[0]["role"] == "system":
        messages[0]["content"] += f"\n\n{told}"
    else:
        messages.insert(0, {"role": "system", "content": told})


def _text(message: Mapping[str, Any]) -> str | None:
    """The text of a message; of parts where it comes in parts; a refusal where there is nothing else."""
    content = message.get("content")
    if isinstance(content, list):
        parts = [mapping(part).get("text") for part in content if mapping(part).get("type") == "text"]
        content = "".join(part for part in parts if isinstance(part, str)) if parts else None
    refusal = message.get("refusal")
    if not content and isinstance(refusal, str) and refusal:
        return refusal
    return content if isinstance(content, str) else None


def _usage(data: Mapping[str, Any]) -> Usage:
    usage = mapping(data.get("usage"))
    details = mapping(usage.get("prompt_tokens_details"))
    return Usage(
        prompt=count(usage.get("prompt_tokens")),
        cached=count(details.get("cached_tokens")),
        completion=count(usage.get("completion_tokens")),
    )
