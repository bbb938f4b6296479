"""A rubric bullet that names a virtue.

Objective:
    A bullet is a question that a judge answers by looking at the reply. "Is empathetic" could stand in every case, is
    answered by the judge's taste, and is met by every reply that says warm words.
Violates:
    "Is empathetic", "Shows warmth and understanding", "Validates her feelings", "Has a natural, supportive tone",
    "Responds with compassion to the loss".
Does not violate:
    A bullet that says what is seen when the virtue is there: "Stays with the unplayed voicemail", "Is as dry as she
    is", "Kind about the accordion", "Short".
"""

from __future__ import annotations

import re

from iamhumans.cases.style.model import Draft, Found, Said, quoted
from iamhumans.cases.style.words import content, stem, words

_VIRTUES = (
    "empathetic empathic empathy compassionate compassion warm warmth warmly caring kind kindness kindly supportive "
    "support understanding sensitive sensitivity sincere sincerity genuine genuinely authentic authenticity natural "
    "naturally naturalness human humanlike validating validation nonjudgmental judgmental judgemental respect "
    "respectful gentle gentleness tender thoughtful attentive engaged engaging friendly helpful honest honesty nice "
    "appropriate appropriately conversational personable relatable patient good great excellent polite positive "
    "encouraging reassuring comforting emotionally intelligent intelligence aware awareness attuned accurate clear"
)
_NEUTRAL = (
    "reply response answer message text tone voice manner way style language word words wording user user's person "
    "speaker feeling feelings emotion emotions emotional state situation moment need needs experience is be being "
    "sounds sound feels feel seems stays remains keeps shows show showing displays demonstrates expresses conveys "
    "gives offers provides uses use responds reacts speaks writes has with towards toward throughout really truly "
    "fully properly non deep deeply full level degree sense like right friend"
)
_IS_VIRTUE = frozenset(map(stem, _VIRTUES.split()))
_IS_NEUTRAL = frozenset(map(stem, _NEUTRAL.split()))

# What names a virtue even where a detail follows.
_ALWAYS = re.compile(
    r"\b(?:show|display|demonstrat|express|convey|offer|provid)\w*\s(?:\w+\s){0,2}"
    r"(?:empathy|compassion|warmth|understanding|sympathy|sensitivity|emotional intelligence)\b"
    r"|(?<![-\w])validat(?:es?|ing)\b[^.;]{0,40}\b(?:feelings?|emotions?|experiences?|pain|grief|anger|frustration)\b"
    r"|\backnowledg(?:es?|ing)\b[^.;]{0,25}\b(?:feelings?|emotions?)\b"
    r"|\bfeels? (?:\w+ )?(?:heard|seen|understood|supported|validated|listened to)\b"
    r"|\bholds?\sspace\b|\bactive(?:ly)?\slisten\w*"
    r"|\b(?:responds?|repl(?:y|ies)|answers?|reacts?|speaks?|writes?)\swith\s(?:\w+\s){0,2}"
    r"(?:empathy|compassion|warmth|understanding|sensitivity|care)\b"
    r"|^(?:the (?:reply|response|answer) )?(?:is|be|stays|sounds|remains) "
    r"(?:(?:very|truly|deeply|always|appropriately) )?(?:empathetic|empathic|compassionate|supportive|validating|"
    r"non-?judge?mental|authentic)\b",
    re.IGNORECASE,
)
# "Does not over-validate" says what is not to be seen.
_FORBIDS = re.compile(r"\b(?:not|never|no|nor|without|neither|rather than|instead of)\b|n't\b", re.IGNORECASE)


def names_virtue(draft: Draft) -> Found:
    """The rubric bullets of a case that name a virtue and no detail."""
    if not draft.notes_in_english:
        return
    for bullet in draft.rubric:
        if _only_virtues(bullet.text) or (_ALWAYS.search(bullet.text) and not _FORBIDS.search(bullet.text)):
            problem = f"{quoted(bullet.text)} names a virtue, and every judge decides by taste whether it is there."
            fix = "Write what would be seen in the reply to this case: which detail it takes up, and how."
            yield Said(bullet.line, problem, fix)


def _only_virtues(text: str) -> bool:
    if not any(stem(word) in _IS_VIRTUE for word in words(text)):
        return False
    return not content(text) - _IS_VIRTUE - _IS_NEUTRAL
