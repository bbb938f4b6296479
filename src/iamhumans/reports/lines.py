"""A judgement as one JSON object, the same wherever the program prints one."""

from __future__ import annotations

from typing import Any

from iamhumans.runs.records import JudgedRow
from iamhumans.verdicts import MaybeVerdict, Score, Unjudged


def judgement_fields(judgement: MaybeVerdict, score: Score | None) -> dict[str, Any]:
    """Status, reason, axes, flags, totals. Where there is no verdict every figure is ``None``."""
    if isinstance(judgement, Unjudged) or score is None:
        reason = judgement if isinstance(judgement, Unjudged) else None
        return {
            "status": "unjudged",
            "reason": reason.reason.value if reason else None,
            "detail": reason.detail if reason else None,
            "case_id": None,
            **dict.fromkeys(
                (
                    "axes",
                    "defaulted",
                    "hard_fails",
                    "total",
                    "total_confirmed",
                    "axis_total",
                    "applicable_total",
                    "verdict",
                    "stated",
                    "differences",
                    "repairs",
                    "notes",
                )
            ),
        }
    return {
        "status": "judged",
        "reason": None,
        "detail": None,
        "case_id": judgement.case_id,
        "axes": dict(score.axes),
        "defaulted": list(score.defaulted),
        "hard_fails": {
            name: {"present": flag.present, "quotes": list(flag.quotes), "confirmed": score.confirmed[name]}
            for name, flag in judgement.flags.items()
        },
        "total": score.total,
        "total_confirmed": score.total_confirmed,
        "axis_total": score.axis_total,
        "applicable_total": score.applicable_total,
        "verdict": score.outcome,
        "stated": {"total": judgement.stated_total, "verdict": judgement.stated_verdict},
        "differences": list(score.differences),
        "repairs": list(judgement.repairs),
        "notes": judgement.notes,
    }


def judged_line(row: JudgedRow) -> dict[str, Any]:
    """A line of ``judge``: the fields of a verdict with what tells the judgements of a run apart."""
    return {
        "row": row.row,
        "case_id": row.case_id,
        "subject": row.subject,
        "number": row.number,
        "judge": row.judge,
        "repeat": row.repeat,
    } | {key: value for key, value in judgement_fields(row.judgement, row.score).items() if key != "case_id"}
