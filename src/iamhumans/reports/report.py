"""The report of a set of judgements: figures for each subject and judge, and the rows that people should see.

The judgements may be many and come from a journal, so they are gone through once.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from itertools import groupby
from operator import attrgetter, itemgetter
from typing import Any

from iamhumans.decisions.checks import RunChecks
from iamhumans.decisions.judges import PanelFigures, panel_figures
from iamhumans.decisions.panel import PanelReply, VoteReader
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
"""How many judgements of each kind a report for people can show."""


@dataclass(frozen=True, slots=True)
class Group:
    """The figures of one subject under one judge."""

    subject: str
    judge: str
    summary: Summary


class Worst:
    """The worst reply of each of the worst cases: with a hard fail first, then by total.

    Replies without a fault are left out.
    """

    def __init__(self) -> None:
        self._found: dict[str, tuple[tuple[float, float], list[Judgement]]] = {}
        self._bar = (2.0, 0.0)  # worse than this is among the worst

    def add(self, votes: list[Judgement]) -> None:
        """Note a reply with all its votes."""
        key = _quality(votes)
        if key >= self._bar or key == _FAULTLESS:
            return
        case_id = votes[0].case_id or ""
        known = self._found.get(case_id)
        if known is None or key < known[0]:
            self._found[case_id] = key, votes
        if len(self._found) > MOST_WORST:
            del self._found[max(self._found, key=lambda name: self._found[name][0])]
        if len(self._found) == MOST_WORST:
            self._bar = max(key for key, _ in self._found.values())

    @property
    def replies(self) -> list[list[Judgement]]:
        """The votes on each reply, the worst first."""
        return [votes for _, votes in sorted(self._found.values(), key=itemgetter(0))]


def _quality(votes: Sequence[Judgement]) -> tuple[float, float]:
    """How good a reply is: the share of votes that do not zero it, and the mean total by the axes at stake."""
    one = votes[0]
    if len(votes) == 1 and one.total:  # A YES makes the total 0.
        return 1.0, one.applicable_total or float(one.total)
    judged = [one for one in votes if one.judged]
    if not judged:
        return _FAULTLESS
    totals = [_TOP if one.applicable_total is None else one.applicable_total for one in judged]
    return sum(one.total != 0 for one in judged) / len(judged), sum(totals) / len(totals)


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
    worst: Worst = field(default_factory=Worst)
    spread: Spread = field(default_factory=Spread)

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

    ``grouped`` is false where every row is known to be a case of its own, which needs less memory. ``with_texts`` are
    the same judgements with what was judged, for outputs that hold all of it; ``text_of`` finds a reply by its key.
    ``held_out`` are ids of cases; without a ``holdout_reason`` hashes of their texts are shown. Without ``texts``
    hashes are shown for all cases. ``spent`` is what the calls came to. ``checks`` need no judge.
    """

    title: str
    rubric: Rubric
    judgements: Iterable[Judgement]
    run: str = ""
    grouped: bool = True
    with_texts: Iterable[Judgement] | None = None
    texts: bool = True
    text_of: Callable[[str], ReplyText | None] | None = None
    spent: Sequence[Spent] = ()
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
        judgements = self.judgements if self.with_texts is None else self.with_texts
        return map(self._shown, judgements) if "digest" in self.__dict__ else self._pass(judgements)

    def _pass(self, judgements: Iterable[Judgement]) -> Iterator[Judgement]:
        whole, reader = self._tally(), VoteReader(self.rubric)
        digest = Digest(whole.summary())
        tallies: dict[tuple[str, str], Tally] = {}
        # Rows that are cases of their own have neither several replies nor repeats.
        watched = digest.spread.watch(judgements) if self.grouped else judgements
        for _, several in groupby(watched, key=attrgetter("row")):
            own = list(several)
            digest.worst.add(own)
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
        digest.groups = [Group(*names, tally.summary()) for names, tally in tallies.items()]
        for tally in tallies.values() if len(tallies) > 1 else ():
            whole.take(tally)
        digest.summary = digest.groups[0].summary if len(tallies) == 1 else whole.summary()
        self.__dict__["digest"] = digest

    def _tally(self) -> Tally:
        return Tally(self.rubric.axis_ids, self.rubric.hard_fail_ids, grouped=self.grouped)

    def _shown(self, one: Judgement) -> Judgement:
        return withheld(one) if self.hides(one.case_id) else one

    def hides(self, case_id: str | None) -> bool:
        """Whether the texts of a case are not to be shown."""
        return not self.texts or (case_id in self.held_out and not self.holdout_reason)

    def worst(self) -> Iterator[tuple[list[Judgement], ReplyText | None]]:
        """The votes on the worst reply of each of the worst cases, with its text where it may be shown."""
        for votes in self.digest.worst.replies:
            hidden = self.hides(votes[0].case_id) or self.text_of is None
            text = None if hidden or self.text_of is None else self.text_of(votes[0].reply_key)
            yield [self._shown(one) for one in votes], text

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
            "groups": [asdict(group) for group in self.groups],
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
