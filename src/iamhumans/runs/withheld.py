"""A judgement of a held-out case, without its texts."""

from dataclasses import replace
from functools import partial
from typing import Any

from iamhumans.cases.holdout import shown
from iamhumans.verdicts import Judgement

_hash = partial(shown, held_out=True, reason=None)


def withheld(judgement: Judgement) -> Judgement:
    """The judgement with hashes in place of all texts: a judge may quote the case or the reply in any of them."""
    texts: dict[str, Any] = {
        name: _hash(text) for name in ("title", "notes", "detail") if (text := getattr(judgement, name))
    }
    if judgement.reply:
        texts["reply"] = _hash(judgement.reply)
    texts["conversation"] = None
    if judgement.hard_fails is not None:
        texts["hard_fails"] = {
            name: replace(flag, quotes=tuple(map(_hash, flag.quotes))) for name, flag in judgement.hard_fails.items()
        }
    return replace(judgement, **texts)
