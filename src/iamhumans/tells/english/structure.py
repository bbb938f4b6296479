"""Structured output in an emotional moment: layout where the moment called for prose.

Finds: two or more list items, a header, a table, two or more bold leads, or "1) ... 2) ... 3) ..." in one paragraph, in
    an emotional moment.
Does not find: the same where the user asked for a list, steps, a plan, code or a text, or asked for advice about good
    news; one dash or one bold word.
"""

from functools import partial

from iamhumans.tells.checks import blocks
from iamhumans.tells.patterns import either
from iamhumans.tells.rule import Rule

_ITEM = r"(?m:^[ \t]*(?:[-*+]|\x02+|\(?\d{1,2}[.)]|[a-h]\))[ \t]+\S[^\n]*$)"
_HEADER = r"(?m:^[ \t]{0,3}#{1,6} +\S[^\n]*$)|(?m:^[ \t]*\*\*[^*\n]+\*\*:?[ \t]*$)"
_TABLE = r"(?m:^[ \t]*\|[^\n]*\|[ \t]*$)"
_BOLD_LEAD = r"(?m:^[ \t]*\*\*[^*\n]+(?:\*\*:|:\*\*|\*\*[ \t]+[-\x01])[^\n]*$)"
_IN_LINE = r"(?:\b1[.)]|\(1\)) [^\n]*(?:\b2[.)]|\(2\)) [^\n]*(?:\b3[.)]|\(3\)) [^\n]*"

_rule = partial(
    Rule,
    axis_or_hard_fail="structured_output_in_emotional_moment",
    points={"naturalness": 3, "empathy_fit": 3},
    when=("emotional",),
    unless=("advice_on_good_news", "structure_asked", "draft_asked"),
)
_layout = partial(_rule, quoted_too=True)
RULES = (
    _layout("structure.list", "A list in a moment that called for prose.", _ITEM, check=blocks),
    _layout("structure.header", "A header in a moment that called for prose.", _HEADER),
    _layout("structure.table", "A table in a moment that called for prose.", _TABLE, check=blocks),
    _layout("structure.bold_lead", "Bold leads in a moment that called for prose.", _BOLD_LEAD, check=blocks),
    _rule("structure.in_line", "A numbered list inside a paragraph.", either(_IN_LINE)),
)
