"""OpenAI's chat completions, the format of most servers."""

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from iamhumans.models.chat import Reception, Usage
from iamhumans.models.json_fields import count, mapping
from iamhumans.models.refusals import refusal_in
from iamhumans.models.server_model import FORMAT, Json, ServerModel, encode
from iamhumans.prompts import Request
from iamhumans.text import read_response


@lru_cache(maxsize=32)  # the first message of a run is long and always the same
def _message(role: str, content: str) -> str:
    return encode({"role": role, "content": content})


class OpenAIModel(ServerModel):
    """A model behind ``/chat/completions``."""

    optional = ("max_tokens", "max_completion_tokens", "seed", "top_p", "temperature")
    tries_format = True
    _schema: tuple[Any, str] = (None, "")  # the last schema and its JSON: it is the same in each call of a run

    def _payload(self, request: Request) -> dict[str, Any]:
        schema = request.schema
        structured = "none" if schema is None or FORMAT in self._refused else self._structured
        messages = [(message.role, message.content) for message in request.messages]
        if structured == "json_object" and schema is not None:
            messages = _described(schema, messages)
        payload = {
            "model": self.identity.model,
            "messages": Json(f"[{','.join(_message(*message) for message in messages)}]"),
            **self._settings("temperature", "top_p", "seed", "max_tokens"),
        }
        # Newer models of OpenAI know this limit only by its second name, older servers only by its first.
        if "max_tokens" in self._refused and "max_completion_tokens" not in self._refused:
            payload["max_completion_tokens"] = self.identity.settings["max_tokens"]
        if schema is not None and self._schema[0] is not schema:
            self._schema = (schema, encode(dict(schema)))
        if structured in ("auto", "json_schema"):
            inner = f'{{"name":"answer","strict":true,"schema":{self._schema[1]}}}'
            payload[FORMAT] = Json(f'{{"type":"json_schema","json_schema":{inner}}}')
        elif structured == "json_object":
            payload[FORMAT] = {"type": "json_object"}
        elif structured == "grammar":
            payload["json_schema"] = Json(self._schema[1])
        return payload

    def _read(self, data: Mapping[str, Any]) -> Reception:
        usage = _usage(data)
        choices = data.get("choices")
        choice = mapping(choices[0]) if isinstance(choices, list) and choices else {}
        # OpenRouter reports errors of the servers behind it with a status of 200, also beside half an answer.
        if error := choice.get("error") or mapping(choice.get("message")).get("error") or data.get("error"):
            raise self._failure(refusal_in({"error": error}, 200), usage)
        empty = mapping(choice.get("message")).get("content") in ("", [])
        return self._reception(read_response(data), usage, data, empty=empty)


def _described(schema: Mapping[str, Any], messages: list[tuple[Any, str]]) -> list[tuple[Any, str]]:
    words = f"Answer with one JSON object and nothing else. It follows this JSON schema:\n{json.dumps(dict(schema))}"
    if messages and messages[0][0] == "system":
        return [("system", f"{messages[0][1]}\n\n{words}"), *messages[1:]]
    return [("system", words), *messages]


def _usage(data: Mapping[str, Any]) -> Usage:
    usage = mapping(data.get("usage"))
    cached = mapping(usage.get("prompt_tokens_details")).get("cached_tokens")
    details = mapping(usage.get("completion_tokens_details"))
    reasoning = count(details.get("reasoning_tokens", usage.get("reasoning_tokens")))
    return Usage(count(usage.get("prompt_tokens")), count(cached), count(usage.get("completion_tokens")), reasoning)
