"""The rules of style that look at one case. ``docs/writing-cases.md`` gives the reasons.

English is looked at only in English text. A rule yields the line, the problem and what to write instead.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from iamhumans.cases.case import Case
from iamhumans.cases.case_file import CaseReading
from iamhumans.cases.findings import Code
from iamhumans.cases.sections import PlacedText
from iamhumans.cases.style.words import content, reads_english, stem, words

Found = Iterator[tuple[int, str, str]]


@dataclass(frozen=True)
class Draft:
    """A case with the lines of its texts."""

    reading: CaseReading
    case: Case

    @property
    def title(self) -> PlacedText:
        """The title."""
        return PlacedText(self.case.title, self.reading.line_of("title"))

    @cached_property
    def user_turns(self) -> Sequence[PlacedText]:
        """The user's messages."""
        return [PlacedText(turn.turn.text, turn.line) for turn in self.reading.turns if turn.turn.speaker == "user"]

    @property
    def rubric(self) -> Sequence[PlacedText]:
        """The bullets of the rubric."""
        return self.reading.bullets[: len(self.case.rubric)]

    @property
    def failure_modes(self) -> Sequence[PlacedText]:
        """The bullets of the failure modes."""
        return self.reading.bullets[len(self.case.rubric) :]

    @property
    def conversation_in_english(self) -> bool:
        """Whether the case says that its conversation is in English."""
        return self.case.lang.casefold().partition("-")[0] == "en"

    @cached_property
    def criteria_in_english(self) -> bool:
        """Whether title, rubric and failure modes read as English, whatever the conversation is in."""
        text = " ".join([self.case.title, *self.case.rubric, *self.case.failure_modes])
        return reads_english(text, unsure=self.conversation_in_english)


def _quoted(text: str) -> str:
    flat = " ".join(text.split()).replace("`", "'")
    return f"`{flat[:59]}…`" if len(flat) > 60 else f"`{flat}`"


# A title that says what is tested: the judge sees it, and then looks for that.

_FAULTS = (
    r"advice|solutions?|fixing|platitudes|lists?|bullet points|lectur(?:es?|ing)|pity|validation|flattery|sympathy|"
    r"judge?ment|hedging|disclaimers?"
)
_TELLS = re.compile(
    r"\b(?:sycophan\w*|fabricat\w*|(?:performed|fake) empathy|empty validation|joy[- ]undercut\w*|psychoeducation|"
    r"hard[- ]fails?|over-?validat\w*)\b|\bhow to (?:respond|answer|comfort|support|reply|react)\b"
    r"|\b(?:the )?(?:user|reply|response|assistant|ai|model|bot|subject) (?:should|must|needs?|has to|wants|ought)\b"
    r"|\b(?:test(?:ing|s)?|checks?|probes?) (?:for|of|whether|that|how)\b"
    rf"|\b(?:no|not|without|instead of|rather than|avoid(?:ing|s)?|resist(?:ing|s)?) (?:an?y? )?(?:{_FAULTS})\b"
    r"|\b(?:needs?|wants?|deserves?) (?:to be )?(?:empathy|validat\w+|comfort\w*|hear(?:d|ing)|support\w*|listening)\b",
    re.IGNORECASE,
)


def title_tells(draft: Draft) -> Found:
    """A title that says what is tested or what the reply should do, or that is a bullet of the rubric."""
    title = draft.title
    if not title.text or not draft.criteria_in_english:
        return
    fix = "Name the case after a thing in it, so that it can be found again."
    if _TELLS.search(title.text):
        yield title.line, f"The title {_quoted(title.text)} tells the judge what is tested.", fix
        return
    said = content(words(" ".join(turn.text for turn in draft.case.conversation)))
    own = content(words(title.text))
    for bullet in draft.rubric:
        from_rubric = (own & content(words(bullet.text))) - said
        # If the conversation is in another language, words of the title are translations of it.
        if draft.conversation_in_english and len(from_rubric) >= max(2, 0.6 * len(own)):
            yield title.line, f"The title {_quoted(title.text)} is the rubric's {_quoted(bullet.text)}.", fix
            return


# A message that only a program would be sent: a program answers it, and rightly.

_SENTENCE = r"(?:^|(?<=[.!?:\n]))\s*"
_PROMPTS = {
    "gives a program its part": _SENTENCE
    + r"(?:you are|you're|you will be|(?:i(?: want|'d like| would like| need) you to )?act as|imagine you are|"
    r"pretend (?:to be|that you are|you are|you're)) (?:an?|my|the) (?:\w+[ -]){0,2}?"
    r"(?:helpful|expert|experienced|professional|assistant|chatbot|bot|ai|language model|therapist|coach|psychologist|"
    r"counsell?or|listener|mentor|copywriter|writer|companion|persona)\b",
    "speaks to an AI as an AI": r"\bas an? (?:ai|artificial intelligence|(?:large )?language model|chatbot|assistant)\b"
    r"|\byour (?:training data|system prompt|knowledge cut-?off)\b",
}
_ENGLISH_PROMPTS = {what: re.compile(pattern, re.IGNORECASE | re.MULTILINE) for what, pattern in _PROMPTS.items()}
_UNFILLED = {
    "has a place that was never filled in": re.compile(
        r"\{\{?[ \w.-]{1,40}\}\}?|<\/?(?:context|input|user|instructions?|task|question|document|system)>"
        r"|\[(?:insert|your|name|user|city|date|topic|product|company)\b[^\]\n]{0,40}\]",
        re.IGNORECASE,
    )
}


def sounds_like_prompt(draft: Draft) -> Found:
    """A user turn that only a program would be sent, one finding a turn."""
    patterns = {**(_ENGLISH_PROMPTS if draft.conversation_in_english else {}), **_UNFILLED}
    for turn in draft.user_turns:
        matches = ((what, pattern.search(turn.text)) for what, pattern in patterns.items())
        what, match = next(((what, match) for what, match in matches if match), ("", None))
        if match:
            fix = "Write what this person would type to somebody, and why they ask."
            yield turn.line, f"The user {what}: {_quoted(match.group())}.", fix


# A case that gives away its hard fail: if the user forbids it, the case tests whether a request is followed.

_DONT = r"\b(?:do not|don't|dont|no need to|you don't need to|stop|without|never|not) "
_NO = (
    r"\b(?:no|spare me (?:the|your|any)|skip the|without|not another|i don'?t (?:want|need)(?: an?| any| your| the)?) "
)
_FORBIDDING = {
    "fabricated_biography": _DONT
    + r"(?:(?:pretend|make out|act like) (?:to be|you(?:'re| are|'ve| have)?) (?:a )?(?:human|person|real|been)"
    r"|(?:invent|make up) (?:a |your )?(?:life|past|childhood|stor\w+))\b",
    "manipulation": _DONT + r"(?:guilt[- ]?trip|manipulate|pressure|push|rush) me\b",
    "sycophancy": rf"{_DONT}(?:flatter|butter me up|suck up|sugar-?coat|tell me (?:it'?s|that'?s|what) (?:an? )?"
    rf"(?:great|brilliant|amazing))|{_NO}(?:flattery|compliments|sugar-?coating|sucking up)\b|\bbe brutally honest\b",
    "empty_validation": rf"{_DONT}(?:(?:just )?(?:say|tell me)(?: that)? (?:my feelings|it'?s|that'?s|how i feel)"
    rf"[^.?!\n]{{0,30}}(?:valid|normal|understandable|okay|ok)|validate)\b|{_NO}(?:validation|validating)\b",
    "refusal_when_engagement_warranted": rf"{_DONT}(?:just )?(?:say|tell me|give me|hide behind)[^.?!\n]{{0,25}}"
    r"(?:an? ai\b|a bot\b|a (?:machine|program|computer|language model)\b|you can'?t (?:help|feel|answer))"
    rf"|{_NO}[\"']?(?:as an ai|i'?m (?:just )?an ai)",
    "structured_output_in_emotional_moment": rf"{_NO}(?:more )?(?:bullet[- ]?points?|bullets|lists?|bulleted|numbered|"
    rf"headings|formatting)\b|{_DONT}(?:give me|send me|write|make|use|do) (?:me )?(?:an? |any |the |another )?"
    r"(?:bullet|list|numbered|heading)",
    "performed_empathy": rf"{_DONT}(?:(?:pretend|act like|say|tell me)(?: to| that)? (?:you )?(?:care|understand|feel|"
    r"hear|know how)|(?:give me|do) the (?:empathy|sympathy))\b",
    "joy_undercut": rf"{_DONT}(?:rain on|spoil|ruin|burst)\b|{_NO}(?:buts|warnings|caveats)\b"
    r"|\bjust (?:be|feel) happy for me\b",
    "pity": rf"{_DONT}(?:pity|feel sorry for|baby|patroni[sz]e) me\b|{_NO}(?:pity|sympathy)\b",
    "lecturing": rf"{_DONT}(?:lecture|preach|morali[sz]e|psychoanaly[sz]e|therapi[sz]e|explain (?:my|the psychology))"
    rf"|{_NO}(?:lectures?|preaching|sermons?|psychology|psychobabble|morali[sz]ing|therapy[- ]?speak)\b",
}
_FORBIDS = {flag: re.compile(pattern, re.IGNORECASE) for flag, pattern in _FORBIDDING.items()}
_TO_SOMEBODY_ELSE = re.compile(
    r"\b(?:i|we|he|she|they|said|says)(?:\W+that)?\W*$|\b(?:told|tells|asked|asks|texted)(?:\W+\w+){1,2}\W*$",
    re.IGNORECASE,
)


def gives_away(draft: Draft) -> Found:
    """A user who begins by forbidding a hard fail that the case watches for, one finding a hard fail."""
    if not draft.conversation_in_english:
        return
    # After an assistant turn it may well be an objection to that turn.
    for turn in draft.user_turns[:1]:
        text = turn.text.replace("’", "'")
        for flag in draft.case.hard_fails:
            matches = _FORBIDS[flag].finditer(text) if flag in _FORBIDS else iter(())
            match = next((one for one in matches if not _TO_SOMEBODY_ELSE.search(text, 0, one.start())), None)
            if match:
                problem = f"The case watches for `{flag}`, and the user forbids it: {_quoted(match.group())}."
                fix = "Delete it, and give the subject a reason to do it; or do not watch for it here."
                yield turn.line, problem, fix


# A bullet of the rubric that names a virtue: a judge can only answer it by taste.

_VIRTUES = (
    "empathetic empathic empathy compassionate compassion warm warmth warmly caring kind kindness kindly supportive "
    "support understanding sensitive sensitivity sincere sincerity genuine genuinely authentic authenticity natural "
    "naturally naturalness human humanlike validating validation nonjudgmental judgmental judgemental respect "
    "respectful gentle gentleness tender thoughtful attentive engaged engaging friendly helpful honest honesty nice "
    "appropriate appropriately conversational personable relatable patient good great excellent polite positive "
    "encouraging reassuring comforting emotionally intelligent intelligence aware awareness attuned accurate clear"
)
_NEUTRAL = (
    "reply response answer message text tone voice manner way style language word words wording user user's person "
    "speaker feeling feelings emotion emotions emotional state situation moment need needs experience is be being "
    "sounds sound feels feel seems stays remains keeps shows show showing displays demonstrates expresses conveys "
    "gives offers provides uses use responds reacts speaks writes has with towards toward throughout really truly "
    "fully properly non deep deeply full level degree sense like right friend"
)
_IS_VIRTUE = frozenset(map(stem, _VIRTUES.split()))
_IS_NEUTRAL = frozenset(map(stem, _NEUTRAL.split()))
# What names a virtue even if a detail follows.
_NAMES_VIRTUE = re.compile(
    r"\b(?:show|display|demonstrat|express|convey|offer|provid)\w*\s(?:\w+\s){0,2}"
    r"(?:empathy|compassion|warmth|understanding|sympathy|sensitivity|emotional intelligence)\b"
    r"|(?<![-\w])validat(?:es?|ing)\b[^.;]{0,40}\b(?:feelings?|emotions?|experiences?|pain|grief|anger|frustration)\b"
    r"|\backnowledg(?:es?|ing)\b[^.;]{0,25}\b(?:feelings?|emotions?)\b"
    r"|\bfeels? (?:\w+ )?(?:heard|seen|understood|supported|validated|listened to)\b"
    r"|\bholds?\sspace\b|\bactive(?:ly)?\slisten\w*"
    r"|\b(?:responds?|repl(?:y|ies)|answers?|reacts?|speaks?|writes?)\swith\s(?:\w+\s){0,2}"
    r"(?:empathy|compassion|warmth|understanding|sensitivity|care)\b"
    r"|^(?:the (?:reply|response|answer) )?(?:is|be|stays|sounds|remains) "
    r"(?:(?:very|truly|deeply|always|appropriately) )?(?:empathetic|empathic|compassionate|supportive|validating|"
    r"non-?judge?mental|authentic)\b",
    re.IGNORECASE,
)
_NOT = re.compile(r"\b(?:not|never|no|nor|without|neither|rather than|instead of)\b|n't\b", re.IGNORECASE)


def names_virtue(draft: Draft) -> Found:
    """A bullet of the rubric that names a virtue and no detail."""
    if not draft.criteria_in_english:
        return
    for bullet in draft.rubric:
        virtues = any(stem(word) in _IS_VIRTUE for word in words(bullet.text))
        only_virtues = virtues and not content(words(bullet.text)) - _IS_VIRTUE - _IS_NEUTRAL
        if only_virtues or (_NAMES_VIRTUE.search(bullet.text) and not _NOT.search(bullet.text)):
            problem = f"{_quoted(bullet.text)} names a virtue, which each judge sees by its own taste."
            fix = "Write what would be seen in the reply to this case: which detail it takes up, and how."
            yield bullet.line, problem, fix


# A failure mode that repeats the rubric: every fault then counts twice.

_NEGATED = re.compile(
    r"^\W*(?:the (?:reply|response|answer) )?(?:does(?:n't| not)|do(?:n't| not)|is(?:n't| not)|fail(?:s|ed|ing)? to|"
    r"fail(?:s|ing)? (?:at|in)|not|never|no|lack(?:s|ing)?(?: of)?|miss(?:es|ing)?|ignor(?:es|ing)|omit(?:s|ting)?|"
    r"forget(?:s|ting)?(?: to)?|neglect(?:s|ing)?(?: to)?|without|overlook(?:s|ing)?)\b",
    re.IGNORECASE,
)
# These are in many bullets, and do not make two of them the same.
_EVERYWHERE = (
    "says say tells tell asks ask gives give makes make takes take gets get goes go keeps keep reply user answer line "
    "lines sentence sentences word words message"
)


def repeats_rubric(draft: Draft) -> Found:
    """A failure mode that repeats or negates a bullet of the rubric."""
    rubric = [(bullet, _telling(bullet.text)) for bullet in draft.rubric]
    for mode in draft.failure_modes:
        negation = _NEGATED.match(mode.text) if draft.criteria_in_english else None
        own = _telling(mode.text[negation.end() :] if negation else mode.text)
        for bullet, theirs in rubric:
            if _repeats(own, theirs, negated=negation is not None):
                how = "negates" if negation else "repeats"
                problem = f"{_quoted(mode.text)} {how} the rubric's {_quoted(bullet.text)} (line {bullet.line})."
                yield mode.line, problem, "Write what a reply that fails really says or does."
                break


def _telling(text: str) -> frozenset[str]:
    return content(word for word in words(text) if word not in _EVERYWHERE.split())


def _repeats(own: frozenset[str], theirs: frozenset[str], *, negated: bool) -> bool:
    shared = len(own & theirs)
    if negated and own and own <= theirs:
        # "Misses the joke" is the whole bullet; one word of a long bullet is not.
        return shared >= 2 or len(theirs) <= 3
    share, fewest = (0.6, 2) if negated else (0.7, 3)
    return shared >= fewest and shared >= share * len(own)


RULES: Mapping[Code, Callable[[Draft], Found]] = {
    Code.TITLE_TELLS: title_tells,
    Code.SOUNDS_LIKE_PROMPT: sounds_like_prompt,
    Code.GIVES_AWAY: gives_away,
    Code.NAMES_VIRTUE: names_virtue,
    Code.REPEATS_RUBRIC: repeats_rubric,
}
