"""Whether the words that a judge quotes are in the reply, and are enough to confirm anything.

Quote and reply are compared after Unicode NFC, with whitespace and quote marks folded, and nothing looser: no case
folding, no ellipsis, no fuzzy match. A quote must begin and end where words do: `no` is not a quote from `know`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache

from iamhumans.text import fold, has_substance, is_quoted
from iamhumans.verdicts.verdict import Flag

STRUCTURE = "structured_output_in_emotional_moment"
"""The hard fail that a line of a list confirms, however short the line is."""

_LIST_MARK = re.compile(r"[ \t>]*(?:[^\w\s\"'(]{1,6}|\d{1,3}[.):]|[A-Za-z][.)])[ \t]+(?=\S)")


def confirm_flags(flags: Mapping[str, Flag], reply: str | None) -> Mapping[str, Flag]:
    """The flags, each YES with whether one of its quotes is in the reply; unchanged if the reply is unknown."""
    if reply is None or not any(flag.present for flag in flags.values()):
        return flags
    text, lines = _searchable(reply)
    found = dict(flags)
    for name, flag in flags.items():
        if flag.present:
            words = list(map(fold, flag.quotes))
            confirmed = any(is_quoted(one, text) or (name == STRUCTURE and one in lines) for one in words)
            found[name] = Flag(True, flag.quotes, confirmed)
    return found


def confirming_quotes(quotes: Iterable[str], reply: str) -> tuple[str, ...]:
    """Those of the quotes that are in the reply and long enough to confirm something."""
    text = fold(reply)
    return tuple([quote for quote in quotes if is_quoted(fold(quote), text)])


@lru_cache(maxsize=256)  # the quotes of a reply are checked when its answer is read, and when it is scored
def _searchable(reply: str) -> tuple[str, frozenset[str]]:
    """The folded reply, and its folded lines of lists, with and without their marks."""
    items = [line for line in reply.splitlines() if _LIST_MARK.match(line) and has_substance(line)]
    lines = [line for item in items for line in (item, _LIST_MARK.sub("", item, count=1))]
    return fold(reply), frozenset(map(fold, lines))
