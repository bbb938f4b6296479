"""Joy undercut: the reply answers good news with a caveat or a warning.

Finds: the "but" after the congratulation. "Just remember that it may be stressful", "keep in mind", "be careful", "that
    said", "don't get your hopes up".
Does not find: the same where the user asked about risks or for advice; "don't forget to celebrate"; quoted words.
"""

from iamhumans.tells.patterns import either, words
from iamhumans.tells.rule import Guard, Rule

_HARD = either(
    "stressful|hard|challenging|overwhelming|difficult|tough|risky|exhausting|demanding|daunting|bumpy|temporary|a lot|"
    "lonely|scary|tricky|intense|expensive|isolating|a big (?:change|adjustment)"
)
_CAVEAT = either(
    r"\b(?:just|but|also|always|do|please|only|and) (?:remember|make sure|be (?:careful|aware|mindful|prepared|"
    r"cautious|sure)|keep in mind|bear in mind|don't forget|know that|note that|watch|beware)\b",
    r"(?:^|[.!?;\n\x01] *)(?:remember|make sure|be (?:careful|aware|mindful|prepared|cautious|sure)|keep in mind|"
    r"bear in mind|don't forget|watch out|beware|of course, remember)\b",
    r"(?:^|[.!?;,\n\x01] *)(?:that said|that being said|having said that|however|on the other hand|then again|still),",
    r"\b(?:it|this|that|things|they|change|transitions?|[a-z]+ing [a-z ]+|the [a-z ]+) (?:might|may|could|can|"
    "will) (?:also |still |sometimes |often |eventually |initially )*(?:be|get|become|feel|bring|come with|"
    rf"turn out) (?:quite |very |pretty |a bit |really |more )?{_HARD}\b",
    r"\bdon't (?:get (?:your hopes|too|ahead|carried away|complacent)|expect|let (?:it|this|the) (?:go to|distract|"
    r"cloud)|rush|burn)\b|\bi hope (?:it|this) lasts\b|\b(?:enjoy|savou?r) it while it lasts\b",
    r"\bbefore you (?:celebrate|get too|accept|sign|say yes|commit)\b|\bhave you (?:considered|thought about|"
    "thought through) (?:the|how you'll handle|whether) (?:risks?|downsides?|costs?|taxes|workload|stress|commute|"
    r"drawbacks|implications|long hours)?|\b(?:won't|can't|doesn't) last forever\b|\bcome with (?:its|"
    r"their) (?:own )?(?:challenges|stress|pressures?)\b|\bmanage (?:your )?expectations\b",
)
_GLAD = words(
    "celebrate|enjoy|savou?r|treat|pat|brag|smile|tell us|share|breathe|be proud|proud|dance|take (?:it|a moment|this|"
    "time to (?:enjoy|celebrate)|some time to (?:enjoy|celebrate))|soak|thank|have fun|rest|congratulate|you (?:earned|"
    "deserve|did)|how far|this (?:feeling|moment)|hug|toast|tell me|give yourself|let yourself|send (?:me|us)|mark"
)

RULES = (
    Rule(
        "joy_undercut.caveat",
        "The reply ties a caveat or a warning to good news.",
        _CAVEAT,
        axis_or_hard_fail="joy_undercut",
        points={"empathy_fit": 4},
        when=("good_news",),
        unless=("risks_asked", "advice_asked"),
        guards=(Guard("after", rf"^,?(?: that| to| and)* {_GLAD}"),),
    ),
)
