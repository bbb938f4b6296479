"""Which replies of a run deserve a person's look: where judges or repeats disagree, or a verdict stands on one leg."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from statistics import median

from iamhumans.rubrics import Rubric
from iamhumans.runs import Journal, Judged, JudgementRecord, Run
from iamhumans.runs.rows import judgements_a_reply
from iamhumans.trust.replies import replies_of

NEAR = 5
"""So many points from the pass mark, a verdict hangs on one axis."""
FAR_APART = 3
"""So many points between two scores on one axis are a disagreement."""

# What each is worth. A hard fail decides the whole total, so doubt about one counts most.
_TIED = 40
_SPLIT = 30
_OUTCOMES = 20
_UNCONFIRMED = 20
_AXIS = 10


@dataclass(frozen=True, slots=True)
class Candidate:
    """A judged reply that could be drawn. ``interest`` is 0 where nothing speaks for a person's look at it."""

    reply_key: str
    case_id: str
    subject: str | None
    number: int
    interest: int = 0
    reasons: tuple[str, ...] = ()


def candidates_of(journal: Journal, run: Run, rubric: Rubric) -> list[Candidate]:
    """The replies of a run that some judge gave a verdict on, in the order of the input; a reply twice there, once.

    Held-out cases are left out, unless the run has no others.
    """
    shown = {reply.key for reply in replies_of(journal, run)}
    each = judgements_a_reply(run.plan)
    found: dict[str, Candidate] = {}
    for _, several in groupby(journal.rows(run), key=lambda record: (record.row - 1) // each):
        records = list(several)
        first = records[0]
        judged = [record.outcome for record in records if isinstance(record.outcome, Judged)]
        if judged and first.reply_key in shown:
            found.setdefault(first.reply_key, _candidate(first, judged, rubric))
    return list(found.values())


def _candidate(record: JudgementRecord, judged: Sequence[Judged], rubric: Rubric) -> Candidate:
    signs = list(signs_of(judged, rubric))
    return Candidate(
        reply_key=record.reply_key,
        case_id=record.case_id,
        subject=record.subject or None,
        number=record.number,
        interest=sum(worth for worth, _ in signs),
        reasons=tuple(reason for _, reason in signs),
    )


def signs_of(judged: Sequence[Judged], rubric: Rubric) -> Iterator[tuple[int, str]]:
    """What speaks for a person's look at a reply: how much it is worth, and what it is, in words.

    Args:
        judged: All verdicts on the reply, of all judges and repeats.
        rubric: What it was judged by.
    """
    yield from _split_flags(judged, rubric)
    passed = sum(one.score.outcome == "PASS" for one in judged)
    if 0 < passed < len(judged):
        yield _OUTCOMES, f"{passed} of {len(judged)} verdicts pass it"
    yield from _near_the_mark(judged, rubric)
    yield from _unconfirmed(judged, rubric)
    for name in rubric.axis_ids:
        scores = [one.score.axes[name] for one in judged]
        if max(scores) - min(scores) >= FAR_APART:
            yield _AXIS, f"the scores for {name} go from {min(scores):g} to {max(scores):g}"


def _split_flags(judged: Sequence[Judged], rubric: Rubric) -> Iterator[tuple[int, str]]:
    yes = Counter(name for one in judged for name, flag in one.verdict.flags.items() if flag.present)
    for name in rubric.hard_fail_ids:
        if 0 < yes[name] < len(judged):
            tied = 2 * yes[name] == len(judged)
            yield _TIED if tied else _SPLIT, f"{yes[name]} of {len(judged)} verdicts say YES to {name}"


def _near_the_mark(judged: Sequence[Judged], rubric: Rubric) -> Iterator[tuple[int, str]]:
    totals = [one.score.total for one in judged if not any(flag.present for flag in one.verdict.flags.values())]
    if not totals:
        return
    total, mark = median(totals), rubric.scoring.pass_mark
    distance = abs(total - mark)
    if distance <= NEAR:
        yield round(2 * (2 * NEAR - distance)), f"a total of {total:g} is near the pass mark of {mark}"


def _unconfirmed(judged: Sequence[Judged], rubric: Rubric) -> Iterator[tuple[int, str]]:
    names = {name for one in judged for name in one.score.unconfirmed}
    for name in rubric.hard_fail_ids:
        if name in names:
            yield _UNCONFIRMED, f"a YES to {name} has no words that stand in the reply"
