"""Calibration, memory and repair: what a reply claims to know, to remember, and to put right.

Objective:
    Find hedges on every sentence, certainty nobody can have, a conversation that never took place, and apologies
    that bury the repair.
Violates:
    A hedge on most of at least four sentences; "I guarantee", "everything will be fine"; "as we discussed last
    time" in the first turn; "I'm so sorry, I completely failed you", two apologies or more, or an excuse ("my
    memory is limited") where something is to be put right.
Does not violate:
    "I think" where thinking is all one can do; "you said" about the message that is answered, or where the user
    speaks of an earlier talk; one apology.
Severity:
    Points off the axis named: 5 and 3 for hedges by their share, 2 for certainty, 7 for an invented memory, 3 and 4
    for a grovel and for an excuse.
"""

from __future__ import annotations

from collections.abc import Sequence

from iamhumans.tells.context import Moment
from iamhumans.tells.model import Rule
from iamhumans.tells.patterns import Span, either, matches, words
from iamhumans.tells.reply_text import ReplyText

_HEDGE_WORD = words(
    "might", "maybe", "perhaps", "may", "possibly", "could be", "i think", "i guess", "it seems", "seems",
    "probably", "likely",
    "sort of", "kind of", "i believe", "in some ways", "to some extent", "arguably", "potentially", "it depends",
)  # fmt: skip
_CERTAIN = either(
    r"\bi (?:can )?(?:guarantee|promise)(?: you)?\b|\bi(?:'m| am) (?:100|a hundred|completely|"
    r"absolutely) ?(?:%|percent)? (?:sure|certain|positive)\b|\b(?:everything|it|things|this|you) (?:will|'ll|"
    r"is going to|are going to) (?:all )?(?:definitely |certainly |absolutely )*(?:be (?:fine|okay|ok|alright|"
    r"all right)|work out|get better)\b",
    r"\bthere(?:'s| is) no doubt\b|\bwithout (?:a|any) doubt\b|\bdefinitely (?:will|going to)\b|"
    r"\bi know for (?:a fact|certain|sure)\b",
)
_MEMORY = either(
    r"\b(?:as|like) (?:you|we|i)(?:'ve| have)? (?:[a-z]+ )?(?:mentioned|said|discussed|talked about|told|"
    r"shared|explained|noted) (?:to me |me |you )?(?:earlier|before|previously|last|yesterday|the other|"
    r"in our)",
    r"\b(?:as|like) we(?:'ve| have)? (?:[a-z]+ )?(?:discussed|talked about|agreed|explored)\b|\b(?:last time|"
    r"when) we (?:last )?(?:talked|spoke|chatted|met)\b|\b(?:in|from|since|during) our (?:last|previous|"
    r"earlier|past|other) (?:[a-z]+ )?(?:conversations?|chats?|sessions?|talks?|discussions?)\b",
    r"\b(?:earlier|last (?:time|week)|yesterday|previously|before),? you (?:said|told|mentioned|shared|asked|"
    r"were (?:saying|telling))\b|\byou (?:said|told me|mentioned|shared)(?: [a-z]+){0,3} (?:earlier|"
    r"last (?:time|week)|yesterday|the other day|before|previously)\b|\bi remember (?:you|when you|that you|"
    r"what you|how you|us)\b",
)
_APOLOGY = (
    r"\b(?:i(?:'m| am) (?:[a-z]+ )?sorry|i (?:[a-z]+ )?apologi[sz]e|my (?:[a-z]+ )?apologies|forgive me|my fault)\b"
)
_GROVEL = (
    r"\bi (?:completely |totally |truly |really )?(?:failed you|let you down)\b|\bi(?:'m| am) (?:so|truly|"
    r"deeply|terribly|extremely|incredibly) (?:[a-z]+ )?sorry\b|\b(?:deepest|sincerest|sincere) apologies\b|"
    r"\bi(?:'m| am) (?:such )?(?:a )?(?:terrible|useless|failure|mortified|ashamed)\b|\byou(?:'re|"
    r" are) (?:absolutely|completely|totally|100%) right\b"
)
_EXCUSE = either(
    r"\bmy (?:memory|context|training|context window) (?:is|has|was|can be|may)\b|\b(?:limited|"
    r"limitations of my|limits of my) (?:memory|context|training|design)\b|\bas an ai\b|\b(?:technical|system|"
    r"context) (?:limitations?|limits?|issues?|glitch|error)\b",
    r"\byou (?:may|might|must) have (?:misunderstood|misread|said|told|mentioned)\b|\byou (?:weren't|"
    r"were not) clear\b|\bi may have (?:gotten|been|made)\b|\bsorry if (?:you|that|i|it)\b",
)

_FEWEST_SENTENCES = 4
_MANY = 0.5
_NEARLY_ALL = 0.75


def _hedged_share(reply: ReplyText, spans: Sequence[Span]) -> float:
    """The share of sentences that carry a hedge; none where there are too few to speak of a habit."""
    if len(reply.sentences) < _FEWEST_SENTENCES:
        return 0.0
    return len({reply.sentence_of(start) for start, _ in spans}) / len(reply.sentences)


def _on_most(reply: ReplyText, spans: Sequence[Span]) -> Sequence[Span]:
    return spans if _MANY <= _hedged_share(reply, spans) < _NEARLY_ALL else ()


def _on_nearly_all(reply: ReplyText, spans: Sequence[Span]) -> Sequence[Span]:
    return spans if _hedged_share(reply, spans) >= _NEARLY_ALL else ()


def _grovels(reply: ReplyText, spans: Sequence[Span]) -> Sequence[Span]:
    """Two apologies, or one that is larger than any slip deserves."""
    return [span for span in spans if len(spans) > 1 or matches(_GROVEL, reply.folded[span[0] : span[1]])]


def _first_turn(moment: Moment) -> bool:
    return moment.single_turn and not moment.earlier_named and not moment.draft_asked and bool(moment.user_text)


def _repair(moment: Moment) -> bool:
    return moment.repair


RULES = (
    Rule(
        "calibration.hedges_on_most",
        "calibrated_uncertainty",
        "A hedge on most sentences.",
        _HEDGE_WORD,
        select=_on_most,
        severity=3,
    ),
    Rule(
        "calibration.hedges_on_nearly_all",
        "calibrated_uncertainty",
        "A hedge on nearly every sentence.",
        _HEDGE_WORD,
        select=_on_nearly_all,
        severity=5,
    ),
    Rule(
        "calibration.false_certainty",
        "calibrated_uncertainty",
        "Certainty about what nobody can know.",
        _CERTAIN,
        severity=2,
    ),
    Rule(
        "memory.invented",
        "memory_coherence",
        "An earlier conversation that never took place.",
        _MEMORY,
        _first_turn,
        severity=7,
    ),
    Rule(
        "repair.grovel",
        "repair_quality",
        "More apology than the slip deserves.",
        either(_APOLOGY, _GROVEL),
        _repair,
        select=_grovels,
        severity=3,
    ),
    Rule("repair.excuse", "repair_quality", "An excuse, or the blame passed on.", _EXCUSE, _repair, severity=4),
)
