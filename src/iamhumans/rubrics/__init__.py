"""What is judged. A rubric is data: axes, hard fails and the scoring rule, versioned by the hash of its content.

Rubrics are checked by pydantic, which is loaded when the first of them is: to list the cases of a suite none is needed.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from iamhumans.rubrics.bundled import BUNDLED, DEFAULT_RUBRIC, bundled_hard_fail_ids

if TYPE_CHECKING:
    from iamhumans.rubrics.files import load_rubric
    from iamhumans.rubrics.model import (
        AXIS_MAXIMUM,
        NOT_APPLICABLE,
        Anchors,
        Axis,
        AxisDefault,
        HardFail,
        Rubric,
        Scoring,
    )

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
    "bundled_hard_fail_ids",
    "load_rubric",
]

_LATER = {
    "files": ("load_rubric",),
    "model": ("AXIS_MAXIMUM", "NOT_APPLICABLE", "Anchors", "Axis", "AxisDefault", "HardFail", "Rubric", "Scoring"),
}
_HOMES = {name: module for module, names in _LATER.items() for name in names}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found: object = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = found
    return found
