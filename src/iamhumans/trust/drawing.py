"""Drawing the replies that people label: a random part for the estimate, and a targeted part where judges are in doubt.

The random part is a simple random sample of the run, so it can be used by itself. The targeted part takes the first
replies, of those left, in a ranking by doubt. The ranking is fixed before the draw, so the chance of each reply to be
drawn by either part is known exactly:

    The reply at rank r is in the random part with chance n/N. If not, it is targeted if fewer than t of the r - 1
    replies before it are left, that is, if at least r - t of them are in the random part: a hypergeometric chance.

The weight is one over that chance, so a weighted sum over the draw is an unbiased estimate of the sum over the run
(Horvitz and Thompson 1952). Chance comes from a hash of the seed and the reply's key, the same on every machine.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, fields
from fractions import Fraction
from itertools import groupby
from math import ceil, comb
from pathlib import Path
from statistics import median
from typing import Any

from iamhumans.errors import CommandError, InputError, Place
from iamhumans.rubrics import Rubric
from iamhumans.runs.journal.journal import Journal
from iamhumans.runs.journal.queries import RunRecord
from iamhumans.runs.labels import Part
from iamhumans.text import read_text
from iamhumans.trust.label_files import MOST_BYTES, json_values
from iamhumans.verdicts import Judgement

_NEAR = 5  # points from the pass mark within which one axis decides the verdict
_FAR_APART = 3  # points between two scores on one axis that are a disagreement
_TIE, _SPLIT, _OUTCOME, _UNCONFIRMED, _AXIS = 40, 30, 20, 20, 10  # how much each doubt counts
_FIX = "Write the file with `iamhumans calibrate RUN --sample N -o FILE`."


@dataclass(frozen=True, slots=True)
class Candidate:
    """A judged reply. ``doubt`` is 0 where its judgements agree and are clear; ``reasons`` says why it is not."""

    reply_key: str
    case_id: str
    subject: str | None
    number: int
    doubt: int = 0
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Drawn:
    """A drawn reply. ``weight`` is one over its chance of being drawn. ``reasons`` are never shown to the rater."""

    reply_key: str
    case_id: str
    subject: str | None
    number: int
    part: Part
    weight: float
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Draw:
    """A draw from a run. ``replies`` is how many there were to draw from."""

    drawn: tuple[Drawn, ...]
    replies: int

    def part(self, part: Part) -> int:
        """How many replies a part has."""
        return sum(one.part == part for one in self.drawn)


def candidates_of(
    journal: Journal, run: RunRecord, rubric: Rubric, *, subject: str | None = None, holdout_reason: str | None = None
) -> list[Candidate]:
    """The replies of a run, or of one subject, with a verdict, each once; held-out ones only with a reason."""
    shown = (one for one in journal.replies(run) if holdout_reason is not None or not one.case.holdout)
    usable = {one.key for one in shown if subject in (None, one.subject)}
    found: dict[str, Candidate] = {}
    for _, several in groupby(journal.judgements(run), key=lambda one: one.row):
        judged = [one for one in several if one.judged and one.reply_key in usable]
        if judged and judged[0].reply_key not in found:
            first, doubts = judged[0], list(doubts_about(judged, rubric))
            about = first.reply_key, first.case_id or "", first.subject or None, first.number
            points, reasons = sum(points for points, _ in doubts), tuple(reason for _, reason in doubts)
            found[first.reply_key] = Candidate(*about, points, reasons)
    return list(found.values())


def doubts_about(judged: Sequence[Judgement], rubric: Rubric) -> Iterator[tuple[int, str]]:
    """Why the verdicts on a reply are in doubt: points, and the reason in words."""
    yes = Counter(name for one in judged for name in one.present)
    for name in rubric.hard_fail_ids:
        if 0 < yes[name] < len(judged):
            points = _TIE if 2 * yes[name] == len(judged) else _SPLIT
            yield points, f"{yes[name]} of {len(judged)} verdicts say YES to {name}"
    passed = sum(one.verdict == "PASS" for one in judged)
    if 0 < passed < len(judged):
        yield _OUTCOME, f"{passed} of {len(judged)} verdicts are PASS"
    totals = [one.total for one in judged if one.total is not None and not one.present]
    if totals:
        total, mark = median(totals), rubric.scoring.pass_mark
        distance = abs(total - mark)
        if distance <= _NEAR:
            yield round(2 * (2 * _NEAR - distance)), f"a total of {total:g} is near the pass mark of {mark}"
    unconfirmed = {name for one in judged for name in one.unconfirmed}
    for name in rubric.hard_fail_ids:
        if name in unconfirmed:
            yield _UNCONFIRMED, f"a YES to {name} has no quote that is in the reply"
    for name in rubric.axis_ids:
        scores = [score for one in judged if one.axes and (score := one.axes.get(name)) is not None]
        if scores and max(scores) - min(scores) >= _FAR_APART:
            yield _AXIS, f"the scores for {name} range from {min(scores):g} to {max(scores):g}"


def draw(candidates: Sequence[Candidate], count: int, *, seed: str = "", targeted: float = 0.5) -> Draw:
    """Draw replies, all if there are no more than ``count``; ``targeted`` is the share of the targeted part."""
    if not 0 <= targeted <= 1:
        raise CommandError(f"The share of the targeted part is {targeted:g}.", fix="Give a share from 0 to 1.")
    if not candidates:
        fix = "Check `iamhumans report`: is every reply unjudged or held out?"
        raise CommandError("There is no judged reply to draw from.", fix=fix)
    size, count = len(candidates), min(count, len(candidates))
    aimed = min(count - ceil(count * (1 - targeted)), sum(one.doubt > 0 for one in candidates))
    by_chance = count - aimed
    shuffled = sorted(candidates, key=lambda one: chance_order(seed, "random", one.reply_key))
    taken = {one.reply_key for one in shuffled[:by_chance]}
    # Ties in the ranking are broken by another hash, which is independent of the random part.
    ranked = sorted(candidates, key=lambda one: (-one.doubt, chance_order(seed, "targeted", one.reply_key)))
    aimed_at = set([one.reply_key for one in ranked if one.reply_key not in taken][:aimed])
    drawn = []
    for rank, one in enumerate(ranked, start=1):
        if one.reply_key in taken or one.reply_key in aimed_at:
            part: Part = "random" if one.reply_key in taken else "targeted"
            weight = float(1 / chance(rank, size, by_chance, aimed))
            reasons = (one.reasons or ("no other reply was in doubt",)) if part == "targeted" else ()
            drawn.append(Drawn(one.reply_key, one.case_id, one.subject, one.number, part, weight, reasons))
    # Shuffled again: the order of the file must not show which replies are in doubt.
    return Draw(tuple(sorted(drawn, key=lambda one: chance_order(seed, "order", one.reply_key))), size)


def chance(rank: int, size: int, by_chance: int, aimed: int) -> Fraction:
    """How likely the reply at a rank, from 1, is to be drawn: at random, or else among those aimed at."""
    sampled = Fraction(by_chance, size)
    if sampled == 1 or aimed == 0:
        return sampled
    inside = range(max(rank - aimed, 0), min(rank - 1, by_chance) + 1)
    ways = sum(comb(rank - 1, one) * comb(size - rank, by_chance - one) for one in inside)
    return sampled + (1 - sampled) * Fraction(ways, comb(size - 1, by_chance))


def chance_order(*parts: str) -> bytes:
    """A key to sort by that looks random and is the same on every machine."""
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).digest()


def draw_as_json_lines(draw: Draw) -> Iterator[str]:
    """The lines of the file, one for each drawn reply."""
    return (json.dumps(drawn_values(one), ensure_ascii=True) + "\n" for one in draw.drawn)


def drawn_values(one: Drawn) -> dict[str, Any]:
    """A drawn reply as a JSON object, without empty values."""
    values = {part.name: getattr(one, part.name) for part in fields(Drawn)} | {"reasons": list(one.reasons)}
    return {key: value for key, value in values.items() if value not in (None, [])}


def read_draw(path: Path, keys: Collection[str]) -> tuple[Drawn, ...]:
    """The drawn replies of a file, all among the replies of the run with these keys."""
    from pydantic import TypeAdapter, ValidationError

    adapter, drawn = TypeAdapter(Drawn), dict[str, Drawn]()
    for line, value in json_values(read_text(path, limit=MOST_BYTES)):
        place = Place(path, line)
        if isinstance(value, InputError):
            raise InputError(value.what, fix=_FIX, where=place)
        try:
            one = adapter.validate_python({"case_id": "", "subject": None, "number": 1, **value})
        except ValidationError as error:
            first = error.errors()[0]
            raise InputError(f"`{first['loc'][0]}`: {first['msg']}.", fix=_FIX, where=place) from None
        if one.weight < 1 or one.number < 1:
            raise InputError("`weight` and `number` must be at least 1.", fix=_FIX, where=place)
        drawn[one.reply_key] = one
    if not drawn:
        raise InputError("The file holds no drawn reply.", fix=_FIX, where=Place(path))
    missing = sum(key not in keys for key in drawn)
    if missing:
        problem = f"{missing} of the {len(drawn)} replies of the draw cannot be labelled in this run."
        raise CommandError(problem, fix="Name the run that they were drawn from.", where=Place(path))
    return tuple(drawn.values())
