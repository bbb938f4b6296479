"""Which of two replies a judge would rather have got from a person: from what it printed to its choice.

1. It never raises, whatever the text.
2. Dress is forgiven and each repair recorded; meaning is strict. A choice is one of three words, and never guessed.
3. A choice that stands in one of the replies or in the conversation is never taken for the judge's.
4. The words that it quotes are looked for in the reply that they are said to be from. A choice whose quotes of the
   preferred reply stand in the other reply alone contradicts itself.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeAlias

from iamhumans.text import YamlProblem, YamlReading, YamlValue, fold
from iamhumans.verdicts.answers import (
    Claim,
    Ending,
    Signature,
    find_claims,
    foreign_claims,
    one_claim,
    repeated_keys,
    without_claim,
    wrong_case,
)
from iamhumans.verdicts.blocks import Block, clean_answer
from iamhumans.verdicts.forms import Form
from iamhumans.verdicts.lines import read_flat_lines
from iamhumans.verdicts.model import Reason, Unjudged
from iamhumans.verdicts.plain import clean, mapping_of, named, prose, read_block, unwrapped, word
from iamhumans.verdicts.quotes import standing_quotes
from iamhumans.verdicts.schema import JsonSchema
from iamhumans.verdicts.values import NULL_WORDS, Wrong, narrow, read_quotes, shown


class Choice(StrEnum):
    """What a judge chose, by the place in which the replies were shown to it."""

    FIRST = "first"
    SECOND = "second"
    NEITHER = "neither"


@dataclass(frozen=True, slots=True)
class Preference:
    """What a judge chose, the words of each reply that it quotes, and why."""

    choice: Choice
    first_quotes: tuple[str, ...] = ()
    second_quotes: tuple[str, ...] = ()
    reason: str = ""
    confirmed: bool | None = None
    """Whether words that it quotes from the preferred reply stand there; ``None`` where it prefers neither, or where
    nothing was to be quoted or the reply is not known."""
    repairs: tuple[str, ...] = ()
    """What was forgiven in the dress of the answer, sorted."""


PreferenceOutcome: TypeAlias = Preference | Unjudged


@dataclass(frozen=True, slots=True)
class PreferenceAsked:
    """What the reader knows of the question that an answer answers. ``None`` means unknown."""

    case_id: str | None = None
    token: str | None = None
    """The check token that was asked for."""
    first: str | None = None
    second: str | None = None
    """The replies, as they were shown."""
    conversation: tuple[str, ...] = ()
    """The texts of its turns: a choice that stands in one of them is not the judge's."""
    finish_reason: str | None = None


PREFERENCE_KEYS = ("case_id", "check", "first_quote", "second_quote", "choice", "reason")
"""The keys of an answer, in the order in which they should be written: what was read before what was chosen."""

_STATING = ("first_quote", "second_quote", "choice")
_FORM = Form(heads=PREFERENCE_KEYS[:-1], stating=_STATING, mark="choice")
_NOUN = "choice"

# One of the three words, perhaps with what it is the first of, perhaps with a remark that is set off.
_CHOICE = re.compile(
    r"(?:the\s+)?(?P<word>first|second|neither)(?:\s+(?:one|reply|response|answer)|\s+of\s+(?:them|the\s+two))?"
    r"(?:\s*[(\[（](?P<bracketed>.*)|\s*[-–—:;,、](?P<spaced>\s.*)|[.。])?",
    re.IGNORECASE | re.DOTALL,
)
_UNSURE = re.compile(r"\b(?:first|second|neither|both|either|equal(?:ly)?|tie|maybe|perhaps|or)\b", re.IGNORECASE)
_MARKS = "\"'“”‘’「」『』"


def preference_schema() -> JsonSchema:
    """A JSON schema that every complete answer follows; always the same object, not to be changed."""
    return _SCHEMA


_SCHEMA: JsonSchema = {
    "type": "object",
    "properties": {
        key: {"type": "string", "enum": [choice.value for choice in Choice]} if key == "choice" else {"type": "string"}
        for key in PREFERENCE_KEYS
    },
    "required": list(PREFERENCE_KEYS),
    "additionalProperties": False,
}


def read_preference(text: str, asked: PreferenceAsked = PreferenceAsked()) -> PreferenceOutcome:
    """Read an answer of a judge that was shown two replies.

    Args:
        text: The whole answer, in whatever dress.
        asked: What is known of the question: case, check token, both replies, how the answer ended.
    """
    if asked.finish_reason == "content_filter":
        return Unjudged(Reason.CONTENT_FILTER, "the provider's filter stopped the answer")
    cleaned = clean_answer(text)
    claims = find_claims(cleaned.text, _FORM, lambda block, ending: _read_claim(block, asked, ending))
    if not claims:
        return without_claim(cleaned, asked.finish_reason, _NOUN)
    outcome = one_claim(cleaned, claims, _not_quoted(claims, asked), asked.token, _NOUN)
    if isinstance(outcome, Unjudged):
        return outcome
    claim, repairs = outcome
    if not isinstance(claim.choice, Choice):  # a claim without a problem has one
        return Unjudged(Reason.MISSING_CHOICE, "choice is missing")
    return _preference(claim, claim.choice, asked, repairs)


def _not_quoted(claims: Sequence[_PreferenceClaim], asked: PreferenceAsked) -> Sequence[_PreferenceClaim]:
    """The claims less those that say nothing beyond what stands in a reply or in the conversation.

    A choice is one word, so an answer of its own is told by its quotes and its reason as well.
    """
    foreign, complete = foreign_claims(
        (asked.first or "", asked.second or "", *asked.conversation),
        _FORM,
        lambda block, ending: _read_claim(block, PreferenceAsked(), ending),
    )
    if not complete:
        return [claim for claim in claims if claim.has_token(asked.token)]
    return [claim for claim in claims if claim.has_token(asked.token) or not any(map(claim.is_part_of, foreign))]


# --- one block --------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _PreferenceClaim(Claim):
    """What a block says as a preference, as far as it could be read."""

    choice: Choice | Wrong | None = None
    quotes: dict[str, tuple[str, ...]] = field(default_factory=dict)
    reason: str = ""
    words: dict[str, str] = field(default_factory=dict)
    """Everything it says, in the spelling by which texts are compared."""
    order: tuple[str, ...] = ()
    """Its keys as they stand."""

    @property
    def states_anything(self) -> bool:
        return self.choice is not None or bool(self.quotes) or self.problem is not None

    @property
    def signature(self) -> Signature:
        return frozenset({("choice", self.choice.value)} if isinstance(self.choice, Choice) else ())

    def is_part_of(self, other: _PreferenceClaim) -> bool:
        """Whether the other one says all that it says; a value of the other one may go on."""
        return all(text in other.words.get(key, "") for key, text in self.words.items())


def _read_claim(block: Block, asked: PreferenceAsked, ending: Ending) -> _PreferenceClaim:
    claim = _PreferenceClaim(block)
    try:
        reading = read_block(block, _by_line, claim.repairs)
    except YamlProblem as problem:
        claim.problem = Unjudged(Reason.NO_VERDICT, f"line {block.start + problem.line}: {problem.problem}")
        return claim
    top = mapping_of(reading.value, claim.repairs)
    top = unwrapped(top, claim.repairs, known=PREFERENCE_KEYS, marks=("choice",))
    conflict = _fill(claim, top)
    conflict = repeated_keys(reading.repeated, PREFERENCE_KEYS[:-1], claim.repairs) or conflict
    if conflict and "`check`" in conflict:
        claim.token = None
    claim.problem = _problem(claim, asked, conflict, ending)
    return claim


def _by_line(text: str, repairs: set[str]) -> YamlReading:
    return read_flat_lines(text, PREFERENCE_KEYS, repairs)


def _fill(claim: _PreferenceClaim, top: Mapping[str, YamlValue]) -> str | None:
    """Fill a claim; returns what contradicts itself in it."""
    conflict = None
    values: dict[str, YamlValue] = {}
    for key, value in named(top, claim.repairs, PREFERENCE_KEYS):
        if key not in PREFERENCE_KEYS:
            claim.repairs.add("unknown_key")
        elif key in values and values[key] != value:
            conflict = f"`{key}` stands twice with different values"
        else:
            values[key] = value
    claim.case_id = word(values.get("case_id"))
    claim.token = word(values.get("check"))
    claim.choice = _read_choice(values["choice"], claim.repairs) if "choice" in values else None
    claim.quotes = {key: read_quotes(values[key]) for key in ("first_quote", "second_quote") if key in values}
    claim.reason = prose(values.get("reason", ""))
    claim.order = tuple(values)
    claim.words = {key: fold(prose(values[key])) for key in (*_STATING, "reason") if key in values}
    return conflict


def _read_choice(value: YamlValue, repairs: set[str]) -> Choice | Wrong:
    """One of the three words, or what is wrong with it."""
    expected = "not first, second or neither"
    if not isinstance(value, str):
        return Wrong(Reason.BAD_CHOICE, f"choice is a {'list' if isinstance(value, list) else 'mapping'}, {expected}")
    if value in (Choice.FIRST, Choice.SECOND, Choice.NEITHER):
        return Choice(value)
    text = narrow(value, repairs).strip(_MARKS).strip()
    if text.lower() in NULL_WORDS:
        return Wrong(Reason.MISSING_CHOICE, "choice has no value")
    match = _CHOICE.fullmatch(text)
    if match is None:
        return Wrong(Reason.BAD_CHOICE, f"choice is {shown(value)}, {expected}")
    remark = match["bracketed"] if match["bracketed"] is not None else match["spaced"]
    if remark is not None and _UNSURE.search(remark):
        return Wrong(Reason.BAD_CHOICE, f"choice is {shown(value)}, which may be read in several ways")
    repairs.add("choice_word" if remark is None else "remark")
    return Choice(match["word"].lower())


# --- what is wrong ----------------------------------------------------------------------------------------------------


def _problem(claim: _PreferenceClaim, asked: PreferenceAsked, conflict: str | None, ending: Ending) -> Unjudged | None:
    """The first thing that is wrong, in the order of what it means for the whole."""
    if not claim.states_anything:
        return None
    if conflict:
        return Unjudged(Reason.CONFLICTING_VERDICTS, conflict)
    wrong = wrong_case(claim, asked.case_id, "choice")
    if wrong:
        return wrong
    cut = _cut_off(claim, asked, ending)
    if cut:
        return Unjudged(Reason.TRUNCATED, cut)
    if claim.choice is None:
        return Unjudged(Reason.MISSING_CHOICE, "choice is missing")
    if isinstance(claim.choice, Wrong):
        return Unjudged(claim.choice.reason, claim.choice.detail)
    if asked.finish_reason == "length":
        claim.repairs.add("cut_reason")
    return _mixed_up(claim, claim.choice, asked)


def _cut_off(claim: _PreferenceClaim, asked: PreferenceAsked, ending: Ending) -> str | None:
    """How the answer seems to have been cut off before its choice was whole, if it was."""
    last = claim.order[-1] if claim.order else "its beginning"
    missing = claim.choice is None or (isinstance(claim.choice, Wrong) and _is_missing(claim.choice))
    if not claim.block.closed:
        return f"the answer breaks off after {last}"
    if asked.finish_reason == "length":
        # The last word may go on: `first` may have become `first or second`.
        open_choice = ending.open_line and last == "choice" and not claim.block.json
        return f"the answer was cut off after {last}" if missing or open_choice else None
    if ending.ends_answer and missing and last != "reason" and not claim.block.json:
        return f"the answer stops after {last}"
    return None


def _is_missing(choice: Wrong) -> bool:
    return choice.reason is Reason.MISSING_CHOICE


def _mixed_up(claim: _PreferenceClaim, choice: Choice, asked: PreferenceAsked) -> Unjudged | None:
    """What is wrong where it quotes the preferred reply by words that only the other one holds."""
    if choice is Choice.NEITHER or asked.first is None or asked.second is None:
        return None
    replies = {Choice.FIRST: asked.first, Choice.SECOND: asked.second}
    preferred = replies.pop(choice)
    (other,) = replies
    quotes = claim.quotes.get(f"{choice.value}_quote", ())
    if standing_quotes(quotes, preferred) or not standing_quotes(quotes, replies[other]):
        return None
    detail = f"it prefers the {choice.value} reply by words that stand in the {other.value} reply alone"
    return Unjudged(Reason.BAD_CHOICE, detail)


# --- what it comes to -------------------------------------------------------------------------------------------------


def _preference(claim: _PreferenceClaim, choice: Choice, asked: PreferenceAsked, repairs: set[str]) -> Preference:
    first, second = (tuple(map(clean, claim.quotes.get(key, ()))) for key in ("first_quote", "second_quote"))
    confirmed = {
        Choice.FIRST: _confirmed(first, asked.first),
        Choice.SECOND: _confirmed(second, asked.second),
        Choice.NEITHER: None,
    }[choice]
    return Preference(choice, first, second, clean(claim.reason), confirmed, tuple(sorted(repairs)))


def _confirmed(quotes: tuple[str, ...], reply: str | None) -> bool | None:
    return None if reply is None else bool(standing_quotes(quotes, reply))
