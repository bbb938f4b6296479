"""From a server's error response to a kind of failure. Where its status leaves a choice, its words decide."""

import json
import re
from collections.abc import Mapping
from typing import Any

from iamhumans.models.chat import FailureKind
from iamhumans.models.json_fields import mapping
from iamhumans.models.waiting import asked_wait, json_or_none


class Refused(Exception):  # noqa: N818 - an outcome that an adapter may answer with another request
    """A server's error in its own words, which are not fit to be shown.

    Attributes:
        param: The field of the request that it names.
        words: All that it says, in small letters.
        wait: Seconds that it asks to wait.
        body: The JSON of the response, where usage may be that was billed.
    """

    def __init__(
        self, status: int, message: str, code: str, param: str, wait: float | None, body: Mapping[str, Any]
    ) -> None:
        super().__init__(message)
        self.status, self.message, self.param, self.wait, self.body = status, message, param, wait, body
        self.words = f"{code} {param} {message}".lower()


_CLIENT = {400, 403, 404, 413, 422, 451}

# One answer of the model that the server could not use, in its many wordings; a schema that it cannot use is none.
_FAILED_GENERATION = (
    r"json_validate_failed|failed_generation|output_parse_failed|invalid_model_output|model_output_error"
    r"|adjust your prompt|model output must contain"
    r"|^(?!.*(?:unsupported|not support|n't support|grammar|(?:invalid|bad) (?:json )?schema|schema (?:is|was) ))"
    r"(?:.*(?:"
    r"(?:failed|unable|could not|couldn't) (?:to )?(?:generate|produce|create) (?:an? |any )?"
    r"(?:valid |well-?formed |proper )?(?:json|output|response|object|completion|answer)"
    r"|(?:generated|output|completion|answer|response(?! ?format))\b.{0,60}"
    r"(?:(?:does not|did not|doesn't|didn't|failed to|fails to) (?:match|conform|follow|validate|comply|adhere|satisfy)"
    r"|(?:is|was) (?:not (?:a )?valid|invalid|malformed)|(?:could not|couldn't|cannot) be (?:parsed|validated))"
    r"|(?:returned|produced|generated|emitted) (?:an? )?(?:invalid|malformed|incomplete|unparsable) (?:json|output)"
    r"|(?:invalid|no valid|malformed) json (?:was )?(?:generated|produced|returned)"
    r"|(?:parse|validate|parsing|validating) (?:the )?(?:model'?s? |generated |llm )(?:output|response|json|answer)"
    r"))"
)

# Words that, with one of these statuses, mean a kind of failure. The first decides: a spent budget is a 429 too.
_SIGNS = [
    (kind, statuses, re.compile(words))
    for kind, statuses, words in (
        (FailureKind.FAILED_GENERATION, _CLIENT | {500}, _FAILED_GENERATION),
        (FailureKind.BAD_REQUEST, {429}, r"insufficient_quota|spend_limit|billing_hard|insufficient (credit|bal)"),
        (FailureKind.CONTENT_FILTER, _CLIENT, r"content[_ -]?(filter|policy|manage)|moderation|responsible.?ai"),
        (FailureKind.CONTENT_FILTER, _CLIENT, r"was flagged|safety system|inappropriate content|data_?inspection"),
        (
            FailureKind.CONTENT_FILTER,
            _CLIENT,
            r"content exists risk|considered high risk|sensitive (content|word)|敏感",
        ),
        (FailureKind.CONTEXT_LENGTH, _CLIENT | {500}, r"context_length|context (length|size|win)|exceed_context_size"),
        (FailureKind.CONTEXT_LENGTH, _CLIENT | {500}, r"(prompt|input) is too long|too many (input )?tokens"),
        (FailureKind.CONTEXT_LENGTH, _CLIENT | {500}, r"request_too_large|(maximum|range of) (input|prompt) length"),
        (FailureKind.CONTEXT_LENGTH, _CLIENT | {500}, r"exceeds? (the )?(context|model) limit"),
        (FailureKind.CONTEXT_LENGTH, _CLIENT | {500}, r"token count.{0,40} exceeds|\binputs?\b\W{1,3}tokens \+"),
        (FailureKind.UNKNOWN_MODEL, {400, 403, 422}, r"model_not_found|\b(unknown|invalid|no such) model\b"),
        (
            FailureKind.UNKNOWN_MODEL,
            {400, 403, 422},
            r"\bmodel\b.{0,120}(not found|(does )?not exist)|not a valid model",
        ),
        (
            FailureKind.UNKNOWN_MODEL,
            {400, 403, 410, 422},
            r"\bmodel\b.{0,120}(decommissioned|has been (retired|removed))",
        ),
        (
            FailureKind.AUTHENTICATION,
            {400, 422},
            r"(incorrect|invalid|missing) api[ _]?key|api[ _]?key (is )?not valid",
        ),
        (FailureKind.AUTHENTICATION, {400, 422}, r"api_key_invalid|valid api key"),
        (FailureKind.OVERLOADED, {429, 500, 502, 503}, r"overload|over capacity|at capacity"),
    )
]

_BY_STATUS = {
    **dict.fromkeys((401, 403, 407), FailureKind.AUTHENTICATION),
    404: FailureKind.UNKNOWN_MODEL,
    408: FailureKind.TIMEOUT,
    **dict.fromkeys((409, 425), FailureKind.SERVER_ERROR),
    413: FailureKind.CONTEXT_LENGTH,
    429: FailureKind.RATE_LIMITED,
    529: FailureKind.OVERLOADED,
}


def kind_of(refused: Refused) -> FailureKind:
    """What kind of failure a refusal is."""
    for kind, statuses, sign in _SIGNS:
        if refused.status in statuses and sign.search(refused.words):
            return kind
    otherwise = FailureKind.SERVER_ERROR if refused.status >= 500 else FailureKind.BAD_REQUEST
    return _BY_STATUS.get(refused.status, otherwise)


def read_refusal(status: int, body: bytes, headers: Mapping[str, str]) -> Refused:
    """The refusal in an error response, whatever shape its body has."""
    text = body.decode("utf-8", "replace")
    # A server that streams puts its errors into an event.
    data = json_or_none(text.strip().removeprefix("data:"))
    data = data[0] if isinstance(data, list) and data else data  # Google's servers wrap it so
    refused = refusal_in(mapping(data), status, plain=text)
    refused.wait = asked_wait(status, headers, data, refused.message)
    return refused


def refusal_in(data: Mapping[str, Any], status: int, *, plain: str = "") -> Refused:
    """The refusal in a JSON body, or else in a plain text. The code of an error takes the place of a status of 200."""
    error = data.get("error")
    fields = error if isinstance(error, dict) else data
    candidates = (fields.get("message"), error, data.get("message"), data.get("detail"))
    said = next((candidate for candidate in candidates if candidate), plain)
    message = said if isinstance(said, str) else json.dumps(said, ensure_ascii=False)[:4000]
    code = fields.get("code")
    if status < 400:
        status = code if isinstance(code, int) and 400 <= code <= 599 else 500
    failed = "failed_generation" if "failed_generation" in fields else None
    # A gateway repeats the words of the server behind it in a field of its own.
    behind = mapping(fields.get("metadata")).get("raw")
    parts = (fields.get("type"), code, mapping(fields.get("details")).get("error_code"), failed)
    words = " ".join(str(part)[:100] for part in parts if part)
    message = f"{message}: {behind[:1000]}" if isinstance(behind, str) and behind not in message else message
    wait = asked_wait(status, {}, dict(data), message)
    return Refused(status, message, words, str(fields.get("param") or "")[:100], wait, data)
