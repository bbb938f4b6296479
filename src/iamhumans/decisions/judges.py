"""The judges of a panel: how strict each is, how far they agree, and where they split.

A judge is *nearest* or *furthest* by how often it decides as most of the others do. Only people's labels can show which
of them is right.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from statistics import fmean
from typing import TYPE_CHECKING

from iamhumans.decisions.panel import Combined, PanelReply

if TYPE_CHECKING:
    from iamhumans.stats import Estimate, TwoPart

_MOST_SPLITS = 10
_LEAST_REPLIES = 5
_Opinions = Mapping[str, Combined]
"""The verdicts on one reply, by judge."""


@dataclass(frozen=True, slots=True)
class JudgeFigures:
    """One judge of a panel, or the panel. ``with_others`` is how often it decides PASS or FAIL as most others do."""

    name: str
    judged: int
    asked: int
    headline: TwoPart
    pass_rate: Estimate
    with_others: float | None


@dataclass(frozen=True, slots=True)
class Split:
    """A reply on which the judges decide differently; totals and hard fails by judge."""

    case_id: str
    subject: str
    number: int
    totals: Mapping[str, int]
    hard_fails: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class PanelFigures:
    """A panel and its judges.

    Attributes:
        agreement: How often two judges decide the same on a reply, over cases. It is withheld, and with it how often
            each decides as the others, where one of them gives nearly always the same verdict.
        correlation: Between the totals of two judges: the mean over all pairs; ``None`` where a judge never varies.
        independent_votes: The least number of independent votes that the judges amount to.
        split: Replies on which not all judges decide the same; ``splits`` are those that are furthest apart.
        replies: Replies with at least two verdicts.
    """

    panel: JudgeFigures
    judges: tuple[JudgeFigures, ...]
    agreement: Estimate
    correlation: float | None
    independent_votes: float | None
    split: int
    replies: int
    splits: tuple[Split, ...]

    @property
    def ends(self) -> tuple[str | None, str | None]:
        """The judges that decide most and least often as most of the others do; the last only where they differ."""
        ranked = sorted(
            ((one.with_others, one.name) for one in self.judges if one.with_others is not None), key=lambda one: one[0]
        )
        if not ranked:
            return None, None
        nearest = next(name for share, name in ranked if share == ranked[-1][0])
        return nearest, ranked[0][1] if ranked[0][0] != ranked[-1][0] else None


def panel_figures(replies: Iterable[PanelReply]) -> PanelFigures | None:
    """The figures of a panel; ``None`` where there was one judge, or one that does not see every criterion."""
    several = [reply for reply in replies if reply.judges]
    names = tuple(dict.fromkeys(name for reply in several for name in reply.judges))
    opinions = [{n: one for n, one in reply.judges.items() if isinstance(one, Combined)} for reply in several]
    if len(names) < 2 or any(one.total is None for said in opinions for one in said.values()):
        return None
    apart = (
        (reply, said)
        for reply, said in zip(several, opinions, strict=True)
        if len({one.outcome for one in said.values()}) > 1
    )
    splits = sorted(
        (_split(*both) for both in apart), key=lambda one: min(one.totals.values()) - max(one.totals.values())
    )
    agreement, correlation = _agreement(names, several, opinions), _correlation(names, opinions)

    def own(name: str) -> list[tuple[str, object]]:
        return [(one.case_id, one.judges[name]) for one in several if name in one.judges]

    votes = None
    if correlation is not None:
        # Equally correlated votes amount to n / (1 + (n - 1) r) independent ones (Kish 1965). Judges who agree because
        # they are right correlate as well, so this is a lower bound.
        votes = len(names) / (1 + (len(names) - 1) * min(1.0, max(0.0, correlation)))
    return PanelFigures(
        panel=_figures("panel", [(reply.case_id, reply.combined) for reply in several], None),
        judges=tuple(
            _figures(name, own(name), None if agreement.withheld else _with_others(name, opinions)) for name in names
        ),
        agreement=agreement,
        correlation=correlation,
        independent_votes=votes,
        split=len(splits),
        replies=sum(len(said) > 1 for said in opinions),
        splits=tuple(splits[:_MOST_SPLITS]),
    )


def _figures(name: str, outcomes: Sequence[tuple[str, object]], with_others: float | None) -> JudgeFigures:
    from iamhumans.stats import Cases, rate_of, split_totals, two_part

    judged = [(case_id, one) for case_id, one in outcomes if isinstance(one, Combined) and one.total is not None]
    cases = Cases.of([case_id for case_id, _ in judged])
    headline = two_part(split_totals(cases, [one.zeroed for _, one in judged], [one.total or 0 for _, one in judged]))
    pass_rate = rate_of(cases.means([one.outcome == "PASS" for _, one in judged]))
    return JudgeFigures(name, len(judged), len(outcomes), headline, pass_rate, with_others)


def _with_others(name: str, opinions: Iterable[_Opinions]) -> float | None:
    same = []
    for own in opinions:
        passes = sum(other.outcome == "PASS" for judge, other in own.items() if judge != name)
        fails = len(own) - 1 - passes
        if name in own and passes != fails:
            same.append((own[name].outcome == "PASS") == (passes > fails))
    return fmean(same) if same else None


def _agreement(names: Sequence[str], several: Sequence[PanelReply], opinions: Sequence[_Opinions]) -> Estimate:
    """The share of pairs of judges that decide the same on a reply, over cases."""
    from iamhumans.stats import Cases, nearly_one_label, rate_of

    ids, shares = list[str](), list[float]()
    for reply, own in zip(several, opinions, strict=True):
        pairs = list(combinations(own.values(), 2))
        if pairs:
            ids.append(reply.case_id)
            shares.append(fmean(first.outcome == second.outcome for first, second in pairs))
    found = rate_of(Cases.of(ids).means(shares))
    table = [[float(own[name].outcome == "PASS") if name in own else None for name in names] for own in opinions]
    reason = nearly_one_label(table) if ids else None
    return replace(found, value=None, low=None, high=None, withheld=reason) if reason else found


def _correlation(names: Sequence[str], opinions: Sequence[_Opinions]) -> float | None:
    """The mean correlation of the totals of two judges; ``None`` unless each pair of judges has one."""
    import numpy as np

    correlations = []
    for one, other in combinations(names, 2):
        both = [(own[one], own[other]) for own in opinions if one in own and other in own]
        totals = np.array([[each.total for each in pair] for pair in both], dtype=np.float64).reshape(-1, 2)
        if len(both) >= _LEAST_REPLIES and np.all(totals.std(axis=0) > 0):
            correlations.append(float(np.corrcoef(totals[:, 0], totals[:, 1])[0, 1]))
    complete = len(correlations) == len(names) * (len(names) - 1) // 2
    return fmean(correlations) if complete else None


def _split(reply: PanelReply, own: _Opinions) -> Split:
    totals = {name: one.total or 0 for name, one in own.items()}
    hard_fails = {name: tuple(sorted(one.vote.flags)) for name, one in own.items()}
    return Split(reply.case_id, reply.subject, reply.number, totals, hard_fails)
