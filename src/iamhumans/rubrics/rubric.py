"""A rubric: axes scored 0 to 10, hard fails answered YES or NO, and the rule for the total."""

from __future__ import annotations

import hashlib
import json
from functools import cached_property
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints, model_validator

AXIS_MAXIMUM = 10  # the lowest score of an axis is 0
NOT_APPLICABLE = "N/A"

# The other keys of a verdict. No axis and no hard fail may have such an id.
RESERVED_IDS = frozenset({"case_id", "check", "axes", "evidence", "hard_fails", "total", "verdict", "notes"})


def _not_reserved(name: str) -> str:
    if name in RESERVED_IDS:
        raise ValueError(f"`{name}` is a key of every verdict and cannot be the id of an axis or a hard fail.")
    return name


PartId = Annotated[
    str, StringConstraints(pattern=r"^[a-z][a-z0-9]*(_[a-z0-9]+)*$", max_length=64), AfterValidator(_not_reserved)
]
Sentence = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=2000)]


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Anchors(_Frozen):
    """What the scores 10, 5 and 0 of an axis mean."""

    top: Sentence = Field(alias="10")
    middle: Sentence = Field(alias="5")
    bottom: Sentence = Field(alias="0")

    def items(self) -> tuple[tuple[int, str], ...]:
        """Score and meaning, the best first."""
        return ((10, self.top), (5, self.middle), (0, self.bottom))


class AxisDefault(_Frozen):
    """The score of an axis that has nothing to judge: ``value`` replaces the answers in ``instead_of``.

    ``when`` says for which cases.
    """

    value: Annotated[int, Field(ge=0, le=AXIS_MAXIMUM)]
    when: Literal["single_turn", "no_repair", "always"]
    instead_of: tuple[str, ...] = (NOT_APPLICABLE,)
    reason: Sentence

    def holds(self, *, single_turn: bool | None, repair: bool | None) -> bool:
        """Whether the default is for this kind of case. Where that is unknown, the judge's N/A counts."""
        return {"single_turn": single_turn is not False, "no_repair": repair is not True, "always": True}[self.when]

    def certain(self, *, single_turn: bool | None, repair: bool | None) -> bool:
        """Whether the case is known to be of that kind. Only then the default replaces a score, not only N/A."""
        return {"single_turn": single_turn is True, "no_repair": repair is False, "always": True}[self.when]


class Axis(_Frozen):
    """A quality scored 0 to 10."""

    id: PartId
    title: Sentence
    question: Sentence
    anchors: Anchors
    tells: tuple[Sentence, ...] = ()
    default: AxisDefault | None = None

    @property
    def may_be_na(self) -> bool:
        """Whether a judge may answer N/A in some cases."""
        return self.default is not None and NOT_APPLICABLE in self.default.instead_of


class HardFail(_Frozen):
    """A pattern answered YES or NO; one YES zeroes the case."""

    id: PartId
    meaning: Sentence
    examples: tuple[Sentence, ...] = ()


class Scoring(_Frozen):
    """Any YES gives 0; otherwise the mean of the axes times ten, rounded half up. PASS is the pass mark or more."""

    pass_mark: Annotated[int, Field(ge=0, le=100)] = 80


class Rubric(_Frozen):
    """A whole rubric, including what it extends."""

    name: Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$")]
    description: str = ""
    axes: tuple[Axis, ...] = Field(min_length=1)
    hard_fails: tuple[HardFail, ...] = ()
    scoring: Scoring = Scoring()

    @model_validator(mode="after")
    def _ids_are_unique(self) -> Rubric:
        seen: set[str] = set()
        for name in (*self.axis_ids, *self.hard_fail_ids):
            if name in seen:
                raise ValueError(f"the id `{name}` is used twice.")
            seen.add(name)
        return self

    def __hash__(self) -> int:
        """By content, so that a rubric can be a key of a cache."""
        return hash(self.hash)

    @cached_property
    def axis_ids(self) -> tuple[str, ...]:
        """Ids of the axes, in order."""
        return tuple(axis.id for axis in self.axes)

    @cached_property
    def hard_fail_ids(self) -> tuple[str, ...]:
        """Ids of the hard fails, in order."""
        return tuple(hard_fail.id for hard_fail in self.hard_fails)

    @cached_property
    def hash(self) -> str:
        """SHA-256 of everything that can change a prompt or a score; name and description cannot."""
        content = self.model_dump(mode="json", by_alias=True, exclude={"name", "description"})
        canonical = json.dumps(content, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(canonical.encode()).hexdigest()
