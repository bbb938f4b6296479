"""Text to verdict to score."""

from iamhumans.verdicts.judgement import FlagAnswer, Judgement, Stated, judgement_of
from iamhumans.verdicts.model import Asked, Flag, MaybeVerdict, Number, Outcome, Reason, Unjudged, Verdict
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
    "FlagAnswer",
    "Judgement",
    "MaybeVerdict",
    "Number",
    "Outcome",
    "Preference",
    "PreferenceAsked",
    "PreferenceOutcome",
    "Reason",
    "RecordedVerdict",
    "Score",
    "Stated",
    "Unjudged",
    "Verdict",
    "confirm_flags",
    "judgement_of",
    "mean_total",
    "preference_schema",
    "read_preference",
    "read_recorded",
    "read_verdict",
    "score_verdict",
    "standing_quotes",
    "verdict_schema",
]
