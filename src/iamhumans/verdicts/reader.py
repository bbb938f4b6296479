"""From the text that a judge printed to its verdict, or to the reason why there is none.

1. Every block of the answer becomes a claim: each value is read by its reader.
2. Claims that are also in the text being judged are set aside.
3. A claim with the right check token counts before all others.
4. One claim remains, or the answer is unjudged: claims that disagree are never settled by a guess.

Reading never raises, whatever the text. Form is forgiven and each repair recorded; meaning is strict.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from iamhumans.rubrics import NOT_APPLICABLE, Rubric
from iamhumans.text import YamlProblem, fold, has_substance, one_line
from iamhumans.verdicts.blocks import Block, Form, find_blocks
from iamhumans.verdicts.cleaning import clean_answer, remove_controls, unescaped
from iamhumans.verdicts.exact import read_exact
from iamhumans.verdicts.parse import WRAPPED, Entry, parse_block
from iamhumans.verdicts.pieces import read_pieces, states_parts
from iamhumans.verdicts.repetition import repeated_ending
from iamhumans.verdicts.values import (
    ReadValue,
    read_flag,
    read_outcome,
    read_prose,
    read_quotes,
    read_score,
    read_total,
    read_word,
)
from iamhumans.verdicts.verdict import Asked, Flag, MaybeVerdict, Reason, Unjudged, Verdict

if TYPE_CHECKING:
    from iamhumans.verdicts.preference import PreferenceAsked

_MISSING = (Reason.MISSING_AXIS, Reason.MISSING_FLAG, Reason.MISSING_CHOICE)
# The reason that counts if there are several.
_ORDER = (
    (Reason.MISSING_AXIS,),
    (Reason.NOT_A_NUMBER, Reason.OUT_OF_RANGE),
    (Reason.MISSING_FLAG,),
    (Reason.BAD_FLAG,),
)
# What judges say when they decline. It counts only if the answer holds no claim.
_REFUSAL = re.compile(
    r"\b(?:i\s+(?:can(?:no|')t|can\s?not|won't|will\s+not|must\s+decline|decline|am\s+(?:not\s+able|unable))"
    r"|i'm\s+(?:not\s+able|unable|sorry,?\s+but)|i\s+apologi[sz]e,?\s+but|as\s+an\s+ai\b"
    r"|(?:unable\s+to|not\s+able\s+to|can(?:no|')t)\s+(?:assist|help|evaluate|judge|score|comply)"
    r"|(?:unable|not\s+able)\s+to\s+(?:provide|continue))",
    re.IGNORECASE,
)
# A line that is no fence and no document mark.
_TEXT_LINE = re.compile(r"^[^\S\n]*+(?!```|~~~|(?:---|\.\.\.)[^\S\n]*$)\S", re.MULTILINE)


def read_verdict(text: str, rubric: Rubric, asked: Asked = Asked()) -> MaybeVerdict:  # noqa: B008 - it is frozen
    """Read an answer of a judge.

    Args:
        text: The whole answer, in any form.
        rubric: The axes and hard fails that the verdict must have.
        asked: What is known about the question: case, check token, reply, how the answer ended.
    """
    return read_exact(text, rubric, asked) or read_in_any_form(text, rubric, asked)


def read_in_any_form(text: str, rubric: Rubric, asked: Asked) -> MaybeVerdict:
    """The same without the short way for an answer that is exactly in the form that was asked for."""
    others = (asked.reply or "", *asked.conversation)
    claim = read_answer(text, verdict_form(rubric), asked, others, lambda claim: _verdict_problem(claim, rubric, asked))
    if isinstance(claim, Unjudged):
        return claim
    said, flags = claim.said, {}
    for name in rubric.hard_fail_ids:
        flag, quotes = said[name], claim.evidence.get(name, ())
        flags[name] = Flag(present=True, quotes=flag.quotes or quotes) if flag.present else Flag(present=False)
        if quotes and not flag.present:
            claim.repairs.add("evidence_without_flag")
    return Verdict(
        axes={name: None if said[name] == NOT_APPLICABLE else said[name] for name in rubric.axis_ids},
        flags=flags,
        case_id=said.get("case_id"),
        notes=said.get("notes", ""),
        stated_total=said.get("total"),
        stated_verdict=said.get("verdict"),
        repairs=tuple(sorted(claim.repairs)),
    )


@lru_cache(maxsize=16)
def verdict_form(rubric: Rubric) -> Form:
    """The form of a verdict under a rubric."""
    readers: dict[str, ReadValue] = {"case_id": read_word, "check": read_word}
    readers |= dict.fromkeys(rubric.axis_ids, read_score) | dict.fromkeys(rubric.hard_fail_ids, read_flag)
    readers |= {"total": read_total, "verdict": read_outcome, "notes": read_prose}
    section_of = dict.fromkeys(rubric.axis_ids, "axes") | dict.fromkeys(rubric.hard_fail_ids, "hard_fails")
    return Form("verdict", readers, tuple(section_of), tuple(section_of), section_of, prose="notes")


def _verdict_problem(claim: Claim, rubric: Rubric, asked: Asked) -> Unjudged | None:
    problems = []
    for name, section in verdict_form(rubric).section_of.items():
        said = claim.said.get(name)
        if said is None:
            reason = Reason.MISSING_AXIS if section == "axes" else Reason.MISSING_FLAG
            problems.append(Unjudged(reason, f"{name} is missing"))
        elif isinstance(said, Unjudged):
            problems.append(said)
    for axis in rubric.axes:
        default = axis.default if axis.may_be_na else None
        may_be_na = default and default.holds(single_turn=asked.single_turn, repair=asked.repair)
        if claim.said.get(axis.id) == NOT_APPLICABLE and not may_be_na:
            detail = f"{axis.id} is N/A, but this case needs a score for it"
            problems.append(Unjudged(Reason.NOT_A_NUMBER, detail))
    return next((one for reasons in _ORDER for one in problems if one.reason in reasons), None)


@dataclass(slots=True, eq=False)
class Claim:
    """What a block says, as far as it could be read."""

    block: Block
    said: dict[str, Any] = field(default_factory=dict)  # what the values mean; an Unjudged says what is wrong
    evidence: dict[str, tuple[str, ...]] = field(default_factory=dict)
    repairs: set[str] = field(default_factory=set)
    problem: Unjudged | None = None

    def meaning(self, keys: Iterable[str]) -> dict[str, object]:
        """What it says under these keys, apart from form."""
        return {key: value for key in keys if (value := _meaning(self.said.get(key))) not in (None, "")}


def _meaning(value: object) -> object:
    """A value that equals another one if they mean the same; ``None`` if it could not be read."""
    if isinstance(value, str | tuple):
        return fold(value if isinstance(value, str) else "\n".join(value))
    return value.present if isinstance(value, Flag) else None if isinstance(value, Unjudged) else value


def read_answer(
    text: str,
    form: Form,
    asked: Asked | PreferenceAsked,
    others: Iterable[str],
    check: Callable[[Claim], Unjudged | None],
) -> Claim | Unjudged:
    """The one claim that an answer makes, without those that are copied from ``others``, the texts being judged."""
    if asked.finish_reason == "content_filter":
        return Unjudged(Reason.CONTENT_FILTER, "the provider's filter stopped the answer")
    claim = _read_claims(text, form, asked, others, check)
    if isinstance(claim, Unjudged) and claim.reason is Reason.TRUNCATED:
        return replace(claim, detail=_why_cut_off(text, claim.detail, at_limit=asked.finish_reason == "length"))
    return claim


AT_LIMIT = ": max_tokens was reached, so raise it"
"""What is said of an answer that was cut off, where nothing more is known."""


def _why_cut_off(text: str, detail: str, *, at_limit: bool) -> str:
    """The detail with the setting that may have cut the answer off, or with the loop that it ended in."""
    repeated = repeated_ending(text)
    if repeated is None:
        return f"{detail}{AT_LIMIT}" if at_limit else detail
    unit, times = repeated
    said = f"`{one_line(unit, 60)}`" if unit.strip() else "blanks"
    until = "until max_tokens was reached" if at_limit else "and then breaks off"
    return f"the answer repeats {said} {times} times {until}; raising max_tokens does not help, another model may"


def _read_claims(
    text: str,
    form: Form,
    asked: Asked | PreferenceAsked,
    others: Iterable[str],
    check: Callable[[Claim], Unjudged | None],
) -> Claim | Unjudged:
    repairs: set[str] = set()
    text, only_reasoning = clean_answer(text, form, repairs)
    last, outside, claims = len(text.rstrip()), 0, []
    for block in find_blocks(text, form)[0]:
        claim = _read_claim(block, form)
        if (claim.problem and not claim.said) or not claim.said.keys().isdisjoint(form.parts):
            ending = text[block.end :] if block.end >= last else None
            claim.problem = claim.problem or _problem(claim, form, asked, ending) or check(claim)
            claims.append(claim)
            repairs.update(["text_around"] if _TEXT_LINE.search(text[outside : block.start]) else [])
            outside = block.end
    own = _own_claims(claims, form, asked.token, others)
    chosen: Claim | Unjudged
    if claims:
        chosen = _one_claim(own, form, asked.token)
    else:
        chosen = _no_claim(text, asked.finish_reason, form.noun, only_reasoning=only_reasoning)
    if isinstance(chosen, Unjudged):
        if form.section_of and own == claims and all(map(_is_piece, claims)):
            return _claim_in_pieces(text, form, asked, others, check, repairs) or chosen
    else:
        found = {
            "code_fence": chosen.block.fenced,
            "text_around": _TEXT_LINE.search(text[outside:]),
            "quoted_from_reply": len(own) < len(claims),
            "repeated_answer": len(own) > 1,
            "no_check": asked.token and chosen.said.get("check") is None,
        }
        chosen.repairs.update(repairs, [name for name, is_there in found.items() if is_there])
    return chosen


def _is_piece(claim: Claim) -> bool:
    """Whether a claim may be a part of a whole: nothing is wrong with it but that other parts are missing."""
    problem = claim.problem
    return claim.block.closed and problem is not None and problem.reason in (*_MISSING, Reason.TRUNCATED)


def _claim_in_pieces(
    text: str,
    form: Form,
    asked: Asked | PreferenceAsked,
    others: Iterable[str],
    check: Callable[[Claim], Unjudged | None],
    repairs: set[str],
) -> Claim | Unjudged | None:
    """What the whole answer states, if that is all that was asked for; ``None`` if anything is missing or unclear."""
    if any(states_parts(remove_controls(other, set()), form) for other in others):
        return None
    claim = Claim(Block(text, 0, fenced=False))
    try:
        _fill(claim, read_pieces(text, form, claim.repairs), form)
    except YamlProblem:
        return None
    if any(_is_missing(claim.said.get(name)) for name in form.decisive):
        return None
    said = claim.said.get("check")
    if said is not None and asked.token not in (None, said):
        return _wrong_token(said)
    problem = claim.problem or _problem(claim, form, asked, "") or check(claim)
    claim.repairs |= repairs | {"in_pieces"} | ({"no_check"} if asked.token and said is None else set())
    return problem or claim


def _read_claim(block: Block, form: Form) -> Claim:
    claim = Claim(block)
    claim.repairs.update(["comments"] if block.comments else [])
    try:
        entries = list(parse_block(block, form, claim.repairs))
    except YamlProblem as problem:
        claim.problem = Unjudged(Reason.NO_VERDICT, f"line {problem.line} of the {form.noun}: {problem.problem}")
        return claim
    _fill(claim, entries, form)
    return claim


def _fill(claim: Claim, entries: list[Entry], form: Form) -> None:
    """Read each value of a claim."""
    sections = {section for section, _, _ in entries}
    unread: dict[str, Unjudged] = {}
    for section, key, value in entries:
        home = form.section_of.get(key, "")
        if section == "evidence":
            quotes = claim.evidence.setdefault(key, read_quotes(value))
            claim.repairs.update(["evidence_ignored"] if home != "hard_fails" or (value and not quotes) else [])
        elif section in ("", WRAPPED, home) and key in form.readers:
            said = form.readers[key](value, key, claim.repairs)
            # Outside of its section, a key whose value cannot be read is something else, such as a remark.
            if section == WRAPPED and isinstance(said, Unjudged):
                unread.setdefault(key, said)
            elif section == home or home not in sections or not isinstance(said, Unjudged):
                _say(claim, form, key, said)
                claim.repairs.update(["placement"] if section != home else [])
        elif section:
            claim.repairs.add("unknown_key")
    claim.said = claim.said | {key: said for key, said in unread.items() if key not in claim.said}


def _say(claim: Claim, form: Form, key: str, said: object) -> None:
    if key not in claim.said:
        claim.said[key] = said
    elif None in (claim.said[key], said) or key == form.prose or _meaning(claim.said[key]) == _meaning(said):
        claim.repairs.add("duplicate_key")
    else:
        claim.problem = Unjudged(Reason.CONFLICTING_VERDICTS, f"`{key}` is given twice, with different values")
        claim.said[key] = None if key == "check" else claim.said[key]


def _problem(claim: Claim, form: Form, asked: Asked | PreferenceAsked, ending: str | None) -> Unjudged | None:
    """What can be wrong with any claim; ``ending`` is what follows the block, if the answer ends with it."""
    said = claim.said.get("case_id")
    if asked.case_id is not None and said != asked.case_id:
        if said and said.strip("\"'`*“”‘’ ").casefold() != asked.case_id.casefold():
            detail = f"the {form.noun} is for `{one_line(said, 60)}`; the question was about `{asked.case_id}`"
            return Unjudged(Reason.WRONG_CASE, detail)
        claim.repairs.add("case_id_spelling" if said else "no_case_id")
    missing = [name for name in form.decisive if _is_missing(claim.said.get(name))]
    open_end = ending is not None and not any(claim.said.get(key) not in (None, "") for key in form.after)
    if asked.finish_reason == "length":
        cut = bool(missing) or (open_end and "\n" not in (ending or "") and not claim.block.json)
        claim.repairs.add(f"cut_{form.prose}")
    else:
        cut = open_end and form.decisive[-1] in missing and not claim.block.json
    if cut or not claim.block.closed:
        return Unjudged(Reason.TRUNCATED, f"the answer breaks off after {list(claim.said)[-1]}")
    return None


def _is_missing(said: object) -> bool:
    return said is None or (isinstance(said, Unjudged) and said.reason in _MISSING)


def _own_claims(claims: list[Claim], form: Form, token: str | None, others: Iterable[str]) -> list[Claim]:
    """The claims that are not in the texts being judged. If those hold too much, only the right token counts."""
    trusted = [claim for claim in claims if token is not None and claim.said.get("check") == token]
    if len(trusted) == len(claims):
        return claims
    foreign: list[Claim] = []
    for text in others:
        blocks, complete = find_blocks(unescaped(remove_controls(text, set())), form, nested=True)
        if not complete:
            return trusted
        foreign += [_read_claim(block, form) for block in blocks]
    copied = [claim for claim in claims if foreign and claim not in trusted and _is_copied(claim, foreign, form)]
    return [claim for claim in claims if claim not in copied]


def _is_copied(claim: Claim, foreign: list[Claim], form: Form) -> bool:
    # A choice is one word, so its quotes and reason count, too; the judge may leave some of them out.
    keys = form.parts if form.section_of else (*form.parts, form.prose)
    own, others = claim.meaning(keys), [other.meaning(keys) for other in foreign]
    if form.section_of or not own:
        return bool(own) and own in others
    return any(all(str(value) in str(other.get(key, "")) for key, value in own.items()) for other in others)


def _one_claim(claims: list[Claim], form: Form, token: str | None) -> Claim | Unjudged:
    if not claims:
        detail = f"the only {form.noun} in the answer is copied from the reply or the conversation"
        return Unjudged(Reason.NO_VERDICT, detail)
    checks = [check for claim in claims if (check := claim.said.get("check")) is not None]
    if token is not None and checks:
        if token not in checks:
            return _wrong_token(checks[0])
        claims = [claim for claim in claims if claim.said.get("check") == token]
    chosen = next((claim for claim in claims if claim.problem is None), claims[0])
    meant = chosen.meaning(form.decisive) if len(claims) > 1 else {}
    others = [claim.meaning(form.decisive) for claim in claims if meant]
    if any(meant.get(key, value) != value for other in others for key, value in other.items()):
        return Unjudged(Reason.CONFLICTING_VERDICTS, f"{len(claims)} {form.noun}s that say different things")
    return chosen.problem or chosen


def _wrong_token(said: str) -> Unjudged:
    return Unjudged(Reason.WRONG_TOKEN, f"the check line says `{one_line(said, 40)}`, not the token")


def _no_claim(text: str, finish_reason: str | None, noun: str, *, only_reasoning: bool) -> Unjudged:
    text = re.sub(r"```\w*|~~~\w*", "", text.lstrip()[:200_000])
    refused = _REFUSAL.search(text.replace("’", "'"))
    if finish_reason == "length" and not refused:
        return Unjudged(Reason.TRUNCATED, f"the answer was cut off before a {noun}")
    if only_reasoning:
        return Unjudged(Reason.NO_VERDICT, "the answer is only reasoning")
    if not has_substance(text):
        return Unjudged(Reason.EMPTY, "the answer is empty")
    if refused:
        return Unjudged(Reason.REFUSED, f"the judge declined: {one_line(text, 120)}")
    return Unjudged(Reason.NO_VERDICT, f"there is no {noun} in: {one_line(text, 120)}")
