"""Taking off what a model writes for itself: the text that a user would see, and the reasoning beside it.

Models and servers mark reasoning in many ways: ``<think>`` and its relatives, ``[THINK]``, ``◁think▷``, tokens such as
``<|START_THINKING|>``, the channels of the harmony format, a folded ``<details type="reasoning">``. A mark in a code
span or a code block, or in quotes by itself, is talked about and stays. Time is linear in the length of the text.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TypeAlias

_NAMES = r"(?:think(?:ing|s)?|thoughts?|reasoning)"
# Names that writers use for other things as well: they count only where they are closed.
_WEAK = (
    r"(?:reason|reflection|scratchpad|(?:character_)?analysis|understanding|cot|chain[_-]of[_-]thought"
    r"|(?:inner|internal)[_-]?(?:monologue|thoughts?))"
)
_MARK = re.compile(
    rf"""
    <\s*(?P<shut>/)?\s*(?:(?:[a-z][\w.-]{{0,20}}[:_]|ant)?{_NAMES}(?:_\w{{1,60}})?|(?P<weak>{_WEAK}))
        (?:\s[^<>/]{{0,300}})?(?P<empty>/)?\s*>
  | \[\s*(?P<bracket_shut>/)?\s*(?P<bracket>{_NAMES})\s*\](?![(:\[])
  | ◁\s*(?P<triangle_shut>/)?\s*{_NAMES}\s*▷
  | <[|｜]\s*(?:(?P<token_shut>/|end[_▁ -]?(?:of[_▁ -]?)?)|(?:begin|start)[_▁ -]?(?:of[_▁ -]?)?)?
        {_NAMES}(?:[_▁ -](?:(?P<token_end>end)|start|begin))?\s*[|｜]>
  | (?P<other><unused94>(?:thought)?|<\|inner_prefix\|>|<\|channel>\s*thought)
  | (?P<other_shut><unused95>|<\|inner_suffix\|>|<channel\|>)
  | (?P<details><details\s[^<>]{{0,200}}type\s*=\s*["']?reasoning[^<>]{{0,300}}>)
  | (?P<details_shut></details\s*>)
  | (?P<colons>^:::[ \t]*thinking[ \t]*$)
  | (?P<colons_shut>^:::[ \t]*$)
  | (?P<harmony><\|(?:start|channel|message|end|return|call|constrain)\|>)
    """,
    re.IGNORECASE | re.VERBOSE | re.MULTILINE,
)
_FENCE = r"^[ ]{0,3}(?P<fence>`{3,}|~{3,})(?P<info>[^\n]*)$"
_SIGN = re.compile(
    rf"{_FENCE}|(?P<ticks>`+)|(?P<html><(?P<tag>code|pre)(?:\s[^<>]{{0,300}})?>)"
    r"|(?P<indented>(?<=\n\n)(?:\ {4}|\t)[^\n]*(?:\n(?:\ {4}|\t)[^\n]*|\n(?=\n+(?:\ {4}|\t)))*)"
    rf"|(?P<mark>{_MARK.pattern})",
    re.IGNORECASE | re.VERBOSE | re.MULTILINE,
)
_CLOSING = (
    *("shut", "bracket_shut", "triangle_shut", "token_shut", "token_end"),
    *("other_shut", "details_shut", "colons_shut"),
)
_CLOSING_NAME = re.compile(r"[<\[]\s*/\s*([a-z][\w-]*)\s*[>\]]", re.IGNORECASE)
_FENCE_LINE = re.compile(_FENCE, re.MULTILINE)
_TICKS = re.compile(r"`+")
_QUOTES = {'"': '"', "'": "'", "“": "”", "‘": "’", "«": "»", "„": "“"}
_BEGINNINGS = ("analysis", "assistantanalysis", "here is my thought", "here's my thought", "thinking...", "thinking…")
# What is left of the harmony format where a server drops its tokens.
_BARE_HARMONY = re.compile(
    r"\s*(?:assistant)?analysis(?P<reasoning>.*?)assistant\s*final(?P<text>.*)", re.DOTALL | re.IGNORECASE
)
_ANNOUNCED = re.compile(
    r"\s*here(?:'s| is) my thought process:(?P<reasoning>.*?)\bhere(?:'s| is) my response:(?P<text>.*)"
    r"|\s*thinking(?:\.{3}|…)[ \t]*\n(?P<shown>.*?)\n(?:\.{3}|…)\s?done thinking\.?(?P<after>.*)",
    re.DOTALL | re.IGNORECASE,
)
# What some models put around the reply after their reasoning.
_WRAPPED = re.compile(
    r"\s*(?:<(?P<tag>answer|response|output)>(?P<inside>.*?)(?:</(?P=tag)>|\Z)"
    r"|<\|(?:begin_of_solution|START_RESPONSE|START_TEXT)\|>(?P<token>.*?)"
    r"(?:<\|(?:end_of_solution|END_RESPONSE|END_TEXT)\|>|\Z))\s*\Z",
    re.DOTALL | re.IGNORECASE,
)
_CHANNEL = re.compile(r"\s*(?P<name>[a-z_]+)(?P<rest>.*)", re.DOTALL | re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Seen:
    """A text as a user sees it.

    Attributes:
        text: What a user would see; the text itself, unchanged, where there was no reasoning in it.
        reasoning: What was taken off, without its marks; empty if nothing was.
        open: Whether the reasoning never ended, so that no text follows it.
    """

    text: str
    reasoning: str = ""
    open: bool = False


Counts: TypeAlias = Callable[[int, int, bool], bool]
"""Whether the mark between two places of a text counts; the last argument says whether it is a closing one."""


def take_off_reasoning(text: str, counts: Counts = lambda _start, _end, _closing: True) -> Seen:
    """The text without reasoning, and the reasoning.

    A closing mark without an opening one ends reasoning that began with the text. After an opening mark that is never
    closed, all is reasoning. A caller that knows what the text is can say which marks count outside of reasoning.
    """
    if text[:60].lstrip().lower().startswith(_BEGINNINGS):
        for whole in filter(None, (_BARE_HARMONY.match(text), _ANNOUNCED.match(text))):
            reasoning, rest = (said for said in whole.groups() if said is not None)
            return _Scan(_without_margin(rest), taken=[reasoning], harmony=False).seen()
    # Nearly all texts have no mark, so the marks are looked for by the characters that begin them.
    if "<" in text or "[" in text or "◁" in text or ":::" in text:
        return _Scan(text, counts=counts).seen()
    return Seen(text)


class _Code:
    """Finds marks that are neither in code nor in quotes."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.ticks: dict[int, list[int]] = defaultdict(list)
        if "`" in text:
            for run in _TICKS.finditer(text):
                self.ticks[len(run.group())].append(run.start())
        self.closed_names = {name.lower() for name in _CLOSING_NAME.findall(text)}
        # What is known to be open until the end is not searched for again: this keeps the time linear.
        self.open_fences: dict[str, int] = {}
        self.open_tags: set[str] = set()

    def next_mark(self, position: int, *, blocks: bool = True) -> re.Match[str] | None:
        """The next mark. Code blocks hide nothing if ``blocks`` is false."""
        while (sign := _SIGN.search(self.text, position)) is not None:
            position = sign.end()
            if sign["mark"]:
                if self._is_meant(sign):
                    return sign
            elif sign["ticks"]:
                length = len(sign["ticks"])
                position = self._after_run(sign.start(), length) if blocks or length < 3 else position
            elif not blocks:
                position = sign.start("fence") + len(sign["fence"]) if sign["fence"] else sign.start() + 1
            elif sign["fence"]:
                position = self._after_fence(sign)
            elif sign["tag"]:
                position = self._after_tag(sign)
        return None

    def _is_meant(self, mark: re.Match[str]) -> bool:
        start, end = mark.span()
        if start and end < len(self.text) and _QUOTES.get(self.text[start - 1]) == self.text[end]:
            return False
        name = (mark["weak"] or mark["bracket"] or "think").lower()
        return name == "think" or name in self.closed_names

    def _after_fence(self, fence: re.Match[str]) -> int:
        """The end of a fenced block; or of its first line if it is never closed, since then it is no block."""
        sign, length = fence["fence"][0], len(fence["fence"])
        if sign == "`" and "`" in fence["info"]:  # a code span
            return self._after_run(fence.start("fence"), length)
        if length < self.open_fences.get(sign, length + 1):
            for line in _FENCE_LINE.finditer(self.text, fence.end()):
                if line["fence"][0] == sign and len(line["fence"]) >= length and not line["info"].strip():
                    return line.end()
            self.open_fences[sign] = length
        return fence.end("fence")

    def _after_run(self, start: int, length: int) -> int:
        """The end of a code span: after the next run of as many ticks in the line, or else after this one."""
        runs = self.ticks[length]
        at = bisect_left(runs, start + length)
        closed = at < len(runs) and self.text.find("\n", start, runs[at]) < 0
        return (runs[at] if closed else start) + length

    def _after_tag(self, opening: re.Match[str]) -> int:
        tag = opening["tag"].lower()
        if tag not in self.open_tags:
            closing = re.compile(f"</{tag}\\s*>", re.IGNORECASE).search(self.text, opening.end())
            if closing:
                return closing.end()
            self.open_tags.add(tag)
        return opening.end()


@dataclass(slots=True)
class _Scan:
    """One walk through a text that may hold marks."""

    text: str
    taken: list[str] = field(default_factory=list)
    harmony: bool = True  # whether channels are looked for
    kept: str = ""
    nested: bool = True  # whether inner marks are counted: not after a block in which they do not balance
    blocks: bool = True  # whether code blocks in reasoning hide marks: not after one that hid the end
    counts: Counts = lambda _start, _end, _closing: True
    code: _Code = field(init=False)

    def __post_init__(self) -> None:
        self.code = _Code(self.text)

    def seen(self) -> Seen:
        """The result."""
        position = start = 0
        while (mark := self.code.next_mark(position)) is not None:
            position = mark.end()
            if not self.counts(mark.start(), mark.end(), _is_closing(mark)):
                continue
            if mark["harmony"]:
                if self.harmony:
                    return self._of_channels(start, mark)
                continue
            if _is_closing(mark):
                if _family(mark) != "":
                    continue  # such marks close other things, too
                self.taken.append(self.kept + self.text[start : mark.start()])
                self.kept = ""
            else:
                self._keep(self.text[start : mark.start()])
                end = None if mark["empty"] else self._end_of(mark)
                if not mark["empty"]:
                    self.taken.append(self.text[mark.end() : end.start() if end else None])
                    if end is None:
                        return self._result(is_open=True)
                    position = end.end()
            start = position
        if start == 0:
            return Seen(self.text, _joined(self.taken))
        self._keep(self.text[start:])
        return self._result(is_open=False)

    def _result(self, *, is_open: bool) -> Seen:
        text = _without_margin(self.kept)
        if wrapped := _WRAPPED.fullmatch(text):
            text = _without_margin(wrapped["inside"] if wrapped["tag"] else wrapped["token"])
        return Seen(text, _joined(self.taken), is_open)

    def _keep(self, piece: str) -> None:
        """Add a piece of what the user sees, with no more space at the joint than a paragraph needs."""
        left = self.kept.rstrip()
        if not left:
            self.kept += piece
            return
        right = piece.lstrip()
        before, after = self.kept[len(left) :], piece[: len(piece) - len(right)]
        gap = (before or after)[:1]
        if breaks := (before + after).count("\n"):
            gap = "\n" * min(breaks, 2) + (after.rpartition("\n")[2] if "\n" in after else "")
        self.kept = left + gap + right

    def _end_of(self, opening: re.Match[str]) -> re.Match[str] | None:
        """The mark that ends the reasoning which ``opening`` begins."""
        position, depth, first = opening.end(), 1, None
        while (mark := self.code.next_mark(position, blocks=self.blocks)) is not None:
            position = mark.end()
            if mark["harmony"] or mark["empty"] or _family(mark) != _family(opening):
                continue
            closing = _is_closing(mark)
            depth += -1 if closing else 1
            if closing and (depth == 0 or not self.nested):
                return mark
            first = first or (mark if closing else None)
        if first is None and self.blocks:
            # A code block of the reasoning may have been left open, and then hides the end.
            self.blocks = False
            return self._end_of(opening)
        self.nested = False
        return first

    def _of_channels(self, start: int, mark: re.Match[str]) -> Seen:
        """The text of the final channel. The other channels are reasoning, or calls of tools."""
        messages = _Messages()
        token, position = "", start
        following: re.Match[str] | None = mark
        while following is not None:
            messages.add(token, self.text[position : following.start()], following["harmony"].lower())
            token, position = following["harmony"].lower(), following.end()
            following = self._next_harmony(position)
        messages.add(token, self.text[position:], "")
        shown, hidden, is_open = messages.read()
        seen = _Scan(_without_margin(shown), taken=[*self.taken, self.kept, *hidden], harmony=False).seen()
        return Seen(seen.text, seen.reasoning, seen.open or (is_open and not seen.text))

    def _next_harmony(self, position: int) -> re.Match[str] | None:
        while (mark := self.code.next_mark(position)) is not None and not mark["harmony"]:
            position = mark.end()
        return mark


class _Messages:
    """The messages of a text in the harmony format, as its tokens come."""

    def __init__(self) -> None:
        self.channel = "lead"  # of the text before the first token
        self.messages: list[tuple[str, str]] = []

    def add(self, before: str, piece: str, following: str) -> None:
        """A piece of text between two tokens; ``before`` is empty at the beginning, ``following`` at the end."""
        called = " to=" in f" {piece}"
        if before == "<|start|>":
            role = piece.strip().lower()
            self.channel = "tool" if called else "final" if role in ("", "assistant") else "other"
        elif before == "<|channel|>":
            named = _CHANNEL.match(piece)
            name, rest = (named["name"].lower(), named["rest"]) if named else ("analysis", piece)
            self.channel = "tool" if called or self.channel == "tool" else name
            if following not in ("<|message|>", "<|constrain|>"):
                self.messages.append((self.channel, rest))
        elif before != "<|constrain|>" and (piece.strip() or self.channel == "final"):
            self.messages.append((self.channel, piece))
        if following in ("<|end|>", "<|return|>", "<|call|>"):
            self.channel = "between"

    def read(self) -> tuple[str, list[str], bool]:
        """What the user sees, all other messages, and whether the text ends inside one of those."""
        channels = [channel for channel, _ in self.messages]
        # A text before all channels is reasoning whose head belonged to the prompt, or a reply without channels.
        seen = next((name for name in ("final", "commentary") if name in channels), "" if channels[1:] else "lead")
        shown = "".join([text for channel, text in self.messages if channel == seen])
        hidden = [text for channel, text in self.messages if channel != seen]
        return shown, hidden, self.channel not in ("between", "lead", seen)


def _is_closing(mark: re.Match[str]) -> bool:
    return any(mark[name] for name in _CLOSING)


def _family(mark: re.Match[str]) -> str:
    """What kind of mark can close this one; empty for the marks that are used for reasoning only."""
    if mark["details"] or mark["details_shut"]:
        return "details"
    if mark["colons"] or mark["colons_shut"]:
        return "colons"
    return (mark["weak"] or "").lower()


def _without_margin(text: str) -> str:
    """The text without blank lines at its beginning and blanks at its end; the indentation of its first line stays."""
    body = text.lstrip()
    margin = text[: len(text) - len(body)]
    return ((margin.rpartition("\n")[2] if "\n" in margin else "") + body).rstrip()


def _joined(pieces: Iterable[str]) -> str:
    return "\n\n".join([piece.strip() for piece in pieces if piece.strip()])
