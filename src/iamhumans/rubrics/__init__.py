"""What is judged. A rubric is data: axes, hard fails and the scoring rule, versioned by the hash of its content.

Pydantic checks rubrics. It is loaded with the first of them, since listing the cases of a suite needs none.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from iamhumans.rubrics.bundled import BUNDLED, DEFAULT_RUBRIC, bundled_hard_fail_ids

if TYPE_CHECKING:
    from iamhumans.rubrics.rubric import AXIS_MAXIMUM, NOT_APPLICABLE, Axis, AxisDefault, HardFail, Rubric, load_rubric


def __getattr__(name: str) -> object:
    found = {} if name.startswith("_") else vars(import_module(f"{__name__}.rubric"))
    if name not in found:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return globals().setdefault(name, found[name])
