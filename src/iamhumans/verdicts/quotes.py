"""Whether the words that a judge quotes stand in the reply.

A quote is compared after Unicode NFC with whitespace and quote marks folded, and nothing looser: no case folding, no
ellipsis, no fuzzy match. Marks around a quote are its dress.
"""

from __future__ import annotations

from collections.abc import Mapping

from iamhumans.text import fold, has_substance
from iamhumans.verdicts.model import Verdict


def confirm_flags(verdict: Verdict, reply: str | None) -> Mapping[str, bool | None]:
    """For each flag whether one of its quotes stands in the reply; ``None`` where it says NO or no reply is known."""
    if reply is None or not any(flag.present for flag in verdict.flags.values()):
        return dict.fromkeys(verdict.flags)
    folded = fold(reply)
    return {
        name: any(_stands_in(quote, folded) for quote in flag.quotes) if flag.present else None
        for name, flag in verdict.flags.items()
    }


def _stands_in(quote: str, folded_reply: str) -> bool:
    words = fold(quote)
    if not has_substance(words):
        return False
    return words in folded_reply or words.strip("\"' ") in folded_reply
