"""The report of a set of judgements: figures for each subject and judge, and the rows that people should see.

The judgements may be many and come from a journal, so they are gone through once.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from itertools import groupby
from operator import attrgetter
from typing import Any

from iamhumans.decisions.judges import PanelFigures, panel_figures
from iamhumans.decisions.panel import PanelReply, VoteReader
from iamhumans.rubrics import Rubric
from iamhumans.runs.withheld import withheld
from iamhumans.stats import Summary, Tally
from iamhumans.verdicts import Judgement

MOST_ROWS = 60
"""How many judgements of each kind a report for people can show."""


@dataclass(frozen=True, slots=True)
class Group:
    """The figures of one subject under one judge."""

    subject: str
    judge: str
    summary: Summary


@dataclass(slots=True)
class Digest:
    """The result of one pass over the judgements. The lists hold the first ones, the numbers count all.

    ``failed`` are unjudged or FAIL; ``differing`` state a total or verdict that does not follow from their own answers.
    """

    summary: Summary
    groups: Sequence[Group] = ()
    first: list[Judgement] = field(default_factory=list)
    failed: list[Judgement] = field(default_factory=list)
    differing: list[Judgement] = field(default_factory=list)
    failures: int = 0
    differences: int = 0
    replies: list[PanelReply] = field(default_factory=list)
    """Those with the votes of several judges."""

    def add(self, one: Judgement) -> None:
        """Note a judgement as it may be shown."""
        if len(self.first) < MOST_ROWS:
            self.first.append(one)
        if one.verdict == "FAIL" or one.status != "judged":
            self.failures += 1
            if len(self.failed) < MOST_ROWS:
                self.failed.append(one)
        if one.differences:
            self.differences += 1
            if len(self.differing) < MOST_ROWS:
                self.differing.append(one)


@dataclass(frozen=True, repr=False)
class Report:
    """A set of judgements under one rubric, reply by reply. Any one output needs a single pass.

    ``grouped`` is false where every row is known to be a case of its own, which needs less memory. ``held_out`` are ids
    of cases; without a ``holdout_reason`` hashes of their texts are shown.
    """

    title: str
    rubric: Rubric
    judgements: Iterable[Judgement]
    run: str = ""
    grouped: bool = True
    held_out: Collection[str] = frozenset()
    holdout_reason: str | None = None

    @cached_property
    def digest(self) -> Digest:
        """Figures and the first rows, from one pass."""
        for _ in self._pass():
            pass
        found: Digest = self.__dict__["digest"]
        return found

    def rows(self) -> Iterator[Judgement]:
        """All judgements as they may be shown. At the end of the first pass the digest is known as well."""
        return map(self._shown, self.judgements) if "digest" in self.__dict__ else self._pass()

    def _pass(self) -> Iterator[Judgement]:
        whole, reader = self._tally(), VoteReader(self.rubric)
        digest = Digest(whole.summary())
        tallies: dict[tuple[str, str], Tally] = {}
        for _, several in groupby(self.judgements, key=attrgetter("row")):
            own = list(several)
            if len(own) > 1 and any(one.judge != own[0].judge for one in own):
                digest.replies.append(reader.reply(own))
            for one in own:
                tally = tallies.get((one.subject, one.judge))
                if tally is None:
                    tally = tallies[one.subject, one.judge] = self._tally()
                tally.add(one)
                visible = self._shown(one)
                digest.add(visible)
                yield visible
        digest.groups = [Group(subject, judge, tally.summary()) for (subject, judge), tally in tallies.items()]
        for tally in tallies.values() if len(tallies) > 1 else ():
            whole.take(tally)
        digest.summary = digest.groups[0].summary if len(tallies) == 1 else whole.summary()
        self.__dict__["digest"] = digest

    def _tally(self) -> Tally:
        return Tally(self.rubric.axis_ids, self.rubric.hard_fail_ids, grouped=self.grouped)

    def _shown(self, one: Judgement) -> Judgement:
        return one if self.holdout_reason or one.case_id not in self.held_out else withheld(one)

    @property
    def groups(self) -> Sequence[Group]:
        """One for each subject and judge, in the order in which they first appear."""
        return self.digest.groups

    @property
    def summary(self) -> Summary:
        """The figures over all judgements."""
        return self.digest.summary

    @property
    def judges(self) -> tuple[str, ...]:
        """Names of the judges, in the order in which they first appear."""
        return tuple(dict.fromkeys(group.judge for group in self.groups))

    @property
    def subjects(self) -> tuple[str, ...]:
        """Names of the subjects, in the order in which they first appear; empty for replies without one."""
        return tuple(dict.fromkeys(group.subject for group in self.groups))

    @cached_property
    def panel(self) -> PanelFigures | None:
        """How the judges compare, where there are several."""
        return panel_figures(self.digest.replies) if len(self.judges) > 1 else None

    def head(self) -> dict[str, Any]:
        """The report as JSON holds it, but for the judgements."""
        return {
            "run": self.run,
            "rubric": {"name": self.rubric.name, "hash": self.rubric.hash},
            "summary": asdict(self.summary),
            "groups": [asdict(group) for group in self.groups],
        }

    def to_rows(self) -> list[dict[str, Any]]:
        """The judgements as dictionaries, ready for ``pandas.DataFrame``."""
        return [one.to_dict() for one in self.rows()]

    def __repr__(self) -> str:
        return f"<Report {self.title!r}: {self.summary.judged} of {self.summary.asked} judged>"
