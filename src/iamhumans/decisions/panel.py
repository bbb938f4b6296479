"""Several votes on one reply as one judgement.

1. Every vote is kept; what is combined stands beside them.
2. An axis is the median of the votes. A flag is present by more than half of them.
3. A tie on a flag is *contested*: it does not zero the total. The total with it stands beside, and gates use the worse.
4. Fewer verdicts than the quorum are no judgement: ``no_quorum``.

Repeats of one judge are combined first, then the judges, so that a judge that was asked often has one vote. A judge
whose own repeats are tied on a flag has no opinion on it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from statistics import median
from types import MappingProxyType
from typing import NamedTuple

from iamhumans.rubrics import Rubric
from iamhumans.runs.records import JudgedRow
from iamhumans.verdicts import MaybeVerdict, Number, Outcome, Reason, Score, Unjudged, mean_total

_NONE: frozenset[str] = frozenset()

# Named tuples in this file, and no dataclasses: a run may hold hundreds of thousands, and these are made twice as fast.


class Vote(NamedTuple):
    """A verdict as a vote: axes as they count, in the order of the rubric, and the flags that say YES."""

    axes: tuple[Number, ...]
    defaulted: frozenset[str] = _NONE
    flags: frozenset[str] = _NONE
    contested: frozenset[str] = _NONE
    unconfirmed: frozenset[str] = _NONE
    """The flags for which no vote has words that stand in the reply."""


class Combined(NamedTuple):
    """What the votes on one reply come to. Totals are whole numbers from 0 to 100."""

    vote: Vote
    total: int
    worst_total: int
    """With the contested flags as YES."""
    total_confirmed: int
    """Without flags that no vote has words for."""
    outcome: Outcome
    worst_outcome: Outcome
    votes: int
    asked: int

    @property
    def zeroed(self) -> bool:
        """Whether a hard fail makes the total 0."""
        return bool(self.vote.flags)

    @property
    def worst_zeroed(self) -> bool:
        """The same with a tie counted as YES."""
        return bool(self.vote.flags or self.vote.contested)


Votes = Mapping[str, Sequence[Vote | Unjudged]]
"""The votes on one reply, by judge; of each judge its repeats."""
Outcomes = Mapping[str, Combined | Unjudged]
"""What each judge's own repeats come to."""
_NO_OUTCOMES: Outcomes = MappingProxyType({})


class PanelReply(NamedTuple):
    """One reply with all its votes."""

    case_id: str
    subject: str
    number: int
    combined: Combined | Unjudged
    judges: Outcomes = _NO_OUTCOMES
    """By judge; empty where there was one judge, whose outcome is ``combined``."""
    key: str = ""
    """What the journal knows the reply by."""


def vote_of(judgement: MaybeVerdict, score: Score | None, rubric: Rubric) -> Vote | Unjudged:
    """A judgement as a vote, or why there is none."""
    if isinstance(judgement, Unjudged):
        return judgement
    if score is None:
        return Unjudged(Reason.NO_VERDICT, "there is no score")
    return Vote(
        axes=tuple([score.axes[name] for name in rubric.axis_ids]),
        defaulted=frozenset(score.defaulted) if score.defaulted else _NONE,
        flags=frozenset([name for name, flag in judgement.flags.items() if flag.present]) or _NONE,
        unconfirmed=frozenset(score.unconfirmed) or _NONE,
    )


def combine(votes: Sequence[Vote], rubric: Rubric, *, asked: int, quorum: int = 1) -> Combined | Unjudged:
    """What votes come to.

    Args:
        votes: The verdicts that there are.
        rubric: What was judged by.
        asked: How many were asked for.
        quorum: How many there must be.
    """
    if len(votes) < max(quorum, 1):
        return Unjudged(Reason.NO_QUORUM, f"{len(votes)} of {asked} votes, and {max(quorum, 1)} are needed")
    vote = votes[0] if len(votes) == 1 else _merged(votes)
    axes = mean_total(vote.axes)
    total = 0 if vote.flags else axes
    worst = 0 if vote.flags or vote.contested else axes
    confirmed = 0 if vote.flags - vote.unconfirmed else axes
    mark = rubric.scoring.pass_mark
    return Combined(
        vote=vote,
        total=total,
        worst_total=worst,
        total_confirmed=confirmed,
        outcome="PASS" if total >= mark else "FAIL",
        worst_outcome="PASS" if worst >= mark else "FAIL",
        votes=len(votes),
        asked=asked,
    )


def _merged(votes: Sequence[Vote]) -> Vote:
    half = len(votes) / 2
    yes = Counter(name for vote in votes for name in vote.flags)
    defaulted = Counter(name for vote in votes for name in vote.defaulted)
    unconfirmed = Counter(name for vote in votes for name in vote.unconfirmed)
    # A judge without an opinion might have said YES: what would then be tied or present is open.
    open_still = Counter(name for vote in votes for name in vote.flags | vote.contested)
    flags = frozenset(name for name, count in yes.items() if count > half)
    return Vote(
        axes=tuple(median(values) for values in zip(*(vote.axes for vote in votes), strict=True)),
        defaulted=frozenset(name for name, count in defaulted.items() if count > half),
        flags=flags,
        contested=frozenset(name for name, count in open_still.items() if count >= half) - flags,
        unconfirmed=frozenset(name for name in flags if unconfirmed[name] == yes[name]),
    )


def combine_judges(votes: Votes, rubric: Rubric, *, quorum: int | None = None) -> tuple[Combined | Unjudged, Outcomes]:
    """The votes on one reply as one judgement, and what each judge's own come to.

    Args:
        votes: All of them, by judge.
        rubric: What was judged by.
        quorum: How many judges must have given a verdict; more than half of them if not given.
    """
    judges = {name: _of_one_judge(own, rubric) for name, own in votes.items()}
    if len(judges) == 1:
        return next(iter(judges.values())), _NO_OUTCOMES
    opinions = [outcome.vote for outcome in judges.values() if isinstance(outcome, Combined)]
    needed = len(judges) // 2 + 1 if quorum is None else quorum
    return combine(opinions, rubric, asked=len(judges), quorum=needed), judges


def _of_one_judge(votes: Sequence[Vote | Unjudged], rubric: Rubric) -> Combined | Unjudged:
    verdicts = [vote for vote in votes if isinstance(vote, Vote)]
    first = votes[0]
    if len(votes) == 1 and isinstance(first, Unjudged):
        return first
    return combine(verdicts, rubric, asked=len(votes), quorum=len(votes) // 2 + 1)


def panel_replies(rows: Iterable[JudgedRow], rubric: Rubric, *, quorum: int | None = None) -> Iterator[PanelReply]:
    """Judged rows, which come reply by reply, with their votes combined."""
    for _, several in groupby(rows, key=lambda row: row.row):
        first: JudgedRow | None = None
        votes: dict[str, list[Vote | Unjudged]] = {}
        for row in several:
            first = first or row
            votes.setdefault(row.judge, []).append(vote_of(row.judgement, row.score, rubric))
        if first is not None:
            combined, judges = combine_judges(votes, rubric, quorum=quorum)
            yield PanelReply(first.case_id, first.subject, first.number, combined, judges)
