"""What is judged. A rubric is data: axes, hard fails and the scoring rule, versioned by the hash of its content."""

from iamhumans.rubrics.files import BUNDLED, DEFAULT_RUBRIC, load_rubric
from iamhumans.rubrics.model import AXIS_MAXIMUM, NOT_APPLICABLE, Anchors, Axis, AxisDefault, HardFail, Rubric, Scoring

__all__ = [
    "AXIS_MAXIMUM",
    "BUNDLED",
    "DEFAULT_RUBRIC",
    "NOT_APPLICABLE",
    "Anchors",
    "Axis",
    "AxisDefault",
    "HardFail",
    "Rubric",
    "Scoring",
    "load_rubric",
]
