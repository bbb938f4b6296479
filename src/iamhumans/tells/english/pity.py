"""Pity: the reply comforts by talking down.

Finds: words that put the speaker above the one who suffers. "Oh, you poor thing", "bless your heart", "how awful for
    you", "I feel so sorry for you", "oh sweetie".
Does not find: "I'm sorry for your loss"; "the poor thing" about a dog; "poor" about money or sleep; quoted words.
"""

from iamhumans.tells.patterns import either
from iamhumans.tells.rule import Guard, Rule

_PITY = either(
    r"\byou (?:poor|sweet|pitiful) (?:[a-z]+ )?(?:thing|baby|dear|soul|darling|kid|angel|lamb|child|man|woman|girl|"
    r"boy|sweetheart|creature|love)\b|\bpoor you\b|\bpoor (?:baby|darling|sweetheart)\b",
    r"(?:^|[.!?\n\x01] *)(?:oh,? |aww*,? |oh no,? )*poor thing\b|\bbless your (?:[a-z]+ )?heart\b|"
    r"\byour poor (?:little |sweet )?(?:heart|soul|thing)\b",
    r"\b(?:how|so|that's|that is|it's|this is|that must be|it must be) (?:so |just |really |absolutely |very |"
    "truly )*(?:awful|terrible|horrible|sad|dreadful|tragic|pitiful|heartbreaking|devastating) for (?:you|"
    r"someone like you)\b",
    r"\bi (?:just |really |do |truly )*(?:feel|am|'m) (?:just |so |very |truly |really |terribly |awfully |"
    r"incredibly )*(?:sorry|bad|terrible|awful) for you\b|\bi'm (?:just |so |very |truly |really |"
    r"terribly )*sorry for you\b|\bi pity you\b",
    r"(?:^|[.!?\n\x01] *)(?:oh|aww*|there,? there)[,.]* (?:my )?(?:sweet |poor |dear )?(?:honey|sweetie|sweetheart|"
    r"darling|sweet child|little one|poor dear|hon)\b|\bthere,? there[,.!]|\byou must feel so (?:helpless|pathetic|"
    r"small)\b",
)

RULES = (
    Rule(
        "pity.talking_down",
        "The reply comforts by talking down.",
        _PITY,
        axis_or_hard_fail="pity",
        points={"naturalness": 1, "empathy_fit": 4},
        unless=("draft_asked",),
        guards=(Guard("clause", r"\b(?:don't|not|never|isn't|without)\b[^,;]*$"),),
    ),
)
