"""What is judged. A rubric is data: axes, hard fails and the scoring rule, versioned by the hash of its content.

Pydantic checks rubrics. It is loaded with the first of them, since listing the cases of a suite needs none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from iamhumans.loading import loaded_later
from iamhumans.rubrics.bundled import BUNDLED, DEFAULT_RUBRIC, bundled_hard_fail_ids

if TYPE_CHECKING:
    from iamhumans.rubrics.rubric import (
        AXIS_MAXIMUM,
        NOT_APPLICABLE,
        Anchors,
        Axis,
        AxisDefault,
        HardFail,
        Rubric,
        Scoring,
    )
    from iamhumans.rubrics.rubric_file import load_rubric

_TYPES = ("AXIS_MAXIMUM", "NOT_APPLICABLE", "Anchors", "Axis", "AxisDefault", "HardFail", "Rubric", "Scoring")
__getattr__ = loaded_later(__name__, {"rubric": _TYPES, "rubric_file": ("load_rubric",)})
