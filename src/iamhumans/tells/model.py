"""What a rule is and what it finds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from iamhumans.tells.context import Moment
from iamhumans.tells.patterns import Span
from iamhumans.tells.reply_text import ReplyText

Applies: TypeAlias = Callable[[Moment], bool]
Keeps: TypeAlias = Callable[[ReplyText, Span], bool]
Select: TypeAlias = Callable[[ReplyText, Sequence[Span]], Sequence[Span]]


@dataclass(frozen=True, slots=True)
class Tell:
    """A deterministic finding: the rule, what it bears on, and a span of the reply with its words."""

    rule: str
    axis_or_hard_fail: str
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Rule:
    """A pattern, the moments in which it is a fault, and what saves a single match.

    The steps, each optional: ``applies`` (is the moment one in which this can be a fault), ``pattern`` (RE2, on folded
    text), not inside a quotation, ``keeps`` (is this match one), ``select`` (which of them, or which others, in view of
    the whole reply). A rule without a pattern is asked of every reply and starts from no spans.
    """

    id: str
    axis_or_hard_fail: str
    meaning: str
    """What a finding means, in one sentence for whoever reads the report."""
    pattern: str | None = None
    applies: Applies | None = None
    keeps: Keeps | None = None
    select: Select | None = None
    severity: int = 1
    """Points that a finding takes from its axis; of a hard fail, from the axes it bears on, see the ``rules`` judge."""
    quoted_too: bool = False
    """Whether a match inside a quotation counts as well, as it does for punctuation and layout."""

    def find(self, reply: ReplyText, spans: Sequence[Span]) -> Sequence[Span]:
        """What remains of the pattern's spans."""
        if not self.quoted_too:
            spans = [span for span in spans if not reply.is_quoted(span)]
        if self.keeps is not None:
            spans = [span for span in spans if self.keeps(reply, span)]
        return self.select(reply, spans) if self.select is not None else spans
