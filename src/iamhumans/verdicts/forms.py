"""The keys of what a judge prints: those with which an answer may begin, and those that say something."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from iamhumans.rubrics import Rubric

SECTIONS = ("axes", "evidence", "hard_fails")


@dataclass(frozen=True, slots=True)
class Form:
    """What tells an answer of one kind from the prose around it. All keys are in their plain spelling."""

    heads: tuple[str, ...]
    """With which an answer may begin."""
    stating: tuple[str, ...]
    """Which say something; without any of them a block is no answer."""
    mark: str
    """Which every whole answer has at its margin."""


@lru_cache(maxsize=16)
def verdict_form(rubric: Rubric) -> Form:
    """The form of a verdict under a rubric."""
    stating = (*rubric.axis_ids, *rubric.hard_fail_ids)
    return Form(heads=("case_id", "check", *SECTIONS, *stating), stating=stating, mark="axes")
