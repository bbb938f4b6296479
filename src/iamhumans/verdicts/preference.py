"""Which of two replies a judge prefers: from the text that it printed to its choice.

It is read as a verdict is. The choice is one of three words and never guessed. A choice whose quotes of the preferred
reply are only in the other reply contradicts itself.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from iamhumans.text import YamlValue, fold
from iamhumans.verdicts.claims import Claim, read_answer
from iamhumans.verdicts.form import Form
from iamhumans.verdicts.quotes import confirming_quotes
from iamhumans.verdicts.reader import writable
from iamhumans.verdicts.schema import JsonSchema, closed_object
from iamhumans.verdicts.values import NULL_WORDS, kind_of, narrow, read_prose, read_quotes, read_word, remark_of, shown
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


# A choice word, perhaps with a noun, perhaps with a remark behind a bracket or a dash.
_CHOICE = re.compile(
    r"(?:the\s+)?(?P<word>first|second|neither)(?:\s+(?:one|reply|response|answer)|\s+of\s+(?:them|the\s+two))?"
    r"(?:\s*[(\[（](?P<bracketed>.*)|\s*[-–—:;,、](?P<spaced>\s.*)|[.。])?",
    re.IGNORECASE | re.DOTALL,
)
_UNSURE = re.compile(r"\b(?:first|second|neither|both|either|equal(?:ly)?|tie|maybe|perhaps|or)\b", re.IGNORECASE)
_MARKS = "\"'“”‘’「」『』"


def _read_choice(value: YamlValue, _name: str, repairs: set[str]) -> Choice | Unjudged:
    expected = "not first, second or neither"
    if not isinstance(value, str):
        return Unjudged(Reason.BAD_CHOICE, f"choice is a {kind_of(value)}, {expected}")
    if value in (Choice.FIRST, Choice.SECOND, Choice.NEITHER):
        return Choice(value)
    text = narrow(value, repairs).strip(_MARKS).strip()
    if text.lower() in NULL_WORDS:
        return Unjudged(Reason.MISSING_CHOICE, "choice has no value")
    match = _CHOICE.fullmatch(text)
    if match is None:
        return Unjudged(Reason.BAD_CHOICE, f"choice is {shown(value)}, {expected}")
    remark = remark_of(match)
    if remark is not None and _UNSURE.search(remark):
        return Unjudged(Reason.BAD_CHOICE, f"choice is {shown(value)}, which can be read in several ways")
    repairs.add("choice_word" if remark is None else "remark")
    return Choice(match["word"].lower())


def _read_quotes(value: YamlValue, _name: str, _repairs: set[str]) -> tuple[str, ...]:
    return read_quotes(value)


_PARTS = ("first_quote", "second_quote", "choice")
_KEYS = ("case_id", "check", *_PARTS, "reason")
_READERS = dict(zip(_KEYS, (read_word, read_word, _read_quotes, _read_quotes, _read_choice), strict=False))
_FORM = Form("choice", {"": _PARTS}, _READERS, mark="choice", prose="reason")
_TEXT: JsonSchema = {"type": "string"}
_SCHEMA = closed_object(
    dict.fromkeys(_KEYS, _TEXT) | {"choice": {"type": "string", "enum": [choice.value for choice in Choice]}}
)


def preference_schema() -> JsonSchema:
    """A JSON schema that every complete answer follows; always the same object, not to be changed."""
    return _SCHEMA


def read_preference(text: str, asked: PreferenceAsked = PreferenceAsked()) -> PreferenceOutcome:
    """Read an answer, in any form, of a judge that was shown two replies."""
    others = (asked.first or "", asked.second or "", *asked.conversation)
    claim = read_answer(text, _FORM, asked, lambda claim: _problem(claim, asked), others, _is_copied)
    if isinstance(claim, Unjudged):
        return claim
    choice: Choice = claim.said["choice"]
    first, second = (tuple(map(writable, claim.said.get(key, ()))) for key in ("first_quote", "second_quote"))
    quotes, preferred = {"first": (first, asked.first), "second": (second, asked.second)}.get(choice, ((), None))
    confirmed = None if preferred is None else bool(confirming_quotes(quotes, preferred))
    reason = writable(read_prose(claim.raw.get("reason", "")))
    return Preference(choice, first, second, reason, confirmed, tuple(sorted(claim.repairs)))


def _is_copied(claim: Claim, other: Claim) -> bool:
    """Whether the other one says everything that it says. A choice is one word, so quotes and reason count too."""
    theirs = _words(other)
    return all(text in theirs.get(key, "") for key, text in _words(claim).items())


def _words(claim: Claim) -> dict[str, str]:
    return {key: fold(read_prose(claim.raw[key])) for key in (*_PARTS, "reason") if key in claim.raw}


def _problem(claim: Claim, asked: PreferenceAsked) -> Unjudged | None:
    choice = claim.said.get("choice", Unjudged(Reason.MISSING_CHOICE, "choice is missing"))
    missing = isinstance(choice, Unjudged) and choice.reason is Reason.MISSING_CHOICE
    cut = _cut_off(claim, asked, missing=missing)
    if cut:
        return Unjudged(Reason.TRUNCATED, cut)
    if isinstance(choice, Unjudged):
        return choice
    claim.repairs.update({"cut_reason"} if asked.finish_reason == "length" else ())
    if choice is Choice.NEITHER or asked.first is None or asked.second is None:
        return None
    other = Choice.SECOND if choice is Choice.FIRST else Choice.FIRST
    replies = {Choice.FIRST: asked.first, Choice.SECOND: asked.second}
    quotes = claim.said.get(f"{choice.value}_quote", ())
    if confirming_quotes(quotes, replies[choice]) or not confirming_quotes(quotes, replies[other]):
        return None
    detail = f"it prefers the {choice.value} reply but quotes words for it that are only in the {other.value} reply"
    return Unjudged(Reason.BAD_CHOICE, detail)


def _cut_off(claim: Claim, asked: PreferenceAsked, *, missing: bool) -> str | None:
    """Where the answer was cut off before its choice was complete, if it was."""
    last = list(claim.raw)[-1]
    if not claim.block.closed:
        return f"the answer breaks off after {last}"
    if asked.finish_reason == "length":
        # The last word may be incomplete: `first` may have become `first or second`.
        open_choice = claim.open_line and last == "choice" and not claim.block.json
        return f"the answer was cut off after {last}" if missing or open_choice else None
    if claim.ends_answer and missing and last != "reason" and not claim.block.json:
        return f"the answer stops after {last}"
    return None
