"""Who judges: a model (``llm``), deterministic rules (``rules``), or verdict files (``recorded``)."""

from iamhumans.judges.judge import Judge, JudgeTask, coverage_of
from iamhumans.judges.llm import LlmJudge
from iamhumans.judges.opening import open_judge
from iamhumans.judges.recorded import RecordedJudge
from iamhumans.judges.rules import RulesJudge
from iamhumans.judges.side_by_side import (
    LlmPreference,
    Order,
    PreferenceJudge,
    PreferenceTask,
    RulesPreference,
    Settled,
    Settlement,
    open_preference_judge,
    settled,
)
