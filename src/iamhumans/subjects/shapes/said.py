"""What all shapes of logs become: messages, and the conversation that they make."""

from dataclasses import dataclass
from typing import Literal, NamedTuple

Voice = Literal["user", "assistant", "system", "tool"]


class Said(NamedTuple):
    """One message. ``system`` and ``tool`` messages are no turns."""

    voice: Voice
    text: str  # all that a user would see
    reasoning: str = ""  # what was taken off
    other: tuple[str, ...] = ()  # what it held besides text, such as ``an image`` or a call of a tool
    model: str = ""
    ending: str = ""  # the provider's word for how it ended
    found_in: str = ""  # the field that held reasoning
    open: bool = False  # whether the reasoning never ended


@dataclass(frozen=True, slots=True)
class Conversation:
    """A conversation of a log, with what the row says about it. Empty texts were not given."""

    messages: tuple[Said, ...]
    id: str = ""
    case_id: str = ""  # a case of the suite that the reply answers
    subject: str = ""
    number: int = 1
    lang: str = ""
    thread: str = ""  # the id of the conversation, where it has one besides that of the row
    alone: bool = False  # whether the shape holds replies without what they answer
