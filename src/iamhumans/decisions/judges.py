"""The judges of a panel: how strict each is, how far they agree, and where they split.

A judge is *nearest* or *furthest* by how often it decides as most of the others do. Only people's labels can show which
of them is right.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from statistics import fmean
from typing import TYPE_CHECKING, Any

from iamhumans.decisions.panel import Combined, PanelReply

if TYPE_CHECKING:
    from iamhumans.stats import TwoPart

_MOST_SPLITS = 10
_LEAST_REPLIES = 5


@dataclass(frozen=True, slots=True)
class JudgeFigures:
    """One judge of a panel, or the panel. ``with_others`` is how often it decides PASS or FAIL as most others do."""

    name: str
    judged: int
    asked: int
    headline: TwoPart
    pass_rate: float | None
    with_others: float | None


@dataclass(frozen=True, slots=True)
class Split:
    """A reply on which the judges decide differently; totals and hard fails by judge."""

    case_id: str
    subject: str
    number: int
    totals: Mapping[str, int]
    hard_fails: Mapping[str, tuple[str, ...]]
    contested: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PanelFigures:
    """A panel and its judges.

    Attributes:
        agreement: How often two judges decide the same on a reply: the mean over all pairs of judges.
        correlation: Between the totals of two judges: the mean over all pairs; ``None`` where a judge never varies.
        independent_votes: The least number of independent votes that the judges amount to.
        contested: Replies with a hard fail on which the votes are tied.
        split: Replies on which not all judges decide the same; ``splits`` are those that are furthest apart.
        replies: Replies with at least two verdicts.
    """

    panel: JudgeFigures
    judges: tuple[JudgeFigures, ...]
    agreement: float | None
    correlation: float | None
    independent_votes: float | None
    contested: int
    split: int
    replies: int
    splits: tuple[Split, ...]

    @property
    def nearest(self) -> JudgeFigures | None:
        """The judge that decides most often as most of the others do."""
        compared = [judge for judge in self.judges if judge.with_others is not None]
        return max(compared, key=lambda judge: judge.with_others or 0.0, default=None)

    @property
    def furthest(self) -> JudgeFigures | None:
        """The judge that does so least often; ``None`` where all do so equally often."""
        compared = [judge for judge in self.judges if judge.with_others is not None]
        furthest = min(compared, key=lambda judge: judge.with_others or 0.0, default=None)
        return furthest if furthest and self.nearest and furthest.with_others != self.nearest.with_others else None

    def to_dict(self) -> dict[str, Any]:
        """The figures as JSON holds them."""
        ends = {"nearest": self.nearest, "furthest": self.furthest}
        return {**asdict(self), **{end: judge.name if judge else None for end, judge in ends.items()}}


_Opinions = Mapping[str, Combined]


def panel_figures(replies: Iterable[PanelReply]) -> PanelFigures | None:
    """The figures of a panel; ``None`` where there was one judge, or one that does not see every criterion."""
    several = [reply for reply in replies if reply.judges]
    names = tuple(dict.fromkeys(name for reply in several for name in reply.judges))
    opinions = [{n: one for n, one in reply.judges.items() if isinstance(one, Combined)} for reply in several]
    if len(names) < 2 or any(one.total is None for own in opinions for one in own.values()):
        return None
    apart = [both for both in zip(several, opinions, strict=True) if len({one.outcome for one in both[1].values()}) > 1]
    splits = sorted((_split(reply, own) for reply, own in apart), key=lambda one: -_distance(one))
    correlation = _correlation(names, opinions)
    votes = None
    if correlation is not None:
        # Equally correlated votes amount to n / (1 + (n - 1) r) independent ones (Kish 1965). Judges who agree because
        # they are right correlate as well, so this is a lower bound.
        votes = len(names) / (1 + (len(names) - 1) * min(1.0, max(0.0, correlation)))
    return PanelFigures(
        panel=_figures("panel", [(reply, reply.combined) for reply in several]),
        judges=tuple(
            _figures(name, [(one, one.judges[name]) for one in several if name in one.judges], opinions)
            for name in names
        ),
        agreement=_agreement(names, opinions),
        correlation=correlation,
        independent_votes=votes,
        contested=sum(isinstance(one.combined, Combined) and bool(one.combined.vote.contested) for one in several),
        split=len(apart),
        replies=sum(len(own) > 1 for own in opinions),
        splits=tuple(splits[:_MOST_SPLITS]),
    )


def _figures(
    name: str, outcomes: Sequence[tuple[PanelReply, object]], opinions: Sequence[_Opinions] = ()
) -> JudgeFigures:
    from iamhumans.stats import Cases, split_totals, two_part

    judged = [(reply.case_id, one) for reply, one in outcomes if isinstance(one, Combined) and one.total is not None]
    cases = Cases.of([case_id for case_id, _ in judged])
    passed = cases.means([one.outcome == "PASS" for _, one in judged]).values
    headline = two_part(split_totals(cases, [one.zeroed for _, one in judged], [one.total or 0 for _, one in judged]))
    pass_rate = float(passed.mean()) if len(passed) else None
    return JudgeFigures(name, len(judged), len(outcomes), headline, pass_rate, _with_others(name, opinions))


def _with_others(name: str, opinions: Iterable[_Opinions]) -> float | None:
    same = []
    for own in opinions:
        passes = sum(other.outcome == "PASS" for judge, other in own.items() if judge != name)
        fails = len(own) - 1 - passes
        if name in own and passes != fails:
            same.append((own[name].outcome == "PASS") == (passes > fails))
    return fmean(same) if same else None


def _agreement(names: Sequence[str], opinions: Sequence[_Opinions]) -> float | None:
    shares = []
    for one, other in combinations(names, 2):
        both = [own[one].outcome == own[other].outcome for own in opinions if one in own and other in own]
        shares += [fmean(both)] if both else []
    return fmean(shares) if shares else None


def _correlation(names: Sequence[str], opinions: Sequence[_Opinions]) -> float | None:
    """The mean correlation between the totals of two judges, where each pair of judges has one."""
    import numpy as np

    found = []
    for one, other in combinations(names, 2):
        both = [(own[one].total, own[other].total) for own in opinions if one in own and other in own]
        totals = np.array(both, dtype=np.float64).reshape(-1, 2)
        if len(both) < _LEAST_REPLIES or not np.all(totals.std(axis=0) > 0):
            return None
        found.append(float(np.corrcoef(totals[:, 0], totals[:, 1])[0, 1]))
    return fmean(found)


def _split(reply: PanelReply, own: _Opinions) -> Split:
    totals = {name: one.total or 0 for name, one in own.items()}
    hard_fails = {name: tuple(sorted(one.vote.flags)) for name, one in own.items()}
    contested = reply.combined.vote.contested if isinstance(reply.combined, Combined) else ()
    return Split(reply.case_id, reply.subject, reply.number, totals, hard_fails, tuple(sorted(contested)))


def _distance(split: Split) -> int:
    return max(split.totals.values()) - min(split.totals.values())
