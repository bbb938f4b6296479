"""Streams of server-sent events, put together to the body that the same answer has without streaming."""

import json
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from iamhumans.models.json_fields import mapping

_END = "[DONE]"


@dataclass(frozen=True, slots=True)
class Event:
    """One event: its name, and its data as JSON or, where they are none, as text."""

    name: str
    data: Any


def is_stream(content_type: str, start: bytes) -> bool:
    """Whether a response is a stream of events. Its first bytes decide; its type only where they are no JSON."""
    start = start.lstrip(b"\xef\xbb\xbf \t\r\n")
    if start[:1] in (b"{", b"["):
        return False
    return content_type == "text/event-stream" or start.startswith((b"data:", b"event:", b": "))


class EventReader:
    """Reads events from pieces of bytes as they come."""

    def __init__(self) -> None:
        self._rest = bytearray()
        self._name, self._lines = "", list[str]()

    def feed(self, piece: bytes) -> Iterator[Event]:
        """The events that are complete with this piece."""
        self._rest += piece
        *lines, rest = bytes(self._rest).split(b"\n")
        self._rest = bytearray(rest)
        for line in lines:
            yield from self._line(line.rstrip(b"\r"))

    def end(self) -> Iterator[Event]:
        """The events that the end of the stream completes."""
        yield from self._line(bytes(self._rest).rstrip(b"\r"))
        self._rest.clear()
        yield from self._dispatch()

    def _line(self, line: bytes) -> Iterator[Event]:
        if not line:
            yield from self._dispatch()
            return
        field, _, value = line.decode("utf-8", "replace").partition(":")
        value = value.removeprefix(" ")
        if field == "event":
            # Some servers end no event with an empty line.
            yield from self._dispatch()
            self._name = value
        elif field == "error":
            yield Event("error", _value(value))
        elif field == "data":
            self._lines.append(value)

    def _dispatch(self) -> Iterator[Event]:
        name, lines = self._name, self._lines
        self._name, self._lines = "", []
        if not lines:
            return
        whole = _value("\n".join(lines))
        if isinstance(whole, str) and len(lines) > 1:
            yield from (Event(name, _value(line)) for line in lines)
        else:
            yield Event(name, whole)


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


class Assembly(ABC):
    """An answer as it comes in.

    Attributes:
        ended: Whether the answer is complete.
        closed: Whether the server said that nothing follows.
        error: The body of an error that came in the stream.
    """

    def __init__(self) -> None:
        self.ended = self.closed = False
        self.error: dict[str, Any] | None = None

    def add(self, event: Event) -> None:
        """Take an event."""
        if event.data == _END:
            self.ended = self.closed = True
        elif event.name == "error" or (isinstance(event.data, dict) and _is_error(event.data)):
            self.error = _error_body(event.data)
            self.closed = True
        elif isinstance(event.data, dict):
            self._add(event.data)

    @abstractmethod
    def _add(self, data: Mapping[str, Any]) -> None:
        """Take the data of an event."""

    @abstractmethod
    def body(self) -> dict[str, Any]:
        """The body that the answer would have had without streaming, as far as it came."""


def _is_error(data: Mapping[str, Any]) -> bool:
    return bool(data.get("error")) or data.get("type") == "error" or data.get("object") == "error"


def _error_body(data: Any) -> dict[str, Any]:
    if not isinstance(data, dict):
        return {"error": {"message": str(data)}}
    return data if data.get("error") else {"error": dict(data)}


class OpenAIAssembly(Assembly):
    """Chunks of OpenAI's format. Only the first choice is read."""

    def __init__(self) -> None:
        super().__init__()
        self._head: dict[str, Any] = {}
        self._message: dict[str, Any] = {}
        self._reason: Any = None
        self._native_reason: Any = None
        self._usage: Any = None

    def _add(self, data: Mapping[str, Any]) -> None:
        self._head |= {name: data[name] for name in ("id", "model", "created") if data.get(name)}
        choices = data.get("choices")
        choice = mapping(choices[0]) if isinstance(choices, list) and choices else {}
        # The last usage counts all before it. It comes in a chunk without choices, or in one of these places.
        for place in (data, choice, mapping(data.get("x_groq"))):
            if isinstance(place.get("usage"), dict) and place["usage"]:
                self._usage = place["usage"]
        if choice.get("index", 0) != 0:
            return
        whole = choice.get("message")
        if isinstance(whole, dict) and not choice.get("delta"):
            self._message = whole
        else:
            _merge(self._message, mapping(choice.get("delta")))
        if choice.get("error"):
            self.error = {"error": choice["error"]}
        if choice.get("native_finish_reason") is not None:
            self._native_reason = choice["native_finish_reason"]
        if choice.get("finish_reason") is not None:
            self._reason = choice["finish_reason"]
            self.ended = True

    def body(self) -> dict[str, Any]:
        """A chat completion."""
        ending = {"finish_reason": self._reason, "native_finish_reason": self._native_reason}
        there = self._message or self._reason is not None
        choices = [{"index": 0, "message": self._message, **ending}] if there else []
        usage = {} if self._usage is None else {"usage": self._usage}
        return {**self._head, "object": "chat.completion", "choices": choices, **usage}


def _merge(whole: dict[str, Any], delta: Mapping[str, Any]) -> None:
    """Add a delta: texts grow, lists go on, objects are merged; of all else the last value counts."""
    for name, value in delta.items():
        before = whole.get(name)
        if value is None:
            whole.setdefault(name, None)
        elif isinstance(value, str) and isinstance(before, str) and name not in ("role", "id", "type"):
            whole[name] = before + value
        elif isinstance(value, dict) and isinstance(before, dict):
            _merge(before, value)
        elif isinstance(value, list) or isinstance(before, list):
            parts = _parts(before)
            _extend(parts, _parts(value))
            whole[name] = parts
        else:
            whole[name] = dict(value) if isinstance(value, dict) else value


def _parts(value: Any) -> list[Any]:
    if value is None or value == "":
        return []
    return list(value) if isinstance(value, list) else [{"type": "text", "text": value}]


def _extend(parts: list[Any], more: list[Any]) -> None:
    """Go on with a list. An item with an ``index`` belongs to the one with the same index, as with calls of tools."""
    for item in more:
        index = mapping(item).get("index")
        same = next((one for one in parts if index is not None and mapping(one).get("index") == index), None)
        if same is not None:
            _merge(same, {name: value for name, value in item.items() if name != "index"})
        else:
            parts.append(dict(item) if isinstance(item, dict) else item)


class AnthropicAssembly(Assembly):
    """Events of Anthropic's format."""

    def __init__(self) -> None:
        super().__init__()
        self._message: dict[str, Any] = {}
        self._blocks: dict[int, dict[str, Any]] = {}
        self._inputs: dict[int, str] = {}

    def _add(self, data: Mapping[str, Any]) -> None:
        kind, number = data.get("type"), data.get("index")
        index = number if isinstance(number, int) else 0
        if kind == "message_start":
            self._message = dict(mapping(data.get("message")))
        elif kind == "content_block_start":
            self._blocks[index] = dict(mapping(data.get("content_block")))
        elif kind == "content_block_delta":
            self._delta(index, mapping(data.get("delta")))
        elif kind == "message_delta":
            delta = mapping(data.get("delta"))
            self._message |= {name: value for name, value in delta.items() if value is not None}
            counted = {name: value for name, value in mapping(data.get("usage")).items() if value is not None}
            self._message["usage"] = {**mapping(self._message.get("usage")), **counted}
            self.ended = self.ended or delta.get("stop_reason") is not None
        elif kind == "message_stop":
            self.ended = self.closed = True

    def _delta(self, index: int, delta: Mapping[str, Any]) -> None:
        block = self._blocks.setdefault(index, {"type": "text", "text": ""})
        for name in ("text", "thinking", "signature"):
            if isinstance(delta.get(name), str):
                block[name] = (block.get(name) or "") + delta[name]
        if isinstance(delta.get("partial_json"), str):
            self._inputs[index] = self._inputs.get(index, "") + delta["partial_json"]

    def body(self) -> dict[str, Any]:
        """A message."""
        for index, text in self._inputs.items():
            self._blocks.setdefault(index, {"type": "tool_use"})["input"] = _value(text) if text else {}
        return {"type": "message", **self._message, "content": [self._blocks[at] for at in sorted(self._blocks)]}
