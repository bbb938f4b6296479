"""What came of a run, reply by reply, as decisions need it: votes combined, cases as the unit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import TYPE_CHECKING, Any

from iamhumans.decisions.panel import Combined, PanelReply, panel_reply
from iamhumans.rubrics import Rubric
from iamhumans.runs import Journal, Run
from iamhumans.runs.records import JudgedRow
from iamhumans.runs.rows import RunRows, judgements_a_reply, rubric_of

if TYPE_CHECKING:
    from iamhumans.stats import Cases, CaseValues, TwoPartValues


@dataclass(frozen=True)
class RunOutcomes:
    """A run as decisions see it. A tie of votes counts as the worse where ``worst`` is asked for."""

    name: str
    plan: Mapping[str, Any]
    rubric: Rubric
    replies: tuple[PanelReply, ...]
    asked: int
    """How many replies there were to judge."""
    cases: Mapping[str, Mapping[str, Any]]
    """What is known of each case: title, dimensions."""

    @cached_property
    def judged(self) -> tuple[tuple[PanelReply, Combined], ...]:
        """The replies that have a judgement."""
        return tuple((reply, reply.combined) for reply in self.replies if isinstance(reply.combined, Combined))

    @property
    def coverage(self) -> float:
        """Judged over asked."""
        return len(self.judged) / self.asked if self.asked else 0.0

    @cached_property
    def by_case(self) -> Cases:
        """Which case each judged reply belongs to."""
        from iamhumans.stats import Cases

        return Cases.of([reply.case_id for reply, _ in self.judged])

    def parts(self, *, worst: bool = False) -> TwoPartValues:
        """Totals by case, zeroed ones apart."""
        from iamhumans.stats import split_totals

        totals = [combined.worst_total if worst else combined.total for _, combined in self.judged]
        return split_totals(self.by_case, [_zeroed(combined, worst=worst) for _, combined in self.judged], totals)

    def passed(self, *, worst: bool = False) -> CaseValues:
        """The share of PASS by case."""
        outcomes = [combined.worst_outcome if worst else combined.outcome for _, combined in self.judged]
        return self.by_case.means([outcome == "PASS" for outcome in outcomes])

    def flag(self, name: str, *, worst: bool = False) -> CaseValues:
        """The share of replies with a hard fail, by case."""
        votes = (combined.vote for _, combined in self.judged)
        return self.by_case.means([name in vote.flags or (worst and name in vote.contested) for vote in votes])

    def axis(self, name: str) -> CaseValues:
        """The mean of an axis by case, where it was at stake."""
        votes = [combined.vote for _, combined in self.judged]
        return self.by_case.means(
            [float(vote.axes[name]) for vote in votes], where=[name not in vote.defaulted for vote in votes]
        )

    @cached_property
    def dimensions(self) -> Mapping[str, frozenset[str]]:
        """The cases of each dimension, by its name."""
        found: dict[str, set[str]] = {}
        for case_id in self.by_case.ids:
            for name in self.cases.get(case_id, {}).get("dimensions", ()):
                found.setdefault(name, set()).add(case_id)
        return {name: frozenset(found[name]) for name in sorted(found)}


def _zeroed(combined: Combined, *, worst: bool) -> bool:
    return bool(combined.vote.flags) or (worst and bool(combined.vote.contested))


def outcomes_of(journal: Journal, run: Run, *, quorum: int | None = None) -> RunOutcomes:
    """The outcomes of a run in the journal.

    Raises:
        CannotRunError: The journal does not hold its rubric.
    """
    rubric = rubric_of(journal, run)
    replies = tuple(panel_replies(RunRows(journal, run), rubric, quorum=quorum))
    asked = max((run.asked or 0) // judgements_a_reply(run.plan), len(replies))
    return RunOutcomes(run.name, run.plan, rubric, replies, asked, journal.cases(run))


def panel_replies(rows: Iterable[JudgedRow], rubric: Rubric, *, quorum: int | None = None) -> Iterator[PanelReply]:
    """The rows of a run, reply by reply, with their votes combined."""
    for _, group in groupby(rows, key=lambda row: row.row):
        yield panel_reply(list(group), rubric, quorum=quorum)
