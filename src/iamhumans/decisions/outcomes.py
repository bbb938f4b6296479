"""A run as decisions need it: votes combined reply by reply, figures with the case as the unit."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from iamhumans.decisions.panel import Asked, Combined, PanelReply, VoteReader, narrowed
from iamhumans.errors import CommandError
from iamhumans.rubrics import Rubric
from iamhumans.runs.journal.entries import Replied
from iamhumans.runs.journal.journal import Journal
from iamhumans.runs.journal.queries import CaseFacts, ListFigures, RunRecord, RunStatus
from iamhumans.text import one_line

if TYPE_CHECKING:
    from iamhumans.stats import Cases, CaseValues, TwoPartValues


@dataclass(frozen=True)
class RunOutcomes:
    """A run for decisions, with the votes on each reply combined by the one rule of :mod:`iamhumans.decisions.panel`.

    Attributes:
        name: The run's name, with the subject where one of several was picked.
        asked: How many replies there should be; ``judgements_asked`` how many judgements of them.
        journal: Where its texts are.
    """

    name: str
    plan: Mapping[str, Any]
    rubric: Rubric
    replies: tuple[PanelReply, ...]
    asked: int
    cases: Mapping[str, CaseFacts]
    status: RunStatus = RunStatus.FINISHED
    judgements: int = 0
    judgements_asked: int = 0
    imported: bool = False
    journal: Journal | None = field(default=None, compare=False, repr=False)

    @cached_property
    def judged(self) -> tuple[tuple[PanelReply, Combined], ...]:
        """The replies that have a verdict."""
        return tuple([(reply, reply.combined) for reply in self.replies if isinstance(reply.combined, Combined)])

    @property
    def judged_rate(self) -> float:
        """Judged over asked."""
        return len(self.judged) / self.asked if self.asked else 0.0

    @property
    def subjects(self) -> tuple[str, ...]:
        """The named subjects, in the order in which they first appear."""
        return tuple(dict.fromkeys(reply.subject for reply in self.replies if reply.subject))

    def of_one_subject(self) -> RunOutcomes:
        """The run itself, where no case was answered by several subjects.

        Raises:
            CommandError: One was, and a mean over several subjects describes none of them.
        """
        pairs = {(reply.case_id, reply.subject) for reply in self.replies}
        if len(pairs) > len({case_id for case_id, _ in pairs}):
            shown = [one_line(name, 40) for name in self.subjects[:6]]
            raise CommandError(
                f"Run {self.name} holds the replies of several subjects to the same cases ({', '.join(shown)}).",
                fix=f"Name one of them: {self.name}:{shown[0] if shown else 'SUBJECT'}.",
            )
        return self

    def only(self, ids: Collection[str]) -> RunOutcomes:
        """The same run with these cases alone, to be paired by case: also where its replies have no case."""
        found = [reply._replace(cluster="") for reply in self.replies if reply.case_id in ids]
        return replace(self, replies=tuple(found))

    @cached_property
    def unseen(self) -> tuple[str, ...]:
        """The axes and hard fails that the judge cannot see in some reply; then no mean or pass rate is given."""
        axes, flags = ({getattr(one.vote, part) for _, one in self.judged} for part in ("axes", "unseen"))
        unscored = [name for place, name in enumerate(self.rubric.axis_ids) if any(one[place] is None for one in axes)]
        return (*unscored, *(name for name in self.rubric.hard_fail_ids if any(name in one for one in flags)))

    @cached_property
    def counting(self) -> tuple[str, ...]:
        """The hard fails on which a YES of every judge of the run counts."""
        common = Asked.by(self.plan).counting
        return tuple([name for name in self.rubric.hard_fail_ids if common is None or name in common])

    def by_flags(self, flags: Collection[str]) -> RunOutcomes:
        """The run as it is where only a YES to these hard fails counts."""
        if set(self.counting) <= set(flags):
            return self
        asked = Asked.by(self.plan)
        return replace(self, replies=tuple([narrowed(one, self.rubric, asked, flags) for one in self.replies]))

    @cached_property
    def by_case(self) -> Cases:
        """The case of each judged reply. Replies without a case count one by one, in clusters of conversations."""
        from iamhumans.stats import Cases

        by_reply = bool(self.judged) and all(reply.cluster for reply, _ in self.judged)
        ids = [reply.cluster if by_reply else reply.case_id for reply, _ in self.judged]
        return Cases.of(ids, by_reply=by_reply)

    def share(self, of: Callable[[Combined], bool]) -> CaseValues:
        """The share of replies by case that are something."""
        return self.by_case.means([of(one) for _, one in self.judged])

    def parts(self) -> TwoPartValues:
        """Totals by case, with zeroed replies apart. The judge must see every criterion."""
        import numpy as np

        from iamhumans.stats import split_totals

        totals = np.array([one.total for _, one in self.judged], dtype=np.float64)
        return split_totals(self.by_case, [one.zeroed for _, one in self.judged], totals)

    def axis(self, name: str) -> CaseValues:
        """The mean of an axis by case, over the replies in which it was at stake. The judge must score it."""
        import numpy as np

        place = self.rubric.axis_ids.index(name)
        values = np.array([one.vote.axes[place] for _, one in self.judged], dtype=np.float64)
        return self.by_case.means(values, where=[name not in one.vote.defaulted for _, one in self.judged])

    @property
    def unconfirmed(self) -> int:
        """How many replies are zeroed only by hard fails without a confirmed quote."""
        return sum(one.zeroed and not one.zeroed_confirmed for _, one in self.judged)

    @cached_property
    def dimensions(self) -> Mapping[str, frozenset[str]]:
        """The judged cases of each dimension, by its name."""
        found: dict[str, set[str]] = {}
        for case_id in dict.fromkeys(reply.case_id for reply, _ in self.judged):
            facts = self.cases.get(case_id)
            for name in facts.dimensions if facts else ():
                found.setdefault(name, set()).add(case_id)
        return {name: frozenset(found[name]) for name in sorted(found)}

    def held_out(self, case_id: str) -> bool:
        """Whether a case is held out."""
        return case_id in self.cases and self.cases[case_id].held_out

    def text(self, kind: str, key: str) -> str | None:
        """A text that the journal holds: a reply by its key, any other kind by its hash."""
        if self.journal is None or kind != "reply":
            return None if self.journal is None else self.journal.text(kind, key)
        found = self.journal.reply(key)
        return found.text if isinstance(found, Replied) else None

    def to_dict(self) -> dict[str, Any]:
        """The run's name, and how much of it is judged."""
        return {"run": self.name, "asked": self.asked, "judged": len(self.judged), "judged_rate": self.judged_rate}


def listed_figures(journal: Journal) -> dict[int, ListFigures]:
    """The figures of all runs of a journal by their number, with the votes on each reply combined."""
    found = journal.list_figures()
    for run in journal.runs():
        if run.judgements_a_reply > 1 and run.id in found:
            own = outcomes_of(journal, run)
            zeroed = own.share(lambda one: one.zeroed)
            found[run.id] = found[run.id]._replace(
                flagged=sum(one.zeroed for _, one in own.judged),
                flagged_rate=float(zeroed.mean) if len(zeroed) else None,
                covered=not set(own.unseen).intersection(own.rubric.hard_fail_ids),
            )
    return found


def outcomes_of(journal: Journal, run: RunRecord, *, subject: str | None = None) -> RunOutcomes:
    """Read the outcomes of a run, or of one of its subjects, from its journal.

    Raises:
        CannotRunError: The rubric of the run is not in the journal.
        CommandError: The run has no reply of the subject.
    """
    rubric, cases = journal.rubric(run), journal.case_facts(run)
    reader, subjects, replies = VoteReader(rubric, Asked.by(run.plan)), dict[str, None](), list[PanelReply]()
    seen = judgements = 0
    for _, several in groupby(journal.judgements(run, cases), key=attrgetter("row")):
        own = list(several)
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
        cases=cases,
        status=run.status,
        judgements=judgements,
        judgements_asked=asked * each,
        imported=run.imported,
        journal=journal,
    )
