"""A calibration: what people's labels say about a judge, bound to everything that can change what the judge says."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from iamhumans.errors import CannotRunError
from iamhumans.rubrics import AXIS_MAXIMUM, Rubric
from iamhumans.runs.keys import canonical_json
from iamhumans.runs.labels import Label
from iamhumans.trust.agreement import AxisMap, Criterion, compare_with_people
from iamhumans.trust.judge_identity import JudgeIdentity
from iamhumans.trust.people import Judged, LabelledReply, People
from iamhumans.verdicts import mean_total


@dataclass(frozen=True, slots=True)
class Answers:
    """What one side says about a reply; missing answers are absent. ``axes`` holds those at stake."""

    flags: Mapping[str, bool]
    axes: Mapping[str, float]
    zeroed: bool | None
    total: float | None


@dataclass(frozen=True, slots=True)
class Pair:
    """A reply that both the judge and people judged: its key, its case, its weight, and the answers of both.

    ``drawn`` says whether it was drawn by a recorded design: its label holds the part of the draw, and its weight.
    """

    reply: str
    case: str
    weight: float
    judge: Answers
    people: Answers
    drawn: bool


@dataclass(frozen=True, slots=True)
class LabelSource:
    """The labels of a calibration: their SHA-256, how many, of how many replies, cases and raters, drawn how."""

    hash: str
    labels: int
    replies: int
    cases: int
    raters: int
    random: int
    targeted: int


@dataclass(frozen=True, slots=True)
class Calibration:
    """A judge's calibration. ``created`` is for people to read; nothing depends on it."""

    identity: JudgeIdentity
    rubric_name: str
    run: str
    created: str
    labels: LabelSource
    criteria: tuple[Criterion, ...]
    maps: Mapping[str, AxisMap]
    notes: tuple[str, ...]
    pairs: tuple[Pair, ...]

    def criterion(self, name: str) -> Criterion | None:
        """The figures of a hard fail, an axis, or ``zeroed``."""
        return next((one for one in self.criteria if one.name == name), None)

    @property
    def about(self) -> list[str]:
        """The hard fails and axes on which the judge was compared with people."""
        return [one.name for one in self.criteria if one.kind in ("hard_fail", "axis") and one.compared]


def calibrate(
    people: People, judged: Sequence[Judged], rubric: Rubric, identity: JudgeIdentity, run: str, *, created: str = ""
) -> Calibration:
    """Compare a judge with people. ``run`` is the name of the run; ``created`` is now, if not given."""
    by_reply = {one.reply_key: one for one in judged}
    both = [reply for reply in people.replies if reply.reply_key in by_reply]
    pairs = tuple(_pair(reply, by_reply[reply.reply_key], rubric) for reply in both)
    if not any(pair.people.flags or pair.people.axes for pair in pairs):
        raise CannotRunError(
            f"No label is about a reply of run {run} that the judge judged, or none is about this rubric.",
            fix="Check that the labels belong to this run, and the ids of hard fails and axes.",
        )
    labels = [label for reply in people.replies for label in reply.labels]
    drawn = people.of_part("random"), people.of_part("targeted")
    counts = len(labels), len(people.replies), len(set(people.clusters)), len(people.raters), *drawn
    source, figures = LabelSource(labels_hash(labels), *counts), compare_with_people(people, by_reply, rubric)
    created = created or datetime.now(UTC).isoformat(timespec="seconds")
    return Calibration(identity, rubric.name, run, created, source, *figures, pairs)


def labels_hash(labels: Sequence[Label]) -> str:
    """SHA-256 of labels in any order, without notes and words, which change no figure."""
    rows = [
        [one.reply_key, one.case_id, one.rater, dict(one.flags), dict(one.axes), one.part, one.weight] for one in labels
    ]
    return hashlib.sha256(canonical_json(sorted(canonical_json(row) for row in rows)).encode()).hexdigest()


def _pair(reply: LabelledReply, judged: Judged, rubric: Rubric) -> Pair:
    judge = Answers(
        flags=dict(judged.flags),
        axes={name: float(value) for name in rubric.axis_ids if (value := judged.at_stake(name)) is not None},
        zeroed=judged.zeroed,
        total=None if judged.total is None else float(judged.total),
    )
    flags = {name: said for name in rubric.hard_fail_ids if isinstance(said := reply.flag(name), bool)}
    axes = {name: value for name in rubric.axis_ids if (value := reply.axis(name)) is not None}
    zeroed = reply.zeroed(rubric.hard_fail_ids)
    people = Answers(flags, axes, zeroed, _total(zeroed, axes, judged, rubric))
    drawn = any(label.part is not None and label.weight is not None for label in reply.labels)
    return Pair(reply.reply_key, reply.case_id, reply.weight, judge, people, drawn)


def _total(zeroed: bool | None, axes: Mapping[str, float], judged: Judged, rubric: Rubric) -> float | None:
    # An axis that is not at stake counts as it does for the judge. A zeroed reply needs all its axes too: otherwise
    # zeroed replies would have a total and most others none, and the mean of people would be near 0.
    counted = {**axes, **{name: judged.axes.get(name, float(AXIS_MAXIMUM)) for name in judged.defaulted}}
    known = [counted[name] for name in rubric.axis_ids if name in counted]
    if zeroed is None or len(known) < len(rubric.axis_ids):
        return None
    return 0.0 if zeroed else float(mean_total(known))
