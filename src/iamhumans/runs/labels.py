"""What a label is: what a person said of one reply. On this floor since the journal keeps it beside the judgements."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Part = Literal["random", "targeted"]
"""Why a reply was drawn for labelling: by chance, for the estimate, or because a person's look at it is worth most."""


@dataclass(frozen=True, slots=True)
class Label:
    """One person's answers about one reply. Partial answers are fine: what was not asked is absent.

    Attributes:
        reply_key: The key of the reply in the journal; ``None`` where a file did not say and no run was matched.
        case_id: The case, which is the cluster of every statistic.
        subject: Who replied; ``None`` where unknown.
        number: Which of the replies drawn for the case.
        rater: Who labelled.
        flags: Whether the hard fail is there; ``None`` for "cannot tell".
        axes: The score from 0 to 10; ``None`` for "cannot tell".
        words: The words of the reply that made the rater say YES, by hard fail.
        notes: What else the rater wrote.
        part: Which part of a draw the reply came from; ``None`` where it was not drawn.
        weight: The inverse of the chance that the draw had of drawing this reply; ``None`` where unknown.
    """

    reply_key: str | None
    case_id: str
    subject: str | None
    number: int
    rater: str
    flags: Mapping[str, bool | None] = field(default_factory=dict)
    axes: Mapping[str, float | None] = field(default_factory=dict)
    words: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    notes: str = ""
    part: Part | None = None
    weight: float | None = None
