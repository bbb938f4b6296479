"""Naturalness: the rhythm and the layout of machine-made prose.

Finds: habits that only show over a whole reply. Em dashes in every paragraph (of two or more), or three and more than
    one in 60 words; three triplets ("warm, calm, and kind"), or two in a short reply; "it's not X, it's Y"; six or more
    sentences of about the same length; exclamation marks on most sentences; emoji as bullets; two exclamation marks for
    someone who is sad.
Does not find: one em dash, one triplet, one exclamation mark; lists that the user asked for.
"""

from functools import partial

from iamhumans.tells.checks import chained, flat, on_sentences, repeated
from iamhumans.tells.patterns import either
from iamhumans.tells.rule import Rule

_EM_DASH = r"\x01|(?:[a-z] --? [a-z])"
_TRIPLET = r"\b[a-z'-]+(?: [a-z'-]+)?(?: [a-z'-]+)?, (?:[a-z'-]+ )?(?:[a-z'-]+ )?[a-z'-]+, (?:and|or) [a-z'-]+"
_NOT_BUT = either(
    r"\b(?:it|this|that|they|you)(?:'s|'re| is| are|) ?(?:isn't|aren't|not|never)(?: just| only| merely| simply|"
    r" about| really)* [^.!?\n,;\x01]+(?:[,;.\x01]|\x01 )[ \x01]*(?:it|this|that|they|you)(?:'s|'re| is| are) [a-z]",
    r"\bnot (?:just|only|merely|simply) [^.!?\n,;\x01]+, but\b|\bnot because [^.!?\n,;\x01]+, but because\b|"
    r"\bless about [^.!?\n,;\x01]+ and more about\b|\bisn't (?:just )?about [^.!?\n,;\x01]+[,;\x01] ?it's about\b",
)
_EXCLAMATION = "!+"
_EMOJI_BULLET = r"(?m:^[ \t]*\x02+[ \t]*\S)"

_rule = partial(Rule, axis_or_hard_fail="naturalness", points={"naturalness": 1})
RULES = (
    _rule(
        "naturalness.em_dashes",
        "Em dashes all through the reply.",
        _EM_DASH,
        points={"naturalness": 2},
        check=chained,
        quoted_too=True,
    ),
    _rule("naturalness.triplets", "Groups of three, again and again.", _TRIPLET, check=repeated),
    _rule("naturalness.not_but", "The cadence \"it's not X, it's Y\".", _NOT_BUT),
    _rule(
        "naturalness.exclamations",
        "Exclamation marks on most sentences.",
        _EXCLAMATION,
        at_least=2,
        check=partial(on_sentences, share=0.5),
        quoted_too=True,
    ),
    _rule(
        "naturalness.emoji_bullets",
        "Emoji as bullets.",
        _EMOJI_BULLET,
        points={"naturalness": 2},
        at_least=2,
        at_most=2,
        quoted_too=True,
    ),
    _rule("naturalness.flat_sentences", "Sentences that all have about the same length.", check=flat),
    _rule(
        "empathy_fit.cheer_in_sorrow",
        "Good cheer for someone who is sad.",
        _EXCLAMATION,
        axis_or_hard_fail="empathy_fit",
        points={"empathy_fit": 3},
        when=("sorrowful",),
        unless=("draft_asked",),
        at_least=2,
        at_most=2,
    ),
)
