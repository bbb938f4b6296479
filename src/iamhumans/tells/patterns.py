"""Patterns for RE2 over folded text: how they are written and compiled."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any

import re2

Span = tuple[int, int]

# A set of many patterns needs memory for its automaton. With too little, RE2 gives up and finds nothing.
_SET_MEMORY = 256 << 20


def either(*alternatives: str) -> str:
    """A group that matches any of the alternatives. An alternative may be a pattern, or several with ``|`` between."""
    return f"(?:{'|'.join(alternatives)})"


def words(alternatives: str) -> str:
    """Any of the alternatives, with ``|`` between them, as whole words."""
    return rf"\b(?:{alternatives})\b"


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


def search_set(patterns: Iterable[str]) -> Any:
    """Many patterns whose ``Match(folded)`` gives the indexes of those that match anywhere, in one pass."""
    compiled_set = re2.Set.SearchSet(_options())
    for pattern in patterns:
        compiled_set.Add(pattern.encode("ascii"))
    compiled_set.Compile()
    return compiled_set
