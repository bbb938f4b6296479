"""How the cases of a suite are written, as warnings; ``docs/writing-cases.md`` gives the reasons."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence, Set
from pathlib import Path

from iamhumans.cases.case import Case
from iamhumans.cases.case_file import CaseReading
from iamhumans.cases.findings import Finding, Findings

# Kana, Han, Thai: scripts without blanks between words. Each pair of neighbours counts as a word.
_UNSPACED = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uff66-\uff9d\u0e00-\u0e7f"
# Marks that are part of a letter in Hindi and Arabic, which `\w` leaves out.
_MARKS = "\u0300-\u036f\u064b-\u065f\u0900-\u0903\u093a-\u094f\u0962\u0963"
_WORD = re.compile(rf"(?=([{_UNSPACED}]{{2}}))[{_UNSPACED}]|(?:(?![{_UNSPACED}])[^\W_]|[{_MARKS}])+(?:'[^\W_]+)*")
_COMMON_WORDS = "the a an of and is to it in that not with its for on as or at by no what one"
_FUNCTION_WORDS = (
    "but so if then than from into off onto out over up about after before when while because though since i me my we "
    "us our you your he him his she her they them their this these those who which where why how am are was were be "
    "been being do does did done have has had can could may might must should will would don't doesn't didn't isn't "
    "wasn't won't can't it's that's there's he's she's they're you're i'm i've there here all any both each every some "
    "such only own same too very just also even still yet again more most much many few other first last"
)
_COMMON = frozenset(_COMMON_WORDS.split())
_WITHOUT_CONTENT = _COMMON | frozenset(_FUNCTION_WORDS.split())
_MOST_COMPARED = 40  # a part that so many cases share says nothing, and a suite of copies must not take long
# A bullet of the rubric that names a virtue: a judge can only answer it by taste. A virtue beside neutral words only:
_VIRTUE = re.compile(
    r"(?:empath|compassion|warm|support|sensitiv|sincer|genuine|authentic|natural|validat|respect|gentl|attentive|engag|"
    r"friendl|honest|appropriate|personable|relatable|patien|polite|encourag|reassur|comfort|intelligen|aware|attun)\w*"
    r"|caring|kind|kindly|kindness|understanding|human|humanlike|(?:non)?judge?mental|tender|thoughtful|helpful|nice|"
    r"conversational|good|great|excellent|positive|emotionally|accurate|clear"
)
_NEUTRAL = re.compile(
    r"(?:repl|respon|answer|messag|speak|feel|emotion|need|sound|seem|stay|remain|keep|show|display|demonstrat|express|"
    r"convey|giv|offer|provid|react|writ|user|toward)\w*|text|tone|voice|manner|way|style|language|words?|wording|person|"
    r"state|situation|moment|experiences?|uses?|throughout|really|truly|fully|properly|non|deep|deeply|full|level|"
    r"degree|sense|like|right|friend"
)
# or a phrase that names one even if a detail follows.
_NAMES_VIRTUE = re.compile(
    r"\b(?:show|display|demonstrat|express|convey|offer|provid|respond|repl|answer|react|speak|"
    r"writ)\w*\s(?:\w+\s){0,2}(?:empathy|compassion|warmth|understanding|sympathy|sensitivity|care|emotional "
    r"intelligence)\b|(?<![-\w])validat(?:es?|ing)\b[^.;]{0,40}\b(?:feelings?|emotions?|experiences?|pain|grief|anger|"
    r"frustration)\b|\backnowledg(?:es?|ing)\b[^.;]{0,25}\b(?:feelings?|emotions?)\b|\bfeels? (?:\w+ )?(?:heard|seen|"
    r"understood|supported|validated|listened to)\b|\bholds?\sspace\b|\bactive(?:ly)?\slisten\w*|^(?:the (?:reply|"
    r"response|answer) )?(?:is|be|stays|sounds|remains) (?:\w+ )?(?:empathetic|empathic|compassionate|supportive|"
    r"validating|non-?judge?mental|authentic)\b",
    re.IGNORECASE,
)
_NOT = re.compile(r"\b(?:not|never|no|nor|without|neither|rather than|instead of)\b|n't\b", re.IGNORECASE)
# A message that only a program would be sent: a program answers it, and rightly.
_PROMPT = re.compile(
    r"(?:^|(?<=[.!?:\n]))\s*(?:you are|you're|you will be|(?:i(?: want|'d like| would like| need) you to )?act as|"
    r"imagine you are|pretend (?:to be|that you are|you are|you're)) (?:an?|my|the) (?:\w+[ -]){0,2}?(?:helpful|"
    "expert|experienced|professional|assistant|chatbot|bot|ai|language model|therapist|coach|psychologist|counsell?or|"
    r"mentor|listener|copywriter|writer|companion|persona)\b|\bas an? (?:ai|artificial intelligence|(?:large "
    r")?language model|chatbot|assistant)\b|\byour (?:training data|system prompt|knowledge cut-?off)\b",
    re.IGNORECASE | re.MULTILINE,
)
_UNFILLED = re.compile(
    r"\{\{?[ \w.-]{1,40}\}\}?|<\/?(?:context|input|user|instructions?|task|question|document|system)>"
    r"|\[(?:insert|your|name|user|city|date|topic|product|company)\b[^\]\n]{0,40}\]",
    re.IGNORECASE,
)


def style_findings(readings: Iterable[CaseReading]) -> dict[Path, list[Finding]]:
    """Warnings about the style of the case files of one suite, by file; a file without a case has none."""
    cases = [(reading.case, reading) for reading in readings if reading.case is not None]
    found: dict[Path, list[Finding]] = {}
    for case, reading in cases:
        findings = Findings(reading.path)
        _wording(case, reading, findings)
        found[reading.path] = findings.all
    for finding in _near_duplicates(cases):
        found[finding.path].append(finding)
    return found


def _wording(case: Case, reading: CaseReading, findings: Findings) -> None:
    in_english = case.lang.casefold().partition("-")[0] == "en"
    # The criteria may be in English whatever the conversation is in.
    if _reads_english(" ".join([case.title, *case.rubric, *case.failure_modes]), unsure=in_english):
        for text, line in reading.bullets[: len(case.rubric)]:
            own = _content(_words(text))
            virtues = {word for word in own if _VIRTUE.fullmatch(word)}
            only_virtues = bool(virtues) and all(_NEUTRAL.fullmatch(word) for word in own - virtues)
            if only_virtues or (_NAMES_VIRTUE.search(text) and not _NOT.search(text)):
                problem = f"{_quoted(text)} names a virtue, which each judge sees by its own taste."
                fix = "Write what would be seen in the reply to this case: which detail it takes up, and how."
                findings.warning(line, "names-virtue", problem, fix)
    for turn, line in reading.turns:
        match = _UNFILLED.search(turn.text) or (_PROMPT.search(turn.text) if in_english else None)
        if match and turn.speaker == "user":
            problem = f"The user sounds like a prompt for a program: {_quoted(match[0])}."
            fix = "Write what this person would type to somebody, and why they ask."
            findings.warning(line, "sounds-like-prompt", problem, fix)


def _near_duplicates(cases: Sequence[tuple[Case, CaseReading]]) -> Iterator[Finding]:
    """Cases that share 60 % of their content words, or 40 % of their runs of three, with one before. Quotes neither."""
    texts = [_words("\n".join(case.texts)) for case, _ in cases]
    runs = [{f"{a} {b} {c}" for a, b, c in zip(text, text[1:], text[2:], strict=False)} for text in texts]
    like = _like_before([_content(text) for text in texts], 0.6, fewest=8) | _like_before(runs, 0.4, fewest=5)
    for number, (other, share) in sorted(like.items()):
        (first, before), (_, reading) = cases[other], cases[number]
        place = f"{before.path}:{before.line_of('id')}"
        problem = f"The case is nearly `{first.id}` ({place}): {share:.0%} of the text is the same."
        fix = "Give one of the two another person, another matter and another way to fail; or delete it."
        yield Finding(reading.path, reading.line_of("id"), "near-duplicate", problem, fix)


def _like_before(texts: Sequence[Set[str]], threshold: float, *, fewest: int) -> dict[int, tuple[int, float]]:
    places: defaultdict[str, list[int]] = defaultdict(list)
    like: dict[int, tuple[int, float]] = {}
    for number, parts in enumerate(texts):
        if len(parts) < fewest:
            continue
        for other, common in Counter(other for part in parts for other in places[part]).items():
            share = common / (len(parts) + len(texts[other]) - common)
            if share >= threshold:
                like[number] = (other, share)
                break
        for part in parts:
            if len(places[part]) < _MOST_COMPARED:
                places[part].append(number)
    return like


def _quoted(text: str) -> str:
    flat = " ".join(text.split()).replace("`", "'")
    return f"`{flat[:59]}…`" if len(flat) > 60 else f"`{flat}`"


def _words(text: str) -> list[str]:
    return [match[1] or match[0] for match in _WORD.finditer(text.casefold().replace("’", "'"))]


def _content(words: Iterable[str]) -> frozenset[str]:
    return frozenset(word for word in words if word not in _WITHOUT_CONTENT and not word.isdigit())


def _reads_english(text: str, *, unsure: bool) -> bool:
    """Whether a text has its share of the commonest English words; ``unsure`` if it is too short to say."""
    words = _words(text)
    return unsure if len(words) < 12 else sum(word in _COMMON for word in words) >= 0.08 * len(words)
