"""Who judges: a model (``llm``), deterministic rules (``rules``), or verdict files (``recorded``)."""

from iamhumans.judges.llm import LlmJudge
from iamhumans.judges.model import Judge, JudgeTask
from iamhumans.judges.opening import needs_model, open_judge
from iamhumans.judges.recorded import RecordedJudge
from iamhumans.judges.rules import RulesJudge

__all__ = [
    "Judge",
    "JudgeTask",
    "LlmJudge",
    "RecordedJudge",
    "RulesJudge",
    "needs_model",
    "open_judge",
]
