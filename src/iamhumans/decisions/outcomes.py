"""What came of a run, reply by reply, as decisions need it: votes combined, cases as the unit."""

from __future__ import annotations

import gc
import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import groupby
from typing import TYPE_CHECKING, Any

from iamhumans.decisions.panel import Combined, PanelReply, Vote, combine_judges
from iamhumans.decisions.stored import CaseFacts, StoredRow, stored_cases, stored_rows
from iamhumans.errors import CommandError
from iamhumans.rubrics import Rubric
from iamhumans.runs import Journal, Run, RunStatus
from iamhumans.runs.rows import judgements_a_reply, rubric_of
from iamhumans.text import one_line
from iamhumans.verdicts import Unjudged

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from iamhumans.stats import Cases, CaseValues, TwoPartValues


Content = Callable[[str], Mapping[str, Any] | None]
"""The case of a hash, as the journal keeps it."""


def _no_content(_: str) -> None:
    return None


@dataclass(frozen=True)
class RunOutcomes:
    """A run as decisions see it. A tie of votes counts as the worse where ``worst`` is asked for."""

    name: str
    """The run's name, with the subject where one of several was picked."""
    plan: Mapping[str, Any]
    rubric: Rubric
    replies: tuple[PanelReply, ...]
    asked: int
    """How many replies there were to judge."""
    cases: Mapping[str, CaseFacts]
    status: RunStatus = RunStatus.FINISHED
    judgements: int = 0
    """How many of the judgements there are, where several were asked for each reply."""
    judgements_asked: int = 0
    content: Content = _no_content

    @cached_property
    def judged(self) -> tuple[tuple[PanelReply, Combined], ...]:
        """The replies that have a judgement."""
        return tuple([(reply, reply.combined) for reply in self.replies if isinstance(reply.combined, Combined)])

    @cached_property
    def _case_ids(self) -> frozenset[str]:
        return frozenset([reply.case_id for reply in self.replies])

    @property
    def coverage(self) -> float:
        """Judged over asked."""
        return len(self.judged) / self.asked if self.asked else 0.0

    @property
    def subjects(self) -> tuple[str, ...]:
        """Whose replies these are, in the order in which they first appear; empty names left out."""
        return tuple(dict.fromkeys(reply.subject for reply in self.replies if reply.subject))

    def of_one_subject(self) -> RunOutcomes:
        """The run itself, where no case was answered by several subjects.

        Raises:
            CommandError: One was. A mean over several subjects is a figure of none of them.
        """
        if len({(reply.case_id, reply.subject) for reply in self.replies}) > len(self._case_ids):
            shown = [one_line(name, 40) for name in self.subjects[:6]]
            raise CommandError(
                f"Run {self.name} holds the replies of several subjects to the same cases ({', '.join(shown)}).",
                fix=f"Say which is meant: {self.name}:{shown[0] if shown else 'SUBJECT'}.",
            )
        return self

    def only(self, ids: Collection[str]) -> RunOutcomes:
        """The same with these cases alone."""
        if len(ids) == len(self.by_case.ids) == len(self._case_ids):
            return self
        return replace(self, replies=tuple(reply for reply in self.replies if reply.case_id in ids))

    @cached_property
    def by_case(self) -> Cases:
        """Which case each judged reply belongs to."""
        from iamhumans.stats import Cases

        return Cases.of([reply.case_id for reply, _ in self.judged])

    def parts(self, *, worst: bool = False) -> TwoPartValues:
        """Totals by case, zeroed ones apart."""
        from iamhumans.stats import split_totals

        totals = [combined.worst_total if worst else combined.total for _, combined in self.judged]
        zeroed = [combined.worst_zeroed if worst else combined.zeroed for _, combined in self.judged]
        return split_totals(self.by_case, zeroed, totals)

    def passed(self, *, worst: bool = False) -> CaseValues:
        """The share of PASS by case."""
        outcomes = [combined.worst_outcome if worst else combined.outcome for _, combined in self.judged]
        return self.by_case.means([outcome == "PASS" for outcome in outcomes])

    def flag(self, name: str, *, worst: bool = False) -> CaseValues:
        """The share of replies with a hard fail, by case."""
        import numpy as np

        present = np.zeros(len(self.judged), dtype=bool)
        present[self._places_of_flags.get(name, [])] = True
        if worst:
            present[self._places_of_contested.get(name, [])] = True
        return self.by_case.means(present)

    def axis(self, name: str) -> CaseValues:
        """The mean of an axis by case, where it was at stake."""
        import numpy as np

        place = self.rubric.axis_ids.index(name)
        counted = np.ones(len(self.judged), dtype=bool)
        counted[self._places_of_defaults.get(name, [])] = False
        return self.by_case.means(self._axes[:, place], where=counted)

    @cached_property
    def _axes(self) -> NDArray[np.float64]:
        """A row for each judged reply, a column for each axis."""
        import numpy as np

        axes = [combined.vote.axes for _, combined in self.judged]
        return np.array(axes, dtype=np.float64).reshape(len(axes), len(self.rubric.axis_ids))

    @cached_property
    def _places_of_flags(self) -> Mapping[str, list[int]]:
        return _places([combined.vote.flags for _, combined in self.judged])

    @cached_property
    def _places_of_defaults(self) -> Mapping[str, list[int]]:
        return _places([combined.vote.defaulted for _, combined in self.judged])

    @cached_property
    def _places_of_contested(self) -> Mapping[str, list[int]]:
        return _places([combined.vote.contested for _, combined in self.judged])

    @cached_property
    def contested(self) -> int:
        """How many replies have a hard fail on which the votes are tied."""
        return sum(bool(combined.vote.contested) for _, combined in self.judged)

    @cached_property
    def unconfirmed(self) -> int:
        """How many replies are zeroed by hard fails alone for which no judge has words of the reply."""
        return sum(combined.zeroed and combined.vote.flags <= combined.vote.unconfirmed for _, combined in self.judged)

    @cached_property
    def dimensions(self) -> Mapping[str, frozenset[str]]:
        """The judged cases of each dimension, by its name."""
        found: dict[str, set[str]] = {}
        for case_id in self.by_case.ids:
            facts = self.cases.get(case_id)
            for name in facts.dimensions if facts else ():
                found.setdefault(name, set()).add(case_id)
        return {name: frozenset(found[name]) for name in sorted(found)}


def _places(several: Sequence[frozenset[str]]) -> Mapping[str, list[int]]:
    """For each name where it stands."""
    found: dict[str, list[int]] = {}
    for place, names in enumerate(several):
        for name in names:
            found.setdefault(name, []).append(place)
    return found


def outcomes_of(
    journal: Journal,
    run: Run,
    *,
    subject: str | None = None,
    quorum: int | None = None,
    beside: RunOutcomes | None = None,
) -> RunOutcomes:
    """The outcomes of a run in the journal.

    Args:
        journal: Where it is.
        run: The run.
        subject: Whose replies count; all if not given.
        quorum: How many judges must have given a verdict on a reply; more than half of them if not given.
        beside: Another run of this journal, probably of the same cases, which are then not read again.

    Raises:
        CannotRunError: The journal does not hold its rubric.
        CommandError: It has no reply of the subject.
    """
    rubric = rubric_of(journal, run)
    each = judgements_a_reply(run.plan)
    reading = _Reading(rubric, each, subject, quorum)
    with no_collection():
        cases = stored_cases(journal, run, {} if beside is None else beside.cases)
        replies = tuple(reading.replies(stored_rows(journal, run, rubric)))
    if subject is not None and not replies:
        known = ", ".join(one_line(name, 40) for name in list(reading.subjects)[:6] if name)
        raise CommandError(
            f"Run {run.name} has no reply of {one_line(subject, 80)}.",
            fix=f"It has replies of {known}." if known else "Its replies name no subject: leave it out.",
        )
    # What was not come to yet is nobody's in particular, so it counts against everybody.
    missing = max(0, (run.asked or 0) // each - reading.count)
    return RunOutcomes(
        name=run.name if subject is None else f"{run.name}:{subject}",
        plan=run.plan,
        rubric=rubric,
        replies=replies,
        asked=len(replies) + missing,
        cases=cases,
        status=run.status,
        judgements=reading.judgements,
        judgements_asked=(len(replies) + missing) * each,
        content=partial(_content, journal),
    )


def _content(journal: Journal, case_hash: str) -> Mapping[str, Any] | None:
    text = journal.text("case", case_hash)
    found: Mapping[str, Any] | None = None if text is None else json.loads(text)
    return found


@contextmanager
def no_collection() -> Iterator[None]:
    """Look for no cycles while very many objects are made of which none can be in one."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


@dataclass(slots=True)
class _Reading:
    """One pass over the rows of a run."""

    rubric: Rubric
    each: int
    """Judgements of each reply."""
    subject: str | None
    quorum: int | None
    count: int = 0
    """Replies of all subjects."""
    judgements: int = 0
    subjects: dict[str, None] = field(default_factory=dict)

    def replies(self, rows: Iterable[StoredRow]) -> Iterator[PanelReply]:
        for own in _by_reply(rows, self.each):
            first = own[0]
            self.count += 1
            self.subjects.setdefault(first.subject)
            if self.subject is None or first.subject == self.subject:
                yield self._reply(first, own)

    def _reply(self, first: StoredRow, rows: Sequence[StoredRow]) -> PanelReply:
        if len(rows) == 1:
            self.judgements += isinstance(first.outcome, Combined)
            return PanelReply(first.case_id, first.subject, first.number, first.outcome, key=first.reply_key)
        votes: dict[str, list[Vote | Unjudged]] = {}
        for row in rows:
            outcome = row.outcome
            self.judgements += isinstance(outcome, Combined)
            votes.setdefault(row.judge, []).append(outcome.vote if isinstance(outcome, Combined) else outcome)
        combined, judges = combine_judges(votes, self.rubric, quorum=self.quorum)
        return PanelReply(first.case_id, first.subject, first.number, combined, judges, first.reply_key)


def _by_reply(rows: Iterable[StoredRow], each: int) -> Iterator[Sequence[StoredRow]]:
    """The judgements of one reply after the other."""
    if each == 1:
        return ([row] for row in rows)
    return (list(several) for _, several in groupby(rows, key=lambda row: (row.row - 1) // each))
