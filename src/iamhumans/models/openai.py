"""OpenAI's chat completions, the format of most servers."""

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from iamhumans.models.adapting import FORMAT
from iamhumans.models.chat import Reception, Usage
from iamhumans.models.json_fields import mapping, word
from iamhumans.models.refusals import refusal_in
from iamhumans.models.server_model import Json, ServerModel, encode
from iamhumans.models.sse import OpenAIAssembly
from iamhumans.models.usage import openai_usage
from iamhumans.prompts import Message, Request

_CUT = {"length", "content_filter"}
_STOPPED = {"stop", "eos", "end_turn", "stop_sequence", "", "tool_calls"}


@lru_cache(maxsize=32)  # the first message of a run is long and always the same
def _message(role: str, content: str) -> str:
    return encode({"role": role, "content": content})


class OpenAIModel(ServerModel):
    """A model behind ``/chat/completions``."""

    optional = (
        *("stream_options", "stream", "max_tokens", "max_completion_tokens"),
        *("seed", "stop", "top_p", "reasoning_effort", "temperature"),
    )
    tries_format = True
    assembly = OpenAIAssembly
    _schema: tuple[Any, str] = (None, "")  # the last schema and its JSON: it is the same in each call of a run

    def _payload(self, request: Request) -> dict[str, Any]:
        structured = self._structure(request)
        if structured == "json_object" and request.schema is not None:
            request = _described(request.schema, request)
        payload = {
            "model": self.identity.model,
            "messages": Json(f"[{','.join(_message(*message) for message in self._messages(request))}]"),
            **self._settings("temperature", "top_p", "seed", "stop", "reasoning_effort"),
            **self._limit(),
        }
        schema = request.schema
        if schema is not None and self._schema[0] is not schema:
            self._schema = (schema, encode(dict(schema)))
        if structured == "json_schema":
            inner = f'{{"name":"answer","strict":true,"schema":{self._schema[1]}}}'
            payload[FORMAT] = Json(f'{{"type":"json_schema","json_schema":{inner}}}')
        elif structured == "json_object":
            payload[FORMAT] = {"type": "json_object"}
        elif structured == "grammar":
            payload["json_schema"] = Json(self._schema[1])
        return payload

    def _structure(self, request: Request) -> str:
        if request.schema is None:
            return "none"
        return (self.habits.format or "json_schema") if self._structured == "auto" else self._structured

    def _limit(self) -> dict[str, Any]:
        """The limit of tokens. OpenAI's newer models know it only by its second name, older servers by its first."""
        first = self._server.limit_name
        second = "max_completion_tokens" if first == "max_tokens" else "max_tokens"
        name = next((name for name in (first, second) if name not in self.habits.left_out), None)
        limit = self.identity.settings.get("max_tokens")
        return {} if name is None or limit is None else {name: limit}

    def _streaming(self) -> dict[str, Any]:
        return {"stream": True, "stream_options": {"include_usage": True}}

    def _usage(self, data: Mapping[str, Any]) -> Usage:
        return openai_usage(data)

    def _read(self, data: Mapping[str, Any]) -> Reception:
        choices = data.get("choices")
        choice = mapping(choices[0]) if isinstance(choices, list) and choices else {}
        # OpenRouter reports errors of the servers behind it with a status of 200.
        error = choice.get("error") or (None if choice else data.get("error"))
        if error:
            raise self._failure(refusal_in({"error": error}, 200))
        if not choice:
            raise self._problem("the answer has no choices")
        reason = word(choice.get("finish_reason"))
        text = _text(mapping(choice.get("message")))
        if text is None and reason not in _CUT:
            raise self._problem("the answer has a choice without a text")
        return self._reception(
            text or "", "stop" if reason in _STOPPED else reason, self._usage(data), data.get("model")
        )


def _described(schema: Mapping[str, Any], request: Request) -> Request:
    """The request with the schema in words at the end of the system text."""
    words = f"Answer with one JSON object and nothing else. It follows this JSON schema:\n{json.dumps(dict(schema))}"
    first, *others = request.messages or (Message("system", ""),)
    if first.role == "system":
        return Request((Message("system", f"{first.content}\n\n{words}".lstrip()), *others), schema)
    return Request((Message("system", words), *request.messages), schema)


def _text(message: Mapping[str, Any]) -> str | None:
    content = message.get("content")
    if isinstance(content, list):
        parts = [mapping(part).get("text") for part in content if mapping(part).get("type") == "text"]
        content = "".join(part for part in parts if isinstance(part, str)) if parts else None
    refusal = message.get("refusal")
    if not content and isinstance(refusal, str) and refusal:
        return refusal
    return content if isinstance(content, str) else None
