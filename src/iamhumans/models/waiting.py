"""How long a server asks to wait. Each says it in its own way: headers, fields of the error, or only words."""

import json
import math
import re
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import Any

_TOO_MANY_REQUESTS = 429
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_UNIT = r"(ms|millis(?:econds?)?|s(?:ec(?:ond)?s?)?|m(?:in(?:ute)?s?)?|h(?:(?:ou)?rs?)?|d(?:ays?)?)"
_PART = re.compile(rf"(\d+(?:\.\d+)?)\s*{_UNIT}(?![a-z])", re.IGNORECASE)
_DURATION = rf"((?:\d+(?:\.\d+)?\s*{_UNIT}(?![a-z])[\s,]*(?:and\s+)?)+)"
_SAID = re.compile(
    rf"(?:again|retry(?:ing)?|wait(?:ing)?|available|resets?|reset)(?:\s+\w+){{0,3}}?\s*[:=]?\s*"
    rf"(?:in|after|for|at least|about)?\s*{_DURATION}",
    re.IGNORECASE,
)
_FIELDS = {"retrydelay": "s", "retryafter": "s", "retryafterseconds": "s", "retryafterms": "ms"}
_RESET = re.compile(r"(?:x-)?(?:[a-z]+-)?ratelimit-(?:(reset)(-.+)?|(.+)-reset)", re.IGNORECASE)
# A number in this range is no duration but a time, in seconds or milliseconds.
_FIRST_EPOCH, _FIRST_EPOCH_MS, _LAST_EPOCH_MS = 1e9, 1e11, 1e14


def asked_wait(status: int, headers: Mapping[str, str], body: Any = None, text: str = "") -> float | None:
    """Seconds that a server asks to wait, however many; ``None`` if it asks for none.

    What says most exactly how long comes first. The time at which a limit is reset is read only from a 429: most
    servers send it with every response. Dates are compared with the server's own clock.
    """
    lower = {name.lower(): value for name, value in headers.items()}
    now = _clock(lower)
    for name, unit in (("retry-after-ms", 0.001), ("x-ms-retry-after-ms", 0.001), ("retry-after", 1.0)):
        if (seconds := _seconds(lower.get(name, ""), now, unit)) is not None:
            return seconds
    found = next(_fields(body, now), None)
    if found is None and (said := _SAID.search(text)):
        found = _sum(said[1])
    if found is None and status == _TOO_MANY_REQUESTS:
        found = _reset({**lower, **_headers_in(body)}, now)
    return found


def _clock(headers: Mapping[str, str]) -> float:
    with suppress(ValueError, TypeError, OverflowError, KeyError, IndexError):
        return parsedate_to_datetime(headers["date"]).timestamp()
    return time.time()


def _seconds(value: str, now: float, unit: float = 1.0) -> float | None:
    """A number, a duration such as ``6m0s``, or a date."""
    value = value.strip()
    with suppress(ValueError, OverflowError):
        number = float(value)
        if not math.isfinite(number) or number < 0:
            return None
        if _FIRST_EPOCH <= number < _LAST_EPOCH_MS:
            return max((number / 1000 if number >= _FIRST_EPOCH_MS else number) - now, 0.0)
        return number * unit
    if value and _PART.sub("", value).strip(" ,") == "":
        return _sum(value)
    with suppress(ValueError, TypeError, OverflowError, IndexError):
        return max(datetime.fromisoformat(value).timestamp() - now, 0.0)
    with suppress(ValueError, TypeError, OverflowError, IndexError):
        return max(parsedate_to_datetime(value).timestamp() - now, 0.0)
    return None


def _sum(duration: str) -> float:
    total = 0.0
    for number, unit in _PART.findall(duration):
        small = unit.lower()
        total += float(number) * _SECONDS["ms" if small.startswith(("ms", "milli")) else small[0]]
    return total


def _fields(value: Any, now: float, depth: int = 0) -> Iterator[float]:
    """Fields of an error that name a wait, wherever they are: ``retryDelay`` of Google, ``retry_after`` of others."""
    if depth > 6 or not isinstance(value, dict | list):
        return
    for name, inner in value.items() if isinstance(value, dict) else enumerate(value):
        unit = _FIELDS.get(re.sub(r"[^a-z]", "", str(name).lower()))
        if unit is not None and isinstance(inner, str | int | float) and not isinstance(inner, bool):
            seconds = _seconds(str(inner), now, _SECONDS[unit])
            if seconds is not None:
                yield seconds
        elif unit is not None and isinstance(inner, dict):  # Google's Duration in full
            with suppress(ValueError, TypeError):
                yield float(inner.get("seconds", 0)) + float(inner.get("nanos", 0)) / 1e9
        else:
            yield from _fields(inner, now, depth + 1)


def _headers_in(body: Any) -> dict[str, str]:
    """Headers of the server behind a gateway, which OpenRouter repeats inside of its error."""
    with suppress(KeyError, TypeError, AttributeError):
        return {str(name).lower(): str(value) for name, value in body["error"]["metadata"]["headers"].items()}
    return {}


def _reset(headers: Mapping[str, str], now: float) -> float | None:
    """When the limit that was reached is reset. If no header says which one, the soonest: the next call will tell."""
    spent: list[float] = []
    others: list[float] = []
    for name, value in headers.items():
        found = _RESET.fullmatch(name)
        seconds = _seconds(value, now) if found else None
        if found is None or seconds is None:
            continue
        left = headers.get(name.replace("reset", "remaining"), "").strip()
        (spent if left in ("0", "0.0") else others).append(seconds)
    combined = re.search(r"\b(?:reset|t)\s*=\s*(\d+)", headers.get("ratelimit", ""))
    others += [float(combined[1])] if combined else []
    return max(spent) if spent else min(others, default=None)


def json_or_none(text: str) -> Any:
    """The value that a text is in JSON; ``None`` for a text that is none."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
