"""From what a server refused to the kind of failure that it is.

Providers agree on statuses only roughly, and OpenAI-compatible servers hardly at all, so the words of a refusal are
read where the status leaves a choice. Nothing here runs for a call that succeeds.
"""

from __future__ import annotations

import json
import math
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any

from iamhumans.models.model import FailureKind
from iamhumans.models.reading import mapping

_LONGEST_WAIT = 86_400.0


class Refused(Exception):  # noqa: N818 - an outcome that an adapter may answer with another request
    """A server answered a request with an error. Still in its own words: not fit to be shown."""

    def __init__(
        self, status: int, message: str, *, code: str = "", param: str = "", wait: float | None = None
    ) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.code = code
        """Type and code, as far as there are any."""
        self.param = param
        """The field of the request that the server names."""
        self.wait = wait
        """Seconds after which it may be asked again."""

    @property
    def words(self) -> str:
        """All that it says, in lower case."""
        return f"{self.code} {self.param} {self.message}".lower()


@dataclass(frozen=True, slots=True)
class _Sign:
    """Words that, with one of these statuses, mean a kind of failure."""

    kind: FailureKind
    statuses: frozenset[int]
    words: re.Pattern[str]


_CLIENT = frozenset({400, 403, 404, 413, 422, 451})

# The first that fits decides. Money comes before rates: a spent budget is a 429 too, and waiting does not fill it.
_SIGNS = (
    _Sign(
        FailureKind.BAD_REQUEST,
        frozenset({429}),
        re.compile(r"insufficient_quota|spend_limit|billing_hard_limit|insufficient (?:credit|balance)"),
    ),
    _Sign(
        FailureKind.CONTENT_FILTER,
        _CLIENT,
        re.compile(r"content[_ -]?(?:filter|policy|management)|moderation|responsible.?ai|was flagged|safety system"),
    ),
    _Sign(
        FailureKind.CONTEXT_LENGTH,
        _CLIENT | {500},
        re.compile(
            r"context_length|context (?:length|size|window)|exceed_context_size|(?:prompt|input) is too long"
            r"|too many (?:input )?tokens|request_too_large|maximum (?:input|prompt) length"
        ),
    ),
    _Sign(
        FailureKind.UNKNOWN_MODEL,
        frozenset({400, 403, 422}),
        re.compile(
            r"model_not_found|\b(?:unknown|invalid|no such) model\b"
            r"|\bmodel\b.{0,120}(?:not found|does not exist|not a valid model)|is not a valid model"
        ),
    ),
    _Sign(FailureKind.OVERLOADED, frozenset({429, 500, 502, 503}), re.compile(r"overload|over capacity|at capacity")),
)

_BY_STATUS = {
    401: FailureKind.AUTHENTICATION,
    403: FailureKind.AUTHENTICATION,
    404: FailureKind.UNKNOWN_MODEL,
    408: FailureKind.TIMEOUT,
    409: FailureKind.SERVER_ERROR,
    413: FailureKind.CONTEXT_LENGTH,
    425: FailureKind.SERVER_ERROR,
    429: FailureKind.RATE_LIMITED,
    529: FailureKind.OVERLOADED,
}

_UNSUPPORTED = re.compile(
    r"unsupported|not support|n't support|deprecated|unrecognized|unrecognised|unknown (?:parameter|field|argument)"
    r"|not permitted|extra inputs|cannot both|not allowed|only the default|unexpected keyword"
)
_FORMAT = re.compile(r"response_format|json_schema|json schema|\bschema\b|structured output|\bgrammar\b")


def kind_of(refused: Refused) -> FailureKind:
    """What sort of failure a refusal is."""
    words = refused.words
    for sign in _SIGNS:
        if refused.status in sign.statuses and sign.words.search(words):
            return sign.kind
    if refused.status in _BY_STATUS:
        return _BY_STATUS[refused.status]
    return FailureKind.SERVER_ERROR if refused.status >= 500 else FailureKind.BAD_REQUEST


def refuses_parameter(refused: Refused, parameter: str) -> bool:
    """Whether a server will not take this field of the request at all, whatever its value was meant to do."""
    if refused.status not in (400, 422) or not _UNSUPPORTED.search(refused.words):
        return False
    if refused.param:
        return refused.param == parameter
    return re.search(rf"(?<!\w){re.escape(parameter)}(?!\w)", refused.message) is not None


def refuses_format(refused: Refused) -> bool:
    """Whether a server complains about the schema or the format that was asked for."""
    return refused.status in (400, 422) and _FORMAT.search(refused.words) is not None


def read_refusal(status: int, body: bytes, headers: Mapping[str, str]) -> Refused:
    """The refusal that an error response is, in whatever shape its body has."""
    text = body.decode("utf-8", "replace")
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        data = None
    if isinstance(data, list) and data:  # as Google's servers wrap it
        data = data[0]
    return refusal_in(mapping(data), status, plain=text, wait=wait_of(headers))


def refusal_in(data: Mapping[str, Any], status: int, *, plain: str = "", wait: float | None = None) -> Refused:
    """The refusal in a JSON body: ``error`` as an object or a text, or else ``message`` or ``detail``.

    Args:
        data: The body.
        status: Its status; the code of an error that came with a status of 200 takes its place.
        plain: The text to show where the body has none of its own.
        wait: Seconds that the headers ask to wait.
    """
    error = data.get("error")
    fields = error if isinstance(error, dict) else data
    candidates = (fields.get("message"), error, data.get("message"), data.get("detail"))
    message = next((_text(candidate) for candidate in candidates if candidate), plain)
    code = fields.get("code")
    if status < 400:
        usable = isinstance(code, int) and not isinstance(code, bool) and 400 <= code <= 599
        status = code if usable and isinstance(code, int) else 500
    details = mapping(fields.get("details"))
    parts = (fields.get("type"), code, details.get("error_code"))
    return Refused(
        status,
        message,
        code=" ".join(str(part)[:100] for part in parts if part),
        param=str(fields.get("param") or "")[:100],
        wait=wait,
    )


def wait_of(headers: Mapping[str, str]) -> float | None:
    """Seconds that a server asks to wait: ``retry-after-ms``, or ``Retry-After`` in seconds or as a date.

    A date is read against the server's own ``Date``, so that a clock that is wrong or jumps here changes nothing.
    """
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return min(milliseconds / 1000, _LONGEST_WAIT)
    value = headers.get("Retry-After")
    seconds = _number(value)
    if seconds is None and value:
        until = _date(value)
        now = _date(headers.get("Date")) or time.time()
        seconds = None if until is None else max(until - now, 0.0)
    return None if seconds is None else min(seconds, _LONGEST_WAIT)


def _number(value: str | None) -> float | None:
    try:
        number = float(value or "")
    except ValueError:
        return None
    return number if math.isfinite(number) and number >= 0 else None


def _date(value: str | None) -> float | None:
    try:
        return parsedate_to_datetime(value or "").timestamp()
    except (ValueError, OverflowError, IndexError, TypeError):
        return None


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)[:4000]
