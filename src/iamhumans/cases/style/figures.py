"""A stock name or figure.

Objective:
    Whoever writes fast, and every model, reaches for the same few people. Texts full of them are all alike, sound made
    up, and stand for nobody in particular.
Violates:
    Sarah, Emily, Elena, Mrs Chen, Elara, Marcus; the barista, the golden retriever, the lighthouse keeper.
Does not violate:
    Any other name; these as part of another word ("Chennai"). A real person of that name is found too: the program
    cannot tell, and neither can a reader.
"""

from __future__ import annotations

import re

from iamhumans.cases.style.model import Draft, Found, Said, quoted

_STOCK = re.compile(
    r"(?<![^\W_])(?:sarah|emily|elena|elara|chen|marcus|thorne|jane doe|john doe|john smith|barist[ao]s?|"
    r"golden retrievers?|lighthouse keepers?|mr\.? whiskers)(?:'s|’s)?(?![^\W_])",
    re.IGNORECASE,
)


def stock_figure(draft: Draft) -> Found:
    """The first stock name or figure of each turn, and of the title."""
    for text in (draft.title, *draft.user_turns):
        match = _STOCK.search(text.text)
        if match:
            problem = f"{quoted(match.group())} is who turns up in every made-up text."
            fix = "Take a name or a figure that belongs to this place, age and family."
            yield Said(text.line, problem, fix)
