"""What may stand in ``suite.yaml``, with errors that name line and remedy.

It is checked by pydantic, so this module is loaded only for a manifest in which something is wrong or odd.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from iamhumans.cases.front import flow_list
from iamhumans.cases.model import DIMENSIONS
from iamhumans.rubrics import DEFAULT_RUBRIC


def _words(value: Any) -> Any:
    problem = _problem_with_words(value)
    if problem:
        raise ValueError(problem)
    return tuple(" ".join(word.split()) for word in value)


def _problem_with_words(value: Any) -> str:
    if isinstance(value, str):
        words = [word.strip() for word in value.split(",") if word.strip()]
        return f"must be a list, such as `{flow_list(words or ['one', 'another'])}`."
    if isinstance(value, dict) or not all(isinstance(word, str) and word.strip() for word in value):
        return "must be a list of words, such as `[one, another]`."
    return ""


_Words = Annotated[tuple[str, ...], BeforeValidator(_words)]


class ManifestFile(BaseModel):
    """The keys of a manifest."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    name: Annotated[str, Field(min_length=1)] | None = None
    version: str = ""
    rubric: Annotated[str, Field(min_length=1)] = DEFAULT_RUBRIC
    dimensions: _Words = DIMENSIONS
    hard_fails: _Words = ()
    languages: _Words = ()
    license: str = ""
