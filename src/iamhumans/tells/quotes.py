"""A tell's words made readable: the sentence around a span, cut to a length, still a verbatim slice."""

from __future__ import annotations

from iamhumans.tells.model import Tell

MAX_QUOTE = 160
"""Longest quote, in characters."""

_ENDS = (". ", "! ", "? ", "\n", ".\n", "… ")


def quote_of(reply_text: str, tell: Tell) -> str:
    """The words of the reply that show a tell, as they stand there, without blanks at either end."""
    start = max((_after(reply_text, end, tell.start) for end in _ENDS), default=0)
    following = [position for end in _ENDS if (position := reply_text.find(end, max(tell.end - 1, tell.start))) >= 0]
    end = min(following) + 1 if following else len(reply_text)
    if tell.end - tell.start >= MAX_QUOTE:
        start, end = tell.start, _word_end(reply_text, tell.start + MAX_QUOTE)
    elif end - start > MAX_QUOTE:
        start = max(start, _word_start(reply_text, tell.end - MAX_QUOTE)) if tell.end - start > MAX_QUOTE else start
        end = max(tell.end, _word_end(reply_text, min(end, start + MAX_QUOTE)))
    return reply_text[start:end].strip()


def _after(text: str, mark: str, position: int) -> int:
    found = text.rfind(mark, 0, position)
    return 0 if found < 0 else found + len(mark)


def _word_start(text: str, position: int) -> int:
    position = max(position, 0)
    while 0 < position < len(text) and not text[position - 1].isspace():
        position += 1
    return position


def _word_end(text: str, position: int) -> int:
    cut = min(position, len(text))
    if cut == len(text):
        return cut
    blank = max(text.rfind(" ", 0, cut + 1), text.rfind("\n", 0, cut + 1))
    return blank if blank > cut - 40 else cut
