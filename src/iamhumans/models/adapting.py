"""From a refusal to habits: what the next request leaves out or sends in another way.

Only what a server says it does not take is changed. A value that it finds too large, or one answer that it could not
make, changes nothing.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from iamhumans.models.chat import FailureKind
from iamhumans.models.habits import LIMITS, Format, Habits, Role
from iamhumans.models.refusals import Refused, kind_of

FORMAT = "response_format"
_NEVER = {FailureKind.CONTEXT_LENGTH, FailureKind.CONTENT_FILTER, FailureKind.FAILED_GENERATION}
_WRONG = {400, 422}
_TEMPLATE = {400, 404, 422, 500}  # servers that fill a model's own template answer its errors with any of these

_UNSUPPORTED = re.compile(
    r"unsupported|not support|n't support|deprecated|unrecogni[sz]ed|not (?:a )?recogni[sz]ed"
    r"|not a (?:valid|known|supported) (?:parameter|field|argument|name|key|property|keyword)"
    r"|(?:unknown|unexpected|invalid) (?:parameter|field|argument|name|key|property|keyword)"
    r"|not permitted|extra (?:inputs|fields)|cannot both|not allowed|not available|not enabled|not accepted|n't accept"
    r"|not accept|only the default|additional propert|cannot find field|no such (?:parameter|field)"
)
_RANGE = re.compile(r"between|greater than|less than|at (?:least|most)|range|larger|[<>]=?|maximum|minimum")
_INSTEAD = re.compile(r"\binstead\b|rather than|in place of|\breplaced (?:by|with)\b")
_LISTED = re.compile(r"supported values|must be one of|allowed values|valid values|expected one of")
_ONE_VALUE = re.compile(
    r"(?:\bonly|must be|must equal|should be|has to be|needs to be|fixed (?:at|to)|only be set to|"
    r"only (?:accepts?|supports?|allows?))"
    r"\s+(?:[`'\"]?\w+[`'\"]?\s*=\s*)?(?:(?:a|the|value|values|temperature|top_p|of|set to|equal to|exactly)\s+)*"
    r"[`'\"(]?(\d+(?:\.\d+)?)(?![\d.]*\d)(?!\s*(?:or|and|to|-|–|,|<|%))"
)
_FORMAT = re.compile(
    r"response_format|json_schema|json schema|json_object|json mode|\bschema\b|structured output|grammar"
)
_ALTERNATE = re.compile(
    r"alternat|consecutive|\bin a row\b|same role|(?:start|begin)s? with (?:a |the )?[`'\"]?user|"
    r"first message (?:must|should|has to)"
)
_SYSTEM = re.compile(
    r"\bsystem\b[^a-z]{0,3}(?:role|message|prompt|instruction)|\broles?\b.{0,80}\bsystem\b|\bsystem\b.{0,60}\broles?\b"
    r"|(?:system|developer) (?:instruction|message|prompt|role)s?\b"
    r"|messages?\W{0,4}\d+\W{0,6}role|only\W+(?:the\W+)?user\W+and\W+(?:the\W+)?assistant"
    r"|user\W+(?:or|and|,)?\W*(?:model|assistant)\b|assistant\W+(?:or|and|,)?\W*user\b"
)
_REFUSED_ROLE = re.compile(
    _UNSUPPORTED.pattern + r"|unknown|invalid|unexpected|must be|should be|one of|\bonly\b|cannot|can't|no system"
)
_DEVELOPER = re.compile(
    r"(?:use|with|try|instead|replace\w*|expected|supported|allowed|should be|must be|one of)"
    r"[^.]{0,60}\bdeveloper\b(?! instruction)|\bdeveloper\b[^.]{0,40}\binstead"
)
_STREAM = re.compile(r"(?<![a-z])(?:non[- ]?)?stream(?:ing|ed)?\b")


@dataclass(frozen=True, slots=True)
class Sent:
    """What was sent when a server refused, as far as it could have been sent otherwise."""

    fields: Mapping[str, Any]  # of the request
    optional: Sequence[str]  # those that can be left out, in the order in which that is tried
    role: Role | None  # in which the system text went; None if there was none
    joinable: bool  # whether messages of one role are in a row, or the first is the assistant's
    may_drop_format: bool  # whether the user left the format to us


def adapted(habits: Habits, refused: Refused, sent: Sent) -> Habits | None:
    """What was learned from a refusal; ``None`` if nothing that could be sent otherwise."""
    if kind_of(refused) in _NEVER:
        return None
    for learn in (_streaming, _field, _alternation, _role, _format):
        if (found := learn(habits, refused, sent)) is not None:
            return found
    return None


def _streaming(habits: Habits, refused: Refused, sent: Sent) -> Habits | None:
    can_help = "stream" not in sent.fields and "stream" not in habits.left_out and not habits.streams
    if can_help and refused.status in {*_WRONG, 405, 501} and _STREAM.search(refused.words):
        return replace(habits, streams=True)
    return None


def _field(habits: Habits, refused: Refused, sent: Sent) -> Habits | None:
    if refused.status not in _WRONG:
        return None
    for name in sent.optional:
        if name not in sent.fields or not _names(refused, name):
            continue
        value = _ONE_VALUE.search(refused.words) if name in ("temperature", "top_p") else None
        if (
            value
            and "default" not in refused.words
            and float(value[1]) not in (sent.fields[name], habits.fixed.get(name))
        ):
            return replace(habits, fixed={**habits.fixed, name: float(value[1])})
        if value or name in habits.fixed or _is_unsupported(refused, name):
            fixed = {other: kept for other, kept in habits.fixed.items() if other != name}
            streams = habits.streams and name != "stream"
            return replace(habits, left_out=tuple(sorted({*habits.left_out, name})), fixed=fixed, streams=streams)
    return None


def _names(refused: Refused, name: str) -> bool:
    if refused.param and not re.search(r"body|request", refused.param):
        return name in re.split(r"[^a-z_]+", refused.param)
    spelled = f"{re.escape(name)}|{name.replace('_', '')}"  # also as `maxTokens`
    return re.search(rf"(?<!\w)(?:{spelled})(?!\w)", refused.words) is not None


def _is_unsupported(refused: Refused, name: str) -> bool:
    if name in LIMITS and all(limit in refused.words for limit in LIMITS) and _INSTEAD.search(refused.words):
        return True  # it wants the limit under its other name
    # A value out of range, or a level of reasoning that a model does not have, is the user's mistake: the error says
    # what would be right.
    wrong_value = _RANGE.search(refused.words) or (name == "reasoning_effort" and _LISTED.search(refused.words))
    return _UNSUPPORTED.search(refused.words) is not None and not wrong_value


def _alternation(habits: Habits, refused: Refused, sent: Sent) -> Habits | None:
    if refused.status not in _TEMPLATE or not _ALTERNATE.search(refused.words):
        return None
    if sent.joinable and not habits.alternates:
        return replace(habits, alternates=True)
    # A template that does not know the system role takes its message for one of the turns.
    return replace(habits, role="user", alternates=True) if sent.role in ("system", "developer") else None


def _role(habits: Habits, refused: Refused, sent: Sent) -> Habits | None:
    if sent.role in (None, "user") or refused.status not in _TEMPLATE:
        return None
    if not _SYSTEM.search(refused.words) or not _REFUSED_ROLE.search(refused.words):
        return None
    developer = sent.role == "system" and habits.role is None and _DEVELOPER.search(refused.words)
    return replace(habits, role="developer" if developer else "user")


def _format(habits: Habits, refused: Refused, sent: Sent) -> Habits | None:
    if FORMAT not in sent.fields or not sent.may_drop_format or not _FORMAT.search(refused.words):
        return None
    certain = refused.status in _WRONG or (refused.status in {404, 500, 501} and _UNSUPPORTED.search(refused.words))
    simpler: dict[Format | None, Format] = {None: "json_object", "json_object": "none"}
    return replace(habits, format=simpler[habits.format]) if certain and habits.format in simpler else None
