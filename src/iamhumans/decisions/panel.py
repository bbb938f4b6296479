"""Several votes on one reply as one judgement.

1. Every vote is kept; what is combined stands beside them.
2. An axis is the median of the votes. A flag is present by more than half of them.
3. A tie on a flag is *contested*: it does not zero the total. The total with it stands beside, and gates use the worse.
4. Fewer verdicts than the quorum are no judgement: ``no_quorum``.

Repeats of one judge are combined first, then the judges, so that a judge that was asked often has one vote.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median

from iamhumans.rubrics import Rubric
from iamhumans.runs.records import JudgedRow
from iamhumans.verdicts import Number, Outcome, Reason, Unjudged, Verdict, mean_total


@dataclass(frozen=True, slots=True)
class Vote:
    """A verdict as a vote: axes as they count, and the flags that say YES."""

    axes: Mapping[str, Number]
    defaulted: frozenset[str] = frozenset()
    flags: frozenset[str] = frozenset()
    contested: frozenset[str] = frozenset()
    unconfirmed: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Combined:
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


@dataclass(frozen=True, slots=True)
class PanelReply:
    """One reply with all its votes."""

    row: int
    case_id: str
    subject: str
    number: int
    combined: Combined | Unjudged
    judges: Mapping[str, Combined | Unjudged] = field(default_factory=dict)
    """What each judge's own repeats come to."""


def vote_of(row: JudgedRow) -> Vote | None:
    """A judged row as a vote; ``None`` where there is no verdict."""
    if row.score is None or not isinstance(row.judgement, Verdict):
        return None
    return Vote(
        axes=row.score.axes,
        defaulted=frozenset(row.score.defaulted),
        flags=frozenset(name for name, flag in row.judgement.flags.items() if flag.present),
        unconfirmed=frozenset(row.score.unconfirmed),
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
    vote = votes[0] if len(votes) == 1 else _merged(votes, rubric)
    axes = mean_total(vote.axes.values())
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


def _merged(votes: Sequence[Vote], rubric: Rubric) -> Vote:
    half = len(votes) / 2
    yes = Counter(name for vote in votes for name in vote.flags)
    defaulted = Counter(name for vote in votes for name in vote.defaulted)
    unconfirmed = Counter(name for vote in votes for name in vote.unconfirmed)
    flags = frozenset(name for name, count in yes.items() if count > half)
    tied = frozenset(name for name, count in yes.items() if count == half)
    # A judge whose own repeats were tied has no opinion: what it contests stays open if the others are tied as well.
    open_still = frozenset(name for vote in votes for name in vote.contested if yes[name] <= half)
    return Vote(
        axes={name: median(vote.axes[name] for vote in votes) for name in rubric.axis_ids},
        defaulted=frozenset(name for name, count in defaulted.items() if count > half),
        flags=flags,
        contested=tied | _undecided(open_still, votes, half),
        unconfirmed=frozenset(name for name in flags if unconfirmed[name] == yes[name]),
    )


def _undecided(names: Iterable[str], votes: Sequence[Vote], half: float) -> frozenset[str]:
    """Flags that would be tied or present if the judges that contest them said YES."""
    return frozenset(
        name for name in names if sum(name in vote.flags or name in vote.contested for vote in votes) >= half
    )


def panel_reply(rows: Sequence[JudgedRow], rubric: Rubric, *, quorum: int | None = None) -> PanelReply:
    """The judgements of one reply as one.

    Args:
        rows: All judgements of the reply, of all judges and repeats.
        rubric: What was judged by.
        quorum: How many judges must have given a verdict; more than half of them if not given.
    """
    first = rows[0]
    by_judge: dict[str, list[JudgedRow]] = {}
    for row in rows:
        by_judge.setdefault(row.judge, []).append(row)
    judges = {name: _of_one_judge(own, rubric) for name, own in by_judge.items()}
    votes = [outcome.vote for outcome in judges.values() if isinstance(outcome, Combined)]
    needed = len(judges) // 2 + 1 if quorum is None else quorum
    combined = combine(votes, rubric, asked=len(judges), quorum=needed) if len(judges) > 1 else judges[first.judge]
    return PanelReply(first.row, first.case_id, first.subject, first.number, combined, judges)


def _of_one_judge(rows: Sequence[JudgedRow], rubric: Rubric) -> Combined | Unjudged:
    votes = [vote for row in rows if (vote := vote_of(row)) is not None]
    if not votes and len(rows) == 1 and isinstance(rows[0].judgement, Unjudged):
        return rows[0].judgement
    return combine(votes, rubric, asked=len(rows), quorum=len(rows) // 2 + 1)
