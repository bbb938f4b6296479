"""What a report holds, whatever it is printed as.

The rows may be many and come out of a journal, so they are gone through once and only what is shown of them is kept:
figures for each group, and a bounded number of rows, failures and differences.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from iamhumans.rubrics import Rubric
from iamhumans.runs.records import JudgedRow
from iamhumans.runs.rows import RunRows
from iamhumans.stats import Observation, Observed, Summary, Tally
from iamhumans.verdicts import Unjudged, Verdict

MOST_ROWS = 200
"""How many rows a report for people shows at most."""
MOST_REASONS = 60


@dataclass(frozen=True, slots=True)
class Group:
    """The figures of one subject under one judge."""

    subject: str
    judge: str
    summary: Summary


@dataclass(slots=True)
class Digest:
    """What one pass over the rows leaves."""

    groups: Sequence[Group]
    summary: Summary
    count: int = 0
    rows: list[JudgedRow] = field(default_factory=list)
    """The first ones."""
    failed: list[JudgedRow] = field(default_factory=list)
    """The first that failed or are unjudged."""
    differing: list[JudgedRow] = field(default_factory=list)
    """The first whose judge claimed something else than follows from its answers."""
    failures: int = 0
    """Of both kinds."""
    zeroed_or_low: int = 0
    """The judged ones among them."""
    differences: int = 0


@dataclass(frozen=True)
class Report:
    """A set of judgements under one rubric, in the order of the input.

    Attributes:
        title: A line for people.
        rubric: What was judged by.
        rows: The judgements; gone through anew for each use, so no one-time iterator.
        run: What the journal calls the run.
        grouped: False where every row is known to be a case of its own, which needs less memory.
    """

    title: str
    rubric: Rubric
    rows: Iterable[JudgedRow]
    run: str = ""
    grouped: bool = True

    @cached_property
    def digest(self) -> Digest:
        """Figures and what is shown of the rows, by one pass."""
        tallies: dict[tuple[str, str], Tally] = {}
        digest = Digest((), self._tally().summary())
        seen_rows, whole = _seen(self.rows)
        for judge, seen, row in seen_rows:
            subject = seen.reply[0]
            group = tallies.get((subject, judge))
            if group is None:
                group = tallies[subject, judge] = self._tally()
            group.add(seen)
            digest.count += 1
            # A row without a verdict passes no more than one that fails.
            if not seen.passed or seen.differences or digest.count <= MOST_ROWS:
                _collect(seen, row, whole, digest)
        digest.groups = [Group(subject, judge, tally.summary()) for (subject, judge), tally in tallies.items()]
        digest.summary = digest.groups[0].summary if len(tallies) == 1 else self._together(tallies.values())
        return digest

    def _together(self, tallies: Iterable[Tally]) -> Summary:
        whole = self._tally()
        for tally in tallies:
            whole.take(tally)
        return whole.summary()

    @property
    def groups(self) -> Sequence[Group]:
        """One for each subject and judge, in the order in which they first appear."""
        return self.digest.groups

    @property
    def summary(self) -> Summary:
        """The figures over all rows."""
        return self.digest.summary

    @property
    def judges(self) -> tuple[str, ...]:
        """Names of the judges, in the order in which they first appear."""
        return tuple(dict.fromkeys(group.judge for group in self.groups))

    @property
    def subjects(self) -> tuple[str, ...]:
        """Names of the subjects, in the order in which they first appear; empty for replies that do not say."""
        return tuple(dict.fromkeys(group.subject for group in self.groups))

    def _tally(self) -> Tally:
        return Tally(self.rubric.axis_ids, self.rubric.hard_fail_ids, grouped=self.grouped)


_Seen = tuple[str, Observed, Any]
"""Who judged, what was seen as far as figures go, and what the whole row is got by."""


def _seen(rows: Iterable[JudgedRow]) -> tuple[Iterator[_Seen], Callable[[Any], JudgedRow]]:
    """Each row as far as figures go, and how to get a whole row: of a run in a journal only those shown are read."""
    if isinstance(rows, RunRows):
        return ((one.judge, one, one.row) for one in rows.figures()), rows.row
    return ((row.judge, observation(row), row) for row in rows), _itself


def _itself(row: JudgedRow) -> JudgedRow:
    return row


def _collect(seen: Observed, row: Any, whole: Callable[[Any], JudgedRow], digest: Digest) -> None:
    if digest.count <= MOST_ROWS:
        digest.rows.append(whole(row))
    if not seen.passed:
        digest.failures += 1
        digest.zeroed_or_low += seen.total is not None
        if len(digest.failed) < MOST_REASONS:
            digest.failed.append(whole(row))
    if seen.differences:
        digest.differences += 1
        if len(digest.differing) < MOST_REASONS:
            digest.differing.append(whole(row))


def observation(row: JudgedRow) -> Observation:
    """A judged row as an observation of the statistics."""
    judgement, score = row.judgement, row.score
    reply = (row.subject, row.number)
    if isinstance(judgement, Unjudged) or score is None:
        reason = judgement.reason.value if isinstance(judgement, Unjudged) else None
        return Observation(row.case_id, reply, reason=reason)
    return Observation(
        case_id=row.case_id,
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
