"""Lecturing: frameworks and psychology that the user did not ask for.

Finds: named frameworks, clinical labels, appeals to research and rules of self-care, in an emotional moment.
    "Attachment theory says", "that's a cognitive distortion", "it's important to set boundaries", "research shows".
Does not find: the same where the user asked for an explanation, for advice or for a list; a term that the user used
    first; quoted words.
"""

from functools import partial

from iamhumans.tells.checks import not_the_users_words
from iamhumans.tells.patterns import either
from iamhumans.tells.rule import Rule

_FRAMEWORK = either(
    r"\b(?:attachment (?:theory|styles?|patterns?)|(?:anxious|avoidant|secure|insecure|disorganized)(?:ly)? attach\w+|"
    "cognitive[- ](?:distortions?|behaviou?ral|reframing|dissonance|biases)|stages of (?:grief|loss)|five stages|cbt|"
    r"dbt)\b",
    r"\b(?:fight[- ]or[- ]flight|fight,? flight|nervous system|polyvagal|vagus nerve|amygdala|prefrontal cortex|"
    r"cortisol|dopamine|serotonin|oxytocin|endorphins|neuroscience|neural pathways)\b",
    r"\b(?:love languages?|parentification|parentified|enmesh\w+|codependen\w+|trauma (?:response|bond\w*)|"
    "inner child|window of tolerance|emotional (?:regulation|dysregulation|labou?r|intelligence|parentification)|"
    r"nonviolent communication|i[- ]statements?)\b",
    r"\b(?:maslow\w*|growth mindset|fixed mindset|impostor syndrome|imposter syndrome|hedonic treadmill|"
    "affective forecasting|radical acceptance|catastrophi[sz]ing|all-or-nothing thinking|black-and-white thinking|"
    "negativity bias|confirmation bias|defen[sc]e mechanisms?|coping mechanisms?|self-compassion practice|logotherapy|"
    r"frankl|brene brown|stoicism)\b",
)
_APPEAL = either(
    r"\b(?:research|studies|science|evidence|psychologists|psychology|experts|therapists|neuroscientists|scientists|"
    "data)(?: has| have| often| also| consistently)? (?:shows?|shown|suggests?|suggested|says?|finds?|found|tells? us|"
    r"calls?|refers?|indicates?|describes?|agree)\b|\baccording to (?:research|studies|psycholog\w+|experts)\b",
    r"\b(?:what's|what is|this is|that's|is) (?:often |sometimes |commonly |known as |what psychologists )*(?:called|"
    r"referred to as|known as|termed)\b|\bin psychology\b|\bpsychologically speaking\b|\b(?:grief|healing|anger|"
    "anxiety|sadness|recovery|emotions?) (?:is (?:a|an|not) (?:process|journey|natural|linear|secondary|signal)|"
    r"isn't linear|comes in waves)\b",
)
_RULE = either(
    r"\bit(?:'s| is) (?:so |really |very |also |always |incredibly |absolutely )*(?:important|crucial|essential|vital|"
    "healthy|key|necessary) (?:for you )?(?:that you |to )(?:also |always |first )*(?:set|maintain|establish|"
    "communicate|prioriti[sz]e|practi[cs]e|take care|recogni[sz]e|process|acknowledge|allow|give yourself|be (?:kind|"
    r"gentle|patient)|seek|reach out|express|honou?r|accept|learn|develop|protect)\b",
    r"\b(?:set|setting|maintain|maintaining|establish|establishing|healthy|clear|firm|enforc\w+) (?:some |healthy |"
    r"clear |firm |personal |your |better |emotional )*boundar(?:y|ies)\b|\bself-care (?:is|isn't|matters)\b|"
    r"\byou can't pour from an empty cup\b",
)

_rule = partial(
    Rule,
    axis_or_hard_fail="lecturing",
    points={"naturalness": 1, "empathy_fit": 3},
    when=("emotional",),
    unless=("explanation_asked", "advice_asked", "structure_asked", "draft_asked"),
)
RULES = (
    _rule(
        "lecturing.framework",
        "A framework or a clinical term that the user did not ask for.",
        _FRAMEWORK,
        check=not_the_users_words,
    ),
    _rule("lecturing.appeal", "Research, experts or the proper term, without being asked.", _APPEAL),
    _rule(
        "lecturing.rule", "A rule of self-care or boundaries, without being asked.", _RULE, check=not_the_users_words
    ),
)
