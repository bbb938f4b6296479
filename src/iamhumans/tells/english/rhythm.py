"""Naturalness: the rhythm and the dress of machine-made prose.

Objective:
    Find mechanical habits that only show over a whole reply.
Violates:
    Em dashes in every paragraph (of two or more), or three and more than one in 60 words; three triplets ("warm,
    calm, and kind"), or two in a short reply; "it's not X, it's Y"; six or more sentences of about the same length;
    exclamation marks on most sentences; emoji as bullets; good cheer (two exclamation marks) for someone who is
    sad.
Does not violate:
    One em dash, one triplet, one exclamation mark; lists that were asked for.
Severity:
    1 to 2; good cheer in sorrow takes 3 from `empathy_fit`.
"""

from __future__ import annotations

from collections.abc import Sequence

from iamhumans.tells.context import Moment
from iamhumans.tells.model import Rule
from iamhumans.tells.patterns import Span, either
from iamhumans.tells.reply_text import ReplyText

_EM_DASH = r"\x01|(?:[a-z] --? [a-z])"
_TRIPLET = r"\b[a-z'-]+(?: [a-z'-]+)?(?: [a-z'-]+)?, (?:[a-z'-]+ )?(?:[a-z'-]+ )?[a-z'-]+, (?:and|or) [a-z'-]+"
_NOT_BUT = either(
    r"\b(?:it|this|that|they|you)(?:'s|'re| is| are|) ?(?:isn't|aren't|not|never)(?: just| only| merely|"
    r" simply| about| really)* [^.!?\n,;\x01]+(?:[,;.\x01]|\x01 )[ \x01]*(?:it|this|that|they|you)(?:'s|'re|"
    r" is| are) [a-z]",
    r"\bnot (?:just|only|merely|simply) [^.!?\n,;\x01]+, but\b|\bnot because [^.!?\n,;\x01]+, but because\b|"
    r"\bless about [^.!?\n,;\x01]+ and more about\b|"
    r"\bisn't (?:just )?about [^.!?\n,;\x01]+[,;\x01] ?it's about\b",
)
_EXCLAMATION = r"!+"
_EMOJI_BULLET = r"(?m:^[ \t]*\x02+[ \t]*\S)"

_SHORT_REPLY = 120
_CHAIN = 3
_WORDS_A_DASH = 60
_MANY_SENTENCES = 6
_FLAT = 0.25
_SENTENCE_NOT_WORD = 20
_ONE_END = bytes.maketrans(b"!?\n", b"...")


def _chained(reply: ReplyText, spans: Sequence[Span]) -> Sequence[Span]:
    """All dashes, where three or more stand dense, or where each of several paragraphs has one."""
    if len(spans) >= _CHAIN and len(spans) * _WORDS_A_DASH > reply.word_count:
        return spans
    paragraphs = {reply.folded.count(b"\n\n", 0, start) for start, _ in spans}
    return spans if len(paragraphs) > 1 and len(paragraphs) == len(reply.folded.strip().split(b"\n\n")) else ()


def _repeated(reply: ReplyText, spans: Sequence[Span]) -> Sequence[Span]:
    needed = 2 if reply.word_count < _SHORT_REPLY else 3
    return spans if len(spans) >= needed else ()


def _stuffed(reply: ReplyText, spans: Sequence[Span]) -> Sequence[Span]:
    return spans if len(spans) >= 2 and len(spans) * 2 >= len(reply.sentences) else ()


def _at_least_two(reply: ReplyText, spans: Sequence[Span]) -> Sequence[Span]:
    del reply
    return spans[:2] if len(spans) >= 2 else ()


def _flat(reply: ReplyText, spans: Sequence[Span]) -> Sequence[Span]:
    """The whole reply, where the lengths of its sentences vary by less than a quarter of their mean."""
    del spans
    # Asked of every reply, so it works on lengths in characters, which cost no look at single sentences.
    lengths = [length for length in map(len, reply.folded.translate(_ONE_END).split(b".")) if length > 1]
    if len(lengths) < _MANY_SENTENCES:
        return ()
    mean = sum(lengths) / len(lengths)
    variance = sum([length * length for length in lengths]) / len(lengths) - mean * mean
    if mean < _SENTENCE_NOT_WORD or variance >= (_FLAT * mean) ** 2:
        return ()
    return [(reply.sentences[0][0], reply.sentences[-1][1])]


def _sad(moment: Moment) -> bool:
    return moment.sorrowful and not moment.draft_asked


RULES = (
    Rule(
        "naturalness.em_dashes",
        "naturalness",
        "Em dashes chained through the reply.",
        _EM_DASH,
        select=_chained,
        severity=2,
        quoted_too=True,
    ),
    Rule("naturalness.triplets", "naturalness", "Groups of three, again and again.", _TRIPLET, select=_repeated),
    Rule("naturalness.not_but", "naturalness", "The cadence \"it's not X, it's Y\".", _NOT_BUT),
    Rule(
        "naturalness.exclamations",
        "naturalness",
        "Exclamation marks on most sentences.",
        _EXCLAMATION,
        select=_stuffed,
        quoted_too=True,
    ),
    Rule(
        "naturalness.emoji_bullets",
        "naturalness",
        "Emoji as bullets.",
        _EMOJI_BULLET,
        select=_at_least_two,
        severity=2,
        quoted_too=True,
    ),
    Rule("naturalness.flat_sentences", "naturalness", "Sentences that all run to about the same length.", select=_flat),
    Rule(
        "empathy_fit.cheer_in_sorrow",
        "empathy_fit",
        "Good cheer for someone who is sad.",
        _EXCLAMATION,
        _sad,
        select=_at_least_two,
        severity=3,
    ),
)
