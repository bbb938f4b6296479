"""What several people say of the same replies, side by side and as one.

1. A hard fail is there if more than half of those who could tell say so. A tie is *people split*: it is counted and
   takes no further part, since there is then no answer to hold a judge against.
2. An axis is the median of those who could tell.
3. "Cannot tell" is counted and is no answer; what was not asked is nothing at all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from statistics import median
from typing import TYPE_CHECKING, Final, Literal

from iamhumans.trust.labels import Label, Part

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Kind = Literal["hard_fail", "axis"]
SPLIT: Final = "split"
"""In the place of an answer: as many say YES as say NO."""


@dataclass(frozen=True, slots=True)
class LabelledReply:
    """One reply with all that people said of it."""

    reply_key: str
    case_id: str
    labels: tuple[Label, ...]
    weight: float = 1.0
    part: Part | None = None

    def flag(self, name: str) -> bool | Literal["split"] | None:
        """What people say of a hard fail: YES, NO, ``split``, or ``None`` where nobody could tell or was asked."""
        said = [label.flags[name] for label in self.labels if label.flags.get(name) is not None]
        yes = sum(bool(one) for one in said)
        if not said:
            return None
        if 2 * yes == len(said):
            return SPLIT
        return 2 * yes > len(said)

    def axis(self, name: str) -> float | None:
        """What people give an axis."""
        given = [value for label in self.labels if (value := label.axes.get(name)) is not None]
        return float(median(given)) if given else None

    def asked(self, hard_fails: Sequence[str]) -> bool:
        """Whether somebody was asked about each of these."""
        return all(any(name in label.flags for label in self.labels) for name in hard_fails)

    def zeroed(self, hard_fails: Sequence[str]) -> bool | None:
        """Whether people zero the reply; ``None`` where that hangs on an answer that is split or missing.

        Never where not all hard fails were asked about: then a YES would settle it and a NO would not, and all that
        were settled would be zeroed.
        """
        if not self.asked(hard_fails):
            return None
        said = [self.flag(name) for name in hard_fails]
        if True in said:
            return True
        return False if said and all(one is False for one in said) else None


@dataclass(frozen=True)
class People:
    """The labelled replies, in a fixed order."""

    replies: tuple[LabelledReply, ...]
    raters: tuple[str, ...] = field(default=())

    def __len__(self) -> int:
        return len(self.replies)

    @cached_property
    def clusters(self) -> list[str]:
        """The case of each reply."""
        return [reply.case_id for reply in self.replies]

    @cached_property
    def cases(self) -> int:
        """How many cases there are."""
        return len(set(self.clusters))

    @cached_property
    def weights(self) -> NDArray[np.float64]:
        """How much each reply counts."""
        import numpy as np

        return np.array([reply.weight for reply in self.replies], dtype=np.float64)

    @property
    def labels(self) -> int:
        """How many labels there are."""
        return sum(len(reply.labels) for reply in self.replies)

    def of_part(self, part: Part | None) -> int:
        """How many replies came from a part of the draw."""
        return sum(reply.part == part for reply in self.replies)

    def table(self, kind: Kind, name: str) -> NDArray[np.float64]:
        """A row for each reply, a column for each rater; NaN where there is no answer."""
        import numpy as np

        places = {rater: place for place, rater in enumerate(self.raters)}
        found = np.full((len(self.replies), len(self.raters)), np.nan)
        for row, reply in enumerate(self.replies):
            for label in reply.labels:
                said = label.flags.get(name) if kind == "hard_fail" else label.axes.get(name)
                if said is not None:
                    found[row, places[label.rater]] = float(said)
        return found

    def combined(self, kind: Kind, name: str) -> NDArray[np.float64]:
        """What people say of each reply as one; NaN where nothing, or where they are split."""
        import numpy as np

        said = [reply.flag(name) if kind == "hard_fail" else reply.axis(name) for reply in self.replies]
        return np.array([np.nan if one is None or one == SPLIT else float(one) for one in said], dtype=np.float64)

    def split(self, name: str) -> int:
        """On how many replies people are split over a hard fail."""
        return sum(reply.flag(name) == SPLIT for reply in self.replies)

    def cannot_tell(self, kind: Kind, name: str) -> int:
        """How many labels say "cannot tell"."""
        group = [label.flags if kind == "hard_fail" else label.axes for r in self.replies for label in r.labels]
        return sum(name in answers and answers[name] is None for answers in group)

    def zeroed(self, hard_fails: Sequence[str]) -> NDArray[np.float64]:
        """Whether people zero each reply; NaN where that is open."""
        import numpy as np

        said = [reply.zeroed(hard_fails) for reply in self.replies]
        return np.array([np.nan if one is None else float(one) for one in said], dtype=np.float64)


def people_of(labels: Iterable[Label]) -> People:
    """The labelled replies of labels that know theirs; others are passed over.

    A reply that was not drawn counts once. Of one rater's several labels of a reply the last one stands.
    """
    by_reply: dict[str, dict[str, Label]] = {}
    for label in labels:
        if label.reply_key is not None and (label.flags or label.axes):
            by_reply.setdefault(label.reply_key, {})[label.rater] = label
    replies = tuple(_reply(key, tuple(own.values())) for key, own in by_reply.items())
    # By how much they did, so that a table's columns do not hang on who came first.
    done = Counter(label.rater for reply in replies for label in reply.labels)
    return People(replies, tuple(sorted(done, key=lambda rater: (-done[rater], rater))))


def _reply(key: str, labels: tuple[Label, ...]) -> LabelledReply:
    drawn = next((label for label in labels if label.weight is not None), None)
    case_id = next((label.case_id for label in labels if label.case_id), key)
    weight = 1.0 if drawn is None or drawn.weight is None else drawn.weight
    part = next((label.part for label in labels if label.part is not None), None)
    return LabelledReply(key, case_id, labels, weight, part)


@dataclass(frozen=True, slots=True)
class Judged:
    """What a judge, or a panel, said of one reply. ``None`` in the place of a hard fail is a tie of its votes."""

    reply_key: str
    case_id: str
    flags: Mapping[str, bool | None]
    axes: Mapping[str, float]
    """All axes as they count, defaulted ones too."""
    total: int
    """The total, ties counted as NO."""
    defaulted: frozenset[str] = frozenset()
    subject: str = ""

    @property
    def zeroed(self) -> bool | None:
        """Whether a hard fail makes the total 0; ``None`` where that hangs on a tie."""
        if True in self.flags.values():
            return True
        return None if None in self.flags.values() else False

    def at_stake(self, name: str) -> float | None:
        """An axis, where it was at stake."""
        return None if name in self.defaulted else self.axes.get(name)
