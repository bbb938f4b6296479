"""Naturalness: stock phrases, and the rhythm and the layout of machine-made prose.

Naturalness: stock phrases that open, close and pad a reply. Finds: what people hardly write to each other and
assistants write all the time. "Certainly! Here's ...", "I hope this helps!", "feel free to reach out", "it's important
to note", "I'm sorry to hear that", "a rich tapestry". Does not find: the same words in the middle of a sentence that
needs them ("I was certainly late"). A text that the user asked for is read like any other, since its readers take it as
the assistant's.
Naturalness: the rhythm and the layout of machine-made prose. Finds: habits that only show over a whole reply. Em dashes
in every paragraph (of two or more), or three and more than one in 60 words; three triplets ("warm, calm, and kind"), or
two in a short reply; "it's not X, it's Y"; six or more sentences of about the same length; exclamation marks on most
sentences; emoji as bullets; two exclamation marks for someone who is sad. Does not find: one em dash, one triplet, one
exclamation mark; lists that the user asked for.
"""

from functools import partial

from iamhumans.tells.checks import chained, flat, on_sentences, repeated
from iamhumans.tells.rule import Rule, either, words

_OPENER = either(
    r"(?:^|\n)[ \t*]*(?:certainly|absolutely|of course|sure(?: thing)?|definitely|gladly|happy to help|"
    r"i'd be (?:happy|glad|delighted) to|no problem)(?:[!,.:]|\x01| ?- )",
    r"(?:^|[.!\n] *)(?:here(?:'s| is| are) (?:a|an|the|some|your|how|what|\d+) [^.!?\n]*:\s*(?:\n|$))|\b(?:thanks|"
    r"thank you) for (?:asking|reaching out|your (?:question|message))\b",
)
_CLOSER = either(
    r"\bi hope (?:this|that|these|it) (?:helps|is helpful|was helpful|gives you|clarif\w+)\b|\b(?:feel free|don't "
    r"hesitate|please do not hesitate) to (?:ask|reach|let|share|contact|message|provide)\b|\blet me know (?:if|how|"
    r"what|whether|when)\b|\bis there (?:anything|something) (?:else|specific|in particular)\b[^.!?\n]*\bi can\b|"
    r"\bhow (?:can|may) i (?:help|assist)\b|\bif you have any (?:other|more|further|questions|specific)\b|\bi(?:'m| "
    r"am) (?:always |ready |happy )*(?:here )?to (?:help|assist)\b|\bhappy to help\b|\bwishing you (?:all )?the best\b"
)
_HEDGE = either(
    r"\bit(?:'s| is) (?:also |always |really )?(?:important|worth|crucial|essential|helpful|useful) (?:to )?(?:note|"
    r"noting|remember|remembering|mention|mentioning|keep in mind|consider|understand|recogni[sz]e|acknowledge)\b",
    r"\bthat (?:being )?said,|\bit should be noted\b|\bgenerally speaking\b|\bin (?:conclusion|summary|essence)\b|"
    r"\bultimately,|\bat the end of the day\b|\bwhen it comes to\b",
)
_SYMPATHY = either(
    r"\b(?:sorry to hear|sorry (?:that )?you(?:'re| are) (?:feeling|going|dealing|experiencing))\b|\bthank you for "
    r"(?:sharing|opening up|trusting|being (?:so )?(?:open|honest|vulnerable))\b|\byou(?:'re| are) not alone\b|"
    r"\b(?:it|that|this) (?:sounds|must be|must feel|can be|seems) (?:like (?:a|you're going through a) )?(?:really |"
    "very |incredibly |so |extremely |quite |such a )*(?:tough|hard|difficult|challenging|painful|overwhelming|"
    r"frustrating)\b|\bit takes (?:a lot of |so much |great |real |immense |incredible )?(?:courage|strength|"
    r"bravery)\b|\bmany people (?:experience|feel|struggle|go through)\b|\bi can (?:only )?imagine how\b|\btake "
    r"(?:your|all the) time\b|\bbe (?:kind|gentle) (?:to|with) yourself\b"
)
_WORDS = words(
    "delv(?:e|es|ed|ing)|tapestry|testament to|navigat(?:e|ing|es) (?:the|this|these|that|those|your|life|complex|"
    "difficult|through)|ever-evolving|fast-paced|multifaceted|underscor(?:e|es|ing)|treasure trove|beacon of|"
    "embark(?:ing|ed|s)? on|healing journey|journey of|your journey|this journey|resonat(?:e|es|ing)|foster(?:s|ing)?|"
    r"intricat\w+|pivotal|nuanced|holistic\w*|empower\w*|leverag(?:e|ing|es)|seamless\w*|game-changer|unlock(?:ing|"
    "s)? (?:the|your|new)|realm of|landscape of|vibrant|elevat(?:e|es|ing)|profound|invaluable|transformative|reignite|"
    "precious"
)
_EM_DASH = r"\x01|(?:[a-z] --? [a-z])"
_TRIPLET = r"\b[a-z'-]+(?: [a-z'-]+)?(?: [a-z'-]+)?, (?:[a-z'-]+ )?(?:[a-z'-]+ )?[a-z'-]+, (?:and|or) [a-z'-]+"
_NOT_BUT = either(
    r"\b(?:it|this|that|they|you)(?:'s|'re| is| are|) ?(?:isn't|aren't|not|never)(?: just| only| merely| simply|"
    r" about| really)* [^.!?\n,;\x01]+(?:[,;.\x01]|\x01 )[ \x01]*(?:it|this|that|they|you)(?:'s|'re| is| are) [a-z]",
    r"\bnot (?:just|only|merely|simply) [^.!?\n,;\x01]+, but\b|\bnot because [^.!?\n,;\x01]+, but because\b|"
    r"\bless about [^.!?\n,;\x01]+ and more about\b|\bisn't (?:just )?about [^.!?\n,;\x01]+[,;\x01] ?it's about\b",
)
_EXCLAMATION = "!+"
_EMOJI_BULLET = r"(?m:^[ \t]*\x02+[ \t]*\S)"
_rule = partial(Rule, axis_or_hard_fail="naturalness", points={"naturalness": 1})
_layout = partial(_rule, quoted_too=True)
RULES = (
    _rule("naturalness.opener", "A stock opener.", _OPENER, points={"naturalness": 2}, at_most=3),
    _rule("naturalness.closer", "A stock closer of a service desk.", _CLOSER, points={"naturalness": 2}),
    _rule("naturalness.hedge", "A stilted hedge.", _HEDGE),
    _rule("naturalness.sympathy", "A stock phrase of sympathy.", _SYMPATHY),
    _rule("naturalness.vocabulary", "A word that assistants use far too often.", _WORDS),
    _layout(
        "naturalness.em_dashes", "Em dashes all through the reply.", _EM_DASH, points={"naturalness": 2}, check=chained
    ),
    _rule("naturalness.triplets", "Groups of three, again and again.", _TRIPLET, check=repeated),
    _rule("naturalness.not_but", "The cadence \"it's not X, it's Y\".", _NOT_BUT),
    _layout(
        "naturalness.exclamations",
        "Exclamation marks on most sentences.",
        _EXCLAMATION,
        at_least=2,
        check=partial(on_sentences, share=0.5),
    ),
    _layout(
        "naturalness.emoji_bullets",
        "Emoji as bullets.",
        _EMOJI_BULLET,
        points={"naturalness": 2},
        at_least=2,
        at_most=2,
    ),
    _rule("naturalness.flat_sentences", "Sentences that all have about the same length.", check=flat),
    _rule(
        "empathy_fit.cheer_in_sorrow",
        "Good cheer for someone who is sad.",
        _EXCLAMATION,
        axis_or_hard_fail="empathy_fit",
        points={"empathy_fit": 3},
        when=("sorrowful",),
        unless=("draft_asked",),
        at_least=2,
        at_most=2,
    ),
)
