"""How patterns for RE2 over folded text are written, and many of them compiled into one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import re2

Span = tuple[int, int]

OPTIONS = re2.Options()
OPTIONS.encoding = re2.Options.Encoding.LATIN1
OPTIONS.never_capture = True
OPTIONS.log_errors = False
# A set of many patterns needs memory for its automaton. With too little, RE2 gives up and finds nothing.
OPTIONS.max_mem = 256 << 20


def either(*alternatives: str) -> str:
    """A group that matches any of the alternatives. An alternative may be a pattern, or several with ``|`` between."""
    return f"(?:{'|'.join(alternatives)})"


def words(alternatives: str) -> str:
    """Any of the alternatives, with ``|`` between them, as whole words."""
    return rf"\b(?:{alternatives})\b"


def search_set(patterns: Iterable[str]) -> Any:
    """Many patterns whose ``Match(folded)`` gives the indexes of those that match anywhere, in one pass."""
    compiled_set = re2.Set.SearchSet(OPTIONS)
    for pattern in patterns:
        compiled_set.Add(pattern.encode("ascii"))
    compiled_set.Compile()
    return compiled_set
