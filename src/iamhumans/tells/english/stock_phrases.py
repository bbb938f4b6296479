"""Naturalness: stock phrases that open, close and pad a reply.

Objective:
    Find what people hardly write to each other and assistants write all the time.
Violates:
    "Certainly! Here's ...", "I hope this helps!", "feel free to reach out", "is there anything else", "it's
    important to note", "I'm sorry to hear that", "a rich tapestry".
Does not violate:
    The same words in the middle of a sentence that needs them ("I was certainly late"); texts that the user asked
    for are read like any other, since their reader reads them as the assistant's.
Severity:
    1 each; an opener and a closer of a service desk 2.
"""

from __future__ import annotations

from collections.abc import Sequence

from iamhumans.tells.model import Rule
from iamhumans.tells.patterns import Span, either, words
from iamhumans.tells.reply_text import ReplyText

_OPENER = either(
    r"(?:^|\n)[ \t*]*(?:certainly|absolutely|of course|sure(?: thing)?|definitely|gladly|happy to help|"
    r"i'd be (?:happy|glad|delighted) to|no problem)(?:[!,.:]|\x01| ?- )",
    r"(?:^|[.!\n] *)(?:here(?:'s| is| are) (?:a|an|the|some|your|how|what|\d+) [^.!?\n]*:\s*(?:\n|$))|"
    r"\b(?:thanks|thank you) for (?:asking|reaching out|your (?:question|message))\b",
)
_CLOSER = either(
    r"\bi hope (?:this|that|these|it) (?:helps|is helpful|was helpful|gives you|clarif\w+)\b|\b(?:feel free|"
    r"don't hesitate|please do not hesitate) to (?:ask|reach|let|share|contact|message|provide)\b",
    r"\blet me know (?:if|how|what|whether|when)\b|\bis there (?:anything|something) (?:else|specific|"
    r"in particular)\b[^.!?\n]*\bi can\b|\bhow (?:can|may) i (?:help|assist)\b|\bif you have any (?:other|"
    r"more|further|questions|specific)\b",
    r"\bi(?:'m| am) (?:always |ready |happy )*(?:here )?to (?:help|assist)\b|\bhappy to help\b|"
    r"\bwishing you (?:all )?the best\b",
)
_HEDGE = either(
    r"\bit(?:'s| is) (?:also |always |really )?(?:important|worth|crucial|essential|helpful|"
    r"useful) (?:to )?(?:note|noting|remember|remembering|mention|mentioning|keep in mind|consider|understand|"
    r"recogni[sz]e|acknowledge)\b",
    r"\bthat (?:being )?said,|\bit should be noted\b|\bgenerally speaking\b|\bin (?:conclusion|summary|"
    r"essence)\b|\bultimately,|\bat the end of the day\b|\bwhen it comes to\b",
)
_SYMPATHY = either(
    r"\b(?:sorry to hear|sorry (?:that )?you(?:'re| are) (?:feeling|going|dealing|experiencing))\b|"
    r"\bthank you for (?:sharing|opening up|trusting|being (?:so )?(?:open|honest|vulnerable))\b|\byou(?:'re|"
    r" are) not alone\b",
    r"\b(?:it|that|this) (?:sounds|must be|must feel|can be|seems) (?:like (?:a|"
    r"you're going through a) )?(?:really |very |incredibly |so |extremely |quite |such a )*(?:tough|hard|"
    r"difficult|challenging|painful|overwhelming|frustrating)\b",
    r"\bit takes (?:a lot of |so much |great |real |immense |incredible )?(?:courage|strength|bravery)\b|"
    r"\bmany people (?:experience|feel|struggle|go through)\b|\bi can (?:only )?imagine how\b|\btake (?:your|"
    r"all the) time\b|\bbe (?:kind|gentle) (?:to|with) yourself\b",
)
_WORDS = words(
    r"delv(?:e|es|ed|ing)", r"tapestry", "testament to",
    r"navigat(?:e|ing|es) (?:the|this|these|that|those|your|life|complex|difficult|through)",
    "ever-evolving", "fast-paced", "multifaceted", r"underscor(?:e|es|ing)", "treasure trove", "beacon of",
    r"embark(?:ing|ed|s)? on",
    "healing journey", "journey of", "your journey", "this journey", r"resonat(?:e|es|ing)", r"foster(?:s|ing)?",
    r"intricat\w+", "pivotal", "nuanced",
    r"holistic\w*", r"empower\w*", r"leverag(?:e|ing|es)", r"seamless\w*", "game-changer",
    r"unlock(?:ing|s)? (?:the|your|new)", "realm of", "landscape of",
    "vibrant", r"elevat(?:e|es|ing)", "profound", "invaluable", "transformative", "reignite", "precious",
)  # fmt: skip


def _first(reply: ReplyText, spans: Sequence[Span]) -> Sequence[Span]:
    """Only openers that open: in the first line of the reply, or of a paragraph."""
    del reply
    return [span for span in spans if span[1] - span[0] > 0][:3]


RULES = (
    Rule("naturalness.opener", "naturalness", "A stock opener.", _OPENER, select=_first, severity=2),
    Rule("naturalness.closer", "naturalness", "A stock closer of a service desk.", _CLOSER, severity=2),
    Rule("naturalness.hedge", "naturalness", "A stilted hedge.", _HEDGE),
    Rule("naturalness.sympathy", "naturalness", "A stock phrase of sympathy.", _SYMPATHY),
    Rule("naturalness.vocabulary", "naturalness", "A word that assistants are far too fond of.", _WORDS),
)
