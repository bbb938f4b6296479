"""The form of an answer, and the blocks of a text that may be one: ``key: value`` lines, or a JSON object.

Text inside a block, such as a verdict quoted in the notes, is part of it. Time is linear in the length of the text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from iamhumans.verdicts.loose_json import Members, read_loose_json
from iamhumans.verdicts.values import ReadValue, plain_key

_MAX_BLOCK_CHARACTERS = 2_000_000  # of all blocks of an answer
_MAX_NESTED_CHARACTERS = 500_000  # of overlapping blocks in a text that is judged
_MAX_JSON_CHARACTERS = 5_000_000  # spent on braces that start no JSON object
_BRACE_COST = 1_000

# Possessive quantifiers (`*+`) keep all patterns linear.
_FENCE = re.compile(r"^[ \t]*+(`{3,}|~{3,})", re.MULTILINE)
_ASKED_FENCE = re.compile(r"`*[ \t]*ya?ml[ \t]*$", re.IGNORECASE | re.MULTILINE)  # what follows its first marks
_BULLET = r"[ \t>]*+(?:(?:[-*+]|[0-9]{1,2}[.)]|#{1,6})[ \t]++)?+"
# A key has at most three words: with more of them before the colon, the line is a sentence.
_KEY = rf"{_BULLET}([*_`\"'“”]*+[^\W\d][\w-]*+(?:[ \t]++[\w-]++){{0,2}}+[*_`\"'“”]*+)[ \t]*+[:：]"
_KEY_LINE = re.compile(_KEY)
_ITEM_OR_COMMENT = re.compile(r"[ \t]*+[-#](?:[ \t]|$)", re.MULTILINE)
_ONLY_KEYS = re.compile(rf"(?:(?:{_KEY}|[ \t]*+[-#](?:[ \t]|(?=\n)))[^\n]*\n)*+")


_JSON = json.JSONDecoder(
    strict=False, object_pairs_hook=Members, parse_int=str, parse_float=str, parse_constant=str
).raw_decode


class Form:
    """What an answer looks like: its keys, and the patterns that find it.

    Args:
        noun: What the answer is called in messages.
        readers: How each value is read. A key given twice with different values is a conflict.
        parts: The keys that say something, in their order.
        decisive: The parts that must be there; two answers must agree on them.
        section_of: The section of each part; empty if all keys are at the top level.
        prose: The key of the running text at the end.
    """

    def __init__(
        self,
        noun: str,
        readers: Mapping[str, ReadValue],
        parts: Sequence[str],
        decisive: Sequence[str],
        section_of: Mapping[str, str],
        prose: str,
    ) -> None:
        self.noun, self.readers, self.parts, self.decisive = noun, readers, parts, decisive
        self.section_of, self.prose = section_of, prose
        self.headings = {*section_of.values(), "evidence"} if section_of else set()
        self.known = self.headings.union(readers)
        self.after = [key for key in readers if key not in ("case_id", "check", *parts)]
        heads = ("case_id", "check", *self.headings, *parts)
        self.head, self.head_anywhere = _pattern("^KEY", heads), _pattern("KEY", heads)
        self.head_of_prose = _pattern("^KEY", (prose,))
        brace = r"(?P<brace>^[ \t]*+\{|\{(?=\s*[\"'“}]|[ \t]*$))"
        self.line = _pattern(rf"{_FENCE.pattern}|(?P<head>^KEY)", heads)
        self.start = _pattern(f"{self.line.pattern}|{brace}", ())
        self.part = _pattern(r"(?:^|[{,]\s*)KEY", parts)


def _pattern(template: str, names: Iterable[str]) -> re.Pattern[str]:
    words = "|".join(re.escape(name).replace("_", r"[ _-]?") for name in names)
    key = rf"{_BULLET}[*_`\"'“”]*(?:{words})[*_`\"'“”]*+[ \t]*+[:：]"
    return re.compile(template.replace("KEY", key), re.IGNORECASE | re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Block:
    """A part of a text that may be an answer."""

    text: str
    start: int
    fenced: bool  # in another fence than the one that the prompt shows
    closed: bool = True  # false for JSON that breaks off
    json: Members | None = None  # what it says, if it is JSON
    comments: bool = False  # whether it is JSON with comments

    @property
    def end(self) -> int:
        """Where the text after the block begins."""
        return self.start + len(self.text)


def find_blocks(text: str, form: Form, *, nested: bool = False) -> tuple[list[Block], bool]:
    """The blocks of a text in order, with ``nested`` those inside others, too; and whether there was room for all."""
    blocks: list[Block] = []
    if not any(mark in text for mark in ":{："):
        return blocks, True
    scan = _Scan(text, form)
    room = _MAX_NESTED_CHARACTERS if nested else _MAX_BLOCK_CHARACTERS
    for block in scan.blocks(nested=nested):
        room -= len(block.text)
        if room < 0:
            return blocks, False
        blocks.append(block)
    return blocks, scan.room_for_json >= 0


class _Scan:
    """One walk through a text."""

    def __init__(self, text: str, form: Form) -> None:
        self.text = text
        self.form = form
        self.fence = ""
        self.odd_fence = False
        self.room_for_json = _MAX_JSON_CHARACTERS
        self.found: dict[re.Pattern[str], tuple[int, int]] = {}

    def blocks(self, *, nested: bool) -> Iterator[Block]:
        position = inside = 0
        while match := (self.form.line if self.room_for_json < 0 else self.form.start).search(self.text, position):
            position = match.end()
            if match[1]:
                self._step_into_or_out_of_fence(match)
                position = inside = self._next_line(position)
                continue
            block = self._lines(match.start(), inside) if match["head"] else self._json(position - 1)
            if block is not None:
                yield block
                position = position if nested else block.end
                inside = self._next_line(position)
                position = inside if nested and match["head"] else position

    def _step_into_or_out_of_fence(self, match: re.Match[str]) -> None:
        if not self.fence:
            self.fence = match[1][:3]
            self.odd_fence = self.fence != "```" or not _ASKED_FENCE.match(self.text, match.end(1))
        elif match[1].startswith(self.fence):
            self.fence, self.odd_fence = "", False

    def _next_line(self, position: int) -> int:
        end = self.text.find("\n", position)
        return len(self.text) if end < 0 else end + 1

    def _ahead(self, pattern: re.Pattern[str], start: int) -> int:
        """Where the pattern matches next. The place is remembered, so that no part of the text is searched twice."""
        searched, found = self.found.get(pattern, (0, -1))
        if not searched <= start <= found:
            match = pattern.search(self.text, start)
            found = match.start() if match else len(self.text)
            self.found[pattern] = start, found
        return found

    def _lines(self, start: int, inside: int) -> Block:
        # In a fence, lines before the first head are part of the block if all of them are keys.
        if self.fence and _ONLY_KEYS.fullmatch(self.text, inside, start):
            start = inside
        return Block(self.text[start : self._end_of_lines(start)].rstrip(), start, self.odd_fence)

    def _end_of_lines(self, start: int) -> int:
        text = self.text
        first_part, had_case_id = self._ahead(self.form.part, start), False
        beginning = text[start : start + 1000]
        margin = len(beginning) - len(beginning.lstrip(" \t>"))
        for line in _at_margin(margin).finditer(text, start):
            at = line.start()
            fence = _FENCE.match(text, at)
            if fence and fence[1].startswith(self.fence):
                return at
            key = _KEY_LINE.match(text, at)
            if key is None:
                if at > start and (not _ITEM_OR_COMMENT.match(text, at) or text.startswith("---", at)):
                    return at
            elif plain_key(key[1]) == "case_id":
                if had_case_id and first_part < at and self._ahead(self.form.part, at) < len(text):
                    return at  # another answer begins
                had_case_id = True
        return len(text)

    def _json(self, start: int) -> Block | None:
        try:
            value, end = _JSON(self.text, start)
            return Block(self.text[start:end], start, self.odd_fence, json=value)
        except ValueError as error:
            self.room_for_json -= _BRACE_COST + getattr(error, "pos", start) - start
        except RecursionError:
            self.room_for_json -= 20 * _BRACE_COST
        # Not quite JSON, or it breaks off.
        fence = self._ahead(_FENCE, start)
        if self._ahead(self.form.part, start) >= fence:
            return None
        try:
            value, end, comments = read_loose_json(self.text, start)
            return Block(self.text[start:end], start, self.odd_fence, json=value, comments=comments)
        except ValueError as error:
            self.room_for_json -= error.args[1] - start
        text = self.text[start:fence]
        end = text.rfind("}") + 1
        closed = end > 0 and text.count("{") <= text.count("}")
        return Block(text[:end] if closed else text.rstrip("\n"), start, self.odd_fence, closed)


@lru_cache(maxsize=64)
def _at_margin(margin: int) -> re.Pattern[str]:
    """Lines that are indented no deeper than ``margin``."""
    return re.compile(rf"^[ \t>]{{0,{margin}}}+(?=[^ \t>\n])", re.MULTILINE)
