"""Patterns over folded text: how they are written, compiled, and asked for all at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

import re2

Span = tuple[int, int]

# Sets of many patterns need room for their automaton; where it is too small, RE2 gives up and finds nothing.
_SET_MEMORY = 256 << 20


def either(*alternatives: str) -> str:
    """A group that matches any of the alternatives; one of them may itself be a pattern."""
    return f"(?:{'|'.join(alternatives)})"


def words(*alternatives: str) -> str:
    """Any of the alternatives, as whole words."""
    return rf"\b{either(*alternatives)}\b"


def _options() -> Any:
    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    options.max_mem = _SET_MEMORY
    options.never_capture = True
    options.log_errors = False
    return options


@lru_cache(maxsize=1024)
def compiled(pattern: str) -> Any:
    """The pattern, ready to search folded text."""
    return re2.compile(pattern.encode("ascii"), _options())


def spans(pattern: str, folded: bytes, start: int = 0, end: int | None = None) -> Iterator[Span]:
    """Where the pattern matches, from the left, without overlaps."""
    for match in compiled(pattern).finditer(folded, start, end):
        yield match.span()


def matches(pattern: str, folded: bytes) -> bool:
    """Whether the pattern matches anywhere."""
    return compiled(pattern).search(folded) is not None


class PatternSet:
    """Many patterns, asked in one pass over the text which of them match at all."""

    def __init__(self, patterns: Sequence[str]) -> None:
        self._set = re2.Set.SearchSet(_options())
        for pattern in patterns:
            self._set.Add(pattern.encode("ascii"))
        self._set.Compile()

    def matching(self, folded: bytes) -> list[int]:
        """Indexes of the patterns that match, ascending."""
        return sorted(self._set.Match(folded) or ())
