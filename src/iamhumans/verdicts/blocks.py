"""The blocks of an answer that may hold a verdict or a choice: ``key: value`` lines, or a JSON object.

Text inside a block, such as a verdict quoted in the notes, is part of it. Time is linear in the length of the answer.
"""

from __future__ import annotations

import json
import re
from bisect import bisect
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

from iamhumans.verdicts.values import plain_key

_MAX_CHARACTERS = 5_000_000  # of an answer, long runs of blanks aside
_MAX_BLOCK_CHARACTERS = 2_000_000  # of all blocks of an answer
_MAX_NESTED_CHARACTERS = 500_000  # of overlapping blocks in a foreign text
_MAX_JSON_CHARACTERS = 5_000_000  # spent on braces that start no JSON object
_BRACE_COST = 1_000

CONTROL_CHARACTERS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufeff\ufffe\uffff]")
_ODD_BREAKS = re.compile("[\x85\u2028\u2029]")
_LONG_BLANKS = re.compile(r"(?<!\s)\s{1000,}")
_REASONING = re.compile(r"\s*<(think|thinking|reasoning)>.*?</\1>", re.DOTALL | re.IGNORECASE)
_REASONING_START = re.compile(r"\s*<(think|thinking|reasoning)>", re.IGNORECASE)
# Some servers drop the opening mark. A closing mark counts only at the start of a line, or at the end of a line that
# starts at the margin: elsewhere (in notes, a quote, a JSON string) it is a word of the verdict.
_REASONING_END = re.compile(
    r"^(?:</(?:think|thinking|reasoning)>|[^ \t{\n].*</(?:think|thinking|reasoning)>[ \t]*$)",
    re.IGNORECASE | re.MULTILINE,
)
# Possessive quantifiers (`*+`) keep all patterns linear.
_FENCE = re.compile(r"^[ \t]*+(`{3,}|~{3,})", re.MULTILINE)
_INDENT = re.compile(r"[ \t>]*")
_BULLET = r"(?:(?:[-*+]|[0-9]{1,2}[.)]|#{1,6})[ \t]++)?+"
# A key has at most three words: with more of them before the colon, the line is a sentence.
_KEY = rf"[ \t>]*+{_BULLET}([*_`\"']*+[^\W\d][\w-]*+(?:[ \t]++[\w-]++){{0,2}}+[*_`\"']*+)[ \t]*+[:：]"
_KEY_LINE = re.compile(_KEY)
_ITEM_OR_COMMENT = re.compile(r"[ \t]*+[-#](?:[ \t]|$)", re.MULTILINE)
_ONLY_KEYS = re.compile(rf"(?:(?:{_KEY}|[ \t]*+[-#](?:[ \t]|(?=\n)))[^\n]*\n)*+")
_DECODER = json.JSONDecoder(strict=False)


@dataclass(frozen=True, slots=True)
class Block:
    """A part of an answer that may be a verdict. ``closed`` is false for a JSON object that breaks off."""

    text: str
    start: int
    end: int
    fenced: bool = False
    json: bool = False
    closed: bool = True


class Cleaned(NamedTuple):
    """An answer without characters that mean nothing and without reasoning, and what was removed."""

    text: str
    repairs: frozenset[str]
    only_reasoning: bool = False


def clean_answer(text: str) -> Cleaned:
    """The answer without control characters, odd line ends and reasoning before it."""
    repairs: set[str] = set()
    text = remove_controls(text, repairs)
    end = (_REASONING.match(text) or _REASONING_END.search(text)) if "</" in text else None
    if end:
        repairs.add("reasoning")
        text = text[end.end() :]
    elif _REASONING_START.match(text):
        return Cleaned("", frozenset(repairs), only_reasoning=True)
    if len(text) > 100_000:
        text = _LONG_BLANKS.sub(_short_blanks, text)[:_MAX_CHARACTERS]
    return Cleaned(text, frozenset(repairs), only_reasoning=end is not None and not text.strip())


def _short_blanks(run: re.Match[str]) -> str:
    """One blank, or a line end and the indent of the next line."""
    _, line_end, indent = run[0].rpartition("\n")
    return line_end + (indent if len(indent) < 100 else "") or " "


def remove_controls(text: str, repairs: set[str]) -> str:
    """The text without a byte-order mark, control characters and odd line ends."""
    if text.replace("\n", "").isprintable():  # nearly every answer, and ten times faster than the patterns
        return text
    if text.startswith("\ufeff"):
        repairs.add("byte_order_mark")
        text = text[1:]
    if "\r" in text:
        repairs.add("line_endings")
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    clean = CONTROL_CHARACTERS.sub("", _ODD_BREAKS.sub(" ", text))
    if clean != text:
        repairs.add("control_characters")
    return clean


class BlockPatterns:
    """How to find blocks: they begin with one of ``heads``; JSON has one of ``stating``, lines have ``mark``."""

    def __init__(self, heads: Iterable[str], stating: Iterable[str], mark: str) -> None:
        def pattern(template: str, names: Iterable[str]) -> re.Pattern[str]:
            words = "|".join(re.escape(name).replace("_", r"[ _-]?") for name in names)
            key = rf"[ \t>]*+{_BULLET}[*_`\"']*(?:{words})[*_`\"']*+[ \t]*+[:：]"
            return re.compile(template.replace("KEY", key), re.IGNORECASE | re.MULTILINE)

        heads, stating = tuple(heads), tuple(stating)
        brace = r"(?P<brace>^[ \t]*+\{|\{(?=\s*[\"'}]|[ \t]*$))"
        self.line = pattern(f"{_FENCE.pattern}|(?P<head>^KEY)", heads)
        self.start = pattern(f"{self.line.pattern}|{brace}", ())
        self.head = pattern("^KEY", heads)
        self.stated = pattern("^KEY", (mark, *stating))
        self.in_json = pattern(r"(?:^|[{,]\s*)KEY", stating)


def find_blocks(text: str, patterns: BlockPatterns) -> Iterator[Block]:
    """The blocks of a cleaned answer, in order; none overlap."""
    room = _MAX_BLOCK_CHARACTERS
    for block in _Scan(text, patterns).blocks():
        room -= len(block.text)
        if room < 0:
            return
        yield block


def find_nested_blocks(text: str, patterns: BlockPatterns) -> list[Block] | None:
    """The blocks of a foreign text, also those inside others; ``None`` where there are too many to look at."""
    if "{" not in text and not ((":" in text or "：" in text) and patterns.head.search(text)):
        return []
    scan = _Scan(text, patterns)
    blocks: list[Block] = []
    room = _MAX_NESTED_CHARACTERS
    for block in scan.blocks(nested=True):
        room -= len(block.text)
        if room < 0:
            return None
        blocks.append(block)
    return blocks if scan.room_for_json >= 0 else None


class _Scan:
    """One walk through a text."""

    def __init__(self, text: str, patterns: BlockPatterns) -> None:
        self.text = text
        self.patterns = patterns
        self.fence = ""
        self.next_fence = -1
        self.room_for_json = _MAX_JSON_CHARACTERS

    def blocks(self, *, nested: bool = False) -> Iterator[Block]:
        position = inside = 0
        patterns = self.patterns
        while match := (patterns.line if self.room_for_json < 0 else patterns.start).search(self.text, position):
            if match[1]:
                self.fence = match[1][:3] if not self.fence else "" if match[1].startswith(self.fence) else self.fence
                position = inside = self._next_line(match.end())
                continue
            block = self._lines(match.start(), inside) if match["head"] else self._json(match.end() - 1)
            position = match.end()
            if block is not None:
                yield block
                if not nested:
                    position = block.end
                inside = self._next_line(position)
                position = inside if nested and match["head"] else position

    def _next_line(self, position: int) -> int:
        end = self.text.find("\n", position)
        return len(self.text) if end < 0 else end + 1

    def _lines(self, start: int, inside: int) -> Block:
        # In a fence, lines before the first head are part of the block if all of them are keys.
        if self.fence and _ONLY_KEYS.fullmatch(self.text, inside, start):
            start = inside
        text = self.text[start : self._end_of_lines(start)].rstrip()
        return Block(text, start, start + len(text), fenced=bool(self.fence))

    def _end_of_lines(self, start: int) -> int:
        text, checked = self.text, start
        had_case_id = stated = False
        more = True
        indent = _INDENT.match(text, start)
        for line in _at_margin(indent.end() - start if indent else 0).finditer(text, start):
            at = line.start()
            fence = _FENCE.match(text, at) if text[at] in "`~ \t" else None
            if fence and fence[1].startswith(self.fence):
                return at
            key_line = _KEY_LINE.match(text, at)
            if key_line is None:
                if at > start and (not _ITEM_OR_COMMENT.match(text, at) or text.startswith("---", at)):
                    return at
            elif plain_key(key_line[1]) == "case_id":
                stated = stated or self.patterns.stated.search(text, checked, at) is not None
                if had_case_id and stated and more:
                    more = self.patterns.stated.search(text, at) is not None
                    if more:  # another answer begins
                        return at
                had_case_id, checked = True, at
        return len(text)

    def _json(self, start: int) -> Block | None:
        fenced = bool(self.fence)
        try:
            _, end = _DECODER.raw_decode(self.text, start)
            return Block(self.text[start:end], start, end, fenced, json=True)
        except ValueError as error:
            self.room_for_json -= _BRACE_COST + getattr(error, "pos", start) - start
        except RecursionError:
            self.room_for_json -= 20 * _BRACE_COST
        # Not quite JSON (a trailing comma, single quotes), or it breaks off.
        if self.next_fence < start:
            fence = _FENCE.search(self.text, start)
            self.next_fence = fence.start() if fence else len(self.text)
        key = bisect(self.json_keys, start)
        if key == len(self.json_keys) or self.json_keys[key] > self.next_fence:
            return None
        text = self.text[start : self.next_fence]
        end = text.rfind("}") + 1
        closed = end > 0 and text.count("{") <= text.count("}")
        text = text[:end] if closed else text.rstrip("\n")
        return Block(text, start, start + len(text), fenced, json=True, closed=closed)

    @cached_property
    def json_keys(self) -> list[int]:
        """Where a key that says something ends."""
        return [match.end() for match in self.patterns.in_json.finditer(self.text)]


@lru_cache(maxsize=64)
def _at_margin(margin: int) -> re.Pattern[str]:
    """Lines that are indented no deeper than ``margin``."""
    return re.compile(rf"^[ \t>]{{0,{margin}}}+(?=[^ \t>\n])", re.MULTILINE)
