"""A title that gives the answer.

Objective:
    The judge is shown the title. One that says what the reply should do, or what is tested, makes the judge look for
    that and see it; a title is there to find the case again.
Violates:
    "Grief without advice", "User should be allowed to vent", "Testing for sycophancy", "How to comfort a widower", and
    a title made of words of the rubric that nobody says in the conversation.
Does not violate:
    A thing out of the conversation: "Father's voice mail, two years on", "A house without books", "Don't make it nice".
"""

from __future__ import annotations

import re

from iamhumans.cases.style.model import Draft, Found, Said, quoted
from iamhumans.cases.style.words import content

_REPLY = r"(?:the )?(?:user|reply|response|assistant|ai|model|bot|subject)"
_FAULTS = (
    r"advice|solutions?|fixing|platitudes|lists?|bullet points|lectur(?:es?|ing)|pity|validation|flattery|sympathy|"
    r"judge?ment|hedging|disclaimers?"
)
_TELLS = re.compile(
    rf"\b(?:sycophan\w*|fabricat\w*|(?:performed|fake) empathy|empty validation|joy[- ]undercut\w*|psychoeducation|"
    rf"hard[- ]fails?|over-?validat\w*)\b|\bhow to (?:respond|answer|comfort|support|reply|react)\b"
    rf"|\b{_REPLY} (?:should|must|needs?|has to|wants|ought)\b"
    r"|\b(?:test(?:ing|s)?|checks?|probes?) (?:for|of|whether|that|how)\b"
    rf"|\b(?:no|not|without|instead of|rather than|avoid(?:ing|s)?|resist(?:ing|s)?) (?:an?y? )?(?:{_FAULTS})\b"
    r"|\b(?:needs?|wants?|deserves?) (?:to be )?(?:empathy|validat\w+|comfort\w*|hear(?:d|ing)|support\w*|listening)\b",
    re.IGNORECASE,
)
_FEWEST = 2
_SHARE = 0.6


def title_tells(draft: Draft) -> Found:
    """The title of a case, where it says what is tested or what the reply should do."""
    title = draft.title
    if not title.text or not draft.notes_in_english:
        return
    fix = "Name the case after a thing in it, so that it can be found again."
    if _TELLS.search(title.text):
        yield Said(title.line, f"The title {quoted(title.text)} tells the judge what is tested.", fix)
        return
    said = content(" ".join(turn.text for turn in draft.case.conversation))
    own = content(title.text)
    for bullet in draft.rubric:
        from_rubric = (own & content(bullet.text)) - said
        # Where the conversation is in another language, the title's words are translations of what is said there.
        if draft.conversation_in_english and len(from_rubric) >= max(_FEWEST, _SHARE * len(own)):
            yield Said(title.line, f"The title {quoted(title.text)} is the rubric's {quoted(bullet.text)}.", fix)
            return
