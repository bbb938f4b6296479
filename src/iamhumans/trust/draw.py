"""Drawing the replies that people label: a random part for the estimate, and a targeted one.

The random part is a simple random sample of all replies, each as likely as any other, so it may be used by itself. The
targeted part takes, from what that left, those in front of a ranking by how much a person's look at them is worth.
The ranking is fixed before anything is drawn, so the chance of a reply to be drawn *by either part* is known exactly:

    a reply at rank r is in the random part with chance n/N; else it is targeted if fewer than t of the r - 1 replies
    in front of it were left, that is, if at least r - t of them are among the n that were drawn at random, which is
    hypergeometric.

Its weight is the inverse of that chance, so a weighted sum over the draw is an unbiased estimate of the sum over the
run (Horvitz and Thompson 1952, Journal of the American Statistical Association 47, 663-685).

Chance is a hash of a seed and the reply's key: the same draw on every machine, and no reply twice.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, comb

from iamhumans.errors import CommandError
from iamhumans.runs.labels import Part
from iamhumans.trust.worth import Candidate

_MADE_UP = "there was nothing more that judges were at odds about"


@dataclass(frozen=True, slots=True)
class Drawn:
    """A reply that was drawn. ``reasons`` is for whoever plans, and is never shown to whoever labels."""

    reply_key: str
    case_id: str
    subject: str | None
    number: int
    part: Part
    weight: float
    """The inverse of the chance of being drawn by either part."""
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Draw:
    """A draw from a run. ``replies`` is how many there were to draw from."""

    drawn: tuple[Drawn, ...]
    replies: int

    def part(self, part: Part) -> int:
        """How many replies a part has."""
        return sum(one.part == part for one in self.drawn)


def draw(candidates: Sequence[Candidate], count: int, *, seed: str = "", targeted: float = 0.5) -> Draw:
    """Draw replies; all of them where there are no more than ``count``.

    Args:
        candidates: What there is to draw from, each once.
        count: How many to draw.
        seed: For another draw.
        targeted: The share of the targeted part; rounded so that the random part is rather larger. It is smaller
            where fewer replies are worth a look than that.

    Raises:
        CommandError: There is nothing to draw from, or the share is none.
    """
    if not 0 <= targeted <= 1:
        raise CommandError(f"The share of the targeted part is {targeted:g}.", fix="It goes from 0 to 1.")
    if not candidates:
        raise CommandError("There is no judged reply to draw from.", fix="Is every reply of the run unjudged?")
    size = len(candidates)
    count = min(count, size)
    worth_a_look = sum(one.interest > 0 for one in candidates)
    aimed = min(count - ceil(count * (1 - targeted)), worth_a_look)
    by_chance = count - aimed
    shuffled = sorted(candidates, key=lambda one: _place(seed, "random", one.reply_key))
    taken = {one.reply_key for one in shuffled[:by_chance]}
    # Equal ones by a chance of their own, which has nothing to do with who is in the random part.
    ranked = sorted(candidates, key=lambda one: (-one.interest, _place(seed, "targeted", one.reply_key)))
    left = [one.reply_key for one in ranked if one.reply_key not in taken]
    aimed_at = set(left[:aimed])
    drawn = [
        _drawn(one, "random" if one.reply_key in taken else "targeted", chance(rank, size, by_chance, aimed))
        for rank, one in enumerate(ranked, start=1)
        if one.reply_key in taken or one.reply_key in aimed_at
    ]
    # Not by rank: whoever opens the file should not learn from the order what is in doubt.
    return Draw(tuple(sorted(drawn, key=lambda one: _place(seed, "order", one.reply_key))), size)


def chance(rank: int, size: int, by_chance: int, aimed: int) -> Fraction:
    """How likely the reply at a rank is to be drawn by either part.

    Args:
        rank: Its place in the ranking, from 1.
        size: How many replies there are.
        by_chance: How many the random part takes.
        aimed: How many the targeted part takes of the rest.
    """
    sampled = Fraction(by_chance, size)
    if sampled == 1 or aimed == 0:
        return sampled
    ahead = rank - 1
    ways = sum(
        comb(ahead, inside) * comb(size - 1 - ahead, by_chance - inside)
        for inside in range(max(rank - aimed, 0), min(ahead, by_chance) + 1)
    )
    return sampled + (1 - sampled) * Fraction(ways, comb(size - 1, by_chance))


def _drawn(one: Candidate, part: Part, probability: Fraction) -> Drawn:
    reasons = (one.reasons or (_MADE_UP,)) if part == "targeted" else ()
    return Drawn(one.reply_key, one.case_id, one.subject, one.number, part, float(1 / probability), reasons)


def _place(*parts: str) -> bytes:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).digest()
