"""OpenAI's chat completions, the format of most servers."""

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from iamhumans.models.adapting import FORMAT
from iamhumans.models.chat import Reception, Usage
from iamhumans.models.json_fields import mapping
from iamhumans.models.refusals import refusal_in
from iamhumans.models.server_model import Json, ServerModel, encode
from iamhumans.models.sse import OpenAIAssembly
from iamhumans.models.usage import openai_usage
from iamhumans.prompts import Message, Request
from iamhumans.text import read_response


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
        # OpenRouter reports errors of the servers behind it with a status of 200, also beside half an answer.
        if error := choice.get("error") or mapping(choice.get("message")).get("error") or data.get("error"):
            raise self._failure(refusal_in({"error": error}, 200))
        empty = mapping(choice.get("message")).get("content") in ("", [])
        return self._reception(read_response(data), data, empty=empty)


def _described(schema: Mapping[str, Any], request: Request) -> Request:
    """The request with the schema in words at the end of the system text."""
    words = f"Answer with one JSON object and nothing else. It follows this JSON schema:\n{json.dumps(dict(schema))}"
    first, *others = request.messages or (Message("system", ""),)
    if first.role == "system":
        return Request((Message("system", f"{first.content}\n\n{words}".lstrip()), *others), schema)
    return Request((Message("system", words), *request.messages), schema)
