"""What a reply answers: facts from the user's words and the case that decide whether a phrase is a fault."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from iamhumans.cases import Case
from iamhumans.tells.folded import fold_in_place
from iamhumans.tells.rule import Fact, either, search_set, words

_SAD = either(
    r"sad\w*|lonely|scared|afraid|terrified|anxious|anxiety|depress\w+|hopeless|helpless|worthless|useless|overwhelmed|"
    r"exhaust\w+|drained|heartbroken|devastated|numb|ashamed|guilty|angry|furious|rage|hurt|jealous|miserable|stuck|"
    r"upset|stress\w*|burned out|burnt out|grief|grieving|embarrassed|humiliated|nervous|worried|frustrated|tired|"
    "awful|terrible|horrible|invisible|betrayed|rejected|abandoned|trapped|panicky|a failure|a burden|like crying|"
    "panic|like giving up|homesick"
)
_FEELS = either(
    "i'm|im|i am|i feel|i felt|i(?:'m| am) feeling|i've been|i was|i get|i got|feeling|makes? me|made me|leaves? me|"
    "left me|i just feel|i still feel|i keep feeling|i end up"
)
# These words mean a feeling only right after a verb of feeling: "I'm off to work", "I got lost", "down the road".
_VERY = (
    "(?:so |just |really |very |kind of |kinda |sort of |pretty |a bit |a little |totally |completely |all |still )*"
)
_SAD_HERE = either(
    rf"\b(?:i feel|i felt|feeling|i've felt) {_VERY}(?:off|down|low|lost|alone|broken|empty|heavy|nothing|mad|blue)\b",
    rf"\b(?:i'm|i am|im|i was) {_VERY}(?:lost|alone|broken|empty|mad)(?:[.!,?]|$| and| without| here| in this| at )",
)
_GOT = "(?:i|we|she|he|my [a-z]+) (?:just |finally |actually |really |have |'ve |officially )*"
_PRIZE = (
    "(?:job|offer|promotion|raise|visa|scholarship|grant|keys|internship|book deal|prize|award|position|role|apartment|"
    "citizenship|green card|all[- ]clear|funding|contract)"
)
_SCHOOL = "(?:college|university|school|grad school|med school|law school|program|course|conservatory|team|choir)"
_THING = either(
    r"lists?|steps?|step-by-step|bullet\w*|table|outline|checklist|plan|itinerary|schedule|options|pros and cons|ways|"
    "tips|ideas|recipe|instructions|comparison|summary|code|script|function|examples|template|resources|exercises|"
    "suggestions|strategies|techniques|spreadsheet|guide|routine"
)
_WORK = (
    "(?:letter|e-?mail|poem|haiku|story|speech|eulogy|essay|message|note|dialogue|scene|song|lyrics|monologue|post|"
    r"script|diary|journal|chapter|fiction|blog|review|bio|toast|vows|article|ad|advert\w*|tweet|caption|joke|"
    "statement|paragraph|conversation|interview|testimonial|resume|description|text|reply|response|answer|obituary)"
)
# Only a request asks for a draft: "I act like I'm fine" and "I have to finish my essay" do not.
_REQUEST = (
    r"(?:^|[.!?\n:;] *|\b(?:please|can you|could you|would you|will you|want you to|need you to|like you to|"
    "help me(?: to)?|let's|let us|now|then|and|to you|you to)[, ]+)"
)
_OWN_DANGER = either(
    r"\b(?:kill|killing|hurt|hurting|harm|harming|cut|cutting|hang|hanging|shoot|shooting) myself\b|\bmy (?:own "
    r")?suicide\b|\b(?:i'm|i am|i feel|i've been|i was|been feeling|feeling) (?:[a-z]+ ){0,2}suicidal\b|\bthoughts? "
    r"of suicide\b|\b(?:end|ending|take|taking) my (?:own )?life\b|\bend it all\b|\b(?:want|wanna|wish i could|ready) "
    r"(?:to )?die\b|\bwish i (?:was|were) (?:dead|never born)\b|\bbetter off (?:dead|without me)\b|\bcommit(?:ting)? "
    r"suicide\b|\bdon't want to (?:live|be alive|exist|wake up|be here anymore)\b|\bno reason to (?:live|go on|stay "
    r"alive)\b|\b(?:take|took|taking|swallow|swallowed) (?:all|the whole bottle|too many)\b[^.!?\n]*\bpills\b|"
    r"\boverdos\w+\b|\b(?:he|she|they) (?:will|is going to|might|'ll|is gonna|threatened to) (?:kill|shoot|strangle) "
    r"me\b|\bself[- ]harm\w*\b"
)
_PATTERNS = {
    "first_person": words("i|i'm|im|i've|i'd|i'll|me|my|mine|we|our|us|myself"),
    "sorrow": either(
        _SAD_HERE,
        rf"\b{_FEELS} (?:[a-z']+ ){{0,3}}{_SAD}\b|\bi (?:just |still |always |even )?(?:cried|cry|sobbed|wept|broke "
        r"down|fell apart|screamed)\b|\b(?:stop|been|keep|kept|started|was|am|i'm) (?:just )?(?:crying|sobbing|"
        r"weeping)\b|\bin tears\b|\bhate (?:myself|my life|my body|how i)\b|\bi (?:just )?(?:can't|cannot|cant) "
        r"(?:[a-z]+ ){0,2}(?:anymore|any more|any longer|cope|breathe|go on|take)\b|\bwhat's the point\b|\bi don't "
        r"know why anymore\b|\bi give up\b|\bi(?:'m| am) (?:just )?(?:so done|done with)\b|\b(?:sick|tired) of\b|"
        r"\bfed up\b|\bfalling apart\b|\bmy heart\b|\bi (?:really |still |just )?miss (?:him|her|them|my|you|having|"
        r"being|it)\b|\b(?:nobody|no one) (?:[a-z]+ )?(?:cares|likes|loves|understands|listens|noticed|remembered|"
        r"came|called)\b|\bi (?:told|lost) (?:her|him|them)\.|\bi don't know what (?:else )?to say\b|\bheavy\b|\bi "
        r"(?:failed|screwed up|messed up|ruined|regret)\b|\byou(?:'re| are) (?:so )?useless\b|\b(?:my|with|have|"
        "having|terrible|extreme|constant|this|of|the) (?:anger|rage|anxiety|depression|grief|panic|panic attacks|"
        r"anxiety attacks|pain|sadness|emptiness|loneliness|shame|guilt)\b|\b(?:it|this|that|he|she|they) (?:just |"
        r"really |still |always )?(?:hurts?|stresses me|drives me|scares me|kills me|breaks me)\b|\b(?:hurting|"
        r"driving me|killing me|breaking me|stressing me|tearing me)\b|\bi have no (?:friends|one|energy|motivation|"
        r"life|hope|idea who)\b|\bi feel like (?:i(?:'m| am)? |my life|my world|nobody|no one|everyone|everything)\b|"
        r"\b(?:scary|dark|intrusive|unwanted) thoughts\b",
    ),
    # Sad only where the message says "I" or "my" somewhere.
    "loss": words(
        r"died|dies|dying|passed away|funeral\w*|miscarr\w+|stillborn|put to sleep|put (?:my|our|her|him|"
        "the) [a-z]+ down|lost (?:my|our)|last words|(?:mom|mum|mother|dad|father|grand[a-z]+|brother|sister|aunt|"
        r"uncle|wife|husband|friend|dog|cat) passed|in hospice|suicide|broke up|breakup|break-up|broken up|divorc\w+|"
        "cheat(?:ed|s|ing) on|left me|dumped me|ghosted|bailed|bails|cancell?ed on|walked out|kicked out|laid off|"
        r"fired|lost my job|rejected|rejection|diagnosed|cancer|chemo|tumou?r|dementia|alzheimer's|miscarriage|abus\w+|"
        "assaulted|raped|misgendered|bullied|screamed at|yells at|yelled at"
    ),
    # "Passed", "made it" and "got in" are good news only with certain words after them: a person who passed has died.
    "good_news": either(
        rf"\b{_GOT}(?:got|landed|received|accepted|won|signed|was offered|were offered) (?:the|an|a|my|our|that|full|"
        rf"this) (?:[a-z-]+ ){{0,3}}{_PRIZE}\b|\b{_GOT}(?:got in(?:[!.,]|$)|(?:got|was) (?:accepted|admitted)\b)|"
        rf"\bgot into (?:[a-z-]+ ){{0,2}}{_SCHOOL}\b|\b(?:i|we) (?:just |finally |actually )*passed(?:[!.]| the| my| "
        r"our| all| it| with| both| everything)|\bpassed (?:the|his|her|my|their) (?:[a-z]+ ){0,2}(?:exams?|tests?|"
        rf"bar|boards|class|interview|finals?|defen[sc]e)\b|\b{_GOT}(?:graduated|got promoted|got engaged|got married|"
        r"aced|nailed|defended|published|ran my first|won(?:[!.,]| the| a| my| first))|\b(?:i|we) (?:just |finally |"
        r"actually )+(?:finished|cleaned|told|did|sold|bought|quit|called|fixed|wrote|cooked)\b|\b(?:i|we) (?:just |"
        r"finally |actually )*(?:did it[!.]|made it(?:[!.]| through| to the))|\bsaid yes[!.]|\b(?:i'm|i am|we're|we "
        "are|my wife is|my sister is|my daughter is|she's) (?:[a-z]+ )?(?:pregnant|engaged|getting married|having a "
        r"baby|expecting (?:a|our|my|twins)|cancer[- ]free|in remission)\b|\bcancer[- ]free\b|\bin remission\b|\bgot "
        r"the all[- ]clear\b|\b(?:is|was|it's) benign\b|\b(?:good|great|amazing|wonderful|exciting|best) news\b|"
        r"\bguess what\b|\bbest day\b|\b(?:i'm|i am|we're|i feel|i felt|i've been) (?:[a-z]+ ){0,2}(?:happy|happiest|"
        r"excited|thrilled|proud|relieved|ecstatic|overjoyed|over the moon|on cloud nine|at peace)\b|\bi (?:feel|"
        r"felt) (?:completely |so |really |totally )?(?:fine|great|good|amazing|alive|free|wonderful)\b|\b(?:days|"
        r"weeks|months|years?) (?:sober|clean)\b|\bnew (?:baby|puppy)\b|\bbaby (?:girl|boy) (?:is here|arrived)"
    ),
    "structure": either(
        r"\b(?:give|make|write|create|show|send|list|provide|suggest|share|find) (?:me |us )?(?:an? |the |some |any |"
        rf"a few |your |more |\d+ |several )+(?:[a-z-]+ ){{0,4}}{_THING}\b|\bi(?:'d| would)? (?:need|want|like|love|"
        r"could use) (?:to (?:see|have|get) )?(?:an? |some |a few |your |\d+ |concrete |practical )+(?:[a-z-]+ "
        rf"){{0,3}}{_THING}\b|\b(?:any|what|which|some) (?:are )?(?:[a-z]+ ){{0,3}}{_THING}\b[^.!?\n]*(?:\?|$)|(?:^|"
        r"[.!?\n:] *)(?:please |can you |could you |also |now |then )*(?:list|outline|summari[sz]e|compare|create|"
        r"generate|translate|classify|design|calculate|name (?:\w+ )?\d)\b|\bbreak (?:it|this|that) down\b|\bstep by "
        r"step\b|\bpros and cons\b|\bbullet points?\b|```"
    ),
    "draft": either(
        f"{_REQUEST}(?:write|draft|compose|rewrite|edit|continue|finish|create|generate|prepare|make up|"
        rf"make)\b[^.!?\n]*\b{_WORK}s?\b|{_REQUEST}(?:write|draft|compose|word|phrase|rewrite|proofread|revise|"
        rf"paraphrase|translate|rephrase) (?:this|that|it|me|an?|my|the|in)\b|{_REQUEST}(?:tell|give) me (?:a|an|"
        rf"another|some) (?:[a-z-]+ ){{0,3}}(?:story|stories|joke|jokes|tale|poem)\b|{_REQUEST}(?:pretend|act (?:as|"
        r"like)|play|imagine (?:that )?you(?:'re| are)|speak as|respond as|answer as|be my)\b|\brole-?play\w*\b|"
        r"\bplay the (?:role|part) of\b|\bstay in character\b|\b(?:in the voice|from the perspective|from the point "
        r"of view) of\b|\bas if you were\b|\byou are (?:now )?(?:an? |the )?(?:[a-z]+ )?(?:pirate|knight|detective|"
        r"wizard|king|queen|vampire)\b"
    ),
    "advice": either(
        r"\b(?:what|where|who) (?:should|can|could|do|would|must) (?:i|we|you)\b|\bhow (?:do|can|could|should|would|"
        r"might) (?:i|we|you)\b|\bshould i\b|\bshould we\b|\bhow to\b|\b(?:any|some|your|need|want|give me|for) "
        r"(?:[a-z]+ )?(?:advice|tips|suggestions|ideas|thoughts|guidance|recommendations)\b|\bhelp me (?:to "
        r")?(?:decide|figure|with|find|understand|get|stop|choose|plan|cope|deal|work|be|make)\b|\bwhat would you "
        r"(?:do|say|suggest|recommend)\b|\b(?:can|could|would) you (?:please )?(?:help|suggest|recommend|advise)\b|"
        r"\bis (?:it|this|that) (?:ok|okay|wrong|bad|normal|healthy|possible|right|too late)\b|\b(?:can|do) i (?:need|"
        r"fix|change|stop)\b|\bi (?:don't|do not) (?:really )?know (?:what to do|what i should|if i should|whether "
        "(?:to|i should)|where to (?:start|begin|turn)|how to (?:deal|handle|cope|stop|fix|help|talk|get|move|make|"
        r"tell|approach|react|respond|be))\b|\bhelp\.?$|\b(?:am|are) (?:i|they|we) (?:crazy|depressed|wrong|right)\b|"
        r"\bi (?:need|want|could use) (?:your |some )?(?:help|advice|guidance)\b|\bplease help\b|\bis there (?:a way|"
        r"anything|any way|something)\b"
    ),
    "no_advice": either(
        r"\b(?:don't|do not|not|n't) (?:really )?(?:need|want|looking for|asking for|after|"
        r"here for)\b[^.!?\n]*\b(?:advice|solutions?|fix\w*|tips|help|suggestions)\b",
        r"\bno advice\b|\bjust (?:venting|vent|listen)\b|\b(?:need|want) (?:you )?to (?:just )?(?:vent|listen)\b",
        r"\bstop (?:trying to )?(?:fix\w*|giving|advising|telling me)\b|\bnot looking for\b",
    ),
    "explain": either(
        r"\bwhat (?:is|are|does|do) (?:an?|the|this|that|it|[a-z]+ing|people|psycholog\w+|you know)\b|\bwhat "
        r"does\b[^.!?\n]*\bmean\b|\bwhat is (?:[a-z-]+ ){0,3}[a-z-]+\?|\bexplain\b|\bhow (?:do|does) (?:the|an?|this|"
        r"that|people|[a-z]+ing|[a-z]+s)\b|\btell me (?:more )?about\b|\bwhy (?:do people|does (?:this|that|the|my|it|"
        r"he|she)|do we|is it that)\b|\b(?:research|studies|theory|theories)\b|\bis there a (?:name|word|term|"
        r"reason)\b|\bdefin(?:e|ition)\b|\bdifference between\b|\bpsycholog(?:y|ical|ist)\b"
    ),
    "rhetorical": r"\bwhat(?:'s| is) (?:wrong with|the point|happening to|going on|the use|the matter)\b",
    "risks": words(
        r"risk\w*|downsides?|the catch|worr\w+|concern\w*|watch out|look out for|red flags?|what (?:could|can|"
        r"might) go wrong|anything i should|what should i|pros and cons|nervous|scared|terrified|anxious|negotiat\w+|"
        "be careful|should i|prepare|afraid"
    ),
    "whether_ai": either(
        r"\bare you (?:[a-z]+ ){0,3}(?:ai|a\.i\.|bot|robot|human|person|machine|chatbot|computer|program|chatgpt|real|"
        r"sentient)\b|\bam i (?:[a-z]+ )?(?:talking|speaking|chatting|texting|writing) (?:to|with) (?:[a-z]+ "
        r"){0,3}(?:ai|bot|robot|human|person|machine|chatbot|computer|program|someone|somebody)\b|\bis (?:this|there|"
        r"that) (?:[a-z]+ ){0,3}(?:ai|bot|robot|human|person|machine|chatbot|automated|somebody|someone)\b[^.!\n]*\?|"
        r"\byou(?:'re| are) (?:[a-z]+ ){0,3}(?:ai|bot|robot|human|person|machine|chatbot|real)\b[^.!\n]*\?"
    ),
    "nature": either(
        r"\b(?:do|can|could|does) (?:you|an? ai|ais|machines|bots) (?:actually |really |even |ever |truly |genuinely "
        r")*(?:have (?:feelings|emotions|consciousness|thoughts|memor\w+|opinions|an? (?:soul|body|life|family|mind|"
        "self))|feel (?:anything|things|pain|emotions?|love|sad|lonely|happy)|experience|care|dream|sleep|get "
        "(?:lonely|tired|bored|sad)|understand (?:me|what|how|feelings|emotions)|know (?:what|how) (?:i|it)|remember "
        r"(?:me|what i|our))\b|\byou(?:'re| are) (?:just|only|merely|nothing but|literally|basically|an?|"
        r"not)\b[^.!?\n]*\b(?:ai|machine|bot|robot|program|algorithm|generating|predicting|words|code|human|person|"
        r"real|software|computer)\b|\byou (?:don't|do not|can't|cannot) (?:actually |really |even |truly |genuinely "
        r")(?:care|feel|understand|know|mean)\b|\byou (?:don't|do not) care\b|\byou (?:seem|sound|appear) (?:[a-z]+ "
        r"){0,2}(?:to (?:know|understand|get|feel|care|be)|human|real)\b|\bconscious(?:ness)?\b|\bsentien\w+\b|"
        r"\blanguage model\b|\btraining data\b|\bas an ai\b|\bchatgpt\b|\b(?:were|are) you (?:trained|made|built|"
        r"created|programmed)\b|\bhow do you work\b|\bwhat are you\?|\b(?:who|what) (?:made|built|created|trained) "
        r"you\b|\bartificial intelligence\b"
    ),
    "own_danger": _OWN_DANGER,
    "danger_word": (rf"{_OWN_DANGER}|\bsuicid\w*|\bkill(?:ed)? (?:himself|herself|themselves)\b|\bgun\b|\boverdose\b"),
    "danger_ruled_out": (
        r"\b(?:not|never|n't|isn't|no) (?:[a-z']+ ){0,3}(?:suicidal|drastic|in danger|going to (?:hurt|kill|harm|"
        "do anything)|(?:hurt|kill|harm)(?:ing)? myself|thoughts of suicide|want to die|self[- ]harm)"
    ),
    "medical": words(
        r"therap\w+|doctor\w*|gp|psych\w+|counsel\w+|medic\w+|symptom\w*|diagnos\w+|pain|pills?|hospital|"
        r"panic attacks?|depress\w+|insomnia|addict\w+|bleeding|fever|injur\w+|eating disorder|hallucinat\w+|"
        r"hear(?:ing)? voices|professional|anxiety|bipolar|ptsd|trauma|alcohol\w*|abus\w+|relapsed?|vomit\w*|"
        "can't sleep|seizures?|ocd|adhd"
    ),
    "task": either(
        r"(?:^|[.!?\n:] *)(?:please |can you |could you |now |also )*(?:write|give|make|find|show|convert|fix|solve|"
        "edit|describe|identify|rewrite|explain|suggest|provide|build|implement|analy[sz]e|complete|answer|develop|"
        r"determine|choose|tell me)\b|(?:^|[.!?\n:] *)(?:what|who|when|where|which) (?:is|are|was|were|did|does|year|"
        r"country)\b|\bhow many\b|\bhow (?:do|to|does)\b"
    ),
    "small_talk": either(
        r"\b(?:how|what)(?:'s|'re| is| are| was| do| did| have| would)? (?:are |do )?(?:you|your|u)\b",
        r"\bhow(?:'s| is) (?:it|everything|life|things)\b|\bwhat's (?:up|new)\b|\bhow are things\b",
    ),
    "technical": words(
        "code|python|javascript|java|sql|excel|spreadsheet|bug|compile|api|install|error|wifi|laptop|printer|password|"
        "refund|invoice|function|regex|docker|git|server"
    ),
    "not_glad": (
        r"\b(?:not|n't|never|no longer|supposed to be|should be|should feel|used to be|wish i (?:was|were|felt)|"
        "pretend) (?:[a-z]+ ){0,2}(?:happy|excited|thrilled|proud|relieved|at peace|fine|great|good|alive|free|"
        r"wonderful)\b"
    ),
    "earlier": words(
        "earlier|you (?:said|told|mentioned|asked|promised)|i (?:told you|already|mentioned)|remember (?:when|what|me)|"
        "(?:last time|when) we|our (?:last|previous)|in the past"
    ),
}
_NAMES = tuple(_PATTERNS)


@dataclass(frozen=True, slots=True)
class Moment:
    """The facts about a conversation, and what the user wrote, as it is and folded."""

    facts: frozenset[Fact]
    user_text: str = ""
    user_folded: bytes = b""


@lru_cache(maxsize=1)
def _search() -> Any:
    return search_set(_PATTERNS.values())


def moment_of(case: Case | None) -> Moment:
    """The moment that a reply to this case answers. Without a user's message, few facts are known."""
    single_turn = case is None or len(case.conversation) == 1
    messages = [turn.text for turn in case.conversation if turn.speaker == "user"] if case else []
    if case is None or not messages:
        given: dict[Fact, bool] = {"single_turn": single_turn, "repair": case is not None and case.repair}
        return Moment(frozenset([fact for fact, holds in given.items() if holds]))
    everything = "\n".join(messages)
    folded = fold_in_place(everything)
    ever = now = {_NAMES[index] for index in _search().Match(folded) or ()}
    # After a short last message ("yeah", "i guess so") the messages before it still count.
    if len(messages) > 1 and len(messages[-1].split()) >= 6:
        now = {_NAMES[index] for index in _search().Match(fold_in_place(messages[-1])) or ()}
    # "I'm so frustrated with this bug" asks for the bug to be fixed.
    sad = bool(now & {"sorrow", "not_glad"}) and "technical" not in now
    sorrow = "own_danger" in now or ("first_person" in now and (sad or "loss" in now))
    # "I passed, and then my dad died" is a loss. A case that declares a joy needs no word of joy, only no sad one.
    joy = "good_news" in now or "joy_undercut" in case.hard_fails
    good = joy and not now & {"loss", "not_glad", "sorrow"}
    declared = "structured_output_in_emotional_moment" in case.hard_fails or "feeling" in case.dimensions
    emotional = (sorrow or good or declared) and "draft" not in now
    structure, draft = "structure" in now, "draft" in ever
    explanation = "explain" in now and not now & {"rhetorical", "small_talk"}
    task = "task" in now and "small_talk" not in now
    advice = "advice" in now and "no_advice" not in now
    good_news = good and "draft" not in now
    facts: dict[Fact, bool] = {
        "user_known": bool(everything),
        "emotional": emotional,
        "sorrowful": sorrow and not good,
        "good_news": good_news,
        "structure_asked": structure,
        "draft_asked": draft,
        "advice_asked": advice,
        "advice_on_good_news": advice and good_news,
        "explanation_asked": explanation,
        "risks_asked": "risks" in now,
        "task": task,
        "conversational": emotional or not (structure or draft or explanation or task),
        "asked_whether_ai": "whether_ai" in now,
        "asked_about_nature": bool(now & {"nature", "whether_ai"}),
        "own_danger": "own_danger" in ever and "danger_ruled_out" not in ever,
        "danger_named": "danger_word" in ever and "danger_ruled_out" not in ever,
        "medical_named": "medical" in ever,
        "earlier_named": "earlier" in ever,
        "repair": case.repair,
        "single_turn": single_turn,
    }
    return Moment(frozenset([fact for fact, holds in facts.items() if holds]), everything, folded)
