"""What an emotional moment does not call for: layout, a caveat to good news, a lecture.

Structured output in an emotional moment: layout where the moment called for prose. Finds: two or more list items, a
header, a table, two or more bold leads, or "1) ... 2) ... 3) ..." in one paragraph, in an emotional moment. Does not
find: the same where the user asked for a list, steps, a plan, code or a text, or asked for advice about good news; one
dash or one bold word.
Joy undercut: the reply answers good news with a caveat or a warning. Finds: the "but" after the congratulation. "Just
remember that it may be stressful", "keep in mind", "be careful", "that said", "don't get your hopes up". Does not find:
the same where the user asked about risks or for advice; "don't forget to celebrate"; quoted words.
Lecturing: frameworks and psychology that the user did not ask for. Finds: named frameworks, clinical labels, appeals to
research and rules of self-care, in an emotional moment. "Attachment theory says", "that's a cognitive distortion",
"it's important to set boundaries", "research shows". Does not find: the same where the user asked for an explanation,
for advice or for a list; a term that the user used first; quoted words.
"""

from functools import partial

from iamhumans.tells.checks import blocks, not_the_users_words
from iamhumans.tells.rule import Guard, Rule, either, words

_ITEM = r"(?m:^[ \t]*(?:[-*+]|\x02+|\(?\d{1,2}[.)]|[a-h]\))[ \t]+\S[^\n]*$)"
_HEADER = r"(?m:^[ \t]{0,3}#{1,6} +\S[^\n]*$)|(?m:^[ \t]*\*\*[^*\n]+\*\*:?[ \t]*$)"
_TABLE = r"(?m:^[ \t]*\|[^\n]*\|[ \t]*$)"
_BOLD_LEAD = r"(?m:^[ \t]*\*\*[^*\n]+(?:\*\*:|:\*\*|\*\*[ \t]+[-\x01])[^\n]*$)"
_IN_LINE = r"(?:\b1[.)]|\(1\)) [^\n]*(?:\b2[.)]|\(2\)) [^\n]*(?:\b3[.)]|\(3\)) [^\n]*"
_structure = partial(
    Rule,
    axis_or_hard_fail="structured_output_in_emotional_moment",
    points={"naturalness": 3, "empathy_fit": 3},
    when=("emotional",),
    unless=("advice_on_good_news", "structure_asked", "draft_asked"),
)
_layout = partial(_structure, quoted_too=True)
_HARD = either(
    "stressful|hard|challenging|overwhelming|difficult|tough|risky|exhausting|demanding|daunting|bumpy|temporary|a lot|"
    "lonely|scary|tricky|intense|expensive|isolating|a big (?:change|adjustment)"
)
_CAVEAT = either(
    r"\b(?:just|but|also|always|do|please|only|and) (?:remember|make sure|be (?:careful|aware|mindful|prepared|"
    r"cautious|sure)|keep in mind|bear in mind|don't forget|know that|note that|watch|beware)\b|(?:^|[.!?;\n\x01] "
    "*)(?:remember|make sure|be (?:careful|aware|mindful|prepared|cautious|sure)|keep in mind|bear in mind|don't "
    r"forget|watch out|beware|of course, remember)\b|(?:^|[.!?;,\n\x01] *)(?:that said|that being said|having said "
    r"that|however|on the other hand|then again|still),|\b(?:it|this|that|things|they|change|transitions?|[a-z]+ing "
    "[a-z ]+|the [a-z ]+) (?:might|may|could|can|will) (?:also |still |sometimes |often |eventually |initially "
    rf")*(?:be|get|become|feel|bring|come with|turn out) (?:quite |very |pretty |a bit |really |more )?{_HARD}\b|"
    r"\bdon't (?:get (?:your hopes|too|ahead|carried away|complacent)|expect|let (?:it|this|the) (?:go to|distract|"
    r"cloud)|rush|burn)\b|\bi hope (?:it|this) lasts\b|\b(?:enjoy|savou?r) it while it lasts\b|\bbefore you "
    r"(?:celebrate|get too|accept|sign|say yes|commit)\b|\bhave you (?:considered|thought about|thought through) "
    "(?:the|how you'll handle|whether) (?:risks?|downsides?|costs?|taxes|workload|stress|commute|drawbacks|"
    r"implications|long hours)?|\b(?:won't|can't|doesn't) last forever\b|\bcome with (?:its|their) (?:own "
    r")?(?:challenges|stress|pressures?)\b|\bmanage (?:your )?expectations\b"
)
_GLAD = words(
    "celebrate|enjoy|savou?r|treat|pat|brag|smile|tell us|share|breathe|be proud|proud|dance|take (?:it|a moment|this|"
    "time to (?:enjoy|celebrate)|some time to (?:enjoy|celebrate))|soak|thank|have fun|rest|congratulate|you (?:earned|"
    "deserve|did)|how far|this (?:feeling|moment)|hug|toast|tell me|give yourself|let yourself|send (?:me|us)|mark"
)
_FRAMEWORK = either(
    r"\b(?:attachment (?:theory|styles?|patterns?)|(?:anxious|avoidant|secure|insecure|disorganized)(?:ly)? attach\w+|"
    "cognitive[- ](?:distortions?|behaviou?ral|reframing|dissonance|biases)|stages of (?:grief|loss)|five stages|cbt|"
    r"dbt)\b|\b(?:fight[- ]or[- ]flight|fight,? flight|nervous system|polyvagal|vagus nerve|amygdala|prefrontal "
    r"cortex|cortisol|dopamine|serotonin|oxytocin|endorphins|neuroscience|neural pathways)\b|\b(?:love languages?|"
    r"parentification|parentified|enmesh\w+|codependen\w+|trauma (?:response|bond\w*)|inner child|window of tolerance|"
    "emotional (?:regulation|dysregulation|labou?r|intelligence|parentification)|nonviolent communication|i[- "
    r"]statements?)\b|\b(?:maslow\w*|growth mindset|fixed mindset|impostor syndrome|imposter syndrome|hedonic "
    "treadmill|affective forecasting|radical acceptance|catastrophi[sz]ing|all-or-nothing thinking|black-and-white "
    "thinking|negativity bias|confirmation bias|defen[sc]e mechanisms?|coping mechanisms?|self-compassion practice|"
    r"logotherapy|frankl|brene brown|stoicism)\b"
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
_SELF_CARE = either(
    r"\bit(?:'s| is) (?:so |really |very |also |always |incredibly |absolutely )*(?:important|crucial|essential|vital|"
    "healthy|key|necessary) (?:for you )?(?:that you |to )(?:also |always |first )*(?:set|maintain|establish|"
    "communicate|prioriti[sz]e|practi[cs]e|take care|recogni[sz]e|process|acknowledge|allow|give yourself|be (?:kind|"
    r"gentle|patient)|seek|reach out|express|honou?r|accept|learn|develop|protect)\b|\b(?:set|setting|maintain|"
    r"maintaining|establish|establishing|healthy|clear|firm|enforc\w+) (?:some |healthy |clear |firm |personal |your |"
    r"better |emotional )*boundar(?:y|ies)\b|\bself-care (?:is|isn't|matters)\b|\byou can't pour from an empty cup\b"
)
_lecturing = partial(
    Rule,
    axis_or_hard_fail="lecturing",
    points={"naturalness": 1, "empathy_fit": 3},
    when=("emotional",),
    unless=("explanation_asked", "advice_asked", "structure_asked", "draft_asked"),
    check=not_the_users_words,
)
RULES = (
    _layout("structure.list", "A list in a moment that called for prose.", _ITEM, check=blocks),
    _layout("structure.header", "A header in a moment that called for prose.", _HEADER),
    _layout("structure.table", "A table in a moment that called for prose.", _TABLE, check=blocks),
    _layout("structure.bold_lead", "Bold leads in a moment that called for prose.", _BOLD_LEAD, check=blocks),
    _structure("structure.in_line", "A numbered list inside a paragraph.", either(_IN_LINE)),
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
    _lecturing("lecturing.framework", "A framework or a clinical term that the user did not ask for.", _FRAMEWORK),
    _lecturing("lecturing.appeal", "Research, experts or the proper term, without being asked.", _APPEAL, check=None),
    _lecturing("lecturing.rule", "A rule of self-care or boundaries, without being asked.", _SELF_CARE),
)
