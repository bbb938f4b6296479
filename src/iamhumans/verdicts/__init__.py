"""Text to verdict to score."""

from iamhumans.verdicts.model import Asked, Flag, Judgement, Number, Outcome, Reason, Unjudged, Verdict
from iamhumans.verdicts.quotes import confirm_flags
from iamhumans.verdicts.reader import read_verdict
from iamhumans.verdicts.recorded import RecordedVerdict, read_recorded
from iamhumans.verdicts.schema import verdict_schema
from iamhumans.verdicts.score import Score, score_verdict

__all__ = [
    "Asked",
    "Flag",
    "Judgement",
    "Number",
    "Outcome",
    "Reason",
    "RecordedVerdict",
    "Score",
    "Unjudged",
    "Verdict",
    "confirm_flags",
    "read_recorded",
    "read_verdict",
    "score_verdict",
    "verdict_schema",
]
