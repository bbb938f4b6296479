"""What goes to a model and what comes back, free of any wire format."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

Role = Literal["system", "user", "assistant"]


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a chat."""

    role: Role
    content: str


@dataclass(frozen=True, slots=True)
class Request:
    """What a judge or a subject asks a model.

    ``schema`` is the JSON schema of the answer, for models that can follow one; ``None`` asks for plain text.
    """

    messages: tuple[Message, ...]
    schema: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """What a model said.

    Attributes:
        text: The text as it was sent, with any reasoning that is marked in it.
        finish_reason: ``stop``, ``length``, ``content_filter``, empty where the provider says nothing, or its own word.
        reasoning: What the provider sent as reasoning, apart from the text.
        beside: What else was sent, in words, such as a call of a tool.
        note: Why there is no whole text, and which setting would change that; empty if there is one.
    """

    text: str
    finish_reason: str = "stop"
    reasoning: str = ""
    beside: str = ""
    note: str = ""
