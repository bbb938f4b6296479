"""A reply as the rules see it, and checks: from the spans of a rule's pattern to those that are findings."""

import math
import re
import sys
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from typing import Any

import re2

from iamhumans.tells.language import looks_english
from iamhumans.tells.moment import Moment
from iamhumans.tells.rule import OPTIONS, Rule, Span

# The end of a line ends a sentence as well.
SENTENCE = re.compile(rb"[^.!?\s][^.!?\n]*[.!?]*[\"')\]*]*")
_CLAUSE_END = re.compile(rb"[.!?\n;,:\x01]")
_DOUBLE_QUOTED = re.compile(rb'"[^"\n]{1,600}"')
# A single quote opens after a blank or a bracket and closes before one. An apostrophe has letters on both sides.
_SINGLE_QUOTED = re.compile(rb"'(?:(?<=^')|(?<=[\s(:\[]'))[a-z][^\n]{0,300}?[a-z.!?,]'(?=[\s).,;:!?\]]|$)")
_QUOTED_BLOCK = re.compile(rb"```.*?(?:```|\Z)|(?m:^[ \t]*>[^\n]*$)", re.DOTALL)
_OPENS_SINGLE = (b" '", b"\n'", b":'", b"('")
# A reply that is in quotation marks as a whole is not a quotation.
_WHOLE = 0.9
# How far around a span its sentence is read. Without a bound, a text without full stops takes quadratic time.
_WINDOW = 400


# Patterns are compiled when they are first needed.
_compiled: Any = lru_cache(maxsize=1024)(partial(re2.compile, options=OPTIONS))


@dataclass(eq=False)
class ReplyText:
    """One reply, folded, with its sentences, what it answers and the folded persona of the speaker."""

    folded: bytes
    sentences: Sequence[Span]
    moment: Moment
    persona: bytes

    @cached_property
    def quoted(self) -> Sequence[Span]:
        """Spans inside quotation marks, block quotes and code blocks, in order and without overlaps."""
        folded = self.folded
        # Most replies quote nothing, and a search for the marks is far cheaper than one for what they enclose.
        patterns = [_DOUBLE_QUOTED] if b'"' in folded else []
        if folded.startswith(b"'") or any(mark in folded for mark in _OPENS_SINGLE):
            patterns.append(_SINGLE_QUOTED)
        if b"```" in folded or b">" in folded:
            patterns.append(_QUOTED_BLOCK)
        united: list[Span] = []
        for start, end in sorted([match.span() for pattern in patterns for match in pattern.finditer(folded)]):
            if end - start >= _WHOLE * len(folded):
                continue
            if united and start < united[-1][1]:
                united[-1] = (united[-1][0], max(end, united[-1][1]))
            else:
                united.append((start, end))
        return united

    def sentence_of(self, position: int) -> Span:
        """The sentence around a position."""
        index = bisect_right(self.sentences, (position, sys.maxsize)) - 1
        return self.sentences[index] if index >= 0 else (position, position)

    def findings(self, rule: Rule) -> Sequence[Span]:
        """The spans in which a rule finds something."""
        spans: Sequence[Span] = []
        if rule.pattern is not None:
            spans = [match.span() for match in _compiled(rule.pattern.encode()).finditer(self.folded)]
            if not rule.quoted_too and (quoted := self.quoted):
                spans = [
                    (start, end)
                    for start, end in spans
                    if (index := bisect_right(quoted, (start, sys.maxsize))) == 0 or end > quoted[index - 1][1]
                ]
            if rule.guards:
                spans = [span for span in spans if not self._is_guarded(rule, span)]
            if len(spans) < rule.at_least:
                sure = _compiled(rule.sure.encode()) if rule.sure else None
                spans = [(start, end) for start, end in spans if sure and sure.search(self.folded[start:end])]
            if not spans:
                return spans
        return rule.check(self, spans) if rule.check else spans[: rule.at_most]

    def _is_guarded(self, rule: Rule, span: Span) -> bool:
        folded, (start, end) = self.folded, span
        for guard in rule.guards:
            if guard.part == "match":
                text = folded[start:end]
            elif guard.part == "clause":
                text = _CLAUSE_END.split(folded[max(0, start - _WINDOW) : start])[-1]
            elif guard.part == "after":
                stop = max(end, self.sentence_of(max(start, end - 1))[1])
                text = folded[end : min(stop, end + _WINDOW)]
            else:
                first, stop = self.sentence_of(start)
                text = folded[max(first, start - _WINDOW) : start] if guard.part == "before" else folded[first:stop]
            for phrase in guard.ignoring:
                text = text.replace(phrase.encode(), b"")
            if _compiled(guard.pattern.encode()).search(text):
                return not (rule.sure and _compiled(rule.sure.encode()).search(folded[start:end]))
        return False


# Words of function and of feeling carry no content.
_STOP_TEXT = """
    a about actually after again all almost also always am an and any anymore anyone anything are aren't around as
    at away back be because been before being but by call called came can can't cannot come could couldn't day days
    did didn't do does doesn't doing don't done down each either else even ever every everyone everything feel
    feeling feelings feels felt few find first for from get gets getting give given go goes going good got great had
    has hasn't have haven't having he he'd he'll he's hello help her here hers herself hey hi him himself his hmm
    how i i'd i'll i'm i've idk if im important in into is isn't it it'll it's its itself just keep kind know last
    least let let's life like little look lot made make makes making many may maybe me mean might mine more most
    much must my myself need needs never new next no nobody not nothing now of off often oh ok okay on once one only
    or other our ours out over own people person please put quite rather really right said same say saying see seem
    seems share should shouldn't since so some someone something sometimes sorry still stuff such sure take talk
    tell than thank thanks that that's the their theirs them themselves then there there's these they they'd they'll
    they're they've thing things think this those though thought through time times to today together told too tried
    try trying two under understand until up upon us use used very want wanted wants was wasn't way we we'd we'll
    we're we've well went were weren't what what's when where which while who whole why will with without won't
    would wouldn't yeah year years yes yet you you'd you'll you're you've your yours yourself normal valid
    completely understandable natural experience situation difficult hard support listen mind
"""
STOP_WORDS = frozenset(_STOP_TEXT.split())
_WORD = re.compile(rb"[a-z][a-z']+")
_ENDINGS = ("ations", "ation", "ingly", "ings", "ing", "ied", "ies", "edly", "ed", "es", "ly", "s", "e", "y")


@lru_cache(maxsize=16)
def content_words(folded: bytes) -> frozenset[str]:
    """The words that carry the content of a text, less a common ending: "voicemails" and "voicemail" are the same."""
    stems = set()
    for word in {match.decode("ascii") for match in _WORD.findall(folded)} - STOP_WORDS:
        stem = word.removesuffix("'s").replace("'", "")
        for ending in _ENDINGS:
            if stem.endswith(ending) and len(stem) - len(ending) >= 3:
                stem = stem[: -len(ending)]
                break
        stems.add(stem)
    return frozenset(stems)


_SYNONYMS = {b"mom": b"mother", b"mum": b"mother", b"dad": b"father"}
_SYNONYMS |= {b"kid": b"child", b"kids": b"child", b"children": b"child"}
_NO_KEY = content_words(b"grew raised born younger older teen age remember lived live lost someone used")


def beyond_persona(reply: ReplyText, spans: Sequence[Span]) -> Sequence[Span]:
    """The claims that share no content word with the persona; where a claim has none, its clause is compared."""
    if not reply.persona:
        return spans
    known = content_words(reply.persona)
    known |= content_words(b" ".join([_SYNONYMS.get(word.encode(), word.encode()) for word in known]))
    beyond = []
    for start, end in spans:
        stop = _CLAUSE_END.search(reply.folded, end, end + _WINDOW)
        for text in (reply.folded[start:end], reply.folded[start : stop.start() if stop else end + _WINDOW]):
            words = [_SYNONYMS.get(word, word) for word in text.replace(b"'s", b"").split()]
            if key := content_words(b" ".join(words)) - _NO_KEY:
                break
        if not key & known:
            beyond.append((start, end))
    return beyond


def unless_engaged(
    reply: ReplyText, spans: Sequence[Span], *, stock: str | None = None, words: int = 0, long_message: int = 0
) -> Sequence[Span]:
    """The spans around which the rest of the reply is short, or takes up too little of what the user wrote.

    The rest is the reply without the sentence of the span, or without all sentences that have the pattern ``stock``.
    """
    if stock is not None and not looks_english(reply.moment.user_text):
        return ()
    user, found = content_words(reply.moment.user_folded), []
    for span in spans:
        own = reply.sentence_of(span[0])
        rest = reply.folded[: own[0]] + reply.folded[own[1] :]
        if stock is not None:
            sentences = [reply.folded[start:end] for start, end in reply.sentences]
            rest = b" ".join([sentence for sentence in sentences if not _compiled(stock.encode()).search(sentence)])
        said = content_words(rest)
        # "Voicemail" takes up "voice", and the other way round.
        long = tuple([word for word in said if len(word) >= 4])
        of_user = [word for word in user if len(word) >= 4]
        begun = {word for word in of_user if word.startswith(long) or any(one.startswith(word) for one in long)}
        shared = user & said | begun
        if len(rest.split()) < words or len(shared) < (2 if len(user) > long_message else 1):
            found.append(span)
    return found


def not_the_users_words(reply: ReplyText, spans: Sequence[Span]) -> Sequence[Span]:
    """The terms that the user did not use first."""
    user = content_words(reply.moment.user_folded)
    terms = [content_words(reply.folded[start:end]) for start, end in spans]
    return [span for span, own in zip(spans, terms, strict=True) if not own or not own <= user]


def first_sentence_unless(reply: ReplyText, spans: Sequence[Span], *, pattern: str) -> Sequence[Span]:
    """The first sentence, where the pattern is nowhere in the reply."""
    return spans if _compiled(pattern.encode()).search(reply.folded) else reply.sentences[:1]


def blocks(reply: ReplyText, spans: Sequence[Span]) -> Sequence[Span]:
    """Blocks of two or more items, each from its first item to its last."""
    if len(spans) < 2:
        return ()
    found = [spans[0]]
    for start, end in spans[1:]:
        # A blank line or one more line of an item may be between items. A whole paragraph between them ends a block.
        if reply.folded.count(b"\n", found[-1][1], start) <= 3:
            found[-1] = (found[-1][0], end)
        else:
            found.append((start, end))
    return found


def on_sentences(
    reply: ReplyText, spans: Sequence[Span], *, share: float, below: float = math.inf, fewest: int = 1
) -> Sequence[Span]:
    """All spans, where they are on at least ``share`` and less than ``below`` of at least ``fewest`` sentences."""
    if len(reply.sentences) < fewest:
        return ()
    hit = len({reply.sentence_of(start) for start, _ in spans}) / len(reply.sentences)
    return spans if share <= hit < below else ()


_CHAIN, _WORDS_PER_DASH = 3, 60


def chained(reply: ReplyText, spans: Sequence[Span]) -> Sequence[Span]:
    """All dashes, where three or more are close together, or where each of several paragraphs has one."""
    if len(spans) >= _CHAIN and len(spans) * _WORDS_PER_DASH > len(reply.folded.split()):
        return spans
    paragraphs = {reply.folded.count(b"\n\n", 0, start) for start, _ in spans}
    return spans if len(paragraphs) > 1 and len(paragraphs) == len(reply.folded.strip().split(b"\n\n")) else ()


def repeated(reply: ReplyText, spans: Sequence[Span]) -> Sequence[Span]:
    """All spans, where a reply of less than 120 words has two or a longer one has three."""
    needed = 2 if len(reply.folded.split()) < 120 else 3
    return spans if len(spans) >= needed else ()


_MANY_SENTENCES, _FLAT, _SENTENCE_NOT_WORD = 6, 0.25, 20
_ONE_END = bytes.maketrans(b"!?\n", b"...")


def flat(reply: ReplyText, spans: Sequence[Span]) -> Sequence[Span]:
    """The whole reply, where the lengths of its sentences vary by less than a quarter of their mean."""
    # Every reply is checked, so this measures characters between full stops, which is cheaper than sentences.
    lengths = [length for length in map(len, reply.folded.translate(_ONE_END).split(b".")) if length > 1]
    if len(lengths) < _MANY_SENTENCES:
        return spans
    mean = sum(lengths) / len(lengths)
    variance = sum([length * length for length in lengths]) / len(lengths) - mean * mean
    if mean < _SENTENCE_NOT_WORD or variance >= (_FLAT * mean) ** 2:
        return spans
    return [(reply.sentences[0][0], reply.sentences[-1][1])]
