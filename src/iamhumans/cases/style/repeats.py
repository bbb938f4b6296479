"""A failure mode that repeats the rubric.

Objective:
    A failure mode tells a judge what answers really do wrong. The rubric turned round tells nothing new, and every
    fault then counts twice.
Violates:
    "Does not stay with the voicemail" beside "Stays with the voicemail"; "Misses the joke" beside "Gets the joke";
    a failure mode most of whose words stand in one bullet of the rubric.
Does not violate:
    "Tells the user to play it" beside "Stays with the unplayed voicemail"; a failure mode that has a name or a thing of
    the case in common with the rubric, and says what happens to it.
"""

from __future__ import annotations

import re

from iamhumans.cases.style.model import Draft, Found, Said, quoted
from iamhumans.cases.style.words import content

_NEGATED = re.compile(
    r"^\W*(?:the (?:reply|response|answer) )?(?:does(?:n't| not)|do(?:n't| not)|is(?:n't| not)|fail(?:s|ed|ing)? to|"
    r"fail(?:s|ing)? (?:at|in)|not|never|no|lack(?:s|ing)?(?: of)?|miss(?:es|ing)?|ignor(?:es|ing)|omit(?:s|ting)?|"
    r"forget(?:s|ting)?(?: to)?|neglect(?:s|ing)?(?: to)?|without|overlook(?:s|ing)?)\b",
    re.IGNORECASE,
)
# What a reply does in nearly every bullet says nothing of whether two of them are the same.
_EVERYWHERE = frozenset(
    [
        "says",
        "say",
        "tells",
        "tell",
        "asks",
        "ask",
        "gives",
        "give",
        "makes",
        "make",
        "takes",
        "take",
        "gets",
        "get",
        "goes",
        "go",
        "keeps",
        "keep",
        "reply",
        "user",
        "answer",
        "line",
        "lines",
        "sentence",
        "sentences",
        "word",
        "words",
        "message",
    ]
)
_SAME = 0.7
_SAME_NEGATED = 0.6
_FEWEST = 3
_FEWEST_NEGATED = 2


def repeats_rubric(draft: Draft) -> Found:
    """The failure modes of a case that say again, or turn round, what a bullet of its rubric says."""
    rubric = [(bullet, content(bullet.text, besides=_EVERYWHERE)) for bullet in draft.rubric]
    for mode in draft.failure_modes:
        negation = _NEGATED.match(mode.text) if draft.notes_in_english else None
        own = content(mode.text[negation.end() :] if negation else mode.text, besides=_EVERYWHERE)
        for bullet, wanted in rubric:
            if _repeats(own, wanted, negated=negation is not None):
                how = "turns round" if negation else "repeats"
                problem = f"{quoted(mode.text)} {how} the rubric's {quoted(bullet.text)} (line {bullet.line})."
                yield Said(mode.line, problem, "Write what a reply that fails really says or does.")
                break


def _repeats(own: frozenset[str], wanted: frozenset[str], *, negated: bool) -> bool:
    shared = len(own & wanted)
    if negated and own and own <= wanted:
        # "Misses the joke" is all there is; of a long bullet one word is a part, and not the bullet turned round.
        return shared >= _FEWEST_NEGATED or len(wanted) <= _FEWEST
    share, fewest = (_SAME_NEGATED, _FEWEST_NEGATED) if negated else (_SAME, _FEWEST)
    return shared >= fewest and shared >= share * len(own)
