"""The JSON schema of a verdict, for models that can be made to follow one."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from iamhumans.rubrics import AXIS_MAXIMUM, NOT_APPLICABLE, Axis, Rubric

JsonSchema = dict[str, Any]


@lru_cache(maxsize=16)
def verdict_schema(rubric: Rubric) -> JsonSchema:
    """A schema that every complete verdict under this rubric follows, in the order in which it should be written.

    It is the same object for all cases, not to be changed, so that a provider compiles it once. It uses only what
    providers support in their strict modes: every property required, no others allowed.
    """
    quotes = {"type": "array", "items": {"type": "string"}}
    answer = {"type": "string", "enum": ["YES", "NO"]}
    return closed_object(
        {
            "case_id": {"type": "string"},
            "check": {"type": "string"},
            "axes": closed_object({axis.id: _axis(axis) for axis in rubric.axes}),
            "evidence": closed_object(dict.fromkeys(rubric.hard_fail_ids, quotes)),
            "hard_fails": closed_object(dict.fromkeys(rubric.hard_fail_ids, answer)),
            "total": {"type": "integer", "minimum": 0, "maximum": 100},
            "verdict": {"type": "string", "enum": ["PASS", "FAIL"]},
            "notes": {"type": "string"},
        }
    )


def _axis(axis: Axis) -> JsonSchema:
    score: JsonSchema = {"type": "integer", "minimum": 0, "maximum": AXIS_MAXIMUM}
    return {"anyOf": [score, {"type": "string", "enum": [NOT_APPLICABLE]}]} if axis.may_be_na else score


def closed_object(properties: Mapping[str, JsonSchema]) -> JsonSchema:
    """The schema of an object with exactly these properties."""
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }
