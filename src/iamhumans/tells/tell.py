"""A tell: a deterministic finding in a reply, and the sentence that shows it."""

from dataclasses import asdict, dataclass
from typing import Any

MAX_QUOTE = 160  # longest quote, in characters
# No more text than this is searched for the ends of a sentence.
_FAR = 400
_ENDS = (". ", "! ", "? ", "\n", ".\n", "… ")


@dataclass(frozen=True, slots=True)
class Tell:
    """A deterministic finding in a reply."""

    rule: str  # the id of the rule, such as `pity.talking_down`
    axis_or_hard_fail: str  # what it counts for
    start: int  # the index of its first character in the reply, from 0
    end: int
    text: str  # `reply[start:end]`
    meaning: str  # what the finding means, in one sentence

    def to_dict(self) -> dict[str, Any]:
        """The tell as plain data, ready for JSON."""
        return asdict(self)


def quote_of(reply: str, tell: Tell) -> str:
    """The sentence around a tell, or the part of it that fits ``MAX_QUOTE``. Always a slice of the reply."""
    nearest = max(0, tell.start - _FAR)
    starts = [found + len(end) if (found := reply.rfind(end, nearest, tell.start)) >= 0 else nearest for end in _ENDS]
    stops = [
        found + 1 for end in _ENDS if (found := reply.find(end, max(tell.end - 1, tell.start), tell.end + _FAR)) >= 0
    ]
    start, stop = max(starts), min(stops, default=min(len(reply), tell.end + _FAR))
    if tell.end - tell.start >= MAX_QUOTE:
        start, stop = tell.start, _word_end(reply, tell.start + MAX_QUOTE)
    elif stop - start > MAX_QUOTE:
        if tell.end - start > MAX_QUOTE:
            start = tell.end - MAX_QUOTE
            while start < tell.start and not reply[start - 1].isspace():
                start += 1
        stop = max(tell.end, _word_end(reply, min(stop, start + MAX_QUOTE)))
    return reply[start:stop].strip()


def _word_end(text: str, position: int) -> int:
    if position >= len(text):
        return len(text)
    blank = max(text.rfind(" ", 0, position + 1), text.rfind("\n", 0, position + 1))
    return blank if blank > position - 40 else position
