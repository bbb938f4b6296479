"""Naturalness: stock phrases that open, close and pad a reply.

Finds: what people hardly write to each other and assistants write all the time. "Certainly! Here's ...", "I hope this
    helps!", "feel free to reach out", "it's important to note", "I'm sorry to hear that", "a rich tapestry".
Does not find: the same words in the middle of a sentence that needs them ("I was certainly late"). A text that the user
    asked for is read like any other, since its readers take it as the assistant's.
"""

from functools import partial

from iamhumans.tells.patterns import either, words
from iamhumans.tells.rule import Rule

_OPENER = either(
    r"(?:^|\n)[ \t*]*(?:certainly|absolutely|of course|sure(?: thing)?|definitely|gladly|happy to help|"
    r"i'd be (?:happy|glad|delighted) to|no problem)(?:[!,.:]|\x01| ?- )",
    r"(?:^|[.!\n] *)(?:here(?:'s| is| are) (?:a|an|the|some|your|how|what|\d+) [^.!?\n]*:\s*(?:\n|$))|\b(?:thanks|"
    r"thank you) for (?:asking|reaching out|your (?:question|message))\b",
)
_CLOSER = either(
    r"\bi hope (?:this|that|these|it) (?:helps|is helpful|was helpful|gives you|clarif\w+)\b|\b(?:feel free|"
    r"don't hesitate|please do not hesitate) to (?:ask|reach|let|share|contact|message|provide)\b",
    r"\blet me know (?:if|how|what|whether|when)\b|\bis there (?:anything|something) (?:else|specific|"
    r"in particular)\b[^.!?\n]*\bi can\b|\bhow (?:can|may) i (?:help|assist)\b|\bif you have any (?:other|more|"
    r"further|questions|specific)\b",
    r"\bi(?:'m| am) (?:always |ready |happy )*(?:here )?to (?:help|assist)\b|\bhappy to help\b|"
    r"\bwishing you (?:all )?the best\b",
)
_HEDGE = either(
    r"\bit(?:'s| is) (?:also |always |really )?(?:important|worth|crucial|essential|helpful|useful) (?:to )?(?:note|"
    r"noting|remember|remembering|mention|mentioning|keep in mind|consider|understand|recogni[sz]e|acknowledge)\b",
    r"\bthat (?:being )?said,|\bit should be noted\b|\bgenerally speaking\b|\bin (?:conclusion|summary|essence)\b|"
    r"\bultimately,|\bat the end of the day\b|\bwhen it comes to\b",
)
_SYMPATHY = either(
    r"\b(?:sorry to hear|sorry (?:that )?you(?:'re| are) (?:feeling|going|dealing|experiencing))\b|"
    r"\bthank you for (?:sharing|opening up|trusting|being (?:so )?(?:open|honest|vulnerable))\b|\byou(?:'re|"
    r" are) not alone\b",
    r"\b(?:it|that|this) (?:sounds|must be|must feel|can be|seems) (?:like (?:a|you're going through a) )?(?:really |"
    "very |incredibly |so |extremely |quite |such a )*(?:tough|hard|difficult|challenging|painful|overwhelming|"
    r"frustrating)\b",
    r"\bit takes (?:a lot of |so much |great |real |immense |incredible )?(?:courage|strength|bravery)\b|"
    r"\bmany people (?:experience|feel|struggle|go through)\b|\bi can (?:only )?imagine how\b|\btake (?:your|"
    r"all the) time\b|\bbe (?:kind|gentle) (?:to|with) yourself\b",
)
_WORDS = words(
    "delv(?:e|es|ed|ing)|tapestry|testament to|navigat(?:e|ing|es) (?:the|this|these|that|those|your|life|complex|"
    "difficult|through)|ever-evolving|fast-paced|multifaceted|underscor(?:e|es|ing)|treasure trove|beacon of|"
    "embark(?:ing|ed|s)? on|healing journey|journey of|your journey|this journey|resonat(?:e|es|ing)|foster(?:s|ing)?|"
    r"intricat\w+|pivotal|nuanced|holistic\w*|empower\w*|leverag(?:e|ing|es)|seamless\w*|game-changer|unlock(?:ing|"
    "s)? (?:the|your|new)|realm of|landscape of|vibrant|elevat(?:e|es|ing)|profound|invaluable|transformative|reignite|"
    "precious"
)

_rule = partial(Rule, axis_or_hard_fail="naturalness", points={"naturalness": 1})
RULES = (
    _rule("naturalness.opener", "A stock opener.", _OPENER, points={"naturalness": 2}, at_most=3),
    _rule("naturalness.closer", "A stock closer of a service desk.", _CLOSER, points={"naturalness": 2}),
    _rule("naturalness.hedge", "A stilted hedge.", _HEDGE),
    _rule("naturalness.sympathy", "A stock phrase of sympathy.", _SYMPATHY),
    _rule("naturalness.vocabulary", "A word that assistants use far too often.", _WORDS),
)
