"""Calibration, memory and repair: what a reply claims to know, to remember, and to put right.

Finds: a hedge on most of at least four sentences; certainty that is impossible ("I guarantee", "everything will be
fine"); a conversation that did not take place ("as we discussed last time" in the first turn); where something must be
put right, a very large apology, two apologies or more, or an excuse ("my memory is limited"). Does not find: "I think"
where more cannot be known; "you said" about the message that is answered, or where the user mentions an earlier talk;
one apology.
"""

from functools import partial

from iamhumans.tells.checks import on_sentences
from iamhumans.tells.rule import Rule, either, words

_HEDGE_WORD = words(
    "might|maybe|perhaps|may|possibly|could be|i think|i guess|it seems|seems|probably|likely|sort of|kind of|"
    "i believe|in some ways|to some extent|arguably|potentially|it depends"
)
_CERTAIN = either(
    r"\bi (?:can )?(?:guarantee|promise)(?: you)?\b|\bi(?:'m| am) (?:100|a hundred|completely|absolutely) ?(?:%|"
    r"percent)? (?:sure|certain|positive)\b|\b(?:everything|it|things|this|you) (?:will|'ll|is going to|are going to) "
    r"(?:all )?(?:definitely |certainly |absolutely )*(?:be (?:fine|okay|ok|alright|all right)|work out|get better)\b|"
    r"\bthere(?:'s| is) no doubt\b|\bwithout (?:a|any) doubt\b|\bdefinitely (?:will|going to)\b|\bi know for (?:a "
    r"fact|certain|sure)\b"
)
_MEMORY = either(
    r"\b(?:as|like) (?:you|we|i)(?:'ve| have)? (?:[a-z]+ )?(?:mentioned|said|discussed|talked about|told|shared|"
    "explained|noted) (?:to me |me |you )?(?:earlier|before|previously|last|yesterday|the other|in our)",
    r"\b(?:as|like) we(?:'ve| have)? (?:[a-z]+ )?(?:discussed|talked about|agreed|explored)\b|\b(?:last time|"
    r"when) we (?:last )?(?:talked|spoke|chatted|met)\b|\b(?:in|from|since|during) our (?:last|previous|earlier|past|"
    r"other) (?:[a-z]+ )?(?:conversations?|chats?|sessions?|talks?|discussions?)\b",
    r"\b(?:earlier|last (?:time|week)|yesterday|previously|before),? you (?:said|told|mentioned|shared|asked|"
    r"were (?:saying|telling))\b|\byou (?:said|told me|mentioned|shared)(?: [a-z]+){0,3} (?:earlier|last (?:time|"
    r"week)|yesterday|the other day|before|previously)\b|\bi remember (?:you|when you|that you|what you|how you|us)\b",
)
_APOLOGY = (
    r"\b(?:i(?:'m| am) (?:[a-z]+ )?sorry|i (?:[a-z]+ )?apologi[sz]e|my (?:[a-z]+ )?apologies|forgive me|my fault)\b"
)
_GROVEL = (
    r"\bi (?:completely |totally |truly |really )?(?:failed you|let you down)\b|\bi(?:'m| am) (?:so|truly|deeply|"
    r"terribly|extremely|incredibly) (?:[a-z]+ )?sorry\b|\b(?:deepest|sincerest|sincere) apologies\b|\bi(?:'m|"
    r" am) (?:such )?(?:a )?(?:terrible|useless|failure|mortified|ashamed)\b|\byou(?:'re| are) (?:absolutely|"
    r"completely|totally|100%) right\b"
)
_EXCUSE = either(
    r"\bmy (?:memory|context|training|context window) (?:is|has|was|can be|may)\b|\b(?:limited|limitations of my|"
    r"limits of my) (?:memory|context|training|design)\b|\bas an ai\b|\b(?:technical|system|context) (?:limitations?|"
    r"limits?|issues?|glitch|error)\b|\byou (?:may|might|must) have (?:misunderstood|misread|said|told|mentioned)\b|"
    r"\byou (?:weren't|were not) clear\b|\bi may have (?:gotten|been|made)\b|\bsorry if (?:you|that|i|it)\b"
)
_hedges = partial(Rule, axis_or_hard_fail="calibrated_uncertainty", points={"calibrated_uncertainty": 2})
_repair = partial(Rule, axis_or_hard_fail="repair_quality", when=("repair",))
RULES = (
    _hedges(
        "calibration.hedges_on_most",
        "A hedge on most sentences.",
        _HEDGE_WORD,
        points={"calibrated_uncertainty": 3},
        check=partial(on_sentences, share=0.5, below=0.75, fewest=4),
    ),
    _hedges(
        "calibration.hedges_on_nearly_all",
        "A hedge on nearly every sentence.",
        _HEDGE_WORD,
        points={"calibrated_uncertainty": 5},
        check=partial(on_sentences, share=0.75, fewest=4),
    ),
    _hedges("calibration.false_certainty", "Certainty about what cannot be known.", _CERTAIN),
    Rule(
        "memory.invented",
        "An earlier conversation that did not take place.",
        _MEMORY,
        axis_or_hard_fail="memory_coherence",
        points={"memory_coherence": 7},
        when=("single_turn", "user_known"),
        unless=("earlier_named", "draft_asked"),
    ),
    _repair(
        "repair.grovel",
        "More apology than the mistake calls for.",
        either(_APOLOGY, _GROVEL),
        points={"repair_quality": 3},
        at_least=2,
        sure=_GROVEL,
    ),
    _repair("repair.excuse", "An excuse, or blame for somebody else.", _EXCUSE, points={"repair_quality": 4}),
)
