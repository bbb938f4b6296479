"""The JSON schema of a verdict, for providers that hold a model's output to one."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from iamhumans.rubrics import AXIS_MAXIMUM, NOT_APPLICABLE, Axis, Rubric

JsonSchema = dict[str, Any]


@lru_cache(maxsize=16)
def verdict_schema(rubric: Rubric) -> JsonSchema:
    """A schema that every complete verdict under this rubric follows, in the order in which it should be written.

    It is the same object for all cases, not to be changed, so that a provider compiles it once. It keeps to what
    providers support in their strict modes: every property required, no others allowed.
    """
    flags = {name: {"type": "string", "enum": ["YES", "NO"]} for name in rubric.hard_fail_ids}
    quotes = {"type": "array", "items": {"type": "string"}}
    return _object(
        {
            "case_id": {"type": "string"},
            "check": {"type": "string"},
            "axes": _object({axis.id: _axis(axis) for axis in rubric.axes}),
            "evidence": _object(dict.fromkeys(rubric.hard_fail_ids, quotes)),
            "hard_fails": _object(flags),
            "total": {"type": "integer", "minimum": 0, "maximum": 100},
            "verdict": {"type": "string", "enum": ["PASS", "FAIL"]},
            "notes": {"type": "string"},
        }
    )


def _axis(axis: Axis) -> JsonSchema:
    score: JsonSchema = {"type": "integer", "minimum": 0, "maximum": AXIS_MAXIMUM}
    if not axis.may_be_na:
        return score
    return {"anyOf": [score, {"type": "string", "enum": [NOT_APPLICABLE]}]}


def _object(properties: dict[str, Any]) -> JsonSchema:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
