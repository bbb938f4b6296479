"""The words of a text that carry its content, for asking whether a reply takes up what the user wrote."""

from __future__ import annotations

import re

_WORD = re.compile(rb"[a-z][a-z']+")

_EMPTY_TEXT = """
    a about actually after again all almost also always am an and any anymore anyone anything are aren't around as
    at away back be because been before being but by call called came can can't cannot come could couldn't day
    days did didn't do does doesn't doing don't done down each either else even ever every everyone everything
    feel feeling feelings feels felt few find first for from get gets getting give given go goes going good got
    great had has hasn't have haven't having he he'd he'll he's hello help her here hers herself hey hi him
    himself his hmm how i i'd i'll i'm i've idk if im important in into is isn't it it'll it's its itself just
    keep kind know last least let let's life like little look lot made make makes making many may maybe me mean
    might mine more most much must my myself need needs never new next no nobody not nothing now of off often oh
    ok okay on once one only or other our ours out over own people person please put quite rather really right
    said same say saying see seem seems share should shouldn't since so some someone something sometimes sorry
    still stuff such sure take talk tell than thank thanks that that's the their theirs them themselves then there
    there's these they they'd they'll they're they've thing things think this those though thought through time
    times to today together told too tried try trying two under understand until up upon us use used very want
    wanted wants was wasn't way we we'd we'll we're we've well went were weren't what what's when where which
    while who whole why will with without won't would wouldn't yeah year years yes yet you you'd you'll you're
    you've your yours yourself normal valid completely understandable natural experience situation difficult hard
    support listen mind
"""
_EMPTY = frozenset(_EMPTY_TEXT.split())

_ENDINGS = ("ations", "ation", "ingly", "ings", "ing", "ied", "ies", "edly", "ed", "es", "ly", "s", "e", "y")
_SHORTEST_STEM = 3
_SHORTEST_START = 4


def stem(word: str) -> str:
    """The word less a common ending, so that "voicemails" meets "voicemail" and "crying" meets "cry"."""
    word = word.removesuffix("'s").replace("'", "")
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST_STEM:
            return word[: -len(ending)]
    return word


def content_words(folded: bytes) -> frozenset[str]:
    """Stems of the words in a folded text that say something; words of feeling and function say nothing here."""
    found = {match.decode("ascii") for match in _WORD.findall(folded)}
    return frozenset(stem(word) for word in found - _EMPTY)


def shared_words(reply_words: frozenset[str], user_words: frozenset[str]) -> frozenset[str]:
    """The user's words that the reply takes up: the same stem, or one that begins with the other's ("voicemail")."""
    long = tuple(word for word in reply_words if len(word) >= _SHORTEST_START)
    return frozenset(
        word
        for word in user_words
        if word in reply_words
        or (len(word) >= _SHORTEST_START and any(word.startswith(other) or other.startswith(word) for other in long))
    )
