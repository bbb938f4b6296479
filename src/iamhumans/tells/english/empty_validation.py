"""Empty validation: the reply calls the feeling valid and responds to nothing that the user said.

Finds: the stamp ("your feelings are valid") where no other sentence shares a content word with what the user wrote.
    Sentences of stock sympathy do not count.
Does not find: the stamp where another sentence takes up what the user said (one shared content word; two where the user
    wrote at length); quoted words. Where the user did not write English, words cannot be compared and nothing is found.
"""

from functools import partial

from iamhumans.tells.checks import unless_engaged
from iamhumans.tells.patterns import either
from iamhumans.tells.rule import Rule

_VERY = (
    "(?:completely |totally |absolutely |perfectly |entirely |all |very |so |truly |really |both |also |of course |"
    "always |more than )*"
)
_STAMP = either("valid|understandable|normal|natural|justified|legitimate|real and valid|human|okay|ok")
_VALIDATION = either(
    r"\b(?:your|those|these|all (?:of )?(?:your|those|these)) (?:[a-z]+ )?(?:feelings?|emotions?|"
    rf"reactions?)(?: and [a-z]+)? (?:is|are|here are) {_VERY}{_STAMP}\b",
    r"\b(?:your (?:pain|anger|grief|sadness|hurt|frustration|identity|experience|fear|anxiety|worry|exhaustion)|"
    f"(?:what|how|the way) you(?:'re| are)? ?feel(?:ing)?) (?:is|are) {_VERY}(?:valid|understandable|legitimate|"
    r"justified|normal|natural)\b",
    rf"\b(?:it(?:'s| is)|that(?:'s| is)) {_VERY}(?:normal|natural|understandable|okay|ok|valid|common|human|"
    "reasonable) (?:to (?:feel|be feeling|experience|have (?:these|those|such))|that you(?:'re| are| feel)? ?feel)",
    r"\byou have every right to feel\b|\bit makes (?:complete |total |perfect |a lot of |"
    "so much )?sense (?:that you(?:'re| are| would| might)? ?feel|to feel|you(?:'d| would|'re) feel)",
    r"\b(?:it's|it is) (?:ok|okay|alright) (?:not to be|to not be) (?:ok|okay)\b|\byou(?:'re| are) (?:completely |"
    r"totally )?(?:valid|allowed to feel)\b",
)
_STOCK_SYMPATHY = either(
    r"\bsorry (?:to hear|you(?:'re| are)|that you|for your|about)\b|\bi(?:'m| am) here (?:for you|to|if|with)\b|"
    r"\byou(?:'re| are) not alone\b",
    r"\bthank you for (?:sharing|opening|trusting|reaching)\b|\b(?:it|that) sounds (?:like|really|very|incredibly|"
    r"so)? ?(?:tough|hard|difficult|challenging|painful)\b",
    r"\btake care of yourself\b|\bbe (?:kind|gentle) (?:to|with) yourself\b|\b(?:feel free|don't hesitate) to\b",
)

RULES = (
    Rule(
        "empty_validation.stamp",
        "The reply calls the feeling valid and takes up nothing of it.",
        _VALIDATION,
        axis_or_hard_fail="empty_validation",
        points={"naturalness": 2, "empathy_fit": 4},
        when=("user_known",),
        unless=("draft_asked",),
        check=partial(unless_engaged, stock=either(_VALIDATION, _STOCK_SYMPATHY), long_message=25),
    ),
)
