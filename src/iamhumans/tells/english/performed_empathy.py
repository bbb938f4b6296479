"""Performed empathy: the reply names its own empathy instead of enacting it.

Objective:
    Find sentences whose subject is the speaker's listening, understanding or feeling.
Violates:
    "I want to acknowledge ...", "I hear you", "I'm here for you", "I'm here to listen", "I'm holding space", "I can
    feel your pain", "I truly understand how ...", "my heart goes out to you".
Does not violate:
    "I hear you got the job" (hearsay); "I'm here to help with the form"; "I'm listening" or "I'm here" as a whole
    answer to being asked for just that; "I'm sorry"; quoted words and texts asked for.
Severity:
    2.
"""

from __future__ import annotations

from iamhumans.tells.context import Moment
from iamhumans.tells.model import Rule
from iamhumans.tells.patterns import Span, either, matches, words
from iamhumans.tells.reply_text import ReplyText

_DEEPLY = (
    r"(?:truly |really |completely |totally |deeply |fully |absolutely |so |genuinely |definitely |certainly |"
    r"can |do |just |also |can only |can truly |can really )*"
)
_NAMED = either(
    r"\bi (?:just |also |first |really |do )*(?:want|wanted|need|would like|'d like)? ?(?:to )?(?:first |"
    r"just |also |take a moment to |start by |pause to |pause and )*(?:acknowledge|acknowledging|honou?r|"
    r"hold space|validate)\b",
    r"\bi(?:'d| would) like to (?:first |just |start by )*(?:acknowledge|acknowledging|honou?r|validate)\b|"
    r"\blet me (?:first |just |start by )*(?:acknowledge|acknowledging|validate|honou?r)\b",
    rf"\bi(?:'m| am)? ?{_DEEPLY}(?:hold|holding) (?:a )?(?:safe )?space\b|\bi(?:'m| am) sitting with you\b|"
    rf"\bi (?:feel|felt) for you\b|\bmy heart (?:truly |really )?(?:goes out|breaks|aches|hurts|is with)\b",
    rf"\bi {_DEEPLY}(?:feel|sense|hear) (?:your|the|how much) (?:[a-z]+ )?(?:pain|hurt|sadness|grief|anger|"
    rf"sorrow|frustration|loneliness|exhaustion|despair|joy|excitement|weight|struggle|suffering|anguish|"
    rf"heaviness|fear)\b",
    r"\bi (?:can )?(?:truly|really|completely|totally|deeply|fully|absolutely|genuinely) (?:understand|"
    r"empathi[sz]e|feel|get (?:how|it|what))\b|\bi(?: can)? empathi[sz]e\b|\bi understand (?:exactly |"
    r"just )?how (?:you|hard|difficult|painful|frustrating|overwhelming|tough|challenging|much)\b",
    r"\bi (?:can )?(?:know|relate to) (?:exactly |just )?(?:how (?:you(?:'re| are)? ?feel|hard|difficult|"
    r"painful|tough)|what you(?:'re| are) (?:going|feeling))",
    r"\bi(?:'ll| will) (?:do my best to |try to )?(?:just )?(?:be (?:fully |completely |truly )?present|"
    r"be here (?:for|with) you|hear you|hold)\b|\bi(?:'m| am) (?:fully |completely |truly )?present (?:for|"
    r"with|and)\b|\bwith (?:deep|genuine) (?:empathy|compassion)\b",
    r"\bi (?:see|hear) your\b|\bi(?:'m| am) hearing you\b|\bwhat i(?:'m| am) hearing is\b|\bi(?:'m|"
    r" am) so (?:excited|happy|thrilled) for you\b[^.!?\n]*[.!?][^\n]*\bso (?:excited|happy|"
    r"thrilled) for you\b",
)
_HERE = (
    r"\bi(?:'m| am)(?: always| right| still| just| truly| really)* here (?:for you|to (?:just |simply |truly |"
    r"fully )?(?:listen|support you|hear you|hold|be with you|walk)|with you|and (?:i(?:'m|"
    r" am) )?(?:listening|ready to listen)|if you (?:need|want|ever|'d like|feel)|whenever you|as long as you)"
)
_I_HEAR_YOU = r"\bi (?:just |really |do |truly |can )*(?:hear|see) you\b"
_HEARSAY = words(
    "'re", "are", "got", "get", "have", "had", "went", "were", "'ve", "might", "may", "can", "could", "want to",
    "say", "said", "mean",
    "like", "play", "moved", "finally", "just", "made", "work", "tried", "put", "as", "there", "at", "in", "on",
    "did", "next", "tomorrow", "soon", "later", "around", "again", "through", "using", "mentioned", "started",
    "chose",
)  # fmt: skip


def _talk(moment: Moment) -> bool:
    return not moment.draft_asked


def _not_denied(reply: ReplyText, span: Span) -> bool:
    return not matches(
        r"\b(?:don't|not|can't|cannot|never|won't|if|that|like|as if|pretend|say|saying)\b[^,;]*$",
        reply.clause_before(span),
    )


def _to_listen(reply: ReplyText, span: Span) -> bool:
    return _not_denied(reply, span)


def _as_a_phrase(reply: ReplyText, span: Span) -> bool:
    """Whether "I hear you" stands for itself and does not go on as "I hear you got the job"."""
    after = reply.after(span)
    return not after.startswith(b"'") and not matches(rf"^ {_HEARSAY}", after) and _not_denied(reply, span)


RULES = (
    Rule(
        "performed_empathy.named",
        "performed_empathy",
        "The reply names its empathy.",
        _NAMED,
        _talk,
        _not_denied,
        severity=2,
    ),
    Rule(
        "performed_empathy.here_for_you",
        "performed_empathy",
        "The reply announces that it is there and listens.",
        _HERE,
        _talk,
        _to_listen,
        severity=2,
    ),
    Rule(
        "performed_empathy.i_hear_you",
        "performed_empathy",
        "The reply says that it hears or sees the user.",
        _I_HEAR_YOU,
        _talk,
        _as_a_phrase,
        severity=2,
    ),
)
