"""What several people say about the same replies, one by one and combined.

A hard fail is present if more than half of those who could tell say so. A tie is *split*: counted, but no answer.
An axis is the median of those who could tell. "Cannot tell" is counted, and is no answer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import median
from typing import TYPE_CHECKING, Final, Literal

from iamhumans.runs.labels import Label, Part

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Kind = Literal["hard_fail", "axis"]
SPLIT: Final = "split"  # in place of an answer: as many say YES as say NO


@dataclass(frozen=True, slots=True)
class Judged:
    """What a judge, or a panel, said about one reply.

    Of a hard fail that the judge does not see in full it is known whether it flags the reply. Its silence (``silent``)
    is no NO, but labels show how often a fault is behind it. So it is compared as "not flagged".
    """

    reply_key: str
    case_id: str
    flags: Mapping[str, bool]  # of several votes, what most of them say
    zeroed: bool  # by the rule for votes: it may be, although no flag has most votes
    axes: Mapping[str, float]  # all axes as they count
    total: int | None  # None in a run in which the judge does not see every criterion
    defaulted: frozenset[str] = frozenset()  # the axes that were not at stake
    subject: str = ""
    silent: frozenset[str] = frozenset()  # the hard fails on which it is silent

    def at_stake(self, name: str) -> float | None:
        """The score on an axis; ``None`` where it was not at stake."""
        return None if name in self.defaulted else self.axes.get(name)


@dataclass(frozen=True, slots=True)
class LabelledReply:
    """One reply with all its labels."""

    reply_key: str
    case_id: str
    labels: tuple[Label, ...]
    weight: float = 1.0
    part: Part | None = None

    def answers(self, kind: Kind, name: str) -> dict[str, bool | float | None]:
        """What each rater who was asked says about a hard fail or an axis; ``None`` is "cannot tell"."""
        both = ((label.rater, label.flags if kind == "hard_fail" else label.axes) for label in self.labels)
        return {rater: said[name] for rater, said in both if name in said}

    def flag(self, name: str) -> bool | Literal["split"] | None:
        """The combined answer on a hard fail; ``None`` where nobody has one."""
        said = [one for one in self.answers("hard_fail", name).values() if one is not None]
        yes = sum(map(bool, said))
        return None if not said else SPLIT if 2 * yes == len(said) else 2 * yes > len(said)

    def axis(self, name: str) -> float | None:
        """The combined score on an axis."""
        given = [one for one in self.answers("axis", name).values() if one is not None]
        return float(median(given)) if given else None

    def asked(self, hard_fails: Sequence[str]) -> bool:
        """Whether somebody was asked about each of these."""
        return all(self.answers("hard_fail", name) for name in hard_fails)

    def zeroed(self, hard_fails: Sequence[str]) -> bool | None:
        """Whether people zero the reply; ``None`` where an answer that decides it is split or missing."""
        # Unless people were asked about every hard fail, only a YES would decide it, so all known answers would be YES.
        if not self.asked(hard_fails):
            return None
        said = [self.flag(name) for name in hard_fails]
        return True if True in said else False if said and all(one is False for one in said) else None


@dataclass(frozen=True)
class People:
    """The labelled replies in a fixed order."""

    replies: tuple[LabelledReply, ...]
    raters: tuple[str, ...] = ()

    @cached_property
    def clusters(self) -> list[str]:
        """The case of each reply."""
        return [reply.case_id for reply in self.replies]

    @cached_property
    def weights(self) -> NDArray[np.float64]:
        """The weight of each reply."""
        return numbers([reply.weight for reply in self.replies])

    def of_part(self, part: Part | None) -> int:
        """How many replies are from this part of a draw."""
        return sum(reply.part == part for reply in self.replies)

    def table(self, kind: Kind, name: str) -> NDArray[np.float64]:
        """A row for each reply and a column for each rater; NaN where there is no answer."""
        rows = [reply.answers(kind, name) for reply in self.replies]
        return numbers([row.get(rater) for row in rows for rater in self.raters]).reshape(len(rows), len(self.raters))

    def combined(self, kind: Kind, name: str) -> NDArray[np.float64]:
        """The combined answer on each reply; NaN where there is none."""
        said = [reply.flag(name) if kind == "hard_fail" else reply.axis(name) for reply in self.replies]
        return numbers([None if one == SPLIT else one for one in said])

    def split(self, name: str) -> int:
        """On how many replies people are split over a hard fail."""
        return sum(reply.flag(name) == SPLIT for reply in self.replies)

    def cannot_tell(self, kind: Kind, name: str) -> int:
        """How many labels say "cannot tell"."""
        return sum(one is None for reply in self.replies for one in reply.answers(kind, name).values())


def numbers(values: Sequence[bool | float | str | None]) -> NDArray[np.float64]:
    """Values as an array, with NaN for ``None``."""
    import numpy as np

    return np.array([np.nan if value is None else float(value) for value in values], dtype=np.float64)


def people_of(labels: Iterable[Label]) -> People:
    """The labelled replies. A rater's later label of a reply wins; one without an answer or a reply is left out."""
    by_reply: dict[str, dict[str, Label]] = {}
    for label in labels:
        if label.reply_key is not None and (label.flags or label.axes):
            by_reply.setdefault(label.reply_key, {})[label.rater] = label
    replies = tuple(_reply(key, tuple(own.values())) for key, own in by_reply.items())
    # Sorted by how much they did, so that the columns of a table do not depend on the order of the labels.
    done = Counter(label.rater for reply in replies for label in reply.labels)
    return People(replies, tuple(sorted(done, key=lambda rater: (-done[rater], rater))))


def _reply(key: str, labels: tuple[Label, ...]) -> LabelledReply:
    weight = next((label.weight for label in labels if label.weight is not None), 1.0)
    case_id = next((label.case_id for label in labels if label.case_id), key)
    return LabelledReply(key, case_id, labels, weight, next((one.part for one in labels if one.part is not None), None))
