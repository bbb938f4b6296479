"""Text to verdict to judgement."""

from iamhumans.verdicts.coverage import EVERYTHING, Coverage, Seen
from iamhumans.verdicts.judgement import Judgement, Stated
from iamhumans.verdicts.preference import (
    Choice,
    Preference,
    PreferenceAsked,
    PreferenceOutcome,
    preference_schema,
    read_preference,
)
from iamhumans.verdicts.quotes import confirm_flags, confirming_quotes
from iamhumans.verdicts.reader import read_verdict
from iamhumans.verdicts.recorded import RecordedVerdict, read_recorded
from iamhumans.verdicts.schema import verdict_schema
from iamhumans.verdicts.score import mean_total, score_verdict
from iamhumans.verdicts.verdict import Asked, Flag, MaybeVerdict, Number, Outcome, Reason, Unjudged, Verdict
