"""Figures as text, the same in every report."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from iamhumans.stats import Estimate
from iamhumans.text import one_line

NOTHING = "–"
NAME_WIDTH = 38
_MOST_NAMES = 4


def counted(count: int, one: str, several: str | None = None) -> str:
    """A number with its noun."""
    return f"{count:,} {one if count == 1 else several or one + 's'}"


def number(value: float | None, digits: int = 2, *, sign: bool = False) -> str:
    """A number; a dash for ``None``."""
    if value is None:
        return NOTHING
    shown = round(value, digits) + 0.0  # Plus zero, since -0.0 would be shown with its sign.
    return f"{shown:{'+' if sign and shown else ''}.{digits}f}"


def rate(value: float | Estimate | None) -> str:
    """A rate in percent; very small ones are not shown as 0."""
    value = value.value if isinstance(value, Estimate) else value
    if value is None:
        return NOTHING
    percent = 100 * value
    return f"{percent:.1f} %" if 0 < percent < 1 or 99 < percent < 100 else f"{percent:.0f} %"


def share(value: float) -> str:
    """A rate in percent with one decimal, where it has one."""
    return f"{100 * value:.1f}".removesuffix(".0") + " %"


def with_interval(estimate: Estimate, *, sign: bool = False) -> str:
    """A number with its interval, if it has one."""
    shown = number(estimate.value, sign=sign)
    if estimate.value is None or estimate.low is None or estimate.high is None:
        return shown
    return f"{shown} ({number(estimate.low, sign=sign)} to {number(estimate.high, sign=sign)})"


def rate_with_interval(estimate: Estimate) -> str:
    """A rate with its interval, if it has one."""
    between, shown = interval(estimate, as_rate=True), rate(estimate)
    return shown if NOTHING in (between, shown) else f"{shown} ({between})"


def interval(estimate: Estimate, *, as_rate: bool = False) -> str:
    """The interval alone."""
    if estimate.low is None or estimate.high is None:
        return NOTHING
    if as_rate:
        low, high = (rate(end).removesuffix(" %").removesuffix(".0") for end in (estimate.low, estimate.high))
        return f"{low} to {high} %"
    return f"{number(estimate.low, 1)} to {number(estimate.high, 1)}"


def listed(names: Sequence[str]) -> str:
    """Names in a sentence; of many, the first ones and how many more there are."""
    if len(names) > _MOST_NAMES + 1:
        return f"{', '.join(names[:_MOST_NAMES])} and {len(names) - _MOST_NAMES} more"
    return ", ".join(names)


def left_out(counts: Mapping[str, int], head: str) -> Iterator[str]:
    """A sentence about what takes no part, by why; none where everything does."""
    parts = [f"{count} {what}" for what, count in counts.items() if count]
    return iter((f"{head}: {', '.join(parts)}.",) if parts else ())


def said_once(notes: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Sentences about figures, as pairs of a name and a sentence; one that applies to several is given once."""
    by_note: dict[str, list[str]] = {}
    for name, note in notes:
        by_note.setdefault(note, []).append(name)
    return (f"{listed(names)}: {note}" for note, names in by_note.items())


def name_cell(name: str) -> str:
    """A name that fits beside figures."""
    return one_line(name, NAME_WIDTH - 1)


def short_names(names: Iterable[str], limit: int) -> Mapping[str, str]:
    """Each name on one line, at most ``limit`` characters long and different from all others."""
    short: dict[str, str] = {}
    for name in dict.fromkeys(names):
        look, count = ending(name, limit), 1
        while look in short.values():
            count += 1
            mark = f" ({count})"
            look = ending(name, limit - len(mark)) + mark
        short[name] = look
    return short


def ending(name: str, limit: int) -> str:
    """A name on one line; of a long one the end, which differs most, from a slash on if one is near."""
    line = one_line(name)
    if len(line) <= limit:
        return line
    end = line[len(line) - limit + 1 :]
    slash = end.find("/", 0, limit // 2)
    return "…" + end[max(slash, 0) :].lstrip()
