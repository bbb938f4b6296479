"""A rubric: axes scored 0 to 10, hard fails answered YES or NO, and the rule for the total.

Bundled ones are read by name, others by path, with ``extends`` and ``without`` resolved.
"""

from __future__ import annotations

import hashlib
import json
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Annotated, Literal, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints, model_validator

from iamhumans.errors import CommandError, InputError, Place
from iamhumans.rubrics.bundled import BUNDLED, bundled_text
from iamhumans.text import YamlProblem, YamlReading, is_inside, read_text, read_yaml
from iamhumans.text.checked import checked

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
    """The score of an axis with nothing to judge in cases of ``when``: ``value`` replaces answers in ``instead_of``."""

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
    note: Sentence | None = None
    """What a judge that states a total easily gets wrong; part of the prompt. The rule itself is not changed by it."""


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


_MAX_GENERATIONS = 8
Part = TypeVar("Part", Axis, HardFail)


class _ScoringFile(_Frozen):
    pass_mark: Annotated[int, Field(ge=0, le=100)] | None = None
    note: Sentence | None = None


class _RubricFile(_Frozen):
    name: str
    description: str = ""
    extends: str | None = None
    without: tuple[str, ...] = ()
    axes: tuple[Axis, ...] = ()
    hard_fails: tuple[HardFail, ...] = ()
    scoring: _ScoringFile = _ScoringFile()


def load_rubric(name_or_path: str | Path, *, relative_to: Path | None = None) -> Rubric:
    """A rubric by its bundled name, or by the path of a file that ends in ``.yaml`` or ``.yml``.

    ``relative_to`` is the folder of a suite: relative paths start there, and no rubric may lie outside of it. Raises
    InputError for a file that is not a rubric or lies outside, and CommandError for an unknown name.

    >>> load_rubric("iamhumans").axis_ids[0]
    'naturalness'
    """
    name = str(name_or_path)
    if name in BUNDLED:
        return _bundled(name)
    if not name.endswith((".yaml", ".yml")):
        fix = f"Bundled rubrics are {' and '.join(BUNDLED)}. Name your own by its path, which ends in .yaml."
        raise CommandError(f"There is no rubric `{name}`.", fix=fix)
    path = Path(name) if relative_to is None else relative_to / name
    _require_inside(path, relative_to, Place(path))
    return _resolve(read_text(path), path, relative_to, generation=0)


@lru_cache
def _bundled(name: str) -> Rubric:
    return _resolve(bundled_text(name), Path(f"{name}.yaml"), None, generation=0)


def _require_inside(path: Path, suite: Path | None, place: Place) -> None:
    if suite is not None and not is_inside(path, suite):
        fix = "Put a copy of it into the suite's folder, and name that."
        raise InputError(f"The rubric `{path}` lies outside of the suite's folder.", fix=fix, where=place)


def _resolve(text: str, path: Path, suite: Path | None, *, generation: int) -> Rubric:
    try:
        reading = read_yaml(text)
    except YamlProblem as problem:
        raise InputError(f"This is not YAML: {problem.problem}.", where=Place(path, problem.line)) from None
    written = checked(_RubricFile, reading, path)
    base = _base(written, reading, path, suite, generation)
    _refuse_shared_ids(written, base, reading, path)
    inherited = base.scoring if base else Scoring()
    content = {
        "name": written.name,
        "description": written.description,
        "axes": _merged(base.axes if base else (), written.axes, written.without),
        "hard_fails": _merged(base.hard_fails if base else (), written.hard_fails, written.without),
        "scoring": inherited.model_copy(update=written.scoring.model_dump(exclude_none=True)),
    }
    whole = YamlReading(value=content, lines=reading.lines)  # type: ignore[arg-type]  # parts are models already
    return checked(Rubric, whole, path)


def _base(written: _RubricFile, reading: YamlReading, path: Path, suite: Path | None, generation: int) -> Rubric | None:
    if written.extends is None:
        if written.without:
            fix = "Add `extends: iamhumans`, or delete `without`."
            place = Place(path, reading.line_of(("without",)))
            raise InputError("`without` needs a rubric to extend, and this one extends none.", fix=fix, where=place)
        return None
    here = Place(path, reading.line_of(("extends",)))
    if generation >= _MAX_GENERATIONS:
        problem = "Rubrics extend each other in a circle, or too deep."
        raise InputError(problem, fix="Extend a bundled rubric.", where=here)
    if written.extends in BUNDLED:
        base = _bundled(written.extends)
    else:
        parent = path.parent / written.extends
        _require_inside(parent, suite, here)
        if not parent.is_file():
            fix = f"Name one of {', '.join(BUNDLED)}, or a file beside this one."
            raise InputError(f"There is no rubric `{written.extends}` to extend.", fix=fix, where=here)
        base = _resolve(read_text(parent), parent, suite, generation=generation + 1)
    for index, name in enumerate(written.without):
        if name not in {*base.axis_ids, *base.hard_fail_ids}:
            place = Place(path, reading.line_of(("without", index)))
            fix = f"It has: {', '.join((*base.axis_ids, *base.hard_fail_ids))}."
            raise InputError(f"`{base.name}` has no `{name}` to leave out.", fix=fix, where=place)
    return base


def _refuse_shared_ids(written: _RubricFile, base: Rubric | None, reading: YamlReading, path: Path) -> None:
    """Refuse an id that is added twice, or that is an axis here and a hard fail in the base, or the reverse."""
    seen: set[str] = set()
    sections: tuple[tuple[str, tuple[Axis | HardFail, ...], tuple[str, ...]], ...] = (
        ("axes", written.axes, base.hard_fail_ids if base else ()),
        ("hard_fails", written.hard_fails, base.axis_ids if base else ()),
    )
    for section, parts, others in sections:
        for index, part in enumerate(parts):
            if part.id in seen or (part.id in others and part.id not in written.without):
                place = Place(path, reading.line_of((section, index, "id")))
                fix = "Give each axis and each hard fail a different id."
                raise InputError(f"The id `{part.id}` is used twice.", fix=fix, where=place)
            seen.add(part.id)


def _merged(base: tuple[Part, ...], added: tuple[Part, ...], without: tuple[str, ...]) -> tuple[Part, ...]:
    """Base parts less ``without``. An added part replaces the base part with its id; others follow."""
    merged: dict[str, Part] = {part.id: part for part in base if part.id not in without}
    merged.update((part.id, part) for part in added)
    return tuple(merged.values())
