"""From what a judge printed to a verdict, or to the reason why there is none.

1. It never raises, whatever the text.
2. Dress is forgiven and each repair recorded; meaning is strict. Nothing is clamped, filled in or guessed.
3. A verdict that stands in the reply or in the conversation is never taken for the judge's.
4. Two verdicts that disagree are none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from iamhumans.rubrics import Rubric
from iamhumans.text import has_substance, one_line
from iamhumans.verdicts.blocks import (
    Block,
    Cleaned,
    clean_answer,
    find_blocks,
    find_nested_blocks,
    may_hold_a_verdict,
    without_dirt,
)
from iamhumans.verdicts.claims import Claim, Ending, Signature, read_claim
from iamhumans.verdicts.model import Asked, Judgement, Reason, Unjudged

# What judges say when they decline. Only asked where the answer holds no verdict at all.
_REFUSAL = re.compile(
    r"\b(?:i\s+(?:can(?:no|')t|can\s?not|won't|will\s+not|must\s+decline|decline|am\s+(?:not\s+able|unable))|i'm\s+(?:not\s+able|unable|sorry,?\s+but)"
    r"|i\s+apologi[sz]e,?\s+but|(?:unable|not\s+able)\s+to\s+(?:assist|help|evaluate|judge|score|comply|provide|continue)"
    r"|can(?:no|')t\s+(?:assist|help|evaluate|judge|score|comply)|as\s+an\s+ai\b)",
    re.IGNORECASE,
)


def read_verdict(text: str, rubric: Rubric, asked: Asked = Asked()) -> Judgement:  # noqa: B008 - it is frozen
    """Read an answer of a judge.

    Args:
        text: The whole answer, in whatever dress.
        rubric: Whose axes and hard fails the verdict must have.
        asked: What is known of the question: case, check token, reply, how the answer ended.
    """
    if asked.finish_reason == "content_filter":
        return Unjudged(Reason.CONTENT_FILTER, "the provider's filter stopped the answer")
    cleaned = clean_answer(text)
    claims = _claims(cleaned.text, rubric, asked)
    if not claims:
        return _without_claim(cleaned, asked)
    own = _not_quoted(claims, rubric, asked)
    if not own:
        return Unjudged(Reason.NO_VERDICT, "the only verdict in the answer stands in the reply or the conversation")
    by_token = _with_token(own, asked)
    if isinstance(by_token, Unjudged):
        return by_token
    outcome = _settle(by_token)
    if isinstance(outcome, Unjudged):
        return outcome
    chosen, repairs = outcome
    repairs |= cleaned.repairs | _surroundings(cleaned.text, chosen, claims)
    if len(own) < len(claims):
        repairs.add("quoted_from_reply")
    if asked.token is not None and chosen.token is None:
        repairs.add("no_check")
    return chosen.verdict(repairs)


def _claims(text: str, rubric: Rubric, asked: Asked) -> list[Claim]:
    last_line = text.rstrip().count("\n") + 1
    open_line = not text.endswith("\n")
    return _stating(
        read_claim(block, rubric, asked, Ending(ends_answer=block.end >= last_line, open_line=open_line))
        for block in find_blocks(text, rubric)
    )


def _stating(claims: Iterable[Claim]) -> list[Claim]:
    return [claim for claim in claims if claim.states_anything]


def _without_claim(cleaned: Cleaned, asked: Asked) -> Unjudged:
    text = re.sub(r"```\w*|~~~\w*", "", cleaned.text)
    cut = asked.finish_reason == "length"
    if cut and (cleaned.only_reasoning or not _REFUSAL.search(text)):
        return Unjudged(Reason.TRUNCATED, "the answer was cut off before a verdict")
    if cleaned.only_reasoning:
        return Unjudged(Reason.NO_VERDICT, "the answer is nothing but reasoning")
    if not has_substance(text):
        return Unjudged(Reason.EMPTY, "the answer is empty")
    if _REFUSAL.search(text.replace("’", "'")):
        return Unjudged(Reason.REFUSED, f"the judge declined: {one_line(text, 120)}")
    return Unjudged(Reason.NO_VERDICT, f"there is no verdict in: {one_line(text, 120)}")


def _not_quoted(claims: list[Claim], rubric: Rubric, asked: Asked) -> list[Claim]:
    """The claims less those that say what a verdict in the reply or in the conversation says."""
    foreign: list[Signature] = []
    for text in (asked.reply or "", *asked.conversation):
        if may_hold_a_verdict(text, rubric):
            blocks = find_nested_blocks(without_dirt(text), rubric)
            unfinished = Ending(ends_answer=False, open_line=False)
            claims_there = _stating(read_claim(block, rubric, Asked(), unfinished) for block in blocks)
            foreign += [claim.signature for claim in claims_there]
    if not foreign:
        return claims
    return [claim for claim in claims if claim.has_token(asked.token) or claim.signature not in foreign]


def _with_token(claims: list[Claim], asked: Asked) -> list[Claim] | Unjudged:
    if asked.token is None:
        return claims
    right = [claim for claim in claims if claim.has_token(asked.token)]
    if right:
        return right
    wrong = [claim.token for claim in claims if claim.token is not None]
    if wrong:
        return Unjudged(Reason.WRONG_TOKEN, f"the check line says `{one_line(wrong[0], 40)}`, which was not asked for")
    return claims


def _settle(claims: Sequence[Claim]) -> tuple[Claim, set[str]] | Unjudged:
    """The one claim that the answer makes, and what had to be repaired for there to be one."""
    sound = [claim for claim in claims if claim.problem is None]
    chosen = sound[0] if sound else claims[0]
    others = [claim for claim in claims if claim is not chosen]
    if any(chosen.contradicts(other) for other in others):
        return Unjudged(Reason.CONFLICTING_VERDICTS, f"{len(claims)} verdicts that say different things")
    if chosen.problem is not None:
        return chosen.problem
    repairs = set(chosen.repairs)
    if len(sound) > 1:
        repairs.add("repeated_verdict")
    if len(sound) < len(claims):
        repairs.add("fragment")
    return chosen, repairs


def _surroundings(text: str, chosen: Claim, claims: Sequence[Claim]) -> set[str]:
    """What stands around the verdict: a fence, text before, text after."""
    block = chosen.block
    repairs = {"code_fence"} if block.fenced else set()
    if block.start == 0 and text.count("\n", len(block.text)) == 0 and text.strip() == block.text.strip():
        return repairs
    taken = {line for claim in claims for line in range(claim.block.start, claim.block.end)}
    for number, line in enumerate(text.split("\n")):
        if number in taken or not _is_prose(line):
            continue
        repairs.add("text_before" if number < block.start else "text_after")
    first, last = _partial_lines(text, block)
    repairs |= ({"text_before"} if _is_prose(first) else set()) | ({"text_after"} if _is_prose(last) else set())
    return repairs


def _partial_lines(text: str, block: Block) -> tuple[str, str]:
    """What shares the first and the last line with a JSON object."""
    if not block.json:
        return "", ""
    lines = text.split("\n")[block.start : block.end]
    before, _, _ = lines[0].partition("{")
    after = lines[-1].rpartition("}")[2] if block.closed else ""
    return before, after


def _is_prose(line: str) -> bool:
    stripped = line.strip()
    return bool(stripped) and not stripped.startswith(("```", "~~~")) and stripped not in ("---", "...")
