"""What trackers and providers record of a call: requests with responses, traces, spans."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from iamhumans.errors import InputError
from iamhumans.subjects.shapes.facts import first_name, name_of
from iamhumans.subjects.shapes.messages import as_plain
from iamhumans.subjects.shapes.pairs import exchange
from iamhumans.subjects.shapes.said import Conversation, Said
from iamhumans.subjects.shapes.shape import Row, Shape
from iamhumans.subjects.shapes.values import decoded, said_in

_REQUESTS = (
    ("request", "response"),
    ("request_body", "response_body"),
    ("requestBody", "responseBody"),
    ("req", "res"),
    ("request", "responses"),
    ("llm_request", "llm_response"),
    ("payload", "response"),
    ("requestObject", "responseObject"),
    ("request_payload", "response_payload"),
    ("body", "response"),
    ("kwargs", "response"),
    ("kwargs", "output"),
    ("input_data", "output_data"),
    ("proxy_server_request", "response"),
)


def loaded(value: Any) -> Any:
    """A value; the object in it, if it is JSON in a text."""
    value = as_plain(value)
    if not isinstance(value, str):
        return value
    if len(value) > 1 and value[0] == value[-1] == '"':  # a text in JSON
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            return value
    return found if (found := decoded(value)) is not None else value


def _requests(row: Row) -> tuple[str, str] | None:
    for asked, answered in _REQUESTS:
        if asked in row and answered in row and isinstance(loaded(row[asked]), Mapping | list):
            return asked, answered
    return None


def _request(row: Row) -> Sequence[Conversation]:
    pair = _requests(row)
    if pair is None:
        raise InputError("The row has no request with its response.")
    asked, answered = loaded(row[pair[0]]), _body(loaded(row[pair[1]]))
    _refuse_failure(answered)
    asked = _body(asked)
    model = first_name(row, ("subject", "model")) or _model_of(answered) or _model_of(asked)
    return exchange(row, asked, answered, subject=model)


def _body(value: Any) -> Any:
    for key in ("body", "json", "data", "payload"):
        if isinstance(value, Mapping) and isinstance(inner := loaded(value.get(key)), Mapping | list):
            value = inner
    return value


def _model_of(value: Any) -> str:
    return first_name(value, ("model", "modelVersion", "model_id", "modelId")) if isinstance(value, Mapping) else ""


def _refuse_failure(answer: Any) -> None:
    """Raise InputError for an answer that is the error of a provider."""
    if answer is None:
        raise InputError("There is no response in the row.")
    if not isinstance(answer, Mapping):
        return
    error, status = answer.get("error"), answer.get("status_code")
    if error and not any(answer.get(key) for key in ("choices", "output", "content", "candidates")):
        raise InputError("The call failed, so there is no reply in the row.")
    if isinstance(status, int) and status >= 400:
        raise InputError("The call failed, so there is no reply in the row.")


# Batches.


def _is_batch(row: Row) -> bool:
    return "custom_id" in row and ("response" in row or "result" in row or ("error" in row and "body" not in row))


def _batch(row: Row) -> Sequence[Conversation]:
    name = name_of(row["custom_id"])
    response = loaded(row.get("response")) if row.get("response") is not None else loaded(row.get("result"))
    if response is None or (
        isinstance(response, Mapping) and response.get("type") in ("errored", "expired", "canceled")
    ):
        raise InputError("The call failed, so there is no reply in the row.")
    _refuse_failure(response)
    answer = _body(response)
    _refuse_failure(answer)
    answer = answer["message"] if isinstance(answer, Mapping) and isinstance(answer.get("message"), Mapping) else answer
    asked = _body(
        loaded(
            next(
                (row[key] for key in ("request", "body", "input", "messages", "params", "prompt") if row.get(key)), None
            )
        )
    )
    subject = first_name(row, ("subject", "model")) or _model_of(answer)
    return exchange(row, asked, answer, id=name, case_id=name, subject=subject, alone=asked is None)


# Langfuse and LangSmith.

_LANGFUSE = frozenset(
    ("traceId", "trace_id", "observations", "sessionId", "parentObservationId", "htmlPath", "projectId", "totalCost")
)


def _is_langfuse(row: Row) -> bool:
    if row.get("type") in ("GENERATION", "SPAN", "EVENT", "AGENT", "CHAIN") and ("output" in row or "input" in row):
        return True
    return ("output" in row or "observations" in row) and not _LANGFUSE.isdisjoint(row) and "attributes" not in row


def _langfuse(row: Row) -> Sequence[Conversation]:
    asked, answered, model = row.get("input"), row.get("output"), first_name(row, ("model", "providedModelName"))
    observations = [one for one in as_plain(row.get("observations")) or [] if isinstance(one, Mapping)]
    last = next((one for one in reversed(observations) if one.get("type") == "GENERATION" and one.get("output")), None)
    if last is not None:
        model = model or first_name(last, ("model", "providedModelName"))
        if not said_in(loaded(answered), "assistant") or not said_in(loaded(asked), "user"):
            asked, answered = last.get("input"), last.get("output")
    if answered is None:
        raise InputError("There is no reply in the row: it has no output.")
    known: dict[str, Any] = {"id": first_name(row, ("id", "traceId", "trace_id"))}
    return exchange(row, loaded(asked), loaded(answered), subject=first_name(row, ("subject",)) or model, **known)


def _is_langsmith(row: Row) -> bool:
    return "inputs" in row and "outputs" in row and isinstance(loaded(row["inputs"]), Mapping | list)


def _langsmith(row: Row) -> Sequence[Conversation]:
    if row.get("error") and not row.get("outputs"):
        raise InputError("The call failed, so there is no reply in the row.")
    if row.get("outputs") is None:
        raise InputError("There is no reply in the row: it has no outputs.")
    model = first_name(row, ("subject", "model"))
    for path in (
        ("extra", "metadata", "ls_model_name"),
        ("extra", "invocation_params", "model"),
        ("extra", "invocation_params", "model_name"),
    ):
        model = model or name_of(at(row, path))
    thread = name_of(at(row, ("extra", "metadata", "thread_id"))) or name_of(
        at(row, ("extra", "metadata", "session_id"))
    )
    known: dict[str, Any] = {"thread": thread} if thread else {}
    return exchange(row, loaded(row["inputs"]), loaded(row["outputs"]), subject=model, **known)


def at(value: Any, path: Sequence[str]) -> Any:
    """A value inside of objects, or ``None``."""
    for key in path:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value


def _is_meta(row: Row) -> bool:
    meta = row.get("meta")
    return isinstance(meta, Mapping) and "output" in meta and "input" in meta


def _meta(row: Row) -> Sequence[Conversation]:
    meta = row["meta"]
    return exchange(
        row, loaded(meta["input"]), loaded(meta["output"]), subject=name_of(at(meta, ("metadata", "model_name")))
    )


# Spans of OpenTelemetry.

_OWN = ("gen_ai.", "llm.", "ai.", "traceloop.", "input.", "output.", "openinference.")
_VALUES = (
    "stringValue",
    "string_value",
    "intValue",
    "int_value",
    "doubleValue",
    "double_value",
    "boolValue",
    "bool_value",
    "bytesValue",
)
_MESSAGE_EVENT = re.compile(r"gen_ai\.(system|user|assistant|tool)\.message")


def attributes_of(value: Any) -> dict[str, Any]:
    """Attributes as an object: OTLP has a list of ``{"key", "value": {"stringValue"}}``, exports have objects."""
    value = loaded(value)
    if isinstance(value, Mapping):
        return {str(key): _value(one) for key, one in value.items()}
    if isinstance(value, list):
        return {str(one["key"]): _value(one.get("value")) for one in value if isinstance(one, Mapping) and "key" in one}
    return {}


def _value(value: Any) -> Any:
    if not isinstance(value, Mapping):
        return value
    for key in _VALUES:
        if key in value and len(value) == 1:
            return value[key]
    for key in ("arrayValue", "array_value"):
        if isinstance(value.get(key), Mapping):
            return [_value(one) for one in value[key].get("values") or []]
    for key in ("kvlistValue", "kvlist_value"):
        if isinstance(value.get(key), Mapping):
            return attributes_of(value[key].get("values") or [])
    return value


def nested(flat: Mapping[str, Any], depth: int = 0) -> dict[str, Any]:
    """Dotted keys as objects: ``{"a.0.b": 1}`` is ``{"a": {"0": {"b": 1}}}``."""
    found: dict[str, Any] = {}
    for key, value in flat.items():
        place = found
        *path, last = key.split(".")[:12]
        for part in path:
            inner = place.get(part)
            if not isinstance(inner, dict):
                inner = place[part] = {} if inner is None else {"": inner}
            place = inner
        if isinstance(place.get(last), dict) and not isinstance(value, dict):
            place[last].setdefault("", value)
        else:
            place[last] = nested(value, depth + 1) if isinstance(value, Mapping) and depth < 6 else value
    return found


def in_order(value: Any) -> Any:
    """An object whose keys are 0, 1, 2 as a list."""
    if isinstance(value, Mapping) and value and all(str(key).isdigit() for key in value):
        return [value[key] for key in sorted(value, key=lambda one: int(str(one)[:9]))]
    return value


def _attributes(row: Row) -> dict[str, Any]:
    found = attributes_of(
        row.get("attributes") or row.get("tags") or row.get("SpanAttributes") or row.get("span_attributes")
    )
    if not found:
        found = {str(key).removeprefix("attributes."): value for key, value in row.items() if "." in str(key)}
    return found


def _events(row: Row) -> list[tuple[str, dict[str, Any]]]:
    events = loaded(row.get("events") or row.get("logs") or row.get("Events"))
    found = []
    for event in events if isinstance(events, list) else []:
        if not isinstance(event, Mapping):
            continue
        inside = attributes_of(event.get("attributes"))
        body = _value(loaded(event.get("body")))
        body = _plain(body)
        name = event.get("name") or event.get("event_name") or event.get("eventName") or inside.get("event.name")
        found.append((str(name), {**inside, **(body if isinstance(body, Mapping) else {})}))
    return found


def _plain(value: Any) -> Any:
    return {key: _plain(_value(one)) for key, one in value.items()} if isinstance(value, Mapping) else value


def _is_span(row: Row) -> bool:
    names = [*_attributes(row), *(name for name, _ in _events(row))]
    return any(name.startswith(_OWN) for name in names) or (
        any(key in row for key in ("spanId", "span_id")) and "attributes" in row
    )


_ASKED_AT = (
    ("gen_ai", "input", "messages"),
    ("gen_ai", "prompt"),
    ("llm", "input_messages"),
    ("", "ai", "prompt", "messages"),
    ("", "ai", "prompt"),
    ("llm", "prompts"),
    ("", "traceloop", "entity", "input"),
    ("", "input", "value"),
)
_ANSWERED_AT = (
    ("gen_ai", "output", "messages"),
    ("gen_ai", "completion"),
    ("llm", "output_messages"),
    ("", "ai", "response", "text"),
    ("llm", "completions"),
    ("", "traceloop", "entity", "output"),
    ("", "output", "value"),
)
"""Where spans of several conventions hold what was asked and answered, the most exact place first."""


def _span(row: Row) -> Sequence[Conversation]:
    attributes = _attributes(row)
    tree = nested(attributes)
    gen, llm = tree.get("gen_ai", {}), tree.get("llm", {})
    events = _events(row)
    for name, inside in events:
        if name in ("gen_ai.client.inference.operation.details", "gen_ai.content.prompt", "gen_ai.content.completion"):
            gen = {**nested(inside).get("gen_ai", {}), **(gen if isinstance(gen, dict) else {})}
    holders = {"gen_ai": gen, "llm": llm, "": tree}
    asked = _first_said([at(holders[place[0]], place[1:]) for place in _ASKED_AT], "user")
    answered = _first_said([at(holders[place[0]], place[1:]) for place in _ANSWERED_AT], "assistant")
    system = _first_said([at(gen, ("system_instructions",)), at(llm, ("system",))], "user")
    told = [one for one in (_event_message(name, inside) for name, inside in events) if one is not None]
    before = asked or tuple(one for one, is_choice in told if not is_choice)
    answer = answered or tuple(one for one, is_choice in told if is_choice)
    if not answer:
        raise InputError("There is no reply in the span: it records no message of a model.")
    subject = (
        first_name(row, ("subject",))
        or name_of(at(gen, ("response", "model")))
        or name_of(at(gen, ("request", "model")))
    )
    subject = (
        subject
        or name_of(llm.get("model_name") if isinstance(llm, dict) else None)
        or name_of(at(tree, ("ai", "model", "id")))
    )
    context: Any = row.get("context") if isinstance(row.get("context"), Mapping) else {}
    ids = {**context, **{key: row[key] for key in ("traceId", "trace_id", "spanId", "span_id", "id") if key in row}}
    known = {"id": first_name(ids, ("id", "spanId", "span_id", "traceId", "trace_id"))}
    thread = (
        name_of(at(gen, ("conversation", "id")))
        or name_of(at(tree, ("session", "id")))
        or first_name(ids, ("traceId", "trace_id"))
    )
    from iamhumans.subjects.shapes.facts import conversation_of

    first = tuple(one._replace(voice="system") for one in system)
    return [conversation_of(row, (*first, *before, *answer), subject=subject, thread=thread, **known)]


def _first_said(places: Sequence[Any], by: Any) -> tuple[Said, ...]:
    """What the first of these places holds: messages, as objects, as dotted keys or as JSON in a text."""
    for place in places:
        value = loaded(in_order(place))
        if isinstance(value, list):
            value = [_message_of(loaded(one)) for one in value]
        if value and (found := said_in(value, by)):
            return found
    return ()


def _message_of(value: Any) -> Any:
    """A message whose keys begin with ``message.``, or whose parts are numbered."""
    if isinstance(value, Mapping):
        if isinstance(value.get("message"), Mapping) and "role" not in value:
            value = value["message"]
        if "message.content" in value or "message.role" in value:
            value = {str(key).removeprefix("message."): one for key, one in value.items()}
        contents = in_order(value.get("contents"))
        if isinstance(contents, list) and not value.get("content"):
            parts = [at(one, ("message_content",)) or one for one in contents]
            value = {**value, "content": parts}
    return value


def _event_message(name: str, inside: Mapping[str, Any]) -> tuple[Said, bool] | None:
    match = _MESSAGE_EVENT.fullmatch(name)
    tree = {**nested(inside), **inside}
    content = tree.get("message") if name == "gen_ai.choice" else None
    content = loaded(content if content is not None else tree.get("content", at(tree, ("gen_ai", "event", "content"))))
    if name == "gen_ai.choice":
        found = said_in(
            {"role": "assistant", "content": content} if isinstance(content, str | list) else content, "assistant"
        )
        ending = name_of(tree.get("finish_reason"))
        return (found[-1]._replace(voice="assistant", ending=ending), True) if found else None
    if match is None or content is None:
        return None
    found = said_in({"role": match[1], "content": content} if not isinstance(content, Mapping) else content, "user")
    return (found[-1]._replace(voice=match[1]), False) if found else None  # type: ignore[arg-type]


SPANS = Shape("otel", "OpenTelemetry spans with gen_ai attributes or events", _is_span, _span)
BATCH = Shape("batch", "output of a batch of OpenAI or Anthropic", _is_batch, _batch)
SHAPES = (
    Shape("langfuse", "Langfuse traces and observations", _is_langfuse, _langfuse),
    Shape("langsmith", "LangSmith runs and examples", _is_langsmith, _langsmith),
    Shape("requests", "requests with their responses", lambda row: _requests(row) is not None, _request),
    Shape("spans", "spans with meta.input and meta.output", _is_meta, _meta),
)
