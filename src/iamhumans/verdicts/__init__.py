"""Text to verdict to score."""

from iamhumans.verdicts.model import Asked, Flag, Judgement, Number, Outcome, Reason, Unjudged, Verdict
from iamhumans.verdicts.preference import (
    Choice,
    Preference,
    PreferenceAsked,
    PreferenceOutcome,
    preference_schema,
    read_preference,
)
from iamhumans.verdicts.quotes import confirm_flags, standing_quotes
from iamhumans.verdicts.reader import read_verdict
from iamhumans.verdicts.recorded import RecordedVerdict, read_recorded
from iamhumans.verdicts.schema import verdict_schema
from iamhumans.verdicts.score import Score, mean_total, score_verdict

__all__ = [
    "Asked",
    "Choice",
    "Flag",
    "Judgement",
    "Number",
    "Outcome",
    "Preference",
    "PreferenceAsked",
    "PreferenceOutcome",
    "Reason",
    "RecordedVerdict",
    "Score",
    "Unjudged",
    "Verdict",
    "confirm_flags",
    "mean_total",
    "preference_schema",
    "read_preference",
    "read_recorded",
    "read_verdict",
    "score_verdict",
    "standing_quotes",
    "verdict_schema",
]
