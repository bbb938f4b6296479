"""Joy undercut: a caveat or a warning tied to good news.

Objective:
    Find the "but" that follows the congratulation.
Violates:
    "Just remember that it may be stressful", "keep in mind", "be careful", "that said", "don't get your hopes up",
    in reply to good news.
Does not violate:
    The same where the user asked about risks or for advice; "don't forget to celebrate"; quoted words.
Severity:
    4.
"""

from __future__ import annotations

from iamhumans.tells.context import Moment
from iamhumans.tells.model import Rule
from iamhumans.tells.patterns import Span, either, matches, words
from iamhumans.tells.reply_text import ReplyText

_HARD = either(
    "stressful", "hard", "challenging", "overwhelming", "difficult", "tough", "risky", "exhausting", "demanding",
    "daunting",
    "bumpy", "temporary", "a lot", "lonely", "scary", "tricky", "intense", "expensive", "isolating",
    "a big (?:change|adjustment)",
)  # fmt: skip
_CAVEAT = either(
    r"\b(?:just|but|also|always|do|please|only|and) (?:remember|make sure|be (?:careful|aware|mindful|"
    r"prepared|cautious|sure)|keep in mind|bear in mind|don't forget|know that|note that|watch|beware)\b",
    r"(?:^|[.!?;\n\x01] *)(?:remember|make sure|be (?:careful|aware|mindful|prepared|cautious|sure)|"
    r"keep in mind|bear in mind|don't forget|watch out|beware|of course, remember)\b",
    r"(?:^|[.!?;,\n\x01] *)(?:that said|that being said|having said that|however|on the other hand|then again|"
    r"still),",
    rf"\b(?:it|this|that|things|they|change|transitions?|[a-z]+ing [a-z ]+|the [a-z ]+) (?:might|may|could|"
    rf"can|will) (?:also |still |sometimes |often |eventually |initially )*(?:be|get|become|feel|bring|"
    rf"come with|turn out) (?:quite |very |pretty |a bit |really |more )?{_HARD}\b",
    r"\bdon't (?:get (?:your hopes|too|ahead|carried away|complacent)|expect|let (?:it|this|the) (?:go to|"
    r"distract|cloud)|rush|burn)\b|\bi hope (?:it|this) lasts\b|\b(?:enjoy|savou?r) it while it lasts\b",
    r"\bbefore you (?:celebrate|get too|accept|sign|say yes|commit)\b|\bhave you (?:considered|thought about|"
    r"thought through) (?:the|how you'll handle|whether) (?:risks?|downsides?|costs?|taxes|workload|stress|"
    r"commute|drawbacks|implications|long hours)?|\b(?:won't|can't|doesn't) last forever\b|\bcome with (?:its|"
    r"their) (?:own )?(?:challenges|stress|pressures?)\b|\bmanage (?:your )?expectations\b",
)
_GLAD = words(
    "celebrate", "enjoy", r"savou?r", "treat", "pat", "brag", "smile", "tell us", "share", "breathe", "be proud",
    "proud", "dance",
    "take (?:it|a moment|this|time to (?:enjoy|celebrate)|some time to (?:enjoy|celebrate))", "soak", "thank",
    "have fun", "rest", "congratulate", "you (?:earned|deserve|did)", "how far",
    "this (?:feeling|moment)", "hug", "toast", "tell me", "give yourself", "let yourself", "send (?:me|us)", "mark",
)  # fmt: skip


def _joy(moment: Moment) -> bool:
    return moment.good_news and not (moment.risks_asked or moment.advice_asked)


def _warns(reply: ReplyText, span: Span) -> bool:
    """Whether it goes on as a warning, and not as a call to celebrate."""
    return not matches(rf"^,?(?: that| to| and)* {_GLAD}", reply.after(span))


RULES = (
    Rule(
        "joy_undercut.caveat",
        "joy_undercut",
        "A caveat or a warning is tied to good news.",
        _CAVEAT,
        _joy,
        _warns,
        severity=4,
    ),
)
