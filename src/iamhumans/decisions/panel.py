"""Several votes on one reply, combined into one judgement.

1. All votes remain available beside what they are combined into.
2. An axis is the median of the votes that scored it. A flag is present by a majority of the votes that can see it.
3. A tie on a flag is *contested*. It does not zero the total; gates use the worse total, in which it does.
4. Fewer verdicts than the quorum are unjudged: ``no_quorum``.

Repeats of one judge are combined first, then each judge has one vote. A judge whose own repeats are tied on a flag has
no opinion on it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import attrgetter
from statistics import median
from types import MappingProxyType
from typing import NamedTuple

from iamhumans.rubrics import Rubric
from iamhumans.verdicts import Judgement, Number, Outcome, Reason, Unjudged, mean_total

_NONE: frozenset[str] = frozenset()
_MOST_CACHED = 20_000

# A run may hold hundreds of thousands of these. Named tuples are made twice as fast as dataclasses.


class Vote(NamedTuple):
    """A verdict as a vote: axes in the order of the rubric, defaults filled in, and the flags by their answer."""

    axes: tuple[Number | None, ...]
    defaulted: frozenset[str] = _NONE
    flags: frozenset[str] = _NONE
    """Answered with YES."""
    contested: frozenset[str] = _NONE
    unconfirmed: frozenset[str] = _NONE
    """Flags for which no vote has a quote that is in the reply."""
    unseen: frozenset[str] = _NONE
    """Flags that no vote can see."""


class Combined(NamedTuple):
    """The result of all votes on one reply. Totals go from 0 to 100; ``None`` where the votes do not cover enough.

    ``worst`` counts contested flags as YES; ``confirmed`` leaves unconfirmed flags out.
    """

    vote: Vote
    total: int | None
    worst_total: int | None
    total_confirmed: int | None
    outcome: Outcome | None
    worst_outcome: Outcome | None
    votes: int
    asked: int

    @property
    def zeroed(self) -> bool:
        """Whether a hard fail makes the total 0."""
        return bool(self.vote.flags)

    @property
    def worst_zeroed(self) -> bool:
        """Whether it does when a tie counts as YES."""
        return bool(self.vote.flags or self.vote.contested)


Votes = Mapping[str, Sequence[Vote | Unjudged]]
"""The votes on one reply: each judge's repeats, by judge."""
Outcomes = Mapping[str, Combined | Unjudged]
"""The combined repeats of each judge."""
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
    """The key of the reply in the journal."""


class VoteReader:
    """Turns judgements into votes and panel replies. Judgements that share their mappings share their vote."""

    def __init__(self, rubric: Rubric, *, quorum: int | None = None) -> None:
        self._rubric, self._quorum = rubric, quorum
        self._cache: dict[tuple[object, ...], tuple[Judgement, Combined]] = {}

    def combined(self, judgement: Judgement) -> Combined | Unjudged:
        """One judgement by itself."""
        if not judgement.judged or judgement.axes is None:
            return Unjudged(Reason(judgement.reason or Reason.NO_VERDICT), judgement.detail or "")
        totals = (judgement.total, judgement.total_confirmed, judgement.verdict)
        key = (id(judgement.axes), id(judgement.hard_fails), judgement.defaulted, *totals)
        known = self._cache.get(key)
        if known is None:
            if len(self._cache) >= _MOST_CACHED:
                self._cache.clear()
            total, confirmed, outcome = totals
            found = Combined(self._vote(judgement), total, total, confirmed, outcome, outcome, 1, 1)
            # The judgement is stored as well, so that no other mapping can get the id of one of its own.
            known = self._cache[key] = (judgement, found)
        return known[1]

    def reply(self, judgements: Sequence[Judgement]) -> PanelReply:
        """All judgements of one reply."""
        first = judgements[0]
        judges: Outcomes = _NO_OUTCOMES
        if len(judgements) == 1:
            combined = self.combined(first)
        else:
            votes: dict[str, list[Vote | Unjudged]] = {}
            for one in judgements:
                outcome = self.combined(one)
                votes.setdefault(one.judge, []).append(outcome.vote if isinstance(outcome, Combined) else outcome)
            combined, judges = combine_judges(votes, self._rubric, quorum=self._quorum)
        return PanelReply(first.case_id or "", first.subject, first.number, combined, judges, first.reply_key)

    def _vote(self, judgement: Judgement) -> Vote:
        axes, flags = judgement.axes or {}, judgement.hard_fails or {}
        return Vote(
            axes=tuple([axes.get(name) for name in self._rubric.axis_ids]),
            defaulted=frozenset(judgement.defaulted or ()),
            flags=frozenset(judgement.present),
            unconfirmed=frozenset(judgement.unconfirmed),
            unseen=frozenset([name for name, answer in flags.items() if answer.present is None]),
        )


def panel_replies(
    judgements: Iterable[Judgement], rubric: Rubric, *, quorum: int | None = None
) -> Iterator[PanelReply]:
    """The replies of judgements, with their votes combined. All judgements of one reply follow each other."""
    reader = VoteReader(rubric, quorum=quorum)
    return (reader.reply(list(several)) for _, several in groupby(judgements, key=attrgetter("row")))


def combine(votes: Sequence[Vote], rubric: Rubric, *, asked: int, quorum: int = 1) -> Combined | Unjudged:
    """Combine votes; unjudged where there are fewer than ``quorum`` (at least 1) of the ``asked``."""
    if len(votes) < max(quorum, 1):
        return Unjudged(Reason.NO_QUORUM, f"{len(votes)} of {asked} votes, and {max(quorum, 1)} are needed")
    vote = votes[0] if len(votes) == 1 else _merged(votes)
    scored = [value for value in vote.axes if value is not None]
    # Without every criterion there is a total only where a YES zeroes it.
    axes = None if vote.unseen or len(scored) < len(vote.axes) else mean_total(scored)
    total = 0 if vote.flags else axes
    worst = 0 if vote.flags or vote.contested else axes
    mark = rubric.scoring.pass_mark
    confirmed = 0 if vote.flags - vote.unconfirmed else axes
    outcomes = _outcome(total, mark), _outcome(worst, mark)
    return Combined(vote, total, worst, confirmed, *outcomes, votes=len(votes), asked=asked)


def _outcome(total: int | None, mark: float) -> Outcome | None:
    return None if total is None else "PASS" if total >= mark else "FAIL"


def _merged(votes: Sequence[Vote]) -> Vote:
    yes = Counter(name for vote in votes for name in vote.flags)
    defaulted = Counter(name for vote in votes for name in vote.defaulted)
    unconfirmed = Counter(name for vote in votes for name in vote.unconfirmed)
    blind = Counter(name for vote in votes for name in vote.unseen)
    # A judge without an opinion might have said YES. Where that could make a tie or a majority, the flag is contested.
    possible = Counter(name for vote in votes for name in vote.flags | vote.contested)
    half = {name: (len(votes) - blind[name]) / 2 for name in possible}
    flags = frozenset(name for name, count in yes.items() if count > half[name])
    return Vote(
        axes=tuple(_median(values) for values in zip(*(vote.axes for vote in votes), strict=True)),
        defaulted=frozenset(name for name, count in defaulted.items() if count > len(votes) / 2),
        flags=flags,
        contested=frozenset(name for name, count in possible.items() if count >= half[name]) - flags,
        unconfirmed=frozenset(name for name in flags if unconfirmed[name] == yes[name]),
        unseen=frozenset(name for name, count in blind.items() if count == len(votes)),
    )


def _median(values: Sequence[Number | None]) -> Number | None:
    scored = [value for value in values if value is not None]
    return median(scored) if scored else None


def combine_judges(votes: Votes, rubric: Rubric, *, quorum: int | None = None) -> tuple[Combined | Unjudged, Outcomes]:
    """Combine the votes on one reply, repeats first; with the outcome of each judge, where there are several.

    ``quorum`` is how many judges must have given a verdict; more than half of them if not given.
    """
    judges = {name: _of_one_judge(own, rubric) for name, own in votes.items()}
    if len(judges) == 1:
        return next(iter(judges.values())), _NO_OUTCOMES
    opinions = [outcome.vote for outcome in judges.values() if isinstance(outcome, Combined)]
    needed = len(judges) // 2 + 1 if quorum is None else quorum
    return combine(opinions, rubric, asked=len(judges), quorum=needed), judges


def _of_one_judge(votes: Sequence[Vote | Unjudged], rubric: Rubric) -> Combined | Unjudged:
    if len(votes) == 1 and isinstance(votes[0], Unjudged):
        return votes[0]
    verdicts = [vote for vote in votes if isinstance(vote, Vote)]
    return combine(verdicts, rubric, asked=len(votes), quorum=len(votes) // 2 + 1)
