"""Performed empathy: the reply names its own empathy instead of showing it.

Finds: sentences about the speaker's own listening, understanding or feeling. "I want to acknowledge ...", "I hear you",
    "I'm here for you", "I'm holding space", "I can feel your pain", "my heart goes out to you".
Does not find: "I hear you got the job" (hearsay); "I'm here to help with the form"; "I'm listening" or "I'm here" as a
    whole answer to somebody who asked for just that; "I'm sorry"; quoted words; texts that the user asked for.
"""

from functools import partial

from iamhumans.tells.patterns import either, words
from iamhumans.tells.rule import Guard, Rule

_DEEPLY = (
    "(?:truly |really |completely |totally |deeply |fully |absolutely |so |genuinely |definitely |certainly |can |do |"
    "just |also |can only |can truly |can really )*"
)
_NAMED = either(
    r"\bi (?:just |also |first |really |do )*(?:want|wanted|need|would like|'d like)? ?(?:to )?(?:first |just |also |"
    r"take a moment to |start by |pause to |pause and )*(?:acknowledge|acknowledging|honou?r|hold space|validate)\b",
    r"\bi(?:'d| would) like to (?:first |just |start by )*(?:acknowledge|acknowledging|honou?r|validate)\b|"
    r"\blet me (?:first |just |start by )*(?:acknowledge|acknowledging|validate|honou?r)\b",
    rf"\bi(?:'m| am)? ?{_DEEPLY}(?:hold|holding) (?:a )?(?:safe )?space\b|\bi(?:'m| am) sitting with you\b|"
    r"\bi (?:feel|felt) for you\b|\bmy heart (?:truly |really )?(?:goes out|breaks|aches|hurts|is with)\b",
    rf"\bi {_DEEPLY}(?:feel|sense|hear) (?:your|the|how much) (?:[a-z]+ )?(?:pain|hurt|sadness|grief|anger|sorrow|"
    r"frustration|loneliness|exhaustion|despair|joy|excitement|weight|struggle|suffering|anguish|heaviness|fear)\b",
    r"\bi (?:can )?(?:truly|really|completely|totally|deeply|fully|absolutely|genuinely) (?:understand|empathi[sz]e|"
    r"feel|get (?:how|it|what))\b|\bi(?: can)? empathi[sz]e\b|\bi understand (?:exactly |just )?how (?:you|hard|"
    r"difficult|painful|frustrating|overwhelming|tough|challenging|much)\b",
    r"\bi (?:can )?(?:know|relate to) (?:exactly |just )?(?:how (?:you(?:'re| are)? ?feel|hard|difficult|painful|"
    "tough)|what you(?:'re| are) (?:going|feeling))",
    r"\bi(?:'ll| will) (?:do my best to |try to )?(?:just )?(?:be (?:fully |completely |truly )?present|"
    r"be here (?:for|with) you|hear you|hold)\b|\bi(?:'m| am) (?:fully |completely |truly )?present (?:for|with|"
    r"and)\b|\bwith (?:deep|genuine) (?:empathy|compassion)\b",
    r"\bi (?:see|hear) your\b|\bi(?:'m| am) hearing you\b|\bwhat i(?:'m| am) hearing is\b|\bi(?:'m| am) so (?:excited|"
    r"happy|thrilled) for you\b[^.!?\n]*[.!?][^\n]*\bso (?:excited|happy|thrilled) for you\b",
)
_HERE = (
    r"\bi(?:'m| am)(?: always| right| still| just| truly| really)* here (?:for you|to (?:just |simply |truly |"
    "fully )?(?:listen|support you|hear you|hold|be with you|walk)|with you|and (?:i(?:'m| am) )?(?:listening|"
    "ready to listen)|if you (?:need|want|ever|'d like|feel)|whenever you|as long as you)"
)
_HEARSAY = words(
    "'re|are|got|get|have|had|went|were|'ve|might|may|can|could|want to|say|said|mean|like|play|moved|finally|just|"
    "made|work|tried|put|as|there|at|in|on|did|next|tomorrow|soon|later|around|again|through|using|mentioned|started|"
    "chose"
)

_DENIED = Guard("clause", r"\b(?:don't|not|can't|cannot|never|won't|if|that|like|as if|pretend|say|saying)\b[^,;]*$")

_rule = partial(
    Rule, axis_or_hard_fail="performed_empathy", points={"naturalness": 2, "empathy_fit": 2}, unless=("draft_asked",)
)
RULES = (
    _rule("performed_empathy.named", "The reply names its empathy.", _NAMED, guards=(_DENIED,)),
    _rule(
        "performed_empathy.here_for_you", "The reply announces that it is there and listens.", _HERE, guards=(_DENIED,)
    ),
    _rule(
        "performed_empathy.i_hear_you",
        "The reply says that it hears or sees the user.",
        r"\bi (?:just |really |do |truly |can )*(?:hear|see) you\b",
        guards=(Guard("after", f"^'|^ {_HEARSAY}"), _DENIED),
    ),
)
