"""What an answer of a judge comes to, whatever was asked for: which of the things that it says is the one that it says.

A verdict and a preference are read in the same steps: the blocks of the answer to claims; claims that stand in what is
judged left aside; the right check token before all others; then one claim, or none where they disagree.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias, TypeVar

from iamhumans.text import has_substance, one_line
from iamhumans.text.yaml import RepeatedKey
from iamhumans.verdicts.blocks import Block, Cleaned, find_blocks, find_nested_blocks, may_hold_blocks, without_dirt
from iamhumans.verdicts.forms import Form
from iamhumans.verdicts.model import Reason, Unjudged
from iamhumans.verdicts.values import plain_key

Signature: TypeAlias = frozenset[tuple[str, str]]

# What judges say when they decline. Only asked where the answer holds nothing that was asked for.
_REFUSAL = re.compile(
    r"\b(?:i\s+(?:can(?:no|')t|can\s?not|won't|will\s+not|must\s+decline|decline|am\s+(?:not\s+able|unable))|i'm\s+(?:not\s+able|unable|sorry,?\s+but)"
    r"|i\s+apologi[sz]e,?\s+but|(?:unable|not\s+able)\s+to\s+(?:assist|help|evaluate|judge|score|comply|provide|continue)"
    r"|can(?:no|')t\s+(?:assist|help|evaluate|judge|score|comply)|as\s+an\s+ai\b)",
    re.IGNORECASE,
)


class Ending(NamedTuple):
    """How an answer goes on after a block."""

    ends_answer: bool
    """Nothing follows."""
    open_line: bool
    """The last line of the answer has no end."""


@dataclass(slots=True)
class Claim(ABC):
    """What a block says, as far as it could be read."""

    block: Block
    case_id: str | None = None
    token: str | None = None
    repairs: set[str] = field(default_factory=set)
    problem: Unjudged | None = None

    @property
    @abstractmethod
    def states_anything(self) -> bool:
        """Whether it says any of what was asked for, or cannot be read at all."""

    @property
    @abstractmethod
    def signature(self) -> Signature:
        """What it says, without the dress."""

    def has_token(self, token: str | None) -> bool:
        """Whether its check line is the one that was asked for."""
        return token is not None and self.token == token

    def contradicts(self, other: Claim) -> bool:
        """Whether something that both state is stated differently."""
        theirs = dict(other.signature)
        return any(theirs.get(name, value) != value for name, value in self.signature)


C = TypeVar("C", bound=Claim)
ReadClaim: TypeAlias = Callable[[Block, Ending], C]


def find_claims(text: str, form: Form, read: ReadClaim[C]) -> list[C]:
    """The claims of a cleaned answer that state anything, in order."""
    last_line = text.rstrip().count("\n") + 1
    open_line = not text.endswith("\n")
    return _stating(
        read(block, Ending(ends_answer=block.end >= last_line, open_line=open_line))
        for block in find_blocks(text, form)
    )


def foreign_claims(texts: Iterable[str], form: Form, read: ReadClaim[C]) -> tuple[list[C], bool]:
    """The claims that stand in what is judged, and whether these are all: it may hold more than is looked at."""
    found: list[C] = []
    for text in texts:
        if may_hold_blocks(text, form):
            blocks, complete = find_nested_blocks(without_dirt(text), form)
            if not complete:
                return found, False
            found += _stating(read(block, Ending(ends_answer=False, open_line=False)) for block in blocks)
    return found, True


def _stating(claims: Iterable[C]) -> list[C]:
    return [claim for claim in claims if claim.states_anything]


def without_claim(cleaned: Cleaned, finish_reason: str | None, noun: str) -> Unjudged:
    """Why an answer holds no claim. ``noun`` is what was asked for, as in ``verdict``."""
    text = re.sub(r"```\w*|~~~\w*", "", cleaned.text)
    cut = finish_reason == "length"
    if cut and (cleaned.only_reasoning or not _REFUSAL.search(text)):
        return Unjudged(Reason.TRUNCATED, f"the answer was cut off before a {noun}")
    if cleaned.only_reasoning:
        return Unjudged(Reason.NO_VERDICT, "the answer is nothing but reasoning")
    if not has_substance(text):
        return Unjudged(Reason.EMPTY, "the answer is empty")
    if _REFUSAL.search(text.replace("’", "'")):
        return Unjudged(Reason.REFUSED, f"the judge declined: {one_line(text, 120)}")
    return Unjudged(Reason.NO_VERDICT, f"there is no {noun} in: {one_line(text, 120)}")


def one_claim(
    cleaned: Cleaned, claims: Sequence[C], own: Sequence[C], token: str | None, noun: str
) -> tuple[C, set[str]] | Unjudged:
    """The one claim that an answer makes, with all that was forgiven for it to be one.

    Args:
        cleaned: The answer.
        claims: What it claims, at least one.
        own: Those of them that do not stand in what is judged.
        token: The check token that was asked for.
        noun: What was asked for, as in ``verdict``.
    """
    if not own:
        return Unjudged(Reason.NO_VERDICT, f"the only {noun} in the answer stands in the reply or the conversation")
    by_token = _with_token(own, token)
    if isinstance(by_token, Unjudged):
        return by_token
    outcome = _settle(by_token, noun)
    if isinstance(outcome, Unjudged):
        return outcome
    chosen, repairs = outcome
    repairs |= cleaned.repairs | _surroundings(cleaned.text, chosen, claims)
    if len(own) < len(claims):
        repairs.add("quoted_from_reply")
    if token is not None and chosen.token is None:
        repairs.add("no_check")
    return chosen, repairs


def _with_token(claims: Sequence[C], token: str | None) -> Sequence[C] | Unjudged:
    if token is None:
        return claims
    right = [claim for claim in claims if claim.has_token(token)]
    if right:
        return right
    wrong = [claim.token for claim in claims if claim.token is not None]
    if wrong:
        return Unjudged(Reason.WRONG_TOKEN, f"the check line says `{one_line(wrong[0], 40)}`, which was not asked for")
    return claims


def _settle(claims: Sequence[C], noun: str) -> tuple[C, set[str]] | Unjudged:
    """The one claim that the answer makes, and what had to be repaired for there to be one."""
    sound = [claim for claim in claims if claim.problem is None]
    chosen = sound[0] if sound else claims[0]
    others = [claim for claim in claims if claim is not chosen]
    if any(chosen.contradicts(other) for other in others):
        return Unjudged(Reason.CONFLICTING_VERDICTS, f"{len(claims)} {noun}s that say different things")
    if chosen.problem is not None:
        return chosen.problem
    repairs = set(chosen.repairs)
    if len(sound) > 1:
        repairs.add(f"repeated_{noun}")
    if len(sound) < len(claims):
        repairs.add("fragment")
    return chosen, repairs


def _surroundings(text: str, chosen: Claim, claims: Sequence[Claim]) -> set[str]:
    """What stands around the claim: a fence, text before, text after."""
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


def wrong_case(claim: Claim, case_id: str | None, noun: str) -> Unjudged | None:
    """What is wrong with the case id of a claim; notes where it was forgiven."""
    if case_id is None:
        return None
    if claim.case_id is None:
        claim.repairs.add("no_case_id")
        return None
    if claim.case_id == case_id:
        return None
    if claim.case_id.strip("\"'`*“”‘’ ").casefold() == case_id.casefold():
        claim.repairs.add("case_id_spelling")
        return None
    return Unjudged(Reason.WRONG_CASE, f"the {noun} is for `{one_line(claim.case_id, 60)}`, asked was `{case_id}`")


def repeated_keys(repeated: Iterable[RepeatedKey], meaningful: Collection[str], repairs: set[str]) -> str | None:
    """What a key that stands twice means: nothing where it says the same, a contradiction where it does not."""
    conflict = None
    for again in repeated:
        key = plain_key(str(again.path[-1]))
        inside_evidence = len(again.path) > 1 and plain_key(str(again.path[-2])) == "evidence"
        if again.first == again.later or key not in meaningful or inside_evidence:
            repairs.add("duplicate_key")
        else:
            conflict = f"`{key}` stands twice with different values"
    return conflict
