"""From a message of an assistant, or a whole response of a server, to the reply: what a user would see.

Wire formats and readers of logs share this. Text parts are the reply. Reasoning is kept apart, and everything else
(calls of tools and their results, images, audio) is named.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from iamhumans.text.endings import Ending, ending_of, word_of
from iamhumans.text.reasoning import take_off_reasoning
from iamhumans.text.safety import one_line

_REASONING_FIELDS = (
    *("reasoning_content", "reasoning", "reasoning_details", "reasoning_text", "thinking", "thinking_blocks"),
    *("thoughts", "thought", "thought_summary"),
)
_TEXT_KINDS = {"text", "output_text", "input_text", "refusal", "markdown"}
_REASONING_KIND = re.compile(r"reason|think|thought|summary_text")
_NAMED_KINDS = (
    (re.compile(r"result|call_output|tool_output|function_response|tool_response"), "a result of a tool"),
    (re.compile(r"image|picture"), "an image"),
    (re.compile(r"audio|speech|voice"), "audio"),
    (re.compile(r"video"), "a video"),
    (re.compile(r"tool|function|call\b|_call|executable_code"), "a call of a tool"),
    (re.compile(r"file|document|inline_data"), "a file"),
)
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_DEPTH = 6
# Fields that say something beside a plain text. A message without them is its content.
_TELLING = frozenset(
    (
        *(*_REASONING_FIELDS, "additional_kwargs", "provider_specific_fields", "refusal", "tool_calls", "audio"),
        *("function_call", "images", "finish_reason", "native_finish_reason", "finishReason", "stop_reason"),
        *("stopReason", "done_reason", "stop_type", "completion_reason", "response_metadata"),
    )
)
EMPTY = "there is no text"
"""What is said of a message without anything in it."""


@dataclass(frozen=True, slots=True)
class SeenReply:
    """A message of an assistant as a user sees it.

    Attributes:
        text: What the user would see.
        reasoning: What the model wrote for itself; empty if nothing is known of it.
        found_in: The field or the part that held reasoning, such as ``reasoning_content``; empty for marks in the text.
        beside: What else the message holds, in words: a call of a tool, an image.
        ending: How it ended.
        word: The provider's word for that.
        open: Whether the reasoning never ended.
    """

    text: str = ""
    reasoning: str = ""
    found_in: str = ""
    beside: tuple[str, ...] = ()
    ending: Ending = Ending.ABSENT
    word: str = ""
    open: bool = False

    def without_reasoning(self) -> SeenReply:
        """The same with reasoning that is marked in the text taken off."""
        seen = take_off_reasoning(self.text)
        if seen.text == self.text and not seen.reasoning:
            return self
        # Some servers send the same reasoning twice: in its own field, and in the text.
        said = (self.reasoning,) if seen.reasoning in self.reasoning else (self.reasoning, seen.reasoning)
        reasoning = "\n\n".join([text for text in said if text])
        return replace(self, text=seen.text.strip(), reasoning=reasoning, open=seen.open)

    @property
    def problem(self) -> tuple[str, str] | None:
        """Why this is no whole reply: a reason from the closed list, and the same in words; ``None`` for a whole one.

        An absent ending counts as whole.
        """
        word = one_line(self.word, 80) if self.word else ""
        if self.ending is Ending.FILTER:
            return "content_filter", f"the provider's filter stopped the reply ({word})"
        if self.ending is Ending.ERROR:
            return "provider_error", f"the provider broke the reply off ({word})"
        if self.ending is Ending.LENGTH:
            return "truncated", f"the reply was cut off ({word})"
        if not self.text.strip():
            return "no_reply", self.why_empty
        if self.ending is Ending.UNKNOWN:
            return "unknown_ending", f"the reply ended with `{word}`, which may not be whole"
        return None

    @property
    def why_empty(self) -> str:
        """Where the text is, if the user would see none."""
        if self.found_in:
            return f"the content is empty; all the text is in `{self.found_in}`"
        if self.reasoning:
            return "the reasoning never ends" if self.open else "nothing follows the reasoning"
        if self.beside:
            return f"there is no text, only {' and '.join(self.beside)}"
        return EMPTY


def seen_message(message: object, ending: object = None) -> SeenReply:
    """A message of an assistant, in any format that providers and logs use, as a user sees it.

    Args:
        message: A text, or an object with ``content``, ``text`` or ``parts``, which may be a text or a list of parts.
        ending: The finish reason, where it is not in the message itself.
    """
    # Most messages of logs are plain: this takes a tenth of the time, and a log may have a million of them.
    text = message.get("content") if isinstance(message, Mapping) and _TELLING.isdisjoint(message) else message
    if ending is None and isinstance(text, str):
        return SeenReply(text).without_reasoning()
    return read_message(message, ending, exact=False).without_reasoning()


def seen_response(data: Mapping[str, Any]) -> SeenReply | None:
    """A whole response of a server as a user sees it; ``None`` if it has no known shape."""
    found = read_response(data)
    return None if found is None else found.without_reasoning()


def read_message(message: object, ending: object = None, *, exact: bool = True) -> SeenReply:
    """The same as :func:`seen_message`, with reasoning that is marked in the text still there.

    With ``exact``, texts that follow each other are one text, as in a response of a server. Without it, a line ends
    where two words would become one, as in a log of texts that were sent one by one.
    """
    parts = _Parts(exact)
    if not isinstance(message, Mapping):
        parts.add_content(message)
        return parts.reply(ending_of(ending))
    content = next((message[name] for name in ("content", "parts", "text") if message.get(name) is not None), None)
    parts.add_content(content)
    for fields in (message, message.get("additional_kwargs"), message.get("provider_specific_fields")):
        if isinstance(fields, Mapping):
            parts.add_fields(fields)
    said = ending_of(ending) if ending is not None else word_of(message)
    metadata = message.get("response_metadata")
    if said[0] is Ending.ABSENT and isinstance(metadata, Mapping):
        said = word_of(metadata)
    return parts.reply(said)


def read_response(data: Mapping[str, Any]) -> SeenReply | None:
    """The same as :func:`seen_response`, with reasoning that is marked in the text still there."""
    choices = data.get("choices") or data.get("candidates")
    if isinstance(choices, list) and choices and isinstance(choices[0], Mapping):
        choice = choices[0]
        said = word_of({name: value for name, value in choice.items() if name != "stop_reason" or "text" in choice})
        message = next((choice[name] for name in ("message", "delta", "content") if choice.get(name)), choice)
        return _ended(read_message(message), said)
    if isinstance(data.get("output"), list):
        return _ended(read_message({"content": data["output"]}), _status(data))
    output = data.get("output")
    inner = output.get("message") if isinstance(output, Mapping) else data.get("message")
    if isinstance(inner, Mapping):
        return _ended(read_message(inner), word_of(data))
    if isinstance(data.get("response"), str):
        return read_message({**data, "content": data["response"]})
    blocked = data.get("promptFeedback")
    if isinstance(blocked, Mapping) and blocked.get("blockReason"):
        return SeenReply(ending=Ending.FILTER, word=str(blocked["blockReason"]))
    return read_message(data) if "content" in data else None


def _ended(reply: SeenReply, said: tuple[Ending, str]) -> SeenReply:
    return reply if said[0] is Ending.ABSENT else replace(reply, ending=said[0], word=said[1])


def _status(data: Mapping[str, Any]) -> tuple[Ending, str]:
    """How a response with a list of items ended: it has a status, and says why it is incomplete."""
    details = data.get("incomplete_details")
    reason = details.get("reason") if isinstance(details, Mapping) else None
    return ending_of(reason if reason is not None else data.get("status"))


@dataclass(slots=True)
class _Parts:
    """What the parts of a message hold."""

    exact: bool
    texts: list[str] = field(default_factory=list)
    reasoning: list[str] = field(default_factory=list)
    found_in: str = ""
    beside: list[str] = field(default_factory=list)
    apart: bool = False  # whether something that is no text came after the last text

    def reply(self, said: tuple[Ending, str]) -> SeenReply:
        reasoning = "\n\n".join(dict.fromkeys(text.strip() for text in self.reasoning if text.strip()))
        beside = tuple(dict.fromkeys(self.beside))
        return SeenReply("".join(self.texts), reasoning, self.found_in, beside, *said)

    def add_content(self, content: object) -> None:
        if isinstance(content, str):
            self._add_text(content)
        elif isinstance(content, list | tuple):
            for part in content:
                self._add_part(part)
        elif isinstance(content, Mapping):
            self._add_part(content)

    def add_fields(self, fields: Mapping[str, Any]) -> None:
        """What a message has beside its content."""
        for name in _REASONING_FIELDS:
            if texts := "\n\n".join(_texts(fields.get(name))):
                self._add_reasoning(texts, name)
        refusal = fields.get("refusal")
        if isinstance(refusal, str) and refusal and not "".join(self.texts):
            self._add_text(refusal)
        for name in ("tool_calls", "function_call"):
            calls = fields.get(name) or ()
            for call in calls if isinstance(calls, list | tuple) else (calls,):
                self.beside.append(_called(call))
        self.beside += ["audio"] if fields.get("audio") else []
        self.beside += ["an image"] if fields.get("images") else []

    def _add_part(self, part: object) -> None:
        if isinstance(part, str):
            self._add_text(part)
        if not isinstance(part, Mapping):
            return
        kind = _kind(part)
        if part.get("thought") is True or _REASONING_KIND.search(kind):
            self._add_reasoning("\n\n".join(_texts(part)), f"a part of type {one_line(kind, 40)}")
        elif kind in _TEXT_KINDS:
            text = part.get("text", part.get("content", part.get("refusal")))
            text = text.get("value") if isinstance(text, Mapping) else text
            self._add_text(text if isinstance(text, str) else "")
        elif kind == "message":  # an item of a list of outputs
            self.add_content(part.get("content"))
        else:
            self.beside.append(_named(kind, part))
            self.apart = True

    def _add_text(self, text: str) -> None:
        if not text:
            return
        before = self.texts[-1] if self.texts else ""
        if before and not before[-1].isspace() and not text[0].isspace():
            joined = _is_cased(text[0]) and (_is_cased(before[-1]) or before[-1] in ".!?")
            self.texts.append("\n\n" if self.apart else "\n" if joined and not self.exact else "")
        self.texts.append(text)
        self.apart = False

    def _add_reasoning(self, text: str, found_in: str) -> None:
        self.found_in = self.found_in or found_in
        self.apart = True
        self.reasoning.append(text)


def _is_cased(character: str) -> bool:
    """Whether a character is a digit, or a letter of a script with capitals: such scripts have spaces."""
    return character.isdigit() or character.lower() != character.upper()


def _kind(part: Mapping[str, Any]) -> str:
    """The type of a part; for one without a type, the name of its first field that says what it is."""
    kind = part.get("type")
    if not isinstance(kind, str) or not kind:
        others = (
            str(name) for name in part if name not in ("text", "thought", "annotations", "cache_control", "index")
        )
        kind = "text" if isinstance(part.get("text"), str) else next(others, "text")
    return re.sub(r"[-. ]+", "_", _CAMEL.sub("_", kind)).lower()


def _named(kind: str, part: Mapping[str, Any]) -> str:
    mime = part.get("mimeType") or part.get("mime_type") or part.get("media_type") or ""
    inner = next((value for value in part.values() if isinstance(value, Mapping)), {})
    mime = mime or inner.get("mimeType") or inner.get("mime_type") or ""
    name = next((name for sign, name in _NAMED_KINDS if sign.search(f"{kind} {mime}")), "")
    return _called(part) if name == "a call of a tool" else name or f"a part of type {one_line(kind, 40)}"


def _called(call: object) -> str:
    """A call of a tool, with the tool's name if it has one."""
    inner: Any = call
    for _ in range(2):
        if isinstance(inner, Mapping) and isinstance(name := inner.get("name") or inner.get("toolName"), str) and name:
            return f"a call of the tool `{one_line(name, 60)}`"
        found = inner.values() if isinstance(inner, Mapping) else ()
        inner = next((value for value in found if isinstance(value, Mapping)), None)
    return "a call of a tool"


def _texts(value: object, depth: int = 0) -> Iterator[str]:
    """All texts that reasoning in any shape holds: a string, parts, summaries."""
    if isinstance(value, str):
        yield value
    elif depth < _DEPTH and isinstance(value, list | tuple):
        for one in value:
            yield from _texts(one, depth + 1)
    elif depth < _DEPTH and isinstance(value, Mapping):
        names = ("text", "thinking", "thought", "summary", "content", "reasoning", "reasoningText", "reasoningContent")
        for name in names:
            if value.get(name) is not True:
                yield from _texts(value.get(name), depth + 1)
