"""The blocks of an answer that may hold a verdict (or a choice): ``key: value`` lines, or a JSON object.

Text inside a block, such as a verdict quoted in the notes, is part of it and never a block of its own. Time is linear
in the length of the answer, whatever it holds.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from iamhumans.verdicts.values import plain_key

_MAX_CHARACTERS = 20_000_000
_MAX_BLOCK_CHARACTERS = 2_000_000
_MAX_NESTED_CHARACTERS = 500_000
"""How many characters of overlapping blocks are read in a foreign text."""
_MAX_JSON_CHARACTERS = 5_000_000
"""How many characters may be spent on braces that start no JSON object."""

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
# Possessive quantifiers (`*+`) keep every pattern below linear.
_FENCE = re.compile(r"^[ \t]*+(`{3,}|~{3,})", re.MULTILINE)
_BULLET = r"(?:(?:[-*+]|[0-9]{1,2}[.)]|#{1,6})[ \t]++)?+"
# A key has at most three words: with more of them before the colon, the line is a sentence.
_KEY_LINE = re.compile(rf"[ \t>]*+{_BULLET}([*_`\"']*+[^\W\d][\w-]*+(?:[ \t]++[\w-]++){{0,2}}+[*_`\"']*+)[ \t]*+[:：]")
_INDENT = re.compile(r"[ \t>]*")
_ITEM_OR_COMMENT = re.compile(r"[ \t]*+[-#](?:[ \t]|$)", re.MULTILINE)
_ONLY_KEYS = re.compile(rf"(?:(?:{_KEY_LINE.pattern}|[ \t]*+[-#](?:[ \t]|(?=\n)))[^\n]*\n)*+")
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
    text = without_control_characters(text, repairs)
    end = _REASONING.match(text) or _REASONING_END.search(text)
    if end:
        repairs.add("reasoning")
        text = text[end.end() :]
    elif _REASONING_START.match(text):
        return Cleaned("", frozenset(repairs), only_reasoning=True)
    if len(text) > _MAX_CHARACTERS:
        # Only what is not blank counts towards the limit; the indent of the next line stays.
        text = _LONG_BLANKS.sub(lambda run: "".join(run[0].rpartition("\n")[1:])[:100], text)[:_MAX_CHARACTERS]
    return Cleaned(text, frozenset(repairs), only_reasoning=end is not None and not text.strip())


def without_control_characters(text: str, repairs: set[str]) -> str:
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


class BlockFinder:
    """Finds the blocks of one kind of answer.

    Args:
        heads: Keys with which a block may begin.
        stating: Keys that say something; JSON without any of them is no block.
        mark: The key that every whole answer has at its margin.
    """

    def __init__(self, heads: Iterable[str], stating: Iterable[str], mark: str) -> None:
        stating = tuple(stating)
        head = _key_pattern(heads)
        self._starts = re.compile(
            rf"{_FENCE.pattern}|(?P<head>^{head})|(?P<brace>^[ \t]*+\{{|\{{(?=\s*[\"'}}]|[ \t]*$))",
            re.IGNORECASE | re.MULTILINE,
        )
        self._head = re.compile(f"^{head}", re.IGNORECASE | re.MULTILINE)
        self._stated = re.compile(f"^{_key_pattern((mark, *stating))}", re.IGNORECASE | re.MULTILINE)
        self._in_json = re.compile(rf"(?:^|[{{,]\s*){_key_pattern(stating)}", re.IGNORECASE | re.MULTILINE)

    def find(self, text: str) -> Iterator[Block]:
        """The blocks of a cleaned answer, in order; none overlap."""
        room = _MAX_BLOCK_CHARACTERS
        for block in _Scan(self, text).blocks():
            room -= len(block.text)
            if room < 0:
                return
            yield block

    def find_nested(self, text: str) -> list[Block] | None:
        """The blocks of a foreign text, also those inside others; ``None`` where there are too many to look at."""
        if "{" not in text and not ((":" in text or "：" in text) and self._head.search(text)):
            return []
        scan = _Scan(self, text)
        blocks: list[Block] = []
        room = _MAX_NESTED_CHARACTERS
        for block in scan.blocks(nested=True):
            room -= len(block.text)
            if room < 0:
                return None
            blocks.append(block)
        return blocks if scan.room_for_json >= 0 else None

    # The three functions below are used by `_Scan` alone.

    def next_start(self, text: str, position: int) -> re.Match[str] | None:
        return self._starts.search(text, position)

    def states(self, text: str, start: int, end: int) -> bool:
        return self._stated.search(text, start, end) is not None

    def states_in_json(self, text: str) -> bool:
        return self._in_json.search(text) is not None


class _Scan:
    """One walk through a text."""

    def __init__(self, finder: BlockFinder, text: str) -> None:
        self.finder = finder
        self.text = text
        self.fence = ""
        self.room_for_json = _MAX_JSON_CHARACTERS

    def blocks(self, *, nested: bool = False) -> Iterator[Block]:
        position = inside = 0
        while match := self.finder.next_start(self.text, position):
            if match[1]:
                self.fence = match[1][:3] if not self.fence else "" if match[1].startswith(self.fence) else self.fence
                position = inside = self._line_end(match.end())
                continue
            block = self._lines(match.start(), inside) if match["head"] else self._json(match.end() - 1)
            if block is None:
                position = match.end()
            elif nested:
                position = inside = self._line_end(match.end()) if match["head"] else match.end()
                yield block
            else:
                position = block.end
                inside = self._line_end(position)
                yield block

    def _line_end(self, position: int) -> int:
        end = self.text.find("\n", position)
        return len(self.text) if end < 0 else end + 1

    # --- key: value lines

    def _lines(self, start: int, inside: int) -> Block:
        # In a fence, lines before the first head are part of the block if all of them are keys.
        if self.fence and _ONLY_KEYS.fullmatch(self.text, inside, start):
            start = inside
        text = self.text[start : self._end_of_lines(start)].rstrip()
        return Block(text, start, start + len(text), fenced=bool(self.fence))

    def _end_of_lines(self, start: int) -> int:
        text, checked = self.text, start
        had_case_id = stated = False
        margin = _INDENT.match(text, start).end() - start  # type: ignore[union-attr]  # it matches anything
        for line in _at_margin(margin).finditer(text, start):
            at = line.start()
            fence = _FENCE.match(text, at)
            if fence and fence[1].startswith(self.fence):
                return at
            key_line = _KEY_LINE.match(text, at)
            if key_line is None:
                if at > start and (not _ITEM_OR_COMMENT.match(text, at) or text.startswith("---", at)):
                    return at
            elif plain_key(key_line[1]) == "case_id":
                stated = stated or self.finder.states(text, checked, at)
                if had_case_id and stated:  # another answer begins
                    return at
                had_case_id, checked = True, at
        return len(text)

    # --- JSON

    def _json(self, start: int) -> Block | None:
        if self.room_for_json < 0:
            return None
        try:
            _, end = _DECODER.raw_decode(self.text, start)
        except (ValueError, RecursionError):
            return self._loose_json(start)
        return Block(self.text[start:end], start, end, fenced=bool(self.fence), json=True)

    def _loose_json(self, start: int) -> Block | None:
        """An object that is not quite JSON (a trailing comma, single quotes), or that breaks off."""
        fence = _FENCE.search(self.text, start)
        text = self.text[start : fence.start() if fence else len(self.text)]
        self.room_for_json -= len(text)
        if not self.finder.states_in_json(text):
            return None
        end = text.rfind("}") + 1
        closed = end > 0 and text.count("{") <= text.count("}")
        text = text[:end] if closed else text.rstrip("\n")
        return Block(text, start, start + len(text), fenced=bool(self.fence), json=True, closed=closed)


@lru_cache(maxsize=64)
def _at_margin(margin: int) -> re.Pattern[str]:
    """Lines that are indented no deeper than ``margin``."""
    return re.compile(rf"^[ \t>]{{0,{margin}}}+(?=[^ \t>\n])", re.MULTILINE)


def _key_pattern(names: Iterable[str]) -> str:
    words = "|".join(re.escape(name).replace("_", r"[ _-]?") for name in names)
    return rf"[ \t>]*+{_BULLET}[*_`\"']*(?:{words})[*_`\"']*+[ \t]*+[:：]"
