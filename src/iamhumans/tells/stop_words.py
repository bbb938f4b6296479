"""Words of function and of feeling, which carry no content of their own in a conversation."""

from __future__ import annotations

_TEXT = """
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
STOP_WORDS = frozenset(_TEXT.split())
