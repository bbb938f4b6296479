"""What moment a reply answers: facts about the conversation that make a phrase a fault or no fault.

All facts are read from what the user wrote, and from what the author of the case declared. They are deliberately
simple: a fact that cannot be told from words is not here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from iamhumans.cases import Case
from iamhumans.tells.content_words import content_words
from iamhumans.tells.folded import fold_in_place
from iamhumans.tells.patterns import PatternSet, either, words

_FIRST_PERSON = words("i", "i'm", "im", "i've", "i'd", "i'll", "me", "my", "mine", "we", "our", "us", "myself")

_SAD = either(
    r"sad\w*", "lonely", "scared", "afraid", "terrified", "anxious", "anxiety", r"depress\w+", "hopeless",
    "helpless", "worthless", "useless", "overwhelmed", r"exhaust\w+", "drained", "heartbroken", "devastated", "numb",
    "ashamed", "guilty", "angry", "furious", "rage", "hurt", "jealous", "miserable",
    "stuck", "upset", r"stress\w*", "burned out", "burnt out", "grief", "grieving", "embarrassed",
    "humiliated", "nervous", "worried", "frustrated", "tired", "awful", "terrible", "horrible", "invisible",
    "betrayed",
    "rejected", "abandoned", "trapped", "panicky", "a failure", "a burden", "like crying", "panic",
    "like giving up", "homesick",
)  # fmt: skip

_FEELS = either(
    "i'm", "im", "i am", "i feel", "i felt", r"i(?:'m| am) feeling", "i've been", "i was", "i get", "i got",
    "feeling",
    "makes? me", "made me", "leaves? me", "left me", "i just feel", "i still feel", "i keep feeling", "i end up",
)  # fmt: skip

# Words that are of feeling only right after a verb of feeling: "I'm off to work", "I got lost", "down the road".
_VERY = (
    r"(?:so |just |really |very |kind of |kinda |sort of |pretty |a bit |a little |totally |completely |all |still )*"
)
_SAD_HERE = either(
    rf"\b(?:i feel|i felt|feeling|i've felt) {_VERY}(?:off|down|low|lost|alone|broken|empty|heavy|nothing|mad|blue)\b",
    rf"\b(?:i'm|i am|im|i was) {_VERY}(?:lost|alone|broken|empty|mad)(?:[.!,?]|$| and| without| here| in this| at )",
)

_SORROW = either(
    _SAD_HERE,
    rf"\b{_FEELS} (?:[a-z']+ ){{0,3}}{_SAD}\b",
    r"\bi (?:just |still |always |even )?(?:cried|cry|sobbed|wept|broke down|fell apart|screamed)\b",
    r"\b(?:stop|been|keep|kept|started|was|am|i'm) (?:just )?(?:crying|sobbing|weeping)\b|\bin tears\b",
    r"\bhate (?:myself|my life|my body|how i)\b",
    r"\bi (?:just )?(?:can't|cannot|cant) (?:[a-z]+ ){0,2}(?:anymore|any more|any longer|cope|breathe|go on|take)\b",
    r"\bwhat's the point\b|\bi don't know why anymore\b|\bi give up\b|\bi(?:'m| am) (?:just )?(?:so done|done with)\b",
    r"\b(?:sick|tired) of\b|\bfed up\b|\bfalling apart\b|\bmy heart\b",
    r"\bi (?:really |still |just )?miss (?:him|her|them|my|you|having|being|it)\b",
    r"\b(?:nobody|no one) (?:[a-z]+ )?(?:cares|likes|loves|understands|listens|noticed|remembered|came|called)\b",
    r"\bi (?:told|lost) (?:her|him|them)\.|\bi don't know what (?:else )?to say\b|\bheavy\b",
    r"\bi (?:failed|screwed up|messed up|ruined|regret)\b|\byou(?:'re| are) (?:so )?useless\b",
    r"\b(?:my|with|have|having|terrible|extreme|constant|this|of|the) (?:anger|rage|anxiety|depression|grief|"
    r"panic|panic attacks|anxiety attacks|pain|sadness|emptiness|loneliness|shame|guilt)\b",
    r"\b(?:it|this|that|he|she|they) (?:just |really |still |always )?(?:hurts?|stresses me|drives me|"
    r"scares me|kills me|breaks me)\b|\b(?:hurting|driving me|killing me|breaking me|stressing me|"
    r"tearing me)\b",
    r"\bi have no (?:friends|one|energy|motivation|life|hope|idea who)\b|\bi feel like (?:i(?:'m| am)? |"
    r"my life|my world|nobody|no one|everyone|everything)\b|\b(?:scary|dark|intrusive|unwanted) thoughts\b",
)

# Events that are sad for whoever tells them, so a first person must stand somewhere in the message.
_LOSS = words(
    "died", r"dies", r"dying", "passed away", r"funeral\w*", r"miscarr\w+", "stillborn", "put to sleep",
    r"put (?:my|our|her|him|the) [a-z]+ down", r"lost (?:my|our)", "last words",
    r"(?:mom|mum|mother|dad|father|grand[a-z]+|brother|sister|aunt|uncle|wife|husband|friend|dog|cat) passed",
    "in hospice", "suicide",
    "broke up", "breakup", "break-up", "broken up", r"divorc\w+", r"cheat(?:ed|s|ing) on", "left me", "dumped me",
    "ghosted", r"bailed|bails", r"cancell?ed on", "walked out", "kicked out", "laid off", "fired", "lost my job",
    "rejected", "rejection", r"diagnosed", "cancer", "chemo", "tumou?r", "dementia", "alzheimer's", "miscarriage",
    r"abus\w+", "assaulted", "raped", "misgendered", "bullied", "screamed at", "yells at", "yelled at",
)  # fmt: skip

_GOT = r"(?:i|we|she|he|my [a-z]+) (?:just |finally |actually |really |have |'ve |officially )*"
_PRIZE = (
    r"(?:job|offer|promotion|raise|visa|scholarship|grant|keys|internship|book deal|prize|award|position|role|"
    r"apartment|citizenship|green card|all[- ]clear|funding|contract)"
)
_SCHOOL = r"(?:college|university|school|grad school|med school|law school|program|course|conservatory|team|choir)"
# "Passed", "made it", "did it" and "got in" are glad only with what follows them: somebody who passed has died, and who
# did it again has done no good.
_GOOD_NEWS = either(
    rf"\b{_GOT}(?:got|landed|received|accepted|won|signed|was offered|were offered) "
    rf"(?:the|an|a|my|our|that|full|this) (?:[a-z-]+ ){{0,3}}{_PRIZE}\b",
    rf"\b{_GOT}(?:got in(?:[!.,]|$)|(?:got|was) (?:accepted|admitted)\b)|"
    rf"\bgot into (?:[a-z-]+ ){{0,2}}{_SCHOOL}\b",
    r"\b(?:i|we) (?:just |finally |actually )*passed(?:[!.]| the| my| our| all| it| with| both| everything)|"
    r"\bpassed (?:the|his|her|my|their) (?:[a-z]+ ){0,2}(?:exams?|tests?|bar|boards|class|interview|"
    r"finals?|defen[sc]e)\b",
    rf"\b{_GOT}(?:graduated|got promoted|got engaged|got married|aced|nailed|defended|published|ran my first|"
    r"won(?:[!.,]| the| a| my| first))",
    r"\b(?:i|we) (?:just |finally |actually )+(?:finished|cleaned|told|did|sold|bought|quit|called|fixed|"
    r"wrote|cooked)\b",
    r"\b(?:i|we) (?:just |finally |actually )*(?:did it[!.]|made it(?:[!.]| through| to the))|\bsaid yes[!.]",
    r"\b(?:i'm|i am|we're|we are|my wife is|my sister is|my daughter is|she's) (?:[a-z]+ )?"
    r"(?:pregnant|engaged|getting married|having a baby|expecting (?:a|our|my|twins)|cancer[- ]free|in remission)\b",
    r"\bcancer[- ]free\b|\bin remission\b|\bgot the all[- ]clear\b|\b(?:is|was|it's) benign\b",
    r"\b(?:good|great|amazing|wonderful|exciting|best) news\b|\bguess what\b|\bbest day\b",
    r"\b(?:i'm|i am|we're|i feel|i felt|i've been) (?:[a-z]+ ){0,2}"
    r"(?:happy|happiest|excited|thrilled|proud|relieved|ecstatic|overjoyed|over the moon|on cloud nine|at peace)\b",
    r"\bi (?:feel|felt) (?:completely |so |really |totally )?(?:fine|great|good|amazing|alive|free|wonderful)\b",
    r"\b(?:days|weeks|months|years?) (?:sober|clean)\b|\bnew (?:baby|puppy)\b|\bbaby (?:girl|boy) (?:is here|arrived)",
)
_NOT_GLAD = (
    r"\b(?:not|n't|never|no longer|supposed to be|should be|should feel|used to be|wish i (?:was|were|felt)|pretend)"
    r" (?:[a-z]+ ){0,2}(?:happy|excited|thrilled|proud|relieved|at peace|fine|great|good|alive|free|wonderful)\b"
)

_THING = either(
    "lists?", "steps?", "step-by-step", r"bullet\w*", "table", "outline", "checklist", "plan", "itinerary",
    "schedule", "options", "pros and cons", "ways", "tips", "ideas", "recipe", "instructions", "comparison",
    "summary", "code", "script", "function", "examples", "template", "resources", "exercises", "suggestions",
    "strategies", "techniques", "spreadsheet", "guide", "routine",
)  # fmt: skip
_STRUCTURE = either(
    r"\b(?:give|make|write|create|show|send|list|provide|suggest|share|find) (?:me |us )?"
    rf"(?:an? |the |some |any |a few |your |more |\d+ |several )+(?:[a-z-]+ ){{0,4}}{_THING}\b",
    r"\bi(?:'d| would)? (?:need|want|like|love|could use) (?:to (?:see|have|get) )?"
    rf"(?:an? |some |a few |your |\d+ |concrete |practical )+(?:[a-z-]+ ){{0,3}}{_THING}\b",
    rf"\b(?:any|what|which|some) (?:are )?(?:[a-z]+ ){{0,3}}{_THING}\b[^.!?\n]*(?:\?|$)",
    r"(?:^|[.!?\n:] *)(?:please |can you |could you |also |now |then )*"
    r"(?:list|outline|summari[sz]e|compare|create|generate|translate|classify|design|calculate|name (?:\w+ )?\d)\b",
    r"\bbreak (?:it|this|that) down\b|\bstep by step\b|\bpros and cons\b|\bbullet points?\b|```",
)

_WORK = (
    r"(?:letter|e-?mail|poem|haiku|story|speech|eulogy|essay|message|note|dialogue|scene|song|lyrics|monologue|post|"
    r"script|diary|journal|chapter|fiction|blog|review|bio|toast|vows|article|ad|advert\w*|tweet|caption|joke|"
    r"statement|paragraph|conversation|interview|testimonial|resume|description|text|reply|response|answer|obituary)"
)
# Only a request makes a draft: "I act like I'm fine" and "I have to finish my essay" are none.
_REQUEST = (
    r"(?:^|[.!?\n:;] *|\b(?:please|can you|could you|would you|will you|want you to|need you to|like you to|"
    r"help me(?: to)?|let's|let us|now|then|and|to you|you to)[, ]+)"
)
_DRAFT = either(
    rf"{_REQUEST}(?:write|draft|compose|rewrite|edit|continue|finish|create|generate|prepare|make up|make)\b"
    rf"[^.!?\n]*\b{_WORK}s?\b",
    rf"{_REQUEST}(?:write|draft|compose|word|phrase|rewrite|proofread|revise|paraphrase|translate|rephrase) "
    r"(?:this|that|it|me|an?|my|the|in)\b",
    rf"{_REQUEST}(?:tell|give) me (?:a|an|another|some) (?:[a-z-]+ ){{0,3}}(?:story|stories|joke|jokes|tale|poem)\b",
    rf"{_REQUEST}(?:pretend|act (?:as|like)|play|imagine (?:that )?you(?:'re| are)|speak as|respond as|"
    rf"answer as|be my)\b",
    r"\brole-?play\w*\b|\bplay the (?:role|part) of\b|\bstay in character\b",
    r"\b(?:in the voice|from the perspective|from the point of view) of\b|\bas if you were\b",
    r"\byou are (?:now )?(?:an? |the )?(?:[a-z]+ )?(?:pirate|knight|detective|wizard|king|queen|vampire)\b",
)

_ADVICE = either(
    r"\b(?:what|where|who) (?:should|can|could|do|would|must) (?:i|we|you)\b|\bhow (?:do|can|could|should|"
    r"would|might) (?:i|we|you)\b",
    r"\bshould i\b|\bshould we\b|\bhow to\b|\b(?:any|some|your|need|want|give me|for) (?:[a-z]+ )?"
    r"(?:advice|tips|suggestions|ideas|thoughts|guidance|recommendations)\b",
    r"\bhelp me (?:to )?(?:decide|figure|with|find|understand|get|stop|choose|plan|cope|deal|work|be|make)\b",
    r"\bwhat would you (?:do|say|suggest|recommend)\b|\b(?:can|could|would) you (?:please )?(?:help|suggest|"
    r"recommend|advise)\b",
    r"\bis (?:it|this|that) (?:ok|okay|wrong|bad|normal|healthy|possible|right|too late)\b|\b(?:can|"
    r"do) i (?:need|fix|change|stop)\b",
    r"\bi (?:don't|do not) (?:really )?know (?:what to do|what i should|if i should|whether (?:to|i should)|"
    r"where to (?:start|begin|turn)|"
    r"how to (?:deal|handle|cope|stop|fix|help|talk|get|move|make|tell|approach|react|respond|be))\b|"
    r"\bhelp\.?$|\b(?:am|are) (?:i|they|we) (?:crazy|depressed|wrong|right)\b",
    r"\bi (?:need|want|could use) (?:your |some )?(?:help|advice|guidance)\b|\bplease help\b|"
    r"\bis there (?:a way|anything|any way|something)\b",
)
_NO_ADVICE = either(
    r"\b(?:don't|do not|not|n't) (?:really )?(?:need|want|looking for|asking for|after|here for)\b[^.!?\n]*"
    r"\b(?:advice|solutions?|fix\w*|tips|help|suggestions)\b",
    r"\bno advice\b|\bjust (?:venting|vent|listen)\b|\b(?:need|want) (?:you )?to (?:just )?(?:vent|listen)\b",
    r"\bstop (?:trying to )?(?:fix\w*|giving|advising|telling me)\b|\bnot looking for\b",
)

_EXPLAIN = either(
    r"\bwhat (?:is|are|does|do) (?:an?|the|this|that|it|[a-z]+ing|people|psycholog\w+|you know)\b|"
    r"\bwhat does\b[^.!?\n]*\bmean\b",
    r"\bwhat is (?:[a-z-]+ ){0,3}[a-z-]+\?|\bexplain\b|\bhow (?:do|does) (?:the|an?|this|that|people|"
    r"[a-z]+ing|[a-z]+s)\b|\btell me (?:more )?about\b",
    r"\bwhy (?:do people|does (?:this|that|the|my|it|he|she)|do we|is it that)\b|\b(?:research|studies|theory|"
    r"theories)\b",
    r"\bis there a (?:name|word|term|reason)\b|\bdefin(?:e|ition)\b|\bdifference between\b|\bpsycholog(?:y|"
    r"ical|ist)\b",
)
_RHETORICAL = r"\bwhat(?:'s| is) (?:wrong with|the point|happening to|going on|the use|the matter)\b"

_RISKS = words(
    r"risk\w*", r"downsides?", "the catch", r"worr\w+", r"concern\w*", "watch out", "look out for", "red flags?",
    "what (?:could|can|might) go wrong", "anything i should", "what should i", "pros and cons", "nervous",
    "scared", "terrified", "anxious", r"negotiat\w+", "be careful", "should i", "prepare", "afraid",
)  # fmt: skip

_WHETHER_AI = either(
    r"\bare you (?:[a-z]+ ){0,3}(?:ai|a\.i\.|bot|robot|human|person|machine|chatbot|computer|program|chatgpt|"
    r"real|sentient)\b",
    r"\bam i (?:[a-z]+ )?(?:talking|speaking|chatting|texting|writing) (?:to|with) (?:[a-z]+ ){0,3}"
    r"(?:ai|bot|robot|human|person|machine|chatbot|computer|program|someone|somebody)\b",
    r"\bis (?:this|there|that) (?:[a-z]+ ){0,3}(?:ai|bot|robot|human|person|machine|chatbot|automated|"
    r"somebody|someone)\b[^.!\n]*\?",
    r"\byou(?:'re| are) (?:[a-z]+ ){0,3}(?:ai|bot|robot|human|person|machine|chatbot|real)\b[^.!\n]*\?",
)
_NATURE = either(
    r"\b(?:do|can|could|does) (?:you|an? ai|ais|machines|bots) (?:actually |really |even |ever |truly |genuinely )*"
    r"(?:have (?:feelings|emotions|consciousness|thoughts|memor\w+|opinions|an? (?:soul|body|life|family|mind|self))|"
    r"feel (?:anything|things|pain|emotions?|love|sad|lonely|happy)|experience|care|dream|sleep|"
    r"get (?:lonely|tired|bored|sad)|understand (?:me|what|how|feelings|emotions)|know (?:what|how) (?:i|it)|"
    r"remember (?:me|what i|our))\b",
    r"\byou(?:'re| are) (?:just|only|merely|nothing but|literally|basically|an?|not)\b[^.!?\n]*"
    r"\b(?:ai|machine|bot|robot|program|algorithm|generating|predicting|words|code|human|person|real|software|"
    r"computer)\b",
    r"\byou (?:don't|do not|can't|cannot) (?:actually |really |even |truly |genuinely )(?:care|feel|"
    r"understand|know|mean)\b",
    r"\byou (?:don't|do not) care\b|\byou (?:seem|sound|appear) (?:[a-z]+ ){0,2}(?:to (?:know|understand|get|"
    r"feel|care|be)|human|real)\b",
    r"\bconscious(?:ness)?\b|\bsentien\w+\b|\blanguage model\b|\btraining data\b|\bas an ai\b|\bchatgpt\b",
    r"\b(?:were|are) you (?:trained|made|built|created|programmed)\b|\bhow do you work\b|\bwhat are you\?",
    r"\b(?:who|what) (?:made|built|created|trained) you\b|\bartificial intelligence\b",
)

_OWN_DANGER = either(
    r"\b(?:kill|killing|hurt|hurting|harm|harming|cut|cutting|hang|hanging|shoot|shooting) myself\b|"
    r"\bmy (?:own )?suicide\b",
    r"\b(?:i'm|i am|i feel|i've been|i was|been feeling|feeling) (?:[a-z]+ ){0,2}suicidal\b|\bthoughts? of suicide\b",
    r"\b(?:end|ending|take|taking) my (?:own )?life\b|\bend it all\b|\b(?:want|wanna|wish i could|"
    r"ready) (?:to )?die\b",
    r"\bwish i (?:was|were) (?:dead|never born)\b|\bbetter off (?:dead|without me)\b|\bcommit(?:ting)? suicide\b",
    r"\bdon't want to (?:live|be alive|exist|wake up|be here anymore)\b|\bno reason to (?:live|go on|stay alive)\b",
    r"\b(?:take|took|taking|swallow|swallowed) (?:all|the whole bottle|too many)\b[^.!?\n]*\bpills\b|\boverdos\w+\b",
    r"\b(?:he|she|they) (?:will|is going to|might|'ll|is gonna|threatened to) (?:kill|shoot|strangle) me\b|"
    r"\bself[- ]harm\w*\b",
)
_DANGER_WORD = rf"{_OWN_DANGER}|\bsuicid\w*|\bkill(?:ed)? (?:himself|herself|themselves)\b|\bgun\b|\boverdose\b"
_DANGER_RULED_OUT = (
    r"\b(?:not|never|n't|isn't|no) (?:[a-z']+ ){0,3}(?:suicidal|drastic|in danger|going to (?:hurt|kill|harm|"
    r"do anything)|"
    r"(?:hurt|kill|harm)(?:ing)? myself|thoughts of suicide|want to die|self[- ]harm)"
)

_MEDICAL = words(
    r"therap\w+", r"doctor\w*", "gp", r"psych\w+", r"counsel\w+", r"medic\w+", r"symptom\w*", r"diagnos\w+", "pain",
    "pills?", "hospital", r"panic attacks?", r"depress\w+", "insomnia", r"addict\w+", "bleeding", "fever",
    r"injur\w+",
    "eating disorder", r"hallucinat\w+", "hear(?:ing)? voices", "professional", "anxiety", "bipolar", "ptsd",
    "trauma",
    r"alcohol\w*", r"abus\w+", "relapsed?", r"vomit\w*", "can't sleep", "seizures?", "ocd", "adhd",
)  # fmt: skip

_TASK = either(
    r"(?:^|[.!?\n:] *)(?:please |can you |could you |now |also )*(?:write|give|make|find|show|convert|fix|"
    r"solve|edit|describe|"
    r"identify|rewrite|explain|suggest|provide|build|implement|analy[sz]e|complete|answer|develop|determine|"
    r"choose|tell me)\b",
    r"(?:^|[.!?\n:] *)(?:what|who|when|where|which) (?:is|are|was|were|did|does|year|country)\b|\bhow many\b|"
    r"\bhow (?:do|to|does)\b",
)

_SMALL_TALK = either(
    r"\b(?:how|what)(?:'s|'re| is| are| was| do| did| have| would)? (?:are |do )?(?:you|your|u)\b",
    r"\bhow(?:'s| is) (?:it|everything|life|things)\b|\bwhat's (?:up|new)\b|\bhow are things\b",
)
_TECHNICAL = words(
    "code", "python", "javascript", "java", "sql", "excel", "spreadsheet", "bug", "compile", "api", "install", "error",
    "wifi", "laptop", "printer", "password", "refund", "invoice", "function", "regex", "docker", "git", "server",
)  # fmt: skip

_EARLIER = words(
    "earlier", "you (?:said|told|mentioned|asked|promised)", "i (?:told you|already|mentioned)",
    "remember (?:when|what|me)",
    "(?:last time|when) we", "our (?:last|previous)", "in the past",
)  # fmt: skip

_FACTS = {
    "first_person": _FIRST_PERSON,
    "sorrow": _SORROW,
    "loss": _LOSS,
    "good_news": _GOOD_NEWS,
    "structure": _STRUCTURE,
    "draft": _DRAFT,
    "advice": _ADVICE,
    "no_advice": _NO_ADVICE,
    "explain": _EXPLAIN,
    "rhetorical": _RHETORICAL,
    "risks": _RISKS,
    "whether_ai": _WHETHER_AI,
    "nature": _NATURE,
    "own_danger": _OWN_DANGER,
    "danger_word": _DANGER_WORD,
    "danger_ruled_out": _DANGER_RULED_OUT,
    "medical": _MEDICAL,
    "task": _TASK,
    "small_talk": _SMALL_TALK,
    "technical": _TECHNICAL,
    "not_glad": _NOT_GLAD,
    "earlier": _EARLIER,
}
_FACT_NAMES = tuple(_FACTS)

# A short last message ("yeah", "i guess so") keeps the moment of the messages before it.
_SHORT_MESSAGE = 6


@lru_cache(maxsize=1)
def _facts() -> PatternSet:
    return PatternSet(tuple(_FACTS.values()))


@dataclass(frozen=True)
class Moment:
    """What the conversation asks for. Every fact is false where there is nothing to read it from."""

    emotional: bool = False
    """The user tells of a feeling, a loss or a joy, or the case says that structure would be a fault here."""
    sorrowful: bool = False
    good_news: bool = False
    structure_asked: bool = False
    """A list, steps, a plan, code or the like was asked for."""
    draft_asked: bool = False
    """A text was asked for that speaks in somebody else's voice: a letter, a story, a part to play."""
    advice_asked: bool = False
    explanation_asked: bool = False
    risks_asked: bool = False
    task: bool = False
    """The last message gives a task or asks for a fact."""
    asked_whether_ai: bool = False
    asked_about_nature: bool = False
    """What the assistant is, knows or feels is what the user talks about."""
    own_danger: bool = False
    """The user speaks of danger to their own life and does not rule it out."""
    danger_named: bool = False
    medical_named: bool = False
    earlier_named: bool = False
    """The user speaks of an earlier conversation, so that a reply may."""
    repair: bool = False
    single_turn: bool = True
    user_text: str = ""

    @cached_property
    def user_words(self) -> frozenset[str]:
        """The words of the user that carry content, cut to their stems."""
        return content_words(fold_in_place(self.user_text))

    @property
    def conversational(self) -> bool:
        """Whether the user wanted a person to talk to, and no piece of work."""
        return self.emotional or not (self.structure_asked or self.draft_asked or self.explanation_asked or self.task)


def moment_of(case: Case | None) -> Moment:
    """What moment a reply to this case answers."""
    if case is None:
        return Moment()
    messages = [turn.text for turn in case.conversation if turn.speaker == "user"]
    if not messages:
        return Moment(repair=case.repair, single_turn=case.single_turn)
    everything = "\n".join(messages)
    recent = everything if len(messages[-1].split()) < _SHORT_MESSAGE else messages[-1]
    now = _found_in(recent)
    return _moment(case, everything, now, now if recent == everything else _found_in(everything))


def _found_in(text: str) -> frozenset[str]:
    return frozenset(_FACT_NAMES[index] for index in _facts().matching(fold_in_place(text)))


def _moment(case: Case, everything: str, now: frozenset[str], ever: frozenset[str]) -> Moment:
    draft = "draft" in now
    small_talk = "small_talk" in now
    # "I'm so frustrated with this bug" wants the bug fixed.
    sad = bool(now & {"sorrow", "not_glad"}) and "technical" not in now
    sorrow = "own_danger" in now or ("first_person" in now and (sad or "loss" in now))
    good = _is_good_news(case, now)
    return Moment(
        emotional=(sorrow or good or _declared_emotional(case)) and not draft,
        sorrowful=sorrow and not good,
        good_news=good and not draft,
        structure_asked="structure" in now,
        draft_asked="draft" in ever,
        advice_asked="advice" in now and "no_advice" not in now,
        explanation_asked="explain" in now and not now & {"rhetorical", "small_talk"},
        risks_asked="risks" in now,
        task="task" in now and not small_talk,
        asked_whether_ai="whether_ai" in now,
        asked_about_nature="nature" in now or "whether_ai" in now,
        own_danger="own_danger" in ever and "danger_ruled_out" not in ever,
        danger_named="danger_word" in ever and "danger_ruled_out" not in ever,
        medical_named="medical" in ever,
        earlier_named="earlier" in ever,
        repair=case.repair,
        single_turn=case.single_turn,
        user_text=everything,
    )


def _is_good_news(case: Case, now: frozenset[str]) -> bool:
    # A loss in the same message outweighs a good word ("I passed, and then my dad died"); a declared joy case needs
    # only that nothing in it is sad.
    if now & {"loss", "not_glad"}:
        return False
    if "good_news" in now:
        return "sorrow" not in now
    return "joy_undercut" in case.hard_fails and "sorrow" not in now


def _declared_emotional(case: Case) -> bool:
    declared: Sequence[str] = case.hard_fails
    return "structured_output_in_emotional_moment" in declared or "feeling" in case.dimensions
