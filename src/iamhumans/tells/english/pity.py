"""Pity: comfort that talks down.

Objective:
    Find words that put the speaker above the one who suffers.
Violates:
    "Oh, you poor thing", "bless your heart", "how awful for you", "I feel so sorry for you", "oh sweetie".
Does not violate:
    "I'm sorry for your loss"; "the poor thing" about a dog; "poor" about money or sleep; quoted words.
Severity:
    4.
"""

from __future__ import annotations

from iamhumans.tells.context import Moment
from iamhumans.tells.model import Rule
from iamhumans.tells.patterns import Span, either, matches
from iamhumans.tells.reply_text import ReplyText

_PITY = either(
    r"\byou (?:poor|sweet|pitiful) (?:[a-z]+ )?(?:thing|baby|dear|soul|darling|kid|angel|lamb|child|man|woman|"
    r"girl|boy|sweetheart|creature|love)\b|\bpoor you\b|\bpoor (?:baby|darling|sweetheart)\b",
    r"(?:^|[.!?\n\x01] *)(?:oh,? |aww*,? |oh no,? )*poor thing\b|\bbless your (?:[a-z]+ )?heart\b|"
    r"\byour poor (?:little |sweet )?(?:heart|soul|thing)\b",
    r"\b(?:how|so|that's|that is|it's|this is|that must be|it must be) (?:so |just |really |absolutely |very |"
    r"truly )*(?:awful|terrible|horrible|sad|dreadful|tragic|pitiful|heartbreaking|devastating) for (?:you|"
    r"someone like you)\b",
    r"\bi (?:just |really |do |truly )*(?:feel|am|'m) (?:just |so |very |truly |really |terribly |awfully |"
    r"incredibly )*(?:sorry|bad|terrible|awful) for you\b|\bi'm (?:just |so |very |truly |really |"
    r"terribly )*sorry for you\b|\bi pity you\b",
    r"(?:^|[.!?\n\x01] *)(?:oh|aww*|there,? there)[,.]* (?:my )?(?:sweet |poor |dear )?(?:honey|sweetie|"
    r"sweetheart|darling|sweet child|little one|poor dear|hon)\b|\bthere,? there[,.!]|"
    r"\byou must feel so (?:helpless|pathetic|small)\b",
)


def _talk(moment: Moment) -> bool:
    return not moment.draft_asked


def _for_the_user(reply: ReplyText, span: Span) -> bool:
    return not matches(r"\b(?:don't|not|never|isn't|without)\b[^,;]*$", reply.clause_before(span))


RULES = (
    Rule("pity.talking_down", "pity", "The reply comforts by talking down.", _PITY, _talk, _for_the_user, severity=4),
)
