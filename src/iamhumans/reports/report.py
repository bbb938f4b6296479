"""What a report holds, whatever it is printed as."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby

from iamhumans.rubrics import Rubric
from iamhumans.runs.records import JudgedRow
from iamhumans.stats import Observation, Summary, summarise
from iamhumans.verdicts import Unjudged, Verdict


@dataclass(frozen=True, slots=True)
class Group:
    """The judgements of one subject by one judge, with their figures."""

    subject: str
    judge: str
    rows: Sequence[JudgedRow]
    summary: Summary


@dataclass(frozen=True)
class Report:
    """A set of judgements under one rubric, in the order of the input."""

    title: str
    rubric: Rubric
    rows: Sequence[JudgedRow]
    run: str = ""

    @cached_property
    def groups(self) -> tuple[Group, ...]:
        """One group for each subject and judge, in the order in which they first appear."""
        order: dict[tuple[str, str], int] = {}
        for row in self.rows:
            order.setdefault(_group_key(row), len(order))
        ordered = sorted(self.rows, key=lambda row: order[_group_key(row)])
        return tuple(
            Group(subject, judge, members, self._summary(members))
            for (subject, judge), found in groupby(ordered, key=_group_key)
            for members in [list(found)]
        )

    @cached_property
    def judges(self) -> tuple[str, ...]:
        """Names of the judges, in the order in which they first appear."""
        return tuple(dict.fromkeys(row.judge for row in self.rows))

    @cached_property
    def summary(self) -> Summary:
        """The figures over all rows."""
        return self._summary(self.rows)

    def _summary(self, rows: Sequence[JudgedRow]) -> Summary:
        return summarise(map(observation, rows), self.rubric.axis_ids, self.rubric.hard_fail_ids)


def _group_key(row: JudgedRow) -> tuple[str, str]:
    return (row.task.reply.subject, row.judge)


def observation(row: JudgedRow) -> Observation:
    """A judged row as an observation of the statistics."""
    task, judgement, score = row.task, row.judgement, row.score
    reply = (task.reply.subject, task.reply.number)
    if isinstance(judgement, Unjudged) or score is None:
        reason = judgement.reason.value if isinstance(judgement, Unjudged) else None
        return Observation(task.case.id, reply, reason=reason)
    return Observation(
        case_id=task.case.id,
        reply=reply,
        total=score.total,
        passed=score.outcome == "PASS",
        total_confirmed=score.total_confirmed,
        applicable_total=score.applicable_total,
        axes=at_stake(row),
        hard_fails=hard_fails_of(judgement),
        unconfirmed=score.unconfirmed,
        differences=score.differences,
        repaired=bool(judgement.repairs),
    )


def at_stake(row: JudgedRow) -> Mapping[str, float]:
    """The axes of a judged row that were not defaulted."""
    if row.score is None:
        return {}
    return {name: value for name, value in row.score.axes.items() if name not in row.score.defaulted}


def hard_fails_of(judgement: Verdict) -> tuple[str, ...]:
    """The hard fails that a verdict answers with YES."""
    return tuple(name for name, flag in judgement.flags.items() if flag.present)
