"""What came of a run, reply by reply, as decisions need it: votes combined, cases as the unit."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import groupby
from sys import intern
from typing import TYPE_CHECKING, Any

from iamhumans.decisions.panel import Combined, PanelReply, Vote, combine_judges, vote_of
from iamhumans.errors import CommandError
from iamhumans.rubrics import Rubric
from iamhumans.runs import Journal, Judged, JudgementRecord, Run, RunStatus
from iamhumans.runs.rows import judgements_a_reply, rubric_of
from iamhumans.text import one_line
from iamhumans.verdicts import Unjudged

if TYPE_CHECKING:
    from iamhumans.stats import Cases, CaseValues, TwoPartValues

NEWEST = "last"
"""What names the newest run. No run's own name has an ``l`` in it."""


@dataclass(frozen=True, slots=True)
class CaseFacts:
    """What a decision must know of a case, and what tells whether it is still the same one."""

    title: str
    dimensions: tuple[str, ...]
    held_out: bool
    told: bytes
    """A digest of all that a judge is shown, but for the earlier answers of the assistant."""
    answers: tuple[bytes, ...]
    """A digest of each of those; empty for one that the subject gives live."""

    def same_as(self, other: CaseFacts) -> bool:
        """Whether both are the same case: an answer that one of them leaves to the subject may be any."""
        return (
            self.told == other.told
            and len(self.answers) == len(other.answers)
            and all(one == two or not one or not two for one, two in zip(self.answers, other.answers, strict=True))
        )


def facts_of(content: Mapping[str, Any]) -> CaseFacts:
    """The facts of a case that the journal keeps."""
    turns = content.get("conversation", ())
    told = {name: value for name, value in content.items() if name not in ("holdout", "conversation")}
    told["turns"] = [turn["text"] if turn["speaker"] == "user" else None for turn in turns]
    return CaseFacts(
        title=content.get("title", ""),
        dimensions=tuple(content.get("dimensions", ())),
        held_out=bool(content.get("holdout", False)),
        told=_digest(json.dumps(told, sort_keys=True)),
        answers=tuple(_digest(turn["text"]) for turn in turns if turn["speaker"] != "user"),
    )


def _digest(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest() if text else b""


@dataclass(frozen=True)
class RunOutcomes:
    """A run as decisions see it. A tie of votes counts as the worse where ``worst`` is asked for."""

    name: str
    """The run's name, with the subject where one of several was picked."""
    plan: Mapping[str, Any]
    rubric: Rubric
    replies: tuple[PanelReply, ...]
    asked: int
    """How many replies there were to judge."""
    cases: Mapping[str, CaseFacts]
    status: RunStatus = RunStatus.FINISHED
    judgements: int = 0
    """How many of the judgements there are, where several were asked for each reply."""
    judgements_asked: int = 0

    @cached_property
    def judged(self) -> tuple[tuple[PanelReply, Combined], ...]:
        """The replies that have a judgement."""
        return tuple((reply, reply.combined) for reply in self.replies if isinstance(reply.combined, Combined))

    @property
    def coverage(self) -> float:
        """Judged over asked."""
        return len(self.judged) / self.asked if self.asked else 0.0

    @property
    def subjects(self) -> tuple[str, ...]:
        """Whose replies these are, in the order in which they first appear; empty names left out."""
        return tuple(dict.fromkeys(reply.subject for reply in self.replies if reply.subject))

    def of_one_subject(self) -> RunOutcomes:
        """The run itself, where no case was answered by several subjects.

        Raises:
            CommandError: One was. A mean over several subjects is a figure of none of them.
        """
        first: dict[str, str] = {}
        if any(first.setdefault(reply.case_id, reply.subject) != reply.subject for reply in self.replies):
            shown = [one_line(name, 40) for name in self.subjects[:6]]
            raise CommandError(
                f"Run {self.name} holds the replies of several subjects to the same cases ({', '.join(shown)}).",
                fix=f"Say which is meant: {self.name}:{shown[0] if shown else 'SUBJECT'}.",
            )
        return self

    def only(self, ids: Collection[str]) -> RunOutcomes:
        """The same with these cases alone."""
        if len(ids) == len(self.by_case.ids) == len({reply.case_id for reply in self.replies}):
            return self
        return replace(self, replies=tuple(reply for reply in self.replies if reply.case_id in ids))

    @cached_property
    def by_case(self) -> Cases:
        """Which case each judged reply belongs to."""
        from iamhumans.stats import Cases

        return Cases.of([reply.case_id for reply, _ in self.judged])

    def parts(self, *, worst: bool = False) -> TwoPartValues:
        """Totals by case, zeroed ones apart."""
        from iamhumans.stats import split_totals

        totals = [combined.worst_total if worst else combined.total for _, combined in self.judged]
        zeroed = [combined.worst_zeroed if worst else combined.zeroed for _, combined in self.judged]
        return split_totals(self.by_case, zeroed, totals)

    def passed(self, *, worst: bool = False) -> CaseValues:
        """The share of PASS by case."""
        outcomes = [combined.worst_outcome if worst else combined.outcome for _, combined in self.judged]
        return self.by_case.means([outcome == "PASS" for outcome in outcomes])

    def flag(self, name: str, *, worst: bool = False) -> CaseValues:
        """The share of replies with a hard fail, by case."""
        votes = (combined.vote for _, combined in self.judged)
        return self.by_case.means([name in vote.flags or (worst and name in vote.contested) for vote in votes])

    def axis(self, name: str) -> CaseValues:
        """The mean of an axis by case, where it was at stake."""
        place = self.rubric.axis_ids.index(name)
        votes = [combined.vote for _, combined in self.judged]
        return self.by_case.means(
            [float(vote.axes[place]) for vote in votes], where=[name not in vote.defaulted for vote in votes]
        )

    @cached_property
    def contested(self) -> int:
        """How many replies have a hard fail on which the votes are tied."""
        return sum(bool(combined.vote.contested) for _, combined in self.judged)

    @cached_property
    def unconfirmed(self) -> int:
        """How many replies are zeroed by hard fails alone for which no judge has words of the reply."""
        return sum(combined.zeroed and combined.vote.flags <= combined.vote.unconfirmed for _, combined in self.judged)

    @cached_property
    def dimensions(self) -> Mapping[str, frozenset[str]]:
        """The judged cases of each dimension, by its name."""
        found: dict[str, set[str]] = {}
        for case_id in self.by_case.ids:
            facts = self.cases.get(case_id)
            for name in facts.dimensions if facts else ():
                found.setdefault(name, set()).add(case_id)
        return {name: frozenset(found[name]) for name in sorted(found)}


def find_run(journal: Journal, text: str) -> tuple[Run, str | None]:
    """The run that is meant, and the subject: ``RUN``, ``RUN:SUBJECT``, or ``last`` in the place of a run's name.

    Raises:
        CommandError: There is none, or several.
    """
    name, colon, subject = text.partition(":")
    if colon and not subject:
        raise CommandError(f"`{one_line(text, 80)}` names no subject.", fix="Write RUN, or RUN:SUBJECT.")
    if name != NEWEST:
        return journal.run(name), subject or None
    runs = journal.runs()
    if not runs:
        raise CommandError("There is no run yet.", fix="`iamhumans run` makes one.")
    return runs[0], subject or None


def outcomes_of(
    journal: Journal, run: Run, *, subject: str | None = None, quorum: int | None = None
) -> RunOutcomes:
    """The outcomes of a run in the journal.

    Args:
        journal: Where it is.
        run: The run.
        subject: Whose replies count; all if not given.
        quorum: How many judges must have given a verdict on a reply; more than half of them if not given.

    Raises:
        CannotRunError: The journal does not hold its rubric.
        CommandError: It has no reply of the subject.
    """
    rubric = rubric_of(journal, run)
    cases = {case_id: facts_of(content) for case_id, content in journal.cases(run).items()}
    each = judgements_a_reply(run.plan)
    reading = _Reading(rubric, each, subject, quorum)
    replies = tuple(reading.replies(journal.rows(run)))
    if subject is not None and not replies:
        known = ", ".join(one_line(name, 40) for name in list(reading.subjects)[:6] if name)
        raise CommandError(
            f"Run {run.name} has no reply of {one_line(subject, 80)}.",
            fix=f"It has replies of {known}." if known else "Its replies name no subject: leave it out.",
        )
    # What was not come to yet is nobody's in particular, so it counts against everybody.
    missing = max(0, (run.asked or 0) // each - reading.count)
    return RunOutcomes(
        name=run.name if subject is None else f"{run.name}:{subject}",
        plan=run.plan,
        rubric=rubric,
        replies=replies,
        asked=len(replies) + missing,
        cases=cases,
        status=run.status,
        judgements=reading.judgements,
        judgements_asked=(len(replies) + missing) * each,
    )


@dataclass(slots=True)
class _Reading:
    """One pass over the rows of a run."""

    rubric: Rubric
    each: int
    """Judgements of each reply."""
    subject: str | None
    quorum: int | None
    count: int = 0
    """Replies of all subjects."""
    judgements: int = 0
    subjects: dict[str, None] = field(default_factory=dict)

    def replies(self, records: Iterable[JudgementRecord]) -> Iterator[PanelReply]:
        for _, several in groupby(records, key=lambda record: (record.row - 1) // self.each):
            rows = list(several)
            first = rows[0]
            self.count += 1
            self.subjects.setdefault(first.subject)
            if self.subject is None or first.subject == self.subject:
                yield self._reply(first, rows)

    def _reply(self, first: JudgementRecord, rows: Sequence[JudgementRecord]) -> PanelReply:
        votes: dict[str, list[Vote | Unjudged]] = {}
        for record in rows:
            vote = _vote(record, self.rubric)
            self.judgements += isinstance(vote, Vote)
            votes.setdefault(record.judge, []).append(vote)
        combined, judges = combine_judges(votes, self.rubric, quorum=self.quorum)
        # Names come anew with every row; one of each is enough.
        case_id, subject = intern(first.case_id), intern(first.subject)
        return PanelReply(case_id, subject, first.number, combined, judges, first.reply_key)


def _vote(record: JudgementRecord, rubric: Rubric) -> Vote | Unjudged:
    outcome = record.outcome
    return vote_of(outcome.verdict, outcome.score, rubric) if isinstance(outcome, Judged) else outcome
