"""Where in an answer that stands which was asked for: a verdict, or whatever else has a :class:`Form`.

An answer is cut into *blocks*, each of which may be a verdict: the content of a code fence, a stretch of ``key: value``
lines, a JSON object. What stands inside a block (a verdict quoted in its notes) is part of the block and never a block
of its own, because a nested line is indented deeper or lies within a JSON string.

The work is linear in the length of the answer, whatever it holds.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from iamhumans.verdicts.forms import Form
from iamhumans.verdicts.values import plain_key

_MAX_JSON_ATTEMPTS = 20
_MAX_NESTED_CHARACTERS = 500_000
"""How many characters of blocks inside others are looked at; those of an ordinary verdict are about ten thousand."""
_MAX_CHARACTERS = 2_000_000

CONTROL_CHARACTERS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufeff\ufffe\uffff]")
_ODD_BREAKS = re.compile("[\x85\u2028\u2029]")
_NEEDS_CLEANING = re.compile("[\r\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]")
_REASONING = re.compile(r"\s*<(think|thinking|reasoning)>.*?</\1>", re.DOTALL | re.IGNORECASE)
_REASONING_START = re.compile(r"\s*<(think|thinking|reasoning)>", re.IGNORECASE)
# A closing mark that begins a line, or ends one that begins at the margin. Elsewhere (in indented notes, in a quote, in
# a JSON string) it is a word of the verdict, which may well quote a reply that holds one.
_REASONING_END = re.compile(
    r"^(?:</(?:think|thinking|reasoning)>|[^ \t{\n].*</(?:think|thinking|reasoning)>[ \t]*$)",
    re.IGNORECASE | re.MULTILINE,
)
_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})")
# `key: value` with a key of at most three words; more words before a colon are a sentence. No part gives back what it
# took (`++`): a line of nothing but underscores would otherwise be split in every possible way.
_KEYISH = re.compile(
    r"[ \t>]*+(?:(?:[-*+]|[0-9]{1,2}[.)]|#{1,6})[ \t]++)?+"
    r"([*_`\"']*+[^\W\d][\w-]*+(?:[ \t]++[\w-]++){0,2}+[*_`\"']*+)[ \t]*+[:：]"
)
_ITEM_OR_COMMENT = re.compile(r"[ \t]*[-#](?:[ \t]|$)")
_JSON_START = re.compile(r"\{\s*[\"'}]|\{[ \t]*$|^[ \t]*\{", re.MULTILINE)
# A line of an undressed verdict is indented or begins with `word:`; this finds one that does neither.
_NOT_UNDRESSED = re.compile(r"\n(?![ \n]|[A-Za-z_]+:(?:[ \n]|\Z)|- )")


@dataclass(frozen=True, slots=True)
class Block:
    """A part of an answer that may be a verdict. ``start`` and ``end`` are line numbers, the end exclusive."""

    text: str
    start: int
    end: int
    fenced: bool = False
    json: bool = False
    closed: bool = True
    """False where a JSON object breaks off."""


class Cleaned(NamedTuple):
    """An answer without the dirt that has no meaning, and what was removed."""

    text: str
    repairs: frozenset[str]
    only_reasoning: bool = False


def clean_answer(text: str) -> Cleaned:
    """The answer without control characters, odd line ends and a leading block of reasoning."""
    repairs: set[str] = set()
    text = text[:_MAX_CHARACTERS]
    text = without_dirt(text, repairs)
    # Some servers cut the opening mark off. What comes before a closing mark is still not the answer.
    end = _REASONING.match(text) or _REASONING_END.search(text)
    if end:
        repairs.add("reasoning")
        text = text[end.end() :]
    elif _REASONING_START.match(text):
        return Cleaned("", frozenset(repairs), only_reasoning=True)
    return Cleaned(text, frozenset(repairs), only_reasoning=end is not None and not text.strip())


def without_dirt(text: str, repairs: set[str] | None = None) -> str:
    """The text without a byte-order mark, control characters and odd line ends; what was there goes to ``repairs``."""
    repairs = set() if repairs is None else repairs
    # Nearly every text is clean, and this test is ten times faster than the pattern.
    if text.replace("\n", "").isprintable() or not _NEEDS_CLEANING.search(text):
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


@lru_cache(maxsize=32)
def _head_pattern(names: tuple[str, ...]) -> re.Pattern[str]:
    words = "|".join(re.escape(name).replace("_", r"[ _-]?") for name in names)
    return re.compile(
        r"(?:[ \t>]*)(?:(?:[-*+]|[0-9]{1,2}[.)]|#{1,6})[ \t]+)?[*_`\"']*(?:" + words + r")[*_`\"']*[ \t]*[:：]",
        re.IGNORECASE,
    )


def may_hold_blocks(text: str, form: Form) -> bool:
    """Whether it is worth while to look for blocks in a foreign text."""
    if ":" not in text and "：" not in text:
        return False
    return "{" in text or any(map(_head_pattern(form.heads).match, text.split("\n")))


def find_nested_blocks(text: str, form: Form) -> tuple[tuple[Block, ...], bool]:
    """The blocks of a foreign text, also those inside others, and whether these are all of them."""
    scanner = _Scanner(text, form)
    blocks: list[Block] = []
    room = _MAX_NESTED_CHARACTERS
    for block in scanner.blocks(nested=True):
        room -= len(block.text)
        if room < 0:
            return tuple(blocks), False
        blocks.append(block)
    return tuple(blocks), not scanner.passed_over


def find_blocks(text: str, form: Form) -> tuple[Block, ...]:
    """The blocks of a cleaned answer, in order."""
    body = text.strip("\n")
    # The common case, told by a few searches: nothing but one verdict.
    if (
        body.startswith(("case_id:", "check:"))
        and f"\n{form.mark}:" in body
        and body.count("\ncase_id:") + body.startswith("case_id:") == 1
        and not _NOT_UNDRESSED.search(body)
    ):
        start = len(text) - len(text.lstrip("\n"))
        return (Block(body, start, start + body.count("\n") + 1),)
    return tuple(_Scanner(text, form).blocks())


class _Scanner:
    """Walks the lines of an answer once."""

    def __init__(self, text: str, form: Form) -> None:
        self.text = text
        self.lines = text.split("\n")
        self.mark = form.mark
        self.head = _head_pattern(form.heads)
        self.stating = _head_pattern(form.stating)
        self.json_attempts = 0
        self.passed_over = False
        """Whether there were more beginnings of JSON objects than are tried."""
        self.offsets = self._offsets()

    def _offsets(self) -> list[int]:
        offsets = [0]
        for line in self.lines:
            offsets.append(offsets[-1] + len(line) + 1)
        return offsets

    def blocks(self, *, nested: bool = False) -> Iterator[Block]:
        fence: str | None = None
        index = 0
        after_last = 0
        while index < len(self.lines):
            line = self.lines[index]
            marker = _FENCE.match(line)
            if marker:
                fence = marker[1][:3] if fence is None else None if marker[1].startswith(fence) else fence
                index += 1
                continue
            block = self._block_at(index, line, fence, after_last)
            if block is None:
                index += 1
            else:
                yield block
                index = after_last = index + 1 if nested else block.end

    def _block_at(self, index: int, line: str, fence: str | None, after_last: int) -> Block | None:
        if self.head.match(line):
            start = index if fence is None else self._start_in_fence(index, after_last)
            end = self._end_of_lines(start, fence)
            return Block("\n".join(self.lines[start:end]), start, end, fenced=fence is not None)
        brace = _JSON_START.search(line) if "{" in line else None
        if brace is None:
            return None
        if self.json_attempts == _MAX_JSON_ATTEMPTS:
            self.passed_over = True
            return None
        return self._json_block(index, brace.start(), fence)

    def _start_in_fence(self, index: int, after_last: int) -> int:
        """The first line of a fence, if nothing but keys stands between it and ``index``: what is there is one text.

        What the last block took, up to ``after_last``, is no part of another.
        """
        start = index
        while start > after_last and not _FENCE.match(self.lines[start - 1]):
            start -= 1
        before = self.lines[start:index]
        return start if all(_KEYISH.match(line) or _ITEM_OR_COMMENT.match(line) for line in before) else index

    def _json_block(self, index: int, column: int, fence: str | None) -> Block | None:
        self.json_attempts += 1
        offset = self.offsets[index] + column
        try:
            _, end = _DECODER.raw_decode(self.text, offset)
        except (ValueError, RecursionError):
            return self._loose_json(index, column, fence)
        last = index + self.text.count("\n", offset, end)
        return Block(self.text[offset:end], index, last + 1, fenced=fence is not None, json=True)

    def _loose_json(self, index: int, column: int, fence: str | None) -> Block | None:
        """An object that is not quite JSON (a trailing comma, single quotes), or that breaks off."""
        end = index
        while end < len(self.lines) and not _FENCE.match(self.lines[end]):
            end += 1
        whole = "\n".join(self.lines[index:end])[column:]
        if not self.stating.search(whole.replace("{", "\n").replace(",", "\n")) and not self._mentions(whole):
            return None
        brace = whole.rfind("}")
        closed = brace >= 0 and whole.count("{") <= whole.count("}")
        text = whole[: brace + 1] if closed else whole
        return Block(text, index, index + text.count("\n") + 1, fenced=fence is not None, json=True, closed=closed)

    def _mentions(self, text: str) -> bool:
        return any(self.stating.match(part) for part in re.split(r"[{,\n]\s*", text[:100_000]))

    def _end_of_lines(self, start: int, fence: str | None) -> int:
        margin = _indent(self.lines[start])
        seen: set[str] = set()
        index = start
        while index < len(self.lines):
            line = self.lines[index]
            if line.strip() and _indent(line) <= margin and not self._goes_on(line, fence, seen):
                break
            if self.mark not in seen and self.stating.match(line):
                seen.add(self.mark)
            index += 1
        while index > start + 1 and not self.lines[index - 1].strip():
            index -= 1
        return index

    def _goes_on(self, line: str, fence: str | None, seen: set[str]) -> bool:
        """Whether a line at the margin still belongs to the block; keeps book of the keys in ``seen``."""
        if _FENCE.match(line) and (fence is None or line.lstrip().startswith(fence)):
            return False
        key_match = _KEYISH.match(line)
        if key_match is None:
            return bool(_ITEM_OR_COMMENT.match(line)) and not line.startswith("---")
        key = plain_key(key_match[1])
        # A second case id after something was stated begins another answer.
        if key == "case_id" and {"case_id", self.mark} <= seen:
            return False
        seen.add(key)
        return True


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" \t>"))


_DECODER = json.JSONDecoder(strict=False)
