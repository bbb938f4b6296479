"""Several votes on one reply, combined into one judgement.

1. All votes remain available beside what they are combined into.
2. An axis is the median of the votes. A flag is present by a majority of the votes that can see it. What one judge
   cannot see the panel does not see either, but for a YES.
3. A tie on a flag is *contested*. It does not zero the total; gates use the worse total, in which it does.
4. Verdicts of half of the judges or fewer are unjudged: ``no_quorum``.

Repeats of one judge are combined first, then each judge has one vote. A judge whose own repeats are tied on a flag has
no opinion on it.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from operator import attrgetter
from statistics import median
from types import MappingProxyType
from typing import NamedTuple

from iamhumans.rubrics import Rubric
from iamhumans.verdicts import Judgement, Number, Outcome, Reason, Unjudged, mean_total

_NONE: frozenset[str] = frozenset()
_MOST_CACHED = 20_000
_TOTALS = attrgetter("defaulted", "total", "total_confirmed", "verdict")

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
    """Flags that are not answered, since a vote cannot see them."""


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
    cluster: str = ""
    """Of a reply without a case: which replies are of the same conversation."""


class VoteReader:
    """Turns judgements into votes and panel replies. Judgements that share their mappings share their vote."""

    def __init__(self, rubric: Rubric) -> None:
        self._rubric = rubric
        self._cache: dict[tuple[object, ...], tuple[Judgement, Combined]] = {}

    def combined(self, one: Judgement) -> Combined | Unjudged:
        """One judgement by itself."""
        if not one.judged or one.axes is None:
            return Unjudged(Reason(one.reason or Reason.NO_VERDICT), one.detail or "")
        key = (id(one.axes), id(one.hard_fails), _TOTALS(one))
        known = self._cache.get(key)
        if known is None:
            if len(self._cache) >= _MOST_CACHED:
                self._cache.clear()
            totals = (one.total, one.total, one.total_confirmed, one.verdict, one.verdict)
            # The judgement is stored as well, so that no other mapping can get the id of one of its own.
            known = self._cache[key] = (one, Combined(self._vote(one), *totals, 1, 1))
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
            combined, judges = combine_judges(votes, self._rubric)
        return PanelReply(
            first.case_id or "", first.subject, first.number, combined, judges, first.reply_key, first.cluster
        )

    def _vote(self, one: Judgement) -> Vote:
        axes, flags = one.axes or {}, one.hard_fails or {}
        return Vote(
            axes=tuple([axes.get(name) for name in self._rubric.axis_ids]),
            defaulted=frozenset(one.defaulted or ()),
            flags=frozenset(one.present),
            unconfirmed=frozenset(one.unconfirmed),
            unseen=frozenset([name for name, answer in flags.items() if answer.present is None]),
        )


def combine(votes: Sequence[Vote], rubric: Rubric, *, asked: int) -> Combined | Unjudged:
    """Combine votes; unjudged where there are not more than half of the ``asked``."""
    quorum = asked // 2 + 1
    if len(votes) < quorum:
        return Unjudged(Reason.NO_QUORUM, f"{len(votes)} of {asked} votes, and {quorum} are needed")
    vote = votes[0] if len(votes) == 1 else _merged(votes)
    scored = [value for value in vote.axes if value is not None]
    # Without every criterion there is a total only where a YES zeroes it.
    axes = None if vote.unseen or len(scored) < len(vote.axes) else mean_total(scored)
    total = 0 if vote.flags else axes
    worst = 0 if vote.flags or vote.contested else axes
    confirmed = 0 if vote.flags - vote.unconfirmed else axes
    outcomes = _outcome(total, rubric.scoring.pass_mark), _outcome(worst, rubric.scoring.pass_mark)
    return Combined(vote, total, worst, confirmed, *outcomes, votes=len(votes), asked=asked)


def _outcome(total: int | None, mark: float) -> Outcome | None:
    return None if total is None else "PASS" if total >= mark else "FAIL"


def _merged(votes: Sequence[Vote]) -> Vote:
    def counts(part: str) -> Counter[str]:
        return Counter(name for vote in votes for name in getattr(vote, part))

    yes, defaulted, unconfirmed, blind = map(counts, ("flags", "defaulted", "unconfirmed", "unseen"))
    # A judge without an opinion might have said YES. Where that could make a tie or a majority, the flag is contested.
    possible = yes + counts("contested")
    half = {name: (len(votes) - blind[name]) / 2 for name in possible}
    flags = frozenset(name for name, count in yes.items() if count > half[name])
    contested = frozenset(name for name, count in possible.items() if count >= half[name]) - flags
    columns = [[value for value in axis if value is not None] for axis in zip(*(v.axes for v in votes), strict=True)]
    return Vote(
        axes=tuple(median(values) if len(values) == len(votes) else None for values in columns),
        defaulted=frozenset(name for name, count in defaulted.items() if count > len(votes) / 2),
        flags=flags,
        contested=contested,
        unconfirmed=frozenset(name for name in flags if unconfirmed[name] == yes[name]),
        unseen=frozenset(blind) - flags - contested,
    )


def combine_judges(
    votes: Mapping[str, Sequence[Vote | Unjudged]], rubric: Rubric
) -> tuple[Combined | Unjudged, Outcomes]:
    """Combine the repeats of each judge, then the judges; with the outcome of each, where there are several."""
    judges = {name: _of_one_judge(own, rubric) for name, own in votes.items()}
    if len(judges) == 1:
        return next(iter(judges.values())), _NO_OUTCOMES
    opinions = [outcome.vote for outcome in judges.values() if isinstance(outcome, Combined)]
    return combine(opinions, rubric, asked=len(judges)), judges


def _of_one_judge(votes: Sequence[Vote | Unjudged], rubric: Rubric) -> Combined | Unjudged:
    if len(votes) == 1 and isinstance(votes[0], Unjudged):
        return votes[0]
    return combine([vote for vote in votes if isinstance(vote, Vote)], rubric, asked=len(votes))
