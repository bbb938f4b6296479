"""A tell's words made readable: the sentence around a span, cut to a length, still a verbatim slice."""

from __future__ import annotations

from iamhumans.tells.model import Tell

MAX_QUOTE = 160
"""Longest quote, in characters."""

# A quote is cut far below this, so no more of a text without full stops need be looked at.
_FAR = 400
_ENDS = (". ", "! ", "? ", "\n", ".\n", "… ")


def quote_of(reply_text: str, tell: Tell) -> str:
    """The words of the reply that show a tell, as they stand there, without blanks at either end."""
    start = max((_after(reply_text, end, tell.start) for end in _ENDS), default=0)
    following = [
        position
        for end in _ENDS
        if (position := reply_text.find(end, max(tell.end - 1, tell.start), tell.end + _FAR)) >= 0
    ]
    end = min(following) + 1 if following else min(len(reply_text), tell.end + _FAR)
    if tell.end - tell.start >= MAX_QUOTE:
        start, end = tell.start, _word_end(reply_text, tell.start + MAX_QUOTE)
    elif end - start > MAX_QUOTE:
        start = _word_start(reply_text, tell.end - MAX_QUOTE, tell.start) if tell.end - start > MAX_QUOTE else start
        end = max(tell.end, _word_end(reply_text, min(end, start + MAX_QUOTE)))
    return reply_text[start:end].strip()


def _after(text: str, mark: str, position: int) -> int:
    found = text.rfind(mark, max(0, position - _FAR), position)
    return max(0, position - _FAR) if found < 0 else found + len(mark)


def _word_start(text: str, position: int, latest: int) -> int:
    """The first start of a word from a position on, and ``latest`` if there is none before that."""
    while position < latest and not text[position - 1].isspace():
        position += 1
    return position


def _word_end(text: str, position: int) -> int:
    cut = min(position, len(text))
    if cut == len(text):
        return cut
    blank = max(text.rfind(" ", 0, cut + 1), text.rfind("\n", 0, cut + 1))
    return blank if blank > cut - 40 else cut
