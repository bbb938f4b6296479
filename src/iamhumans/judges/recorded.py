"""The judge that repeats verdicts from files."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar

from iamhumans.judges.judge import JudgeTask
from iamhumans.prompts import Answer
from iamhumans.text import fold, take_off_reasoning
from iamhumans.verdicts import MaybeVerdict, Reason, RecordedVerdict, Unjudged


@dataclass(frozen=True)
class RecordedJudge:
    """Answers each task with the recorded verdict for it. Several for one reply are its repeats, in file order."""

    name: str
    verdicts: tuple[RecordedVerdict, ...] = field(repr=False)
    asks_model: ClassVar[bool] = False

    @cached_property
    def version(self) -> str:
        """The hash of all verdicts and of what they are recorded for."""
        digest = hashlib.sha256()
        for one in self.verdicts:
            digest.update(repr((one.case_id, one.reply, one.subject, one.number, one.unjudged, one.text)).encode())
        return digest.hexdigest()

    @cached_property
    def _by_case(self) -> Mapping[str | None, Sequence[RecordedVerdict]]:
        by_case: dict[str | None, list[RecordedVerdict]] = {}
        for verdict in self.verdicts:
            by_case.setdefault(verdict.case_id, []).append(verdict)
        return by_case

    def next(self, task: JudgeTask, history: Sequence[Answer] = ()) -> MaybeVerdict:
        """The recorded judgement. ``history`` is always empty."""
        del history
        reply = task.reply
        of_case = [*self._by_case.get(task.case.id, ()), *self._by_case.get(None, ())]
        of_reply = [
            one
            for one in of_case
            if (one.reply is None or _is_about(one.reply, reply.text))
            and one.subject in (None, reply.subject)
            and one.number in (None, reply.number)
        ]
        if len(of_reply) >= task.repeat:
            return of_reply[task.repeat - 1].read(task.rubric, task.asked(token=None))
        detail = f"{self.name} has {len(of_reply) or 'no'} verdict{'s' * (len(of_reply) > 1)} for this reply"
        other = "; its verdicts for the case are about another reply" if of_case and not of_reply else ""
        return Unjudged(Reason.NO_VERDICT, detail + other)

    def repeated(self) -> RecordedVerdict | None:
        """A verdict for a case and reply that another one came before, if there is one."""
        seen: set[tuple[object, ...]] = set()
        for verdict in self.verdicts:
            key = (verdict.case_id, fold(verdict.reply or ""), verdict.subject, verdict.number)
            if key in seen:
                return verdict
            seen.add(key)
        return None


def _is_about(recorded: str, reply: str) -> bool:
    """Whether a verdict was recorded for this reply. Its file may hold the reply with the reasoning still in it."""
    judged = fold(reply)
    return fold(recorded) == judged or fold(take_off_reasoning(recorded).text) == judged
