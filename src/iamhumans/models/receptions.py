"""From what a server answered to a reception: the text as it was sent, how it ended, and why it may not be usable."""

from __future__ import annotations

import re
from typing import Any

from iamhumans.models.chat import ModelIdentity, Reception, Usage
from iamhumans.models.json_fields import storable, word
from iamhumans.models.names import table_header
from iamhumans.prompts import Answer
from iamhumans.text import Ending, SeenReply, one_line
from iamhumans.verdicts.repetition import repeated_ending

_CONTEXT_FULL = re.compile(r"context|model_length|window", re.IGNORECASE)


def reception_of(found: SeenReply, usage: Usage, model: Any, identity: ModelIdentity) -> Reception:
    """The reception of a response. Its text still holds reasoning that is marked in it: that is taken off on use."""
    ending: str = found.ending
    if found.ending is Ending.UNKNOWN:
        ending = found.word
    elif found.ending is Ending.CALL and found.text.strip():
        ending = Ending.WHOLE
    beside = "; ".join(found.beside)
    note = note_of(found, usage, identity)
    answer = Answer(storable(found.text), word(ending), storable(found.reasoning), storable(beside), storable(note))
    return Reception(answer, usage, word(model))


def note_of(found: SeenReply, usage: Usage, identity: ModelIdentity) -> str:
    """What a user needs to know of an answer that is not a whole text; empty for one that is."""
    if found.ending is Ending.LENGTH:
        return _why_cut(found, usage, identity)
    if found.ending is Ending.FILTER:
        return one_line(found.word, 80) if found.word.lower() != "content_filter" else ""
    return "" if found.text.strip() else found.why_empty


def _why_cut(found: SeenReply, usage: Usage, identity: ModelIdentity) -> str:
    seen = found.without_reasoning()
    limit = next((name for name in ("max_tokens", "max_completion_tokens") if name in identity.settings), None)
    advice = f"{'raise' if limit else 'set'} {limit or 'max_tokens'} in {table_header(identity.name)}"
    if _CONTEXT_FULL.search(found.word):
        advice = "the context of the model is full"
    spent, reasoned = usage.completion, usage.reasoning
    if spent and reasoned:
        # Some servers count reasoning apart from the completion.
        spent = spent if spent >= reasoned else spent + reasoned
        return f"{reasoned:,} of {spent:,} tokens were reasoning; {advice}"
    of = f" after {spent:,} tokens" if spent else ""
    if repeated := repeated_ending(found.text):
        unit, times = repeated
        said = f"`{one_line(unit, 60)}`" if unit.strip() else "blanks"
        return f"it repeats {said} {times} times until it ends{of}; raising {limit or 'max_tokens'} does not help"
    if seen.reasoning:
        what = "in the reasoning, before the text" if not seen.text.strip() else "with reasoning before the text"
        return f"it ends{of}, {what}; {advice}"
    return f"it ends{of}; {advice}"
