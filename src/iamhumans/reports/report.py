"""The report of a set of judgements: figures for each subject and judge, and the rows that people should see.

The judgements may be many and come from a journal, so they are gone through once.
"""

from __future__ import annotations

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

MOST_ROWS = 200
"""How many judgements a report for people shows at most; and of those that failed or contradict themselves:"""
MOST_REASONS = 60


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

    groups: Sequence[Group]
    summary: Summary
    count: int = 0
    first: list[Judgement] = field(default_factory=list)
    failed: list[Judgement] = field(default_factory=list)
    differing: list[Judgement] = field(default_factory=list)
    failures: int = 0
    unjudged: int = 0
    differences: int = 0
    unseen: set[str] = field(default_factory=set)
    """The axes and hard fails that a judge could not see in some reply."""
    replies: list[PanelReply] = field(default_factory=list)
    """Those with the votes of several judges; all where they are asked for."""


@dataclass(frozen=True, repr=False)
class Report:
    """A set of judgements under one rubric.

    Attributes:
        title: A line for people.
        judgements: Reply by reply, in the order of the input. Any one output needs a single pass.
        run: The name of the run in the journal.
        grouped: False where every row is known to be a case of its own, which needs less memory.
        held_out: The ids of the held-out cases.
        holdout_reason: Why their texts may be shown; without it their hashes are.
        all_replies: Whether the digest holds all replies with their votes combined, as decisions need them.
    """

    title: str
    rubric: Rubric
    judgements: Iterable[Judgement]
    run: str = ""
    grouped: bool = True
    held_out: Collection[str] = frozenset()
    holdout_reason: str | None = None
    all_replies: bool = False

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
        digest = Digest((), self._tally().summary())
        tallies: dict[tuple[str, str], Tally] = {}
        reader = VoteReader(self.rubric)
        for _, several in groupby(self.judgements, key=attrgetter("row")):
            own = list(several)
            if self.all_replies or any(one.judge != own[0].judge for one in own):
                digest.replies.append(reader.reply(own))
            for one in own:
                tally = tallies.get((one.subject, one.judge))
                if tally is None:
                    tally = tallies[one.subject, one.judge] = self._tally()
                tally.add(one)
                visible = self._shown(one)
                _collect(visible, digest)
                yield visible
        digest.groups = [Group(subject, judge, tally.summary()) for (subject, judge), tally in tallies.items()]
        whole = self._tally()
        for tally in tallies.values():
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

    def to_dict(self) -> dict[str, Any]:
        """The report as JSON holds it."""
        rows = self.to_rows()
        return {**self.head(), "judgements": rows}

    def to_rows(self) -> list[dict[str, Any]]:
        """The judgements as dictionaries, ready for ``pandas.DataFrame``."""
        return [one.to_dict() for one in self.rows()]

    def __repr__(self) -> str:
        summary = self.summary
        return f"<Report {self.title!r}: {summary.judged} of {summary.asked} judged>"

    def _repr_html_(self) -> str:
        from iamhumans.reports.html import blocks_html
        from iamhumans.reports.report_blocks import report_blocks

        return blocks_html(report_blocks(self))


def _collect(one: Judgement, digest: Digest) -> None:
    digest.count += 1
    if digest.count <= MOST_ROWS:
        digest.first.append(one)
    if one.verdict == "FAIL" or not one.judged:
        digest.failures += 1
        digest.unjudged += not one.judged
        if len(digest.failed) < MOST_REASONS:
            digest.failed.append(one)
    if one.verdict != "PASS" and one.axes is not None and one.hard_fails is not None:  # A PASS needs every criterion.
        digest.unseen.update([name for name, value in one.axes.items() if value is None])
        digest.unseen.update([name for name, answer in one.hard_fails.items() if answer.present is None])
    if one.differences:
        digest.differences += 1
        if len(digest.differing) < MOST_REASONS:
            digest.differing.append(one)
