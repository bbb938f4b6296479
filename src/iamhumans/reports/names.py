"""Names of subjects and judges, short enough for a column and still told apart."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from iamhumans.text import one_line


def short_names(names: Iterable[str], limit: int) -> Mapping[str, str]:
    """Each name on one line and harmless; one that is longer than ``limit`` by its end, which tells most apart.

    Where two come to look the same they are numbered.
    """
    short: dict[str, str] = {}
    taken: set[str] = set()
    for name in dict.fromkeys(names):
        look = ending(name, limit)
        number = 1
        while look in taken:
            number += 1
            mark = f" ({number})"
            look = ending(name, limit - len(mark)) + mark
        taken.add(look)
        short[name] = look
    return short


def ending(name: str, limit: int) -> str:
    """A name on one line, harmless; of a long one the end, after an ellipsis, from a slash on if one is near."""
    line = one_line(name)
    if len(line) <= limit:
        return line
    end = line[len(line) - limit + 1 :]
    slash = end.find("/", 0, limit // 2)
    return "…" + end[max(slash, 0) :].lstrip()
