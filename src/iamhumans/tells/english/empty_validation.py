"""Empty validation: the reply declares the feeling valid, and nothing in it takes the feeling up.

Objective:
    Find the stamp ("your feelings are valid") on a reply that could answer anybody.
Violates:
    The stamp, where no sentence besides those of the stamp and of stock sympathy has a word of content in common
    with what the user wrote.
Does not violate:
    The stamp, where another sentence takes up the user's own matter (one shared word of content; two where the user
    wrote at length); quoted words. Where the user did not write English, shared words cannot be told, and nothing
    is found.
Severity:
    3, since the reply is empty besides.
"""

from __future__ import annotations

from collections.abc import Sequence

from iamhumans.tells.content_words import content_words, shared_words
from iamhumans.tells.context import Moment
from iamhumans.tells.language import looks_english
from iamhumans.tells.model import Rule
from iamhumans.tells.patterns import Span, either, matches
from iamhumans.tells.reply_text import ReplyText

_VERY = (
    r"(?:completely |totally |absolutely |perfectly |entirely |all |very |so |truly |really |both |also |"
    r"of course |always |more than )*"
)
_STAMP = either(
    "valid", "understandable", "normal", "natural", "justified", "legitimate", "real and valid", "human", "okay", "ok"
)
VALIDATION = either(
    rf"\b(?:your|those|these|all (?:of )?(?:your|those|these)) (?:[a-z]+ )?(?:feelings?|emotions?|"
    rf"reactions?)(?: and [a-z]+)? (?:is|are|here are) {_VERY}{_STAMP}\b",
    rf"\b(?:your (?:pain|anger|grief|sadness|hurt|frustration|identity|experience|fear|anxiety|worry|"
    rf"exhaustion)|(?:what|how|the way) you(?:'re| are)? ?feel(?:ing)?) (?:is|are) {_VERY}(?:valid|"
    rf"understandable|legitimate|justified|normal|natural)\b",
    rf"\b(?:it(?:'s| is)|that(?:'s| is)) {_VERY}(?:normal|natural|understandable|okay|ok|valid|common|human|"
    rf"reasonable) (?:to (?:feel|be feeling|experience|have (?:these|those|such))|that you(?:'re| are|"
    rf" feel)? ?feel)",
    r"\byou have every right to feel\b|\bit makes (?:complete |total |perfect |a lot of |"
    r"so much )?sense (?:that you(?:'re| are| would| might)? ?feel|to feel|you(?:'d| would|'re) feel)",
    r"\b(?:it's|it is) (?:ok|okay|alright) (?:not to be|to not be) (?:ok|okay)\b|\byou(?:'re|"
    r" are) (?:completely |totally )?(?:valid|allowed to feel)\b",
)
_STOCK_SYMPATHY = either(
    r"\bsorry (?:to hear|you(?:'re| are)|that you|for your|about)\b|\bi(?:'m| am) here (?:for you|to|if|"
    r"with)\b|\byou(?:'re| are) not alone\b",
    r"\bthank you for (?:sharing|opening|trusting|reaching)\b|\b(?:it|that) sounds (?:like|really|very|"
    r"incredibly|so)? ?(?:tough|hard|difficult|challenging|painful)\b",
    r"\btake care of yourself\b|\bbe (?:kind|gentle) (?:to|with) yourself\b|\b(?:feel free|don't hesitate) to\b",
)
_LONG_MESSAGE = 25


def _talk(moment: Moment) -> bool:
    return not moment.draft_asked and bool(moment.user_text)


def _unless_taken_up(reply: ReplyText, spans: Sequence[Span]) -> Sequence[Span]:
    wanted = reply.moment.user_words
    if not spans or not looks_english(reply.moment.user_text):
        return ()
    enough = 2 if len(wanted) > _LONG_MESSAGE else 1
    rest = b" ".join(
        reply.folded[start:end]
        for start, end in reply.sentences
        if not matches(either(VALIDATION, _STOCK_SYMPATHY), reply.folded[start:end])
    )
    return () if len(shared_words(content_words(rest), wanted)) >= enough else spans


RULES = (
    Rule(
        "empty_validation.stamp",
        "empty_validation",
        "The reply stamps the feeling as valid and takes up nothing of it.",
        VALIDATION,
        _talk,
        select=_unless_taken_up,
        severity=3,
    ),
)
