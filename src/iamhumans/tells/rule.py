"""What a rule is: a pattern, the moments in which it is a fault, and what saves a match."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from iamhumans.tells.moment import Fact
from iamhumans.tells.patterns import Span

if TYPE_CHECKING:
    from iamhumans.tells.checks import ReplyText

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
