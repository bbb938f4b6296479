"""What a server was found to take, so that no later request is refused for the same reason."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Literal, Self

from iamhumans.prompts import Message

Role = Literal["system", "developer", "user"]
Format = Literal["json_object", "none"]
_OPENING = "(You write first.)"  # where a conversation begins with the assistant, and the server wants a user's turn


@dataclass(frozen=True, slots=True)
class Habits:
    """How requests to a server must differ from what was asked for. By default they do not.

    Attributes:
        left_out: Fields of the request that it does not take.
        fixed: Fields of which it takes one value only, and that value.
        role: The role in which it takes the system text, if not in the usual one.
        alternates: Whether messages of users and assistants must alternate, beginning with a user's.
        format: What it takes in place of a schema.
        streams: Whether it only streams its answers.
    """

    left_out: tuple[str, ...] = ()
    fixed: Mapping[str, float] = field(default_factory=dict)
    role: Role | None = None
    alternates: bool = False
    format: Format | None = None
    streams: bool = False

    def __bool__(self) -> bool:
        return self != Habits()

    def to_dict(self) -> dict[str, Any]:
        """What is not as usual, of JSON's types only."""
        usual = Habits()
        return {name: value for name, value in asdict(self).items() if value != getattr(usual, name)}

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> Self:
        """What :meth:`to_dict` gave."""
        known = {each.name: given[each.name] for each in fields(cls) if each.name in given}
        return cls(**{**known, "left_out": tuple(known.get("left_out", ()))})

    def sentences(self) -> Iterator[str]:
        """What is sent otherwise than asked for, a sentence each."""
        left_out = [name for name in self.left_out if name not in LIMITS]
        if left_out:
            yield f"does not accept {', '.join(left_out)}, so it was left out"
        yield from self._about_limit()
        for name, value in self.fixed.items():
            yield f"accepts only {value:g} as {name}, so that was sent"
        yield from _about_role(self.role)
        if self.alternates:
            yield "requires alternating roles, so consecutive messages were joined"
        if self.format == "json_object":
            yield "does not accept a schema in response_format, so json_object was sent, with the schema in words"
        elif self.format == "none":
            yield "does not accept response_format, so it was left out"
        if self.streams:
            yield "only streams its answers, so they were read as a stream"

    def _about_limit(self) -> Iterator[str]:
        refused = [name for name in LIMITS if name in self.left_out]
        if len(refused) == len(LIMITS):
            yield "accepts no token limit, so it was left out"
        elif refused:
            other = next(name for name in LIMITS if name not in refused)
            yield f"does not accept {refused[0]}, so it was sent as {other}"


def _about_role(role: Role | None) -> Iterator[str]:
    if role == "user":
        yield "does not accept the system role, so the system text was sent at the start of the first user message"
    elif role:
        yield f"requires the system text in the role {role}, so it was sent that way"


LIMITS = ("max_tokens", "max_completion_tokens")


def shaped(messages: Sequence[Message], role: Role, *, alternates: bool) -> list[tuple[str, str]]:
    """Role and text of each message as a server takes them."""
    system = [message.content for message in messages if message.role == "system"]
    turns = [(message.role, message.content) for message in messages if message.role != "system"]
    if role != "user":
        if not alternates:
            return [(role if said == "system" else said, text) for said, text in _pairs(messages)]
        return [*((role, text) for text in system), *_joined(turns)]
    if not system:
        return _joined(turns) if alternates else list(turns)
    instructions = "\n\n".join(system)
    if turns and turns[0][0] == "user":
        turns[0] = ("user", f"{instructions}\n\n{turns[0][1]}")
    else:
        turns.insert(0, ("user", instructions))
    return _joined(turns) if alternates else list(turns)


def _pairs(messages: Sequence[Message]) -> Iterator[tuple[str, str]]:
    return ((message.role, message.content) for message in messages)


def _joined(turns: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Turns of one role in a row as one message, and a user's at the start."""
    joined: list[tuple[str, str]] = [("user", _OPENING)] if turns and turns[0][0] != "user" else []
    for role, text in turns:
        if joined and joined[-1][0] == role:
            joined[-1] = (role, f"{joined[-1][1]}\n\n{text}")
        else:
            joined.append((role, text))
    return joined
