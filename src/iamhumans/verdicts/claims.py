"""What an answer of a judge claims, whether it is a verdict or a choice between two replies.

1. Every block of the answer becomes a claim: plain data, each value read by its reader.
2. Claims that are also in the text being judged are set aside.
3. A claim with the right check token counts before all others.
4. One claim remains, or the answer is unjudged: claims that disagree are never settled by a guess.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, Protocol, TypeAlias

from iamhumans.text import YamlProblem, YamlReading, YamlValue, has_substance, one_line
from iamhumans.verdicts.blocks import Block, BlockFinder, Cleaned, clean_answer, without_control_characters
from iamhumans.verdicts.parse import LineKeys, parse_block
from iamhumans.verdicts.values import plain_key
from iamhumans.verdicts.verdict import Flag, Reason, Unjudged

ReadValue: TypeAlias = Callable[[YamlValue, str, set[str]], object]

_MAX_PROSE = 100_000
# What judges say when they decline. Asked only where the answer holds no claim.
_REFUSAL = re.compile(
    r"\b(?:i\s+(?:can(?:no|')t|can\s?not|won't|will\s+not|must\s+decline|decline|am\s+(?:not\s+able|unable))|i'm\s+(?:not\s+able|unable|sorry,?\s+but)"
    r"|i\s+apologi[sz]e,?\s+but|(?:unable|not\s+able)\s+to\s+(?:assist|help|evaluate|judge|score|comply|provide|continue)"
    r"|can(?:no|')t\s+(?:assist|help|evaluate|judge|score|comply)|as\s+an\s+ai\b)",
    re.IGNORECASE,
)
# A line that is no fence and no document mark.
_TEXT_LINE = re.compile(r"^[^\S\n]*+(?!```|~~~|(?:---|\.\.\.)[^\S\n]*$)\S", re.MULTILINE)


@dataclass(frozen=True, eq=False)
class Form:
    """What an answer of one kind looks like.

    Attributes:
        noun: What the answer is called in messages.
        mark: The key that every whole answer has at its margin.
        parts: Keys that say something, each with its section, or with ``""`` at the top level.
        readers: How each value is read. None of these keys may be given twice with different values.
        prose: The key of the running text at the end.
        decisive: Keys in which two claims of one answer must agree.
    """

    noun: str
    mark: str
    parts: Mapping[str, str]
    readers: Mapping[str, ReadValue]
    prose: str
    decisive: Collection[str]

    @cached_property
    def sections(self) -> tuple[str, ...]:
        """The sections, ``evidence`` among them."""
        return (
            tuple(dict.fromkeys((*filter(None, self.parts.values()), "evidence"))) if any(self.parts.values()) else ()
        )

    @cached_property
    def top_keys(self) -> tuple[str, ...]:
        """Keys of the top level."""
        inner = [name for name, section in self.parts.items() if section]
        return (*(key for key in self.readers if key not in inner), *self.sections, self.prose)

    @cached_property
    def line_keys(self) -> LineKeys:
        """The same for an answer that is read line by line."""
        known = {*self.top_keys, *self.parts}
        if not self.sections:
            return LineKeys(known, known, {}, (), ())
        return LineKeys(known, (self.prose,), self.parts, self.sections, {*self.parts, self.prose})

    @cached_property
    def blocks(self) -> BlockFinder:
        """Finds the blocks of an answer."""
        return BlockFinder(("case_id", "check", *self.sections, *self.parts), self.parts, self.mark)


class AskedAbout(Protocol):
    """What is known about the question, whatever was asked for."""

    @property
    def case_id(self) -> str | None: ...
    @property
    def token(self) -> str | None: ...
    @property
    def finish_reason(self) -> str | None: ...


@dataclass(slots=True)
class Claim:
    """What a block says, as far as it could be read.

    Attributes:
        block: The block.
        said: What the values mean, by key; an :class:`Unjudged` is a value without meaning.
        raw: The values of the top level, as they are written.
        repairs: What was repaired.
        conflict: The key that is given twice with different values.
        problem: Why it is no answer.
    """

    block: Block
    said: dict[str, Any] = field(default_factory=dict)
    raw: dict[str, YamlValue] = field(default_factory=dict)
    repairs: set[str] = field(default_factory=set)
    conflict: str | None = None
    problem: Unjudged | None = None

    def meaning(self, keys: Iterable[str]) -> dict[str, object]:
        """What it says under these keys, apart from form."""
        said = ((key, self.said.get(key)) for key in keys)
        return {key: _meaning(value) for key, value in said if value is not None and not isinstance(value, Unjudged)}

    def contradicts(self, other: Claim, keys: Collection[str]) -> bool:
        """Whether both say something under one of these keys, and not the same."""
        theirs = other.meaning(keys)
        return any(theirs.get(key, value) != value for key, value in self.meaning(keys).items())


class Ending(NamedTuple):
    """How an answer goes on after a block: whether nothing follows, and whether its last line has no end."""

    ends_answer: bool
    open_line: bool


Check: TypeAlias = Callable[[Claim, Ending], Unjudged | None]


def read_answer(
    text: str,
    form: Form,
    asked: AskedAbout,
    check: Check,
    others: Iterable[str],
    is_copied: Callable[[Claim, Claim], bool],
) -> Claim | Unjudged:
    """The one claim that an answer makes.

    Args:
        text: The whole answer.
        form: What was asked for.
        asked: What is known about the question.
        check: What is wrong with a claim that is for the right case and does not contradict itself.
        others: The texts being judged; a claim that is in one of them is not the judge's.
        is_copied: Whether a claim says what another one, of those texts, says.
    """
    if asked.finish_reason == "content_filter":
        return Unjudged(Reason.CONTENT_FILTER, "the provider's filter stopped the answer")
    cleaned = clean_answer(text)
    last = len(cleaned.text.rstrip())
    open_line = not cleaned.text.endswith("\n")
    claims = []
    for block in form.blocks.find(cleaned.text):
        claim = read_claim(block, form)
        if claim.problem is None and not claim.said.keys().isdisjoint(form.parts):
            claim.problem = _problem(claim, form, asked) or check(claim, Ending(block.end >= last, open_line))
        elif claim.problem is None:
            continue
        claims.append(claim)
    if not claims:
        return _no_claim(cleaned, asked.finish_reason, form.noun)
    own = _own_claims(claims, form, asked.token, others, is_copied)
    chosen = _one_claim(own, form, asked.token)
    if isinstance(chosen, Unjudged):
        return chosen
    chosen.repairs |= cleaned.repairs | _surroundings(cleaned.text, chosen, claims)
    chosen.repairs.update({"quoted_from_reply"} if len(own) < len(claims) else ())
    chosen.repairs.update({"no_check"} if asked.token is not None and chosen.said.get("check") is None else ())
    return chosen


# --- one block --------------------------------------------------------------------------------------------------------


def read_claim(block: Block, form: Form) -> Claim:
    """What a block says."""
    claim = Claim(block)
    try:
        reading = parse_block(block, form.line_keys, claim.repairs)
    except YamlProblem as problem:
        claim.problem = Unjudged(Reason.NO_VERDICT, f"line {problem.line} of the {form.noun}: {problem.problem}")
        return claim
    strays = []
    for key, value in _named(
        _unwrapped(entries_of(reading.value, claim.repairs), form, claim.repairs), form.line_keys.known, claim
    ):
        if key in form.readers and key in form.top_keys:
            _say(claim, form, key, value)
        elif key in form.parts:
            strays.append((key, value))
            continue
        elif key not in form.top_keys:
            claim.repairs.update(() if form.sections else {"unknown_key"})
            continue
        elif claim.raw.get(key, value) != value:
            _repeat(claim, key, differs=key in form.sections and key != "evidence")
        claim.raw.setdefault(key, value)
    for section in form.sections:
        if section != "evidence":
            _read_section(claim, form, section, strays)
    _check_repeated(claim, form, reading)
    return claim


def _read_section(claim: Claim, form: Form, section: str, strays: list[tuple[str, YamlValue]]) -> None:
    names = [name for name, its in form.parts.items() if its == section]
    outside = [(key, value) for key, value in strays if key in names]
    inside = claim.raw.get(section, "")
    if inside == "":
        claim.repairs.update({"flat"} if outside else ())
    else:
        for key, value in _named(entries_of(inside, claim.repairs), names, claim):
            if key in names:
                _say(claim, form, key, value)
            else:
                claim.repairs.add("unknown_key")
        # Outside of its section a key that cannot be read is something else.
        outside = [one for one in outside if not isinstance(form.readers[one[0]](one[1], one[0], set()), Unjudged)]
    for key, value in outside:
        _say(claim, form, key, value)


def _say(claim: Claim, form: Form, key: str, value: YamlValue) -> None:
    said = form.readers[key](value, key, claim.repairs)
    if key not in claim.said:
        claim.said[key] = said
    elif _meaning(claim.said[key]) != _meaning(said):
        _repeat(claim, key, differs=True)


def _repeat(claim: Claim, key: str, *, differs: bool) -> None:
    if differs:
        claim.conflict = key
    else:
        claim.repairs.add("duplicate_key")


def _meaning(value: object) -> object:
    return value.present if isinstance(value, Flag) else value


def _check_repeated(claim: Claim, form: Form, reading: YamlReading) -> None:
    for again in reading.repeated:
        *parents, key = (plain_key(str(name)) for name in again.path)
        if parents and parents[-1] in ("evidence", form.prose):
            differs = False
        elif key in form.readers:
            first, later = (form.readers[key](value, key, set()) for value in (again.first, again.later))
            differs = _meaning(first) != _meaning(later)
        else:
            differs = key in form.sections and key != "evidence" and again.first != again.later
        _repeat(claim, key, differs=differs)


def entries_of(value: YamlValue, repairs: set[str]) -> list[tuple[str, YamlValue]]:
    """The entries of a mapping, or of a list of mappings."""
    if isinstance(value, dict):
        return list(value.items())
    mappings = [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
    repairs.update({"list_form"} if mappings else ())
    return [entry for mapping in mappings for entry in mapping.items()]


def _unwrapped(entries: list[tuple[str, YamlValue]], form: Form, repairs: set[str]) -> list[tuple[str, YamlValue]]:
    """What is inside of ``{"result": {...}}``, where the outer mapping says nothing itself."""
    if len(entries) == 1:
        ((key, inner),) = entries
        marks = form.sections or (form.mark,)
        if isinstance(inner, dict) and plain_key(key) not in form.top_keys and not inner.keys().isdisjoint(marks):
            repairs.add("wrapped")
            return list(inner.items())
    return entries


def _named(
    entries: Iterable[tuple[str, YamlValue]], known: Collection[str], claim: Claim
) -> Iterator[tuple[str, YamlValue]]:
    """The entries with the known spelling of their keys."""
    for key, value in entries:
        if key in known:
            yield key, value
        else:
            plain = plain_key(key)
            claim.repairs.update({"key_names"} if plain in known else ())
            yield plain, value


def _problem(claim: Claim, form: Form, asked: AskedAbout) -> Unjudged | None:
    """What is wrong with any claim: it contradicts itself, or is for another case."""
    if claim.conflict:
        if claim.conflict == "check":
            claim.said["check"] = None
        detail = f"`{claim.conflict}` is given twice, with different values"
        return Unjudged(Reason.CONFLICTING_VERDICTS, detail)
    said = claim.said.get("case_id")
    if asked.case_id is None or said == asked.case_id:
        return None
    if said is None:
        claim.repairs.add("no_case_id")
    elif said.strip("\"'`*“”‘’ ").casefold() == asked.case_id.casefold():
        claim.repairs.add("case_id_spelling")
    else:
        detail = f"the {form.noun} is for `{one_line(said, 60)}`; the question was about `{asked.case_id}`"
        return Unjudged(Reason.WRONG_CASE, detail)
    return None


# --- all blocks -------------------------------------------------------------------------------------------------------


def _own_claims(
    claims: Sequence[Claim],
    form: Form,
    token: str | None,
    others: Iterable[str],
    is_copied: Callable[[Claim, Claim], bool],
) -> Sequence[Claim]:
    """The claims that are not in the texts being judged. Where those hold too much, only the right token tells."""
    suspects = [claim for claim in claims if token is None or claim.said.get("check") != token]
    foreign: list[Claim] = []
    for text in others if suspects else ():
        blocks = form.blocks.find_nested(without_control_characters(text, set()))
        if blocks is None:
            return [claim for claim in claims if claim not in suspects]
        foreign += (claim for block in blocks if (claim := read_claim(block, form)).problem or claim.said)
    copied = [claim for claim in suspects if any(is_copied(claim, other) for other in foreign)]
    return [claim for claim in claims if not any(claim is one for one in copied)] if copied else claims


def _one_claim(claims: Sequence[Claim], form: Form, token: str | None) -> Claim | Unjudged:
    if not claims:
        detail = f"the only {form.noun} in the answer is copied from the reply or the conversation"
        return Unjudged(Reason.NO_VERDICT, detail)
    if token is not None:
        right = [claim for claim in claims if claim.said.get("check") == token]
        wrong = [claim.said["check"] for claim in claims if claim.said.get("check") is not None]
        if wrong and not right:
            return Unjudged(
                Reason.WRONG_TOKEN, f"the check line says `{one_line(wrong[0], 40)}`, which is not the token"
            )
        claims = right or claims
    sound = [claim for claim in claims if claim.problem is None]
    chosen = (sound or claims)[0]
    if any(chosen.contradicts(other, form.decisive) for other in claims):
        return Unjudged(Reason.CONFLICTING_VERDICTS, f"{len(claims)} {form.noun}s that say different things")
    if chosen.problem is not None:
        return chosen.problem
    chosen.repairs.update({f"repeated_{form.noun}"} if len(sound) > 1 else ())
    chosen.repairs.update({"fragment"} if len(sound) < len(claims) else ())
    return chosen


def _surroundings(text: str, chosen: Claim, claims: Sequence[Claim]) -> set[str]:
    """What is around the claim: a fence, text before, text after."""
    repairs = {"code_fence"} if chosen.block.fenced else set()
    position = 0
    for claim in claims:
        if _TEXT_LINE.search(text[position : claim.block.start]):
            repairs.add("text_before" if claim.block.start <= chosen.block.start else "text_after")
        position = claim.block.end
    if _TEXT_LINE.search(text[position:]):
        repairs.add("text_after")
    return repairs


def _no_claim(cleaned: Cleaned, finish_reason: str | None, noun: str) -> Unjudged:
    """Why an answer holds no claim."""
    text = re.sub(r"```\w*|~~~\w*", "", cleaned.text.lstrip()[:_MAX_PROSE])
    refused = _REFUSAL.search(text.replace("’", "'"))
    if finish_reason == "length" and (cleaned.only_reasoning or not refused):
        return Unjudged(Reason.TRUNCATED, f"the answer was cut off before a {noun}")
    if cleaned.only_reasoning:
        return Unjudged(Reason.NO_VERDICT, "the answer is only reasoning")
    if not has_substance(text):
        return Unjudged(Reason.EMPTY, "the answer is empty")
    if refused:
        return Unjudged(Reason.REFUSED, f"the judge declined: {one_line(text, 120)}")
    return Unjudged(Reason.NO_VERDICT, f"there is no {noun} in: {one_line(text, 120)}")
