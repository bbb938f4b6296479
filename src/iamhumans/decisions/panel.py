"""Several votes on one reply, combined into one outcome. Every figure of a run with several votes comes from here.

1. Each judgement is one vote with its own zero: any YES that counts.
2. The repeats of a judge are combined first. Then each judge has one vote.
3. The combined zero is the majority of the votes' zeroes; a tie zeroes. The confirmed zero follows the same rule, from
   each vote's YES with a quote that is confirmed or cannot be checked.
4. An axis is the mean over the votes that scored it; a default is no score. A flag is present by more than half of the
   votes that can see it, whatever the zero.
5. The total is 0 if the reply is zeroed, else the mean of the combined axes.
6. A panel covers what all its judges cover. A YES to another flag is shown and has no vote.
7. Verdicts of half of the asked votes or fewer are unjudged: ``no_quorum``.

A vote that has no YES and cannot see every hard fail is no vote against a zero: it does not know.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from math import floor
from operator import attrgetter
from types import MappingProxyType
from typing import Any, NamedTuple

from iamhumans.rubrics import Rubric
from iamhumans.verdicts import Judgement, Number, Outcome, Reason, Unjudged

_NONE: frozenset[str] = frozenset()
_NOTHING: Mapping[str, Any] = MappingProxyType({})
_MOST_CACHED = 20_000
_DECIMALS = 10  # of a mean
_CLOSE = 1e-8  # what is nearer to a half than this is one: scores have few decimals, and votes are at most 100
_TOTALS = attrgetter("defaulted", "total", "total_confirmed", "axis_total", "applicable_total", "verdict")

# A run may hold hundreds of thousands of these. Named tuples are made twice as fast as dataclasses.


class Vote(NamedTuple):
    """What a vote says: axes in the order of the rubric, defaults filled in, and the flags by their answer."""

    axes: tuple[Number | None, ...]
    defaulted: frozenset[str] = _NONE
    flags: frozenset[str] = _NONE
    """Answered with YES; of several votes, by most of them."""
    unconfirmed: frozenset[str] = _NONE
    """Flags for which no vote has a quote that is in the reply."""
    unseen: frozenset[str] = _NONE
    """Flags that are not answered, since a vote cannot see them."""


class Combined(NamedTuple):
    """The result of all votes on one reply. Totals go from 0 to 100; ``None`` where the votes do not cover enough.

    Attributes:
        vote: The combined axes and flags.
        zeroed: Whether a hard fail makes the total 0. It may, although no flag is present: votes may zero a reply for
            different flags.
        zeroed_confirmed: The same by flags whose quote is confirmed or cannot be checked.
        axis_total, applicable_total: Ten times the mean of all axes, and of those at stake, whatever the hard fails.
        yes: How many votes answered YES, for each flag to which one did. ``uncounted`` are such flags to which a YES
            has no vote, since not every judge of the panel sees them.
        votes, asked: How many votes there are, and how many were asked for.
    """

    vote: Vote
    zeroed: bool
    zeroed_confirmed: bool
    total: int | None
    total_confirmed: int | None
    axis_total: int | None
    applicable_total: int | None
    outcome: Outcome | None
    yes: Mapping[str, int] = _NOTHING
    uncounted: Mapping[str, int] = _NOTHING
    votes: int = 1
    asked: int = 1

    @property
    def named(self) -> tuple[str, ...]:
        """The flags that speak against the reply: the present ones, or if it is zeroed without one, all with a YES."""
        return tuple(sorted(self.vote.flags or (self.yes if self.zeroed else ())))


Outcomes = Mapping[str, Combined | Unjudged]
"""The combined repeats of each judge."""
Ballots = Mapping[str, tuple[Vote | Unjudged, ...]]
"""Every vote, by judge."""


class PanelReply(NamedTuple):
    """One reply with all its votes."""

    case_id: str
    subject: str
    number: int
    combined: Combined | Unjudged
    judges: Outcomes = _NOTHING
    """By judge; empty where there was one judge, whose outcome is ``combined``."""
    key: str = ""
    """The key of the reply in the journal."""
    cluster: str = ""
    """Of a reply without a case: which replies are of the same conversation."""
    ballots: Ballots = _NOTHING
    """Every vote; empty where there was one."""


class Asked(NamedTuple):
    """Which votes each reply of a run is to have.

    ``counting`` are the flags to which a YES of every judge counts; ``None`` is all of them.
    """

    judges: tuple[str, ...] = ()
    repeats: int = 1
    counting: frozenset[str] | None = None

    @classmethod
    def by(cls, plan: Mapping[str, Any]) -> "Asked":
        """The votes that the plan of a run asks for."""
        judges = plan.get("judges", ())
        counting = [frozenset(one["coverage"]["yes"]) for one in judges if "coverage" in one]
        common = frozenset.intersection(*counting) if counting else None
        return cls(tuple(str(one["name"]) for one in judges), int(plan.get("repeats", 1)), common)

    @property
    def each(self) -> int:
        """How many votes a reply is to have."""
        return max(1, len(self.judges)) * self.repeats


class VoteReader:
    """Turns judgements into votes and panel replies. Judgements that share their mappings share their vote."""

    def __init__(self, rubric: Rubric, asked: Asked = Asked()) -> None:  # noqa: B008 - it is frozen
        self._rubric = rubric
        self._asked = asked
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
            vote = self._vote(one)
            combined = _alone(vote)._replace(
                total=one.total,
                total_confirmed=one.total_confirmed,
                axis_total=one.axis_total,
                applicable_total=one.applicable_total,
                outcome=one.verdict,
            )
            # The judgement is stored as well, so that no other mapping can get the id of one of its own.
            known = self._cache[key] = (one, combined)
        return known[1]

    def reply(self, judgements: Sequence[Judgement]) -> PanelReply:
        """All judgements of one reply."""
        first = judgements[0]
        place = (first.case_id or "", first.subject, first.number)
        if len(judgements) == 1 and self._asked.each == 1:
            return PanelReply(*place, self.combined(first), _NOTHING, first.reply_key, first.cluster)
        votes: dict[str, list[Vote | Unjudged]] = {name: [] for name in self._asked.judges}
        for one in judgements:
            outcome = self.combined(one)
            votes.setdefault(one.judge, []).append(outcome.vote if isinstance(outcome, Combined) else outcome)
        ballots = {name: tuple(own) for name, own in votes.items()}
        combined, judges = combine_judges(ballots, self._rubric, self._asked)
        return PanelReply(*place, combined, judges, first.reply_key, first.cluster, ballots)

    def _vote(self, one: Judgement) -> Vote:
        axes, flags = one.axes or {}, one.hard_fails or {}
        return Vote(
            axes=tuple([axes.get(name) for name in self._rubric.axis_ids]),
            defaulted=frozenset(one.defaulted or ()),
            flags=frozenset(one.present),
            unconfirmed=frozenset(one.unconfirmed),
            unseen=frozenset([name for name, answer in flags.items() if answer.present is None]),
        )


def combine_judges(
    votes: Mapping[str, Sequence[Vote | Unjudged]],
    rubric: Rubric,
    asked: Asked = Asked(),  # noqa: B008 - it is frozen
) -> tuple[Combined | Unjudged, Outcomes]:
    """Combine the repeats of each judge, then the judges; with the outcome of each, where there are several."""
    judges = {name: _of_one_judge(own, rubric, asked.repeats) for name, own in votes.items()}
    if len(judges) == 1:
        return next(iter(judges.values())), _NOTHING
    counting, counted = asked.counting, judges
    if counting is not None:
        counted = {name: _of_one_judge(own, rubric, asked.repeats, counting) for name, own in votes.items()}
    opinions = [one for one in counted.values() if isinstance(one, Combined)]
    combined = combine(opinions, rubric, asked=len(judges), counting=counting)
    if counting is not None and isinstance(combined, Combined):
        said = Counter(name for one in judges.values() if isinstance(one, Combined) for name in one.yes)
        combined = combined._replace(uncounted={name: said[name] for name in sorted(said) if name not in counting})
    return combined, judges


def combine(
    votes: Sequence[Vote | Combined], rubric: Rubric, *, asked: int, counting: frozenset[str] | None = None
) -> Combined | Unjudged:
    """Combine votes; unjudged where there are not more than half of the ``asked``.

    Only a YES to a flag of ``counting`` has a vote; ``None`` is all of them.
    """
    quorum = asked // 2 + 1
    if len(votes) < quorum:
        return Unjudged(Reason.NO_QUORUM, f"{len(votes)} of {asked} votes, and {quorum} are needed")
    if counting is not None:
        votes = [_narrow(one, counting) if isinstance(one, Vote) else one for one in votes]
    given = [one if isinstance(one, Combined) else _alone(one) for one in votes]
    # A vote that cannot see every hard fail that counts does not know that there is none.
    unseen = [one.vote.unseen if counting is None else one.vote.unseen & counting for one in given]
    against = [not one.zeroed and not blind for one, blind in zip(given, unseen, strict=True)]
    against_confirmed = [not one.zeroed_confirmed and not blind for one, blind in zip(given, unseen, strict=True)]
    zeroed = _is_zero([one.zeroed for one in given], against)
    confirmed = _is_zero([one.zeroed_confirmed for one in given], against_confirmed)
    yes: dict[str, int] = {}
    for one in given:
        for name in one.vote.flags:
            yes[name] = yes.get(name, 0) + 1
        if one.zeroed and not one.vote.flags:
            # Flags that were named below, although this vote has none of them, are still shown.
            yes.update({name: yes.get(name, 0) for name in one.yes})
    vote = given[0].vote if len(given) == 1 else _merged([one.vote for one in given], yes, rubric)
    scores = [score for score in vote.axes if score is not None]
    whole = len(scores) == len(vote.axes)
    axis_total = _total(scores) if whole else None
    # Without every criterion there is a total only where a YES zeroes it.
    axes = None if vote.unseen else axis_total
    at_stake = scores
    if whole and vote.defaulted:
        named = zip(rubric.axis_ids, scores, strict=True)
        at_stake = [score for name, score in named if name not in vote.defaulted]
    total = 0 if zeroed else axes
    return Combined(
        vote=vote,
        zeroed=zeroed,
        zeroed_confirmed=confirmed,
        total=total,
        total_confirmed=0 if confirmed else axes,
        axis_total=axis_total,
        applicable_total=axis_total if at_stake is scores else _total(at_stake) if whole and at_stake else None,
        outcome=None if total is None else "PASS" if total >= rubric.scoring.pass_mark else "FAIL",
        yes=yes or _NOTHING,
        votes=len(votes),
        asked=asked,
    )


def narrowed(reply: PanelReply, rubric: Rubric, asked: Asked, flags: Collection[str]) -> PanelReply:
    """The reply as it is where only a YES to these flags counts."""
    only, one = frozenset(flags), reply.combined
    if reply.ballots:
        votes = {
            name: [vote if isinstance(vote, Unjudged) else _narrow(vote, only) for vote in own]
            for name, own in reply.ballots.items()
        }
        combined, judges = combine_judges(votes, rubric, asked)
        return reply._replace(combined=combined, judges=judges)
    if isinstance(one, Combined) and not one.vote.flags <= only:
        return reply._replace(combined=combine([one.vote], rubric, asked=1, counting=only))
    return reply


def _is_zero(zeroes: Sequence[bool], against: Sequence[bool]) -> bool:
    """Whether the votes zero a reply: at least as many do as are against it; a tie zeroes."""
    return any(zeroes) and sum(zeroes) >= sum(against)


def _alone(vote: Vote) -> Combined:
    """A vote as the combination of itself. Only what is combined further is filled in."""
    zeroes = bool(vote.flags), bool(vote.flags - vote.unconfirmed)
    yes = dict.fromkeys(vote.flags, 1) if vote.flags else _NOTHING
    return Combined(vote, *zeroes, None, None, None, None, None, yes)


def _of_one_judge(
    votes: Sequence[Vote | Unjudged], rubric: Rubric, repeats: int, counting: frozenset[str] | None = None
) -> Combined | Unjudged:
    asked = max(len(votes), repeats)
    if asked == 1 and votes and isinstance(votes[0], Unjudged):
        return votes[0]
    return combine([vote for vote in votes if isinstance(vote, Vote)], rubric, asked=asked, counting=counting)


def _narrow(vote: Vote, counting: frozenset[str]) -> Vote:
    """The vote without its YES to other flags, of which nothing is known then."""
    others = vote.flags - counting
    if not others:
        return vote
    return vote._replace(flags=vote.flags & counting, unseen=vote.unseen | others)


def _merged(votes: Sequence[Vote], yes: Mapping[str, int], rubric: Rubric) -> Vote:
    blind = Counter([name for vote in votes for name in vote.unseen])
    unconfirmed = Counter([name for vote in votes for name in vote.unconfirmed])
    flags = frozenset([name for name, count in yes.items() if 2 * count > len(votes) - blind[name]])
    axes, defaulted = _axes(votes, rubric)
    return Vote(
        axes=axes,
        defaulted=defaulted,
        flags=flags or _NONE,
        unconfirmed=frozenset([name for name in flags if unconfirmed[name] == yes[name]]) if unconfirmed else _NONE,
        unseen=frozenset(blind) - flags if blind else _NONE,
    )


def _axes(votes: Sequence[Vote], rubric: Rubric) -> tuple[tuple[Number | None, ...], frozenset[str]]:
    """Each axis over votes, and those to which all votes gave their default."""
    found: list[Number | None] = []
    defaulted = []
    some = any(vote.defaulted for vote in votes)
    for place, values in enumerate(zip(*[vote.axes for vote in votes], strict=True)):
        scored: Sequence[Number | None] = values
        if some:
            name = rubric.axis_ids[place]
            scored = [value for value, vote in zip(values, votes, strict=True) if name not in vote.defaulted]
            if not scored:
                defaulted.append(name)
                scored = values
        # A panel does not cover what one of its judges does not cover.
        found.append(None if None in values else _mean([value for value in scored if value is not None]))
    return tuple(found), frozenset(defaulted)


def _mean(values: Sequence[Number]) -> Number:
    mean = round(sum(values) / len(values), _DECIMALS)
    return int(mean) if mean.is_integer() else mean


def _total(values: Sequence[Number]) -> int:
    """Ten times the mean, rounded half up, also where the values are rounded means themselves."""
    return floor(10 * sum(values) / len(values) + 0.5 + _CLOSE)
