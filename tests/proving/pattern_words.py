"""What a pattern can be read as in plain words: ``take (?:all )?the time`` is "take all the time" and "take the time".

Only what a pattern says word by word counts. Where it leaves room, as ``[a-z]+`` or ``.*`` do, the words end and others
begin: what stands there is not in the pattern.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice, product
from typing import TypeAlias

_MOST = 400
"""So many readings of one alternative are enough: more is a pattern of many short choices."""
_GAP = "\x00"
_PIECE = re.compile(
    r"""(?P<open>\((?:\?[a-zA-Z-]*:|\?P<\w+>|\?[=!]|\?<[=!])?)|(?P<close>\))|(?P<or>\|)
    |(?P<class>\[\^?\]?(?:\\.|[^\]\\])*\])
    |(?P<escape>\\(?:x[0-9a-fA-F]{2}|.))
    |(?P<times>[*+?]\??|\{[0-9]*,?[0-9]*\}\??)
    |(?P<edge>[\^$])|(?P<any>\.(?=[*+?{]))|(?P<plain>.)""",
    re.VERBOSE | re.DOTALL,
)

# A part of a pattern: what it can be read as.
_Readings: TypeAlias = Sequence[str]
_ZERO_WIDTH = frozenset("bBAzZ")


def pattern_words(text: str) -> Iterator[str]:
    """The runs of plain words of a pattern, or of a plain text, which is read as it stands.

    A text with brackets that do not match is no pattern and is given as it is.
    """
    pieces = [(match.lastgroup or "plain", match.group()) for match in _PIECE.finditer(text)]
    if not _is_pattern(pieces):
        yield text
        return
    seen: set[str] = set()
    for reading in _Reader(pieces).run():
        for words in reading.split(_GAP):
            if words.strip() and words not in seen:
                seen.add(words)
                yield words


def _is_pattern(pieces: Sequence[tuple[str, str]]) -> bool:
    depth = 0
    for kind, _ in pieces:
        depth += (kind == "open") - (kind == "close")
        if depth < 0:
            return False
    # Prose has brackets and full stops too; only a pattern has these.
    return depth == 0 and any(kind in ("escape", "class", "or", "any") or piece == "(?:" for kind, piece in pieces)


class _Reader:
    """Reads the pieces of a pattern once, from the left."""

    def __init__(self, pieces: Sequence[tuple[str, str]]) -> None:
        self._pieces = pieces
        self._at = 0

    def run(self) -> Iterator[str]:
        """What the whole pattern can be read as, alternative after alternative."""
        yield from self._alternatives()

    def _alternatives(self) -> list[str]:
        found: list[str] = []
        while True:
            parts = self._sequence()
            found += islice(("".join(one) for one in product(*parts)), _MOST)
            if self._at >= len(self._pieces) or self._pieces[self._at][0] != "or":
                return found
            self._at += 1

    def _sequence(self) -> list[_Readings]:
        parts: list[_Readings] = []
        while self._at < len(self._pieces) and self._pieces[self._at][0] not in ("or", "close"):
            kind, piece = self._pieces[self._at]
            self._at += 1
            if kind == "times":
                parts[-1:] = [_repeated(part, piece) for part in parts[-1:]]
            elif kind == "open":
                inner = self._alternatives()
                self._at += 1
                parts.append([_GAP] if piece[-1:] in "=!" and piece != "(" else inner)
            else:
                parts.append([_read(kind, piece)])
        return parts


def _repeated(part: _Readings, times: str) -> _Readings:
    """A part that may be missing is read with and without; one that may be repeated is followed by a gap."""
    if times.startswith("?"):
        return [*part, ""]
    if times.startswith("+"):
        return [f"{one}{_GAP}" for one in part]
    return [f"{one}{_GAP}" for one in part] + [""]


def _read(kind: str, piece: str) -> str:
    if kind == "escape":
        letter = piece[1]
        if letter in _ZERO_WIDTH:
            return ""
        return _GAP if letter.isalnum() else letter
    if kind == "class":
        # `[- ]` is a blank or a hyphen, and between words both are the same.
        return " " if piece in ("[- ]", "[ -]", "[ \\t]", "[-]") else _GAP
    return {"edge": "", "any": _GAP}.get(kind, piece)
