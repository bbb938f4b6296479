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
    """What a model said. ``finish_reason`` is ``stop``, ``length``, ``content_filter`` or what the provider reports."""

    text: str
    finish_reason: str = "stop"
