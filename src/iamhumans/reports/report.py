"""What a report holds, whatever it is printed as.

The rows may be many and come out of a journal, so they are gone through once and only what is shown of them is kept:
figures for each group, and a bounded number of rows, failures and differences.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any

from iamhumans.rubrics import Rubric
from iamhumans.runs.journal import FigureRow
from iamhumans.runs.records import JudgedRow
from iamhumans.runs.rows import RunRows
from iamhumans.stats import Summary, Tally
from iamhumans.verdicts import FlagAnswer, Judgement, Verdict, judgement_of

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
        judgements, whole = _judgements(self.rows, self.rubric)
        for judgement, row in judgements:
            place = (judgement.subject, judgement.judge)
            group = tallies.get(place)
            if group is None:
                group = tallies[place] = self._tally()
            group.add(judgement)
            digest.count += 1
            # A row without a verdict passes no more than one that fails.
            if judgement.verdict != "PASS" or judgement.differences or digest.count <= MOST_ROWS:
                _collect(judgement, row, whole, digest)
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


def _judgements(
    rows: Iterable[JudgedRow], rubric: Rubric
) -> tuple[Iterator[tuple[Judgement, Any]], Callable[[Any], JudgedRow]]:
    """Each judgement, and how to get its whole row: of a run in a journal only the rows that are shown are read."""
    if isinstance(rows, RunRows):
        flags = tuple(rubric.hard_fail_ids)
        return ((_of_figures(one, flags), one.row) for one in rows.figures()), rows.row
    return ((_of_row(row), row) for row in rows), _itself


def _of_figures(one: FigureRow, flags: tuple[str, ...]) -> Judgement:
    subject, number = one.reply
    place: dict[str, Any] = {
        "row": one.row,
        "case_id": one.case_id,
        "subject": subject,
        "number": number,
        "judge": one.judge,
    }
    if one.total is None:
        return Judgement(status="unjudged", reason=one.reason, **place)
    return Judgement(
        axes=one.axes,
        hard_fails=_flag_answers(flags, one.hard_fails, one.unconfirmed),
        total=one.total,
        total_confirmed=one.total_confirmed,
        applicable_total=one.applicable_total,
        verdict="PASS" if one.passed else "FAIL",
        differences=one.differences,
        repairs=("",) if one.repaired else (),
        **place,
    )


@lru_cache(maxsize=1_000)
def _flag_answers(
    flags: tuple[str, ...], present: tuple[str, ...], unconfirmed: tuple[str, ...]
) -> Mapping[str, FlagAnswer]:
    return {name: FlagAnswer(name in present, (), False if name in unconfirmed else None) for name in flags}


def _of_row(row: JudgedRow) -> Judgement:
    place = {"row": row.row, "case_id": row.case_id, "subject": row.subject, "number": row.number, "judge": row.judge}
    return judgement_of(row.judgement, row.score, **place)


def _itself(row: JudgedRow) -> JudgedRow:
    return row


def _collect(judgement: Judgement, row: Any, whole: Callable[[Any], JudgedRow], digest: Digest) -> None:
    if digest.count <= MOST_ROWS:
        digest.rows.append(whole(row))
    if judgement.verdict != "PASS":
        digest.failures += 1
        digest.zeroed_or_low += judgement.judged
        if len(digest.failed) < MOST_REASONS:
            digest.failed.append(whole(row))
    if judgement.differences:
        digest.differences += 1
        if len(digest.differing) < MOST_REASONS:
            digest.differing.append(whole(row))


def at_stake(row: JudgedRow) -> Mapping[str, float]:
    """The axes of a judged row that were not defaulted."""
    if row.score is None:
        return {}
    return {name: value for name, value in row.score.axes.items() if name not in row.score.defaulted}


def hard_fails_of(judgement: Verdict) -> tuple[str, ...]:
    """The hard fails that a verdict answers with YES."""
    return tuple(name for name, flag in judgement.flags.items() if flag.present)
