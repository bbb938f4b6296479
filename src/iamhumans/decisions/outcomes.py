"""A run as decisions need it: votes combined reply by reply, figures with the case as the unit."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from iamhumans.decisions.panel import Combined, PanelReply, VoteReader
from iamhumans.errors import CommandError
from iamhumans.rubrics import Rubric
from iamhumans.runs.journal.journal import Journal
from iamhumans.runs.journal.queries import CaseFacts, RunRecord, RunStatus
from iamhumans.text import one_line

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from iamhumans.stats import Cases, CaseValues, TwoPartValues
    from iamhumans.verdicts import Judgement

Content = Callable[[str], Mapping[str, Any] | None]
"""Finds the stored case with a hash."""


def _no_content(_: str) -> None:
    return None


@dataclass(frozen=True)
class RunOutcomes:
    """A run for decisions. With ``worst=True`` a tie of votes counts as the worse."""

    name: str
    """The run's name, with the subject where one of several was picked."""
    plan: Mapping[str, Any]
    rubric: Rubric
    replies: tuple[PanelReply, ...]
    asked: int
    """How many replies there are to judge."""
    cases: Mapping[str, CaseFacts]
    status: RunStatus = RunStatus.FINISHED
    judgements: int = 0
    """How many verdicts there are."""
    judgements_asked: int = 0
    content: Content = _no_content
    imported: bool = False
    """Whether results come from another journal."""

    @cached_property
    def judged(self) -> tuple[tuple[PanelReply, Combined], ...]:
        """The replies that have a verdict."""
        return tuple([(reply, reply.combined) for reply in self.replies if isinstance(reply.combined, Combined)])

    @property
    def coverage(self) -> float:
        """Judged over asked."""
        return len(self.judged) / self.asked if self.asked else 0.0

    @property
    def subjects(self) -> tuple[str, ...]:
        """The named subjects, in the order in which they first appear."""
        return tuple(dict.fromkeys(reply.subject for reply in self.replies if reply.subject))

    @cached_property
    def _case_ids(self) -> frozenset[str]:
        return frozenset([reply.case_id for reply in self.replies])

    def of_one_subject(self) -> RunOutcomes:
        """The run itself, where no case was answered by several subjects.

        Raises:
            CommandError: One was, and a mean over several subjects describes none of them.
        """
        if len({(reply.case_id, reply.subject) for reply in self.replies}) > len(self._case_ids):
            shown = [one_line(name, 40) for name in self.subjects[:6]]
            raise CommandError(
                f"Run {self.name} holds the replies of several subjects to the same cases ({', '.join(shown)}).",
                fix=f"Name one of them: {self.name}:{shown[0] if shown else 'SUBJECT'}.",
            )
        return self

    def only(self, ids: Collection[str]) -> RunOutcomes:
        """The same run with these cases alone."""
        if len(ids) == len(self.by_case.ids) == len(self._case_ids):
            return self
        return replace(self, replies=tuple(reply for reply in self.replies if reply.case_id in ids))

    # Coverage of the judge.

    @cached_property
    def unseen_axes(self) -> tuple[str, ...]:
        """The axes that the judge could not score in some reply."""
        answers = {one.vote.axes for _, one in self.judged}
        return tuple(
            name for place, name in enumerate(self.rubric.axis_ids) if any(axes[place] is None for axes in answers)
        )

    @cached_property
    def unseen_hard_fails(self) -> tuple[str, ...]:
        """The hard fails that the judge could not see in some reply."""
        unseen = {name for _, one in self.judged for name in one.vote.unseen}
        return tuple(name for name in self.rubric.hard_fail_ids if name in unseen)

    @property
    def unseen(self) -> tuple[str, ...]:
        """Both. Without them no total, mean or pass rate of the run is given."""
        return (*self.unseen_axes, *self.unseen_hard_fails)

    # Values by case.

    @cached_property
    def by_case(self) -> Cases:
        """The case of each judged reply."""
        from iamhumans.stats import Cases

        return Cases.of([reply.case_id for reply, _ in self.judged])

    def zeroed(self, *, worst: bool = False) -> CaseValues:
        """The share of zeroed replies by case."""
        return self.by_case.means([one.worst_zeroed if worst else one.zeroed for _, one in self.judged])

    def parts(self, *, worst: bool = False) -> TwoPartValues:
        """Totals by case, with zeroed replies apart. The judge must see every criterion."""
        import numpy as np

        from iamhumans.stats import split_totals

        totals = np.array([one.worst_total if worst else one.total for _, one in self.judged], dtype=np.float64)
        zeroed = [one.worst_zeroed if worst else one.zeroed for _, one in self.judged]
        return split_totals(self.by_case, zeroed, totals)

    def passed(self, *, worst: bool = False) -> CaseValues:
        """The share of PASS by case. The judge must see every criterion."""
        outcomes = [one.worst_outcome if worst else one.outcome for _, one in self.judged]
        return self.by_case.means([outcome == "PASS" for outcome in outcomes])

    def flag(self, name: str) -> CaseValues:
        """The share of replies with a hard fail, by case. The judge must see it."""
        import numpy as np

        present = np.zeros(len(self.judged), dtype=bool)
        present[self._places_of_flags.get(name, [])] = True
        return self.by_case.means(present)

    def axis(self, name: str) -> CaseValues:
        """The mean of an axis by case, over the replies in which it was at stake and scored."""
        import numpy as np

        values = self._axes[:, self.rubric.axis_ids.index(name)]
        counted = ~np.isnan(values)
        counted[self._places_of_defaults.get(name, [])] = False
        return self.by_case.means(values, where=counted)

    @cached_property
    def _axes(self) -> NDArray[np.float64]:
        """A row for each judged reply, a column for each axis; NaN where there is no score."""
        import numpy as np

        axes = [one.vote.axes for _, one in self.judged]
        return np.array(axes, dtype=np.float64).reshape(len(axes), len(self.rubric.axis_ids))

    @cached_property
    def _places_of_flags(self) -> Mapping[str, list[int]]:
        return _places([one.vote.flags for _, one in self.judged])

    @cached_property
    def _places_of_defaults(self) -> Mapping[str, list[int]]:
        return _places([one.vote.defaulted for _, one in self.judged])

    @cached_property
    def contested(self) -> int:
        """How many replies have a hard fail on which the votes are tied."""
        return sum(bool(one.vote.contested) for _, one in self.judged)

    @cached_property
    def unconfirmed(self) -> int:
        """How many replies are zeroed only by hard fails without a confirmed quote."""
        return sum(one.zeroed and one.vote.flags <= one.vote.unconfirmed for _, one in self.judged)

    @cached_property
    def dimensions(self) -> Mapping[str, frozenset[str]]:
        """The judged cases of each dimension, by its name."""
        found: dict[str, set[str]] = {}
        for case_id in self.by_case.ids:
            facts = self.cases.get(case_id)
            for name in facts.dimensions if facts else ():
                found.setdefault(name, set()).add(case_id)
        return {name: frozenset(found[name]) for name in sorted(found)}

    def held_out(self, case_id: str) -> bool:
        """Whether a case is held out."""
        return case_id in self.cases and self.cases[case_id].held_out

    def to_dict(self) -> dict[str, Any]:
        """The run's name, and how much of it is judged."""
        return {"run": self.name, "asked": self.asked, "judged": len(self.judged), "coverage": self.coverage}


def _places(several: Sequence[frozenset[str]]) -> Mapping[str, list[int]]:
    found: dict[str, list[int]] = {}
    for place, names in enumerate(several):
        for name in names:
            found.setdefault(name, []).append(place)
    return found


def outcomes_of(
    journal: Journal,
    run: RunRecord,
    *,
    subject: str | None = None,
    quorum: int | None = None,
) -> RunOutcomes:
    """Read the outcomes of a run from its journal.

    Args:
        journal: The journal of the run.
        run: The run.
        subject: Whose replies count; all if not given.
        quorum: How many judges must have given a verdict on a reply; more than half of them if not given.

    Raises:
        CannotRunError: The rubric of the run is not in the journal.
        CommandError: The run has no reply of the subject.
    """
    rubric = journal.rubric(run)
    reader, subjects, replies = VoteReader(rubric, quorum=quorum), dict[str, None](), list[PanelReply]()
    seen = judgements = 0
    for own in _by_reply(journal.judgements(run)):
        seen += 1
        subjects.setdefault(own[0].subject)
        if subject is None or own[0].subject == subject:
            judgements += sum(one.judged for one in own)
            replies.append(reader.reply(own))
    if subject is not None and not replies:
        known = ", ".join(one_line(name, 40) for name in list(subjects)[:6] if name)
        raise CommandError(
            f"Run {run.name} has no reply of {one_line(subject, 80)}.",
            fix=f"It has replies of {known}." if known else "Its replies name no subject: name the run alone.",
        )
    each = run.judgements_a_reply
    # Replies that were not reached yet may be of any subject, so they count as missing for each.
    asked = len(replies) + max(0, (run.asked or 0) // each - seen)
    return RunOutcomes(
        name=run.name if subject is None else f"{run.name}:{subject}",
        plan=run.plan,
        rubric=rubric,
        replies=tuple(replies),
        asked=asked,
        cases=journal.case_facts(run),
        status=run.status,
        judgements=judgements,
        judgements_asked=asked * each,
        content=partial(_content, journal),
        imported=run.imported,
    )


def _by_reply(judgements: Iterator[Judgement]) -> Iterator[list[Judgement]]:
    return (list(several) for _, several in groupby(judgements, key=attrgetter("row")))


def _content(journal: Journal, case_hash: str) -> Mapping[str, Any] | None:
    text = journal.text("case", case_hash)
    found: Mapping[str, Any] | None = None if text is None else json.loads(text)
    return found
