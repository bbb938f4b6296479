"""JSON as models write it: comments, trailing or missing commas, single or curly quotes, bare words.

What it reads can mean one thing only. A quote mark inside of a string that is not escaped is not guessed at: such a
text is no JSON. Time is linear in the length of the text.
"""

from __future__ import annotations

import re
from typing import Any


class Members(list[tuple[str, Any]]):
    """The members of a JSON object, repeated ones included."""


_MAX_DEPTH = 40
_BLANK = re.compile(r"\s*+")
_COMMENT = re.compile(r"//[^\n]*+|#[^\n]*+|/\*.*?\*/", re.DOTALL)
_STRING = re.compile(r"\"((?:[^\"\\]|\\.)*+)\"|'((?:[^'\\]|\\.)*+)'|[“„]([^“”„]*+)”|‘([^‘’]*+)’", re.DOTALL)
# A bare word: a number, NO, N/A, 8/10, True. It ends before a comment.
_WORD = re.compile(r"[\w.+\-/~][\w.+\-/~]*+(?:[ \t]++(?!//|#|/\*)[\w.+\-/~]++)*+")
_KEY = re.compile(r"[^\W\d][\w-]*+(?=\s*:)")
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|.)", re.DOTALL)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "\n": ""}


def read_loose_json(text: str, start: int = 0) -> tuple[Any, int, bool]:
    """The value at ``start``, where the text after it begins, and whether it has comments. All scalars are strings.

    Raises:
        ValueError: It is not JSON even in that sense; ``args[1]`` is the place where reading stopped.
    """
    reader = _Reader(text, start)
    value = reader.value(0)
    return value, reader.at, reader.comments


class _Reader:
    def __init__(self, text: str, start: int) -> None:
        self.text, self.at, self.comments = text, start, False

    def value(self, depth: int) -> Any:
        self.skip()
        mark = self.text[self.at : self.at + 1]
        if mark in ("{", "["):
            if depth >= _MAX_DEPTH:
                raise self.problem()
            self.at += 1
            return self.members(depth + 1) if mark == "{" else self.items(depth + 1)
        return self.string() if mark and mark in "\"'“„‘" else self.word()

    def members(self, depth: int) -> Members:
        members = Members()
        while not self.ends("}"):
            key = _KEY.match(self.text, self.at)
            if key:
                name, self.at = key[0], key.end()
            else:
                name = self.string()
            self.skip()
            if self.text[self.at : self.at + 1] not in (":", "："):
                raise self.problem()
            self.at += 1
            members.append((name, self.value(depth)))
            self.comma("}")
        return members

    def items(self, depth: int) -> list[Any]:
        items = []
        while not self.ends("]"):
            items.append(self.value(depth))
            self.comma("]")
        return items

    def ends(self, mark: str) -> bool:
        self.skip()
        found = self.text.startswith(mark, self.at)
        self.at += found
        return found

    def comma(self, mark: str) -> None:
        """Step over a comma. It may be missing at the end of a line."""
        after = self.at
        self.skip()
        if self.text[self.at : self.at + 1] in (",", "，"):
            self.at += 1
        elif not self.text.startswith(mark, self.at) and "\n" not in self.text[after : self.at]:
            raise self.problem()

    def string(self) -> str:
        match = _STRING.match(self.text, self.at)
        if match is None:
            raise self.problem()
        self.at = match.end()
        content = next(group for group in match.groups() if group is not None)
        return _ESCAPE.sub(_unescaped, content) if "\\" in content else content

    def word(self) -> str:
        match = _WORD.match(self.text, self.at)
        if match is None:
            raise self.problem()
        self.at = match.end()
        return "" if match[0] == "null" else match[0]

    def skip(self) -> None:
        while True:
            self.at = _BLANK.match(self.text, self.at).end()  # type: ignore[union-attr]  # it always matches
            comment = _COMMENT.match(self.text, self.at)
            if comment is None:
                return
            self.at, self.comments = comment.end(), True

    def problem(self) -> ValueError:
        return ValueError("not JSON", self.at)


def _unescaped(match: re.Match[str]) -> str:
    said = match[1]
    return chr(int(said[1:], 16)) if said[0] in "ux" and len(said) > 1 else _ESCAPES.get(said, said)
