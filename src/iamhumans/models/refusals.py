"""From a server's error response to a kind of failure. Where its status leaves a choice, its words decide."""

import json
import math
import re
import time
from collections.abc import Mapping
from contextlib import suppress
from email.utils import parsedate_to_datetime
from typing import Any

from iamhumans.models.chat import FailureKind
from iamhumans.models.json_fields import mapping


class Refused(Exception):  # noqa: N818 - an outcome that an adapter may answer with another request
    """A server's error in its own words, which are not fit to be shown. ``param`` is the field that it names."""

    def __init__(self, status: int, message: str, code: str, param: str, wait: float | None) -> None:
        super().__init__(message)
        self.status, self.message, self.param, self.wait = status, message, param, wait
        self.words = f"{code} {param} {message}".lower()


_CLIENT = {400, 403, 404, 413, 422, 451}

# Words that, with one of these statuses, mean a kind of failure. The first decides: a spent budget is a 429 too.
_SIGNS = [
    (kind, statuses, re.compile(words))
    for kind, statuses, words in (
        (FailureKind.BAD_REQUEST, {429}, r"insufficient_quota|spend_limit|billing_hard|insufficient (credit|bal)"),
        (FailureKind.CONTENT_FILTER, _CLIENT, r"content[_ -]?(filter|policy|manage)|moderation|responsible.?ai"),
        (FailureKind.CONTENT_FILTER, _CLIENT, r"was flagged|safety system"),
        (FailureKind.CONTEXT_LENGTH, _CLIENT | {500}, r"context_length|context (length|size|win)|exceed_context_size"),
        (FailureKind.CONTEXT_LENGTH, _CLIENT | {500}, r"(prompt|input) is too long|too many (input )?tokens"),
        (FailureKind.CONTEXT_LENGTH, _CLIENT | {500}, r"request_too_large|maximum (input|prompt) length"),
        (FailureKind.UNKNOWN_MODEL, {400, 403, 422}, r"model_not_found|\b(unknown|invalid|no such) model\b"),
        (FailureKind.UNKNOWN_MODEL, {400, 403, 422}, r"\bmodel\b.{0,120}(not found|does not exist)|not a valid model"),
        (FailureKind.OVERLOADED, {429, 500, 502, 503}, r"overload|over capacity|at capacity"),
    )
]

_BY_STATUS = {
    **dict.fromkeys((401, 403), FailureKind.AUTHENTICATION),
    404: FailureKind.UNKNOWN_MODEL,
    408: FailureKind.TIMEOUT,
    **dict.fromkeys((409, 425), FailureKind.SERVER_ERROR),
    413: FailureKind.CONTEXT_LENGTH,
    429: FailureKind.RATE_LIMITED,
    529: FailureKind.OVERLOADED,
}

_UNSUPPORTED = re.compile(
    r"unsupported|not support|n't support|deprecated|unrecognized|unrecognised|unknown (?:parameter|field|argument)"
    r"|not permitted|extra inputs|cannot both|not allowed|only the default|unexpected keyword"
)
_FORMAT = re.compile(r"response_format|json_schema|json schema|\bschema\b|structured output|\bgrammar\b")


def kind_of(refused: Refused) -> FailureKind:
    """What kind of failure a refusal is."""
    for kind, statuses, sign in _SIGNS:
        if refused.status in statuses and sign.search(refused.words):
            return kind
    otherwise = FailureKind.SERVER_ERROR if refused.status >= 500 else FailureKind.BAD_REQUEST
    return _BY_STATUS.get(refused.status, otherwise)


def refuses_parameter(refused: Refused, parameter: str) -> bool:
    """Whether a server does not take this field of the request at all, whatever its value."""
    if refused.status not in (400, 422) or not _UNSUPPORTED.search(refused.words):
        return False
    if refused.param:
        return refused.param == parameter
    return re.search(rf"(?<!\w){re.escape(parameter)}(?!\w)", refused.message) is not None


def refuses_format(refused: Refused) -> bool:
    """Whether a server complains about the schema or the format."""
    return refused.status in (400, 422) and _FORMAT.search(refused.words) is not None


def read_refusal(status: int, body: bytes, headers: Mapping[str, str]) -> Refused:
    """The refusal in an error response, whatever shape its body has."""
    text = body.decode("utf-8", "replace")
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        data = None
    data = data[0] if isinstance(data, list) and data else data  # Google's servers wrap it so
    return refusal_in(mapping(data), status, plain=text, wait=wait_of(headers))


def refusal_in(data: Mapping[str, Any], status: int, *, plain: str = "", wait: float | None = None) -> Refused:
    """The refusal in a JSON body, or else in a plain text. The code of an error takes the place of a status of 200."""
    error = data.get("error")
    fields = error if isinstance(error, dict) else data
    candidates = (fields.get("message"), error, data.get("message"), data.get("detail"))
    said = next((candidate for candidate in candidates if candidate), plain)
    message = said if isinstance(said, str) else json.dumps(said, ensure_ascii=False)[:4000]
    code = fields.get("code")
    if status < 400:
        status = code if isinstance(code, int) and 400 <= code <= 599 else 500
    parts = (fields.get("type"), code, mapping(fields.get("details")).get("error_code"))
    words = " ".join(str(part)[:100] for part in parts if part)
    return Refused(status, message, words, str(fields.get("param") or "")[:100], wait)


def wait_of(headers: Mapping[str, str]) -> float | None:
    """Seconds that a server asks to wait, however many. A date is compared with the server's own clock."""
    for name, unit in (("retry-after-ms", 0.001), ("Retry-After", 1.0)):
        with suppress(ValueError):
            number = float(headers.get(name, ""))
            if math.isfinite(number) and number >= 0:
                return number * unit
    try:
        now = parsedate_to_datetime(headers["Date"]).timestamp() if "Date" in headers else time.time()
        return max(parsedate_to_datetime(headers["Retry-After"]).timestamp() - now, 0.0)
    except (KeyError, ValueError, OverflowError, IndexError, TypeError):
        return None
