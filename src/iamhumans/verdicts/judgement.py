"""The outcome of asking a judge about one reply, as the library, the journal and every output have it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Literal

from iamhumans.verdicts.model import Number, Outcome, Unjudged, Verdict
from iamhumans.verdicts.score import Score

Status = Literal["judged", "unjudged"]
_NOTHING: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class FlagAnswer:
    """A judge's answer on one hard fail.

    Attributes:
        present: YES or NO; ``None`` where this judge cannot see the hard fail.
        quotes: The words of the reply that the judge gave for a YES.
        confirmed: Whether one of the quotes is in the reply; ``None`` for a NO, and where the reply is not known.
    """

    present: bool | None
    quotes: tuple[str, ...] = ()
    confirmed: bool | None = None


@dataclass(frozen=True, slots=True)
class Stated:
    """The total and the verdict that the judge itself stated. They are compared with ours and never used."""

    total: Number | None = None
    verdict: Outcome | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """A verdict with its score, or unjudged with a reason. The fields have the names of the JSON lines.

    Every field that follows from a verdict may be ``None``: without a verdict all of them are; with one, those that the
    judge cannot see.

    Attributes:
        row: The place of the reply in the input, from 1.
        case_id: The case that the reply answers.
        subject: Who replied; empty where it is not known.
        number: Which of several replies to the case, from 1.
        judge: The judge's name, as the user gave it.
        repeat: Which of several independent judgements of the reply, from 1.
        status: ``judged`` or ``unjudged``.
        reason: Why there is no verdict, from the closed list of reasons.
        detail: The same in words.
        axes: Scores from 0 to 10, with defaults filled in.
        defaulted: The axes that got their default, since nothing was at stake.
        hard_fails: The answer on each hard fail, by its id.
        total: 0 to 100; 0 where a hard fail is present.
        total_confirmed: The total without hard fails that have no confirmed quote.
        axis_total: Ten times the mean of all axes, hard fails aside.
        applicable_total: Ten times the mean of the axes at stake, hard fails aside.
        verdict: ``PASS`` or ``FAIL``.
        stated: What the judge itself stated.
        differences: Which of the stated ``total`` and ``verdict`` do not follow from the judge's answers.
        repairs: What was repaired in the form of the answer.
        notes: The judge's notes.
        title: The title of the case. Not part of the JSON line.
        reply_key: The key of the reply in the journal. Not part of the JSON line.
    """

    row: int = 1
    case_id: str | None = None
    subject: str = ""
    number: int = 1
    judge: str = ""
    repeat: int = 1
    status: Status = "judged"
    reason: str | None = None
    detail: str | None = None
    axes: Mapping[str, Number | None] | None = None
    defaulted: tuple[str, ...] | None = None
    hard_fails: Mapping[str, FlagAnswer] | None = None
    total: int | None = None
    total_confirmed: int | None = None
    axis_total: int | None = None
    applicable_total: int | None = None
    verdict: Outcome | None = None
    stated: Stated | None = None
    differences: tuple[str, ...] | None = None
    repairs: tuple[str, ...] | None = None
    notes: str | None = None
    title: str = field(default="", compare=False)
    reply_key: str = field(default="", compare=False, repr=False)

    @property
    def judged(self) -> bool:
        """Whether there is a verdict."""
        return self.status == "judged"

    @property
    def present(self) -> tuple[str, ...]:
        """The hard fails that are answered with YES."""
        return tuple([name for name, answer in (self.hard_fails or _NOTHING).items() if answer.present])

    @property
    def unconfirmed(self) -> tuple[str, ...]:
        """The hard fails that are answered with YES, without a quote that is in the reply."""
        return tuple([name for name, answer in (self.hard_fails or _NOTHING).items() if answer.confirmed is False])

    @property
    def at_stake(self) -> Mapping[str, Number]:
        """The axes that were scored and not defaulted."""
        left_out = self.defaulted or ()
        return {
            name: value for name, value in (self.axes or _NOTHING).items() if value is not None and name not in left_out
        }

    def to_dict(self) -> dict[str, Any]:
        """The JSON line of the judgement."""
        judged = self.judged
        return {
            "row": self.row,
            "case_id": self.case_id,
            "subject": self.subject,
            "number": self.number,
            "judge": self.judge,
            "repeat": self.repeat,
            "status": self.status,
            "reason": self.reason,
            "detail": self.detail,
            "axes": None if self.axes is None else dict(self.axes),
            "defaulted": None if self.defaulted is None else list(self.defaulted),
            "hard_fails": None
            if self.hard_fails is None
            else {
                name: {"present": answer.present, "quotes": list(answer.quotes), "confirmed": answer.confirmed}
                for name, answer in self.hard_fails.items()
            },
            "total": self.total,
            "total_confirmed": self.total_confirmed,
            "axis_total": self.axis_total,
            "applicable_total": self.applicable_total,
            "verdict": self.verdict,
            "stated": {"total": self.stated.total, "verdict": self.stated.verdict} if judged and self.stated else None,
            "differences": None if self.differences is None else list(self.differences),
            "repairs": None if self.repairs is None else list(self.repairs),
            "notes": self.notes,
        }


def judgement_of(outcome: Verdict | Unjudged, score: Score | None = None, **place: Any) -> Judgement:
    """The judgement that a verdict and its score, or the lack of a verdict, come to.

    Args:
        outcome: What asking the judge ended as.
        score: What follows from the verdict.
        **place: ``row``, ``case_id``, ``subject`` and so on, as the judgement names them.
    """
    if isinstance(outcome, Unjudged) or score is None:
        why = outcome if isinstance(outcome, Unjudged) else None
        reason, detail = (why.reason.value, why.detail) if why else (None, None)
        return Judgement(status="unjudged", reason=reason, detail=detail, **place)
    return replace(
        Judgement(
            axes=score.axes,
            defaulted=score.defaulted,
            hard_fails={
                name: FlagAnswer(flag.present, flag.quotes, score.confirmed[name])
                for name, flag in outcome.flags.items()
            },
            total=score.total,
            total_confirmed=score.total_confirmed,
            axis_total=score.axis_total,
            applicable_total=score.applicable_total,
            verdict=score.outcome,
            stated=Stated(outcome.stated_total, outcome.stated_verdict),
            differences=score.differences,
            repairs=outcome.repairs,
            notes=outcome.notes,
        ),
        **{"case_id": outcome.case_id, **place},
    )
