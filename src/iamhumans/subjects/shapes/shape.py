"""What a shape of logs is."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from iamhumans.subjects.shapes.said import Conversation

Row: TypeAlias = Mapping[Any, Any]


@dataclass(frozen=True, slots=True)
class Shape:
    """A shape of logs: how it is recognised, and what a row of it says.

    ``read`` raises InputError with the reason why a row cannot be used.
    """

    name: str
    about: str  # what it is, for people
    fits: Callable[[Row], bool]
    read: Callable[[Row], Sequence[Conversation]]
