"""Empathy in words alone: empty validation, performed empathy and pity.

Empty validation: the reply calls the feeling valid and responds to nothing that the user said. Finds: the stamp ("your
feelings are valid") where no other sentence shares a content word with what the user wrote. Sentences of stock sympathy
do not count. Does not find: the stamp where another sentence takes up what the user said (one shared content word; two
where the user wrote at length); quoted words. Where the user did not write English, words cannot be compared and
nothing is found.
Performed empathy: the reply names its own empathy instead of showing it. Finds: sentences about the speaker's own
listening, understanding or feeling. "I want to acknowledge ...", "I hear you", "I'm here for you", "I'm holding space",
"I can feel your pain", "my heart goes out to you". Does not find: "I hear you got the job" (hearsay); "I'm here to help
with the form"; "I'm listening" or "I'm here" as a whole answer to somebody who asked for just that; "I'm sorry"; quoted
words; texts that the user asked for.
Pity: the reply comforts by talking down. Finds: words that put the speaker above the one who suffers. "Oh, you poor
thing", "bless your heart", "how awful for you", "I feel so sorry for you", "oh sweetie". Does not find: "I'm sorry for
your loss"; "the poor thing" about a dog; "poor" about money or sleep; quoted words.
"""

from functools import partial

from iamhumans.tells.checks import unless_engaged
from iamhumans.tells.rule import Guard, Rule, either, words

_VERY = (
    "(?:completely |totally |absolutely |perfectly |entirely |all |very |so |truly |really |both |also |of course |"
    "always |more than )*"
)
_STAMP = either("valid|understandable|normal|natural|justified|legitimate|real and valid|human|okay|ok")
_VALIDATION = either(
    r"\b(?:your|those|these|all (?:of )?(?:your|those|these)) (?:[a-z]+ )?(?:feelings?|emotions?|reactions?)(?: and "
    rf"[a-z]+)? (?:is|are|here are) {_VERY}{_STAMP}\b|\b(?:your (?:pain|anger|grief|sadness|hurt|frustration|identity|"
    "experience|fear|anxiety|worry|exhaustion)|(?:what|how|the way) you(?:'re| are)? ?feel(?:ing)?) (?:is|are) "
    rf"{_VERY}(?:valid|understandable|legitimate|justified|normal|natural)\b|\b(?:it(?:'s| is)|that(?:'s| is)) "
    f"{_VERY}(?:normal|natural|understandable|okay|ok|valid|common|human|reasonable) (?:to (?:feel|be feeling|"
    r"experience|have (?:these|those|such))|that you(?:'re| are| feel)? ?feel)|\byou have every right to feel\b|\bit "
    "makes (?:complete |total |perfect |a lot of |so much )?sense (?:that you(?:'re| are| would| might)? ?feel|to "
    r"feel|you(?:'d| would|'re) feel)|\b(?:it's|it is) (?:ok|okay|alright) (?:not to be|to not be) (?:ok|okay)\b|"
    r"\byou(?:'re| are) (?:completely |totally )?(?:valid|allowed to feel)\b"
)
_STOCK_SYMPATHY = either(
    r"\bsorry (?:to hear|you(?:'re| are)|that you|for your|about)\b|\bi(?:'m| am) here (?:for you|to|if|with)\b|"
    r"\byou(?:'re| are) not alone\b|\bthank you for (?:sharing|opening|trusting|reaching)\b|\b(?:it|that) sounds "
    r"(?:like|really|very|incredibly|so)? ?(?:tough|hard|difficult|challenging|painful)\b|\btake care of yourself\b|"
    r"\bbe (?:kind|gentle) (?:to|with) yourself\b|\b(?:feel free|don't hesitate) to\b"
)
_DEEPLY = (
    "(?:truly |really |completely |totally |deeply |fully |absolutely |so |genuinely |definitely |certainly |can |do |"
    "just |also |can only |can truly |can really )*"
)
_NAMED = either(
    r"\bi (?:just |also |first |really |do )*(?:want|wanted|need|would like|'d like)? ?(?:to )?(?:first |just |also |"
    r"take a moment to |start by |pause to |pause and )*(?:acknowledge|acknowledging|honou?r|hold space|validate)\b|"
    r"\bi(?:'d| would) like to (?:first |just |start by )*(?:acknowledge|acknowledging|honou?r|validate)\b|\blet me "
    rf"(?:first |just |start by )*(?:acknowledge|acknowledging|validate|honou?r)\b|\bi(?:'m| am)? ?{_DEEPLY}(?:hold|"
    r"holding) (?:a )?(?:safe )?space\b|\bi(?:'m| am) sitting with you\b|\bi (?:feel|felt) for you\b|\bmy heart "
    rf"(?:truly |really )?(?:goes out|breaks|aches|hurts|is with)\b|\bi {_DEEPLY}(?:feel|sense|hear) (?:your|the|how "
    "much) (?:[a-z]+ )?(?:pain|hurt|sadness|grief|anger|sorrow|frustration|loneliness|exhaustion|despair|joy|"
    r"excitement|weight|struggle|suffering|anguish|heaviness|fear)\b|\bi (?:can )?(?:truly|really|completely|totally|"
    r"deeply|fully|absolutely|genuinely) (?:understand|empathi[sz]e|feel|get (?:how|it|what))\b|\bi(?: can)? "
    r"empathi[sz]e\b|\bi understand (?:exactly |just )?how (?:you|hard|difficult|painful|frustrating|overwhelming|"
    r"tough|challenging|much)\b|\bi (?:can )?(?:know|relate to) (?:exactly |just )?(?:how (?:you(?:'re| are)? ?feel|"
    r"hard|difficult|painful|tough)|what you(?:'re| are) (?:going|feeling))|\bi(?:'ll| will) (?:do my best to |try to "
    r")?(?:just )?(?:be (?:fully |completely |truly )?present|be here (?:for|with) you|hear you|hold)\b|\bi(?:'m| am) "
    r"(?:fully |completely |truly )?present (?:for|with|and)\b|\bwith (?:deep|genuine) (?:empathy|compassion)\b|\bi "
    r"(?:see|hear) your\b|\bi(?:'m| am) hearing you\b|\bwhat i(?:'m| am) hearing is\b|\bi(?:'m| am) so (?:excited|"
    r"happy|thrilled) for you\b[^.!?\n]*[.!?][^\n]*\bso (?:excited|happy|thrilled) for you\b"
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
_performed = partial(
    Rule, axis_or_hard_fail="performed_empathy", points={"naturalness": 2, "empathy_fit": 2}, unless=("draft_asked",)
)
_PITY = either(
    r"\byou (?:poor|sweet|pitiful) (?:[a-z]+ )?(?:thing|baby|dear|soul|darling|kid|angel|lamb|child|man|woman|girl|"
    r"boy|sweetheart|creature|love)\b|\bpoor you\b|\bpoor (?:baby|darling|sweetheart)\b|(?:^|[.!?\n\x01] *)(?:oh,? |"
    r"aww*,? |oh no,? )*poor thing\b|\bbless your (?:[a-z]+ )?heart\b|\byour poor (?:little |sweet )?(?:heart|soul|"
    r"thing)\b|\b(?:how|so|that's|that is|it's|this is|that must be|it must be) (?:so |just |really |absolutely |very "
    "|truly )*(?:awful|terrible|horrible|sad|dreadful|tragic|pitiful|heartbreaking|devastating) for (?:you|someone "
    r"like you)\b|\bi (?:just |really |do |truly )*(?:feel|am|'m) (?:just |so |very |truly |really |terribly |awfully "
    r"|incredibly )*(?:sorry|bad|terrible|awful) for you\b|\bi'm (?:just |so |very |truly |really |terribly )*sorry "
    r"for you\b|\bi pity you\b|(?:^|[.!?\n\x01] *)(?:oh|aww*|there,? there)[,.]* (?:my )?(?:sweet |poor |dear "
    r")?(?:honey|sweetie|sweetheart|darling|sweet child|little one|poor dear|hon)\b|\bthere,? there[,.!]|\byou must "
    r"feel so (?:helpless|pathetic|small)\b"
)
RULES = (
    Rule(
        "empty_validation.stamp",
        "The reply calls the feeling valid and takes up nothing of it.",
        _VALIDATION,
        axis_or_hard_fail="empty_validation",
        points={"naturalness": 2, "empathy_fit": 4},
        when=("user_known",),
        unless=("draft_asked",),
        check=partial(unless_engaged, stock=either(_VALIDATION, _STOCK_SYMPATHY), long_message=25),
    ),
    _performed("performed_empathy.named", "The reply names its empathy.", _NAMED, guards=(_DENIED,)),
    _performed(
        "performed_empathy.here_for_you", "The reply announces that it is there and listens.", _HERE, guards=(_DENIED,)
    ),
    _performed(
        "performed_empathy.i_hear_you",
        "The reply says that it hears or sees the user.",
        r"\bi (?:just |really |do |truly |can )*(?:hear|see) you\b",
        guards=(Guard("after", f"^'|^ {_HEARSAY}"), _DENIED),
    ),
    Rule(
        "pity.talking_down",
        "The reply comforts by talking down.",
        _PITY,
        axis_or_hard_fail="pity",
        points={"naturalness": 1, "empathy_fit": 4},
        unless=("draft_asked",),
        guards=(Guard("clause", r"\b(?:don't|not|never|isn't|without)\b[^,;]*$"),),
    ),
)
