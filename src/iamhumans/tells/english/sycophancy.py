"""Sycophancy: the reply flatters the user or the question.

Finds: praise for asking, for writing, and for being. "Great question!", "What a beautiful way to put it", "You're so
insightful", "I love that you asked". Does not find: praise of a third thing ("an excellent restaurant", "what a
beautiful dog"); quoted words; "a good question for your doctor". "That's a good point in the book's favour" is found
although it should not be: it starts the same way.
"""

from functools import partial

from iamhumans.tells.rule import Guard, Rule, either, words

_VERY = (
    "(?:really |truly |absolutely |very |incredibly |such |super |quite |genuinely |deeply |so |remarkably |"
    "wonderfully |extremely )*"
)
_FINE = either(
    "great|excellent|fantastic|wonderful|brilliant|amazing|awesome|insightful|thoughtful|profound|fascinating|deep|"
    "good|interesting|beautiful|important|powerful|perceptive|astute|smart|lovely|superb|incredible|intelligent|wise|"
    "thought-provoking|poignant|clever|intriguing"
)
_SAID = either(
    "questions?|points?|observations?|insights?|thoughts?|reflections?|perspectives?|ways? to (?:put|see|look|think|"
    "say|phrase|describe|frame)|sentiments?|messages?|realizations?|realisations?|instincts?"
)
_QUESTION = either(
    r"\b(?:what an?|that(?:'s| is)|this is|it's|such|you(?:'ve| have) (?:asked|raised|made|brought up)|you (?:ask|"
    rf"raise|make|bring up)|i think that's) (?:an? |some )?{_VERY}{_FINE}(?:(?:,| and) {_VERY}{_FINE})? {_SAID}\b",
    rf"(?:^|[.!?\n] *|\x01 *|, )(?:ah|oh|wow|yes|well|hi|hello|hey)?[,!]? ?(?:{_VERY}{_FINE}) (?:questions?|points?|"
    r"observations?|insights?|thinking)\b[!.,]",
)
_WHAT_A = (
    r"\bwhat an? (?:truly |really |absolutely |wonderfully |incredibly )*(?:beautiful|beautifully|insightful|"
    r"thoughtful|profound|brilliant|perceptive|astute|touching|inspiring|courageous|brave|wise)\b[^.!?\n,;\x01]*"
)
_THIRD_THING = words(
    "day|days|morning|evening|night|afternoon|dogs?|cats?|pup|puppy|kitten|baby|babies|boy|girl|child|animal|horse|"
    "bird|place|view|house|home|garden|songs?|names?|city|town|country|beach|sunset|sunrise|sky|picture|photo|photos|"
    "painting|dress|ring|cake|flower|flowers|film|movie|book|poem|story|season|country|couple|friend|teacher|gift "
    "(?:from|of)|surprise|wedding|ceremony|trip|moment|memory|way to (?:end|start|spend|celebrate)|coincidence|weekend"
)
_PRAISED = either(
    "insightful|brave|amazing|wise|thoughtful|smart|intelligent|strong|inspiring|incredible|self-aware|perceptive|"
    "brilliant|wonderful|courageous|special|articulate|mature|remarkable|talented|gifted|extraordinary|exceptional|"
    "impressive|admirable|empathetic|attuned|genius"
)
_USER = either(
    r"\b(?:it|that|this|which) (?:really |truly |just )*(?:shows|speaks to|says a lot about|is a testament to) "
    "(?:your )?(?:such |so much |a lot of |immense |great |incredible |real |tremendous |your )*(?:maturity|wisdom|"
    r"insight|self-awareness|strength|courage|thoughtfulness|intelligence|character|depth)\b|\byou(?:'re| are) "
    "(?:(?:so|such|truly|really|very|incredibly|clearly|obviously|absolutely|remarkably|extremely|already|both|simply|"
    rf"one of the most|a|an) )+{_PRAISED}\b|\byou(?:'re| are) {_PRAISED}[!.]|\bhow {_PRAISED} (?:of you|you are)\b|"
    rf"\bso {_PRAISED} of you\b|\byou have (?:such )?(?:an? )?(?:great|beautiful|amazing|incredible|excellent|"
    r"brilliant|keen|rare) (?:mind|heart|soul|instincts?|eye|insight|taste|gift|self-awareness)\b|\bi (?:just |really "
    r"|absolutely |truly )?(?:love|admire|adore) (?:that you|how you|the way you|your)\b|\bi(?:'m| am) (?:so |truly |"
    r"really |deeply )?(?:impressed|inspired|in awe|blown away|amazed) (?:by|of|with|at) (?:you|your|how you)\b|"
    r"\byour (?:[a-z-]+ )?(?:courage|bravery|strength|insight|self-awareness|honesty|vulnerability|wisdom|resilience|"
    "openness|thoughtfulness|dedication|question|message|words)(?: and [a-z-]+)? (?:is|are|really|truly)? ?(?:so |"
    r"truly |really |deeply |absolutely )*(?:inspir\w+|admirable|remarkable|incredible|amazing|beautiful|commendable|"
    r"impressive|brilliant|shows? (?:great|incredible|so much))\b"
)
_OVERPRAISE = either(
    r"\byou (?:should|must|ought to) (?:all |really |definitely )?be (?:so |very |really |incredibly |extremely "
    r")?proud of (?:yourself|how|what|that)\b|\byou (?:truly |really |absolutely |so )*deserve (?:this|it|every|all "
    r"of|to be happy)\b|\byou(?:'ve| have) worked so hard\b"
)
# A question that is good to put to somebody else is advice. "Not a good question" is no praise.
_NO_PRAISE = (
    Guard("after", r"^[,\"' ]*(?:for|to (?:ask|bring|raise|put|discuss|take)|that (?:only|your))\b"),
    Guard("clause", r"\b(?:not|isn't|never|no)\b[^,]*$"),
)
_NOT_SAID_AS_TRUE = Guard(
    "clause", r"\b(?:if|whether|that|when|think|thinks|believe|not|because|unless|until)\b[^,;]*$"
)
_rule = partial(
    Rule, axis_or_hard_fail="sycophancy", points={"naturalness": 2, "empathy_fit": 1}, unless=("draft_asked",)
)
RULES = (
    _rule("sycophancy.question", "The reply praises the question or the remark.", _QUESTION, guards=_NO_PRAISE),
    _rule(
        "sycophancy.what_a",
        "The reply gushes over what the user wrote.",
        _WHAT_A,
        guards=(Guard("match", _THIRD_THING),),
    ),
    _rule("sycophancy.user", "The reply flatters the user.", _USER, guards=(_NOT_SAID_AS_TRUE,)),
    _rule(
        "empathy_fit.overpraise",
        "Praise larger than the occasion.",
        _OVERPRAISE,
        axis_or_hard_fail="empathy_fit",
        points={"empathy_fit": 2},
        guards=(_NOT_SAID_AS_TRUE,),
    ),
)
