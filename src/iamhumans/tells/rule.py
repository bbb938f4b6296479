"""What a rule is: a pattern (for RE2, over folded text), the moments in which it is a fault, and what saves a match."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import re2

if TYPE_CHECKING:
    from iamhumans.tells.checks import ReplyText
# An emotional moment has a feeling, a loss or a joy, or the case declares that layout would be a fault. A draft is a
# text in somebody else's voice. A conversational moment asks for no piece of work.
Fact = Literal[
    "user_known", "emotional", "sorrowful", "good_news", "structure_asked", "draft_asked", "advice_asked",
    "advice_on_good_news", "explanation_asked", "risks_asked", "task", "conversational", "asked_whether_ai",
    "asked_about_nature", "own_danger", "danger_named", "medical_named", "earlier_named", "repair", "single_turn",
]  # fmt: skip
Span = tuple[int, int]
OPTIONS = re2.Options()
OPTIONS.encoding = re2.Options.Encoding.LATIN1
OPTIONS.never_capture = True
OPTIONS.log_errors = False
# A set of many patterns needs memory for its automaton. With too little, RE2 gives up and finds nothing.
OPTIONS.max_mem = 256 << 20
Check: TypeAlias = Callable[["ReplyText", Sequence[Span]], Sequence[Span]]
Part: TypeAlias = Literal["match", "before", "after", "sentence", "clause"]


@dataclass(frozen=True, slots=True)
class Guard:
    """A match is no finding where the pattern is found near it."""

    part: Part  # in the match, in its sentence, before or after it in its sentence, or before it in its clause
    pattern: str
    ignoring: tuple[str, ...] = ()  # phrases that are removed first


@dataclass(frozen=True, slots=True)
class Rule:
    """Finds its pattern (RE2, on folded text) in moments with all facts of ``when`` and none of ``unless``.

    Matches inside quotations and those that a guard rejects are dropped, then the counts and the check apply. A rule
    without a pattern hands no spans to its check.
    """

    id: str
    meaning: str  # what a finding means, in one sentence for the reader of the report
    pattern: str | None = None
    _: KW_ONLY
    axis_or_hard_fail: str
    points: Mapping[str, int]  # what findings take from axes: once a rule for an axis, once for all of a hard fail
    when: tuple[Fact, ...] = ()
    unless: tuple[Fact, ...] = ()
    guards: tuple[Guard, ...] = ()
    at_least: int = 1  # how many matches make a finding
    sure: str | None = None  # where this is in a match, it is a finding in spite of guards and of ``at_least``
    at_most: int | None = None  # how many matches are listed
    check: Check | None = None  # which of the spans, or which others, are findings in view of the whole reply
    quoted_too: bool = False  # whether matches inside quotations count, as they do for punctuation and layout


def either(*alternatives: str) -> str:
    """A group that matches any of the alternatives. An alternative may be a pattern, or several with ``|`` between."""
    return f"(?:{'|'.join(alternatives)})"


def words(alternatives: str) -> str:
    """Any of the alternatives, with ``|`` between them, as whole words."""
    return rf"\b(?:{alternatives})\b"


def search_set(patterns: Iterable[str]) -> Any:
    """Many patterns whose ``Match(folded)`` gives the indexes of those that match anywhere, in one pass."""
    compiled_set = re2.Set.SearchSet(OPTIONS)
    for pattern in patterns:
        compiled_set.Add(pattern.encode("ascii"))
    compiled_set.Compile()
    return compiled_set
