"""Looks of gates at a question: which kind they are, and how much error is left for them.

1. A gate is *fixed* (it decides once, on the cases that there are) or *sequential* (it may be looked at as often as one
   likes). The first look decides which, and the journal keeps it: whoever may choose afterwards has two chances.
2. A gate that does not say is fixed. After such looks alone a question may still become sequential, with half of the
   error: 2.5 % for each side, since the fixed look had its chance.
3. All of this is known within one journal only.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from iamhumans.errors import CommandError
from iamhumans.runs.journal.looks import Design, Look

MISS = 0.05
"""How often a sequential gate may pass wrongly; and how often it may fail wrongly."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What betting has shown about one threshold.

    Attributes:
        met: The capital of a bet that the threshold is met, which began with 1.
        missed: That of a bet that it is missed.
        needed_to_meet: The capital that shows that it is met.
        needed_to_miss: The capital that shows that it is missed.
        cases: How many cases there are.
        look: The look that settled it; ``None`` while it is open.
        settled_after: How many cases there were then.
    """

    met: float
    missed: float
    needed_to_meet: float
    needed_to_miss: float
    cases: int
    look: int | None = None
    settled_after: int | None = None


@dataclass(frozen=True, slots=True)
class Looked:
    """Which look at a question this was.

    Attributes:
        kind: Fixed or sequential.
        number: Which look it was; a second one at the same results is the same look.
        miss: How often each side may be wrong.
        cases: How many cases were used.
        after_fixed: Whether there was a fixed look before the sequential ones.
        runs: The runs that were pooled, the oldest first; of a fixed look the run alone.
        waiting: How many cases of a run that is not finished do not count yet.
        continues: Whether the run has a suite and a subject, so that further cases can be judged.
        stopped: Why no further cases were judged, where a gate went on until it was decided.
        exhausted: Whether the suite has no further cases.
    """

    kind: Design
    number: int
    miss: float = MISS
    cases: int = 0
    after_fixed: bool = False
    runs: tuple[str, ...] = ()
    waiting: int = 0
    continues: bool = False
    stopped: str | None = None
    exhausted: bool = False


def choose_design(looks: Sequence[Look], sequential: bool | None) -> tuple[Design, float]:
    """The kind of the next look, and how often each side may be wrong. ``None`` says nothing about the kind.

    Raises:
        CommandError: Earlier looks at the question were of the other kind, or a fixed gate was announced.
    """
    kinds = {one.kind for one in looks}
    if not sequential:
        if "sequential" in kinds:
            count = sum(one.kind == "sequential" for one in looks)
            times = "1 look" if count == 1 else f"{count} looks"
            raise CommandError(
                f"This question is gated sequentially ({times} so far), and a fixed gate would be another chance to"
                " pass.",
                fix="Add --sequential (in Python: sequential=True).",
            )
        return "fixed", MISS
    if any(one.kind == "fixed" and one.declared for one in looks):
        raise CommandError(
            "A fixed gate was announced for this question (--fixed), and a sequential one would be another chance to"
            " pass.",
            fix="Leave --sequential out, or ask a new question: another subject, skill, judge or threshold.",
        )
    return "sequential", MISS / 2 if "fixed" in kinds else MISS


def number_of_look(looks: Sequence[Look], kind: Design, data: str) -> int:
    """Which look of this kind one at these results is. The last one at the same results is not counted again."""
    own = [one for one in looks if one.kind == kind]
    return len(own) if own and own[-1].data == data else len(own) + 1


def earlier_evidence(looks: Sequence[Look], name: str) -> dict[str, Any] | None:
    """What settled a criterion at an earlier sequential look of this journal; ``None`` if nothing did.

    Evidence that came with an imported run decides nothing: its results are looked at anew.
    """
    found = (one.evidence.get(name) for one in looks if one.kind == "sequential" and not one.imported)
    return next((dict(one) for one in found if one is not None and one.get("settled") in ("met", "missed")), None)
