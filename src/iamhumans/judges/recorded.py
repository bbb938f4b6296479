"""The judge that repeats verdicts which stand in files."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from iamhumans.judges.model import JudgeTask
from iamhumans.prompts import Answer, Request
from iamhumans.text import fold
from iamhumans.verdicts import MaybeVerdict, Reason, RecordedVerdict, Unjudged, read_verdict


@dataclass(frozen=True)
class RecordedJudge:
    """Answers each task with the recorded verdict for it; several for one reply are its repeats, in file order."""

    name: str
    verdicts: tuple[RecordedVerdict, ...] = field(repr=False)

    @cached_property
    def version(self) -> str:
        """The hash of all that is recorded, and of what it is recorded for."""
        digest = hashlib.sha256()
        for verdict in self.verdicts:
            of = (verdict.case_id, verdict.reply, verdict.subject, verdict.number, verdict.unjudged)
            digest.update(repr((*of, verdict.text)).encode())
        return digest.hexdigest()

    @cached_property
    def _by_case(self) -> Mapping[str | None, Sequence[RecordedVerdict]]:
        by_case: dict[str | None, list[RecordedVerdict]] = {}
        for verdict in self.verdicts:
            by_case.setdefault(verdict.case_id, []).append(verdict)
        return by_case

    def next(self, task: JudgeTask, history: Sequence[Answer]) -> Request | MaybeVerdict:
        """The recorded judgement; nothing is ever asked."""
        del history
        there = [*self._by_case.get(task.case.id, ()), *self._by_case.get(None, ())]
        mine = [verdict for verdict in there if _is_for(verdict, task)]
        if len(mine) < task.repeat:
            detail = (
                f"{self.name} holds no verdict for this reply" if not mine else f"it holds {len(mine)} for this reply"
            )
            other = " (those for its case judge another reply)" if there and not mine else ""
            return Unjudged(Reason.NO_VERDICT, detail + other)
        recorded = mine[task.repeat - 1]
        return recorded.unjudged or read_verdict(recorded.text, task.rubric, task.asked(token=None))

    def most_for_one_reply(self) -> RecordedVerdict | None:
        """A verdict that has others beside it for the same case and reply, where there is one."""
        seen: set[tuple[object, ...]] = set()
        for verdict in self.verdicts:
            key = (verdict.case_id, fold(verdict.reply or ""), verdict.subject, verdict.number)
            if key in seen:
                return verdict
            seen.add(key)
        return None


def _is_for(verdict: RecordedVerdict, task: JudgeTask) -> bool:
    """Whether it judges this reply, as far as it says."""
    return (
        (verdict.case_id is None or verdict.case_id == task.case.id)
        and (verdict.reply is None or fold(verdict.reply) == fold(task.reply.text))
        and (verdict.subject is None or verdict.subject == task.reply.subject)
        and (verdict.number is None or verdict.number == task.reply.number)
    )
