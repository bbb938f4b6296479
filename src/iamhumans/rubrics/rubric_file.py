"""Rubrics from files: bundled ones by name, others by path, with ``extends`` and ``without`` resolved."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Annotated, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from iamhumans.errors import CommandError, InputError, Place
from iamhumans.rubrics.bundled import BUNDLED, bundled_text
from iamhumans.rubrics.rubric import Axis, HardFail, Rubric, Scoring
from iamhumans.text import YamlProblem, YamlReading, is_inside, read_text, read_yaml
from iamhumans.text.checked import checked

_MAX_GENERATIONS = 8

Part = TypeVar("Part", Axis, HardFail)


class _ScoringFile(BaseModel):
    model_config = ConfigDict(extra="forbid")
    pass_mark: Annotated[int, Field(ge=0, le=100)] | None = None


class _RubricFile(BaseModel):
    """A rubric as it is written: whole, or as the difference from another."""

    model_config = ConfigDict(extra="forbid")
    name: str
    description: str = ""
    extends: str | None = None
    without: tuple[str, ...] = ()
    axes: tuple[Axis, ...] = ()
    hard_fails: tuple[HardFail, ...] = ()
    scoring: _ScoringFile = _ScoringFile()


def load_rubric(name_or_path: str | Path, *, relative_to: Path | None = None) -> Rubric:
    """A rubric: axes, hard fails and the scoring rule.

    Args:
        name_or_path: ``iamhumans``, ``iamhumans-extended``, or the path of a file that ends in ``.yaml`` or ``.yml``.
        relative_to: The folder of a suite. A relative path starts there, and neither the rubric nor one that it
            extends may lie outside of it.

    Raises:
        InputError: The file cannot be read, is not a rubric, or lies outside of the suite; names the line.
        CommandError: There is no bundled rubric of this name.

    Example:
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
    mark = written.scoring.pass_mark
    inherited = base.scoring if base else Scoring()
    content = {
        "name": written.name,
        "description": written.description,
        "axes": _merged(base.axes if base else (), written.axes, written.without),
        "hard_fails": _merged(base.hard_fails if base else (), written.hard_fails, written.without),
        "scoring": inherited if mark is None else Scoring(pass_mark=mark),
    }
    whole = YamlReading(value=content, lines=reading.lines)  # type: ignore[arg-type]  # parts are models already
    return checked(Rubric, whole, path)


def _base(written: _RubricFile, reading: YamlReading, path: Path, suite: Path | None, generation: int) -> Rubric | None:
    """The rubric that is extended."""
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
    replacing: dict[str, Part] = {part.id: part for part in added}
    merged: list[Part] = [replacing.get(part.id, part) for part in base if part.id not in without]
    placed = {part.id for part in merged}
    merged.extend(part for part in added if part.id not in placed)
    return tuple(merged)
