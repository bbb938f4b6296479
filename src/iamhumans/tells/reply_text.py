"""A reply as the rules look at it: its folded copy, its sentences, what in it is quoted, and the moment it answers."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from functools import cached_property

from iamhumans.tells.content_words import content_words
from iamhumans.tells.context import Moment
from iamhumans.tells.folded import fold_in_place
from iamhumans.tells.patterns import Span

_SENTENCE = re.compile(rb"[^.!?\s][^.!?\n]*[.!?]*[\"')\]*]*")
_DOUBLE_QUOTED = re.compile(rb'"[^"\n]{1,600}"')
# A single quote opens after a blank or a bracket and closes before one; an apostrophe has letters on both sides.
_SINGLE_QUOTED = re.compile(rb"'(?:(?<=^')|(?<=[\s(:\[]'))[a-z][^\n]{0,300}?[a-z.!?,]'(?=[\s).,;:!?\]]|$)")
_QUOTED_BLOCK = re.compile(rb"```.*?(?:```|\Z)|(?m:^[ \t]*>[^\n]*$)", re.DOTALL)
_CLAUSE_END = re.compile(rb"[.!?\n;,:\x01]")

# A reply that stands in quotation marks as a whole is no quotation.
_WHOLE = 0.9

# How far around a span its sentence is read; without a bound, a text without full stops takes quadratic time.
_WINDOW = 400


class ReplyText:
    """One reply with everything that a rule may ask about it."""

    def __init__(self, text: str, moment: Moment, persona: str | None = None) -> None:
        self.text = text
        self.moment = moment
        self.folded = fold_in_place(text)
        self._persona = persona

    @cached_property
    def persona_words(self) -> frozenset[str]:
        """Stems of the content words of the persona."""
        return content_words(fold_in_place(self._persona)) if self._persona else frozenset()

    @cached_property
    def word_count(self) -> int:
        """How many words the reply has."""
        return len(self.folded.split())

    @cached_property
    def sentences(self) -> tuple[Span, ...]:
        """Spans of the sentences; a line end ends one as well."""
        return tuple([match.span() for match in _SENTENCE.finditer(self.folded)])

    @cached_property
    def _sentence_starts(self) -> list[int]:
        return [start for start, _ in self.sentences]

    def sentence_of(self, position: int) -> Span:
        """The sentence around a position."""
        index = bisect_right(self._sentence_starts, position) - 1
        return self.sentences[index] if index >= 0 else (position, position)

    def before(self, span: Span) -> bytes:
        """What stands in the sentence before the span, folded."""
        start = max(self.sentence_of(span[0])[0], span[0] - _WINDOW)
        return self.folded[start : span[0]]

    def after(self, span: Span) -> bytes:
        """What follows the span in its sentence, folded."""
        end = max(span[1], self.sentence_of(max(span[0], span[1] - 1))[1])
        return self.folded[span[1] : min(end, span[1] + _WINDOW)]

    def clause_from(self, span: Span) -> bytes:
        """The span and what follows it up to the next punctuation mark, folded."""
        end = _CLAUSE_END.search(self.folded, span[1], span[1] + _WINDOW)
        return self.folded[span[0] : end.start() if end else span[1] + _WINDOW]

    def clause_before(self, span: Span) -> bytes:
        """What stands between the last punctuation mark and the span, folded."""
        window = self.folded[max(0, span[0] - _WINDOW) : span[0]]
        return _CLAUSE_END.split(window)[-1]

    @cached_property
    def _quoted(self) -> tuple[Span, ...]:
        folded = self.folded
        # Most replies quote nothing, and asking for the marks is far cheaper than looking for what they enclose.
        patterns = []
        if b'"' in folded:
            patterns.append(_DOUBLE_QUOTED)
        if b" '" in folded or b"\n'" in folded or b":'" in folded or b"('" in folded or folded.startswith(b"'"):
            patterns.append(_SINGLE_QUOTED)
        if b"```" in folded or b">" in folded:
            patterns.append(_QUOTED_BLOCK)
        found = [match.span() for pattern in patterns for match in pattern.finditer(folded)]
        return _united([span for span in found if span[1] - span[0] < _WHOLE * len(folded)])

    @cached_property
    def _quote_starts(self) -> list[int]:
        return [start for start, _ in self._quoted]

    def is_quoted(self, span: Span) -> bool:
        """Whether the span stands inside quotation marks, a block quote or a code block."""
        if not self._quoted:
            return False
        index = bisect_right(self._quote_starts, span[0]) - 1
        return index >= 0 and span[1] <= self._quoted[index][1]


def _united(spans: Sequence[Span]) -> tuple[Span, ...]:
    """The spans in order, overlapping ones as one."""
    united: list[Span] = []
    for start, end in sorted(spans):
        if united and start < united[-1][1]:
            united[-1] = (united[-1][0], max(end, united[-1][1]))
        else:
            united.append((start, end))
    return tuple(united)
