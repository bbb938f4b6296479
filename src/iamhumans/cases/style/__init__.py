"""What a program can enforce of the rules for writers, which docs/writing-cases.md gives with their reasons.

One rule a module; its docstring says what it is for, what violates it and what does not. English is looked at where the
text is English; what needs no language is looked for in all. A warning is never an error: the author may know better.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from iamhumans.cases.files import CaseReading
from iamhumans.cases.model import Finding
from iamhumans.cases.style.duplicates import near_duplicates
from iamhumans.cases.style.figures import stock_figure
from iamhumans.cases.style.giveaways import gives_away
from iamhumans.cases.style.model import Draft, Found, StyleCode, as_findings
from iamhumans.cases.style.prompts import sounds_like_prompt
from iamhumans.cases.style.repeats import repeats_rubric
from iamhumans.cases.style.titles import title_tells
from iamhumans.cases.style.virtues import names_virtue

__all__ = ["RULES", "StyleCode", "style_findings"]

RULES: dict[StyleCode, Callable[[Draft], Found]] = {
    StyleCode.TITLE_TELLS: title_tells,
    StyleCode.SOUNDS_LIKE_PROMPT: sounds_like_prompt,
    StyleCode.GIVES_AWAY: gives_away,
    StyleCode.STOCK_FIGURE: stock_figure,
    StyleCode.NAMES_VIRTUE: names_virtue,
    StyleCode.REPEATS_RUBRIC: repeats_rubric,
}
"""The rules that look at one case at a time. Near duplicates are looked for in all of them together."""


def style_findings(readings: Iterable[CaseReading]) -> dict[Path, list[Finding]]:
    """Warnings about the style of some case files of one suite, by file; files without a case have none."""
    drafts = [Draft(reading, reading.case) for reading in readings if reading.case is not None]
    found = {
        draft.reading.path: [
            finding for code, rule in RULES.items() for finding in as_findings(draft, code, rule(draft))
        ]
        for draft in drafts
    }
    for draft, said in near_duplicates(drafts):
        found[draft.reading.path] += as_findings(draft, StyleCode.NEAR_DUPLICATE, iter([said]))
    return found
