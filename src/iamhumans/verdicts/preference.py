"""Which of two replies a judge prefers: from the text that it printed to its choice.

It is read as a verdict is. The choice is one of three words and never guessed. A choice whose quotes of the preferred
reply are only in the other reply contradicts itself.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from iamhumans.text import YamlValue
from iamhumans.verdicts.blocks import Form
from iamhumans.verdicts.quotes import confirming_quotes
from iamhumans.verdicts.reader import Claim, read_answer
from iamhumans.verdicts.schema import JsonSchema, closed_object
from iamhumans.verdicts.values import REMARK, Kind, ReadValue, match_value, read_prose, read_quotes, read_word
from iamhumans.verdicts.verdict import Reason, Unjudged


class Choice(StrEnum):
    """What a judge chose, by the order in which it was shown the replies."""

    FIRST = "first"
    SECOND = "second"
    NEITHER = "neither"


@dataclass(frozen=True, slots=True)
class Preference:
    """What a judge chose, what it quotes from each reply, and why."""

    choice: Choice
    first_quotes: tuple[str, ...] = ()
    second_quotes: tuple[str, ...] = ()
    reason: str = ""
    confirmed: bool | None = None
    """Whether a quote from the preferred reply is in it; ``None`` if it prefers neither or the reply is unknown."""
    repairs: tuple[str, ...] = ()


PreferenceOutcome: TypeAlias = Preference | Unjudged


@dataclass(frozen=True, slots=True)
class PreferenceAsked:
    """What is known about the question: both replies in the order shown, and the rest as in ``Asked``."""

    case_id: str | None = None
    token: str | None = None
    first: str | None = None
    second: str | None = None
    conversation: tuple[str, ...] = ()
    finish_reason: str | None = None


_CHOICE_DOUBT = re.compile(r"\b(?:first|second|neither|both|either|equal(?:ly)?|tie|maybe|perhaps|or)\b", re.IGNORECASE)
_CHOICE = Kind(
    re.compile(
        r"(?:the\s+)?(?P<word>first|second|neither)(?:\s+(?:one|reply|response|answer)|\s+of\s+(?:them|the\s+two))?"
        + REMARK,
        re.IGNORECASE | re.DOTALL,
    ),
    lambda match: _CHOICE_DOUBT.search(match["remark"]) is not None,
    Reason.MISSING_CHOICE,
    Reason.BAD_CHOICE,
    "not first, second or neither",
)


def _read_choice(value: YamlValue, name: str, repairs: set[str]) -> Choice | Unjudged:
    match = match_value(value, name, _CHOICE, repairs)
    if isinstance(match, Unjudged):
        return match
    if value not in list(Choice):
        repairs.add("choice_word")
    return Choice(match["word"].lower())


_PARTS = ("first_quote", "second_quote", "choice")
_READERS: dict[str, ReadValue] = {
    "case_id": read_word,
    "check": read_word,
    "first_quote": read_quotes,
    "second_quote": read_quotes,
    "choice": _read_choice,
    "reason": read_prose,
}
_FORM = Form("choice", _READERS, _PARTS, decisive=("choice",), section_of={}, prose="reason")
_SCHEMA = closed_object(
    {key: {"type": "string", **({"enum": list(Choice)} if key == "choice" else {})} for key in _READERS}
)


def preference_schema() -> JsonSchema:
    """A JSON schema that every complete answer follows; always the same object, not to be changed."""
    return _SCHEMA


def read_preference(text: str, asked: PreferenceAsked = PreferenceAsked()) -> PreferenceOutcome:
    """Read an answer, in any form, of a judge that was shown two replies."""
    others = (asked.first or "", asked.second or "", *asked.conversation)
    claim = read_answer(text, _FORM, asked, others, lambda claim: _problem(claim, asked))
    if isinstance(claim, Unjudged):
        return claim
    choice: Choice = claim.said["choice"]
    first, second = (claim.said.get(key, ()) for key in _PARTS[:2])
    quotes, preferred = {"first": (first, asked.first), "second": (second, asked.second)}.get(choice, ((), None))
    confirmed = None if preferred is None else bool(confirming_quotes(quotes, preferred))
    return Preference(choice, first, second, claim.said.get("reason", ""), confirmed, tuple(sorted(claim.repairs)))


def _problem(claim: Claim, asked: PreferenceAsked) -> Unjudged | None:
    choice = claim.said.get("choice", Unjudged(Reason.MISSING_CHOICE, "choice is missing"))
    if isinstance(choice, Unjudged):
        return choice
    other = "second" if choice is Choice.FIRST else "first"
    preferred, rejected = (asked.first, asked.second) if choice is Choice.FIRST else (asked.second, asked.first)
    if choice is Choice.NEITHER or preferred is None or rejected is None:
        return None
    quotes = claim.said.get(f"{choice}_quote", ())
    if confirming_quotes(quotes, preferred) or not confirming_quotes(quotes, rejected):
        return None
    detail = f"it prefers the {choice} reply but quotes words for it that are only in the {other} reply"
    return Unjudged(Reason.BAD_CHOICE, detail)
