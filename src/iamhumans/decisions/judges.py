"""The judges of a panel beside it: how strict each is, how far they agree, and where they split.

Nobody here knows who is right. A judge is called *nearest* or *furthest* by how often it decides as most of the others
do; which of them people agree with, only people's labels can tell.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, islice
from statistics import fmean
from typing import TYPE_CHECKING

from iamhumans.decisions.panel import Combined, PanelReply

if TYPE_CHECKING:
    from iamhumans.stats import TwoPart

_MOST_SPLITS = 10
_LEAST_REPLIES = 5


@dataclass(frozen=True, slots=True)
class JudgeFigures:
    """One judge of a panel, by itself; or the panel."""

    name: str
    judged: int
    asked: int
    headline: TwoPart
    pass_rate: float | None
    """The share of its replies that pass, as a mean over cases."""
    with_others: float | None
    """The share of replies on which it decides PASS or FAIL as most of the other judges do; ties and replies on which
    nobody else has a verdict left out. ``None`` for the panel, and where nothing is left."""


@dataclass(frozen=True, slots=True)
class Split:
    """A reply on which the judges decide differently."""

    case_id: str
    subject: str
    number: int
    totals: Mapping[str, int]
    """By judge."""
    hard_fails: Mapping[str, tuple[str, ...]]
    """What each says YES to."""
    contested: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PanelFigures:
    """A panel with its judges."""

    panel: JudgeFigures
    judges: tuple[JudgeFigures, ...]
    agreement: float | None
    """How often two of the judges decide the same on a reply: the mean over all pairs of judges."""
    correlation: float | None
    """Between the totals of two judges: the mean over all pairs. ``None`` where a judge never varies."""
    independent_votes: float | None
    """How many independent votes the judges are worth at least."""
    contested: int
    """Replies with a hard fail on which the votes are tied."""
    split: int
    """Replies on which not all judges decide the same."""
    replies: int
    """Replies that two judges or more gave a verdict on."""
    splits: tuple[Split, ...]
    """The ones that are furthest apart."""

    @property
    def nearest(self) -> JudgeFigures | None:
        """The judge that decides most often as most of the others do."""
        return max(self._compared, key=lambda judge: judge.with_others or 0.0, default=None)

    @property
    def furthest(self) -> JudgeFigures | None:
        """The one that does so least often; ``None`` where all do so equally often."""
        furthest = min(self._compared, key=lambda judge: judge.with_others or 0.0, default=None)
        nearest = self.nearest
        if furthest is None or nearest is None or furthest.with_others == nearest.with_others:
            return None
        return furthest

    @property
    def _compared(self) -> Sequence[JudgeFigures]:
        return [judge for judge in self.judges if judge.with_others is not None]


def panel_figures(replies: Iterable[PanelReply]) -> PanelFigures | None:
    """The figures of a panel; ``None`` where there was one judge.

    Args:
        replies: Of a run, as :func:`iamhumans.decisions.panel.panel_replies` or ``RunOutcomes.replies`` give them.
    """
    several = [reply for reply in replies if reply.judges]
    names = tuple(dict.fromkeys(name for reply in several for name in reply.judges))
    if len(names) < 2:
        return None
    opinions = [_opinions(reply) for reply in several]
    compared = [one for one in opinions if len(one) > 1]
    agreement, correlation = _agreement(names, compared), _correlation(names, compared)
    apart = [(reply, own) for reply, own in zip(several, opinions, strict=True) if _is_split(own)]
    apart.sort(key=lambda one: -_distance(one[1]))
    return PanelFigures(
        panel=_figures("panel", [(reply, reply.combined) for reply in several], None),
        judges=tuple(
            _figures(name, [(reply, reply.judges[name]) for reply in several if name in reply.judges], opinions)
            for name in names
        ),
        agreement=agreement,
        correlation=correlation,
        independent_votes=_independent(len(names), correlation),
        contested=sum(isinstance(one.combined, Combined) and bool(one.combined.vote.contested) for one in several),
        split=len(apart),
        replies=len(compared),
        splits=tuple(_split(reply, own) for reply, own in islice(apart, _MOST_SPLITS)),
    )


_Opinions = Mapping[str, Combined]


def _opinions(reply: PanelReply) -> _Opinions:
    return {name: outcome for name, outcome in reply.judges.items() if isinstance(outcome, Combined)}


def _figures(
    name: str, outcomes: Sequence[tuple[PanelReply, object]], opinions: Sequence[_Opinions] | None
) -> JudgeFigures:
    from iamhumans.stats import Cases, split_totals, two_part

    judged = [(reply, outcome) for reply, outcome in outcomes if isinstance(outcome, Combined)]
    cases = Cases.of([reply.case_id for reply, _ in judged])
    passed = cases.means([outcome.outcome == "PASS" for _, outcome in judged]).values
    return JudgeFigures(
        name=name,
        judged=len(judged),
        asked=len(outcomes),
        headline=two_part(
            split_totals(cases, [outcome.zeroed for _, outcome in judged], [outcome.total for _, outcome in judged])
        ),
        pass_rate=float(passed.mean()) if len(passed) else None,
        with_others=None if opinions is None else _with_others(name, opinions),
    )


def _with_others(name: str, opinions: Iterable[_Opinions]) -> float | None:
    """How often a judge decides as most of the others do."""
    same = compared = 0
    for own in opinions:
        mine = own.get(name)
        if mine is None:
            continue
        passes = sum(other.outcome == "PASS" for judge, other in own.items() if judge != name)
        fails = len(own) - 1 - passes
        if passes != fails:
            compared += 1
            same += (mine.outcome == "PASS") == (passes > fails)
    return same / compared if compared else None


def _agreement(names: Sequence[str], opinions: Sequence[_Opinions]) -> float | None:
    shares = []
    for one, other in combinations(names, 2):
        both = [(own[one].outcome, own[other].outcome) for own in opinions if one in own and other in own]
        if both:
            shares.append(sum(first == second for first, second in both) / len(both))
    return fmean(shares) if shares else None


def _correlation(names: Sequence[str], opinions: Sequence[_Opinions]) -> float | None:
    """The mean correlation between the totals of two judges, where each pair has one."""
    found = [_correlation_of(one, other, opinions) for one, other in combinations(names, 2)]
    known = [one for one in found if one is not None]
    return fmean(known) if known and len(known) == len(found) else None


def _correlation_of(one: str, other: str, opinions: Sequence[_Opinions]) -> float | None:
    import numpy as np

    both = [(own[one].total, own[other].total) for own in opinions if one in own and other in own]
    if len(both) < _LEAST_REPLIES:
        return None
    totals = np.array(both, dtype=np.float64)
    if not np.all(totals.std(axis=0) > 0):
        return None
    centred = totals - totals.mean(axis=0)
    return float(np.mean(centred[:, 0] * centred[:, 1]) / (totals[:, 0].std() * totals[:, 1].std()))


def _independent(judges: int, correlation: float | None) -> float | None:
    """What equally correlated votes are worth (Kish 1965): judges / (1 + (judges - 1) * correlation).

    Judges who agree since they are right correlate as well, and no figure without labels tells that from sharing a
    blind spot. So it is the least that they are worth.
    """
    if correlation is None:
        return None
    return judges / (1 + (judges - 1) * min(1.0, max(0.0, correlation)))


def _is_split(own: _Opinions) -> bool:
    return len({outcome.outcome for outcome in own.values()}) > 1


def _distance(own: _Opinions) -> int:
    totals = [outcome.total for outcome in own.values()]
    return max(totals) - min(totals)


def _split(reply: PanelReply, own: _Opinions) -> Split:
    contested = reply.combined.vote.contested if isinstance(reply.combined, Combined) else frozenset()
    return Split(
        case_id=reply.case_id,
        subject=reply.subject,
        number=reply.number,
        totals={name: outcome.total for name, outcome in own.items()},
        hard_fails={name: tuple(sorted(outcome.vote.flags)) for name, outcome in own.items()},
        contested=tuple(sorted(contested)),
    )
