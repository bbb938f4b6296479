"""Lecturing: frameworks and psychoeducation that nobody asked for.

Objective:
    Find named frameworks, clinical labels, appeals to research and rules of self-care, in reply to a feeling.
Violates:
    "Attachment theory says", "that's a cognitive distortion", "the stages of grief", "your nervous system is in
    fight or flight", "it's important to set boundaries", "research shows", in an emotional moment.
Does not violate:
    The same where the user asked for an explanation, for advice or for a list; a term that the user brought up;
    quoted words.
Severity:
    3.
"""

from __future__ import annotations

from iamhumans.tells.content_words import content_words
from iamhumans.tells.context import Moment
from iamhumans.tells.model import Rule
from iamhumans.tells.patterns import Span, either
from iamhumans.tells.reply_text import ReplyText

_FRAMEWORK = either(
    r"\b(?:attachment (?:theory|styles?|patterns?)|(?:anxious|avoidant|secure|insecure|"
    r"disorganized)(?:ly)? attach\w+|cognitive[- ](?:distortions?|behaviou?ral|reframing|dissonance|biases)|"
    r"stages of (?:grief|loss)|five stages|cbt|dbt)\b",
    r"\b(?:fight[- ]or[- ]flight|fight,? flight|nervous system|polyvagal|vagus nerve|amygdala|"
    r"prefrontal cortex|cortisol|dopamine|serotonin|oxytocin|endorphins|neuroscience|neural pathways)\b",
    r"\b(?:love languages?|parentification|parentified|enmesh\w+|codependen\w+|trauma (?:response|bond\w*)|"
    r"inner child|window of tolerance|emotional (?:regulation|dysregulation|labou?r|intelligence|"
    r"parentification)|nonviolent communication|i[- ]statements?)\b",
    r"\b(?:maslow\w*|growth mindset|fixed mindset|impostor syndrome|imposter syndrome|hedonic treadmill|"
    r"affective forecasting|radical acceptance|catastrophi[sz]ing|all-or-nothing thinking|"
    r"black-and-white thinking|negativity bias|confirmation bias|defen[sc]e mechanisms?|coping mechanisms?|"
    r"self-compassion practice|logotherapy|frankl|brene brown|stoicism)\b",
)
_APPEAL = either(
    r"\b(?:research|studies|science|evidence|psychologists|psychology|experts|therapists|neuroscientists|"
    r"scientists|data)(?: has| have| often| also| consistently)? (?:shows?|shown|suggests?|suggested|says?|"
    r"finds?|found|tells? us|calls?|refers?|indicates?|describes?|agree)\b|\baccording to (?:research|studies|"
    r"psycholog\w+|experts)\b",
    r"\b(?:what's|what is|this is|that's|is) (?:often |sometimes |commonly |known as |"
    r"what psychologists )*(?:called|referred to as|known as|termed)\b|\bin psychology\b|"
    r"\bpsychologically speaking\b|\b(?:grief|healing|anger|anxiety|sadness|recovery|emotions?) (?:is (?:a|an|"
    r"not) (?:process|journey|natural|linear|secondary|signal)|isn't linear|comes in waves)\b",
)
_RULE = either(
    r"\bit(?:'s| is) (?:so |really |very |also |always |incredibly |absolutely )*(?:important|crucial|"
    r"essential|vital|healthy|key|necessary) (?:for you )?(?:that you |to )(?:also |always |first )*"
    r"(?:set|maintain|establish|communicate|prioriti[sz]e|practi[cs]e|take care|recogni[sz]e|process|"
    r"acknowledge|allow|give yourself|be (?:kind|gentle|patient)|seek|reach out|express|honou?r|accept|learn|"
    r"develop|protect)\b",
    r"\b(?:set|setting|maintain|maintaining|establish|establishing|healthy|clear|firm|enforc\w+) (?:some |"
    r"healthy |clear |firm |personal |your |better |emotional )*boundar(?:y|ies)\b|\bself-care (?:is|isn't|"
    r"matters)\b|\byou can't pour from an empty cup\b",
)


def _unasked(moment: Moment) -> bool:
    asked = moment.explanation_asked or moment.advice_asked or moment.structure_asked or moment.draft_asked
    return moment.emotional and not asked


def _new_to_the_talk(reply: ReplyText, span: Span) -> bool:
    """Whether the term is the reply's own: words that the user brought up are the user's to talk about."""
    terms = content_words(reply.folded[span[0] : span[1]])
    return not terms or not terms <= reply.moment.user_words


RULES = (
    Rule(
        "lecturing.framework",
        "lecturing",
        "A framework or a clinical term that nobody asked for.",
        _FRAMEWORK,
        _unasked,
        _new_to_the_talk,
        severity=3,
    ),
    Rule(
        "lecturing.appeal", "lecturing", "Research, experts or the proper term, unasked.", _APPEAL, _unasked, severity=3
    ),
    Rule(
        "lecturing.rule",
        "lecturing",
        "A rule of self-care or boundaries, unasked.",
        _RULE,
        _unasked,
        _new_to_the_talk,
        severity=3,
    ),
)
