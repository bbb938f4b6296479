"""The text of an answer before it is searched for a verdict: no control characters, no reasoning, no string around it.

Marks of reasoning inside of a verdict, in its quotes or notes, are words of it and stay.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from iamhumans.text import take_off_reasoning
from iamhumans.verdicts.values import CONTROL_CHARACTERS

if TYPE_CHECKING:
    from iamhumans.text import Seen
    from iamhumans.verdicts.blocks import Form

_MAX_CHARACTERS = 5_000_000  # of an answer, long runs of blanks aside

_ODD_BREAKS = re.compile("[\x85\u2028\u2029]")
_BLANK_LINES = re.compile(r"(?<!\s)(?:[^\S\n]*\n){1000,}")
_LONG_BLANKS = re.compile(r"(?<![^\S\n])[^\S\n]{1000,}")
_OPENING_OF_A_BLOCK = re.compile(r"[ \t]*(?:\{|```|~~~)")
_ESCAPED = re.compile(r"\{(?:\\n|\s)*\\\"|[^\"]*?\\n[ \t]*+[*-]*+\w++[* ]*+:")


def clean_answer(text: str, form: Form, repairs: set[str]) -> tuple[str, bool]:
    """The answer without control characters and reasoning, and whether it was nothing but reasoning."""
    text = remove_controls(text, repairs)
    is_long = len(text) > 100_000
    if is_long:
        text = _LONG_BLANKS.sub(" ", _BLANK_LINES.sub("\n", text))
    seen = _without_reasoning(text, form)
    had_reasoning = seen.text != text
    if had_reasoning:
        repairs.add("reasoning")
        # A line end says that the last line is whole.
        text = seen.text + "\n" * text.endswith("\n")
    text = text[:_MAX_CHARACTERS] if is_long else text
    plain = unescaped(text)
    if plain != text:
        repairs.add("nested_json")
    return plain, had_reasoning and not text.strip()


def remove_controls(text: str, repairs: set[str]) -> str:
    """The text without a byte-order mark, control characters and odd line ends."""
    if text.replace("\n", "").isprintable():  # nearly every answer, and ten times faster than the patterns
        return text
    clean = _ODD_BREAKS.sub(" ", text.replace("\r\n", "\n").replace("\r", "\n"))
    clean = CONTROL_CHARACTERS.sub("", clean)
    if clean != text:
        repairs.add("characters")
    return clean


def unescaped(text: str) -> str:
    r"""The text that a JSON string holds, where the whole text is one, with or without its quote marks."""
    body = text.strip()
    if "\\" not in body or "\n" in body:
        return text
    if not (body[0] == body[-1] == '"' and len(body) > 1):
        if not _ESCAPED.match(body):
            return text
        body = f'"{body}"'
    try:
        value = json.loads(body)
    except ValueError:
        return text
    return value if isinstance(value, str) else text


def _without_reasoning(text: str, form: Form) -> Seen:
    start = len(text) - len(text.lstrip())
    seen = take_off_reasoning(text, _Counts(text, form, start).counts)
    if seen.open and seen.text.strip():
        # It is only a word: reasoning that is left open begins an answer.
        return take_off_reasoning(text, _Counts(text, form, start, only_first=True).counts)
    return seen


class _Counts:
    """Which marks are marks of reasoning in an answer, and not words of a verdict."""

    def __init__(self, text: str, form: Form, start: int, *, only_first: bool = False) -> None:
        self.text, self.form, self.start, self.only_first = text, form, start, only_first
        self._head: int | None = None

    @property
    def head(self) -> int:
        """Where the first line that may be part of a verdict begins."""
        if self._head is None:
            match = self.form.head.search(self.text)
            self._head = match.start() if match else len(self.text)
        return self._head

    def counts(self, start: int, end: int, closing: bool) -> bool:
        """Whether the mark between two places counts."""
        if start == self.start:
            return True
        line = self.text.rfind("\n", 0, start) + 1
        if not closing:
            return not self.only_first and (line == start or start < self.head)
        if line == start:
            return True
        stop = self.text.find("\n", end)
        rest = self.text[end : stop if stop >= 0 else len(self.text)]
        if rest.strip():
            # Elsewhere (in notes, a quote, a JSON string) it is a word of the verdict.
            return bool(_OPENING_OF_A_BLOCK.match(rest) or self.form.head_anywhere.match(self.text, end))
        # A line that starts at the margin. The last line of an answer is its notes.
        if self.text[line] in " \t{":
            return False
        return bool(self.text[end:].strip()) or not self.form.head_of_prose.match(self.text, line)
