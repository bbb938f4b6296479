"""A label: what one person says about one reply."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Part = Literal["random", "targeted"]
"""How a reply was drawn for labelling: at random, or because the judges are in doubt about it."""


@dataclass(frozen=True, slots=True)
class Label:
    """One person's answers about one reply. An answer that was not asked for is absent.

    Attributes:
        reply_key: The key of the reply in the journal; ``None`` until a row of a file is matched to a run.
        case_id: The case. Statistics treat it as the cluster.
        subject: Who replied; ``None`` where unknown.
        number: Which of several replies to the case, from 1.
        rater: Who labelled.
        flags: Whether each hard fail is present; ``None`` for "cannot tell".
        axes: Scores from 0 to 10; ``None`` for "cannot tell".
        words: Words of the reply behind a YES, by hard fail.
        notes: Remarks of the rater.
        part: The part of the draw; ``None`` where the reply was not drawn.
        weight: One over the chance of being drawn; ``None`` where unknown.
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

    @property
    def empty(self) -> bool:
        """Whether it holds no answer, no words and no note."""
        return not (self.flags or self.axes or self.words or self.notes)
