"""From what a server answered to a reception: the text as it was sent, how it ended, and why it may not be usable."""

from __future__ import annotations

import re
from typing import Any

from iamhumans.models.chat import ModelIdentity, Reception, Usage
from iamhumans.models.json_fields import storable, word
from iamhumans.prompts import Answer
from iamhumans.text import Ending, SeenReply, one_line

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_REPEATED = re.compile(r"(?<!\S)(?P<unit>\S.{0,199}?)(?P=unit){4,}.{0,200}\Z", re.DOTALL)
_SENTENCE_END = re.compile(r"\A(?P<before>.*?[.!?]\s+)(?P<after>\S.*)\Z", re.DOTALL)
_TAIL = 2_000  # characters in which a repetition is looked for
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
    key = identity.name if _BARE_KEY.fullmatch(identity.name) else f'"{identity.name}"'
    limit = next((name for name in ("max_tokens", "max_completion_tokens") if name in identity.settings), None)
    advice = f"{'raise' if limit else 'set'} {limit or 'max_tokens'} in [models.{key}]"
    if _CONTEXT_FULL.search(found.word):
        advice = "the context of the model is full"
    spent, reasoned = usage.completion, usage.reasoning
    if spent and reasoned:
        # Some servers count reasoning apart from the completion.
        spent = spent if spent >= reasoned else spent + reasoned
        return f"{reasoned:,} of {spent:,} tokens were reasoning; {advice}"
    of = f" after {spent:,} tokens" if spent else ""
    if repeated := _REPEATED.search(found.text[-_TAIL:]):
        # Where the tail begins is chance: the repeated words are shown from the beginning of a sentence.
        unit = _SENTENCE_END.sub(r"\g<after>\g<before>", repeated["unit"], count=1)
        return f"it repeats “{one_line(unit, 60)}” until it ends{of}; {advice}"
    if seen.reasoning:
        what = "in the reasoning, before the text" if not seen.text.strip() else "with reasoning before the text"
        return f"it ends{of}, {what}; {advice}"
    return f"it ends{of}; {advice}"
