"""What an answer of a judge claims, whether it is a verdict or a choice between two replies.

1. Every block of the answer becomes a claim: plain data, each value read by its reader.
2. Claims that are also in the text being judged are set aside.
3. A claim with the right check token counts before all others.
4. One claim remains, or the answer is unjudged: claims that disagree are never settled by a guess.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from iamhumans.text import YamlProblem, YamlReading, YamlValue, has_substance, one_line
from iamhumans.verdicts.blocks import Block, Cleaned, clean_answer, find_blocks, find_nested_blocks, remove_controls
from iamhumans.verdicts.form import Form
from iamhumans.verdicts.parse import parse_block
from iamhumans.verdicts.values import plain_key
from iamhumans.verdicts.verdict import Asked, Flag, Reason, Unjudged

if TYPE_CHECKING:
    from iamhumans.verdicts.preference import PreferenceAsked

Entries: TypeAlias = list[tuple[str, YamlValue]]

# What judges say when they decline. It counts only where the answer holds no claim.
_REFUSAL = re.compile(
    r"\b(?:i\s+(?:can(?:no|')t|can\s?not|won't|will\s+not|must\s+decline|decline|am\s+(?:not\s+able|unable))|i'm\s+(?:not\s+able|unable|sorry,?\s+but)"
    r"|i\s+apologi[sz]e,?\s+but|(?:unable|not\s+able)\s+to\s+(?:assist|help|evaluate|judge|score|comply|provide|continue)"
    r"|can(?:no|')t\s+(?:assist|help|evaluate|judge|score|comply)|as\s+an\s+ai\b)",
    re.IGNORECASE,
)
# A line that is no fence and no document mark.
_TEXT_LINE = re.compile(r"^[^\S\n]*+(?!```|~~~|(?:---|\.\.\.)[^\S\n]*$)\S", re.MULTILINE)


@dataclass(slots=True)
class Claim:
    """What a block says, as far as it could be read."""

    block: Block
    ends_answer: bool = False  # nothing follows the block
    open_line: bool = False  # the last line of the answer has no end
    said: dict[str, Any] = field(default_factory=dict)  # what the values mean; an Unjudged means nothing
    raw: dict[str, YamlValue] = field(default_factory=dict)  # the values of the top level, as they are written
    repairs: set[str] = field(default_factory=set)
    conflict: str | None = None  # a key that is given twice with different values
    problem: Unjudged | None = None

    def meaning(self, keys: Iterable[str]) -> dict[str, object]:
        """What it says under these keys, apart from form."""
        said = ((key, _meaning(self.said.get(key))) for key in keys)
        return {key: value for key, value in said if value is not None and not isinstance(value, Unjudged)}


def _meaning(value: object) -> object:
    return value.present if isinstance(value, Flag) else value


def _differ(one: object, other: object) -> bool:
    return None not in (one, other) and _meaning(one) != _meaning(other)


def read_answer(
    text: str,
    form: Form,
    asked: Asked | PreferenceAsked,
    check: Callable[[Claim], Unjudged | None],
    others: Iterable[str],
    is_copied: Callable[[Claim, Claim], bool],
) -> Claim | Unjudged:
    """The one claim that an answer makes, without those that are copied from ``others``, the texts being judged."""
    if asked.finish_reason == "content_filter":
        return Unjudged(Reason.CONTENT_FILTER, "the provider's filter stopped the answer")
    cleaned = clean_answer(text)
    last = len(cleaned.text.rstrip())
    claims = []
    for block in find_blocks(cleaned.text, form.patterns):
        claim = read_claim(block, form)
        claim.ends_answer, claim.open_line = block.end >= last, not cleaned.text.endswith("\n")
        if claim.problem is None and not claim.said.keys().isdisjoint(form.parts):
            claim.problem = _problem(claim, form, asked) or check(claim)
        elif claim.problem is None:
            continue
        claims.append(claim)
    if not claims:
        return _no_claim(cleaned, asked.finish_reason, form.noun)
    own = _own_claims(claims, form, asked.token, others, is_copied)
    chosen = _one_claim(own, form, asked.token)
    if isinstance(chosen, Claim):
        chosen.repairs |= cleaned.repairs | _surroundings(cleaned.text, chosen, claims)
        chosen.repairs.update({"quoted_from_reply"} if len(own) < len(claims) else ())
        chosen.repairs.update({"no_check"} if asked.token and chosen.said.get("check") is None else ())
    return chosen


def read_claim(block: Block, form: Form) -> Claim:
    """What a block says."""
    claim = Claim(block)
    try:
        reading = parse_block(block, form, claim.repairs)
    except YamlProblem as problem:
        claim.problem = Unjudged(Reason.NO_VERDICT, f"line {problem.line} of the {form.noun}: {problem.problem}")
        return claim
    outside: Entries = []
    for key, value in _named(_unwrapped(entries_of(reading.value, claim.repairs), form, claim), form.known, claim):
        if key not in form.top_keys:
            outside.append((key, value))
            continue
        if key in form.readers:
            _say(claim, form, key, value)
        elif claim.raw.get(key, value) != value:
            _repeat(claim, key, differs=key in form.sections)
        claim.raw.setdefault(key, value)
    for section in form.sections:
        _read_section(claim, form, section, outside)
    if outside and not form.sections:
        claim.repairs.add("unknown_key")
    _check_repeated(claim, form, reading)
    return claim


def _read_section(claim: Claim, form: Form, section: str, outside: Entries) -> None:
    names = form.sections[section]
    outside = [(key, value) for key, value in outside if key in names]
    inside = claim.raw.get(section, "")
    if inside == "":
        claim.repairs.update({"flat"} if outside else ())
    else:
        for key, value in _named(entries_of(inside, claim.repairs), names, claim):
            if key in names:
                _say(claim, form, key, value)
            else:
                claim.repairs.add("unknown_key")
        # Outside of its section, a key whose value cannot be read is something else.
        outside = [one for one in outside if not isinstance(form.readers[one[0]](one[1], one[0], set()), Unjudged)]
    for key, value in outside:
        _say(claim, form, key, value)


def _say(claim: Claim, form: Form, key: str, value: YamlValue) -> None:
    said = form.readers[key](value, key, claim.repairs)
    if key in claim.said:
        _repeat(claim, key, differs=_differ(claim.said[key], said))
    claim.said[key] = claim.said.get(key, said)


def _repeat(claim: Claim, key: str, *, differs: bool) -> None:
    if differs:
        claim.conflict = key
    else:
        claim.repairs.add("duplicate_key")


def _check_repeated(claim: Claim, form: Form, reading: YamlReading) -> None:
    """Compare the values of keys that are given twice in one mapping."""
    for again in reading.repeated:
        *parents, key = (plain_key(str(name)) for name in again.path)
        differs = key in form.sections and again.first != again.later
        if key in form.readers:
            first, later = (form.readers[key](value, key, set()) for value in (again.first, again.later))
            differs = _differ(first, later) and parents[-1:] != ["evidence"]
        _repeat(claim, key, differs=differs)


def entries_of(value: YamlValue, repairs: set[str]) -> Entries:
    """The entries of a mapping, or of a list of mappings."""
    if isinstance(value, dict):
        return list(value.items())
    mappings = [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
    repairs.update({"list_form"} if mappings else ())
    return [entry for mapping in mappings for entry in mapping.items()]


def _unwrapped(entries: Entries, form: Form, claim: Claim) -> Entries:
    """What is inside of ``{"result": {...}}``, where the outer mapping says nothing itself."""
    if len(entries) == 1:
        ((key, inner),) = entries
        marks = form.sections or (form.mark,)
        if isinstance(inner, dict) and plain_key(key) not in form.top_keys and not inner.keys().isdisjoint(marks):
            claim.repairs.add("wrapped")
            return list(inner.items())
    return entries


def _named(entries: Entries, known: Collection[str], claim: Claim) -> Iterator[tuple[str, YamlValue]]:
    """The entries with the known spelling of their keys."""
    for key, value in entries:
        if key not in known:
            key = plain_key(key)
            claim.repairs.update({"key_names"} if key in known else ())
        yield key, value


def _problem(claim: Claim, form: Form, asked: Asked | PreferenceAsked) -> Unjudged | None:
    """What can be wrong with any claim: it contradicts itself, or is for another case."""
    if claim.conflict:
        if claim.conflict == "check":
            claim.said["check"] = None
        return Unjudged(Reason.CONFLICTING_VERDICTS, f"`{claim.conflict}` is given twice, with different values")
    said = claim.said.get("case_id")
    if asked.case_id is None or said == asked.case_id:
        return None
    if said and said.strip("\"'`*“”‘’ ").casefold() != asked.case_id.casefold():
        detail = f"the {form.noun} is for `{one_line(said, 60)}`; the question was about `{asked.case_id}`"
        return Unjudged(Reason.WRONG_CASE, detail)
    claim.repairs.add("case_id_spelling" if said else "no_case_id")
    return None


def _own_claims(
    claims: Sequence[Claim],
    form: Form,
    token: str | None,
    others: Iterable[str],
    is_copied: Callable[[Claim, Claim], bool],
) -> Sequence[Claim]:
    """The claims that are not in the texts being judged. Where those hold too much, only the right token counts."""
    trusted = [claim for claim in claims if token is not None and claim.said.get("check") == token]
    if len(trusted) == len(claims):
        return claims
    foreign: list[Claim] = []
    for text in others:
        blocks = find_nested_blocks(remove_controls(text, set()), form.patterns)
        if blocks is None:
            return trusted
        foreign += [
            claim for block in blocks if not (claim := read_claim(block, form)).said.keys().isdisjoint(form.parts)
        ]
    return [
        claim
        for claim in claims
        if any(claim is one for one in trusted) or not any(is_copied(claim, other) for other in foreign)
    ]


def _one_claim(claims: Sequence[Claim], form: Form, token: str | None) -> Claim | Unjudged:
    if not claims:
        detail = f"the only {form.noun} in the answer is copied from the reply or the conversation"
        return Unjudged(Reason.NO_VERDICT, detail)
    if token is not None:
        checks = [claim.said["check"] for claim in claims if claim.said.get("check") is not None]
        if checks and token not in checks:
            return Unjudged(Reason.WRONG_TOKEN, f"the check line says `{one_line(checks[0], 40)}`, not the token")
        claims = [claim for claim in claims if not checks or claim.said.get("check") == token]
    sound = [claim for claim in claims if claim.problem is None]
    chosen = (sound or claims)[0]
    decisive = form.parts if form.sections else (form.mark,)
    meant = chosen.meaning(decisive) if len(claims) > 1 else {}
    if meant and any(
        meant.get(key, value) != value for claim in claims for key, value in claim.meaning(decisive).items()
    ):
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
    repairs.update({"text_after"} if _TEXT_LINE.search(text[position:]) else ())
    return repairs


def _no_claim(cleaned: Cleaned, finish_reason: str | None, noun: str) -> Unjudged:
    """Why an answer holds no claim."""
    text = re.sub(r"```\w*|~~~\w*", "", cleaned.text.lstrip()[:200_000])
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
