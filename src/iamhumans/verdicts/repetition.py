"""Whether a text ends in a loop: the same words again and again, as models write that never find an end."""

from __future__ import annotations

_TAIL = 20_000  # characters of the end that are looked at
_MIN_TIMES, _MIN_CHARACTERS = 4, 120


def repeated_ending(text: str) -> tuple[str, int] | None:
    """What is repeated at the end of a text and how often, the last time perhaps in part; ``None`` if nothing is."""
    tail = text[-_TAIL:]
    period = _period(tail[::-1])
    if period is None:
        return None
    unit = tail[len(tail) - period :]
    start = len(text) - period
    while start >= period and text.startswith(unit, start - period):
        start -= period
    return _from_a_line(unit), (len(text) - start) // period


def _period(text: str) -> int | None:
    """The shortest period with which a text begins, if it is repeated often enough (Gusfield's Z algorithm)."""
    length = len(text)
    matched = [0] * length
    left = right = 0
    for at in range(1, length):
        if at < right:
            matched[at] = min(right - at, matched[at - left])
        while at + matched[at] < length and text[matched[at]] == text[at + matched[at]]:
            matched[at] += 1
        if at + matched[at] > right:
            left, right = at, at + matched[at]
        covered = at + matched[at]
        if covered >= max(_MIN_TIMES * at, _MIN_CHARACTERS):
            return at
    return None


def _from_a_line(unit: str) -> str:
    """The unit, begun where its first whole line begins."""
    before, mark, after = unit.partition("\n")
    return after + before + mark
