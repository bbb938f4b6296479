"""Structured output in an emotional moment: layout where prose was wanted.

Objective:
    Find lists, headers, tables and paragraphs with a bold lead in reply to a feeling.
Violates:
    Two or more bulleted or numbered items, a header, a table, two or more bold leads, or "1) ... 2) ... 3) ..." in
    one paragraph, when the moment is emotional.
Does not violate:
    The same where the user asked for a list, steps, a plan, code or a text, or asked for advice along with good
    news; one dash or one bold word.
Severity:
    3, on `empathy_fit` and on `naturalness`.
"""

from __future__ import annotations

from collections.abc import Sequence

from iamhumans.tells.context import Moment
from iamhumans.tells.model import Rule
from iamhumans.tells.patterns import Span, either
from iamhumans.tells.reply_text import ReplyText

_ITEM = r"(?m:^[ \t]*(?:[-*+]|\x02+|\(?\d{1,2}[.)]|[a-h]\))[ \t]+\S[^\n]*$)"
_HEADER = r"(?m:^[ \t]{0,3}#{1,6} +\S[^\n]*$)|(?m:^[ \t]*\*\*[^*\n]+\*\*:?[ \t]*$)"
_TABLE = r"(?m:^[ \t]*\|[^\n]*\|[ \t]*$)"
_BOLD_LEAD = r"(?m:^[ \t]*\*\*[^*\n]+(?:\*\*:|:\*\*|\*\*[ \t]+[-\x01])[^\n]*$)"
_IN_LINE = r"(?:\b1[.)]|\(1\)) [^\n]*(?:\b2[.)]|\(2\)) [^\n]*(?:\b3[.)]|\(3\)) [^\n]*"


def _prose_wanted(moment: Moment) -> bool:
    # Whoever shares good news and asks how to decide wants to be helped with that, and may be helped in points.
    glad_question = moment.good_news and moment.advice_asked
    return moment.emotional and not (glad_question or moment.structure_asked or moment.draft_asked)


def _two_together(reply: ReplyText, spans: Sequence[Span]) -> Sequence[Span]:
    """Items as blocks, each from its first item to its last; a lone item is none."""
    if len(spans) < 2:
        return ()
    blocks = [[spans[0][0], spans[0][1], 1]]
    for start, end in spans[1:]:
        # Items may be apart by a blank line or by one line that goes on; a whole paragraph between them ends a block.
        if reply.folded.count(b"\n", blocks[-1][1], start) <= 3:
            blocks[-1][1:] = [end, blocks[-1][2] + 1]
        else:
            blocks.append([start, end, 1])
    return [(start, end) for start, end, _ in blocks]


RULES = (
    Rule(
        "structure.list",
        "structured_output_in_emotional_moment",
        "A list in a moment that wanted prose.",
        _ITEM,
        _prose_wanted,
        select=_two_together,
        severity=3,
        quoted_too=True,
    ),
    Rule(
        "structure.header",
        "structured_output_in_emotional_moment",
        "A header in a moment that wanted prose.",
        _HEADER,
        _prose_wanted,
        severity=3,
        quoted_too=True,
    ),
    Rule(
        "structure.table",
        "structured_output_in_emotional_moment",
        "A table in a moment that wanted prose.",
        _TABLE,
        _prose_wanted,
        select=_two_together,
        severity=3,
        quoted_too=True,
    ),
    Rule(
        "structure.bold_lead",
        "structured_output_in_emotional_moment",
        "Paragraphs with bold leads in a moment that wanted prose.",
        _BOLD_LEAD,
        _prose_wanted,
        select=_two_together,
        severity=3,
        quoted_too=True,
    ),
    Rule(
        "structure.in_line",
        "structured_output_in_emotional_moment",
        "A numbered list inside a paragraph.",
        either(_IN_LINE),
        _prose_wanted,
        severity=3,
    ),
)
