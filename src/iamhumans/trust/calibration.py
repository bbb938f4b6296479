"""What was learned about a judge from people's labels, bound to all of the judge that could change it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from iamhumans.errors import CannotRunError
from iamhumans.rubrics import Rubric
from iamhumans.runs.keys import canonical_json
from iamhumans.trust.agreement import AxisMap, Criterion, compare_with_people
from iamhumans.trust.labels import Label
from iamhumans.trust.people import Judged, LabelledReply, People
from iamhumans.trust.standing import JudgeIdentity
from iamhumans.verdicts import mean_total

_BEST = 10.0


@dataclass(frozen=True, slots=True)
class Answers:
    """What one side says of a reply. Absent is what it has no answer for."""

    flags: Mapping[str, bool]
    axes: Mapping[str, float]
    """Only those at stake."""
    zeroed: bool | None
    total: float | None


@dataclass(frozen=True, slots=True)
class Pair:
    """A reply that both the judge and people have judged: what corrections are made of."""

    reply: str
    """The reply's key."""
    case: str
    weight: float
    judge: Answers
    people: Answers


@dataclass(frozen=True, slots=True)
class LabelSource:
    """Where the labels came from."""

    hash: str
    """SHA-256 of all of them: other labels, another hash."""
    labels: int
    replies: int
    cases: int
    raters: int
    random: int
    """Replies of the random part of a draw."""
    targeted: int


@dataclass(frozen=True, slots=True)
class Calibration:
    """A judge's calibration. ``created`` is for people; nothing is decided by it."""

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


def calibrate(
    people: People,
    judged: Sequence[Judged],
    rubric: Rubric,
    identity: JudgeIdentity,
    run: str,
    *,
    created: str | None = None,
) -> Calibration:
    """Compare a judge with people.

    Args:
        people: What people said.
        judged: What the judge said of the run's replies.
        rubric: What it judged by.
        identity: The judge.
        run: The run's name.
        created: When; now, if not given.

    Raises:
        CannotRunError: Nothing that people answered was judged too.
    """
    by_reply = {one.reply_key: one for one in judged}
    pairs = tuple(
        _pair(reply, by_reply[reply.reply_key], rubric) for reply in people.replies if reply.reply_key in by_reply
    )
    known = (*rubric.hard_fail_ids, *rubric.axis_ids)
    if not any({*pair.people.flags, *pair.people.axes} & set(known) for pair in pairs):
        raise CannotRunError(
            f"No label is about a reply of run {run} that the judge judged, or none asks what its rubric asks.",
            fix="Check that the labels belong to this run, and the ids of hard fails and axes.",
        )
    compared = compare_with_people(people, by_reply, rubric)
    return Calibration(
        identity=identity,
        rubric_name=rubric.name,
        run=run,
        created=created or datetime.now(UTC).isoformat(timespec="seconds"),
        labels=_source(people),
        criteria=compared.criteria,
        maps=compared.maps,
        notes=compared.notes,
        pairs=pairs,
    )


def _source(people: People) -> LabelSource:
    return LabelSource(
        hash=labels_hash([label for reply in people.replies for label in reply.labels]),
        labels=people.labels,
        replies=len(people),
        cases=people.cases,
        raters=len(people.raters),
        random=people.of_part("random"),
        targeted=people.of_part("targeted"),
    )


def labels_hash(labels: Sequence[Label]) -> str:
    """SHA-256 of labels, in whatever order they come; notes and words apart, which change no figure."""
    rows = [
        [one.reply_key, one.case_id, one.rater, dict(one.flags), dict(one.axes), one.part, one.weight] for one in labels
    ]
    content = canonical_json(sorted(canonical_json(row) for row in rows))
    return hashlib.sha256(content.encode()).hexdigest()


def _pair(reply: LabelledReply, judged: Judged, rubric: Rubric) -> Pair:
    return Pair(
        reply=reply.reply_key,
        case=reply.case_id,
        weight=reply.weight,
        judge=Answers(
            flags={name: said for name, said in judged.flags.items() if said is not None},
            axes={name: float(value) for name in rubric.axis_ids if (value := judged.at_stake(name)) is not None},
            zeroed=judged.zeroed,
            total=None if judged.zeroed is None else float(judged.total),
        ),
        people=_answers_of_people(reply, judged, rubric),
    )


def _answers_of_people(reply: LabelledReply, judged: Judged, rubric: Rubric) -> Answers:
    flags = {name: said for name in rubric.hard_fail_ids if isinstance(said := reply.flag(name), bool)}
    axes = {name: value for name in rubric.axis_ids if (value := reply.axis(name)) is not None}
    zeroed = reply.zeroed(rubric.hard_fail_ids)
    return Answers(flags, axes, zeroed, _total(zeroed, axes, judged, rubric))


def _total(zeroed: bool | None, axes: Mapping[str, float], judged: Judged, rubric: Rubric) -> float | None:
    """The total by the rubric's rule; an axis that is not at stake counts as it does for the judge.

    A zeroed reply needs its axes too. If it did not, and axes were asked of some replies or not all of them were asked,
    zeroed replies would have a total and most others none, and people's mean would come out near 0.
    """
    if zeroed is None:
        return None
    given = [judged.axes.get(name, _BEST) if name in judged.defaulted else axes.get(name) for name in rubric.axis_ids]
    known = [value for value in given if value is not None]
    if len(known) < len(given):
        return None
    return 0.0 if zeroed else float(mean_total(known))
