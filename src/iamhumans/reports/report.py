"""The report of a set of judgements: figures for each subject and judge, and the rows that people should see.

The judgements may be many and come from a journal, so they are gone through once.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from operator import itemgetter
from typing import Any

from iamhumans.decisions.checks import RunChecks
from iamhumans.decisions.judges import PanelFigures, panel_figures
from iamhumans.decisions.panel import Asked, PanelReply
from iamhumans.decisions.replies import PANEL, JudgedReply, ReplyReader
from iamhumans.rubrics import Rubric
from iamhumans.runs.journal.queries import ReplyText
from iamhumans.runs.journal.spent import Spent
from iamhumans.runs.withheld import withheld
from iamhumans.stats import Summary, Tally
from iamhumans.stats.spread import Spread, SpreadFigures
from iamhumans.verdicts import Judgement

MOST_WORST = 10
"""How many cases a report shows with their texts."""
_TOP = 100.0
_FAULTLESS = (1.0, _TOP)
MOST_ROWS = 60
"""How many replies of each kind a report for people can show."""


@dataclass(frozen=True, slots=True)
class Group:
    """The figures of one subject under one judge."""

    subject: str
    judge: str
    summary: Summary


class Worst:
    """The worst reply of each of the worst cases: zeroed ones first, then by total.

    Replies without a fault are left out.
    """

    def __init__(self) -> None:
        self._found: dict[str, tuple[tuple[float, float], JudgedReply]] = {}
        self._bar = (2.0, 0.0)  # worse than this is among the worst

    def add(self, reply: JudgedReply) -> None:
        """Note a reply with all its votes."""
        key = _quality(reply.combined)
        if key >= self._bar or key == _FAULTLESS:
            return
        case_id = reply.combined.case_id or ""
        known = self._found.get(case_id)
        if known is None or key < known[0]:
            self._found[case_id] = key, reply
        if len(self._found) > MOST_WORST:
            del self._found[max(self._found, key=lambda name: self._found[name][0])]
        if len(self._found) == MOST_WORST:
            self._bar = max(key for key, _ in self._found.values())

    @property
    def replies(self) -> list[JudgedReply]:
        """The replies with their votes, the worst first."""
        return [reply for _, reply in sorted(self._found.values(), key=itemgetter(0))]


def _quality(one: Judgement) -> tuple[float, float]:
    """How good a reply is: whether it is not zeroed, and the total by the axes at stake."""
    if not one.judged:
        return _FAULTLESS
    total = one.total or _TOP if one.applicable_total is None else one.applicable_total
    return 0.0 if one.total == 0 else 1.0, float(total)


@dataclass(slots=True)
class Digest:
    """The result of one pass over the judgements. The lists hold the first ones, the numbers count all.

    Attributes:
        panels: The figures of each subject by all judges together, where there are several.
        several: Whether any reply has more than one vote.
        first, failed: Replies, and those that are unjudged or FAIL: of several votes, what they come to.
        differing: Judgements that state a total or verdict that does not follow from their own answers.
        replies: Those with the votes of several judges.
        worst: The worst reply of each of the worst cases.
    """

    summary: Summary
    groups: Sequence[Group] = ()
    panels: Sequence[Group] = ()
    several: bool = False
    first: list[Judgement] = field(default_factory=list)
    failed: list[Judgement] = field(default_factory=list)
    differing: list[Judgement] = field(default_factory=list)
    failures: int = 0
    differences: int = 0
    replies: list[PanelReply] = field(default_factory=list)
    worst: Worst = field(default_factory=Worst)
    spread: Spread = field(default_factory=Spread)

    def add(self, reply: JudgedReply) -> None:
        """Note a reply as it may be shown."""
        one = reply.combined
        if len(self.first) < MOST_ROWS:
            self.first.append(one)
        if one.verdict == "FAIL" or one.status != "judged":
            self.failures += 1
            if len(self.failed) < MOST_ROWS:
                self.failed.append(one)
        for vote in reply.votes:
            if vote.differences:
                self.differences += 1
                if len(self.differing) < MOST_ROWS:
                    self.differing.append(vote)


@dataclass(frozen=True, repr=False)
class Report:
    """A set of judgements under one rubric, reply by reply. Any one output needs a single pass.

    ``grouped`` is false where every row is known to be a case of its own, which needs less memory. ``with_texts`` are
    the same judgements with what was judged, for outputs that hold all of it; ``text_of`` finds a reply by its key.
    ``held_out`` are ids of cases; without a ``holdout_reason`` hashes of their texts are shown. Without ``texts``
    hashes are shown for all cases. ``asked`` says which votes each reply is to have, ``spent`` what calls came to.
    ``checks`` need no judge.
    """

    title: str
    rubric: Rubric
    judgements: Iterable[Judgement]
    run: str = ""
    stored: bool = True  # whether a later command can find the run; not one that is in memory alone
    grouped: bool = True
    with_texts: Iterable[Judgement] | None = None
    texts: bool = True
    text_of: Callable[[str], ReplyText | None] | None = None
    spent: Sequence[Spent] = ()
    asked: Asked = Asked()  # noqa: RUF009 - it is frozen
    held_out: Collection[str] = frozenset()
    holdout_reason: str | None = None
    checks: RunChecks | None = None

    @cached_property
    def digest(self) -> Digest:
        """Figures and the first rows, from one pass."""
        for _ in self._pass(self.judgements):
            pass
        found: Digest = self.__dict__["digest"]
        return found

    def rows(self) -> Iterator[Judgement]:
        """All judgements as they may be shown. At the end of the first pass the digest is known as well."""
        return (one for reply in self.replies() for one in reply.votes)

    def replies(self) -> Iterator[JudgedReply]:
        """All replies with their votes as they may be shown; at the end of the first pass the digest is known."""
        judgements = self.judgements if self.with_texts is None else self.with_texts
        if "digest" in self.__dict__:
            return map(self._visible, ReplyReader(self.rubric, self.asked).replies(judgements))
        return self._pass(judgements)

    def _pass(self, judgements: Iterable[Judgement]) -> Iterator[JudgedReply]:
        digest = Digest(self._tally().summary())
        tallies: dict[tuple[str, str], Tally] = {}
        panels: dict[tuple[str, str], Tally] = {}

        def tally(subject: str, judge: str, among: dict[tuple[str, str], Tally] = tallies) -> Tally:
            found = among.get((subject, judge))
            if found is None:
                found = among[subject, judge] = self._tally()
            return found

        # Rows that are cases of their own have neither several replies nor repeats.
        watched = digest.spread.watch(judgements) if self.grouped else judgements
        for reply in ReplyReader(self.rubric, self.asked).replies(watched):
            one = reply.combined
            digest.worst.add(reply)
            if reply.panel is None:
                tally(one.subject, one.judge).add(one)
            else:
                digest.several = True
                for judge, said in reply.by_judge.items():
                    tally(one.subject, judge).add_reply(said, [vote for vote in reply.votes if vote.judge == judge])
                if reply.panel.judges:
                    digest.replies.append(reply.panel)
                    tally(one.subject, PANEL, panels).add_reply(one, reply.votes)
            visible = self._visible(reply)
            digest.add(visible)
            yield visible
        digest.groups = [Group(*names, found.summary()) for names, found in tallies.items()]
        digest.panels = [Group(*names, found.summary()) for names, found in panels.items()]
        digest.summary = self._whole(list((panels or tallies).values()))
        self.__dict__["digest"] = digest

    def _whole(self, tallies: Sequence[Tally]) -> Summary:
        """The figures over all subjects. Where there are several judges, they are those of the panel."""
        if len(tallies) == 1:
            return tallies[0].summary()
        whole = self._tally()
        for one in tallies:
            whole.take(one)
        return whole.summary()

    def _tally(self) -> Tally:
        return Tally(self.rubric.axis_ids, self.rubric.hard_fail_ids, grouped=self.grouped)

    def _visible(self, reply: JudgedReply) -> JudgedReply:
        if not self.hides(reply.combined.case_id):
            return reply
        votes = [withheld(one) for one in reply.votes]
        return reply._replace(votes=votes, combined=votes[0] if reply.panel is None else withheld(reply.combined))

    def hides(self, case_id: str | None) -> bool:
        """Whether the texts of a case are not to be shown."""
        return not self.texts or (case_id in self.held_out and not self.holdout_reason)

    def worst(self) -> Iterator[tuple[JudgedReply, ReplyText | None]]:
        """The worst reply of each of the worst cases with its votes, and its text where it may be shown."""
        for reply in self.digest.worst.replies:
            one = reply.combined
            hidden = self.hides(one.case_id) or self.text_of is None
            text = None if hidden or self.text_of is None else self.text_of(one.reply_key)
            yield self._visible(reply), text

    @property
    def groups(self) -> Sequence[Group]:
        """One for each subject and judge, in the order in which they first appear."""
        return self.digest.groups

    @property
    def headline_groups(self) -> Sequence[Group]:
        """The figures by which a run is known: the panel's first where there are several judges, then each judge's."""
        return [*self.digest.panels, *self.digest.groups]

    @property
    def summary(self) -> Summary:
        """The figures over all replies."""
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

    @cached_property
    def spread(self) -> tuple[SpreadFigures, ...]:
        """How steady each judge is, where there are repeats or several replies to a case."""
        return self.digest.spread.figures()

    def head(self) -> dict[str, Any]:
        """The report as JSON holds it, but for the judgements.

        What the calls came to is not in it: a run that was interrupted costs more, and its report is the same.
        """
        return {
            "run": self.run,
            "rubric": {"name": self.rubric.name, "hash": self.rubric.hash},
            "summary": asdict(self.summary),
            "groups": [asdict(group) for group in self.headline_groups],
            **({} if self.checks is None else {"checks": self.checks.to_dict()}),
        }

    def to_rows(self) -> list[dict[str, Any]]:
        """The judgements as dictionaries, ready for ``pandas.DataFrame``."""
        return [one.to_dict() | self.checked(one) for one in self.rows()]

    def checked(self, one: Judgement) -> dict[str, Any]:
        """The results of the checks of a judgement's reply, for JSON; empty where its case has none."""
        found = None if self.checks is None else self.checks.by_key.get(one.reply_key)
        results = () if found is None else found.shown(hidden=self.hides(one.case_id))
        return {"checks": [result.to_dict() for result in results]} if results else {}

    def __repr__(self) -> str:
        return f"<Report {self.title!r}: {self.summary.judged} of {self.summary.asked} judged>"
